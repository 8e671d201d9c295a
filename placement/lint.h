/* SPDX-License-Identifier: Apache-2.0 */
/* Mistakes in a runtime that loads: rules that never fire, names nobody reads.
 */
#ifndef SERRIED_PLACEMENT_LINT_H
#define SERRIED_PLACEMENT_LINT_H

#include "placement/runtime.h"

enum {
    /* Requests tried on the grid; a larger grid is sampled evenly. A check
     * takes some microseconds: half a second. */
    LINT_SAMPLES_MAX = 1 << 16,
    LINT_REPORTS_MAX = 1024,
};

/* What can be reported: identifier, code, and whether it is only a note. */
/* clang-format off */
#define LINT_LIST(X)                                \
    X(NEVER_FIRES,    "rule.never_fires",    false) \
    X(SHADOWED,       "rule.shadowed",       false) \
    X(AXIS_UNUSED,    "axis.unused",         false) \
    X(AXIS_OUTSIDE,   "axis.outside_looser", true)  \
    X(TABLE_UNREAD,   "table.unread",        false) \
    X(FACT_UNREAD,    "fact.unread",         false) \
    X(OPTION_UNREAD,  "option.unread",       false) \
    X(DERIVED_UNREAD, "derived.unread",      true)
/* clang-format on */

enum lint_kind {
#define X(id, code, note) LINT_##id,
    LINT_LIST(X)
#undef X
};

struct lint_report {
    const char *code;
    bool note;             /* may be meant: a derived size that only answers
                              show, an order of axes that must be so */
    const char *subject;   /* a rule's code, or a name */
    const char *layer;     /* of the rule; NULL: none */
    const char *say;       /* one sentence, in the arena */
    const struct tree *at; /* where it stands */
};

struct lint {
    struct lint_report *reports;
    size_t n_reports;
    size_t n_rules;      /* of the runtime, checks not counted */
    size_t n_not_judged; /* of them: with `for`, or on facts, carried keys and
                            options whose values nothing lists */
    size_t n_samples;    /* requests tried */
};

/* Looks for mistakes. Rules are tried on requests without a model, over a grid
 * of sizes, worlds and options, so those that need a model are not judged.
 *   arena  of the reports
 *   STATUS_EXHAUSTED  no memory */
int lint_run(const struct runtime *rt, struct arena *arena, struct lint *ret,
             struct error *err);

#endif
