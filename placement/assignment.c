/* SPDX-License-Identifier: Apache-2.0 */
/* What one rank gets: its place on every axis and its share of everything. */
#include "placement/assignment.h"

#include <string.h>

/* Names and rules of the shares, by SHARE_LIST. */
static const struct share_row {
    const char *what;
    enum split_index split;
    const char *fact, *rule;
} share_rows[] = {
#define X(name, split, fact, rule) { #name, SPLIT_##split##_INDEX, fact, rule },
    SHARE_LIST(X)
#undef X
};

enum { SHARES_MAX = 64 };

struct maker {
    struct check *check;
    struct arena *arena;
    struct scope *scope;
    const struct placed *placed;
    struct node_shard *shard;
    struct share *shares; /* SHARES_MAX */
    size_t n_shares;
};

/* ---- shares -------------------------------------------------------------- */

/* The axes that split a quantity, major first. */
static size_t axes_that_split(const struct runtime *rt, enum split_index what,
                              int *ret_axes)
{
    size_t n = 0;

    for (size_t i = 0; i < rt->n_shard_order[what]; i++)
        ret_axes[n++] = runtime_axis(rt, rt->shard_order[what][i]);
    for (size_t a = 0; a < rt->n_axes; a++) {
        bool named = (rt->axes[a].splits & 1u << what) == 0;

        for (size_t i = 0; i < n; i++)
            named |= ret_axes[i] == (int)a;
        if (!named)
            ret_axes[n++] = (int)a;
    }
    return n;
}

static bool splits_axis(const struct resource *resource, const char *axis)
{
    if (resource == NULL || !resource->has_splits)
        return true;
    for (size_t i = 0; i < resource->n_splits; i++)
        if (strcmp(resource->splits[i], axis) == 0)
            return true;
    return false;
}

static const struct shard_coordinate *
coordinate_on(const struct node_shard *shard, int axis)
{
    for (size_t i = 0; i < shard->n_coordinates; i++)
        if (shard->coordinates[i].axis == axis)
            return &shard->coordinates[i];
    return NULL;
}

/* In how many parts a quantity is cut, and which one this rank has: a number
 * whose digits are the coordinates, major axis first. */
static void part_of(const struct maker *m, enum split_index what,
                    const struct resource *resource, struct share *share)
{
    const struct runtime *rt = m->check->rt;
    int axes[RUNTIME_AXES_MAX];
    size_t n = axes_that_split(rt, what, axes);

    share->parts = 1;
    share->part = 0;
    for (size_t i = 0; i < n; i++) {
        const struct shard_coordinate *c = coordinate_on(m->shard, axes[i]);

        if (c == NULL || !splits_axis(resource, rt->axes[axes[i]].name))
            continue;
        share->parts *= c->size;
        share->part = share->part * c->size + c->coordinate;
    }
}

/* A fact of the node (its own, else the model's) that is one number. */
static bool node_number(const struct maker *m, const char *fact, uint64_t *ret)
{
    const struct node *node = m->placed->node;
    const struct tree *t = tree_get(node->facts, fact);

    if (t == NULL && m->check->model != NULL)
        t = tree_get(m->check->model->facts, fact);
    if (t == NULL || t->type != TREE_INT || t->u.integer < 1)
        return false;
    *ret = (uint64_t)t->u.integer;
    return true;
}

/* Rows of a batch: the branches that the node declares on the axes that split
 * rows. */
static bool node_rows(const struct maker *m, uint64_t *ret)
{
    const struct runtime *rt = m->check->rt;
    bool any = false;

    *ret = 1;
    for (size_t a = 0; a < rt->n_axes; a++) {
        const struct tree *axis =
            tree_get(m->placed->node->axes, rt->axes[a].name);
        const struct tree *branches = tree_get(axis, "branches");

        if ((rt->axes[a].splits & SPLIT_ROWS) == 0 || branches == NULL ||
            branches->type != TREE_INT || branches->u.integer < 1)
            continue;
        *ret *= (uint64_t)branches->u.integer;
        any = true;
    }
    return any;
}

static void add_share(struct maker *m, const struct share *share)
{
    if (m->n_shares < SHARES_MAX)
        m->shares[m->n_shares++] = *share;
}

