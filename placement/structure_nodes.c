/* SPDX-License-Identifier: Apache-2.0 */
/* Structure checks of nodes: declared axes, and which group runs them. */
#include "placement/structure_checks.h"

#include <string.h>

bool same_shape(const struct check *check, const struct scope *a,
                const struct scope *b)
{
    for (size_t i = 0; i < check->rt->n_axes; i++)
        if (scope_size(check, a, (int)i) != scope_size(check, b, (int)i))
            return false;
    return true;
}

bool same_instance(const struct check *check, const struct scope *a,
                   size_t instance_a, const struct scope *b, size_t instance_b)
{
    if (a->instance != b->instance || !same_shape(check, a, b))
        return false;
    for (uint32_t i = 0; i < a->instance; i++)
        if (scope_rank(a, instance_a * a->instance + i) !=
            scope_rank(b, instance_b * b->instance + i))
            return false;
    return true;
}

bool same_ranks(const struct scope *a, const struct scope *b)
{
    if (a->group->n_ranks != b->group->n_ranks)
        return false;
    for (size_t i = 0; i < a->group->n_ranks; i++)
        if (scope_rank(a, i) != scope_rank(b, i))
            return false;
    return true;
}

/* ---- declared ------------------------------------------------------------ */

static void check_declared(struct check *check, const struct placed *placed,
                           uint32_t except)
{
    for (size_t a = 0; a < check->rt->n_axes; a++) {
        const struct axis *axis = &check->rt->axes[a];
        uint32_t size = scope_size(check, placed->scope, (int)a);
        struct finding *f;

        if (!axis->declared || size < 2 || (except & 1u << a) != 0 ||
            tree_get(placed->node->axes, axis->name) != NULL)
            continue;
        f = check_fault(check, FAULT_AXIS_NOT_ENABLED);
        f->group = placed->scope->group->index;
        f->axis = (int)a;
        f->node = placed->node;
        f->a = size;
    }
}

void structure_declared(struct check *check, const struct rule *rule)
{
    if (check->model == NULL)
        return;
    for (size_t i = 0; i < check->n_placed && !check_done(check); i++)
        check_declared(check, &check->placed[i], rule->except);
}

/* ---- resolution ---------------------------------------------------------- */

static void check_unplaced(struct check *check, const struct served *served)
{
    for (size_t i = 0; i < served->n_nodes; i++) {
        struct finding *f;

        if (served->groups[i] >= 0)
            continue;
        f = check_fault(check, FAULT_NODE_UNPLACED);
        f->walk = served->name;
        f->node = &check->nodes[served->nodes[i]];
    }
}

/* Whether this placing of a node was reported as shadowed already. */
static bool was_reported(const struct findings *list,
                         const struct placed *placed, enum fault fault)
{
    for (size_t i = 0; i < list->n; i++)
        if (list->items[i].fault == (int)fault &&
            list->items[i].node == placed->node &&
            list->items[i].group == placed->scope->group->index)
            return true;
    return false;
}

static void add_shadowed(struct check *check, const struct placed *placed,
                         const struct served *served, int winner)
{
    bool parallel = placed->scope->instance > 1;
    enum fault fault =
        parallel ? FAULT_GROUP_SHADOWED : FAULT_GROUP_SHADOWED_WARN;
    struct finding *f;

    if (was_reported(parallel ? &check->refused : &check->warnings, placed,
                     fault))
        return;
    f = check_fault(check, fault);
    f->group = placed->scope->group->index;
    f->other = winner;
    f->node = placed->node;
    f->walk = served->name;
}

/* Entries that are active for a node and walk, but that a later one hides.
 * winners: room for a group index by node. */
