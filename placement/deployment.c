/* SPDX-License-Identifier: Apache-2.0 */
/* A deployment: the request to place a model under a runtime. */
#include "placement/deployment.h"

#include <inttypes.h>
#include <string.h>

#include "placement/reader.h"

struct loader {
    struct arena *arena;
    const struct runtime *rt;
    struct deployment *dep;
    size_t n_ranks; /* listed so far, over all groups */
    size_t n_names; /* of nodes and walks, likewise */
    int64_t next;   /* the rank that `count` goes on with */
    struct error *err;
};

/* clang-format off */
static const struct read_key top_keys[] = {
    { "deployment",  READ_STRING, false },
    { "model",       READ_STRING, false },
    { "runtime",     READ_STRING, false },
    { "node_groups", READ_LIST,   false },
    { "world",       READ_INT,    false },
    { "sizes",       READ_MAP,    false },
    { "options",     READ_MAP,    false },
    { "order",       READ_LIST | READ_STRING, false },
    { "links",       READ_MAP,    false },
    { "spares",      READ_INT,    false },
    { "shared",      READ_BOOL,   false },
    { "bind",        READ_BOOL,   false },
};
static const struct read_key group_keys[] = {
    { "node_names",  READ_LIST | READ_STRING, false },
    { "ranks",       READ_LIST,   false },
    { "count",       READ_INT,    false },
    { "graph_walks", READ_LIST | READ_STRING, false },
    { "sizes",       READ_MAP,    false },
};
/* clang-format on */

const char *deployment_runtime_name(const struct tree *document)
{
    const struct tree *name = tree_get(document, "runtime");

    return name != NULL && name->type == TREE_STRING ? name->text : NULL;
}

const char *deployment_model_name(const struct tree *document)
{
    const struct tree *name = tree_get(document, "model");

    return name != NULL && name->type == TREE_STRING ? name->text : NULL;
}

static const struct read_key *key_row(const struct read_key *keys, size_t n,
                                      const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(keys[i].name, name) == 0)
            return &keys[i];
    return NULL;
}

bool deployment_has_key(const char *name, bool in_group)
{
    return in_group ? key_row(group_keys, ARRAY_LEN(group_keys), name) != NULL
                    : key_row(top_keys, ARRAY_LEN(top_keys), name) != NULL;
}

static int carry_named(const struct runtime *rt, const char *name,
                       bool in_group)
{
    for (size_t i = 0; i < rt->n_carries; i++)
        if (rt->carries[i].in_group == in_group &&
            strcmp(rt->carries[i].name, name) == 0)
            return (int)i;
    return -1;
}

/* ---- unknown keys -------------------------------------------------------- */

/* Names known where `at` stands: fixed keys, carried keys, fields of axes. */
static size_t known_names(const struct runtime *rt, const char **names,
                          bool in_group, bool in_sizes)
{
    const struct read_key *keys = in_group ? group_keys : top_keys;
    size_t n_keys = in_group ? ARRAY_LEN(group_keys) : ARRAY_LEN(top_keys);
    size_t n = 0;

    for (size_t i = 0; i < n_keys && !in_sizes; i++)
        names[n++] = keys[i].name;
    for (size_t i = 0; i < rt->n_carries && !in_sizes; i++)
        if (rt->carries[i].in_group == in_group)
            names[n++] = rt->carries[i].name;
    for (size_t i = 0; i < rt->n_axes && (in_group || in_sizes); i++)
        names[n++] = in_sizes ? rt->axes[i].name : rt->axes[i].field;
    return n;
}

/* Where a request for a world holds what is called so; NULL: nowhere. */
static const char *elsewhere(const struct loader *load, const char *name)
{
    const struct runtime *rt = load->rt;
    int axis = runtime_axis(rt, name);
    int option = runtime_option(rt, name);

    if (!rt->spans)
        return NULL;
    if (axis < 0)
        axis = runtime_axis_field(rt, name);
    if (axis >= 0)
        return arena_printf(load->arena, "sizes.%s", rt->axes[axis].name);
    if (option >= 0)
        return arena_printf(load->arena, "options.%s",
                            rt->options[option].name);
    return NULL;
}

