/* SPDX-License-Identifier: Apache-2.0 */
/* The names and sizes of each node group, and its views and group lists. */
#include "placement/check.h"

#include <string.h>

#include "placement/items.h"

void *check_alloc(struct check *check, size_t count, size_t size)
{
    void *memory = arena_array(check->arena, count, size);

    if (memory == NULL)
        check->exhausted = true;
    return memory;
}

/* ---- values that are the same in every scope ----------------------------- */

/* Notes whether the input with this bit (-1: none) is at rest. Only a verdict
 * alone makes use of it, so that a full check can be compared with one. */
static void note_rest(const struct check *check, int bit, struct value v,
                      uint64_t *at_rest)
{
    const struct value *rest;

    if (bit < 0 || (check->flags & CHECK_VERDICT_ONLY) == 0)
        return;
    rest = &check->rt->rests[bit];
    *at_rest &= ~(UINT64_C(1) << bit);
    if (v.type == rest->type &&
        (v.type == VALUE_INT ? v.u.integer == rest->u.integer
                             : value_equal(v, *rest)))
        *at_rest |= UINT64_C(1) << bit;
}

static void set_facts(struct check *check, struct value *slots,
                      uint64_t *at_rest)
{
    const struct model *model = check->model;
    const struct symbol *symbol;

    if (model == NULL)
        return;
    for (const struct tree *t = tree_first(model->facts); t != NULL;
         t = t->next) {
        symbol = runtime_symbol(check->rt, t->key);
        if (symbol == NULL || symbol->kind != SYMBOL_FACT)
            continue;
        slots[symbol->slot] = value_of_tree(t, check->arena);
        note_rest(check, check->rt->facts[symbol->index].rest,
                  slots[symbol->slot], at_rest);
    }
}

static void set_common(struct check *check, struct value *slots,
                       uint64_t *at_rest)
{
    const struct runtime *rt = check->rt;

    memcpy(slots, rt->initial, (size_t)rt->n_slots * sizeof(*slots));
    if ((check->flags & CHECK_VERDICT_ONLY) != 0)
        *at_rest = rt->rest_absent;
    if (check->model != NULL)
        slots[SLOT_MODEL] = value_string(check->model->name);
    set_facts(check, slots, at_rest);
    for (size_t i = 0; i < rt->n_carries; i++)
        if (rt->carries[i].slot >= 0 && check->dep->carried[i] != NULL)
            slots[rt->carries[i].slot] =
                value_of_tree(check->dep->carried[i], check->arena);
    for (size_t i = 0; i < rt->n_options; i++) {
        const struct option *option = &rt->options[i];

        if (check->dep->options[i] == NULL)
            continue;
        slots[option->slot] =
            value_of_tree(check->dep->options[i], check->arena);
        note_rest(check, option->rest, slots[option->slot], at_rest);
    }
}

/* ---- values computed in each scope --------------------------------------- */

/* The size of an axis: given, else filled in, else its default, else 1. */
static struct value axis_value(const struct scope *scope,
                               const struct axis *axis,
                               const struct given *given)
{
    bool is_filled = axis->fill != NULL && axis->has_fill_on && given->has &&
                     given->value == axis->fill_on;

    if (axis->when != NULL) {
        struct value when = expression_eval(axis->when, &scope->env);

        if (when.state != VALUE_KNOWN)
            return when;
        if (!value_is_true(when))
            return value_int(1);
    }
    if (given->has && !is_filled)
        return value_int(given->value);
    if (is_filled || axis->fill != NULL)
        return expression_eval(axis->fill, &scope->env);
    if (axis->initial != NULL)
        return expression_eval(axis->initial, &scope->env);
    return value_int(1);
}

static void compute_axis(const struct check *check, struct scope *scope,
                         int index)
{
    const struct axis *axis = &check->rt->axes[index];
    const struct given *given = &scope->group->sizes[index];
    struct value v = axis_value(scope, axis, given);
    int64_t size;

    if (value_to_int(v, &size)) {
        if (size < 1 || size > VIEW_SPAN_MAX) {
            v = value_undefined();
            if (given->has)
                scope->bad_axes |= 1u << index;
        } else if (size > 1) {
            scope->slots[SLOT_AXES_ABOVE_ONE].u.integer++;
        }
    }
    scope->slots[axis->slot] = v;
    note_rest(check, axis->rest, v, &scope->at_rest);
}

