/* SPDX-License-Identifier: Apache-2.0 */
/* An example that was found, as documents. */
#include <string.h>

#include "placement/example_knobs.h"

static const struct finding *finding_in(const struct findings *list,
                                        const struct rule *rule,
                                        const char *code)
{
    for (size_t i = 0; i < list->n; i++) {
        const struct finding *f = &list->items[i];

        if (f->rule == rule && strcmp(f->code, code) == 0)
            return f;
    }
    return NULL;
}

const struct finding *example_finding(const struct check *check,
                                      const struct rule *rule, const char *code)
{
    const struct finding *f = finding_in(&check->refused, rule, code);

    return f != NULL ? f : finding_in(&check->warnings, rule, code);
}

static void make_value(const struct knobs *k, const struct point *p, size_t i,
                       struct tree_maker *maker, struct tree *map)
{
    const struct knob *knob = &k->items[i];
    const struct tree *value = knob->values[p->values[i]];
    struct question question;

    if (knob->kind == KNOB_WORLD &&
        point_question(k, p, maker->arena, &question))
        make_int(maker, map, "world",
                 (int64_t)question.deployment->groups[0].n_ranks);
    else if (p->values[i] == 0)
        tree_new(maker->arena, map, knob->name, TREE_NULL);
    else
        make_copy(maker, map, knob->name, value);
}

/* Ranks of a point, which may follow its sizes. */
static size_t ranks_of(const struct knobs *k, const struct point *p,
                       struct arena *arena)
{
    struct question question;

    return point_question(k, p, arena, &question)
               ? question.deployment->groups[0].n_ranks
               : 0;
}

int example_answer(const struct knobs *k, const struct point *good,
                   const struct point *bad, const struct rule *rule,
                   const char *code, struct arena *arena, struct example *ret,
                   struct error *err)
{
    struct tree_maker maker = { .arena = arena };
    struct tree *settings = make_map(&maker, NULL, NULL);
    struct tree *facts = make_map(&maker, NULL, NULL);
    struct tree *changes = make_map(&maker, NULL, NULL);
    struct question question;

    for (size_t i = 0; i < k->n; i++) {
        bool world = k->items[i].kind == KNOB_WORLD;

        if (bad->values[i] != 0 || world)
            make_value(k, bad, i, &maker,
                       k->items[i].kind == KNOB_FACT ? facts : settings);
        if (world ? ranks_of(k, good, arena) != ranks_of(k, bad, arena)
                  : good->values[i] != bad->values[i])
            make_value(k, good, i, &maker, changes);
    }
    if (maker.failed || !point_question(k, good, arena, &ret->accepted) ||
        !point_question(k, bad, arena, &question))
        return error_exhausted(err);
    ret->check = check_run(&question, arena, 0, err);
    if (ret->check == NULL)
        return -1;
    ret->finding = example_finding(ret->check, rule, code);
    ret->model = bad->base->model;
    ret->settings = settings;
    ret->facts = facts;
    ret->changes = changes;
    return ret->finding != NULL;
}