static void check_shadowed(struct check *check, const struct served *served,
                           int *winners)
{
    for (size_t i = 0; i < check->n_nodes; i++)
        winners[i] = -1;
    for (size_t i = 0; i < served->n_nodes; i++)
        winners[served->nodes[i]] = served->groups[i];
    for (size_t g = 0; g < check->dep->n_groups; g++) {
        const struct scope *scope = &check->scopes[g];

        if (!group_in_walk(scope->group, served->name))
            continue;
        for (size_t i = 0; i < scope->n_placed; i++) {
            const struct placed *placed =
                &check->placed[scope->first_placed + i];
            int winner = winners[placed->node - check->nodes];

            if (winner >= 0 && winner != (int)g)
                add_shadowed(check, placed, served, winner);
        }
    }
}

/* runs: room for a flag by node. */
static void warn_unused_nodes(struct check *check, bool *runs)
{
    for (size_t p = 0; p < check->n_placed; p++)
        runs[check->placed[p].node - check->nodes] |= check->placed[p].serves;
    for (size_t p = 0; p < check->n_placed; p++) {
        const struct placed *placed = &check->placed[p];
        const char *names[MODEL_NODES_MAX];
        struct finding *f;

        if (runs[placed->node - check->nodes])
            continue;
        f = check_fault(check, FAULT_NODE_UNUSED);
        f->group = placed->scope->group->index;
        f->node = placed->node;
        for (size_t i = 0; i < check->model->n_nodes; i++)
            names[i] = check->model->nodes[i].name;
        if (placed->node->index < 0)
            f->near =
                text_nearest(placed->node->name, names, check->model->n_nodes);
    }
}

static void warn_walks(struct check *check, const struct node_group *group)
{
    const struct model *model = check->model;
    const char *names[MODEL_NODES_MAX];

    for (size_t i = 0; i < model->n_walks; i++)
        names[i] = model->walks[i].name;
    for (size_t i = 0; i < group->n_walks && model->n_walks > 0; i++) {
        bool known = false;
        struct finding *f;

        for (size_t k = 0; k < model->n_walks; k++)
            known |= strcmp(names[k], group->walks[i]) == 0;
        if (known)
            continue;
        f = check_fault(check, FAULT_WALK_UNKNOWN);
        f->group = group->index;
        f->name = group->walks[i];
        f->near = text_nearest(group->walks[i], names, model->n_walks);
    }
}

static void warn_inactive(struct check *check, const struct scope *scope)
{
    for (size_t i = 0; i < scope->n_placed; i++)
        if (check->placed[scope->first_placed + i].serves)
            return;
    check_fault(check, FAULT_GROUP_INACTIVE)->group = scope->group->index;
}

static void warn_signals(struct check *check)
{
    const struct model *model = check->model;

    for (size_t i = 0; i < model->n_signals; i++) {
        const struct walk_signal *signal = &model->signals[i];
        struct finding *f;

        if (signal->to >= 0 || signal->to_name == NULL)
            continue;
        f = check_fault(check, FAULT_SIGNAL_LEAVES);
        f->walk = model->walks[signal->walk].name;
        f->name = signal->name;
        f->near = signal->to_name;
    }
}

void structure_resolution(struct check *check, const struct rule *rule)
{
    int *winners = check_alloc(check, check->n_nodes + 1, sizeof(*winners));
    bool *runs = check_alloc(check, check->n_nodes + 1, sizeof(*runs));

    (void)rule;
    if (winners == NULL || runs == NULL)
        return;
    if (!check->dep->has_groups && !check->dep->spans)
        return; /* a missing key says so */
    for (size_t i = 0; i < check->n_served && !check_done(check); i++) {
        check_unplaced(check, &check->served[i]);
        check_shadowed(check, &check->served[i], winners);
    }
    if ((check->flags & CHECK_VERDICT_ONLY) != 0 || check->model == NULL ||
        check->dep->spans)
        return;
    warn_unused_nodes(check, runs);
    for (size_t g = 0; g < check->dep->n_groups; g++) {
        warn_walks(check, &check->dep->groups[g]);
        warn_inactive(check, &check->scopes[g]);
    }
    warn_signals(check);
}