/* The first alternative whose condition holds; a condition that is not known
 * leaves the value not known either. */
static struct value derived_value(const struct scope *scope,
                                  const struct derived *derived)
{
    for (size_t i = 0; i < derived->n_alternatives; i++) {
        const struct alternative *a = &derived->alternatives[i];
        struct value when = value_bool(true);

        if (a->when != NULL)
            when = expression_eval(a->when, &scope->env);
        if (when.state != VALUE_KNOWN)
            return when;
        if (value_is_true(when))
            return expression_eval(a->value, &scope->env);
    }
    return value_undefined();
}

/* A derived value, or the default of an option. */
static struct value computed_value(const struct check *check,
                                   const struct scope *scope,
                                   const struct symbol *symbol)
{
    const struct runtime *rt = check->rt;

    if (symbol->kind == SYMBOL_OPTION) {
        const struct option *option = &rt->options[symbol->index];

        return spare_holds(&option->spare, scope->at_rest)
                   ? option->spared
                   : expression_eval(option->initial, &scope->env);
    }
    return spare_holds(&rt->derived[symbol->index].spare, scope->at_rest)
               ? rt->derived[symbol->index].rest
               : derived_value(scope, &rt->derived[symbol->index]);
}

static struct value compute_pending(const struct environment *env, int slot)
{
    struct check *check = env->arg;
    struct scope *scope =
        (struct scope *)((char *)env - offsetof(struct scope, env));

    check->n_computed++;
    scope->slots[slot] =
        computed_value(check, scope, runtime_symbol_at(check->rt, slot));
    return scope->slots[slot];
}

static int computed_slot(const struct runtime *rt,
                         const struct computed *computed)
{
    return computed->kind == SYMBOL_OPTION ? rt->options[computed->index].slot
                                           : rt->derived[computed->index].slot;
}

/* For a verdict alone derived values stay pending: most are never read. */
static void compute(const struct check *check, struct scope *scope)
{
    const struct runtime *rt = check->rt;

    for (size_t i = 0; i < rt->n_computed; i++) {
        const struct computed *computed = &rt->computed[i];

        if (computed->kind == SYMBOL_AXIS)
            compute_axis(check, scope, computed->index);
        else if ((check->flags & CHECK_VERDICT_ONLY) == 0)
            scope_value(scope, computed_slot(rt, computed));
    }
}

/* ---- scopes -------------------------------------------------------------- */

/* group: NULL for the global scope. slots: the scope's own from now on. */
static int scope_open(struct check *check, struct scope *scope,
                      const struct node_group *group, struct value *slots)
{
    scope->group = group;
    scope->slots = slots;
    if (group != NULL)
        scope->views =
            check_alloc(check, check->rt->n_views, sizeof(*scope->views));
    if (slots == NULL || (group != NULL && scope->views == NULL))
        return -1;
    scope->env = (struct environment){ .slots = scope->slots,
                                       .pending = compute_pending,
                                       .member = item_value,
                                       .lists = check_lists,
                                       .arena = check->arena,
                                       .budget = &check->budget,
                                       .arg = check };
    return 0;
}

/* Ranks of all instances as numbers; what is out of range reads as 0 and is
 * refused by the ranks check. */
static int copy_ranks(struct check *check, struct scope *scope)
{
    const struct node_group *group = scope->group;
    uint32_t *ranks;

    if (group->ranks == NULL)
        return 0;
    ranks = check_alloc(check, group->n_ranks + 1, sizeof(*ranks));
    if (ranks == NULL)
        return -1;
    for (size_t i = 0; i < group->n_ranks; i++)
        if (group->ranks[i] >= 0 && group->ranks[i] < VIEW_SPAN_MAX)
            ranks[i] = (uint32_t)group->ranks[i];
    scope->ranks = ranks;
    return 0;
}

static void count_instances(struct check *check, struct scope *scope)
{
    size_t n = scope->group->n_ranks;
    const struct view *view;

    if (check->dep->spans) {
        scope->instance = (uint32_t)n;
        scope->n_instances = n > 0;
        return;
    }
    view = scope_first_view(check, scope);
    if (view == NULL)
        return;
    scope->instance = view->span;
    if (n % view->span == 0)
        scope->n_instances = n / view->span;
}

