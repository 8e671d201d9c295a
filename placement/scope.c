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

static void set_common(struct check *check, struct value *slots)
{
    const struct runtime *rt = check->rt;
    const struct tree *facts = check->model ? check->model->facts : NULL;

    for (int i = 0; i < rt->n_slots; i++)
        slots[i] = value_unknown();
    if (check->model != NULL)
        slots[SLOT_MODEL] = value_string(check->model->name);
    for (size_t i = 0; i < rt->n_facts; i++)
        slots[rt->facts[i].slot] =
            value_of_tree(tree_get(facts, rt->facts[i].name), check->arena);
    for (size_t i = 0; i < rt->n_carries; i++)
        if (rt->carries[i].slot >= 0)
            slots[rt->carries[i].slot] =
                value_of_tree(check->dep->carried[i], check->arena);
    for (size_t i = 0; i < rt->n_symbols; i++)
        if (rt->symbols[i].kind == SYMBOL_TABLE)
            slots[rt->symbols[i].slot] =
                value_of_tree(rt->tables[rt->symbols[i].index], check->arena);
    /* an absent map that is carried is empty */
    for (size_t i = 0; i < rt->n_carries; i++)
        if (rt->carries[i].slot >= 0 && check->dep->carried[i] == NULL &&
            rt->carries[i].types == 1u << TREE_MAP) {
            static const struct tree empty = { .type = TREE_MAP };

            slots[rt->carries[i].slot] = value_of_tree(&empty, check->arena);
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
}

static void compute_option(const struct check *check, struct scope *scope,
                           int index)
{
    const struct option *option = &check->rt->options[index];
    const struct tree *given = check->dep->options[index];

    if (given == NULL)
        given = option->literal;
    if (given == NULL && option->initial != NULL)
        scope->slots[option->slot] =
            expression_eval(option->initial, &scope->env);
    else
        scope->slots[option->slot] = value_of_tree(given, check->arena);
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

static void compute(const struct check *check, struct scope *scope)
{
    const struct runtime *rt = check->rt;

    for (size_t i = 0; i < rt->n_computed; i++) {
        int index = rt->computed[i].index;

        switch (rt->computed[i].kind) {
        case SYMBOL_AXIS:
            compute_axis(check, scope, index);
            break;
        case SYMBOL_OPTION:
            compute_option(check, scope, index);
            break;
        case SYMBOL_DERIVED:
            scope->slots[rt->derived[index].slot] =
                derived_value(scope, &rt->derived[index]);
            break;
        case SYMBOL_BUILTIN:
        case SYMBOL_FACT:
        case SYMBOL_CARRY:
        case SYMBOL_TABLE:
            break;
        }
    }
}

/* ---- scopes -------------------------------------------------------------- */

static int scope_open(struct check *check, struct scope *scope,
                      const struct value *common)
{
    size_t bytes = (size_t)check->rt->n_slots * sizeof(*common);

    scope->slots =
        check_alloc(check, (size_t)check->rt->n_slots, sizeof(*common));
    scope->views =
        check_alloc(check, check->rt->n_views, sizeof(*scope->views));
    if (scope->slots == NULL || scope->views == NULL)
        return -1;
    memcpy(scope->slots, common, bytes);
    scope->env = (struct environment){ .slots = scope->slots,
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
    const struct view *view = scope_first_view(check, scope);
    size_t n = scope->group->n_ranks;

    if (check->dep->spans) {
        scope->instance = (uint32_t)n;
        scope->n_instances = n > 0;
        return;
    }
    if (view == NULL)
        return;
    scope->instance = view->span;
    if (n % view->span == 0)
        scope->n_instances = n / view->span;
}

static int scope_init(struct check *check, struct scope *scope,
                      const struct node_group *group,
                      const struct value *common)
{
    struct value offset = value_int(0);

    if (scope_open(check, scope, common) < 0)
        return -1;
    scope->group = group;
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

/* The scope of what leaves the model: every axis 1. */
static int outside_init(struct check *check, const struct value *common)
{
    struct scope *scope = check_alloc(check, 1, sizeof(*scope));
    struct node_group *group = check_alloc(check, 1, sizeof(*group));
    struct node *node = check_alloc(check, 1, sizeof(*node));

    if (scope == NULL || group == NULL || node == NULL)
        return -1;
    group->index = -1;
    group->n_ranks = 1;
    *node = (struct node){ .name = "outside", .index = -1 };
    check->outside = (struct placed){ .node = node, .scope = scope };
    if (scope_open(check, scope, common) < 0)
        return -1;
    scope->group = group;
    scope->instance = 1;
    scope->slots[SLOT_WORLD] = value_int(1);
    scope->slots[SLOT_AXES_ABOVE_ONE] = value_int(0);
    for (size_t i = 0; i < check->rt->n_axes; i++)
        group->sizes[i] = (struct given){ .has = true, .value = 1 };
    compute(check, scope);
    return 0;
}

int scopes_init(struct check *check)
{
    const struct deployment *dep = check->dep;
    struct value *common =
        check_alloc(check, (size_t)check->rt->n_slots, sizeof(*common));

    check->scopes = check_alloc(check, dep->n_groups, sizeof(*check->scopes));
    if (common == NULL || check->scopes == NULL)
        return -1;
    set_common(check, common);
    for (size_t g = 0; g < dep->n_groups; g++)
        if (scope_init(check, &check->scopes[g], &dep->groups[g], common) < 0)
            return -1;
    if (scope_open(check, &check->global,
                   dep->spans ? check->scopes[0].slots : common) < 0)
        return -1;
    for (size_t i = 0; !dep->spans && i < check->rt->n_options; i++)
        compute_option(check, &check->global, (int)i);
    return outside_init(check, common);
}

uint32_t scope_size(const struct check *check, const struct scope *scope,
                    int axis)
{
    int64_t size;

    if (!value_to_int(scope->slots[check->rt->axes[axis].slot], &size))
        return 0;
    return (uint32_t)size;
}
