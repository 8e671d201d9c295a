/* SPDX-License-Identifier: Apache-2.0 */
/* Structure checks of the request itself: keys, model, sizes, ranks. */
#include "placement/structure_checks.h"

#include <string.h>

/* ---- keys ---------------------------------------------------------------- */

static void missing(struct check *check, const struct tree *at,
                    const char *name)
{
    struct finding *f = check_fault(check, FAULT_KEY_MISSING);

    f->at = at;
    f->name = name;
}

static void missing_keys(struct check *check)
{
    const struct runtime *rt = check->rt;
    const struct deployment *dep = check->dep;

    for (size_t i = 0; i < rt->n_carries; i++)
        if (rt->carries[i].required && !rt->carries[i].in_group &&
            dep->carried[i] == NULL)
            missing(check, dep->document, rt->carries[i].name);
    if (dep->spans)
        return;
    if (!dep->has_groups || dep->n_groups == 0)
        missing(check, dep->document, "node_groups");
    for (size_t g = 0; g < dep->n_groups; g++) {
        const struct node_group *group = &dep->groups[g];

        if (group->n_node_names == 0 && !rt->spans)
            missing(check, group->at, "node_names");
        if (!group->has_ranks)
            missing(check, group->at, "ranks");
        for (size_t i = 0; i < rt->n_carries; i++)
            if (rt->carries[i].required && rt->carries[i].in_group &&
                tree_get(group->at, rt->carries[i].name) == NULL)
                missing(check, group->at, rt->carries[i].name);
    }
}

static void warned_keys(struct check *check)
{
    const struct runtime *rt = check->rt;

    for (size_t i = 0; i < rt->n_carries; i++) {
        const struct carry *carry = &rt->carries[i];
        struct finding *f;

        if (carry->warn == NULL || check->dep->carried[i] == NULL)
            continue;
        f = check_fault(check, FAULT_KEY_WARNED);
        f->at = check->dep->document;
        f->name = carry->name;
        f->near = carry->warn;
        if (carry->code != NULL)
            f->code = carry->code;
    }
}

/* Whether a fact has a type that the runtime reads. */
static void check_fact(struct check *check, const struct node *node,
                       const struct tree *fact)
{
    const struct symbol *symbol = runtime_symbol(check->rt, fact->key);
    struct value v = value_of_tree(fact, check->arena);
    struct text expected = { 0 };
    struct finding *f;

    if (symbol == NULL || symbol->kind != SYMBOL_FACT ||
        v.state != VALUE_KNOWN || (v.type & symbol->shape.types) != 0)
        return;
    f = check_fault(check, FAULT_FACT_WRONG);
    f->node = node;
    f->name = fact->key;
    value_types_print(symbol->shape.types, &expected);
    f->near = arena_printf(check->arena, "%s, and must be: %s",
                           tree_type_name(fact->type), text_string(&expected));
    text_close(&expected);
}

static void check_facts(struct check *check)
{
    const struct model *model = check->model;

    if (model == NULL)
        return;
    for (const struct tree *t = tree_first(model->facts); t != NULL;
         t = t->next)
        check_fact(check, NULL, t);
    for (size_t i = 0; i < model->n_nodes; i++)
        for (const struct tree *t = tree_first(model->nodes[i].facts);
             t != NULL; t = t->next)
            check_fact(check, &model->nodes[i], t);
}

/* Axes of nodes that the runtime does not have. */
static void warn_node_axes(struct check *check)
{
    const struct runtime *rt = check->rt;
    const char *names[RUNTIME_AXES_MAX];

    for (size_t a = 0; a < rt->n_axes; a++)
        names[a] = rt->axes[a].name;
    for (size_t i = 0; check->model != NULL && i < check->model->n_nodes; i++) {
        const struct node *node = &check->model->nodes[i];

        for (const struct tree *t = tree_first(node->axes); t != NULL;
             t = t->next) {
            struct finding *f;

            if (runtime_axis(rt, t->key) >= 0)
                continue;
            f = check_fault(check, FAULT_NODE_AXIS_UNKNOWN);
            f->node = node;
            f->name = t->key;
            f->near = text_nearest(t->key, names, rt->n_axes);
        }
    }
}

