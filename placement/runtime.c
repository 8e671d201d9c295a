/* SPDX-License-Identifier: Apache-2.0 */
/* A runtime: one framework's parallelism, loaded from its declaration. */
#include "placement/runtime.h"

#include <string.h>

#include "placement/deployment.h"
#include "placement/reader.h"
#include "placement/runtime_load.h"
#include "placement/split.h"
#include "placement/topology.h"

/* clang-format off */
static const struct read_key runtime_keys[] = {
    { "runtime",     READ_STRING,  true },
    { "version",     READ_SCALAR,  false },
    { "about",       READ_STRING,  false },
    { "axes",        READ_LIST,    true },
    { "options",     READ_MAP,     false },
    { "facts",       READ_MAP,     false },
    { "derive",      READ_MAP,     false },
    { "tables",      READ_MAP,     false },
    { "views",       READ_MAP,     false },
    { "groups",      READ_MAP,     false },
    { "coordinates", READ_MAP,     false },
    { "axis_sets",   READ_LIST,    false },
    { "layers",      READ_MAP,     false },
    { "rules",       READ_LIST,    false },
    { "keep",        READ_STRING,  false },
    { "create",      READ_LIST,    false },
    { "carry",       READ_MAP,     false },
    { "links",       READ_MAP,     false },
    { "ports",       READ_LIST,    false },
    { "sparse",      READ_STRING | READ_MAP, false },
    { "active",      READ_MAP,     false },
    { "active_when", READ_MAP,     false },
    { "host_list",   READ_MAP,     false },
    { "offset",      READ_SCALAR,  false },
    { "shard_order", READ_MAP,     false },
    { "split_rules", READ_MAP,     false },
    { "expert_blocks", READ_SCALAR, false },
    { "request",     READ_STRING,  false },
    { "import",      READ_MAP,     false },
};
static const struct read_key axis_keys[] = {
    { "name",     READ_STRING,             true },
    { "field",    READ_STRING,             false },
    { "splits",   READ_LIST | READ_STRING, false },
    { "default",  READ_SCALAR,             false },
    { "fill",     READ_SCALAR,             false },
    { "fill_on",  READ_INT,                false },
    { "declared", READ_BOOL,               false },
    { "when",     READ_SCALAR,             false },
};
/* clang-format on */

static const char *const split_names[] = {
#define X(id, name) name,
    SPLIT_LIST(X)
#undef X
};

const char *split_name(enum split_index index)
{
    return split_names[index];
}

int runtime_axis(const struct runtime *rt, const char *name)
{
    for (size_t i = 0; i < rt->n_axes; i++)
        if (strcmp(rt->axes[i].name, name) == 0)
            return (int)i;
    return -1;
}

int runtime_axis_field(const struct runtime *rt, const char *field)
{
    for (size_t i = 0; i < rt->n_axes; i++)
        if (strcmp(rt->axes[i].field, field) == 0)
            return (int)i;
    return -1;
}

/* ---- axes --------------------------------------------------------------- */

static int load_splits(struct loader *load, const struct tree *list,
                       unsigned *ret)
{
    const char *const *names;
    size_t n, i;

    if (list == NULL)
        return 0;
    if (read_names(load->arena, list, &names, &n, load->err) < 0)
        return -1;
    for (size_t k = 0; k < n; k++) {
        for (i = 0; i < SPLIT_COUNT; i++)
            if (strcmp(split_names[i], names[k]) == 0)
                break;
        if (i == SPLIT_COUNT)
            return tree_error(list, load->err, STATUS_INVALID,
                              "\"%s\" is nothing that an axis splits; there "
                              "are rows, tokens, heads, weights, experts, "
                              "layers, replicas",
                              names[k]);
        *ret |= 1u << i;
    }
    return 0;
}

static int load_axis(struct loader *load, const struct tree *t)
{
    struct runtime *rt = load->rt;
    struct axis *axis = &rt->axes[rt->n_axes];
    const struct tree *declared, *fill_on;

    if (read_keys(t, axis_keys, ARRAY_LEN(axis_keys), load->err) < 0)
        return -1;
    axis->name = read_string(t, "name");
    axis->field = read_string(t, "field");
    if (axis->field == NULL)
        axis->field = axis->name;
    declared = tree_get(t, "declared");
    axis->declared = declared != NULL && declared->u.boolean;
    fill_on = tree_get(t, "fill_on");
    axis->has_fill_on = fill_on != NULL;
    if (fill_on != NULL)
        axis->fill_on = fill_on->u.integer;
    if (runtime_axis(rt, axis->name) >= 0)
        return tree_error(t, load->err, STATUS_INVALID,
                          "the axis %s is declared twice", axis->name);
    if (runtime_axis_field(rt, axis->field) >= 0 ||
        runtime_axis(rt, axis->field) >= 0 ||
        runtime_axis_field(rt, axis->name) >= 0 ||
        deployment_has_key(axis->field, true))
        return tree_error(t, load->err, STATUS_INVALID,
                          "the field %s has a meaning already", axis->field);
    if (load_splits(load, tree_get(t, "splits"), &axis->splits) < 0)
        return -1;
    axis->slot = name_add(load, axis->name, SYMBOL_AXIS, (int)rt->n_axes,
                          (struct shape){ .types = VALUE_INT }, t);
    if (axis->slot < 0)
        return -1;
    rt->n_axes++;
    return 0;
}

