/* SPDX-License-Identifier: Apache-2.0 */
/* The members that expressions see of nodes, groups, signals and the rest. */
#include "placement/items.h"

#include <string.h>

#include "placement/check.h"
#include "placement/items_get.h"

enum {
    MEMBER_SLOT = 1000, /* + slot: a size or fact by its name */
};

/* ---- the table ----------------------------------------------------------- */

/* clang-format off */
static const struct member {
    enum kind kind;
    const char *name;
    uint8_t types;
    enum kind object; /* kind of the object, or of the items of the list */
    uint8_t items;    /* types of the items */
    get_fn *get;
    const char *about;
} members[] = {
    { KIND_NODE, "name", VALUE_STRING, 0, 0, node_name, "its name" },
    { KIND_NODE, "axes", VALUE_MAP, 0, 0, node_axes,
      "axes it may be split on, with their attributes" },
    { KIND_NODE, "placed", VALUE_BOOL, 0, 0, node_is_placed,
      "whether some group names it" },
    { KIND_GROUP, "index", VALUE_INT, 0, 0, group_index,
      "place in node_groups, from 0" },
    { KIND_GROUP, "nodes", VALUE_LIST, 0, VALUE_STRING, group_nodes,
      "names of its nodes" },
    { KIND_GROUP, "ranks", VALUE_INT, 0, 0, group_ranks,
      "number of ranks listed" },
    { KIND_GROUP, "instances", VALUE_INT, 0, 0, group_instances,
      "number of instances" },
    { KIND_GROUP, "span", VALUE_INT, 0, 0, group_span,
      "ranks of one instance" },
    { KIND_PLACED, "name", VALUE_STRING, 0, 0, placed_name,
      "the node's name" },
    { KIND_PLACED, "node", VALUE_OBJECT, KIND_NODE, 0, placed_node,
      "the node" },
    { KIND_PLACED, "group", VALUE_OBJECT, KIND_GROUP, 0, placed_group,
      "the group it is in" },
    { KIND_PLACED, "span", VALUE_INT, 0, 0, placed_span,
      "ranks of one instance" },
    { KIND_PLACED, "serves", VALUE_BOOL, 0, 0, placed_serves,
      "whether a served walk runs it in this group" },
    { KIND_PLACED, "resources", VALUE_LIST, KIND_RESOURCE, VALUE_OBJECT,
      placed_resources, "resources the node shares" },
    { KIND_INSTANCE, "index", VALUE_INT, 0, 0, instance_index,
      "place in its group, from 0" },
    { KIND_INSTANCE, "group", VALUE_OBJECT, KIND_GROUP, 0, instance_group,
      "the group it is in" },
    { KIND_INSTANCE, "first", VALUE_INT, 0, 0, instance_first,
      "its first global rank" },
    { KIND_SIGNAL, "name", VALUE_STRING, 0, 0, signal_name, "its name" },
    { KIND_SIGNAL, "walk", VALUE_STRING, 0, 0, signal_walk,
      "the walk it belongs to" },
    { KIND_SIGNAL, "dim", VALUE_INT, 0, 0, signal_dim,
      "the dimension that is cut; -1: replicated" },
    { KIND_SIGNAL, "source", VALUE_OBJECT, KIND_PLACED, 0, signal_source,
      "the placed node it comes from" },
    { KIND_SIGNAL, "target", VALUE_OBJECT, KIND_PLACED, 0, signal_target,
      "the placed node it goes to; sizes 1 where it leaves the model" },
    { KIND_RESOURCE, "key", VALUE_STRING, 0, 0, resource_key, "its key" },
    { KIND_RESOURCE, "kind", VALUE_STRING, 0, 0, resource_kind,
      "its kind, \"\" where none is declared" },
    { KIND_RESOURCE, "nodes", VALUE_LIST, 0, VALUE_STRING, resource_nodes,
      "names of the nodes that share it" },
    { KIND_RESOURCE, "placed", VALUE_LIST, KIND_PLACED, VALUE_OBJECT,
      resource_placed, "where these nodes are placed" },
    { KIND_RESOURCE, "splits", VALUE_LIST, 0, VALUE_STRING, resource_splits,
      "axes that split its heads" },
    { KIND_STREAM, "signal", VALUE_STRING, 0, 0, stream_signal,
      "the signal that is streamed" },
    { KIND_STREAM, "node", VALUE_OBJECT, KIND_NODE, 0, stream_node,
      "the node that consumes it" },
    { KIND_WALK, "name", VALUE_STRING, 0, 0, walk_name, "its name" },
    { KIND_WALK, "nodes", VALUE_LIST, 0, VALUE_STRING, walk_nodes,
      "names of the nodes it runs" },
    { KIND_WALK, "served", VALUE_BOOL, 0, 0, walk_served,
      "whether the deployment serves it" },
    { KIND_COMBINED, "name", VALUE_STRING, 0, 0, combined_name, "its name" },
    { KIND_COMBINED, "node", VALUE_OBJECT, KIND_NODE, 0, combined_node,
      "the node whose walks it joins" },
    { KIND_LIST, "first", VALUE_INT, 0, 0, list_first,
      "its first global rank" },
    { KIND_LIST, "last", VALUE_INT, 0, 0, list_last, "its last global rank" },
    { KIND_LIST, "size", VALUE_INT, 0, 0, list_size, "its number of ranks" },
    { KIND_LIST, "index", VALUE_INT, 0, 0, list_index,
      "place among the lists, from 0" },
};

