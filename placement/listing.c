/* SPDX-License-Identifier: Apache-2.0 */
/* The built-in lists that rules read: nodes, groups, signals and the rest. */
#include "placement/check.h"

#include <string.h>

/* A list of objects of one kind standing in an array. */
static struct value list_of(struct check *check, enum kind kind,
                            const void *array, size_t n, size_t size)
{
    struct value *items = check_alloc(check, n + 1, sizeof(*items));

    if (items == NULL)
        return value_undefined();
    for (size_t i = 0; i < n; i++)
        items[i] = value_object((uint16_t)kind, (const char *)array + i * size);
    return value_list(items, (uint32_t)n);
}

static struct value list_instances(struct check *check)
{
    struct instance_item *all;
    size_t n = 0, i = 0;

    for (size_t g = 0; g < check->dep->n_groups; g++)
        n += check->scopes[g].n_instances;
    all = check_alloc(check, n + 1, sizeof(*all));
    if (all == NULL)
        return value_undefined();
    for (size_t g = 0; g < check->dep->n_groups; g++)
        for (size_t k = 0; k < check->scopes[g].n_instances; k++)
            all[i++] = (struct instance_item){ .scope = &check->scopes[g],
                                               .index = (uint32_t)k };
    return list_of(check, KIND_INSTANCE, all, n, sizeof(*all));
}

/* ---- signals ------------------------------------------------------------- */

/* The dimension of a signal: the deployment's own addition, else the model's.
 */
static int64_t signal_dim(const struct check *check, const char *name)
{
    const struct tree *dim = NULL;

    for (size_t i = 0; i < check->rt->n_carries && dim == NULL; i++)
        if (check->rt->carries[i].merge_shard_dim)
            dim = tree_get(tree_get(check->dep->carried[i], "shard_dim"), name);
    if (dim == NULL)
        dim = tree_get(check->model->shard_dim, name);
    return dim != NULL && dim->type == TREE_INT ? dim->u.integer : -1;
}

static struct value signal_outside(struct check *check)
{
    struct placed *outside = check_outside(check);

    return outside != NULL ? value_object(KIND_PLACED, outside)
                           : value_undefined();
}

/* Where a signal's end runs in a walk. An unplaced node is undefined (another
 * finding says so); no node is outside the model. */
static struct value signal_end(struct check *check, const char *walk, int node)
{
    if (node < 0)
        return signal_outside(check);
    for (size_t i = check->n_placed; i > 0; i--) {
        struct placed *placed = &check->placed[i - 1];

        if (placed->node == &check->nodes[node] &&
            group_in_walk(placed->scope->group, walk))
            return value_object(KIND_PLACED, placed);
    }
    /* a stream's consumer may run in other walks than its producer */
    for (size_t i = check->n_placed; i > 0; i--)
        if (check->placed[i - 1].node == &check->nodes[node])
            return value_object(KIND_PLACED, &check->placed[i - 1]);
    return value_undefined();
}

static bool walk_is_served(const struct check *check, int walk)
{
    for (size_t i = 0; i < check->n_served; i++)
        if (check->served[i].walk == &check->model->walks[walk])
            return true;
    return false;
}

static struct value list_signals(struct check *check)
{
    const struct model *model = check->model;
    size_t n_signals = model != NULL ? model->n_signals : 0, n = 0;
    struct signal_item *all = check_alloc(check, n_signals + 1, sizeof(*all));

    if (all == NULL)
        return value_undefined();
    for (size_t i = 0; i < n_signals; i++) {
        const struct walk_signal *signal = &model->signals[i];
        const char *walk = model->walks[signal->walk].name;

        if (!walk_is_served(check, signal->walk))
            continue;
        all[n++] = (struct signal_item){
            .signal = signal,
            .dim = signal_dim(check, signal->name),
            .source = signal_end(check, walk, signal->from),
            .target = signal_end(check, walk, signal->to),
        };
    }
    return list_of(check, KIND_SIGNAL, all, n, sizeof(*all));
}

/* ---- resources ----------------------------------------------------------- */

static struct value placed_of(struct check *check,
                              const struct resource *resource)
{
    struct value *items =
        check_alloc(check, check->n_placed + 1, sizeof(*items));
    uint32_t n = 0;

    if (items == NULL)
        return value_undefined();
    for (size_t i = 0; i < check->n_placed; i++)
        for (size_t k = 0; k < resource->n_nodes; k++)
            if (check->placed[i].node == &check->nodes[resource->nodes[k]])
                items[n++] = value_object(KIND_PLACED, &check->placed[i]);
    return value_list(items, n);
}

static struct value strings(struct check *check, const char *const *names,
                            size_t n)
{
    struct value *items = check_alloc(check, n + 1, sizeof(*items));

    if (items == NULL)
        return value_undefined();
    for (size_t i = 0; i < n; i++)
        items[i] = value_string(names[i]);
    return value_list(items, (uint32_t)n);
}

