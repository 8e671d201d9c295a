/* SPDX-License-Identifier: Apache-2.0 */
/* A model's declaration: nodes, walks, signals, streams, resources, facts. */
#include "placement/model.h"

#include <string.h>

#include "placement/model_check.h"
#include "placement/reader.h"

/* clang-format off */
static const struct read_key model_keys[] = {
    { "model",          READ_STRING,            true },
    { "runtime",        READ_STRING,            false },
    { "about",          READ_STRING,            false },
    { "facts",          READ_MAP,               false },
    { "nodes",          READ_LIST,              false },
    { "walks",          READ_LIST,              false },
    { "streams",        READ_LIST,              false },
    { "resources",      READ_LIST,              false },
    { "shard_dim",      READ_MAP,               false },
    { "combined_walks", READ_LIST,              false },
    { "estimate",       READ_MAP,               false },
    { "measured",       READ_LIST,              false },
};
static const struct read_key node_keys[] = {
    { "name",  READ_STRING, true },
    { "axes",  READ_MAP,    false },
    { "facts", READ_MAP,    false },
};
static const struct read_key walk_keys[] = {
    { "name",        READ_STRING,             true },
    { "nodes",       READ_LIST,               true },
    { "signals",     READ_LIST,               false },
    { "when_placed", READ_LIST | READ_STRING, false },
};
static const struct read_key signal_keys[] = {
    { "from", READ_STRING, true },
    { "to",   READ_STRING, false },
    { "name", READ_STRING, true },
};
static const struct read_key stream_keys[] = {
    { "signal", READ_STRING, true },
    { "to",     READ_STRING, true },
};
static const struct read_key resource_keys[] = {
    { "key",    READ_STRING,             true },
    { "kind",   READ_STRING,             false },
    { "nodes",  READ_LIST | READ_STRING, true },
    { "splits", READ_LIST | READ_STRING, false },
};
static const struct read_key combined_keys[] = {
    { "node",  READ_STRING,             true },
    { "name",  READ_STRING,             true },
    { "walks", READ_LIST | READ_STRING, true },
};
/* clang-format on */

struct loader {
    struct arena *arena;
    struct model *model;
    size_t n_references; /* names of nodes and walks read so far */
    struct error *err;
};

int model_node(const struct model *model, const char *name)
{
    for (size_t i = 0; i < model->n_nodes; i++)
        if (strcmp(model->nodes[i].name, name) == 0)
            return (int)i;
    return -1;
}

static int find_walk(const struct model *model, const char *name)
{
    for (size_t i = 0; i < model->n_walks; i++)
        if (strcmp(model->walks[i].name, name) == 0)
            return (int)i;
    return -1;
}

/* An array for the entries of an optional list; *ret_n is its length. */
static void *entries(struct loader *load, const char *key, size_t max,
                     size_t size, size_t *ret_n)
{
    const struct tree *list = tree_get(load->model->document, key);
    void *array = arena_array(load->arena, tree_count(list) + 1, size);

    if (tree_count(list) > max) {
        tree_error(list, load->err, STATUS_INVALID,
                   "%zu entries; at most %zu are read", tree_count(list), max);
        return NULL;
    }
    if (array == NULL)
        error_exhausted(load->err);
    *ret_n = tree_count(list);
    return array;
}

static int unknown_node(const struct loader *load, const struct tree *at)
{
    const char *names[MODEL_NODES_MAX];
    const char *nearest;

    for (size_t i = 0; i < load->model->n_nodes; i++)
        names[i] = load->model->nodes[i].name;
    nearest = text_nearest(at->text, names, load->model->n_nodes);
    return tree_error(at, load->err, STATUS_INVALID,
                      "\"%s\" is not among the model's nodes%s%s", at->text,
                      nearest != NULL ? "; the nearest is " : "",
                      nearest != NULL ? nearest : "");
}

