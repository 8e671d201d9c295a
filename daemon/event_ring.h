/* SPDX-License-Identifier: Apache-2.0 */
/* The newest events in memory, for those who watch. */
#ifndef SERRIED_DAEMON_EVENT_RING_H
#define SERRIED_DAEMON_EVENT_RING_H

#include <stdbool.h>
#include <stddef.h>

#include "store/store.h"

enum { EVENT_RING_MAX = 4096 };

struct kept_event {
    struct store_pos pos;
    uint64_t seq;
    int64_t time_ms;
    char *who, *what, *subject, *detail;
};

/* Start from { 0 }. */
struct event_ring {
    struct kept_event events[EVENT_RING_MAX];
    size_t first, n;
    struct store_pos from; /* all after this are in the ring */
};

/* Adds the newest; the oldest goes when the ring is full. */
void event_ring_add(struct event_ring *ring, struct store_pos pos,
                    const struct store_event *from);

/* Adds one before all others; where there is no room, it is only noted. */
bool event_ring_add_older(struct event_ring *ring, struct store_pos pos,
                          const struct store_event *from);

/* The i-th oldest, i < ring->n. */
const struct kept_event *event_ring_at(const struct event_ring *ring, size_t i);

/* How many events came after a position: those from *ret_first on. *ret_lost:
 * some after it are not in the ring any more. */
size_t event_ring_after(const struct event_ring *ring, struct store_pos after,
                        size_t *ret_first, bool *ret_lost);

/* Forgets all. */
void event_ring_clear(struct event_ring *ring);

#endif
