/* SPDX-License-Identifier: Apache-2.0 */
/* Workers whose calls were refused, kept so that somebody can be told why a
 * boot hangs. */
#ifndef SERRIED_DAEMON_BOOT_REFUSED_H
#define SERRIED_DAEMON_BOOT_REFUSED_H

#include "daemon/boot.h"
#include "daemon/index.h"
#include "proto/trouble.h"

enum {
    BOOT_REFUSED_MAX = 32,      /* kept of a placement: the newest ones */
    BOOT_REFUSED_TOLD_MAX = 32, /* events of a generation */
};

/* A rank that was refused for one reason, once or often. */
struct refused {
    enum trouble trouble;
    int64_t rank; /* -1: the call named none */
    char *text;   /* the last sentence */
    char *who;    /* the last caller */
    uint64_t count;
    bool unfinished;           /* the last sentence is not the worker's last */
    bool told;                 /* an event has been */
    int64_t first_ms, last_ms; /* since 1970 */
};

/* Those of one generation of a placement. */
struct refused_log {
    const char *name; /* first, for the index; a copy */
    struct refused_log *next;
    struct store_pos generation;
    struct refused items[BOOT_REFUSED_MAX];
    size_t n;
    unsigned n_told;
};

/* Start from { 0 }. */
struct refused_logs {
    struct index index; /* struct refused_log */
    struct refused_log *first;
};

/* Keeps that a call of a worker of a placement was refused; rank -1: it named
 * none. The first of a rank and reason is an event, unless the worker is only
 * an old one. more: the worker calls again, to be told more exactly: it counts
 * once, and its event is of what it is told last. Where memory runs out,
 * nothing is kept. */
void boots_refused(struct boots *boots, const struct live *live,
                   struct call *call, int64_t rank, const struct error *why,
                   bool more);

/* What is kept of the generation in force, or NULL. */
const struct refused_log *refused_find(const struct refused_logs *logs,
                                       const struct live *live);

/* A worker of the rank was let in: what kept it out before is over. */
void refused_forget(struct refused_logs *logs, const struct live *live,
                    uint32_t rank);

/* Drops what is of no generation that is in force in a state. */
void refused_follow(struct refused_logs *logs, struct state *state);
void refused_clear(struct refused_logs *logs);

#endif