static int add_unknown(struct loader *load, const struct tree *at,
                       bool in_group, bool in_sizes)
{
    struct deployment *dep = load->dep;
    const char **names;
    struct unknown_key *more;
    const char *near;
    size_t n;

    if (dep->n_unknown >= 64)
        return 0;
    more = arena_array(load->arena, dep->n_unknown + 1, sizeof(*more));
    names = arena_array(load->arena,
                        ARRAY_LEN(top_keys) + ARRAY_LEN(group_keys) +
                            load->rt->n_carries + load->rt->n_axes,
                        sizeof(*names));
    if (more == NULL || names == NULL)
        return error_exhausted(load->err);
    if (dep->n_unknown > 0)
        memcpy(more, dep->unknown, dep->n_unknown * sizeof(*more));
    n = known_names(load->rt, names, in_group, in_sizes);
    near = elsewhere(load, at->key);
    if (near == NULL)
        near = text_nearest(at->key, names, n);
    if (near != NULL && strcmp(near, at->key) == 0)
        near = NULL; /* known, but not here: no help */
    more[dep->n_unknown++] = (struct unknown_key){ .at = at, .nearest = near };
    dep->unknown = more;
    return 0;
}

/* ---- sizes --------------------------------------------------------------- */

static int set_size(struct loader *load, struct given *sizes, int axis,
                    const struct tree *t)
{
    if (read_type(t, READ_INT, load->err) < 0)
        return -1;
    if (sizes[axis].has)
        return tree_error(t, load->err, STATUS_INVALID,
                          "the size of %s is given twice",
                          load->rt->axes[axis].name);
    sizes[axis] = (struct given){ .has = true, .value = t->u.integer };
    return 0;
}

/* sizes: {axis: n}; the field's name is understood too. */
static int read_sizes(struct loader *load, const struct tree *map,
                      struct given *sizes)
{
    for (const struct tree *t = tree_first(map); t != NULL; t = t->next) {
        int axis = runtime_axis(load->rt, t->key);

        if (axis < 0)
            axis = runtime_axis_field(load->rt, t->key);
        if (t->type == TREE_NULL)
            continue;
        if (axis < 0 ? add_unknown(load, t, false, true) < 0
                     : set_size(load, sizes, axis, t) < 0)
            return -1;
    }
    return 0;
}

/* ---- node groups --------------------------------------------------------- */

static int read_ranks(struct loader *load, const struct tree *list,
                      struct node_group *group)
{
    size_t n = tree_count(list), i = 0;
    int64_t *ranks;

    load->n_ranks += n;
    if (load->n_ranks > DEPLOYMENT_RANKS_MAX)
        return tree_error(list, load->err, STATUS_EXHAUSTED,
                          "more than %d ranks are listed",
                          DEPLOYMENT_RANKS_MAX);
    ranks = arena_array(load->arena, n + 1, sizeof(*ranks));
    if (ranks == NULL)
        return error_exhausted(load->err);
    for (const struct tree *t = tree_first(list); t != NULL; t = t->next) {
        if (read_type(t, READ_INT, load->err) < 0)
            return -1;
        ranks[i++] = t->u.integer;
        if (t->u.integer >= load->next && t->u.integer < VIEW_SPAN_MAX)
            load->next = t->u.integer + 1;
    }
    group->ranks = ranks;
    group->n_ranks = n;
    group->has_ranks = true;
    return 0;
}

/* count: N stands for the N ranks after all that the groups before list. */
static int count_ranks(struct loader *load, const struct tree *count,
                       struct node_group *group)
{
    int64_t n = count->u.integer;
    int64_t *ranks;

    if (n < 0 || n > DEPLOYMENT_RANKS_MAX - (int64_t)load->n_ranks)
        return tree_error(count, load->err, STATUS_INVALID,
                          "%" PRId64 " ranks; a count is from 0 to %d", n,
                          DEPLOYMENT_RANKS_MAX);
    load->n_ranks += (size_t)n;
    ranks = arena_array(load->arena, (size_t)n + 1, sizeof(*ranks));
    if (ranks == NULL)
        return error_exhausted(load->err);
    for (int64_t i = 0; i < n; i++)
        ranks[i] = load->next++;
    group->ranks = ranks;
    group->n_ranks = (size_t)n;
    group->has_ranks = true;
    group->counted = true;
    return 0;
}

static int read_group_key(struct loader *load, const struct tree *t,
                          struct node_group *group)
{
    const struct runtime *rt = load->rt;
    const struct read_key *row =
        key_row(group_keys, ARRAY_LEN(group_keys), t->key);
    int axis = runtime_axis_field(rt, t->key);
    int carry = carry_named(rt, t->key, true);

    if (t->type == TREE_NULL)
        return 0;
    if (row != NULL)
        return read_type(t, row->types, load->err);
    if (axis >= 0)
        return set_size(load, group->sizes, axis, t);
    if (carry >= 0)
        return read_type(t, rt->carries[carry].types, load->err);
    return add_unknown(load, t, true, false);
}

