/* SPDX-License-Identifier: Apache-2.0 */
/* What would run instead of a request that was refused. */
#ifndef SERRIED_PLACEMENT_ALTERNATIVES_H
#define SERRIED_PLACEMENT_ALTERNATIVES_H

#include "placement/check.h"

enum {
    ALTERNATIVES_MAX = 3, /* given */
    ALTERNATIVES_TRIED_MAX = 4096,
    ALTERNATIVE_EDITS_MAX = 16,
};

/* A changed request that passes the whole check. */
struct alternative_request {
    struct edit edits[ALTERNATIVE_EDITS_MAX];
    size_t n_edits;
    const char *say; /* one phrase, in the arena; never NULL */
};

struct alternatives {
    struct alternative_request items[ALTERNATIVES_MAX];
    size_t n;
    size_t tried;
    bool cut; /* not all candidates were tried */
};

/* Finds them: first the remedies of the findings' rules and of the structure
 * checks, in the order of the findings; then, for the same ranks, the requests
 * with the fewest sizes changed (at most two), of these those with the smallest
 * sum of |log2| of the changes, of these those that keep the runtime's `keep`
 * size best, then by group, axis and size; where none of these passes, remedies
 * one after the other, at most four. The same question has always the same
 * answer.
 *   check   a refused one; edits and texts of ret are made in its arena
 *   STATUS_EXHAUSTED  no memory */
int alternatives_find(struct check *check, struct alternatives *ret,
                      struct error *err);

/* Name of what an edit changes, as it is typed: "node_groups[1].cfg_size",
 * "cp". */
void edit_path(const struct check *check, const struct edit *edit,
               struct text *out);

#endif
