/* SPDX-License-Identifier: Apache-2.0 */
/* Trying sizes for suggestions. Private to suggest*.c. */
#ifndef SERRIED_PLACEMENT_SUGGEST_SEARCH_H
#define SERRIED_PLACEMENT_SUGGEST_SEARCH_H

#include "placement/suggest.h"

enum {
    REMEDY_DEPTH_MAX = 2, /* options changed one after the other */
    DIVISORS_MAX = 256,   /* no number up to 2^20 has more than 240 */
};

/* The search under way. */
struct suggesting {
    struct suggestions *found;
    const struct runtime *rt;
    const struct deployment *base;
    const struct node_group *group;
    struct arena *arena;                         /* of what is found */
    struct arena *scratch[REMEDY_DEPTH_MAX + 1]; /* of checks, by depth */
    int64_t divisors[DIVISORS_MAX]; /* of the ranks, ascending, without 1 */
    size_t n_divisors;
    int open[RUNTIME_AXES_MAX]; /* axes that are varied */
    size_t n_open;
    int64_t sizes[RUNTIME_AXES_MAX]; /* of the candidate */
    size_t steps;
    int64_t work;
    bool failed;
};

/* Tries all sizes of found->group that the request leaves open and whose
 * product fits its ranks: those with the fewest axes above 1 first. Adds to
 * items, fallen, tried; nothing is sorted yet.
 *   STATUS_EXHAUSTED  no memory */
int suggest_search(struct suggestions *found, struct arena *arena,
                   struct error *err);

/* suggest_take.c: counts a request that fell out by a code. */
void suggest_fallen(struct suggesting *s, const char *code);

/* Takes a request that passed among the suggestions, if its memory is known to
 * do. */
void suggest_take(struct suggesting *s, const struct check *check,
                  const struct edit *edits, size_t n_edits);

#endif