static int read_group_lists(struct loader *load, struct node_group *group)
{
    const struct tree *names = tree_get(group->at, "node_names");
    const struct tree *walks = tree_get(group->at, "graph_walks");
    const struct tree *ranks = tree_get(group->at, "ranks");
    const struct tree *count = tree_get(group->at, "count");

    if (names != NULL && read_names(load->arena, names, &group->node_names,
                                    &group->n_node_names, load->err) < 0)
        return -1;
    group->all_walks = walks == NULL;
    if (walks != NULL && read_names(load->arena, walks, &group->walks,
                                    &group->n_walks, load->err) < 0)
        return -1;
    load->n_names += group->n_node_names + group->n_walks;
    if (load->n_names > DEPLOYMENT_NAMES_MAX)
        return tree_error(group->at, load->err, STATUS_EXHAUSTED,
                          "more than %d names of nodes and walks are listed",
                          DEPLOYMENT_NAMES_MAX);
    if (ranks != NULL && count != NULL)
        return tree_error(count, load->err, STATUS_INVALID,
                          "either ranks or count, not both");
    if (ranks != NULL)
        return read_ranks(load, ranks, group);
    if (count != NULL)
        return count_ranks(load, count, group);
    return 0;
}

static int read_group(struct loader *load, const struct tree *at,
                      struct node_group *group)
{
    group->at = at;
    if (read_type(at, READ_MAP, load->err) < 0)
        return -1;
    for (const struct tree *t = tree_first(at); t != NULL; t = t->next)
        if (read_group_key(load, t, group) < 0)
            return -1;
    if (read_group_lists(load, group) < 0)
        return -1;
    return read_sizes(load, tree_get(at, "sizes"), group->sizes);
}

static int read_groups(struct loader *load, const struct tree *list)
{
    struct deployment *dep = load->dep;

    if (tree_count(list) > DEPLOYMENT_GROUPS_MAX)
        return tree_error(list, load->err, STATUS_EXHAUSTED,
                          "%zu node groups; at most %d are read",
                          tree_count(list), DEPLOYMENT_GROUPS_MAX);
    dep->groups =
        arena_array(load->arena, tree_count(list) + 1, sizeof(*dep->groups));
    if (dep->groups == NULL)
        return error_exhausted(load->err);
    for (const struct tree *t = tree_first(list); t != NULL; t = t->next) {
        struct node_group *group = &dep->groups[dep->n_groups];

        group->index = (int)dep->n_groups;
        if (read_group(load, t, group) < 0)
            return -1;
        dep->n_groups++;
    }
    return 0;
}

/* The one group of a request that says how large its world is. */
static int read_world(struct loader *load)
{
    struct deployment *dep = load->dep;
    const struct tree *world = tree_get(dep->document, "world");
    struct node_group *group = arena_alloc(load->arena, sizeof(*group));

    if (group == NULL)
        return error_exhausted(load->err);
    group->all_walks = true;
    group->has_ranks = true;
    dep->groups = group;
    dep->n_groups = 1;
    dep->spans = true;
    if (world == NULL)
        return read_sizes(load, tree_get(dep->document, "sizes"), group->sizes);
    if (world->u.integer > VIEW_SPAN_MAX)
        return tree_error(world, load->err, STATUS_INVALID,
                          "a world has at most %d ranks", VIEW_SPAN_MAX);
    dep->world = (struct given){ .has = true, .value = world->u.integer };
    group->n_ranks = world->u.integer > 0 ? (size_t)world->u.integer : 0;
    return read_sizes(load, tree_get(dep->document, "sizes"), group->sizes);
}

/* ---- the top ------------------------------------------------------------- */

static int read_option(struct loader *load, const struct tree *t, int option)
{
    static const struct {
        unsigned types, reads;
    } types[] = {
        { VALUE_INT, READ_INT },   { VALUE_DOUBLE, READ_NUMBER },
        { VALUE_BOOL, READ_BOOL }, { VALUE_STRING, READ_STRING },
        { VALUE_LIST, READ_LIST }, { VALUE_MAP, READ_MAP },
    };
    unsigned reads = 0;

    for (size_t i = 0; i < ARRAY_LEN(types); i++)
        if ((load->rt->options[option].types & types[i].types) != 0)
            reads |= types[i].reads;
    if (read_type(t, reads, load->err) < 0)
        return -1;
    if (load->dep->options[option] != NULL)
        return tree_error(t, load->err, STATUS_INVALID,
                          "the option %s is given twice",
                          load->rt->options[option].name);
    load->dep->options[option] = t;
    return 0;
}

