/* SPDX-License-Identifier: Apache-2.0 */
/* Which group runs each node of each walk that a deployment serves. */
#include "placement/check.h"

#include <string.h>

/* ---- nodes and where they are placed ------------------------------------- */

static int node_named(const struct check *check, const char *name)
{
    for (size_t i = 0; i < check->n_nodes; i++)
        if (strcmp(check->nodes[i].name, name) == 0)
            return (int)i;
    return -1;
}

static size_t count_names(const struct deployment *dep)
{
    size_t n = 0;

    for (size_t g = 0; g < dep->n_groups; g++)
        n += dep->groups[g].n_node_names;
    return n;
}

/* Places every node that the group names; once, if it names one twice. */
static void place_group(struct check *check, struct scope *scope)
{
    const struct node_group *group = scope->group;
    size_t first = check->n_placed;

    scope->first_placed = first;
    for (size_t i = 0; i < group->n_node_names; i++) {
        int index = node_named(check, group->node_names[i]);
        size_t p = first;

        if (index < 0) {
            index = (int)check->n_nodes++;
            check->nodes[index] =
                (struct node){ .name = group->node_names[i], .index = -1 };
        }
        while (p < check->n_placed &&
               check->placed[p].node != &check->nodes[index])
            p++;
        if (p == check->n_placed)
            check->placed[check->n_placed++] = (struct placed){
                .node = &check->nodes[index],
                .scope = scope,
            };
    }
    scope->n_placed = check->n_placed - first;
}

int resolve_nodes(struct check *check)
{
    const struct model *model = check->model;
    size_t n_model = model != NULL ? model->n_nodes : 0;
    size_t n_names = count_names(check->dep);

    check->nodes =
        check_alloc(check, n_model + n_names + 1, sizeof(*check->nodes));
    check->placed =
        check_alloc(check, n_model + n_names + 1, sizeof(*check->placed));
    if (check->nodes == NULL || check->placed == NULL)
        return -1;
    if (n_model > 0)
        memcpy(check->nodes, model->nodes, n_model * sizeof(*check->nodes));
    check->n_nodes = n_model;
    for (size_t g = 0; g < check->dep->n_groups; g++)
        place_group(check, &check->scopes[g]);
    /* where one group spans the world, it runs every node; without a model one
     * node stands for what the ranks run */
    if (check->dep->spans && n_model == 0)
        check->nodes[check->n_nodes++] =
            (struct node){ .name = "world", .index = -1 };
    for (size_t i = 0; check->dep->spans && i < check->n_nodes; i++) {
        check->scopes[0].n_placed++;
        check->placed[check->n_placed++] = (struct placed){
            .node = &check->nodes[i],
            .scope = &check->scopes[0],
        };
    }
    return 0;
}

/* ---- walks --------------------------------------------------------------- */

bool group_in_walk(const struct node_group *group, const char *walk)
{
    if (group->all_walks)
        return true;
    for (size_t i = 0; i < group->n_walks; i++)
        if (strcmp(group->walks[i], walk) == 0)
            return true;
    return false;
}

static bool is_placed(const struct check *check, int node)
{
    for (size_t i = 0; i < check->n_placed; i++)
        if (check->placed[i].node == &check->nodes[node])
            return true;
    return false;
}

static bool is_served(const struct check *check, const struct walk *walk)
{
    for (size_t i = 0; i < walk->n_when_placed; i++)
        if (!is_placed(check, walk->when_placed[i]))
            return false;
    return true;
}

/* For every node the placed node that runs it in a walk, the last active one;
 * NULL where none does. Made in the check's arena; NULL: it is full. */
static struct placed **runners(struct check *check, const char *walk)
{
    struct placed **by_node =
        check_alloc(check, check->n_nodes + 1, sizeof(*by_node));

    for (size_t g = 0; by_node != NULL && g < check->dep->n_groups; g++) {
        const struct scope *scope = &check->scopes[g];
        bool active = group_in_walk(scope->group, walk);

        for (size_t i = 0; active && i < scope->n_placed; i++) {
            struct placed *placed = &check->placed[scope->first_placed + i];

            by_node[placed->node - check->nodes] = placed;
        }
    }
    return by_node;
}

static int resolve_walk(struct check *check, struct served *served,
                        struct placed *const *by_node)
{
    served->groups =
        check_alloc(check, served->n_nodes + 1, sizeof(*served->groups));
    if (served->groups == NULL)
        return -1;
    for (size_t i = 0; i < served->n_nodes; i++) {
        struct placed *placed = by_node[served->nodes[i]];

        served->groups[i] = placed != NULL ? placed->scope->group->index : -1;
        if (placed != NULL)
            placed->serves = true;
    }
    return 0;
}

/* Without declared walks, every node that an active group names is run. */
static int add_undeclared(struct check *check, const char *name)
{
    struct served *served = &check->served[check->n_served];
    int *nodes = check_alloc(check, check->n_nodes + 1, sizeof(*nodes));
    struct placed **by_node = runners(check, name);

    if (nodes == NULL || by_node == NULL)
        return -1;
    served->name = name;
    served->nodes = nodes;
    for (size_t i = 0; i < check->n_nodes; i++)
        if (by_node[i] != NULL)
            nodes[served->n_nodes++] = (int)i;
    check->n_served++;
    return resolve_walk(check, served, by_node);
}

static bool has_served(const struct check *check, const char *name)
{
    for (size_t i = 0; i < check->n_served; i++)
        if (strcmp(check->served[i].name, name) == 0)
            return true;
    return false;
}

static size_t count_walk_names(const struct deployment *dep)
{
    size_t n = 0;

    for (size_t g = 0; g < dep->n_groups; g++)
        n += dep->groups[g].n_walks;
    return n;
}

/* The walks that the groups themselves name, else one without a name. */
static int resolve_undeclared(struct check *check)
{
    const struct deployment *dep = check->dep;

    check->served =
        check_alloc(check, count_walk_names(dep) + 1, sizeof(*check->served));
    if (check->served == NULL)
        return -1;
    for (size_t g = 0; g < dep->n_groups; g++)
        for (size_t i = 0; i < dep->groups[g].n_walks; i++)
            if (!has_served(check, dep->groups[g].walks[i]) &&
                add_undeclared(check, dep->groups[g].walks[i]) < 0)
                return -1;
    return check->n_served > 0 ? 0 : add_undeclared(check, "");
}

int resolve_walks(struct check *check)
{
    const struct model *model = check->model;

    if (model == NULL || model->n_walks == 0)
        return resolve_undeclared(check);
    check->served = check_alloc(check, model->n_walks, sizeof(*check->served));
    if (check->served == NULL)
        return -1;
    for (size_t i = 0; i < model->n_walks; i++) {
        const struct walk *walk = &model->walks[i];
        struct placed **by_node;

        if (!is_served(check, walk))
            continue;
        by_node = runners(check, walk->name);
        check->served[check->n_served] = (struct served){
            .name = walk->name,
            .walk = walk,
            .nodes = walk->nodes,
            .n_nodes = walk->n_nodes,
        };
        if (by_node == NULL ||
            resolve_walk(check, &check->served[check->n_served++], by_node) < 0)
            return -1;
    }
    return 0;
}
