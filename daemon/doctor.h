/* SPDX-License-Identifier: Apache-2.0 */
/* What is wrong with the daemon, its placements and its hosts, as a report. */
#ifndef SERRIED_DAEMON_DOCTOR_H
#define SERRIED_DAEMON_DOCTOR_H

#include "daemon/state.h"
#include "proto/trouble.h"

enum {
    DOCTOR_AILMENTS_MAX = 1024,  /* of one report */
    DOCTOR_PLACEMENTS_MAX = 256, /* told of one by one */
    DOCTOR_RANKS_MAX = 64,       /* told of one by one, of one placement */
    DOCTOR_RANKS_SHORT = 8,      /* where all placements are asked for */
};

/* A report in the making. */
struct doctor {
    struct daemon *daemon;
    struct state *state;
    struct arena *arena; /* of the report */
    struct tree_maker *maker;
    struct ailment *ailments; /* DOCTOR_AILMENTS_MAX */
    size_t n, left_out;
    enum trouble_weight lightest; /* none that is kept weighs less */
    uint32_t ranks_max;           /* to be told of, of one placement */
};

/* Writes the report on one placement, or where `only` is NULL on all; what the
 * daemon and its hosts lack is in either. *ret_healthy: nothing but notes.
 *   STATUS_EXHAUSTED  memory */
int doctor_report(struct daemon *daemon, const struct live *only,
                  struct tree_maker *maker, struct tree *map, bool *ret_healthy,
                  struct error *err);

/* ---- for the parts ------------------------------------------------------- */

/* Adds an ailment with the sentence of a text, which is closed. Where there are
 * DOCTOR_AILMENTS_MAX, one that weighs less is left out for it, or it is. */
void doctor_add(struct doctor *doctor, struct ailment ailment,
                struct text *what);

/* How many hosts are in which state; what is wrong with them. */
void doctor_hosts(struct doctor *doctor, struct tree *map);

/* How the boot of a placement goes: keys of its map, and ailments. */
void boots_diagnose(struct doctor *doctor, const struct live *live,
                    struct tree *map);

#endif
