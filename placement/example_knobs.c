/* SPDX-License-Identifier: Apache-2.0 */
/* What can be set in a request, and to which values. */
#include "placement/example_knobs.h"

#include <string.h>

#include "placement/host_list.h"
#include "placement/reader.h"

static const int64_t size_values[] = { 2, 4, 8,
                                       3, 6, 16,
                                       1, 0, VIEW_SPAN_MAX + 1 };
static const int64_t world_values[] = { 8, 16, 4,  2,  1,  64, 3,
                                        6, 12, 24, 32, 48, 0 };
/* Times the product of the sizes. */
static const int64_t world_factors[] = { 1, 2, 4, 8, 3 };

/* ---- knobs --------------------------------------------------------------- */

struct knob *knobs_add(struct knobs *k, enum knob_kind kind, int index,
                       int slot, const char *name)
{
    struct knob *knob = &k->items[k->n];

    if (k->n == KNOBS_MAX - 1 && kind != KNOB_WORLD)
        knob = &k->items[KNOBS_MAX]; /* too many: what is set here is lost */
    else
        k->n++;
    *knob = (struct knob){
        .kind = kind, .index = index, .slot = slot, .name = name, .n = 1
    };
    return knob;
}

static void add_option(struct knobs *k, int index)
{
    const struct option *option = &k->rt->options[index];
    struct knob *knob =
        knobs_add(k, KNOB_OPTION, index, option->slot, option->name);

    for (const struct tree *t = tree_first(option->one_of); t != NULL;
         t = t->next)
        knob_add(knob, t);
    if (option->one_of != NULL) {
        knob_add_outside(k, knob, option->one_of);
        return;
    }
    knob_add_typed(k, knob, option->types);
    if ((option->types & VALUE_LIST) != 0)
        knob_add_records(k, knob);
}

static void add_carry(struct knobs *k, int index)
{
    const struct carry *carry = &k->rt->carries[index];
    struct knob *knob;
    unsigned types = 0;

    if (carry->in_group)
        return;
    knob = knobs_add(k, KNOB_CARRY, index, carry->slot, carry->name);
    types |= (carry->types & READ_BOOL) != 0 ? VALUE_BOOL : 0;
    types |= (carry->types & READ_INT) != 0 ? VALUE_INT : 0;
    types |= (carry->types & READ_STRING) != 0 ? VALUE_STRING : 0;
    if (carry->merge_shard_dim)
        knob_add_cuts(k, knob);
    if (k->rt->host_list != NULL &&
        strcmp(carry->name, k->rt->host_list->key) == 0)
        knob_add_hosts(k, knob);
    else if ((carry->types & READ_MAP) != 0)
        knob_add_members(k, knob);
    knob_add_typed(k, knob, types);
}

static void add_fact(struct knobs *k, int index)
{
    const struct fact *fact = &k->rt->facts[index];
    const struct symbol *symbol = runtime_symbol(k->rt, fact->name);
    struct knob *knob = knobs_add(k, KNOB_FACT, index, fact->slot, fact->name);

    knob_add_typed(k, knob, symbol->shape.types);
}

int knobs_init(struct knobs *k, const struct runtime *rt,
               const struct example_base *bases, size_t n_bases,
               struct arena *arena, struct error *err)
{
    struct knob *world;

    *k = (struct knobs){
        .rt = rt, .arena = arena, .bases = bases, .n_bases = n_bases
    };
    for (size_t a = 0; a < rt->n_axes; a++) {
        struct knob *knob =
            knobs_add(k, KNOB_SIZE, (int)a, rt->axes[a].slot, rt->axes[a].name);

        for (size_t i = 0; i < ARRAY_LEN(size_values); i++)
            knob_add_whole(k, knob, size_values[i]);
    }
    for (size_t i = 0; i < rt->n_options; i++)
        add_option(k, (int)i);
    for (size_t i = 0; i < rt->n_carries; i++)
        add_carry(k, (int)i);
    for (size_t i = 0; i < rt->n_facts; i++)
        add_fact(k, (int)i);
    k->ranks = k->n;
    if (!rt->spans && knobs_add_ranks(k, err) < 0)
        return -1;
    world = knobs_add(k, KNOB_WORLD, 0, SLOT_WORLD, "world");
    for (size_t i = 0; i < ARRAY_LEN(world_factors); i++)
        knob_add_whole(k, world, -world_factors[i]);
    for (size_t i = 0; i < ARRAY_LEN(world_values); i++)
        knob_add_whole(k, world, world_values[i]);
    return arena_failed(arena) ? error_exhausted(err) : 0;
}

