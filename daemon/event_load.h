/* SPDX-License-Identifier: Apache-2.0 */
/* The events that the store kept, for those who watch across a restart. */
#ifndef SERRIED_DAEMON_EVENT_LOAD_H
#define SERRIED_DAEMON_EVENT_LOAD_H

#include "daemon/event_ring.h"

struct daemon;
struct event_load;

/* Fills an empty ring with the newest events of the store up to a position, as
 * many as it holds, then calls loaded(). What happens meanwhile may be added to
 * the ring. A store that cannot be read leaves the ring without the older ones.
 * NULL: no memory. Freed by event_load_free(), when the store is closed or the
 * load is over. */
struct event_load *event_load(struct daemon *daemon, struct event_ring *ring,
                              struct store_pos pos, void (*loaded)(void *arg),
                              void *arg);
void event_load_free(struct event_load *load); /* NULL is allowed */

#endif
