/* SPDX-License-Identifier: Apache-2.0 */
/* Trying the rules of a runtime on requests over a grid of sizes. */
#ifndef SERRIED_PLACEMENT_LINT_GRID_H
#define SERRIED_PLACEMENT_LINT_GRID_H

#include "placement/lint.h"
#include "placement/structure.h"

enum {
    LINT_SIZE_LARGEST = 8,
    LINT_WORLD_LARGEST = 32,
};

/* ---- which names an expression comes to ---------------------------------- */

/* A set of a runtime's slots. */
struct slot_set;

struct slot_set *slot_set_new(const struct runtime *rt, struct arena *arena);
void slot_set_add(struct slot_set *set, int slot);
bool slot_set_has(const struct slot_set *set, int slot);

/* Adds what the expression (NULL: none) reads, and what the derived sizes and
 * defaults that it reads are made of. */
void slot_set_read(struct slot_set *set, const struct expression *expr);

/* ---- trying -------------------------------------------------------------- */

/* A bit for each rule: those of the file, and checks it does not place. */
enum { RULE_WORDS = (RUNTIME_RULES_MAX + STRUCTURE_COUNT + 63) / 64 };

/* What became of one rule. */
struct trial {
    bool judged;                /* its outcomes say something about the rule */
    bool fired;                 /* true in some request */
    bool first;                 /* the first finding of some request */
    uint64_t after[RULE_WORDS]; /* rules that had found something
                                               before, each time it was true */
};

static inline bool trial_always_after(const struct trial *trial, size_t rule)
{
    return (trial->after[rule / 64] >> rule % 64 & 1) != 0;
}

/* Checks requests without a model over the grid.
 *   *ret_trials     one for each rule, in arena
 *   *ret_n_samples  requests checked
 *   STATUS_EXHAUSTED  no memory */
int grid_try(const struct runtime *rt, struct arena *arena,
             struct trial **ret_trials, size_t *ret_n_samples,
             struct error *err);

#endif
