/* SPDX-License-Identifier: Apache-2.0 */
/* Examples for rules: a request that one refuses, and an accepted neighbour. */
#ifndef SERRIED_PLACEMENT_EXAMPLE_H
#define SERRIED_PLACEMENT_EXAMPLE_H

#include "placement/check.h"

enum {
    EXAMPLE_BASES_MAX = 32,
    /* Requests checked for one rule: at 10 us each, 0.6 s for one that nothing
     * makes refuse. */
    EXAMPLE_CHECKS_MAX = 60000,
};

/* A request to begin with: of a runtime with node groups, a model placed with
 * every size left open. */
struct example_base {
    const struct model *model; /* NULL: facts are made up */
    const struct deployment *deployment;
};

/* Values that stand for a request's settings, and accepted requests of a
 * runtime; made once and asked for every rule. */
struct example_search;

/* Looks for accepted requests to begin with.
 *   bases  borrowed; n of them, at least one
 *   NULL   STATUS_EXHAUSTED: no memory */
struct example_search *example_search_new(const struct runtime *rt,
                                          const struct example_base *bases,
                                          size_t n, struct error *err);
void example_search_free(struct example_search *search); /* NULL is allowed */

/* Two requests that differ in few settings. The maps hold what is set: sizes
 * and options by name, `world`, keys of the request. */
struct example {
    struct check *check; /* of the refused one */
    const struct finding *finding;
    const struct model *model;           /* NULL: made up; see facts */
    const struct tree *settings, *facts; /* of the refused one */
    struct question accepted;            /* the neighbour */
    const struct tree *changes;          /* settings and facts of it that
                                            differ; null: left out */
};

/* What an example is to show: the rule finds something under this code, which
 * may stand for several faults of a check. */
struct example_sought {
    const struct rule *rule;
    const char *code;
    int fault; /* enum fault; below 0: any that has the code */
};

/* Finds a request in which that is found, and one that is accepted. The same
 * question has always the same answer.
 *   arena  of ret
 * Returns 1; 0: none was found; -1: STATUS_EXHAUSTED. */
int example_find(struct example_search *search,
                 const struct example_sought *sought, struct arena *arena,
                 struct example *ret, struct error *err);

#endif
