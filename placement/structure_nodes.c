/* SPDX-License-Identifier: Apache-2.0 */
/* Structure checks of nodes and ranks: declared axes, resolution, conflicts. */
#include "placement/structure_checks.h"

#include <stdlib.h>
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

/* ---- dense ranks --------------------------------------------------------- */

/* Highest rank of all groups + 1, over groups whose ranks are good. */
static uint32_t rank_bound(const struct check *check)
{
    uint32_t bound = 0;

    for (size_t g = 0; g < check->dep->n_groups; g++) {
        const struct scope *scope = &check->scopes[g];

        for (size_t i = 0; scope->good_ranks && i < scope->group->n_ranks; i++)
            if (scope_rank(scope, i) >= bound)
                bound = scope_rank(scope, i) + 1;
    }
    return bound;
}

void structure_dense_ranks(struct check *check, const struct rule *rule)
{
    uint32_t bound = rank_bound(check), used = 0, first = 0;
    bool parallel = false;
    bool *is_used = check_alloc(check, (size_t)bound + 1, sizeof(*is_used));
    struct finding *f;

    (void)rule;
    if (is_used == NULL)
        return;
    for (size_t g = 0; g < check->dep->n_groups; g++) {
        const struct scope *scope = &check->scopes[g];

        if (!scope->good_ranks)
            return; /* another finding explains it */
        parallel |= scope->instance > 1;
        for (size_t i = 0; i < scope->group->n_ranks; i++)
            is_used[scope_rank(scope, i)] = true;
    }
    for (uint32_t r = 0; r < bound; r++)
        used += is_used[r];
    if (!parallel || used == bound)
        return;
    while (is_used[first])
        first++;
    f = check_fault(check, FAULT_RANKS_NOT_DENSE);
    f->rank = first;
    f->a = used;
    f->b = used - 1;
}

/* ---- conflicts ----------------------------------------------------------- */

/* By rank: which group took it first, + 1, and in which instance. */
struct owner {
    int32_t group;
    uint32_t instance;
};

/* The axis to name: the outermost whose size differs, else the outermost above
 * 1. */
static int differing_axis(const struct check *check, const struct scope *a,
                          const struct scope *b)
{
    int above = -1;

    for (size_t i = 0; i < check->rt->n_axes; i++) {
        uint32_t size = scope_size(check, a, (int)i);

        if (size != scope_size(check, b, (int)i))
            return (int)i;
        if (size > 1 && above < 0)
            above = (int)i;
    }
    return above < 0 ? 0 : above;
}

/* Claims the ranks of a scope. Where another scope holds one in an instance
 * that is not the same, returns it and sets *ret_rank; NULL: no conflict. */
static const struct scope *claim(struct check *check, struct owner *owners,
                                 const struct scope *scope, int64_t *ret_rank)
{
    struct owner compared = { 0 }; /* with the instance at hand */

    for (size_t i = 0; i < scope->group->n_ranks; i++) {
        uint32_t rank = scope_rank(scope, i);
        uint32_t instance = (uint32_t)(i / scope->instance);
        struct owner *owner = &owners[rank];
        const struct scope *other;

        if (i % scope->instance == 0)
            compared = (struct owner){ 0 };
        if (owner->group == compared.group && owner->group != 0 &&
            owner->instance == compared.instance)
            continue;
        if (owner->group == 0) {
            *owner = (struct owner){ scope->group->index + 1, instance };
            continue;
        }
        other = &check->scopes[owner->group - 1];
        if (scope->instance == 1 && other->instance == 1)
            continue;
        if (!same_instance(check, other, owner->instance, scope, instance)) {
            *ret_rank = rank;
            return other;
        }
        compared = *owner;
    }
    return NULL;
}

static void release(struct owner *owners, const struct scope *scope)
{
    for (size_t i = 0; i < scope->group->n_ranks; i++)
        owners[scope_rank(scope, i)] = (struct owner){ 0 };
}

