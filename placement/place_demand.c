/* SPDX-License-Identifier: Apache-2.0 */
/* Which ranks of a request must stand together. */
#include <stdlib.h>
#include <string.h>

#include "placement/place_parts.h"
#include "placement/place_set.h"

struct asking {
    struct arena *arena;
    const struct place_request *request;
    struct demand *demand;
    uint32_t *first; /* of the groups of one axis: their lowest position */
    unsigned wanted; /* links that axes want, as a mask */
    struct joined {  /* what was worked out already */
        unsigned links;
        uint32_t *sets;
    } joined[4];
    size_t n_joined;
    struct error *err;
};

static void join_axis(struct asking *a, const struct place_axis *axis,
                      uint32_t *parent)
{
    for (uint32_t g = 0; g < axis->n_groups; g++)
        a->first[g] = GROUP_NONE;
    for (uint32_t p = 0; p < a->request->n_ranks; p++) {
        uint32_t g = axis->group_of[p];

        if (g == GROUP_NONE)
            continue;
        if (a->first[g] == GROUP_NONE)
            a->first[g] = p;
        else
            set_join(parent, a->first[g], p);
    }
}

/* Joins the members of each group of the axes that want one of the links in a
 * mask, and gives each position the lowest of its set. Links that no axis wants
 * join nothing, so that few masks are worked out: the others are the same. */
static uint32_t *join_groups(struct asking *a, unsigned links)
{
    uint32_t n = a->request->n_ranks, *parent;

    links &= a->wanted;
    for (size_t i = 0; i < a->n_joined; i++)
        if (a->joined[i].links == links)
            return a->joined[i].sets;
    parent = arena_array(a->arena, n, sizeof(*parent));
    if (parent == NULL)
        return NULL;
    for (uint32_t p = 0; p < n; p++)
        parent[p] = p;
    for (size_t i = 0; i < a->request->n_axes; i++)
        if ((links & 1u << a->request->axes[i].want) != 0)
            join_axis(a, &a->request->axes[i], parent);
    for (uint32_t p = 0; p < n; p++)
        parent[p] = set_lowest(parent, p);
    a->joined[a->n_joined++] = (struct joined){ links, parent };
    return parent;
}

static int check_axes(struct asking *a)
{
    const struct place_request *request = a->request;
    uint32_t most = 0;

    if (request->n_ranks > PLACE_RANKS_MAX || request->n_axes > PLACE_AXES_MAX)
        return error_set(a->err, STATUS_EXHAUSTED,
                         "a request has %d ranks and %d lists of groups at "
                         "most",
                         PLACE_RANKS_MAX, PLACE_AXES_MAX);
    for (size_t i = 0; i < request->n_axes; i++) {
        const struct place_axis *axis = &request->axes[i];

        for (uint32_t p = 0; p < request->n_ranks; p++)
            if (axis->group_of[p] != GROUP_NONE &&
                axis->group_of[p] >= axis->n_groups)
                return error_set(a->err, STATUS_INVALID,
                                 "position %u is in group %u of %s, which has "
                                 "%u",
                                 p, axis->group_of[p], axis->name,
                                 axis->n_groups);
        if (axis->n_groups > most)
            most = axis->n_groups;
        a->wanted |= 1u << axis->want;
    }
    a->first = arena_array(a->arena, most, sizeof(*a->first));
    return a->first == NULL ? error_exhausted(a->err) : 0;
}

/* ---- order -------------------------------------------------------------- */

struct ordered {
    uint32_t bundle, knot, part, position;
};

static int compare_ordered(const void *va, const void *vb)
{
    const struct ordered *a = va, *b = vb;

    if (a->bundle != b->bundle)
        return a->bundle < b->bundle ? -1 : 1;
    if (a->knot != b->knot)
        return a->knot < b->knot ? -1 : 1;
    if (a->part != b->part)
        return a->part < b->part ? -1 : 1;
    return (a->position > b->position) - (a->position < b->position);
}

