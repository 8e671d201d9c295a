/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of the case runner share. */
#ifndef SERRIED_TESTS_CASES_RUNNER_H
#define SERRIED_TESTS_CASES_RUNNER_H

#include "base/text.h"
#include "base/tree.h"
#include "proto/answer.h"
#include "tests/cases/compare.h"

/* One case while it runs. */
struct run {
    struct catalog *catalog;
    struct arena *arena; /* of this case */
    struct tree_maker maker;
    const struct tree *line;         /* the whole case */
    const struct tree *input, *want; /* its parts; input: NULL in a check */
    struct tree *got;                /* filled by the op: keys as in want */
    struct text why;                 /* what differs; empty: nothing does */
};

/* Computes what the case asks for into run->got, whose keys are then compared
 * with run->want; what cannot be compared so is compared here, into why. */
typedef void op_fn(struct run *run);

op_fn op_check; /* runner_check.c */
op_fn op_mesh, op_heads, op_resource_check, op_process_groups; /* _place.c */
op_fn op_rows, op_token_split, op_experts;                     /* _split.c */
op_fn op_shard, op_sequence, op_stages, op_batch, op_patches;  /* _work.c */
op_fn op_suggest;                                              /* _suggest.c */
op_fn op_fanout, op_fanin, op_bind_templates, op_cut;          /* _route.c */
op_fn op_assign, op_cuts, op_cluster;                          /* _hosts.c */
op_fn op_bind;                                                 /* _bind.c */

/* runner_layout.c: compares derived, lists, per_rank, active_axes key by key,
 * lists_digest and at_ranks, and puts those keys into run->got. */
void compare_layout(struct run *run, const struct tree *answer);

/* Notes what a request's answer lacks of the case's codes and alternatives.
 * runner_answer.c */
void compare_answer(struct run *run, const struct tree *answer);
/* Asks for the lists and values by rank that the case expects. */
void ask_expected(struct run *run, struct tree *line);

int64_t child_int(const struct tree *map, const char *key); /* 0: none */
/* Item i of a list, or NULL. */
const struct tree *item(const struct tree *list, size_t i);

/* Notes that a thing is not as the case says. */
void differs(struct run *run, const char *what, const struct tree *want,
             const struct tree *got);

/* Notes that every key of want is in got with the same value. */
void compare_keys(struct run *run, const char *what, const struct tree *want,
                  const struct tree *got);

/* Answers a line of a batch; NULL, noted in why: it cannot be read. */
const struct tree *ask(struct run *run, const struct tree *line);

/* Sets the key to null, which tree_get() takes for absent. */
void make_null(struct run *run, struct tree *parent, const char *key);

/* Writes verdict and code (NULL: none) of a refusal. */
void refused(struct run *run, const char *code);

#endif