static int scope_init(struct check *check, struct scope *scope,
                      const struct node_group *group, struct value *slots)
{
    struct value offset = value_int(0);

    if (scope_open(check, scope, group, slots) < 0)
        return -1;
    scope->at_rest = check->at_rest;
    if (!check->dep->spans || check->dep->world.has)
        scope->slots[SLOT_WORLD] = value_int((int64_t)group->n_ranks);
    scope->slots[SLOT_AXES_ABOVE_ONE] = value_int(0);
    scope->slots[SLOT_GIVEN] = value_object(KIND_GIVEN, group);
    compute(check, scope);
    if (check->rt->offset != NULL)
        offset = expression_eval(check->rt->offset, &scope->env);
    scope->bad_offset = offset.state != VALUE_KNOWN || offset.u.integer < 0 ||
                        offset.u.integer >= VIEW_SPAN_MAX;
    if (!scope->bad_offset)
        scope->offset = (uint32_t)offset.u.integer;
    if (check->rt->expert_blocks != NULL)
        value_to_int(expression_eval(check->rt->expert_blocks, &scope->env),
                     &scope->expert_blocks);
    if (copy_ranks(check, scope) < 0)
        return -1;
    count_instances(check, scope);
    return 0;
}

static struct value *copy_slots(struct check *check, const struct value *slots)
{
    size_t n = (size_t)check->rt->n_slots;
    struct value *copy = check_alloc(check, n, sizeof(*copy));

    if (copy != NULL)
        memcpy(copy, slots, n * sizeof(*copy));
    return copy;
}

struct placed *check_outside(struct check *check)
{
    struct scope *scope;
    struct node_group *group;
    struct node *node;
    struct placed *outside;
    struct value *slots;

    if (check->outside != NULL)
        return check->outside;
    scope = check_alloc(check, 1, sizeof(*scope));
    group = check_alloc(check, 1, sizeof(*group));
    node = check_alloc(check, 1, sizeof(*node));
    outside = check_alloc(check, 1, sizeof(*outside));
    slots = check_alloc(check, (size_t)check->rt->n_slots, sizeof(*slots));
    if (scope == NULL || group == NULL || node == NULL || outside == NULL ||
        slots == NULL || scope_open(check, scope, group, slots) < 0)
        return NULL;
    set_common(check, slots, &scope->at_rest);
    group->index = -1;
    group->n_ranks = 1;
    *node = (struct node){ .name = "outside", .index = -1 };
    *outside = (struct placed){ .node = node, .scope = scope };
    scope->instance = 1;
    scope->slots[SLOT_WORLD] = value_int(1);
    scope->slots[SLOT_AXES_ABOVE_ONE] = value_int(0);
    for (size_t i = 0; i < check->rt->n_axes; i++)
        group->sizes[i] = (struct given){ .has = true, .value = 1 };
    compute(check, scope);
    check->outside = outside;
    return outside;
}

/* Outside of a group there are no sizes, but options. */
static void global_values(struct check *check)
{
    const struct runtime *rt = check->rt;
    struct scope *global = &check->global;

    for (size_t i = 0; i < rt->n_derived; i++)
        global->slots[rt->derived[i].slot] = value_unknown();
    for (size_t i = 0; i < rt->n_options; i++)
        if ((check->flags & CHECK_VERDICT_ONLY) == 0)
            scope_value(global, rt->options[i].slot);
}

/* One group that spans the world has the slots of the global scope: no other
 * group could differ. */
int scopes_init(struct check *check)
{
    const struct deployment *dep = check->dep;
    struct value *common =
        check_alloc(check, (size_t)check->rt->n_slots, sizeof(*common));

    check->scopes = check_alloc(check, dep->n_groups, sizeof(*check->scopes));
    if (common == NULL || check->scopes == NULL)
        return -1;
    set_common(check, common, &check->at_rest);
    for (size_t g = 0; g < dep->n_groups; g++) {
        struct value *slots = dep->spans ? common : copy_slots(check, common);

        if (scope_init(check, &check->scopes[g], &dep->groups[g], slots) < 0)
            return -1;
    }
    if (scope_open(check, &check->global, NULL, common) < 0)
        return -1;
    check->global.at_rest = check->at_rest;
    if (dep->spans)
        check->at_rest = check->scopes[0].at_rest;
    else
        global_values(check);
    return 0;
}

uint32_t scope_size(const struct check *check, const struct scope *scope,
                    int axis)
{
    int64_t size;

    if (!value_to_int(scope->slots[check->rt->axes[axis].slot], &size))
        return 0;
    return (uint32_t)size;
}