/* Adds a share with the range that its rule gives, if its total is known. */
static void add_ranged(struct maker *m, struct share share)
{
    const struct split_rule *rule = split_rule_find(share.rule);
    struct split split = { .what = share.what,
                           .total = share.total,
                           .parts = share.parts,
                           .part = share.part };

    if (share.has_range && rule->apply(&split, &share.range, NULL, NULL) < 0)
        share.has_range = false;
    add_share(m, &share);
}

static void share_of_row(struct maker *m, const struct share_row *row,
                         const struct resource *resource)
{
    const struct split_choice *choice =
        &m->check->rt->split_choices[row->split];
    struct share share = { .what = row->what,
                           .rule = choice->rule ? choice->rule : row->rule,
                           .resource = resource ? resource->key : NULL };

    part_of(m, row->split, resource, &share);
    if (row->split == SPLIT_ROWS_INDEX)
        share.has_range = node_rows(m, &share.total);
    else if (row->fact != NULL)
        share.has_range = node_number(m, row->fact, &share.total);
    /* what is neither cut nor known needs no words */
    if (share.parts == 1 && !share.has_range)
        return;
    if (share.parts > 1 && choice->both_ends) {
        share.parts *= 2;
        add_ranged(m, share);
        share.part = share.parts - 1 - share.part;
    }
    add_ranged(m, share);
}

/* Experts that lie inside the ranks which split weights: the runtime says in
 * how many blocks. */
static void share_experts(struct maker *m)
{
    struct share share = { .what = "experts", .rule = "even" };
    struct expert_split split = { 0 };
    struct expert_shard shard;
    int64_t blocks = m->scope->expert_blocks;

    if (blocks < 1 || blocks > VIEW_SPAN_MAX ||
        !node_number(m, "experts", &split.experts) ||
        !node_number(m, "expert_ffn", &split.intermediate))
        return;
    part_of(m, SPLIT_WEIGHTS_INDEX, NULL, &share);
    split.world = share.parts;
    split.rank = share.part;
    split.blocks = (uint32_t)blocks;
    if (split_experts(&split, &shard, NULL, NULL) < 0)
        return;
    share = (struct share){ .what = "experts",
                            .rule = "even",
                            .parts = split.blocks,
                            .part = shard.block,
                            .has_range = true,
                            .total = split.experts,
                            .range = shard.experts };
    add_share(m, &share);
    share.what = "expert_ffn";
    share.parts = shard.block_size;
    share.part = shard.block_rank;
    share.total = split.intermediate;
    share.range = shard.intermediate;
    add_share(m, &share);
}

static bool has_node(const struct resource *resource, int node)
{
    for (size_t i = 0; i < resource->n_nodes; i++)
        if (resource->nodes[i] == node)
            return true;
    return false;
}

/* Whether any axis of the runtime splits it at all. */
static bool is_split(const struct runtime *rt, enum split_index what)
{
    for (size_t a = 0; a < rt->n_axes; a++)
        if ((rt->axes[a].splits & 1u << what) != 0)
            return true;
    return false;
}

static void make_shares(struct maker *m)
{
    const struct model *model = m->check->model;

    for (size_t i = 0; i < ARRAY_LEN(share_rows); i++)
        if (is_split(m->check->rt, share_rows[i].split))
            share_of_row(m, &share_rows[i], NULL);
    share_experts(m);
    /* resources that drop an axis have shares of their own */
    for (size_t r = 0; model != NULL && r < model->n_resources; r++) {
        const struct resource *resource = &model->resources[r];

        if (!resource->has_splits ||
            !has_node(resource, m->placed->node->index))
            continue;
        for (size_t i = 0; i < ARRAY_LEN(share_rows); i++)
            if (share_rows[i].split == SPLIT_HEADS_INDEX)
                share_of_row(m, &share_rows[i], resource);
    }
    m->shard->shares = m->shares;
    m->shard->n_shares = m->n_shares;
}

/* ---- one rank ------------------------------------------------------------ */

/* Position of a rank over all instances of a scope, or -1. */
static int64_t position_of(const struct scope *scope, uint32_t rank)
{
    if (scope->ranks == NULL) {
        int64_t position = (int64_t)rank - scope->offset;

        return position < (int64_t)scope->group->n_ranks ? position : -1;
    }
    /* most lists are consecutive: look where the rank would stand */
    if (scope->group->n_ranks > 0 && rank >= scope->ranks[0] &&
        rank - scope->ranks[0] < scope->group->n_ranks &&
        scope->ranks[rank - scope->ranks[0]] == rank)
        return rank - scope->ranks[0];
    for (size_t i = 0; i < scope->group->n_ranks; i++)
        if (scope->ranks[i] == rank)
            return (int64_t)i;
    return -1;
}

