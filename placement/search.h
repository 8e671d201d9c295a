/* SPDX-License-Identifier: Apache-2.0 */
/* The search for alternatives under way. Private to alternatives.c, nearest.c,
 * mend.c. */
#ifndef SERRIED_PLACEMENT_SEARCH_H
#define SERRIED_PLACEMENT_SEARCH_H

#include "placement/alternatives.h"

enum { SEARCH_NEEDED_MAX = 16 };

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
    uint32_t needed[SEARCH_NEEDED_MAX]; /* masks of axes: of each, one must
                                           change */
    size_t n_needed;
    struct candidate *candidates;
    size_t n_candidates, cap_candidates;
    size_t work; /* done by the checks so far */
    bool failed;
};

/* What a check takes, in listed ranks. */
size_t search_work(const struct check *check);

/* Whether one more candidate may be tried; if not, the answer says so. */
bool search_may_try(struct search *s);

/* Checks the changed request, whole but for its texts. Returns whether it is
 * accepted; *ret_keep is then its `keep` size, where it is known. */
bool search_passes(struct search *s, const struct edit *edits, size_t n,
                   int64_t *ret_keep);

/* "cfg_size 1 instead of 3, tp_size 2 instead of 1" */
void search_describe(const struct check *check, const struct edit *edits,
                     size_t n, struct text *out);

/* Takes a request that passed, unless it was taken before. */
void search_accept(struct search *s, const struct edit *edits, size_t n,
                   const char *say);

/* Whether sizes may fill some form of every view: what its axes multiply to
 * divides the ranks and, once none is left to choose or to compute, is them. A
 * request for which this is false has no layout, so it need not be checked.
 *   sizes  by axis; 0: not known yet
 *   n      ranks of the world */
bool sizes_may_fit(const struct runtime *rt, const int64_t *sizes, int64_t n);

/* Tries changed sizes, the nearest first, until enough are found. */
void search_nearest(struct search *s);

/* Tries remedies one after the other, each of what counts most in the request
 * that those before it make. */
void search_mend(struct search *s);

#endif
