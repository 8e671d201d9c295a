/* SPDX-License-Identifier: Apache-2.0 */
/* Whose release would make room for a placement that there are no devices for
 * now: a search of up to about a second in the largest cluster, on a picture of
 * the moment that any thread may work on, one at a time. */
#ifndef SERRIED_DAEMON_BIND_EVICT_H
#define SERRIED_DAEMON_BIND_EVICT_H

#include "daemon/inventory.h"
#include "placement/place.h"

/* Lives in an arena of its own and borrows from the placement that asks. Keeps
 * the topology. */
struct eviction;

/* Takes the arena, in which all but the topology and the names of holders is.
 * NULL: it is full, and still the caller's. */
struct eviction *eviction_new(struct arena *arena, struct inventory *inventory,
                              const struct topology *topology,
                              const struct occupancy *occupancy,
                              const struct place_request *request,
                              const struct place_refusal *refusal);

/* Searches; in any thread. */
void eviction_find(struct eviction *eviction);

/* Ends it, on the thread of the loop: *ret_findings is the verdict's JSON, to
 * be freed by free(). -1, STATUS_EXHAUSTED: no memory, or not searched. */
int eviction_end(struct eviction *eviction, char **ret_findings,
                 struct error *err);

#endif
