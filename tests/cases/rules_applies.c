/* SPDX-License-Identifier: Apache-2.0 */
/* What each fault of a placed check needs to be found at all: of a runtime, and
 * of a request. An accepted request proves that a check holds only if it has
 * what the check looks at. */
#include <assert.h>

#include "placement/structure.h"
#include "tests/cases/rules_applies.h"

/* ---- runtimes ------------------------------------------------------------ */

static bool has_groups(const struct runtime *rt, const struct rule *rule)
{
    (void)rule;
    return !rt->spans;
}

static bool has_world(const struct runtime *rt, const struct rule *rule)
{
    (void)rule;
    return rt->spans;
}

/* Rules find it, under one code everywhere. */
static bool is_of_rules(const struct runtime *rt, const struct rule *rule)
{
    (void)rt;
    (void)rule;
    return false;
}

/* One order is read for all views; only what it leaves out is found of each. */
static bool reads_order(const struct runtime *rt, const struct rule *rule)
{
    const struct rule *first = rt->rules;

    while (first->structure != STRUCTURE_order)
        first++;
    return first == rule;
}

static bool needs_keys(const struct runtime *rt, const struct rule *rule)
{
    bool needs = !rt->spans;

    (void)rule;
    for (size_t i = 0; i < rt->n_carries; i++)
        needs |= rt->carries[i].required;
    return needs;
}

static bool warns_of_keys(const struct runtime *rt, const struct rule *rule)
{
    (void)rule;
    for (size_t i = 0; i < rt->n_carries; i++)
        if (rt->carries[i].warn != NULL)
            return true;
    return false;
}

static bool has_absent_axes(const struct runtime *rt, const struct rule *rule)
{
    (void)rule;
    for (size_t i = 0; i < rt->n_axes; i++)
        if (rt->axes[i].when != NULL)
            return true;
    return false;
}

static bool limits_options(const struct runtime *rt, const struct rule *rule)
{
    (void)rule;
    for (size_t i = 0; i < rt->n_options; i++)
        if (rt->options[i].one_of != NULL && !rt->options[i].checked_apart)
            return true;
    return false;
}

/* ---- requests: sizes and ranks ------------------------------------------- */

static bool any(const struct check *check, const struct rule *rule)
{
    (void)check;
    (void)rule;
    return true;
}

static uint32_t axes_above_one(const struct check *check,
                               const struct scope *scope)
{
    uint32_t above = 0;

    for (size_t a = 0; a < check->rt->n_axes; a++)
        if (scope_size(check, scope, (int)a) > 1)
            above |= 1u << a;
    return above;
}

static bool gives_size(const struct check *check, const struct rule *rule)
{
    for (size_t g = 0; g < check->dep->n_groups; g++)
        for (size_t a = 0; a < check->rt->n_axes; a++)
            if (check->dep->groups[g].sizes[a].has &&
                (rule->except & 1u << a) == 0)
                return true;
    return false;
}

static bool gives_conditional_size(const struct check *check,
                                   const struct rule *rule)
{
    (void)rule;
    for (size_t a = 0; a < check->rt->n_axes; a++)
        if (check->rt->axes[a].when != NULL &&
            check->dep->groups[0].sizes[a].has &&
            check->dep->groups[0].sizes[a].value != 1)
            return true;
    return false;
}

static bool gives_limited_option(const struct check *check,
                                 const struct rule *rule)
{
    (void)rule;
    for (size_t i = 0; i < check->rt->n_options; i++)
        if (check->rt->options[i].one_of != NULL &&
            !check->rt->options[i].checked_apart &&
            check->dep->options[i] != NULL)
            return true;
    return false;
}

static bool gives_own_option(const struct check *check, const struct rule *rule)
{
    return check->dep->options[rule->option] != NULL;
}

static bool gives_world(const struct check *check, const struct rule *rule)
{
    (void)rule;
    return check->dep->world.has;
}

bool splits_ranks(const struct check *check, const struct rule *rule)
{
    (void)rule;
    for (size_t g = 0; g < check->dep->n_groups; g++)
        if (check->scopes[g].instance > 1)
            return true;
    return false;
}

static bool has_two_ranks(const struct check *check, const struct rule *rule)
{
    (void)rule;
    for (size_t g = 0; g < check->dep->n_groups; g++)
        if (check->dep->groups[g].n_ranks > 1)
            return true;
    return false;
}

static bool refuses_gaps(const struct check *check, const struct rule *rule)
{
    (void)rule;
    return check->dep->sparse == SPARSE_REFUSE;
}

static bool splits_on_two(const struct check *check, const struct rule *rule)
{
    (void)rule;
    for (size_t g = 0; g < check->dep->n_groups; g++) {
        uint32_t above = axes_above_one(check, &check->scopes[g]);

        if ((above & (above - 1)) != 0)
            return true;
    }
    return false;
}

static bool splits_shared_axis(const struct check *check,
                               const struct rule *rule)
{
    uint32_t above = axes_above_one(check, &check->scopes[0]);

    return rule->axis < 0 ? above != 0 : (above & 1u << rule->axis) != 0;
}

/* `order` sets the option of this name. */
static bool gives_order(const struct check *check, const struct rule *rule)
{
    int option = runtime_option(check->rt, "order");

    (void)rule;
    return option >= 0 && check->dep->options[option] != NULL;
}

