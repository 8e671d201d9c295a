/* SPDX-License-Identifier: Apache-2.0 */
/* The node groups of a request: ranks, sizes, nodes and walks. */
#include "placement/deployment_load.h"

#include <inttypes.h>

static int read_ranks(struct deployment_loader *load, const struct tree *list,
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
static int count_ranks(struct deployment_loader *load, const struct tree *count,
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

static int read_group_key(struct deployment_loader *load, const struct tree *t,
                          struct node_group *group)
{
    const struct runtime *rt = load->rt;
    const struct read_key *row = deployment_key(KEYS_GROUP, t->key);
    int axis = runtime_axis_field(rt, t->key);
    int carry = deployment_carry(rt, t->key, true);

    if (t->type == TREE_NULL)
        return 0;
    if (row != NULL)
        return read_type(t, row->types, load->err);
    if (axis >= 0)
        return deployment_set_size(load, group->sizes, axis, t);
    if (carry >= 0)
        return read_type(t, rt->carries[carry].types, load->err);
    return deployment_unknown(load, t, KEYS_GROUP);
}

static int read_group_lists(struct deployment_loader *load,
                            struct node_group *group)
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

static int read_group(struct deployment_loader *load, const struct tree *at,
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
    return deployment_read_sizes(load, tree_get(at, "sizes"), group->sizes);
}

int deployment_read_groups(struct deployment_loader *load,
                           const struct tree *list)
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

int deployment_read_world(struct deployment_loader *load)
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
        return deployment_read_sizes(load, tree_get(dep->document, "sizes"),
                                     group->sizes);
    if (world->u.integer > VIEW_SPAN_MAX)
        return tree_error(world, load->err, STATUS_INVALID,
                          "a world has at most %d ranks", VIEW_SPAN_MAX);
    dep->world = (struct given){ .has = true, .value = world->u.integer };
    group->n_ranks = world->u.integer > 0 ? (size_t)world->u.integer : 0;
    return deployment_read_sizes(load, tree_get(dep->document, "sizes"),
                                 group->sizes);
}
