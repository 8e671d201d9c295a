/* SPDX-License-Identifier: Apache-2.0 */
/* The newest events in memory, for those who watch. */
#include "daemon/event_ring.h"

#include <stdlib.h>
#include <string.h>

static void event_close(struct kept_event *event)
{
    free(event->who);
    free(event->what);
    free(event->subject);
    free(event->detail);
    *event = (struct kept_event){ 0 };
}

static char *copy(const char *s)
{
    return strdup(s != NULL ? s : "");
}

static void keep(struct kept_event *event, struct store_pos pos,
                 const struct store_event *from)
{
    *event = (struct kept_event){ .pos = pos,
                                  .seq = from->seq,
                                  .time_ms = from->time_ms,
                                  .who = copy(from->who),
                                  .what = copy(from->what),
                                  .subject = copy(from->subject),
                                  .detail = copy(from->detail) };
}

void event_ring_add(struct event_ring *ring, struct store_pos pos,
                    const struct store_event *from)
{
    size_t at = (ring->first + ring->n) % EVENT_RING_MAX;
    struct kept_event *event = &ring->events[at];

    if (ring->n == EVENT_RING_MAX) {
        ring->from = event->pos;
        ring->first = (ring->first + 1) % EVENT_RING_MAX;
        ring->n--;
        event_close(event);
    }
    keep(event, pos, from);
    ring->n++;
}

bool event_ring_add_older(struct event_ring *ring, struct store_pos pos,
                          const struct store_event *from)
{
    if (ring->n == EVENT_RING_MAX) {
        ring->from = pos;
        return false;
    }
    ring->first = (ring->first + EVENT_RING_MAX - 1) % EVENT_RING_MAX;
    keep(&ring->events[ring->first], pos, from);
    ring->n++;
    return true;
}

const struct kept_event *event_ring_at(const struct event_ring *ring, size_t i)
{
    return &ring->events[(ring->first + i) % EVENT_RING_MAX];
}

static bool is_after(struct store_pos a, struct store_pos b)
{
    return a.epoch != b.epoch ? a.epoch > b.epoch : a.rev > b.rev;
}

size_t event_ring_after(const struct event_ring *ring, struct store_pos after,
                        size_t *ret_first, bool *ret_lost)
{
    size_t first = ring->n;

    while (first > 0 && is_after(event_ring_at(ring, first - 1)->pos, after))
        first--;
    *ret_first = first;
    *ret_lost = is_after(ring->from, after);
    return ring->n - first;
}

void event_ring_clear(struct event_ring *ring)
{
    while (ring->n > 0) {
        event_close(&ring->events[ring->first]);
        ring->first = (ring->first + 1) % EVENT_RING_MAX;
        ring->n--;
    }
}
