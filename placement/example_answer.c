/* SPDX-License-Identifier: Apache-2.0 */
/* An example that was found, as documents. */
#include <string.h>

#include "placement/example_knobs.h"

static const struct finding *finding_in(const struct findings *list,
                                        const struct example_sought *sought)
{
    for (size_t i = 0; i < list->n; i++) {
        const struct finding *f = &list->items[i];

        if (f->rule == sought->rule && strcmp(f->code, sought->code) == 0 &&
            (sought->fault < 0 || f->fault == sought->fault))
            return f;
    }
    return NULL;
}

const struct finding *example_finding(const struct check *check,
                                      const struct example_sought *sought)
{
    const struct finding *f = finding_in(&check->refused, sought);

    return f != NULL ? f : finding_in(&check->warnings, sought);
}

/* The ranks of a point, of which there may be as many as its sizes need; NULL:
 * no memory. */
static const struct node_group *
group_of(const struct knobs *k, const struct point *p, struct arena *arena)
{
    struct question question;

    return point_question(k, p, arena, &question)
               ? &question.deployment->groups[0]
               : NULL;
}

static bool same_ranks(const struct node_group *a, const struct node_group *b)
{
    bool same = a->n_ranks == b->n_ranks;

    for (size_t i = 0; same && a->ranks != NULL && i < a->n_ranks; i++)
        same = a->ranks[i] == b->ranks[i];
    return same;
}

/* Whether the ranks are 0, 1, ...: then their number says all. */
static bool is_counted(const struct node_group *group)
{
    for (size_t i = 0; group->ranks != NULL && i < group->n_ranks; i++)
        if (group->ranks[i] != (int64_t)i)
            return false;
    return true;
}

static void make_ranks(const struct node_group *group, bool counted,
                       struct tree_maker *maker, struct tree *map)
{
    struct tree *list;

    if (counted) {
        make_int(maker, map, "world", (int64_t)group->n_ranks);
        return;
    }
    list = make_list(maker, map, "ranks");
    for (size_t i = 0; i < group->n_ranks; i++)
        make_int(maker, list, NULL, group->ranks[i]);
}

static void make_value(const struct knob *knob, uint8_t value,
                       struct tree_maker *maker, struct tree *map)
{
    if (value == 0)
        tree_new(maker->arena, map, knob->name, TREE_NULL);
    else
        make_copy(maker, map, knob->name, knob->values[value]);
}

/* What the refused one sets, and what the accepted one has otherwise. */
static void make_settings(const struct knobs *k, const struct point *good,
                          const struct point *bad, struct tree_maker *maker,
                          struct example *ret)
{
    const struct node_group *refused = group_of(k, bad, maker->arena);
    const struct node_group *accepted = group_of(k, good, maker->arena);
    struct tree *settings = make_map(maker, NULL, NULL);
    struct tree *facts = make_map(maker, NULL, NULL);
    struct tree *changes = make_map(maker, NULL, NULL);

    for (size_t i = 0; i < k->n; i++) {
        const struct knob *knob = &k->items[i];

        if (knob->kind == KNOB_RANKS || knob->kind == KNOB_WORLD)
            continue;
        if (bad->values[i] != 0)
            make_value(knob, bad->values[i], maker,
                       knob->kind == KNOB_FACT ? facts : settings);
        if (good->values[i] != bad->values[i])
            make_value(knob, good->values[i], maker, changes);
    }
    if (refused != NULL && accepted != NULL) {
        bool counted = is_counted(refused) && is_counted(accepted);

        make_ranks(refused, counted, maker, settings);
        if (!same_ranks(refused, accepted))
            make_ranks(accepted, counted, maker, changes);
    }
    ret->settings = settings;
    ret->facts = facts;
    ret->changes = changes;
}

int example_answer(const struct knobs *k, const struct point *good,
                   const struct point *bad, const struct example_sought *sought,
                   struct arena *arena, struct example *ret, struct error *err)
{
    struct tree_maker maker = { .arena = arena };
    struct question question;

    make_settings(k, good, bad, &maker, ret);
    if (maker.failed || !point_question(k, good, arena, &ret->accepted) ||
        !point_question(k, bad, arena, &question))
        return error_exhausted(err);
    ret->check = check_run(&question, arena, 0, err);
    if (ret->check == NULL)
        return -1;
    ret->finding = example_finding(ret->check, sought);
    ret->model = bad->base->model;
    return ret->finding != NULL;
}