/* The axes that split a resource's heads: its own, else all that split heads.
 */
static struct value splits_of(struct check *check,
                              const struct resource *resource)
{
    const struct runtime *rt = check->rt;
    const char *names[RUNTIME_AXES_MAX];
    size_t n = 0;

    if (resource->has_splits)
        return strings(check, resource->splits, resource->n_splits);
    for (size_t i = 0; i < rt->n_axes; i++)
        if ((rt->axes[i].splits & SPLIT_HEADS) != 0)
            names[n++] = rt->axes[i].name;
    return strings(check, names, n);
}

static struct value list_resources(struct check *check)
{
    const struct model *model = check->model;
    size_t n = model != NULL ? model->n_resources : 0;
    struct resource_item *all = check_alloc(check, n + 1, sizeof(*all));

    if (all == NULL)
        return value_undefined();
    for (size_t i = 0; i < n; i++) {
        const struct resource *resource = &model->resources[i];
        const char *names[MODEL_NODES_MAX];
        size_t n_names = 0;

        while (n_names < resource->n_nodes && n_names < MODEL_NODES_MAX) {
            names[n_names] = check->nodes[resource->nodes[n_names]].name;
            n_names++;
        }
        all[i] = (struct resource_item){
            .resource = resource,
            .placed = placed_of(check, resource),
            .nodes = strings(check, names, n_names),
            .splits = splits_of(check, resource),
        };
    }
    return list_of(check, KIND_RESOURCE, all, n, sizeof(*all));
}

/* ---- all of them --------------------------------------------------------- */

static struct value build_list(struct check *check, int slot)
{
    const struct model *model = check->model;

    switch (slot) {
    case SLOT_NODES:
        return list_of(check, KIND_NODE, check->nodes, check->n_nodes,
                       sizeof(*check->nodes));
    case SLOT_GROUPS:
        return list_of(check, KIND_GROUP, check->scopes, check->dep->n_groups,
                       sizeof(*check->scopes));
    case SLOT_PLACED:
        return list_of(check, KIND_PLACED, check->placed, check->n_placed,
                       sizeof(*check->placed));
    case SLOT_INSTANCES:
        return list_instances(check);
    case SLOT_SIGNALS:
        return list_signals(check);
    case SLOT_RESOURCES:
        return list_resources(check);
    case SLOT_STREAMS:
        return list_of(check, KIND_STREAM, model ? model->streams : NULL,
                       model ? model->n_streams : 0, sizeof(struct stream));
    case SLOT_WALKS:
        return list_of(check, KIND_WALK, model ? model->walks : NULL,
                       model ? model->n_walks : 0, sizeof(struct walk));
    case SLOT_COMBINED:
        return list_of(check, KIND_COMBINED, model ? model->combined : NULL,
                       model ? model->n_combined : 0, sizeof(struct combined));
    default:
        return value_unknown();
    }
}

struct value check_signals(struct check *check)
{
    if (check->lists[SLOT_SIGNALS].type != VALUE_LIST)
        check->lists[SLOT_SIGNALS] = list_signals(check);
    return check->lists[SLOT_SIGNALS];
}

int build_lists(struct check *check)
{
    uint32_t reads = check->rt->reads;

    if ((reads & (1u << SLOT_PLACED | 1u << SLOT_SIGNALS)) != 0)
        reads |= 1u << SLOT_RESOURCES; /* of p.resources */
    for (int slot = SLOT_NODES; slot <= SLOT_COMBINED; slot++) {
        if ((reads & 1u << slot) == 0)
            continue;
        check->lists[slot] = build_list(check, slot);
        for (size_t g = 0; g < check->dep->n_groups; g++)
            check->scopes[g].slots[slot] = check->lists[slot];
        check->global.slots[slot] = check->lists[slot];
    }
    return check->exhausted ? -1 : 0;
}

struct value check_lists(const struct environment *env, int list)
{
    struct check *check = env->arg;
    struct scope *scope =
        (struct scope *)((char *)env - offsetof(struct scope, env));
    const struct list_name *name = &check->rt->lists[list];
    struct list_item *all;
    struct lists *lists = check_alloc(check, 1, sizeof(*lists));
    uint32_t n;

    if (scope->group == NULL && check->dep->spans)
        scope = &check->scopes[0];
    if (lists == NULL || scope->group == NULL ||
        scope_lists(check, scope, name, lists) < 0)
        return value_undefined();
    n = lists_count(lists);
    all = check_alloc(check, n, sizeof(*all));
    if (all == NULL)
        return value_undefined();
    for (uint32_t i = 0; i < n; i++)
        all[i] =
            (struct list_item){ .scope = scope, .lists = lists, .index = i };
    return list_of(check, KIND_LIST, all, n, sizeof(*all));
}
