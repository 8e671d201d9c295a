/* SPDX-License-Identifier: Apache-2.0 */
/* Structure checks of what nodes share: streams, resources, walks, views. */
#include "placement/structure_checks.h"

#include <string.h>

/* ---- streams ------------------------------------------------------------- */

static bool reported(const struct check *check, enum fault fault,
                     const struct node *node, int group)
{
    for (size_t i = 0; i < check->refused.n; i++) {
        const struct finding *f = &check->refused.items[i];

        if (f->fault == (int)fault && f->node == node &&
            (group < 0 || f->group == group))
            return true;
    }
    return false;
}

/* A consumer's instance of several ranks must serve all walks. */
static void check_walk_scoped(struct check *check, const struct stream *stream)
{
    const struct node *node = &check->nodes[stream->to];

    for (size_t i = 0; i < check->n_placed; i++) {
        const struct placed *placed = &check->placed[i];
        int group = placed->scope->group->index;
        struct finding *f;

        if (placed->node != node || placed->scope->instance < 2 ||
            placed->scope->group->all_walks ||
            reported(check, FAULT_STREAM_WALK_SCOPED, node, group))
            continue;
        f = check_fault(check, FAULT_STREAM_WALK_SCOPED);
        f->group = group;
        f->node = node;
        f->name = stream->signal;
    }
}

/* Group that runs a node in a served walk; -1: not in this walk. */
static int group_of(const struct check *check, const struct served *served,
                    const struct node *node)
{
    for (size_t i = 0; i < served->n_nodes; i++)
        if (&check->nodes[served->nodes[i]] == node)
            return served->groups[i];
    return -1;
}

/* All walks of a consumer must run on the same ranks. */
static void check_split(struct check *check, const struct stream *stream)
{
    const struct node *node = &check->nodes[stream->to];
    int first = -1;

    for (size_t i = 0; i < check->n_served; i++) {
        int group = group_of(check, &check->served[i], node);
        struct finding *f;

        if (group < 0)
            continue;
        if (first < 0)
            first = group;
        if (same_ranks(&check->scopes[first], &check->scopes[group]) ||
            reported(check, FAULT_STREAM_SPLIT, node, -1))
            continue;
        f = check_fault(check, FAULT_STREAM_SPLIT);
        f->group = first;
        f->other = group;
        f->node = node;
        f->name = stream->signal;
    }
}

void structure_streams(struct check *check, const struct rule *rule)
{
    const struct model *model = check->model;

    (void)rule;
    for (size_t i = 0; model != NULL && i < model->n_streams; i++) {
        check_walk_scoped(check, &model->streams[i]);
        check_split(check, &model->streams[i]);
    }
}

/* ---- resources ----------------------------------------------------------- */

static bool shares(const struct check *check, const struct resource *resource,
                   const struct node *node)
{
    for (size_t i = 0; i < resource->n_nodes; i++)
        if (&check->nodes[resource->nodes[i]] == node)
            return true;
    return false;
}

static void check_resource(struct check *check, const struct resource *resource)
{
    const struct scope *first = NULL;

    for (size_t i = 0; i < check->n_placed; i++) {
        const struct placed *placed = &check->placed[i];
        struct finding *f;

        if (!shares(check, resource, placed->node) ||
            placed->scope->bad_axes != 0)
            continue;
        if (first == NULL)
            first = placed->scope;
        if (same_shape(check, first, placed->scope))
            continue;
        f = check_fault(check, FAULT_SHAPE_MISMATCH);
        f->name = resource->key;
        f->group = first->group->index;
        f->other = placed->scope->group->index;
        return;
    }
}

void structure_resources(struct check *check, const struct rule *rule)
{
    const struct model *model = check->model;

    (void)rule;
    for (size_t i = 0; model != NULL && i < model->n_resources; i++)
        check_resource(check, &model->resources[i]);
}

/* ---- combined walks ------------------------------------------------------ */

/* The group of a combined walk's member; -1: not served or not placed. */
static int member_group(const struct check *check,
                        const struct combined *combined, int walk)
{
    for (size_t i = 0; i < check->n_served; i++)
        if (check->served[i].walk == &check->model->walks[walk])
            return group_of(check, &check->served[i],
                            &check->nodes[combined->node]);
    return -1;
}

/* Whether an instance has no group to speak of: on the axis that the rule
 * names, or on any. */
static bool stands_alone(const struct check *check, const struct scope *scope,
                         int axis)
{
    if (axis >= 0)
        return scope_size(check, scope, axis) <= 1;
    return scope->instance <= 1;
}

