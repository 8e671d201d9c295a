/* SPDX-License-Identifier: Apache-2.0 */
/* What makes runtimes that differ in one thing. Private to rules_*.c. */
#ifndef SERRIED_TESTS_CASES_RULES_MAKER_H
#define SERRIED_TESTS_CASES_RULES_MAKER_H

#include "tests/cases/rules.h"

/* The code that a renamed fault goes by, and the name of a key that nobody
 * writes. */
#define OTHER_NAME "of-a-mutant"

/* A key that cases write and nothing reads. */
#define FURTHER_KEY "no_such_key"

struct maker {
    struct arena *arena;
    const struct runtime *rt;
    const struct expression *yes, *no;
    const struct tree *empty; /* a list */
    mutant_fn *fn;
    void *arg;
};

/* Copies share what they do not replace. They live in the maker's arena, which
 * has room for all of them. */
struct runtime *copy_runtime(struct maker *m);

/* With room for one item more. */
void *copy_array(struct maker *m, const void *items, size_t n, size_t size);

/* A copy of the runtime with rules, or sets of axes, or carried keys of its
 * own, and room for one more. */
struct runtime *copy_rules(struct maker *m);
struct runtime *copy_sets(struct maker *m);
struct runtime *copy_carries(struct maker *m);

void emit(struct maker *m, const struct mutant *mutant);

/* The code of a fault of a check that the runtime runs. */
const char *code_of_fault(const struct runtime *rt, enum fault fault);

/* rules_lists.c: sets of axes and keys, those listed and those not. */
void emit_sets(struct maker *m);
void emit_carries(struct maker *m);

#endif
