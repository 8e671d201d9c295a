/* SPDX-License-Identifier: Apache-2.0 */
/* Reading the members of items. */
#include "placement/items_get.h"

static struct value names_value(const struct check *check,
                                const char *const *names, size_t n)
{
    struct value *items = arena_array(check->arena, n + 1, sizeof(*items));

    if (items == NULL || n > EXPRESSION_LIST_MAX)
        return value_undefined();
    for (size_t i = 0; i < n; i++)
        items[i] = value_string(names[i]);
    return value_list(items, (uint32_t)n);
}

static struct value nodes_value(const struct check *check, const int *nodes,
                                size_t n)
{
    struct value *items = arena_array(check->arena, n + 1, sizeof(*items));

    if (items == NULL)
        return value_undefined();
    for (size_t i = 0; i < n; i++)
        items[i] = value_string(check->nodes[nodes[i]].name);
    return value_list(items, (uint32_t)n);
}

/* ---- getters ------------------------------------------------------------- */

struct value node_name(const struct check *check, const void *object)
{
    const struct node *node = object;

    (void)check;
    return value_string(node->name);
}

struct value node_axes(const struct check *check, const void *object)
{
    const struct node *node = object;
    static const struct tree none = { .type = TREE_MAP };

    return value_of_tree(node->axes != NULL ? node->axes : &none, check->arena);
}

struct value node_is_placed(const struct check *check, const void *object)
{
    for (size_t i = 0; i < check->n_placed; i++)
        if (check->placed[i].node == object)
            return value_bool(true);
    return value_bool(false);
}

struct value group_index(const struct check *check, const void *object)
{
    const struct scope *scope = object;

    (void)check;
    return value_int(scope->group->index);
}

struct value group_nodes(const struct check *check, const void *object)
{
    const struct scope *scope = object;

    return names_value(check, scope->group->node_names,
                       scope->group->n_node_names);
}

struct value group_ranks(const struct check *check, const void *object)
{
    const struct scope *scope = object;

    (void)check;
    return value_int((int64_t)scope->group->n_ranks);
}

struct value group_instances(const struct check *check, const void *object)
{
    const struct scope *scope = object;

    (void)check;
    if (scope->n_instances == 0)
        return value_undefined();
    return value_int((int64_t)scope->n_instances);
}

struct value group_span(const struct check *check, const void *object)
{
    const struct scope *scope = object;

    (void)check;
    if (scope->instance == 0)
        return value_undefined();
    return value_int(scope->instance);
}

struct value placed_name(const struct check *check, const void *object)
{
    const struct placed *placed = object;

    return node_name(check, placed->node);
}

struct value placed_node(const struct check *check, const void *object)
{
    const struct placed *placed = object;

    (void)check;
    return value_object(KIND_NODE, placed->node);
}

struct value placed_group(const struct check *check, const void *object)
{
    const struct placed *placed = object;

    (void)check;
    return value_object(KIND_GROUP, placed->scope);
}

struct value placed_span(const struct check *check, const void *object)
{
    const struct placed *placed = object;

    return group_span(check, placed->scope);
}

struct value placed_serves(const struct check *check, const void *object)
{
    const struct placed *placed = object;

    (void)check;
    return value_bool(placed->serves);
}

/* The resources of the model that the node shares. */
struct value placed_resources(const struct check *check, const void *object)
{
    const struct placed *placed = object;
    struct value all = check->lists[SLOT_RESOURCES];
    struct value *items;
    uint32_t n = 0;

    items = arena_array(check->arena, all.count + 1, sizeof(*items));
    if (items == NULL)
        return value_undefined();
    for (uint32_t i = 0; i < all.count; i++) {
        const struct resource_item *item = all.u.items[i].u.object;
        const struct resource *resource = item->resource;

        for (size_t k = 0; k < resource->n_nodes; k++)
            if (resource->nodes[k] == placed->node->index)
                items[n++] = all.u.items[i];
    }
    return value_list(items, n);
}