/* Indexes of the names in a list (or one name), each found by find(). */
static int read_indexes(struct loader *load, const struct tree *tree,
                        int (*find)(const struct model *, const char *),
                        const int **ret, size_t *ret_n)
{
    bool one = tree != NULL && tree->type == TREE_STRING;
    size_t n = 0;
    int *indexes;

    load->n_references += tree_count(tree);
    if (load->n_references > MODEL_REFERENCES_MAX)
        return tree_error(tree, load->err, STATUS_INVALID,
                          "more than %d names of nodes and walks are listed",
                          MODEL_REFERENCES_MAX);
    if (tree_count(tree) > MODEL_NODES_MAX)
        return tree_error(tree, load->err, STATUS_INVALID,
                          "%zu entries; at most %d are read", tree_count(tree),
                          MODEL_NODES_MAX);
    indexes = arena_array(load->arena, one ? 1 : tree_count(tree) + 1,
                          sizeof(*indexes));
    if (indexes == NULL)
        return error_exhausted(load->err);
    for (const struct tree *t = one ? tree : tree_first(tree); t != NULL;
         t = one ? NULL : t->next) {
        if (read_type(t, READ_STRING, load->err) < 0)
            return -1;
        indexes[n] = find(load->model, t->text);
        if (indexes[n] < 0 && find == model_node)
            return unknown_node(load, t);
        if (indexes[n] < 0)
            return tree_error(t, load->err, STATUS_INVALID,
                              "\"%s\" is not among the model's walks", t->text);
        for (size_t i = 0; i < n; i++)
            if (indexes[i] == indexes[n])
                return tree_error(t, load->err, STATUS_INVALID,
                                  "\"%s\" is listed twice", t->text);
        n++;
    }
    *ret = indexes;
    *ret_n = n;
    return 0;
}

static int load_nodes(struct loader *load)
{
    struct model *model = load->model;
    const struct tree *list = tree_get(model->document, "nodes");
    size_t n;

    model->nodes =
        entries(load, "nodes", MODEL_NODES_MAX, sizeof(*model->nodes), &n);
    if (model->nodes == NULL)
        return -1;
    for (const struct tree *t = tree_first(list); t != NULL; t = t->next) {
        struct node *node = &model->nodes[model->n_nodes];

        if (read_keys(t, node_keys, ARRAY_LEN(node_keys), load->err) < 0)
            return -1;
        node->name = read_string(t, "name");
        node->axes = tree_get(t, "axes");
        node->facts = tree_get(t, "facts");
        node->index = (int)model->n_nodes;
        if (model_check_axes(node->axes, load->err) < 0 ||
            model_check_facts(node->facts, load->err) < 0)
            return -1;
        if (node->name[0] == '\0' || model_node(model, node->name) >= 0)
            return tree_error(t, load->err, STATUS_INVALID,
                              "the node name \"%s\" is %s", node->name,
                              node->name[0] == '\0' ? "empty" : "used twice");
        model->n_nodes++;
    }
    return 0;
}

static size_t count_signals(const struct tree *walks)
{
    size_t n = 0;

    for (const struct tree *t = tree_first(walks); t != NULL; t = t->next)
        n += tree_count(tree_get(t, "signals"));
    return n;
}

static int load_signals(struct loader *load, const struct tree *list, int walk)
{
    struct model *model = load->model;

    for (const struct tree *t = tree_first(list); t != NULL; t = t->next) {
        struct walk_signal *signal = &model->signals[model->n_signals];

        if (read_keys(t, signal_keys, ARRAY_LEN(signal_keys), load->err) < 0)
            return -1;
        signal->name = read_string(t, "name");
        signal->walk = walk;
        signal->from = model_node(model, read_string(t, "from"));
        if (signal->from < 0)
            return unknown_node(load, tree_get(t, "from"));
        signal->to_name = read_string(t, "to");
        signal->to = -1;
        if (signal->to_name != NULL)
            signal->to = model_node(model, signal->to_name);
        model->n_signals++;
    }
    return 0;
}

static int load_walk(struct loader *load, const struct tree *t)
{
    struct model *model = load->model;
    struct walk *walk = &model->walks[model->n_walks];

    if (read_keys(t, walk_keys, ARRAY_LEN(walk_keys), load->err) < 0)
        return -1;
    walk->name = read_string(t, "name");
    walk->index = (int)model->n_walks;
    if (find_walk(model, walk->name) >= 0)
        return tree_error(t, load->err, STATUS_INVALID,
                          "the walk name \"%s\" is used twice", walk->name);
    if (read_indexes(load, tree_get(t, "nodes"), model_node, &walk->nodes,
                     &walk->n_nodes) < 0 ||
        read_indexes(load, tree_get(t, "when_placed"), model_node,
                     &walk->when_placed, &walk->n_when_placed) < 0 ||
        load_signals(load, tree_get(t, "signals"), walk->index) < 0)
        return -1;
    model->n_walks++;
    return 0;
}

static int load_walks(struct loader *load)
{
    struct model *model = load->model;
    const struct tree *list = tree_get(model->document, "walks");
    size_t n, n_signals = count_signals(list);

    model->walks =
        entries(load, "walks", MODEL_NODES_MAX, sizeof(*model->walks), &n);
    if (model->walks == NULL)
        return -1;
    if (n_signals > MODEL_SIGNALS_MAX)
        return tree_error(list, load->err, STATUS_INVALID,
                          "%zu signals; at most %d are read", n_signals,
                          MODEL_SIGNALS_MAX);
    model->signals =
        arena_array(load->arena, n_signals + 1, sizeof(*model->signals));
    if (model->signals == NULL)
        return error_exhausted(load->err);
    for (const struct tree *t = tree_first(list); t != NULL; t = t->next)
        if (load_walk(load, t) < 0)
            return -1;
    return 0;
}

