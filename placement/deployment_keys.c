/* SPDX-License-Identifier: Apache-2.0 */
/* The keys of a request: which there are, where, and those that nothing reads.
 */
#include "placement/deployment_load.h"

#include <string.h>

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
    { "ports",       READ_LIST,   false },
    { "sparse",      READ_STRING, false },
};
static const struct read_key group_keys[] = {
    { "node_names",  READ_LIST | READ_STRING, false },
    { "ranks",       READ_LIST,   false },
    { "count",       READ_INT,    false },
    { "graph_walks", READ_LIST | READ_STRING, false },
    { "sizes",       READ_MAP,    false },
};
/* clang-format on */

/* The keys of a place that are the same under every runtime. */
static const struct {
    const struct read_key *rows;
    size_t count;
} fixed_keys[] = {
    [KEYS_TOP] = { top_keys, ARRAY_LEN(top_keys) },
    [KEYS_GROUP] = { group_keys, ARRAY_LEN(group_keys) },
    [KEYS_SIZES] = { NULL, 0 },
    [KEYS_OPTIONS] = { NULL, 0 },
};

const struct read_key *deployment_key(enum key_place place, const char *name)
{
    for (size_t i = 0; i < fixed_keys[place].count; i++)
        if (strcmp(fixed_keys[place].rows[i].name, name) == 0)
            return &fixed_keys[place].rows[i];
    return NULL;
}

bool deployment_has_key(const char *name, bool in_group)
{
    return deployment_key(in_group ? KEYS_GROUP : KEYS_TOP, name) != NULL;
}

int deployment_carry(const struct runtime *rt, const char *name, bool in_group)
{
    for (size_t i = 0; i < rt->n_carries; i++)
        if (rt->carries[i].in_group == in_group &&
            strcmp(rt->carries[i].name, name) == 0)
            return (int)i;
    return -1;
}

/* ---- unknown keys -------------------------------------------------------- */

/* Names that are known at a place. */
static size_t known_names(const struct runtime *rt, enum key_place place,
                          const char **names)
{
    bool carries = place == KEYS_TOP || place == KEYS_GROUP;
    bool axes = place == KEYS_SIZES || place == KEYS_GROUP;
    size_t n = 0;

    for (size_t i = 0; i < fixed_keys[place].count; i++)
        names[n++] = fixed_keys[place].rows[i].name;
    for (size_t i = 0; carries && i < rt->n_carries; i++)
        if (rt->carries[i].in_group == (place == KEYS_GROUP))
            names[n++] = rt->carries[i].name;
    for (size_t i = 0; axes && i < rt->n_axes; i++)
        names[n++] = place == KEYS_SIZES ? rt->axes[i].name : rt->axes[i].field;
    for (size_t i = 0; place == KEYS_OPTIONS && i < rt->n_options; i++)
        names[n++] = rt->options[i].field;
    return n;
}

/* Where a request for a world holds what is called so; NULL: nowhere. */
static const char *elsewhere(const struct deployment_loader *load,
                             const char *name)
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

int deployment_unknown(struct deployment_loader *load, const struct tree *at,
                       enum key_place place)
{
    struct deployment *dep = load->dep;
    const struct runtime *rt = load->rt;
    const char **names;
    const char *near;

    if (dep->unknown == NULL)
        dep->unknown = arena_array(load->arena, DEPLOYMENT_UNKNOWN_MAX,
                                   sizeof(*dep->unknown));
    if (dep->n_unknown == DEPLOYMENT_UNKNOWN_MAX)
        return 0;
    names = arena_array(load->arena,
                        fixed_keys[place].count + rt->n_carries + rt->n_axes +
                            rt->n_options + 1,
                        sizeof(*names));
    if (dep->unknown == NULL || names == NULL)
        return error_exhausted(load->err);
    near = elsewhere(load, at->key);
    if (near == NULL)
        near = text_nearest(at->key, names, known_names(rt, place, names));
    if (near != NULL && strcmp(near, at->key) == 0)
        near = NULL; /* known, but not here: no help */
    dep->unknown[dep->n_unknown++] =
        (struct unknown_key){ .at = at, .nearest = near };
    return 0;
}

/* ---- sizes --------------------------------------------------------------- */

int deployment_set_size(struct deployment_loader *load, struct given *sizes,
                        int axis, const struct tree *t)
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

int deployment_read_sizes(struct deployment_loader *load,
                          const struct tree *map, struct given *sizes)
{
    for (const struct tree *t = tree_first(map); t != NULL; t = t->next) {
        int axis = runtime_axis(load->rt, t->key);

        if (axis < 0)
            axis = runtime_axis_field(load->rt, t->key);
        if (t->type == TREE_NULL)
            continue;
        if (axis < 0 ? deployment_unknown(load, t, KEYS_SIZES) < 0
                     : deployment_set_size(load, sizes, axis, t) < 0)
            return -1;
    }
    return 0;
}
