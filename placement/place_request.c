/* SPDX-License-Identifier: Apache-2.0 */
/* What a request that was accepted asks of a cluster. */
#include "placement/place_request.h"

#include <string.h>

/* A row that is being filled. */
struct row {
    int view;
    const char *axis;  /* of the view */
    uint32_t *members; /* of each group: how many; room for n_ranks groups */
};

struct requesting {
    struct arena *arena;
    struct check *check;
    struct place_ranks ranks;
    struct place_axis *axes; /* room for PLACE_AXES_MAX */
    struct row *rows;        /* beside axes */
    size_t n_axes;
    uint32_t *positions; /* of one node group: by position of the scope */
    struct error *err;
};

static size_t ranks_of(const struct scope *scope)
{
    return scope->n_instances * scope->instance;
}

static int collect_ranks(struct requesting *q)
{
    size_t n = 0, at = 0;
    uint32_t *all;

    for (size_t g = 0; g < q->check->dep->n_groups; g++)
        n += ranks_of(&q->check->scopes[g]);
    all = arena_array(q->arena, n, sizeof(*all));
    q->positions = arena_array(q->arena, n, sizeof(*q->positions));
    if (all == NULL || q->positions == NULL)
        return error_exhausted(q->err);
    for (size_t g = 0; g < q->check->dep->n_groups; g++)
        for (size_t p = 0; p < ranks_of(&q->check->scopes[g]); p++)
            all[at++] = scope_rank(&q->check->scopes[g], p);
    return place_ranks_collect(q->arena, all, n, &q->ranks, q->err);
}

/* ---- links ----------------------------------------------------------------
 */

static enum link_level want_of(const struct requesting *q,
                               const struct view_form *form, const char *name)
{
    const struct runtime *rt = q->check->rt;
    int axis = runtime_axis(rt, name);

    for (size_t i = 0; form != NULL && i < form->n_parts; i++)
        if (strcmp(form->parts[i].name, name) == 0 &&
            form->parts[i].size_of >= 0)
            axis = form->parts[i].size_of;
    if (axis < 0)
        return LINK_ANY;
    return q->check->dep->links[axis] >= 0
               ? (enum link_level)q->check->dep->links[axis]
               : rt->links[axis];
}

/* ---- rows -----------------------------------------------------------------
 */

static int new_row(struct requesting *q, int view, const char *axis,
                   enum link_level want)
{
    const struct runtime *rt = q->check->rt;
    const char *name = axis;
    uint32_t n = q->ranks.n;

    if (q->n_axes == PLACE_AXES_MAX)
        return error_set(q->err, STATUS_EXHAUSTED,
                         "the node groups share ranks in more than %d ways",
                         PLACE_AXES_MAX);
    if (rt->n_views > 1 && rt->views[view].name[0] != '\0')
        name = arena_printf(q->arena, "%s.%s", rt->views[view].name, axis);
    q->rows[q->n_axes] =
        (struct row){ view, axis, arena_array(q->arena, n, sizeof(uint32_t)) };
    q->axes[q->n_axes] =
        (struct place_axis){ name, want, place_groups_new(q->arena, n), 0 };
    if (name == NULL || q->rows[q->n_axes].members == NULL ||
        q->axes[q->n_axes].group_of == NULL)
        return error_exhausted(q->err);
    q->n_axes++;
    return 0;
}

enum match { MATCH_FREE, MATCH_THERE, MATCH_NO };

/* Whether a group (positions of the request) is in a row already, could be put
 * into it, or neither. */
static enum match match_group(const struct requesting *q, size_t row,
                              const uint32_t *members, uint32_t n)
{
    const uint32_t *group_of = q->axes[row].group_of;
    uint32_t group = group_of[members[0]];

    for (uint32_t i = 1; i < n; i++)
        if (group_of[members[i]] != group)
            return MATCH_NO;
    if (group == GROUP_NONE)
        return MATCH_FREE;
    return q->rows[row].members[group] == n ? MATCH_THERE : MATCH_NO;
}

