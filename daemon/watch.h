/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of Watch, parked until something happens. */
#ifndef SERRIED_DAEMON_WATCH_H
#define SERRIED_DAEMON_WATCH_H

#include "daemon/call.h"
#include "daemon/state.h"

enum {
    WATCH_WAIT_MS_MAX = 30000,
    WATCH_EVENTS_MAX = 256, /* in one reply */
};

struct watches;

/* Watches a state. NULL: STATUS_EXHAUSTED, no memory. */
struct watches *watches_new(struct daemon *daemon, struct state *state,
                            struct error *err);
/* Parked calls have been ended before. Its memory goes when the loop has closed
 * its timer. NULL is allowed. */
void watches_close(struct watches *watches);

/* Answers a Watch now, where there are events after its position, or parks it.
 * STATUS_EXHAUSTED: too many are parked; the call is not taken. */
int watch_call(struct watches *watches, struct call *call,
               const Serried__V1__WatchRequest *request, struct error *err);

/* How many are parked. */
size_t watches_count(const struct watches *watches);

#endif
