/* SPDX-License-Identifier: Apache-2.0 */
/* Structure checks of names: keys of the request, facts, the model. */
#include "placement/structure_checks.h"

#include <string.h>

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
