/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of a runtime, to be changed in one thing. */
#include "tests/cases/rules_maker.h"

#include <string.h>

struct runtime *copy_runtime(struct maker *m)
{
    struct runtime *copy = arena_alloc(m->arena, sizeof(*copy));

    *copy = *m->rt;
    return copy;
}

void *copy_array(struct maker *m, const void *items, size_t n, size_t size)
{
    void *copy = arena_array(m->arena, n + 1, size);

    if (n > 0)
        memcpy(copy, items, n * size);
    return copy;
}

struct runtime *copy_rules(struct maker *m)
{
    struct runtime *copy = copy_runtime(m);

    copy->rules =
        copy_array(m, m->rt->rules, m->rt->n_rules, sizeof(*copy->rules));
    return copy;
}

struct runtime *copy_sets(struct maker *m)
{
    struct runtime *copy = copy_runtime(m);

    copy->axis_sets = copy_array(m, m->rt->axis_sets, m->rt->n_axis_sets,
                                 sizeof(*copy->axis_sets));
    return copy;
}

struct runtime *copy_carries(struct maker *m)
{
    struct runtime *copy = copy_runtime(m);

    copy->carries =
        copy_array(m, m->rt->carries, m->rt->n_carries, sizeof(*copy->carries));
    return copy;
}

void emit(struct maker *m, const struct mutant *mutant)
{
    m->fn(m->arg, mutant);
}

const char *code_of_fault(const struct runtime *rt, enum fault fault)
{
    for (size_t i = 0; i < rt->n_rules; i++)
        if (rt->rules[i].structure == (int)fault_rows[fault].check)
            return fault_code(&rt->rules[i], fault);
    return fault_rows[fault].code;
}