int64_t assignment_position(struct check *check, const struct placed *placed,
                            uint32_t rank)
{
    struct scope *scope = placed->scope;

    if (scope->instance == 0 || scope_first_view(check, scope) == NULL)
        return -1;
    return position_of(scope, rank);
}

/* ---- coordinates --------------------------------------------------------- */

static size_t coordinates_room(const struct runtime *rt)
{
    return rt->n_views * VIEW_AXES_MAX + rt->n_coordinates;
}

/* The part of the form that an axis of its view is. */
static const struct view_part *part_of_axis(const struct view_form *form,
                                            const char *name)
{
    const struct view_part *part = form->parts;

    while (strcmp(part->name, name) != 0)
        part++;
    return part;
}

static int add_view(struct maker *m, int v, struct shard_coordinate *to)
{
    const struct runtime *rt = m->check->rt;
    const struct view *view = scope_view(m->check, m->scope, v);
    struct node_shard *shard = m->shard;

    if (view == NULL || !view_reaches(view, shard->instance_rank))
        return 0;
    for (int a = 0; a < view->n_axes; a++) {
        const char *name = view->axes[a].name;
        const struct view_part *part =
            part_of_axis(m->scope->views[v].form, name);
        struct shard_coordinate *c = &to[shard->n_coordinates];

        if (part->axis >= 0 && coordinate_on(shard, part->axis) != NULL)
            continue; /* shared, and there already */
        if (part->axis < 0 && rt->n_views > 1)
            name = arena_printf(m->arena, "%s.%s", rt->views[v].name, name);
        if (name == NULL)
            return -1;
        *c = (struct shard_coordinate){
            .name = name,
            .coordinate = view_coordinate(view, a, shard->instance_rank),
            .size = view->axes[a].size,
            .axis = part->size_of,
        };
        shard->n_coordinates++;
    }
    return 0;
}

static int make_coordinates(struct maker *m)
{
    const struct runtime *rt = m->check->rt;
    struct shard_coordinate *all =
        arena_array(m->arena, coordinates_room(rt) + 1, sizeof(*all));

    if (all == NULL)
        return -1;
    m->shard->coordinates = all;
    for (size_t v = 0; v < rt->n_views; v++)
        if (add_view(m, (int)v, all) < 0)
            return -1;
    for (size_t i = 0; i < rt->n_coordinates; i++) {
        struct coordinate c;

        if (scope_coordinate(m->check, m->scope, (int)i, &c) == 0 &&
            c.view != NULL)
            all[m->shard->n_coordinates++] = (struct shard_coordinate){
                .name = rt->coordinates[i].name,
                .coordinate = coordinate_at(&c, m->shard->instance_rank),
                .size = c.size,
                .axis = -1,
            };
    }
    return 0;
}

int assignment_node(struct check *check, struct arena *arena,
                    const struct placed *placed, int64_t position,
                    struct node_shard *ret, struct error *err)
{
    struct scope *scope = placed->scope;
    struct maker m = { .check = check,
                       .arena = arena,
                       .scope = scope,
                       .placed = placed,
                       .shard = ret };

    *ret = (struct node_shard){
        .node = placed->node,
        .scope = scope,
        .instance = (uint32_t)(position / scope->instance),
        .instance_rank = (uint32_t)(position % scope->instance),
    };
    m.shares = arena_array(arena, SHARES_MAX, sizeof(*m.shares));
    if (m.shares == NULL || make_coordinates(&m) < 0)
        return error_exhausted(err);
    make_shares(&m);
    return transfers_make(check, arena, placed, ret, err);
}

int assignment_make(struct check *check, struct arena *arena, uint32_t rank,
                    struct assignment *ret, struct error *err)
{
    struct node_shard *nodes =
        arena_array(arena, check->n_placed + 1, sizeof(*nodes));
    size_t n = 0;

    if (nodes == NULL)
        return error_exhausted(err);
    for (size_t i = 0; i < check->n_placed; i++) {
        const struct placed *placed = &check->placed[i];
        int64_t position = assignment_position(check, placed, rank);

        if (position >= 0 && assignment_node(check, arena, placed, position,
                                             &nodes[n++], err) < 0)
            return -1;
    }
    *ret = (struct assignment){ .rank = rank, .nodes = nodes, .n_nodes = n };
    return 0;
}
