/* SPDX-License-Identifier: Apache-2.0 */
/* Structure checks of the request's numbers: sizes, ranks, world, axis sets. */
#include "placement/structure_checks.h"

/* ---- sizes --------------------------------------------------------------- */

static void check_size(struct check *check, const struct scope *scope, int axis)
{
    const struct given *given = &scope->group->sizes[axis];
    bool large = given->value > VIEW_SPAN_MAX;
    struct finding *f;

    if ((scope->bad_axes & 1u << axis) == 0)
        return;
    f = check_fault(check, large ? FAULT_SIZE_TOO_LARGE : FAULT_SIZE_BELOW_ONE);
    f->group = scope->group->index;
    f->axis = axis;
    f->a = given->value;
    f->b = VIEW_SPAN_MAX;
}

/* An axis that is not there under the other settings, but has a size. */
static void check_absent(struct check *check, const struct scope *scope,
                         int index)
{
    const struct axis *axis = &check->rt->axes[index];
    const struct given *given = &scope->group->sizes[index];
    struct finding *f;

    if (axis->when == NULL || !given->has || given->value == 1 ||
        value_is_true(expression_eval(axis->when, &scope->env)))
        return;
    f = check_fault(check, FAULT_AXIS_ABSENT);
    f->group = scope->group->index;
    f->axis = index;
    f->a = given->value;
}

static void check_option(struct check *check, int index, enum fault fault)
{
    const struct option *option = &check->rt->options[index];
    const struct tree *given = check->dep->options[index];
    struct finding *f;

    if (given == NULL || option->one_of == NULL)
        return;
    for (const struct tree *t = tree_first(option->one_of); t != NULL;
         t = t->next)
        if (value_equal(value_of_tree(t, check->arena),
                        value_of_tree(given, check->arena)))
            return;
    f = check_fault(check, fault);
    f->name = option->field;
    f->at = given->parent;
    f->a = index;
}

void structure_sizes(struct check *check, const struct rule *rule)
{
    for (size_t g = 0; g < check->dep->n_groups && !check_done(check); g++)
        for (size_t a = 0; a < check->rt->n_axes; a++) {
            if ((rule->except & 1u << a) != 0)
                continue;
            check_size(check, &check->scopes[g], (int)a);
            check_absent(check, &check->scopes[g], (int)a);
        }
    for (size_t i = 0; i < check->rt->n_options; i++)
        if (check->dep->options[i] != NULL &&
            !check->rt->options[i].checked_apart)
            check_option(check, (int)i, FAULT_OPTION_NOT_ALLOWED);
}

void structure_options(struct check *check, const struct rule *rule)
{
    check_option(check, rule->option, FAULT_OPTION_APART);
}

/* ---- ranks --------------------------------------------------------------- */

static struct finding *rank_fault(struct check *check,
                                  const struct scope *scope, enum fault fault)
{
    struct finding *f = check_fault(check, fault);

    f->group = scope->group->index;
    return f;
}

/* Whether all ranks are in 0..VIEW_SPAN_MAX-1. */
static bool ranks_in_range(struct check *check, const struct scope *scope)
{
    const struct node_group *group = scope->group;

    for (size_t i = 0; i < group->n_ranks; i++) {
        int64_t rank = group->ranks[i];
        struct finding *f;

        if (rank >= 0 && rank < VIEW_SPAN_MAX)
            continue;
        f = rank_fault(check, scope,
                       rank < 0 ? FAULT_RANKS_NEGATIVE : FAULT_RANKS_TOO_LARGE);
        f->a = rank;
        f->b = VIEW_SPAN_MAX - 1;
        return false;
    }
    return true;
}

static bool ascends(const uint32_t *ranks, size_t n)
{
    for (size_t i = 1; i < n; i++)
        if (ranks[i - 1] >= ranks[i])
            return false;
    return true;
}

/* Whether no rank stands twice in the whole list. */
static bool ranks_distinct(struct check *check, const struct scope *scope)
{
    size_t n = scope->group->n_ranks, i;
    uint32_t *seen_at; /* position + 1, by rank; 0 between the groups */

    if (ascends(scope->ranks, n))
        return true;
    if (check->seen_at == NULL)
        check->seen_at =
            check_alloc(check, VIEW_SPAN_MAX, sizeof(*check->seen_at));
    seen_at = check->seen_at;
    if (seen_at == NULL)
        return false;
    for (i = 0; i < n && seen_at[scope->ranks[i]] == 0; i++)
        seen_at[scope->ranks[i]] = (uint32_t)i + 1;
    if (i < n) {
        struct finding *f = rank_fault(check, scope, FAULT_RANKS_DUPLICATE);

        f->rank = scope->ranks[i];
        f->a = seen_at[scope->ranks[i]] - 1;
        f->b = (int64_t)i;
    }
    for (size_t k = 0; k < i; k++)
        seen_at[scope->ranks[k]] = 0;
    return i == n;
}