static const char *const kind_names[] = {
    [KIND_GIVEN] = "given",       [KIND_NODE] = "nodes",
    [KIND_GROUP] = "groups",      [KIND_PLACED] = "placed",
    [KIND_INSTANCE] = "instances", [KIND_SIGNAL] = "signals",
    [KIND_RESOURCE] = "resources", [KIND_STREAM] = "streams",
    [KIND_WALK] = "walks",        [KIND_COMBINED] = "combined",
    [KIND_LIST] = "lists(\"v.a\")",
};
/* clang-format on */

const char *item_kind_name(uint16_t kind)
{
    return kind_names[kind];
}

/* Whether objects of a kind have the runtime's name as a member. */
static bool kind_has(uint16_t kind, enum symbol_kind symbol)
{
    bool size = symbol == SYMBOL_AXIS || symbol == SYMBOL_OPTION ||
                symbol == SYMBOL_DERIVED;

    switch ((enum kind)kind) {
    case KIND_GIVEN:
        return symbol == SYMBOL_AXIS || symbol == SYMBOL_OPTION;
    case KIND_NODE:
        return symbol == SYMBOL_FACT;
    case KIND_PLACED:
        return size || symbol == SYMBOL_FACT;
    case KIND_GROUP:
    case KIND_INSTANCE:
        return size;
    case KIND_SIGNAL:
    case KIND_RESOURCE:
    case KIND_STREAM:
    case KIND_WALK:
    case KIND_COMBINED:
    case KIND_LIST:
        return false;
    }
    return false;
}

bool item_has_own(uint16_t kind, const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(members); i++)
        if (members[i].kind == kind && strcmp(members[i].name, name) == 0)
            return true;
    return false;
}

int item_member(const struct runtime *rt, uint16_t kind, const char *name,
                struct shape *ret_shape)
{
    const struct symbol *symbol;

    for (size_t i = 0; i < ARRAY_LEN(members); i++) {
        const struct member *m = &members[i];

        if (m->kind != kind || strcmp(m->name, name) != 0)
            continue;
        *ret_shape = (struct shape){
            .types = m->types,
            .kind = m->types == VALUE_OBJECT ? m->object : 0,
            .element_types = m->items,
            .element_kind = m->types == VALUE_LIST ? m->object : 0,
        };
        return (int)i;
    }
    symbol = runtime_symbol(rt, name);
    if (symbol == NULL || !kind_has(kind, symbol->kind))
        return -1;
    *ret_shape = symbol->shape;
    return MEMBER_SLOT + symbol->slot;
}

const char *item_nearest(const struct runtime *rt, uint16_t kind,
                         const char *name)
{
    const char *names[RUNTIME_NAMES_MAX + ARRAY_LEN(members)];
    size_t n = 0;

    for (size_t i = 0; i < ARRAY_LEN(members); i++)
        if (members[i].kind == kind)
            names[n++] = members[i].name;
    for (size_t i = 0; i < rt->n_symbols; i++)
        if (kind_has(kind, rt->symbols[i].kind))
            names[n++] = rt->symbols[i].name;
    return text_nearest(name, names, n);
}

/* ---- values -------------------------------------------------------------- */

/* A fact of a node: its own, else the model's. */
static struct value node_fact(const struct check *check,
                              const struct node *node,
                              const struct symbol *symbol)
{
    const struct tree *own = tree_get(node->facts, symbol->name);

    if (own != NULL)
        return value_of_tree(own, check->arena);
    return check->global.slots[symbol->slot];
}

static struct value given_value(const struct check *check,
                                const struct node_group *group,
                                const struct symbol *symbol)
{
    if (symbol->kind == SYMBOL_OPTION)
        return value_of_tree(check->dep->options[symbol->index], check->arena);
    if (!group->sizes[symbol->index].has)
        return value_unknown();
    return value_int(group->sizes[symbol->index].value);
}

static struct value symbol_value(const struct check *check, struct value object,
                                 int slot)
{
    const struct symbol *symbol = runtime_symbol_at(check->rt, slot);
    const struct placed *placed = object.u.object;
    const struct instance_item *instance = object.u.object;
    const struct scope *scope = object.u.object;

    switch ((enum kind)object.kind) {
    case KIND_GIVEN:
        return given_value(check, object.u.object, symbol);
    case KIND_NODE:
        return node_fact(check, object.u.object, symbol);
    case KIND_PLACED:
        if (symbol->kind == SYMBOL_FACT)
            return node_fact(check, placed->node, symbol);
        return scope_value(placed->scope, slot);
    case KIND_GROUP:
        return scope_value(scope, slot);
    case KIND_INSTANCE:
        return scope_value(instance->scope, slot);
    case KIND_SIGNAL:
    case KIND_RESOURCE:
    case KIND_STREAM:
    case KIND_WALK:
    case KIND_COMBINED:
    case KIND_LIST:
        return value_undefined();
    }
    return value_undefined();
}

int item_slot(const struct runtime *rt, uint16_t kind, int member)
{
    bool scoped =
        kind == KIND_PLACED || kind == KIND_GROUP || kind == KIND_INSTANCE;

    if (!scoped || member < MEMBER_SLOT ||
        runtime_symbol_at(rt, member - MEMBER_SLOT)->kind == SYMBOL_FACT)
        return -1;
    return member - MEMBER_SLOT;
}

struct value item_value(const struct environment *env, struct value object,
                        int member)
{
    const struct check *check = env->arg;

    if (member >= MEMBER_SLOT)
        return symbol_value(check, object, member - MEMBER_SLOT);
    return members[member].get(check, object.u.object);
}

void items_print(struct text *out)
{
    for (size_t i = 0; i < ARRAY_LEN(members); i++) {
        const struct member *m = &members[i];

        text_printf(out, "| `%s` | `%s` | ", item_kind_name(m->kind), m->name);
        value_types_print(m->types, out);
        text_printf(out, " | %s |\n", m->about);
    }
}
