/* SPDX-License-Identifier: Apache-2.0 */
/* The search for holders to let go. Private to place_evict*.c. */
#ifndef SERRIED_PLACEMENT_PLACE_EVICT_H
#define SERRIED_PLACEMENT_PLACE_EVICT_H

#include "placement/place_parts.h"

enum { EVICT_SET_MAX = 4 }; /* holders that are tried together, set by set */

/* One that holds devices which the request may use. */
struct victim {
    const char *name;
    uint32_t holder, n_devices;
};

struct victim_set {
    uint32_t n_devices;
    uint32_t members[EVICT_SET_MAX]; /* ascending numbers of victims */
};

struct evicting {
    struct arena *arena;
    const struct topology *topology;
    const struct occupancy *occupancy;
    const struct place_request *request;
    struct demand demand;
    struct victim *victims; /* fewest devices first, of equals by name */
    uint32_t n_victims;
    bool *lets_go;     /* by holder: in the try that is made */
    uint32_t *holders; /* by device: the same */
    uint32_t deficit;  /* devices that must come free at the least */
    uint32_t tries, tries_max;
    struct victim_set *sets;
    size_t n_sets;
    uint32_t steps;
    struct error *err;
};

/* Whether a device could be taken if nobody held it. */
bool evict_is_of_use(const struct evicting *e, uint32_t device);

/* Whether the request fits when those that are marked let go. */
int evict_fits(struct evicting *e, bool *ret);

/* Marks few holders that do: as few hosts as do are freed, those that few hold
 * first, by halving; then holders that need not go are kept, the largest first.
 * Tries tries_max times. */
int evict_by_hosts(struct evicting *e);

#endif