struct value instance_index(const struct check *check, const void *object)
{
    const struct instance_item *item = object;

    (void)check;
    return value_int(item->index);
}

struct value instance_group(const struct check *check, const void *object)
{
    const struct instance_item *item = object;

    (void)check;
    return value_object(KIND_GROUP, item->scope);
}

struct value instance_first(const struct check *check, const void *object)
{
    const struct instance_item *item = object;
    size_t first = (size_t)item->index * item->scope->instance;

    (void)check;
    return value_int(scope_rank(item->scope, first));
}

struct value signal_name(const struct check *check, const void *object)
{
    const struct signal_item *item = object;

    (void)check;
    return value_string(item->signal->name);
}

struct value signal_walk(const struct check *check, const void *object)
{
    const struct signal_item *item = object;

    return value_string(check->model->walks[item->signal->walk].name);
}

struct value signal_dim(const struct check *check, const void *object)
{
    const struct signal_item *item = object;

    (void)check;
    return value_int(item->dim);
}

struct value signal_source(const struct check *check, const void *object)
{
    const struct signal_item *item = object;

    (void)check;
    return item->source;
}

struct value signal_target(const struct check *check, const void *object)
{
    const struct signal_item *item = object;

    (void)check;
    return item->target;
}

struct value resource_key(const struct check *check, const void *object)
{
    const struct resource_item *item = object;

    (void)check;
    return value_string(item->resource->key);
}

struct value resource_kind(const struct check *check, const void *object)
{
    const struct resource_item *item = object;

    (void)check;
    return value_string(item->resource->kind);
}

struct value resource_nodes(const struct check *check, const void *object)
{
    const struct resource_item *item = object;

    (void)check;
    return item->nodes;
}

struct value resource_placed(const struct check *check, const void *object)
{
    const struct resource_item *item = object;

    (void)check;
    return item->placed;
}

struct value resource_splits(const struct check *check, const void *object)
{
    const struct resource_item *item = object;

    (void)check;
    return item->splits;
}

struct value stream_signal(const struct check *check, const void *object)
{
    const struct stream *stream = object;

    (void)check;
    return value_string(stream->signal);
}

struct value stream_node(const struct check *check, const void *object)
{
    const struct stream *stream = object;

    return value_object(KIND_NODE, &check->nodes[stream->to]);
}

struct value walk_name(const struct check *check, const void *object)
{
    const struct walk *walk = object;

    (void)check;
    return value_string(walk->name);
}

struct value walk_nodes(const struct check *check, const void *object)
{
    const struct walk *walk = object;

    return nodes_value(check, walk->nodes, walk->n_nodes);
}

struct value walk_served(const struct check *check, const void *object)
{
    for (size_t i = 0; i < check->n_served; i++)
        if (check->served[i].walk == object)
            return value_bool(true);
    return value_bool(false);
}

struct value combined_name(const struct check *check, const void *object)
{
    const struct combined *combined = object;

    (void)check;
    return value_string(combined->name);
}

struct value combined_node(const struct check *check, const void *object)
{
    const struct combined *combined = object;

    return value_object(KIND_NODE, &check->nodes[combined->node]);
}

struct value list_first(const struct check *check, const void *object)
{
    const struct list_item *item = object;
    uint32_t position = lists_member(item->lists, item->index, 0);

    (void)check;
    return value_int(scope_rank(item->scope, item->lists->first + position));
}

struct value list_last(const struct check *check, const void *object)
{
    const struct list_item *item = object;
    uint32_t n = lists_length_of(item->lists, item->index);
    uint32_t position = lists_member(item->lists, item->index, n - 1);

    (void)check;
    return value_int(scope_rank(item->scope, item->lists->first + position));
}

struct value list_size(const struct check *check, const void *object)
{
    const struct list_item *item = object;

    (void)check;
    return value_int(lists_length_of(item->lists, item->index));
}

struct value list_index(const struct check *check, const void *object)
{
    const struct list_item *item = object;

    (void)check;
    return value_int(item->index);
}
