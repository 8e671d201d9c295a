/* SPDX-License-Identifier: Apache-2.0 */
/* Work of calls that takes too long for the loop, in other threads. */
#ifndef SERRIED_DAEMON_ASIDE_H
#define SERRIED_DAEMON_ASIDE_H

#include "daemon/call.h"

/* Its kinds: how many at a time, how many with those that wait for their turn,
 * and the words for them. libuv has four threads: searches and comparisons
 * leave one to placements, which somebody waits for. */
/* clang-format off */
#define ASIDE_LIST(X)                                                  \
    X(JUDGE,  16, 16, "large placements are being decided")            \
    X(SEARCH,  2, 16, "searches for placements to release are made")   \
    X(PROOF,   1, 64, "workers' groups are being compared")
/* clang-format on */

enum aside_kind {
#define X(id, at_once, most, words) ASIDE_##id,
    ASIDE_LIST(X)
#undef X
        ASIDE_COUNT
};

struct aside;

/* Those of a daemon; part of it, starts from { 0 }. */
struct asides {
    struct {
        size_t n_running, n;
        struct aside *first, *last; /* that wait, in the order they came */
    } kinds[ASIDE_COUNT];
    void (*idle)(void *arg); /* whom asides_close() is to tell */
    void *arg;
};

/* In the other thread: nothing of the loop's is touched. */
typedef void aside_run_fn(void *arg);

/* Back on the loop, always, once. call NULL: it ended, and its arena is gone;
 * run() may have been left out then. Frees arg. */
typedef void aside_done_fn(struct daemon *daemon, struct call *call, void *arg);

/* Has run(arg) called in another thread, then done(). The call is not to be
 * ended before. -1: neither is called.
 *   STATUS_EXHAUSTED  too many of this kind, or no memory */
int aside(struct call *call, enum aside_kind kind, aside_run_fn *run,
          aside_done_fn *done, void *arg, struct error *err);

/* Calls idle(arg) when no other thread works any more. No call waits. */
void asides_close(struct asides *asides, void (*idle)(void *arg), void *arg);

#endif