static void warn_shard_dim(struct check *check, const struct tree *map)
{
    const struct model *model = check->model;
    const char **names =
        check_alloc(check, model->n_signals + 1, sizeof(*names));

    if (names == NULL)
        return;
    for (const struct tree *t = tree_first(map); t != NULL; t = t->next) {
        bool known = false;
        struct finding *f;

        for (size_t i = 0; i < model->n_signals; i++) {
            known |= strcmp(model->signals[i].name, t->key) == 0;
            names[i] = model->signals[i].name;
        }
        if (known)
            continue;
        f = check_fault(check, FAULT_SIGNAL_UNKNOWN);
        f->name = t->key;
        f->near = text_nearest(t->key, names, model->n_signals);
    }
}

static void warn_signals(struct check *check)
{
    const struct runtime *rt = check->rt;

    if (check->model == NULL || check->model->n_walks == 0)
        return;
    warn_shard_dim(check, check->model->shard_dim);
    for (size_t i = 0; i < rt->n_carries; i++)
        if (rt->carries[i].merge_shard_dim)
            warn_shard_dim(check,
                           tree_get(check->dep->carried[i], "shard_dim"));
}

static void unused_facts(struct check *check, const struct node *node,
                         const struct tree *facts)
{
    const struct runtime *rt = check->rt;

    for (const struct tree *t = tree_first(facts); t != NULL; t = t->next) {
        const struct symbol *symbol = runtime_symbol(rt, t->key);
        const char *names[RUNTIME_NAMES_MAX];
        struct finding *f;

        if (symbol != NULL && symbol->kind == SYMBOL_FACT)
            continue;
        for (size_t i = 0; i < rt->n_facts; i++)
            names[i] = rt->facts[i].name;
        f = check_fault(check, FAULT_FACT_UNUSED);
        f->node = node;
        f->name = t->key;
        f->near = text_nearest(t->key, names, rt->n_facts);
    }
}

static void all_unused_facts(struct check *check)
{
    const struct model *model = check->model;

    if (model == NULL)
        return;
    unused_facts(check, NULL, model->facts);
    for (size_t i = 0; i < model->n_nodes; i++)
        unused_facts(check, &model->nodes[i], model->nodes[i].facts);
}

/* Axes that a resource's `splits` names and the runtime does not have. */
static void warn_splits(struct check *check)
{
    const struct model *model = check->model;

    for (size_t r = 0; model != NULL && r < model->n_resources; r++) {
        const struct resource *resource = &model->resources[r];

        for (size_t i = 0; i < resource->n_splits; i++) {
            struct finding *f;

            if (runtime_axis(check->rt, resource->splits[i]) >= 0)
                continue;
            f = check_fault(check, FAULT_SPLIT_UNKNOWN);
            f->name = resource->key;
            f->near = resource->splits[i];
        }
    }
}

void structure_keys(struct check *check, const struct rule *rule)
{
    const struct deployment *dep = check->dep;

    (void)rule;
    missing_keys(check);
    for (size_t i = 0; i < dep->n_unknown; i++) {
        struct finding *f = check_fault(check, FAULT_KEY_UNKNOWN);

        f->at = dep->unknown[i].at->parent;
        f->name = dep->unknown[i].at->key;
        f->near = dep->unknown[i].nearest;
    }
    check_facts(check);
    if ((check->flags & CHECK_VERDICT_ONLY) != 0)
        return;
    warned_keys(check);
    all_unused_facts(check);
    warn_splits(check);
    warn_node_axes(check);
    warn_signals(check);
}

/* ---- model --------------------------------------------------------------- */

void structure_model(struct check *check, const struct rule *rule)
{
    const struct question *q = &check->question;
    struct finding *f;

    (void)rule;
    if (check->dep->model == NULL) {
        if (!check->dep->spans)
            missing(check, check->dep->document, "model");
        return;
    }
    if (check->model != NULL)
        return;
    f = check_fault(check, FAULT_MODEL_UNKNOWN);
    f->name = check->dep->model;
    f->near = text_nearest(check->dep->model, q->model_names, q->n_model_names);
}

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

static void check_option(struct check *check, int index)
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
    f = check_fault(check, FAULT_OPTION_NOT_ALLOWED);
    f->name = option->name;
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
        check_option(check, (int)i);
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
            scope->views[v].product == 0)
            continue;
        f = check_fault(check, FAULT_PRODUCT_DIFFERS);
        f->name = rt->views[v].name;
        f->a = scope->views[v].product;
        f->b = (int64_t)scope->group->n_ranks;
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
        if (set->refused && (set->axes & ~above) == 0 && refused == NULL)
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
