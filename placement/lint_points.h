/* SPDX-License-Identifier: Apache-2.0 */
/* The requests that lint tries: one value for each knob. Private to lint_*.c.
 */
#ifndef SERRIED_PLACEMENT_LINT_POINTS_H
#define SERRIED_PLACEMENT_LINT_POINTS_H

#include "placement/check.h"
#include "placement/lint_grid.h"

/* Something of the request that takes one of several values. */
struct knob {
    struct edit edit; /* without its value */
    bool may_be_absent;
    const int64_t *numbers;
    const struct tree *const *trees; /* of an option */
    size_t n;                        /* values; absence is one more */
};

struct grid {
    const struct runtime *rt;
    struct arena *arena, *scratch;
    struct error *err;
    const struct deployment *base;
    struct knob *knobs;
    size_t n_knobs;
    uint64_t total; /* points, or UINT64_MAX */
    struct edit *edits;
    uint16_t *values;     /* of the point that is tried; by knob */
    const int64_t *ranks; /* 0, 1, ... */
    struct trial *trials;
    bool *unchecked; /* by rule: in some request */
    size_t n_tried;
};

static inline size_t knob_values(const struct knob *knob)
{
    return knob->n + knob->may_be_absent;
}

/* Checks the request that g->values says, and notes what became of each rule.
 * Returns the check, which lives until the next one; NULL: no memory. */
const struct check *grid_try_values(struct grid *g);

/* Number of the rule of a finding; SIZE_MAX: it is of none of the file. */
size_t grid_rule(const struct grid *g, const struct finding *f);

/* Whether what this rule finds says something about a request without a model
 * and without the keys that only workers read. */
bool grid_counts(const struct rule *rule);

/* Whether a rule depends on what the tried requests do not have. */
bool grid_needs_more(struct grid *g, const struct rule *rule);

/* Looks for requests in which those rules come first that did not yet.
 *   STATUS_EXHAUSTED  no memory */
int grid_search(struct grid *g);

#endif