static int put_in_order(struct asking *a, enum island_kind kind)
{
    struct demand *d = a->demand;
    uint32_t *order = arena_array(a->arena, d->n_ranks, sizeof(*order));
    struct arena_mark mark = arena_mark(a->arena);
    struct ordered *all = arena_array(a->arena, d->n_ranks, sizeof(*all));
    bool sorted = true;

    if (all == NULL || order == NULL)
        return error_exhausted(a->err);
    for (uint32_t p = 0; p < d->n_ranks; p++) {
        all[p] =
            (struct ordered){ d->bundle[p], d->knot[p], d->part[kind][p], p };
        sorted =
            sorted && (p == 0 || compare_ordered(&all[p - 1], &all[p]) < 0);
    }
    if (!sorted)
        qsort(all, d->n_ranks, sizeof(*all), compare_ordered);
    for (uint32_t p = 0; p < d->n_ranks; p++)
        order[p] = all[p].position;
    arena_rewind(a->arena, mark);
    d->order[kind] = order;
    return 0;
}

/* Parts that are whole knots, or single positions, change nothing in the order:
 * mostly one order is that of both kinds. */
static int order_all(struct asking *a)
{
    const unsigned near = a->wanted & 1u << LINK_NVLINK,
                   host = a->wanted & 1u << LINK_HOST;

    if (put_in_order(a, ISLAND_HOST) < 0)
        return -1;
    a->demand->order[ISLAND_DOMAIN] = a->demand->order[ISLAND_HOST];
    return near != 0 && host != 0 ? put_in_order(a, ISLAND_DOMAIN) : 0;
}

/* ---- shapes ------------------------------------------------------------- */

/* The size of the sets within positions [first, end) of an order; 0: they
 * differ. */
static uint32_t equal_size(const uint32_t *order, const uint32_t *set,
                           uint32_t first, uint32_t end)
{
    uint32_t size = 0, run = 0;

    for (uint32_t i = first; i < end; i++) {
        run++;
        if (i + 1 < end && set[order[i + 1]] == set[order[i]])
            continue;
        if (size != 0 && run != size)
            return 0;
        size = run;
        run = 0;
    }
    return size;
}

/* The shape of the bundle at [first, end) of the orders. */
static struct shape shape_of(const struct demand *d, uint32_t first,
                             uint32_t end)
{
    uint32_t knot = equal_size(d->order[0], d->knot, first, end);
    struct shape shape = { .exact = knot != 0 };

    shape.knot = knot != 0 ? knot : end - first;
    shape.n_knots = (end - first) / shape.knot;
    for (int kind = 0; kind < 2; kind++) {
        uint32_t part =
            knot != 0 ? equal_size(d->order[kind], d->part[kind], first, end)
                      : 0;

        shape.exact = shape.exact && part != 0;
        shape.part[kind] = part != 0 ? part : shape.knot;
    }
    return shape;
}

/* One bundle: its positions are n of the orders, from first on. */
struct shaped {
    struct shape shape;
    uint32_t first, n;
};

/* Large knots first, then large bundles, then large parts. */
static int compare_shapes(const struct shape *a, const struct shape *b)
{
    if (a->knot != b->knot)
        return a->knot > b->knot ? -1 : 1;
    if (a->n_knots != b->n_knots)
        return a->n_knots > b->n_knots ? -1 : 1;
    for (int kind = 0; kind < 2; kind++)
        if (a->part[kind] != b->part[kind])
            return a->part[kind] > b->part[kind] ? -1 : 1;
    return (int)a->exact - (int)b->exact;
}

static int compare_shaped(const void *va, const void *vb)
{
    const struct shaped *a = va, *b = vb;
    int order = compare_shapes(&a->shape, &b->shape);

    return order != 0 ? order : (a->first > b->first) - (a->first < b->first);
}

