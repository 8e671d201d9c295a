/* SPDX-License-Identifier: Apache-2.0 */
/* Mending a placement in place. Private to replace*.c. */
#ifndef SERRIED_PLACEMENT_REPLACE_PARTS_H
#define SERRIED_PLACEMENT_REPLACE_PARTS_H

#include "placement/place_parts.h"
#include "placement/replace.h"

/* ---- what mending works on (replace_state.c) ---------------------------- */

enum level { LEVEL_SUB, LEVEL_ISLAND, LEVEL_BLOCK, LEVELS };

/* Where a device is in the site. */
struct where {
    uint32_t unit[LEVELS];
};

/* Islands looked at in one mending: 134 million at some 10 ns are 1 to 2 s; a
 * tenth of 65,536 ranks on 8,192 hosts need 54 million. Beyond it all is packed
 * anew, which takes milliseconds. */
enum { MEND_STEPS_MAX = 1 << 27 };

struct mending {
    uint64_t steps;
    struct site site;
    const struct topology *topology;
    const struct demand *demand;
    struct where *where; /* by device; units are UINT32_MAX: not in the site */
    bool *taken;         /* by device */
    uint32_t *n_free;    /* by sub */
    uint32_t *island_free;
    uint32_t *counts; /* scratch, by unit; 0 between uses */
    const uint32_t *old;
    uint32_t *devices;
    uint32_t *placed; /* positions that were given a device, for undoing */
    size_t n_placed;
};

/* Positions order[0..n) of one knot or bundle. */
struct set {
    const uint32_t *order;
    uint32_t n;
};

/* Makes the state; site, topology, demand and devices are set. */
int mend_prepare(struct arena *arena, struct mending *m, struct error *err);

void mend_take(struct mending *m, uint32_t position, uint32_t device);
void mend_give_back(struct mending *m, struct set set);

/* Gives the positions of a set that have none the free devices of a sub, which
 * are enough; they are remembered in placed. */
void mend_fill_from(struct mending *m, struct set set, uint32_t sub);

/* Takes back what was placed since n_placed was `to`. */
void mend_undo(struct mending *m, size_t to);

uint32_t mend_missing(const struct mending *m, struct set set);

/* The unit in which most of the set stands, of equals the first; UINT32_MAX: no
 * one stands anywhere. */
uint32_t mend_home(struct mending *m, struct set set, int level);

/* Those that stand elsewhere than most of the set must move. */
void mend_settle(struct mending *m, struct set set, int level);

/* The positions from order[first] on with the same value in `of`. */
struct set mend_next_set(const struct mending *m, int kind, uint32_t first,
                         uint32_t end, const uint32_t *of);

/* The same positions in the order of the other kind. */
struct set mend_in_kind(const struct mending *m, struct set set, int from,
                        int kind);

/* ---- mending ------------------------------------------------------------ */

/* Mends: *ret_mended is whether every position has a device.
 *   usable   by device: may be had, or is had already
 *   devices  of each position, those that stay; DEVICE_NONE: must get one
 *   old      what each had before, for staying near; DEVICE_NONE: nothing */
int mend(struct arena *arena, const struct topology *topology,
         const struct place_request *request, const struct demand *demand,
         const bool *usable, const uint32_t *old, uint32_t *devices,
         bool *ret_mended, struct error *err);

#endif
