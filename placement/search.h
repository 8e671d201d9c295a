/* SPDX-License-Identifier: Apache-2.0 */
/* The search for alternatives under way. Private to alternatives.c, nearest.c.
 */
#ifndef SERRIED_PLACEMENT_SEARCH_H
#define SERRIED_PLACEMENT_SEARCH_H

#include "placement/alternatives.h"

/* One size set to another value. */
struct change {
    int group, axis;
    int64_t value;
    int64_t distance; /* |log2(value / now)|, in millionths */
};

/* One or two changes. */
struct candidate {
    double distance;
    double keep;   /* |log2| of the change of the kept size; 0: none kept */
    uint16_t a, b; /* indexes of changes; b == a: only one */
};

struct search {
    struct check *check;
    struct arena *scratch;
    struct alternatives *ret;
    struct change *singles;
    size_t n_singles;
    struct candidate *candidates;
    size_t n_candidates, cap_candidates;
    size_t tries_max;
    bool failed;
};

/* Checks the changed request, whole but for its texts. Returns whether it is
 * accepted; *ret_keep is then its `keep` size, where it is known. */
bool search_passes(struct search *s, const struct edit *edits, size_t n,
                   int64_t *ret_keep);

/* Takes a request that passed, unless it was taken before. */
void search_accept(struct search *s, const struct edit *edits, size_t n,
                   const char *say);

/* Tries changed sizes, the nearest first, until enough are found. */
void search_nearest(struct search *s);

#endif