/* Puts bundles of one shape next to one another; whether they were not. */
static bool sort_shaped(struct shaped *all, uint32_t n)
{
    for (uint32_t i = 1; i < n; i++)
        if (compare_shaped(&all[i - 1], &all[i]) > 0) {
            qsort(all, n, sizeof(*all), compare_shaped);
            return true;
        }
    return false;
}

/* An order with the bundles as they stand now. */
static uint32_t *reorder(struct asking *a, const uint32_t *order,
                         const struct shaped *all, uint32_t n)
{
    uint32_t *to = arena_array(a->arena, a->demand->n_ranks, sizeof(*to));
    uint32_t at = 0;

    for (uint32_t i = 0; to != NULL && i < n; at += all[i++].n)
        memcpy(to + at, order + all[i].first, all[i].n * sizeof(*to));
    return to;
}

static int reorder_all(struct asking *a, const struct shaped *all, uint32_t n)
{
    struct demand *d = a->demand;
    const bool is_one = d->order[0] == d->order[1];

    d->order[0] = reorder(a, d->order[0], all, n);
    d->order[1] = is_one ? d->order[0] : reorder(a, d->order[1], all, n);
    return d->order[0] != NULL && d->order[1] != NULL ? 0
                                                      : error_exhausted(a->err);
}

static int gather(struct asking *a, struct shaped *all, uint32_t n)
{
    struct demand *d = a->demand;
    uint32_t at = 0;

    if (sort_shaped(all, n) && reorder_all(a, all, n) < 0)
        return -1;
    for (uint32_t i = 0; i < n; at += all[i++].n) {
        if (i == 0 || compare_shapes(&all[i].shape, &all[i - 1].shape) != 0) {
            d->shapes[d->n_shapes] = all[i].shape;
            d->shapes[d->n_shapes++].first = at;
        }
        d->shapes[d->n_shapes - 1].n++;
    }
    return 0;
}

static uint32_t count_bundles(const struct demand *d)
{
    uint32_t n = 0;

    for (uint32_t p = 0; p < d->n_ranks; p++)
        n += d->bundle[p] == p;
    return n;
}

static int find_shapes(struct asking *a)
{
    struct demand *d = a->demand;
    const uint32_t n_bundles = count_bundles(d);
    struct shaped *all = arena_array(a->arena, n_bundles, sizeof(*all));
    uint32_t n = 0, first = 0;

    d->shapes = arena_array(a->arena, n_bundles, sizeof(*d->shapes));
    if (all == NULL || d->shapes == NULL)
        return error_exhausted(a->err);
    while (first < d->n_ranks) {
        uint32_t bundle = d->bundle[d->order[0][first]], end = first;

        while (end < d->n_ranks && d->bundle[d->order[0][end]] == bundle)
            end++;
        all[n++] =
            (struct shaped){ shape_of(d, first, end), first, end - first };
        first = end;
    }
    return gather(a, all, n);
}

int demand_make(struct arena *arena, const struct place_request *request,
                struct demand *ret, struct error *err)
{
    static const unsigned near = 1u << LINK_NVLINK, host = 1u << LINK_HOST,
                          block = 1u << LINK_BLOCK;
    struct asking a = {
        .arena = arena, .request = request, .demand = ret, .err = err
    };

    *ret = (struct demand){ .n_ranks = request->n_ranks };
    if (check_axes(&a) < 0)
        return -1;
    ret->part[ISLAND_HOST] = join_groups(&a, near);
    ret->part[ISLAND_DOMAIN] = join_groups(&a, host);
    ret->knot = join_groups(&a, near | host);
    ret->bundle = join_groups(&a, near | host | block);
    if (ret->part[0] == NULL || ret->part[1] == NULL || ret->knot == NULL ||
        ret->bundle == NULL)
        return error_exhausted(err);
    return order_all(&a) < 0 ? -1 : find_shapes(&a);
}