static int read_options(struct loader *load, const struct tree *map)
{
    for (const struct tree *t = tree_first(map); t != NULL; t = t->next) {
        int option = runtime_option(load->rt, t->key);
        const char *names[RUNTIME_NAMES_MAX];

        if (t->type == TREE_NULL)
            continue;
        if (option >= 0) {
            if (read_option(load, t, option) < 0)
                return -1;
            continue;
        }
        if (add_unknown(load, t, false, true) < 0)
            return -1;
        if (elsewhere(load, t->key) != NULL)
            continue;
        for (size_t i = 0; i < load->rt->n_options; i++)
            names[i] = load->rt->options[i].field;
        load->dep->unknown[load->dep->n_unknown - 1].nearest =
            text_nearest(t->key, names, load->rt->n_options);
    }
    return 0;
}

/* A map whose only key is shard_dim: dimensions, or null, by signal. */
static int read_shard_dim(struct loader *load, const struct tree *map)
{
    static const struct read_key keys[] = {
        { "shard_dim", READ_MAP, false },
    };

    if (read_keys(map, keys, ARRAY_LEN(keys), load->err) < 0)
        return -1;
    return model_check_shard_dim(tree_get(map, "shard_dim"), load->err);
}

/* What axes want instead of what the runtime says. */
static int read_links(struct loader *load, const struct tree *map)
{
    const struct runtime *rt = load->rt;

    for (size_t a = 0; a < rt->n_axes; a++)
        load->dep->links[a] = -1;
    for (const struct tree *t = tree_first(map); t != NULL; t = t->next) {
        int axis = runtime_axis(rt, t->key);
        enum link_level level;

        if (axis < 0)
            axis = runtime_axis_field(rt, t->key);
        if (axis < 0)
            return tree_error_key(t, load->err, STATUS_INVALID,
                                  "%s has no axis of this name", rt->name);
        if (t->type == TREE_NULL)
            continue;
        if (link_read(t, &level, load->err) < 0)
            return -1;
        load->dep->links[axis] = (int)level;
    }
    return 0;
}

static int read_top_key(struct loader *load, const struct tree *t)
{
    const struct runtime *rt = load->rt;
    const struct read_key *row = key_row(top_keys, ARRAY_LEN(top_keys), t->key);
    int carry = carry_named(rt, t->key, false);
    int order = runtime_option(rt, "order");

    if (t->type == TREE_NULL)
        return 0;
    if (row == NULL && carry >= 0) {
        load->dep->carried[carry] = t;
        if (rt->carries[carry].merge_shard_dim)
            return read_shard_dim(load, t);
        return read_type(t, rt->carries[carry].types, load->err);
    }
    if (row == NULL)
        return add_unknown(load, t, false, false);
    if (read_type(t, row->types, load->err) < 0)
        return -1;
    if (strcmp(t->key, "order") == 0)
        return order >= 0 ? read_option(load, t, order)
                          : add_unknown(load, t, false, false);
    if ((strcmp(t->key, "world") == 0 || strcmp(t->key, "sizes") == 0) &&
        (!rt->spans || tree_get(t->parent, "node_groups") != NULL))
        return add_unknown(load, t, false, false);
    return 0;
}

static int read_top(struct loader *load)
{
    struct deployment *dep = load->dep;
    const struct tree *groups = tree_get(dep->document, "node_groups");

    for (const struct tree *t = tree_first(dep->document); t != NULL;
         t = t->next)
        if (read_top_key(load, t) < 0)
            return -1;
    dep->model = deployment_model_name(dep->document);
    dep->name = read_string(dep->document, "deployment");
    if (dep->name == NULL)
        dep->name = dep->model;
    dep->has_groups = groups != NULL;
    if (read_options(load, tree_get(dep->document, "options")) < 0 ||
        read_links(load, tree_get(dep->document, "links")) < 0 ||
        deployment_read_wish(dep, load->err) < 0)
        return -1;
    if (groups == NULL && load->rt->spans)
        return read_world(load);
    return read_groups(load, groups);
}

const struct deployment *deployment_load(struct arena *arena,
                                         const struct runtime *rt,
                                         const struct tree *document,
                                         struct error *err)
{
    struct deployment *dep = arena_alloc(arena, sizeof(*dep));
    struct loader load = { .arena = arena, .rt = rt, .dep = dep, .err = err };

    if (read_type(document, READ_MAP, err) < 0)
        return NULL;
    if (dep != NULL) {
        dep->options =
            arena_array(arena, rt->n_options + 1, sizeof(*dep->options));
        dep->carried =
            arena_array(arena, rt->n_carries + 1, sizeof(*dep->carried));
    }
    if (dep == NULL || dep->options == NULL || dep->carried == NULL) {
        error_exhausted(err);
        return NULL;
    }
    dep->runtime = rt;
    dep->document = document;
    return read_top(&load) < 0 ? NULL : dep;
}
