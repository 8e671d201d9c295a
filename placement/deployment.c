/* SPDX-License-Identifier: Apache-2.0 */
/* A deployment: the request to place a model under a runtime. */
#include "placement/deployment.h"

#include <inttypes.h>
#include <string.h>

#include "placement/deployment_load.h"
#include "placement/reader.h"

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

static int read_option(struct deployment_loader *load, const struct tree *t,
                       int option)
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

static int read_options(struct deployment_loader *load, const struct tree *map)
{
    for (const struct tree *t = tree_first(map); t != NULL; t = t->next) {
        int option = runtime_option(load->rt, t->key);

        if (t->type == TREE_NULL)
            continue;
        if (option >= 0 ? read_option(load, t, option) < 0
                        : deployment_unknown(load, t, KEYS_OPTIONS) < 0)
            return -1;
    }
    return 0;
}

/* A map whose only key is shard_dim: dimensions, or null, by signal. */
static int read_shard_dim(struct deployment_loader *load,
                          const struct tree *map)
{
    static const struct read_key keys[] = {
        { "shard_dim", READ_MAP, false },
    };

    if (read_keys(map, keys, ARRAY_LEN(keys), load->err) < 0)
        return -1;
    return model_check_shard_dim(tree_get(map, "shard_dim"), load->err);
}

/* What groups want instead of what the runtime says. */
static int read_links(struct deployment_loader *load, const struct tree *map)
{
    const struct runtime *rt = load->rt;

    for (size_t a = 0; a < rt->n_axes; a++)
        load->dep->links[a] = -1;
    load->dep->list_links = rt->list_links;
    if (map != NULL && link_wishes_copy(&rt->list_links, load->arena,
                                        &load->dep->list_links, load->err) < 0)
        return -1;
    for (const struct tree *t = tree_first(map); t != NULL; t = t->next) {
        int axis = runtime_axis(rt, t->key);
        enum link_level level;

        if (axis < 0)
            axis = runtime_axis_field(rt, t->key);
        if (axis < 0) {
            if (link_wishes_add(&load->dep->list_links, rt, load->arena, t,
                                true, load->err) < 0)
                return -1;
            continue;
        }
        if (t->type == TREE_NULL)
            continue;
        if (link_read(t, &level, load->err) < 0)
            return -1;
        load->dep->links[axis] = (int)level;
    }
    return 0;
}

/* Purposes of its own beside those of its runtime. */
static int read_ports(struct deployment_loader *load)
{
    struct deployment *dep = load->dep;
    const struct tree *list = tree_get(dep->document, "ports");
    struct port_wishes *ports;

    dep->ports = &load->rt->ports;
    if (list == NULL)
        return 0;
    ports = arena_alloc(load->arena, sizeof(*ports));
    if (ports == NULL)
        return error_exhausted(load->err);
    *ports = load->rt->ports;
    dep->ports = ports;
    return port_wishes_read(ports, list, load->err);
}

/* What the request says of the devices that it wants, beside `links`. */
static int read_wish(struct deployment *dep, struct error *err)
{
    const struct tree *spares = tree_get(dep->document, "spares");

    dep->wish.unbound = tree_get(dep->document, "bind") != NULL &&
                        !tree_true(dep->document, "bind");
    dep->wish.shared = tree_true(dep->document, "shared");
    if (spares == NULL)
        return 0;
    if (spares->u.integer < 0 || spares->u.integer > DEPLOYMENT_RANKS_MAX)
        return tree_error(spares, err, STATUS_INVALID,
                          "%" PRId64 " spares; there may be 0 to %d",
                          spares->u.integer, DEPLOYMENT_RANKS_MAX);
    dep->wish.spares = (uint32_t)spares->u.integer;
    return 0;
}

static int read_top_key(struct deployment_loader *load, const struct tree *t)
{
    const struct runtime *rt = load->rt;
    const struct read_key *row = deployment_key(KEYS_TOP, t->key);
    int carry = deployment_carry(rt, t->key, false);
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
        return deployment_unknown(load, t, KEYS_TOP);
    if (read_type(t, row->types, load->err) < 0)
        return -1;
    if (strcmp(t->key, "order") == 0)
        return order >= 0 ? read_option(load, t, order)
                          : deployment_unknown(load, t, KEYS_TOP);
    if ((strcmp(t->key, "world") == 0 || strcmp(t->key, "sizes") == 0) &&
        (!rt->spans || tree_get(t->parent, "node_groups") != NULL))
        return deployment_unknown(load, t, KEYS_TOP);
    return 0;
}

static int read_top(struct deployment_loader *load)
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
        read_wish(dep, load->err) < 0 || read_ports(load) < 0)
        return -1;
    if (groups == NULL && load->rt->spans)
        return deployment_read_world(load);
    if (deployment_read_groups(load, groups) < 0)
        return -1;
    return deployment_read_sparse(dep, load->arena, load->err);
}

const struct deployment *deployment_load(struct arena *arena,
                                         const struct runtime *rt,
                                         const struct tree *document,
                                         struct error *err)
{
    struct deployment *dep = arena_alloc(arena, sizeof(*dep));
    struct deployment_loader load = {
        .arena = arena, .rt = rt, .dep = dep, .err = err
    };

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