/* One node, handed different groups on one rank by different entries. placed: n
 * places of the node. */
static void check_node(struct check *check, struct owner *owners,
                       const struct placed *const *placed, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct scope *scope = placed[i]->scope, *other;
        struct finding *f;
        int64_t rank;

        if (!placed[i]->serves || !scope->good_ranks)
            continue;
        other = claim(check, owners, scope, &rank);
        if (other == NULL)
            continue;
        f = check_fault(check, FAULT_GROUP_CONFLICT);
        f->node = placed[i]->node;
        f->rank = rank;
        f->group = scope->group->index;
        f->other = other->group->index;
        f->axis = differing_axis(check, scope, other);
    }
    for (size_t i = 0; i < n; i++)
        if (placed[i]->scope->good_ranks)
            release(owners, placed[i]->scope);
}

static int by_node(const void *va, const void *vb)
{
    const struct placed *a = *(const struct placed *const *)va;
    const struct placed *b = *(const struct placed *const *)vb;

    if (a->node != b->node)
        return a->node < b->node ? -1 : 1;
    return a < b ? -1 : a > b;
}

/* Checks every node that several entries place. */
static void check_nodes(struct check *check, struct owner *owners)
{
    const struct placed **all =
        check_alloc(check, check->n_placed + 1, sizeof(*all));
    size_t from = 0;

    if (all == NULL)
        return;
    for (size_t i = 0; i < check->n_placed; i++)
        all[i] = &check->placed[i];
    qsort(all, check->n_placed, sizeof(*all), by_node);
    for (size_t to = 1; to <= check->n_placed && !check_done(check); to++) {
        if (to < check->n_placed && all[to]->node == all[from]->node)
            continue;
        if (to - from > 1)
            check_node(check, owners, &all[from], to - from);
        from = to;
    }
}

static const struct node *first_node(const struct check *check,
                                     const struct scope *scope)
{
    if (scope->n_placed == 0)
        return NULL;
    return check->placed[scope->first_placed].node;
}

/* Whether some node serves in both; then check_node() has spoken. */
static bool share_a_node(const struct check *check, const struct scope *a,
                         const struct scope *b)
{
    const struct placed *of_a = &check->placed[a->first_placed];
    const struct placed *of_b = &check->placed[b->first_placed];

    for (size_t i = 0; i < a->n_placed; i++)
        for (size_t k = 0; k < b->n_placed; k++)
            if (of_a[i].node == of_b[k].node && of_a[i].serves &&
                of_b[k].serves)
                return true;
    return false;
}

/* Whether a served walk uses the group at all. */
static bool serves(const struct check *check, const struct scope *scope)
{
    for (size_t i = 0; i < scope->n_placed; i++)
        if (check->placed[scope->first_placed + i].serves)
            return true;
    return false;
}

/* A rank in two different instances of several ranks, whatever the nodes. */
static void check_lockstep(struct check *check, struct owner *owners)
{
    for (size_t g = 0; g < check->dep->n_groups && !check_done(check); g++) {
        const struct scope *scope = &check->scopes[g], *other;
        struct finding *f;
        int64_t rank;

        if (!scope->good_ranks || scope->instance < 2 || !serves(check, scope))
            continue;
        other = claim(check, owners, scope, &rank);
        if (other == NULL || share_a_node(check, scope, other))
            continue;
        f = check_fault(check, FAULT_MULTIPLE_LOCKSTEP);
        f->rank = rank;
        f->group = scope->group->index;
        f->other = other->group->index;
        f->node = first_node(check, scope);
        f->name =
            first_node(check, other) ? first_node(check, other)->name : NULL;
    }
}

void structure_conflicts(struct check *check, const struct rule *rule)
{
    struct owner *owners =
        check_alloc(check, (size_t)rank_bound(check) + 1, sizeof(*owners));

    (void)rule;
    if (owners == NULL || check->dep->spans)
        return;
    check_nodes(check, owners);
    check_lockstep(check, owners);
}