/* Whether every instance lists its ranks in ascending order. */
static bool ranks_in_order(struct check *check, const struct scope *scope)
{
    for (size_t k = 0; k < scope->n_instances; k++) {
        const uint32_t *ranks = scope->ranks + k * scope->instance;

        for (uint32_t i = 1; i < scope->instance; i++) {
            struct finding *f;

            if (ranks[i - 1] < ranks[i])
                continue;
            f = rank_fault(check, scope, FAULT_RANKS_OUT_OF_ORDER);
            f->instance = (int)k;
            f->a = ranks[i - 1];
            f->b = ranks[i];
            return false;
        }
    }
    return true;
}

static void check_ranks(struct check *check, struct scope *scope)
{
    const struct node_group *group = scope->group;
    struct finding *f;
    bool distinct;

    if (group->n_ranks == 0) {
        f = rank_fault(check, scope, FAULT_RANKS_EMPTY);
        f->b = scope->instance;
        return;
    }
    if (!ranks_in_range(check, scope))
        return;
    if (scope->n_instances == 0 &&
        (scope->instance > 0 || scope->views[0].product > 0)) {
        f = rank_fault(check, scope, FAULT_RANKS_NOT_MULTIPLE);
        f->a = (int64_t)group->n_ranks;
        f->b = scope->instance > 0 ? scope->instance : scope->views[0].product;
    }
    distinct = ranks_distinct(check, scope);
    scope->good_ranks =
        distinct && ranks_in_order(check, scope) && scope->n_instances > 0;
}

void structure_ranks(struct check *check, const struct rule *rule)
{
    (void)rule;
    for (size_t g = 0; g < check->dep->n_groups && !check_done(check); g++) {
        struct scope *scope = &check->scopes[g];

        if (scope->group->ranks == NULL && !scope->group->has_ranks)
            continue; /* a missing key says so */
        if (check->dep->spans)
            scope->good_ranks = scope->n_instances > 0;
        else
            check_ranks(check, scope);
    }
}

/* ---- world, product, axis sets ------------------------------------------- */

void structure_world(struct check *check, const struct rule *rule)
{
    (void)rule;
    if (check->dep->spans &&
        (!check->dep->world.has || check->dep->world.value < 1))
        check_fault(check, FAULT_WORLD_MISSING)->a = check->dep->world.value;
}

void structure_product(struct check *check, const struct rule *rule)
{
    const struct runtime *rt = check->rt;

    if (!check->dep->spans)
        return;
    for (size_t v = 0; v < rt->n_views; v++) {
        struct scope *scope = &check->scopes[0];
        bool named = rule->n_views == 0;
        struct finding *f;

        for (size_t i = 0; i < rule->n_views; i++)
            named |= rule->views[i] == (int)v;
        if (!named || scope_view(check, scope, (int)v) != NULL ||
            scope->views[v].product == 0 ||
            scope->views[v].order_fault != ORDER_GOOD)
            continue;
        f = check_fault(check, FAULT_PRODUCT_DIFFERS);
        f->name = rt->views[v].name;
        f->a = scope->views[v].product;
        f->b = scope->views[v].wanted;
    }
}

static void check_axes_together(struct check *check, const struct scope *scope)
{
    const struct runtime *rt = check->rt;
    const struct axis_set *refused = NULL;
    struct finding *f;
    uint32_t above = 0;
    bool lists_allowed = false;

    for (size_t a = 0; a < rt->n_axes; a++)
        if (scope_size(check, scope, (int)a) > 1)
            above |= 1u << a;
    if ((above & (above - 1)) == 0)
        return; /* one axis at most */
    for (size_t i = 0; i < rt->n_axis_sets; i++) {
        const struct axis_set *set = &rt->axis_sets[i];

        lists_allowed |= !set->refused;
        if (!set->refused && (above & ~set->axes) == 0)
            return;
        if (set->refused && (set->axes & ~above) == 0 &&
            (!set->exact || set->axes == above) && refused == NULL)
            refused = set;
    }
    if (refused == NULL && !lists_allowed)
        return;
    f = check_fault(check, FAULT_AXES_TOGETHER);
    f->group = scope->group->index;
    f->set = refused;
    f->a = above;
    if (refused != NULL && refused->code != NULL)
        f->code = refused->code;
}

void structure_axis_sets(struct check *check, const struct rule *rule)
{
    (void)rule;
    for (size_t g = 0; g < check->dep->n_groups && !check_done(check); g++)
        check_axes_together(check, &check->scopes[g]);
}
