/* SPDX-License-Identifier: Apache-2.0 */
/* A request made up from a runtime and sizes alone, with no model behind it. */
#include "placement/synthetic.h"

#include "placement/reader.h"

static const char name[] = "mesh"; /* of the model and its node */

/* Some value of a key that the runtime insists on. */
static void make_required(const struct carry *carry, struct tree_maker *maker,
                          struct tree *map)
{
    if ((carry->types & READ_INT) != 0)
        make_int(maker, map, carry->name, 1);
    else if ((carry->types & READ_STRING) != 0)
        make_string(maker, map, carry->name, name);
    else if ((carry->types & READ_BOOL) != 0)
        make_bool(maker, map, carry->name, false);
    else if ((carry->types & READ_MAP) != 0)
        make_map(maker, map, carry->name);
    else
        make_list(maker, map, carry->name);
}

static void make_carried(const struct runtime *rt, bool in_group,
                         struct tree_maker *maker, struct tree *map)
{
    for (size_t i = 0; i < rt->n_carries; i++)
        if (rt->carries[i].required && rt->carries[i].in_group == in_group)
            make_required(&rt->carries[i], maker, map);
}

static void make_group(const struct runtime *rt, int64_t world,
                       const struct tree *sizes, struct tree_maker *maker,
                       struct tree *document)
{
    struct tree *group =
        make_map(maker, make_list(maker, document, "node_groups"), NULL);

    make_string(maker, make_list(maker, group, "node_names"), NULL, name);
    make_int(maker, group, "count", world);
    make_copy(maker, group, "sizes", sizes);
    make_carried(rt, true, maker, group);
}

static struct tree *make_model(const struct runtime *rt,
                               struct tree_maker *maker)
{
    struct tree *model = make_map(maker, NULL, NULL), *node, *axes;

    make_string(maker, model, "model", name);
    make_string(maker, model, "runtime", rt->name);
    node = make_map(maker, make_list(maker, model, "nodes"), NULL);
    make_string(maker, node, "name", name);
    axes = make_map(maker, node, "axes");
    for (size_t a = 0; a < rt->n_axes; a++)
        make_map(maker, axes, rt->axes[a].name);
    return model;
}

/* A group of the nodes that may be split, or of the others; of a model in which
 * none may be, of all. False: there are none. */
static bool make_nodes(const struct model *model, bool split,
                       struct tree_maker *maker, struct tree *group)
{
    struct tree *names = make_list(maker, group, "node_names");
    bool any = false;

    for (size_t i = 0; i < model->n_nodes; i++)
        any |= tree_count(model->nodes[i].axes) > 0;
    for (size_t i = 0; i < model->n_nodes; i++)
        if (!any || (tree_count(model->nodes[i].axes) > 0) == split)
            make_string(maker, names, NULL, model->nodes[i].name);
    return tree_count(names) > 0 && (any || split);
}

static void make_groups(const struct runtime *rt, const struct model *model,
                        int64_t world, const struct tree *sizes,
                        struct tree_maker *maker, struct tree *document)
{
    struct tree *list = make_list(maker, document, "node_groups");

    for (int others = 0; others < 2; others++) {
        struct tree *group = make_map(maker, NULL, NULL);

        if (!make_nodes(model, others == 0, maker, group))
            continue;
        if (others == 0) {
            make_int(maker, group, "count", world);
            make_copy(maker, group, "sizes", sizes);
        } else {
            make_int(maker, make_list(maker, group, "ranks"), NULL, 0);
        }
        make_carried(rt, true, maker, group);
        make_copy(maker, list, NULL, group);
    }
}

int synthetic_placing(const struct runtime *rt, const struct model *model,
                      int64_t world, const struct tree *sizes,
                      const struct tree *options, struct tree_maker *maker,
                      struct tree **ret, struct error *err)
{
    struct tree *document = make_map(maker, NULL, NULL);

    make_string(maker, document, "deployment", model->name);
    make_string(maker, document, "runtime", rt->name);
    make_string(maker, document, "model", model->name);
    make_carried(rt, false, maker, document);
    if (tree_count(options) > 0)
        make_copy(maker, document, "options", options);
    if (rt->spans) {
        make_int(maker, document, "world", world);
        make_copy(maker, document, "sizes", sizes);
    } else {
        make_groups(rt, model, world, sizes, maker, document);
    }
    if (maker->failed)
        return error_exhausted(err);
    *ret = document;
    return 0;
}

int synthetic_request(const struct runtime *rt, int64_t world,
                      const struct tree *sizes, const struct tree *options,
                      struct tree_maker *maker, struct tree **ret_deployment,
                      struct tree **ret_model, struct error *err)
{
    struct tree *document = make_map(maker, NULL, NULL), *model = NULL;

    make_string(maker, document, "deployment", name);
    make_string(maker, document, "runtime", rt->name);
    make_carried(rt, false, maker, document);
    if (tree_count(options) > 0)
        make_copy(maker, document, "options", options);
    if (rt->spans) {
        make_int(maker, document, "world", world);
        make_copy(maker, document, "sizes", sizes);
    } else {
        make_string(maker, document, "model", name);
        make_group(rt, world, sizes, maker, document);
        model = make_model(rt, maker);
    }
    if (maker->failed)
        return error_exhausted(err);
    *ret_deployment = document;
    *ret_model = model;
    return 0;
}
