/* SPDX-License-Identifier: Apache-2.0 */
/* Decides placements, large ones in another thread. */
#ifndef SERRIED_DAEMON_JUDGE_H
#define SERRIED_DAEMON_JUDGE_H

#include "daemon/call.h"
#include "daemon/live.h"

enum {
    /* Deciding takes up to 1 us a rank: larger ones would hold the loop for
     * longer than 65 ms. */
    JUDGE_RANKS_HERE = 65536,
    JUDGES_MAX = 16, /* in other threads at a time, or waiting for one */
};

/* Those in other threads; part of the daemon, starts from { 0 }. */
struct judges {
    size_t n;
    void (*idle)(void *arg); /* whom judges_close() is to tell */
    void *arg;
};

/* Takes live over, which is decided; NULL: it was refused, and why, and freed.
 * arg: as given. */
typedef void judged_fn(struct call *call, void *arg, struct live *live,
                       const char *findings, const struct error *err);

/* Decides a placement of live_load(), which is taken, and tells judged(), at
 * once or later; never, where the call ended before. */
void judge(struct call *call, struct live *live, judged_fn *judged, void *arg);

/* Calls idle(arg) when no other thread decides any more. No call waits. */
void judges_close(struct judges *judges, void (*idle)(void *arg), void *arg);

#endif
