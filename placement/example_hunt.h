/* SPDX-License-Identifier: Apache-2.0 */
/* The search for one rule's example. Private to example*.c. */
#ifndef SERRIED_PLACEMENT_EXAMPLE_HUNT_H
#define SERRIED_PLACEMENT_EXAMPLE_HUNT_H

#include "placement/example_knobs.h"

enum { EXAMPLE_POOL_MAX = 48 }; /* accepted requests to begin with */

struct example_search {
    struct arena *arena, *scratch;
    struct knobs knobs;
    struct point pool[EXAMPLE_POOL_MAX];
    size_t n_pool;
    uint64_t random;
};

/* ---- points ------------------------------------------------------------- */

/* A number below n; the same ones every time. */
uint32_t example_random(struct example_search *s, size_t n);

/* The check of a point, in scratch memory: the next one takes its place. NULL:
 * no memory. */
struct check *example_check(struct example_search *s, const struct point *p,
                            unsigned flags);

/* The whole check of an accepted point; NULL: it is refused. */
const struct check *example_accepted(struct example_search *s,
                                     const struct point *p);

/* ---- pairs -------------------------------------------------------------- */

struct hunt {
    struct example_search *s;
    const struct example_sought *sought;
    size_t knobs[KNOBS_MAX]; /* that it depends on */
    size_t n_read, n_knobs;  /* those that it reads come first */
    struct point good, bad;  /* the best pair so far */
    int best;                /* its cost; below 0: none */
    size_t n_found, n_checks;
};

/* sought: borrowed. */
void hunt_init(struct hunt *h, struct example_search *s,
               const struct example_sought *sought);

/* Whether there is no need to look on. */
bool hunt_over(const struct hunt *h);

/* Takes a pair if it is an example, and a plainer one than before. good must be
 * accepted. */
void hunt_take(struct hunt *h, const struct point *good,
               const struct point *bad);

/* Changes accepted points in one setting, and then in several. */
void hunt_changes(struct hunt *h);

/* Makes the pair plainer: what stands in front of the finding goes, then each
 * difference that is not needed, then each setting that neither needs. */
void hunt_shrink(struct hunt *h);

/* example_sets.c: requests with exactly the axes above 1 that a set refuses,
 * against one of the axes less. */
void hunt_axis_sets(struct hunt *h);

#endif