/* ---- points -------------------------------------------------------------- */

/* Ranks of a point: as said, or a multiple of what its sizes need. */
static int64_t world_of(const struct knobs *k, const struct point *p)
{
    const struct knob *world = &k->items[k->n - 1];
    int64_t value = world->values[p->values[k->n - 1]]->u.integer, product = 1;

    if (value >= 0)
        return value;
    for (size_t i = 0; i < k->n; i++) {
        const struct knob *knob = &k->items[i];

        if (knob->kind == KNOB_SIZE && p->values[i] != 0 &&
            knob->values[p->values[i]]->u.integer > 0 &&
            product < KNOB_RANKS_MAX)
            product *= knob->values[p->values[i]]->u.integer;
    }
    product *= -value;
    return product < KNOB_RANKS_MAX ? product : KNOB_RANKS_MAX;
}

static struct edit edit_of(const struct knobs *k, const struct point *p,
                           size_t i)
{
    const struct knob *knob = &k->items[i];
    const struct tree *value = knob->values[p->values[i]];
    struct edit edit = { .kind = EDIT_SIZE, .index = knob->index };

    if (knob->kind == KNOB_SIZE) {
        edit.value = value->u.integer;
    } else if (knob->kind == KNOB_OPTION) {
        edit.kind = EDIT_OPTION;
        edit.tree = value;
    } else {
        edit.kind = k->rt->spans ? EDIT_WORLD : EDIT_RANKS;
        edit.value = world_of(k, p);
        edit.n_ranks = (size_t)edit.value;
        edit.ranks = point_ranks(k, p, edit.n_ranks);
    }
    return edit;
}

/* The model of a point: its base's, or one made up, with the facts that it does
 * not have itself; NULL where it would have none, for then none is shown.
 * Returns whether there was memory. */
static bool make_model(const struct knobs *k, const struct point *p,
                       struct arena *arena, const struct model **ret)
{
    struct tree_maker maker = { .arena = arena };
    struct model *model = arena_alloc(arena, sizeof(*model));
    struct tree *document = make_map(&maker, NULL, NULL);
    struct tree *facts = make_map(&maker, document, "facts");

    if (model == NULL)
        return false;
    *model = (struct model){ .name = "example", .document = document };
    if (p->base->model != NULL)
        *model = *p->base->model;
    for (const struct tree *t = tree_first(model->facts); t != NULL;
         t = t->next)
        make_copy(&maker, facts, t->key, t);
    for (size_t i = 0; i < k->n; i++)
        if (k->items[i].kind == KNOB_FACT && p->values[i] != 0 &&
            tree_get(facts, k->items[i].name) == NULL)
            make_copy(&maker, facts, k->items[i].name,
                      k->items[i].values[p->values[i]]);
    model->facts = facts;
    *ret = p->base->model != NULL || tree_count(facts) > 0 ? model : NULL;
    return !maker.failed;
}

bool point_question(const struct knobs *k, const struct point *p,
                    struct arena *arena, struct question *ret)
{
    struct edit edits[KNOBS_MAX];
    struct deployment *dep;
    const struct tree **carried;
    size_t n = 0;

    for (size_t i = 0; i < k->n; i++)
        if (p->values[i] != 0 && k->items[i].kind != KNOB_FACT &&
            k->items[i].kind != KNOB_CARRY && k->items[i].kind != KNOB_RANKS)
            edits[n++] = edit_of(k, p, i);
    dep = (struct deployment *)deployment_edit(arena, p->base->deployment,
                                               edits, n);
    carried = arena_array(arena, k->rt->n_carries + 1, sizeof(*carried));
    *ret = (struct question){ .runtime = k->rt, .deployment = dep };
    if (dep == NULL || carried == NULL || !make_model(k, p, arena, &ret->model))
        return false;
    if (k->ranks < k->n - 1 && p->values[k->ranks] != 0)
        dep->groups[0].counted = false;
    for (size_t i = 0; i < k->rt->n_carries; i++)
        carried[i] = dep->carried[i];
    for (size_t i = 0; i < k->n; i++)
        if (p->values[i] != 0 && k->items[i].kind == KNOB_CARRY)
            carried[k->items[i].index] = k->items[i].values[p->values[i]];
    dep->carried = carried;
    return true;
}