static int load_streams(struct loader *load)
{
    struct model *model = load->model;
    const struct tree *list = tree_get(model->document, "streams");
    size_t n;

    model->streams =
        entries(load, "streams", MODEL_NODES_MAX, sizeof(*model->streams), &n);
    if (model->streams == NULL)
        return -1;
    for (const struct tree *t = tree_first(list); t != NULL; t = t->next) {
        struct stream *stream = &model->streams[model->n_streams++];

        if (read_keys(t, stream_keys, ARRAY_LEN(stream_keys), load->err) < 0)
            return -1;
        stream->signal = read_string(t, "signal");
        stream->to = model_node(model, read_string(t, "to"));
        if (stream->to < 0)
            return unknown_node(load, tree_get(t, "to"));
    }
    return 0;
}

static int load_resource(struct loader *load, const struct tree *t)
{
    struct model *model = load->model;
    struct resource *resource = &model->resources[model->n_resources];
    const struct tree *splits;

    if (read_keys(t, resource_keys, ARRAY_LEN(resource_keys), load->err) < 0)
        return -1;
    splits = tree_get(t, "splits");
    resource->key = read_string(t, "key");
    resource->kind = read_string(t, "kind");
    if (resource->kind == NULL)
        resource->kind = "";
    resource->has_splits = splits != NULL;
    for (size_t i = 0; i < model->n_resources; i++)
        if (strcmp(model->resources[i].key, resource->key) == 0)
            return tree_error(t, load->err, STATUS_INVALID,
                              "the resource key \"%s\" is used twice",
                              resource->key);
    if (splits != NULL && read_names(load->arena, splits, &resource->splits,
                                     &resource->n_splits, load->err) < 0)
        return -1;
    if (read_indexes(load, tree_get(t, "nodes"), model_node, &resource->nodes,
                     &resource->n_nodes) < 0)
        return -1;
    model->n_resources++;
    return 0;
}

static int load_resources(struct loader *load)
{
    struct model *model = load->model;
    const struct tree *list = tree_get(model->document, "resources");
    size_t n;

    model->resources = entries(load, "resources", MODEL_NODES_MAX,
                               sizeof(*model->resources), &n);
    if (model->resources == NULL)
        return -1;
    for (const struct tree *t = tree_first(list); t != NULL; t = t->next)
        if (load_resource(load, t) < 0)
            return -1;
    return 0;
}

static int load_combined(struct loader *load)
{
    struct model *model = load->model;
    const struct tree *list = tree_get(model->document, "combined_walks");
    size_t n;

    model->combined = entries(load, "combined_walks", MODEL_NODES_MAX,
                              sizeof(*model->combined), &n);
    if (model->combined == NULL)
        return -1;
    for (const struct tree *t = tree_first(list); t != NULL; t = t->next) {
        struct combined *combined = &model->combined[model->n_combined++];

        if (read_keys(t, combined_keys, ARRAY_LEN(combined_keys), load->err) <
            0)
            return -1;
        combined->name = read_string(t, "name");
        combined->node = model_node(model, read_string(t, "node"));
        if (combined->node < 0)
            return unknown_node(load, tree_get(t, "node"));
        if (read_indexes(load, tree_get(t, "walks"), find_walk,
                         &combined->walks, &combined->n_walks) < 0)
            return -1;
    }
    return 0;
}

const struct model *model_load(struct arena *arena, const struct tree *document,
                               struct error *err)
{
    struct model *model = arena_alloc(arena, sizeof(*model));
    struct loader load = { .arena = arena, .model = model, .err = err };

    if (model == NULL) {
        error_exhausted(err);
        return NULL;
    }
    if (read_keys(document, model_keys, ARRAY_LEN(model_keys), err) < 0)
        return NULL;
    model->document = document;
    model->name = read_string(document, "model");
    model->runtime = read_string(document, "runtime");
    model->facts = tree_get(document, "facts");
    model->shard_dim = tree_get(document, "shard_dim");
    if (model_check_facts(model->facts, err) < 0 ||
        model_check_shard_dim(model->shard_dim, err) < 0 ||
        load_nodes(&load) < 0 || load_walks(&load) < 0 ||
        load_streams(&load) < 0 || load_resources(&load) < 0 ||
        load_combined(&load) < 0 ||
        estimate_load(arena, document, &model->estimate, err) < 0)
        return NULL;
    return model;
}
