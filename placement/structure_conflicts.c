/* SPDX-License-Identifier: Apache-2.0 */
/* Structure checks over all ranks: numbered without gaps, no rank in two
 * groups.
 */
#include "placement/structure_checks.h"

#include <stdlib.h>

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

static bool may_renumber(const struct check *check)
{
    return (check->rt->sparse.allowed & 1u << SPARSE_RENUMBER) != 0;
}

void structure_dense_ranks(struct check *check, const struct rule *rule)
{
    uint32_t bound = rank_bound(check), used = 0, first = 0;
    bool parallel = false, refused = check->dep->sparse == SPARSE_REFUSE;
    bool *is_used = check_alloc(check, (size_t)bound + 1, sizeof(*is_used));
    bool by_rule;
    struct finding *f;

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
    if (used == bound || (!parallel && !refused))
        return;
    while (is_used[first])
        first++;
    by_rule = parallel && rule->at != NULL; /* else by `sparse` alone */
    f = check_fault(check,
                    by_rule ? FAULT_RANKS_NOT_DENSE : FAULT_RANKS_SPARSE);
    f->near = may_renumber(check) ? ", or ask for sparse: renumber" : NULL;
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
