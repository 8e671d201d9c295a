/* SPDX-License-Identifier: Apache-2.0 */
/* What checks look at in a request's model, its nodes in groups and its hosts.
 */
#include "placement/host_list.h"
#include "tests/cases/rules_applies.h"

/* ---- the model ----------------------------------------------------------- */

bool names_model(const struct check *check, const struct rule *rule)
{
    (void)rule;
    return check->dep->model != NULL;
}

bool has_fact(const struct check *check, const struct rule *rule)
{
    const struct model *model = check->model;

    (void)rule;
    if (model == NULL)
        return false;
    for (size_t i = 0; i < model->n_nodes; i++)
        if (tree_count(model->nodes[i].facts) > 0)
            return true;
    return tree_count(model->facts) > 0;
}

bool has_node_axis(const struct check *check, const struct rule *rule)
{
    const struct model *model = check->model;

    (void)rule;
    for (size_t i = 0; model != NULL && i < model->n_nodes; i++)
        if (tree_count(model->nodes[i].axes) > 0)
            return true;
    return false;
}

bool has_split(const struct check *check, const struct rule *rule)
{
    const struct model *model = check->model;

    (void)rule;
    for (size_t i = 0; model != NULL && i < model->n_resources; i++)
        if (model->resources[i].n_splits > 0)
            return true;
    return false;
}

bool has_shard_dim(const struct check *check, const struct rule *rule)
{
    (void)rule;
    return check->model != NULL && tree_count(check->model->shard_dim) > 0;
}

bool has_signal(const struct check *check, const struct rule *rule)
{
    (void)rule;
    return check->model != NULL && check->model->n_signals > 0;
}

/* ---- nodes in groups ----------------------------------------------------- */

bool splits_declared(const struct check *check, const struct rule *rule)
{
    (void)rule;
    for (size_t i = 0; i < check->n_placed; i++)
        for (size_t a = 0; a < check->rt->n_axes; a++)
            if (check->rt->axes[a].declared &&
                scope_size(check, check->placed[i].scope, (int)a) > 1)
                return true;
    return false;
}

bool serves_node(const struct check *check, const struct rule *rule)
{
    (void)rule;
    return check->n_served > 0 && check->served[0].n_nodes > 0;
}

bool names_walk(const struct check *check, const struct rule *rule)
{
    (void)rule;
    for (size_t g = 0; g < check->dep->n_groups; g++)
        if (check->dep->groups[g].n_walks > 0)
            return true;
    return false;
}

static bool shares_rank(const struct scope *a, const struct scope *b)
{
    for (size_t i = 0; i < a->group->n_ranks; i++)
        for (size_t k = 0; k < b->group->n_ranks; k++)
            if (scope_rank(a, i) == scope_rank(b, k))
                return true;
    return false;
}

/* Whether two groups, of several ranks each unless one_rank, place one node;
 * on a common rank if on_rank. */
static bool places_twice(const struct check *check, bool one_rank, bool on_rank)
{
    for (size_t i = 0; i < check->n_placed; i++)
        for (size_t k = 0; k < i; k++) {
            const struct placed *a = &check->placed[i], *b = &check->placed[k];

            if (a->node == b->node && a->serves && b->serves &&
                (one_rank ||
                 (a->scope->instance > 1 && b->scope->instance > 1)) &&
                (!on_rank || shares_rank(a->scope, b->scope)))
                return true;
        }
    return false;
}

bool splits_twice(const struct check *check, const struct rule *rule)
{
    (void)rule;
    return places_twice(check, false, false);
}

bool places_in_two(const struct check *check, const struct rule *rule)
{
    (void)rule;
    return places_twice(check, true, false);
}

bool places_on_rank(const struct check *check, const struct rule *rule)
{
    (void)rule;
    return places_twice(check, false, true);
}

/* Two groups of several ranks, of different nodes, on one rank. */
bool locksteps(const struct check *check, const struct rule *rule)
{
    (void)rule;
    for (size_t g = 0; g < check->dep->n_groups; g++)
        for (size_t h = 0; h < g; h++)
            if (check->scopes[g].instance > 1 &&
                check->scopes[h].instance > 1 &&
                shares_rank(&check->scopes[g], &check->scopes[h]))
                return true;
    return false;
}

bool streams_to_split(const struct check *check, const struct rule *rule)
{
    const struct model *model = check->model;

    (void)rule;
    for (size_t s = 0; model != NULL && s < model->n_streams; s++)
        for (size_t i = 0; i < check->n_placed; i++)
            if (check->placed[i].node->index == model->streams[s].to &&
                check->placed[i].scope->instance > 1)
                return true;
    return false;
}

/* In how many served walks a node runs. */
static size_t walks_of(const struct check *check, int node)
{
    size_t n = 0;

    for (size_t w = 0; w < check->n_served; w++)
        for (size_t i = 0; i < check->served[w].n_nodes; i++)
            n += check->served[w].nodes[i] == node &&
                 check->served[w].groups[i] >= 0;
    return n;
}

bool streams_to_walks(const struct check *check, const struct rule *rule)
{
    const struct model *model = check->model;

    (void)rule;
    for (size_t s = 0; model != NULL && s < model->n_streams; s++)
        if (walks_of(check, model->streams[s].to) > 1)
            return true;
    return false;
}

/* A resource of nodes in two groups of which one is split. */
bool shares_resource(const struct check *check, const struct rule *rule)
{
    const struct model *model = check->model;

    for (size_t r = 0; model != NULL && r < model->n_resources; r++) {
        const struct scope *first = NULL;

        for (size_t i = 0; i < check->n_placed; i++)
            for (size_t k = 0; k < model->resources[r].n_nodes; k++) {
                const struct placed *placed = &check->placed[i];

                if (placed->node->index != model->resources[r].nodes[k])
                    continue;
                if (first != NULL && first != placed->scope &&
                    splits_ranks(check, rule))
                    return true;
                first = placed->scope;
            }
    }
    return false;
}

bool combines_split(const struct check *check, const struct rule *rule)
{
    const struct model *model = check->model;

    for (size_t i = 0; model != NULL && i < model->n_combined; i++)
        if (walks_of(check, model->combined[i].node) > 1 &&
            splits_ranks(check, rule))
            return true;
    return false;
}

/* ---- hosts --------------------------------------------------------------- */

static const struct tree *hosts_of(const struct check *check)
{
    const struct host_list_rules *rules = check->rt->host_list;

    return tree_get(tree_get(check->dep->document, rules->key), rules->hosts);
}

bool lists_hosts(const struct check *check, const struct rule *rule)
{
    (void)rule;
    return tree_count(hosts_of(check)) > 0;
}

bool splits_over_hosts(const struct check *check, const struct rule *rule)
{
    return tree_count(hosts_of(check)) > 1 && splits_ranks(check, rule);
}
