/* SPDX-License-Identifier: Apache-2.0 */
/* What a check's ranks want of the devices they are placed on. */
#include "placement/place_axes.h"

#include <string.h>

enum { SEEN_MAX = VIEW_AXES_MAX };

struct making {
    struct check *check;
    struct arena *arena;
    const struct place_ranks *ranks;
    uint32_t n_positions; /* of a row */
    struct place_axis *rows;
    int *keys; /* of each row: an axis; from RUNTIME_AXES_MAX on, a list */
    size_t n, cap;
    uint32_t *positions; /* in a row, by position of the scope */
    size_t n_scope;
    struct error *err;
};

/* The runtime's axis that an axis of a view stands for; -1: none. */
static int shared_axis(const struct view_form *form, const char *name)
{
    for (size_t i = 0; i < form->n_parts; i++)
        if (strcmp(form->parts[i].name, name) == 0)
            return form->parts[i].size_of;
    return -1;
}

static int more_rows(struct making *making)
{
    size_t cap = making->cap == 0 ? 16 : making->cap * 2;
    struct place_axis *rows = arena_array(making->arena, cap, sizeof(*rows));
    int *keys = arena_array(making->arena, cap, sizeof(*keys));

    if (rows == NULL || keys == NULL)
        return error_exhausted(making->err);
    if (making->n > 0) {
        memcpy(rows, making->rows, making->n * sizeof(*rows));
        memcpy(keys, making->keys, making->n * sizeof(*keys));
    }
    making->rows = rows;
    making->keys = keys;
    making->cap = cap;
    return 0;
}

static const struct link_wish *wish_of(const struct check *check, int key)
{
    return &check->dep->list_links.items[key - RUNTIME_AXES_MAX];
}

static const char *name_of(const struct check *check, int key)
{
    return key < RUNTIME_AXES_MAX ? check->rt->axes[key].name
                                  : wish_of(check, key)->list.text;
}

static enum link_level want_of(const struct check *check, int key)
{
    if (key >= RUNTIME_AXES_MAX)
        return wish_of(check, key)->want;
    return check->dep->links[key] >= 0 ? (enum link_level)check->dep->links[key]
                                       : check->rt->links[key];
}

static const struct link_need *need_of(const struct check *check, int key)
{
    return key < RUNTIME_AXES_MAX ? &check->rt->link_needs[key]
                                  : &wish_of(check, key)->need;
}

static struct place_axis *add_row(struct making *making, int key)
{
    const struct link_need *need = need_of(making->check, key);
    struct place_axis *row;

    if (making->n == PLACE_AXES_MAX) {
        error_set(making->err, STATUS_EXHAUSTED,
                  "the node groups share ranks in too many ways to be bound "
                  "to devices");
        return NULL;
    }
    if (making->n == making->cap && more_rows(making) < 0)
        return NULL;
    row = &making->rows[making->n];
    *row = (struct place_axis){
        .name = name_of(making->check, key),
        .want = want_of(making->check, key),
        .least = need->least,
        .code = need->rule != NULL ? need->rule->code : NULL,
        .because = need->rule != NULL ? need->rule->because : NULL,
        .say = need->say,
        .group_of = place_groups_new(making->arena, making->n_positions),
    };
    if (row->group_of == NULL) {
        error_exhausted(making->err);
        return NULL;
    }
    making->keys[making->n++] = key;
    return row;
}

/* A row of the key in which no rank of the scope is in a group yet. */
static struct place_axis *row_for(struct making *making, int key)
{
    for (size_t r = 0; r < making->n; r++) {
        size_t p = 0;

        if (making->keys[r] != key)
            continue;
        while (p < making->n_scope &&
               making->rows[r].group_of[making->positions[p]] == GROUP_NONE)
            p++;
        if (p == making->n_scope)
            return &making->rows[r];
    }
    return add_row(making, key);
}

/* How many positions are in each group of a row. */
static uint32_t *count_members(const struct making *making,
                               const struct place_axis *row)
{
    uint32_t *n = arena_array(making->arena, row->n_groups, sizeof(*n));

    for (uint32_t p = 0; n != NULL && p < making->n_positions; p++)
        if (row->group_of[p] != GROUP_NONE)
            n[row->group_of[p]]++;
    return n;
}

/* Whether every one of the groups whose members follow one another is a group
 * of the row. n: members of its groups. */
static bool has_groups(const struct place_axis *row, const uint32_t *n,
                       const struct lists *lists, const uint32_t *members)
{
    for (uint32_t i = 0; i < lists_count(lists); i++) {
        uint32_t length = lists_length_of(lists, i);
        uint32_t group = row->group_of[members[0]];

        if (group == GROUP_NONE || n[group] != length)
            return false;
        for (uint32_t k = 1; k < length; k++)
            if (row->group_of[members[k]] != group)
                return false;
        members += length;
    }
    return true;
}