static bool orders_split(const struct check *check, const struct rule *rule)
{
    return gives_order(check, rule) &&
           axes_above_one(check, &check->scopes[0]) != 0;
}

/* ---- all ----------------------------------------------------------------- */

static const struct need {
    /* NULL: of any */
    bool (*of_runtime)(const struct runtime *rt, const struct rule *rule);
    applies_fn *of_request;
} needs[FAULT_COUNT] = {
    /* clang-format off */
    [FAULT_KEY_MISSING]        = { needs_keys,      any },
    [FAULT_KEY_UNKNOWN]        = { NULL,            any },
    [FAULT_KEY_WARNED]         = { warns_of_keys,   any },
    [FAULT_FACT_UNUSED]        = { NULL,            has_fact },
    [FAULT_FACT_WRONG]         = { NULL,            has_fact },
    [FAULT_NODE_AXIS_UNKNOWN]  = { has_groups,      has_node_axis },
    [FAULT_SPLIT_UNKNOWN]      = { has_groups,      has_split },
    [FAULT_SIGNAL_UNKNOWN]     = { has_groups,      has_shard_dim },
    [FAULT_MODEL_UNKNOWN]      = { NULL,            names_model },
    [FAULT_SIZE_BELOW_ONE]     = { NULL,            gives_size },
    [FAULT_SIZE_TOO_LARGE]     = { NULL,            gives_size },
    [FAULT_AXIS_ABSENT]        = { has_absent_axes, gives_conditional_size },
    [FAULT_OPTION_NOT_ALLOWED] = { limits_options,  gives_limited_option },
    [FAULT_INEXACT]            = { is_of_rules,     any },
    [FAULT_OPTION_APART]       = { NULL,            gives_own_option },
    [FAULT_RANKS_EMPTY]        = { has_groups,      any },
    [FAULT_RANKS_NEGATIVE]     = { has_groups,      any },
    [FAULT_RANKS_TOO_LARGE]    = { has_groups,      any },
    [FAULT_RANKS_NOT_MULTIPLE] = { has_groups,      splits_ranks },
    [FAULT_RANKS_DUPLICATE]    = { has_groups,      has_two_ranks },
    [FAULT_RANKS_OUT_OF_ORDER] = { has_groups,      splits_ranks },
    [FAULT_WORLD_MISSING]      = { has_world,       gives_world },
    [FAULT_PRODUCT_DIFFERS]    = { has_world,       gives_size },
    [FAULT_LAYOUT_UNDEFINED]   = { has_world,       gives_size },
    [FAULT_AXES_TOGETHER]      = { NULL,            splits_on_two },
    [FAULT_AXIS_NOT_ENABLED]   = { has_groups,      splits_declared },
    [FAULT_NODE_UNPLACED]      = { has_groups,      serves_node },
    [FAULT_GROUP_SHADOWED]     = { has_groups,      splits_twice },
    [FAULT_GROUP_SHADOWED_WARN] = { has_groups,     places_in_two },
    [FAULT_NODE_UNUSED]        = { has_groups,      serves_node },
    [FAULT_WALK_UNKNOWN]       = { has_groups,      names_walk },
    [FAULT_GROUP_INACTIVE]     = { has_groups,      names_walk },
    [FAULT_SIGNAL_LEAVES]      = { has_groups,      has_signal },
    [FAULT_RANKS_NOT_DENSE]    = { has_groups,      splits_ranks },
    [FAULT_RANKS_SPARSE]       = { has_groups,      refuses_gaps },
    [FAULT_GROUP_CONFLICT]     = { has_groups,      places_on_rank },
    [FAULT_MULTIPLE_LOCKSTEP]  = { has_groups,      locksteps },
    [FAULT_STREAM_WALK_SCOPED] = { has_groups,      streams_to_split },
    [FAULT_STREAM_SPLIT]       = { has_groups,      streams_to_walks },
    [FAULT_SHAPE_MISMATCH]     = { has_groups,      shares_resource },
    [FAULT_COMBINED_SPANS]     = { has_groups,      combines_split },
    [FAULT_GROUPS_DIFFER]      = { NULL,            splits_shared_axis },
    [FAULT_ORDER_MISSING]      = { NULL,            orders_split },
    [FAULT_ORDER_UNKNOWN]      = { reads_order,     gives_order },
    [FAULT_ORDER_REPEATED]     = { reads_order,     gives_order },
    [FAULT_ORDER_UNREADABLE]   = { reads_order,     gives_order },
    [FAULT_HOSTS_SECTION]      = { has_groups,      lists_hosts },
    [FAULT_HOSTS_HOST]         = { has_groups,      lists_hosts },
    [FAULT_HOSTS_RANK]         = { has_groups,      lists_hosts },
    [FAULT_HOSTS_SPANNED]      = { has_groups,      splits_over_hosts },
    /* clang-format on */
};

bool fault_concerns(const struct runtime *rt, const struct rule *rule,
                    enum fault fault)
{
    return needs[fault].of_runtime == NULL || needs[fault].of_runtime(rt, rule);
}

bool fault_applies(const struct check *check, const struct rule *rule,
                   enum fault fault)
{
    assert(needs[fault].of_request != NULL);
    return needs[fault].of_request(check, rule);
}
