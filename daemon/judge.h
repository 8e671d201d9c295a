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
};

/* Takes live over, which is decided; NULL: it was refused, and why, and freed.
 * arg: as given. */
typedef void judged_fn(struct call *call, void *arg, struct live *live,
                       const char *findings, const struct error *err);

/* Decides a placement of live_load(), which is taken, and tells judged(), at
 * once or later; never, where the call ended before. */
void judge(struct call *call, struct live *live, judged_fn *judged, void *arg);

#endif