static int row_has(struct making *making, size_t r, const struct scope *scope,
                   const struct lists *lists, bool *ret)
{
    const struct place_axis *row = &making->rows[r];
    struct arena_mark mark = arena_mark(making->arena);
    uint32_t *n = count_members(making, row);
    uint32_t *members =
        arena_array(making->arena, lists_entries(lists), sizeof(*members));

    if (n == NULL || members == NULL)
        return error_exhausted(making->err);
    *ret = true;
    for (size_t i = 0; *ret && i < scope->n_instances; i++) {
        lists_expand(lists, making->positions + i * scope->instance, 0,
                     members);
        *ret = has_groups(row, n, lists, members);
    }
    arena_rewind(making->arena, mark);
    return 0;
}

/* Whether all groups of the lists are there: node groups that share their ranks
 * are cut alike, mostly. */
static int find_groups(struct making *making, const struct scope *scope,
                       int key, const struct lists *lists, bool *ret)
{
    *ret = false;
    for (size_t r = 0; !*ret && r < making->n; r++) {
        if (making->keys[r] != key ||
            making->rows[r].group_of[making->positions[0]] == GROUP_NONE)
            continue;
        if (row_has(making, r, scope, lists, ret) < 0)
            return -1;
    }
    return 0;
}

static int add_lists(struct making *making, const struct scope *scope, int key,
                     const struct lists *lists)
{
    struct place_axis *row;
    bool are_there;

    if (find_groups(making, scope, key, lists, &are_there) < 0)
        return -1;
    if (are_there)
        return 0;
    row = row_for(making, key);
    if (row == NULL)
        return -1;
    for (size_t i = 0; i < scope->n_instances; i++)
        if (place_axis_add(making->arena, row, lists,
                           making->positions + i * scope->instance, 0,
                           making->err) < 0)
            return -1;
    return 0;
}

/* Where the scope's ranks stand among all. */
static int find_positions(struct making *making, const struct scope *scope)
{
    making->n_scope = scope->n_instances * scope->instance;
    making->positions = arena_array(making->arena, making->n_scope + 1,
                                    sizeof(*making->positions));
    if (making->positions == NULL)
        return error_exhausted(making->err);
    for (size_t p = 0; p < making->n_scope; p++) {
        uint32_t rank = scope_rank(scope, p);

        making->positions[p] =
            making->ranks->dense ? rank : place_position(making->ranks, rank);
    }
    return 0;
}

/* The same lists may come from several views. */
static int add_axes(struct making *making, struct scope *scope)
{
    struct lists seen[RUNTIME_AXES_MAX][SEEN_MAX];
    size_t n_seen[RUNTIME_AXES_MAX] = { 0 };

    for (size_t v = 0; v < making->check->rt->n_views; v++) {
        const struct view *view = scope_view(making->check, scope, (int)v);

        for (int a = 0; view != NULL && a < view->n_axes; a++) {
            int axis = shared_axis(scope->views[v].form, view->axes[a].name);
            struct lists lists;
            size_t i = 0;

            if (axis < 0 || view->axes[a].size < 2)
                continue;
            lists_over(view, 1u << a, &lists);
            while (i < n_seen[axis] && !lists_equal(&seen[axis][i], &lists))
                i++;
            if (i < n_seen[axis] || i == SEEN_MAX)
                continue;
            seen[axis][n_seen[axis]++] = lists;
            if (add_lists(making, scope, axis, &lists) < 0)
                return -1;
        }
    }
    return 0;
}

/* A list that the scope has not asks for nothing there. */
static int add_scope(struct making *making, struct scope *scope)
{
    const struct link_wishes *wishes = &making->check->dep->list_links;
    struct lists lists;

    if (find_positions(making, scope) < 0 || add_axes(making, scope) < 0)
        return -1;
    for (size_t i = 0; i < wishes->n; i++)
        if (scope_lists(making->check, scope, &wishes->items[i].list, &lists) ==
                0 &&
            lists_length(&lists) > 1 &&
            add_lists(making, scope, RUNTIME_AXES_MAX + (int)i, &lists) < 0)
            return -1;
    return 0;
}

int place_axes_make(struct check *check, struct arena *arena,
                    const struct place_ranks *ranks, uint32_t n_positions,
                    struct place_axis **ret, size_t *ret_n, struct error *err)
{
    struct making making = {
        .check = check,
        .arena = arena,
        .ranks = ranks,
        .n_positions = n_positions,
        .err = err,
    };

    for (size_t g = 0; g < check->dep->n_groups; g++)
        if (check->scopes[g].instance > 0 &&
            add_scope(&making, &check->scopes[g]) < 0)
            return -1;
    *ret = making.rows;
    *ret_n = making.n;
    return 0;
}
