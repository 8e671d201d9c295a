/* SPDX-License-Identifier: Apache-2.0 */
/* Rank lists as runs: what is regular takes the same room at any length. */
#ifndef SERRIED_PLACEMENT_RUNS_H
#define SERRIED_PLACEMENT_RUNS_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "placement/view.h"

enum {
    RUN_DIMS_MAX = VIEW_AXES_MAX + 1,
    RUNS_RANKS_MAX = VIEW_SPAN_MAX, /* ranks of all runs of one list */
};

/* count copies of what the dims further inside make, each stride higher than
 * the one before. */
struct run_dim {
    uint32_t count;
    int64_t stride; /* negative: falling */
};

/* Ranks in order: start + sum(digit * stride), digits row-major, outermost dim
 * first. No dims: start alone. */
struct run {
    uint32_t start;
    int n_dims;
    const struct run_dim *dims;
};

/* One rank list: its runs one after the other. */
struct runs {
    const struct run *items;
    size_t count;
};

/* Describes n ranks in any order, repeated ones too. Greedy: the members of a
 * group of any view become one run, an irregular list several, in the worst
 * case one for every two ranks. What is made lives in arena.
 *   STATUS_INVALID    more than RUNS_RANKS_MAX ranks
 *   STATUS_EXHAUSTED  the arena is full */
int runs_encode(struct arena *arena, const uint32_t *ranks, size_t n,
                struct runs *ret, struct error *err);

/* List i of lists as one run without expanding it; offset is added to all. Dims
 * go into dims (RUN_DIMS_MAX entries), which ret points to. */
void runs_of_list(const struct lists *lists, uint32_t i, uint32_t offset,
                  struct run_dim *dims, struct run *ret);

/* Whether runs that came from elsewhere may be expanded, and to how many ranks.
 *   STATUS_INVALID  a count of 0, too many dims, a rank below 0 or above
 *                   UINT32_MAX, more than RUNS_RANKS_MAX ranks in all */
int runs_check(const struct runs *runs, uint32_t *ret_ranks, struct error *err);

/* Writes the ranks of checked runs, as many as runs_check() says. */
void runs_expand(const struct runs *runs, uint32_t *ret);

#endif