static int load_axes(struct loader *load)
{
    const struct tree *list = tree_get(load->rt->document, "axes");

    if (tree_count(list) == 0 || tree_count(list) > RUNTIME_AXES_MAX)
        return tree_error(list, load->err, STATUS_INVALID,
                          "%zu axes; a runtime has from 1 to %d",
                          tree_count(list), RUNTIME_AXES_MAX);
    for (const struct tree *t = tree_first(list); t != NULL; t = t->next)
        if (load_axis(load, t) < 0)
            return -1;
    return 0;
}

int load_axis_mask(struct loader *load, const struct tree *list,
                   uint32_t *ret_mask)
{
    const char *const *names;
    size_t n;

    if (read_names(load->arena, list, &names, &n, load->err) < 0)
        return -1;
    for (size_t i = 0; i < n; i++) {
        int axis = runtime_axis(load->rt, names[i]);

        if (axis < 0)
            return tree_error(list, load->err, STATUS_INVALID,
                              "\"%s\" is not an axis of this runtime",
                              names[i]);
        *ret_mask |= 1u << axis;
    }
    return 0;
}

/* ---- the rest ----------------------------------------------------------- */

static int load_keep(struct loader *load)
{
    const struct tree *keep = tree_get(load->rt->document, "keep");
    const struct symbol *symbol;

    load->rt->keep_slot = -1;
    if (keep == NULL)
        return 0;
    symbol = runtime_symbol(load->rt, keep->text);
    if (symbol == NULL || (symbol->shape.types & VALUE_INT) == 0)
        return tree_error(keep, load->err, STATUS_INVALID,
                          "\"%s\" is not a size of this runtime", keep->text);
    load->rt->keep_slot = symbol->slot;
    return 0;
}

/* Number of what is split, by name; -1 with err set. */
static int split_at(const struct tree *t, struct error *err)
{
    int what = 0;

    while (what < SPLIT_COUNT && strcmp(split_names[what], t->key) != 0)
        what++;
    if (what < SPLIT_COUNT)
        return what;
    return tree_error_key(t, err, STATUS_INVALID, "nothing called %s is split",
                          t->key);
}

/* split_rules: {tokens: {rule: even, both_ends: true}}. */
static int load_split_rules(struct loader *load)
{
    static const struct read_key keys[] = {
        { "rule", READ_STRING, true },
        { "both_ends", READ_BOOL, false },
    };
    const struct tree *map = tree_get(load->rt->document, "split_rules");

    for (const struct tree *t = tree_first(map); t != NULL; t = t->next) {
        int what = split_at(t, load->err);
        const struct tree *both_ends;
        struct split_choice *choice;

        if (what < 0 || read_keys(t, keys, ARRAY_LEN(keys), load->err) < 0)
            return -1;
        choice = &load->rt->split_choices[what];
        choice->rule = read_string(t, "rule");
        if (split_rule_find(choice->rule) == NULL)
            return tree_error(tree_get(t, "rule"), load->err, STATUS_INVALID,
                              "\"%s\" is no rule of splitting; there are even, "
                              "first_longer, inner_longer, unstated, replicate",
                              choice->rule);
        both_ends = tree_get(t, "both_ends");
        choice->both_ends = both_ends != NULL && both_ends->u.boolean;
    }
    return 0;
}

/* shard_order: {heads: [tp, sp]}: which axis cuts first where several do. */
static int load_shard_order(struct loader *load)
{
    struct runtime *rt = load->rt;
    const struct tree *map = tree_get(rt->document, "shard_order");

    for (const struct tree *t = tree_first(map); t != NULL; t = t->next) {
        const char *const *names;
        int what = split_at(t, load->err);
        size_t n;

        if (what < 0)
            return -1;
        if (read_names(load->arena, t, &names, &n, load->err) < 0)
            return -1;
        for (size_t i = 0; i < n; i++) {
            int axis = runtime_axis(rt, names[i]);

            if (axis < 0 || (rt->axes[axis].splits & 1u << what) == 0 ||
                i == RUNTIME_AXES_MAX)
                return tree_error(t, load->err, STATUS_INVALID,
                                  "\"%s\" is not an axis that splits %s",
                                  names[i], t->key);
            for (size_t k = 0; k < i; k++)
                if (strcmp(names[k], names[i]) == 0)
                    return tree_error(t, load->err, STATUS_INVALID,
                                      "%s stands twice", names[i]);
            rt->shard_order[what][i] = names[i];
        }
        rt->n_shard_order[what] = n;
    }
    return 0;
}