static int add_group(struct requesting *q, int view, const char *axis,
                     enum link_level want, const uint32_t *members, uint32_t n)
{
    enum match match = MATCH_NO;
    size_t row = 0;
    uint32_t group;

    for (; row < q->n_axes; row++) {
        if (q->rows[row].view != view || strcmp(q->rows[row].axis, axis) != 0)
            continue;
        match = match_group(q, row, members, n);
        if (match != MATCH_NO)
            break;
    }
    if (match == MATCH_THERE)
        return 0;
    if (match == MATCH_NO) {
        if (new_row(q, view, axis, want) < 0)
            return -1;
        row = q->n_axes - 1;
    }
    group = q->axes[row].n_groups++;
    q->rows[row].members[group] = n;
    for (uint32_t i = 0; i < n; i++)
        q->axes[row].group_of[members[i]] = group;
    return 0;
}

/* ---- node groups ----------------------------------------------------------
 */

/* The groups of one axis in all instances of a node group. */
static int add_lists(struct requesting *q, const struct scope *scope,
                     const struct lists *lists, int view, const char *axis,
                     enum link_level want, uint32_t *members)
{
    uint32_t n = lists_count(lists);

    for (size_t k = 0; k < scope->n_instances; k++)
        for (uint32_t i = 0; i < n; i++) {
            uint32_t length = lists_length_of(lists, i);

            for (uint32_t j = 0; j < length; j++)
                members[j] = q->positions[k * scope->instance +
                                          lists_member(lists, i, j)];
            if (add_group(q, view, axis, want, members, length) < 0)
                return -1;
        }
    return 0;
}

static int add_view(struct requesting *q, struct scope *scope, int index,
                    uint32_t *members)
{
    const struct view *view = scope_view(q->check, scope, index);
    struct lists lists;

    if (view == NULL)
        return scope->views[index].state == VIEW_ABSENT
                   ? 0
                   : error_set(q->err, STATUS_INVALID,
                               "the layout of the request is not known");
    for (int a = 0; a < view->n_axes; a++) {
        if (view->axes[a].size < 2)
            continue;
        lists_over(view, 1U << a, &lists);
        if (add_lists(q, scope, &lists, index, view->axes[a].name,
                      want_of(q, scope->views[index].form, view->axes[a].name),
                      members) < 0)
            return -1;
    }
    return 0;
}

static int add_scope(struct requesting *q, struct scope *scope)
{
    uint32_t *members =
        arena_array(q->arena, scope->instance, sizeof(*members));

    if (members == NULL)
        return error_exhausted(q->err);
    for (size_t p = 0; p < ranks_of(scope); p++)
        q->positions[p] = place_position(&q->ranks, scope_rank(scope, p));
    for (size_t v = 0; v < q->check->rt->n_views; v++)
        if (add_view(q, scope, (int)v, members) < 0)
            return -1;
    return 0;
}

int place_request_make(struct arena *arena, struct check *check,
                       struct place_request *ret, struct place_ranks *ret_ranks,
                       struct error *err)
{
    struct requesting q = {
        .arena = arena,
        .check = check,
        .axes = arena_array(arena, PLACE_AXES_MAX, sizeof(*q.axes)),
        .rows = arena_array(arena, PLACE_AXES_MAX, sizeof(*q.rows)),
        .err = err,
    };

    if (q.axes == NULL || q.rows == NULL)
        return error_exhausted(err);
    if (collect_ranks(&q) < 0)
        return -1;
    for (size_t g = 0; g < check->dep->n_groups; g++)
        if (add_scope(&q, &check->scopes[g]) < 0)
            return -1;
    *ret = (struct place_request){ .n_ranks = q.ranks.n,
                                   .axes = q.axes,
                                   .n_axes = q.n_axes };
    *ret_ranks = q.ranks;
    return 0;
}