static void check_combined(struct check *check, const struct rule *rule,
                           const struct combined *combined)
{
    int first = -1;

    for (size_t i = 0; i < combined->n_walks; i++) {
        int group = member_group(check, combined, combined->walks[i]);
        const struct scope *a, *b;
        struct finding *f;

        if (group < 0)
            continue;
        if (first < 0)
            first = group;
        a = &check->scopes[first];
        b = &check->scopes[group];
        if ((stands_alone(check, a, rule->axis) &&
             stands_alone(check, b, rule->axis)) ||
            (same_shape(check, a, b) && same_ranks(a, b)))
            continue;
        f = check_fault(check, FAULT_COMBINED_SPANS);
        f->name = combined->name;
        f->node = &check->nodes[combined->node];
        f->group = first;
        f->other = group;
        return;
    }
}

void structure_combined(struct check *check, const struct rule *rule)
{
    const struct model *model = check->model;

    for (size_t i = 0; model != NULL && i < model->n_combined; i++)
        check_combined(check, rule, &model->combined[i]);
}

/* ---- shared axes --------------------------------------------------------- */

/* Lists of one axis in a view; -1: the view is not known or lacks it. */
static int axis_lists(struct check *check, struct scope *scope, int view,
                      int axis, struct lists *ret)
{
    const struct view *v = scope_view(check, scope, view);
    const struct view_form *form = scope->views[view].form;

    for (size_t i = 0; v != NULL && i < form->n_parts; i++)
        if (form->parts[i].axis == axis) {
            lists_over(v, 1u << view_axis(v, form->parts[i].name), ret);
            return 0;
        }
    return -1;
}

static void check_shared_axis(struct check *check, struct scope *scope,
                              const struct rule *rule, int axis)
{
    size_t n = rule->n_views > 0 ? rule->n_views : check->rt->n_views;
    struct lists first, lists;
    int first_view = -1;

    for (size_t i = 0; i < n; i++) {
        int view = rule->n_views > 0 ? rule->views[i] : (int)i;
        struct finding *f;

        if (axis_lists(check, scope, view, axis, &lists) < 0)
            continue;
        if (first_view < 0) {
            first = lists;
            first_view = view;
            continue;
        }
        if (lists_equal(&first, &lists))
            continue;
        f = check_fault(check, FAULT_GROUPS_DIFFER);
        f->axis = axis;
        f->group = scope->group->index;
        f->name = check->rt->views[view].name;
        f->near = check->rt->views[first_view].name;
        return;
    }
}

/* ---- order of axes ------------------------------------------------------- */

/* Whether the same was found of the order already: views share it. */
static bool order_is_known(const struct check *check, const struct scope *scope,
                           enum fault fault, const char *name)
{
    for (size_t i = 0; i < check->refused.n; i++) {
        const struct finding *f = &check->refused.items[i];

        if (f->fault == (int)fault && f->group == scope->group->index &&
            strcmp(f->name, name) == 0)
            return true;
    }
    return false;
}

bool structure_view_order(struct check *check, struct scope *scope, int view)
{
    static const enum fault faults[] = {
        [ORDER_MISSING] = FAULT_ORDER_MISSING,
        [ORDER_UNKNOWN] = FAULT_ORDER_UNKNOWN,
        [ORDER_REPEATED] = FAULT_ORDER_REPEATED,
        [ORDER_UNREADABLE] = FAULT_ORDER_UNREADABLE,
    };
    const struct scope_view *sv = &scope->views[view];
    struct finding *f;

    scope_view(check, scope, view);
    if (sv->order_fault == ORDER_GOOD)
        return false;
    if (order_is_known(check, scope, faults[sv->order_fault], sv->order_name))
        return true;
    f = check_fault(check, faults[sv->order_fault]);
    f->group = scope->group->index;
    f->name = sv->order_name;
    return true;
}

void structure_order(struct check *check, const struct rule *rule)
{
    size_t n = rule->n_views > 0 ? rule->n_views : check->rt->n_views;

    for (size_t g = 0; g < check->dep->n_groups; g++)
        for (size_t i = 0; i < n; i++)
            if (structure_view_order(check, &check->scopes[g],
                                     rule->n_views > 0 ? rule->views[i]
                                                       : (int)i))
                break;
}

void structure_same_groups(struct check *check, const struct rule *rule)
{
    for (size_t g = 0; g < check->dep->n_groups; g++)
        for (size_t a = 0; a < check->rt->n_axes; a++)
            if (rule->axis < 0 || rule->axis == (int)a)
                check_shared_axis(check, &check->scopes[g], rule, (int)a);
}