/* request: node_groups (the default without views) or world. */
static int load_request(struct loader *load)
{
    const struct tree *request = tree_get(load->rt->document, "request");

    load->rt->spans = tree_get(load->rt->document, "views") != NULL;
    if (request == NULL)
        return 0;
    load->rt->spans = strcmp(request->text, "world") == 0;
    if (!load->rt->spans && strcmp(request->text, "node_groups") != 0)
        return tree_error(request, load->err, STATUS_INVALID,
                          "a request has node_groups or a world, not \"%s\"",
                          request->text);
    return 0;
}

static int load_links(struct loader *load)
{
    const struct tree *map = tree_get(load->rt->document, "links");

    for (size_t a = 0; a < load->rt->n_axes; a++)
        load->rt->links[a] = LINK_ANY;
    for (const struct tree *t = tree_first(map); t != NULL; t = t->next) {
        int axis = runtime_axis(load->rt, t->key);

        if ((axis >= 0 ? link_value_read(t, load->rt, &load->rt->links[axis],
                                         &load->rt->link_needs[axis], load->err)
                       : link_wishes_add(&load->rt->list_links, load->rt,
                                         load->arena, t, false, load->err)) < 0)
            return -1;
    }
    return 0;
}

static int load_ports(struct loader *load)
{
    port_wishes_init(&load->rt->ports);
    return port_wishes_read(&load->rt->ports,
                            tree_get(load->rt->document, "ports"), load->err);
}

static int load_all(struct loader *load)
{
    struct runtime *rt = load->rt;

    if (load_request(load) < 0 ||
        sparse_rule_read(tree_get(rt->document, "sparse"), &rt->sparse,
                         load->err) < 0 ||
        load_axes(load) < 0 || load_options(load) < 0 || load_facts(load) < 0 ||
        load_carries(load) < 0 || load_tables(load) < 0 ||
        load_derived(load) < 0)
        return -1;
    rt->computed = load_array(load, rt->n_symbols, sizeof(*rt->computed));
    rt->lists = load_array(load, RUNTIME_LISTS_MAX, sizeof(*rt->lists));
    if (rt->computed == NULL || rt->lists == NULL)
        return -1;
    if (load_views(load) < 0 || load_groups(load) < 0 ||
        load_coordinates(load) < 0 || compile_computed(load) < 0 ||
        load_axis_sets(load) < 0 || load_layers(load) < 0 ||
        load_rules(load) < 0 || load_create(load) < 0 || load_keep(load) < 0 ||
        load_shard_order(load) < 0 || load_split_rules(load) < 0 ||
        load_links(load) < 0 || load_ports(load) < 0 || load_active(load) < 0 ||
        load_host_list(load) < 0)
        return -1;
    if (compile_child(load, rt->document, "offset", VALUE_INT, &rt->offset) < 0)
        return -1;
    if (compile_child(load, rt->document, "expert_blocks", VALUE_INT,
                      &rt->expert_blocks) < 0)
        return -1;
    if (load_import(load) < 0)
        return -1;
    return load_initial(load) < 0 ? -1 : load_rests(load);
}

const struct runtime *runtime_load(struct arena *arena,
                                   const struct tree *document,
                                   struct error *err)
{
    struct runtime *rt = arena_alloc(arena, sizeof(*rt));
    struct loader load = { .arena = arena, .rt = rt, .err = err };

    if (rt == NULL) {
        error_exhausted(err);
        return NULL;
    }
    rt->symbols = load_array(&load, RUNTIME_NAMES_MAX, sizeof(*rt->symbols));
    rt->symbol_index =
        load_array(&load, SYMBOL_INDEX_SIZE, sizeof(*rt->symbol_index));
    if (rt->symbols == NULL || rt->symbol_index == NULL ||
        read_keys(document, runtime_keys, ARRAY_LEN(runtime_keys), err) < 0)
        return NULL;
    rt->document = document;
    rt->name = read_string(document, "runtime");
    rt->version = read_string(document, "version");
    rt->about = read_string(document, "about");
    rt->n_slots = SLOT_FIRST;
    return load_all(&load) < 0 ? NULL : rt;
}
