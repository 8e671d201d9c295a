/* SPDX-License-Identifier: Apache-2.0 */
/* Packing: bundles into blocks, knots into islands, parts into subs. Bundles of
 * one shape are alike, so how many fit into a unit is a number, and filling is
 * exact; shapes are packed one after the other, the largest knots first. */
#include <stdlib.h>

#include "placement/place_parts.h"

/* What one unit could take, and what it is given. */
struct room {
    uint64_t fits, given;
    uint32_t free; /* devices */
    uint32_t unit;
};

struct packing {
    struct site *site;
    const struct demand *demand;
    const struct shape *shape;
    uint32_t *devices;
    struct room *blocks, *islands, *subs; /* room for all units of a level */
    uint64_t *island_fits;                /* knots, by island */
    uint64_t next;                        /* position of the shape's orders */
};

uint64_t knots_in_island(const struct site *site, uint32_t island,
                         const struct shape *shape)
{
    const struct span *subs = &site->islands[island];
    uint32_t part = shape->part[site->kinds[island]];
    uint64_t parts = 0;

    for (uint32_t s = 0; s < subs->n; s++)
        parts += site->subs[subs->first + s].n / part;
    return parts / (shape->knot / part);
}

/* The largest first; of equals the one that is filled best, then inventory. */
static int compare_rooms(const void *va, const void *vb)
{
    const struct room *a = va, *b = vb;

    if (a->fits != b->fits)
        return a->fits > b->fits ? -1 : 1;
    if (a->free != b->free)
        return a->free < b->free ? -1 : 1;
    return (a->unit > b->unit) - (a->unit < b->unit);
}

static int compare_units(const void *va, const void *vb)
{
    const struct room *a = va, *b = vb;

    return (a->unit > b->unit) - (a->unit < b->unit);
}

/* Of the rooms from `from` on, sorted, the first of those that are the smallest
 * with room for need. */
static uint32_t tightest(const struct room *rooms, uint32_t from, uint32_t n,
                         uint64_t need)
{
    uint32_t low = from, high = n; /* rooms before low have room */
    uint64_t fits;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (rooms[middle].fits >= need)
            low = middle + 1;
        else
            high = middle;
    }
    fits = rooms[low - 1].fits;
    for (low--; low > from && rooms[low - 1].fits == fits;)
        low--;
    return low;
}

/* Gives `need` to as few rooms as can be: whole ones, the largest first, until
 * one takes the rest; that one is the tightest. Rooms that are given something
 * end up first, in inventory order; returns how many. The sum of fits is need
 * or more. */
static uint32_t spread(struct room *rooms, uint32_t n, uint64_t need)
{
    uint32_t given = 0, last;

    if (n > 1)
        qsort(rooms, n, sizeof(*rooms), compare_rooms);
    while (rooms[given].fits < need) {
        rooms[given].given = rooms[given].fits;
        need -= rooms[given++].fits;
    }
    if (need > 0) {
        struct room one;

        last = tightest(rooms, given, n, need);
        one = rooms[last];
        rooms[last] = rooms[given];
        one.given = need;
        rooms[given++] = one;
    }
    if (given > 1)
        qsort(rooms, given, sizeof(*rooms), compare_units);
    return given;
}

/* ---- from the inside out ------------------------------------------------ */

/* Gives the positions order[0..n) the first devices of a sub. */
static void take_devices(struct packing *p, uint32_t sub, const uint32_t *order,
                         uint64_t n)
{
    struct span *span = &p->site->subs[sub];

    for (uint64_t i = 0; i < n; i++)
        p->devices[order[i]] = p->site->devices[span->first + i];
    span->first += (uint32_t)n;
    span->n -= (uint32_t)n;
}

/* Gives an island the next knots of the shape. All parts are of one size, so
 * they go to the subs in order. */
static void fill_island(struct packing *p, uint32_t island, uint64_t n_knots)
{
    const struct span *subs = &p->site->islands[island];
    enum island_kind kind = p->site->kinds[island];
    const uint32_t *order = p->demand->order[kind] + p->next;
    uint32_t part = p->shape->part[kind], given;
    uint64_t parts = n_knots * (p->shape->knot / part);

    for (uint32_t s = 0; s < subs->n; s++) {
        uint32_t sub = subs->first + s, n = p->site->subs[sub].n;

        p->subs[s] = (struct room){ n / part, 0, n, sub };
    }
    given = spread(p->subs, subs->n, parts);
    for (uint32_t s = 0; s < given; s++) {
        take_devices(p, p->subs[s].unit, order, p->subs[s].given * part);
        order += p->subs[s].given * part;
    }
    p->next += n_knots * p->shape->knot;
}

static void fill_block(struct packing *p, uint32_t block, uint64_t n_bundles)
{
    const struct span *islands = &p->site->blocks[block];
    uint32_t given;

    for (uint32_t i = 0; i < islands->n; i++) {
        uint32_t island = islands->first + i;

        p->islands[i] = (struct room){
            .fits = p->island_fits[island],
            .free = site_island_free(p->site, island),
            .unit = island,
        };
    }
    given = spread(p->islands, islands->n, n_bundles * p->shape->n_knots);
    for (uint32_t i = 0; i < given; i++)
        fill_island(p, p->islands[i].unit, p->islands[i].given);
}

/* ---- all in one --------------------------------------------------------- */

/* How well a unit of `size` devices, n of them free, takes all of a request: it
 * is filled; it was broken already; it was whole. Then the smallest hole. */
struct choice {
    uint32_t rank, free, unit, island;
    bool found;
};

static void consider(struct choice *best, struct choice one, uint32_t size,
                     uint64_t wanted)
{
    one.rank = one.free == wanted ? 0 : one.free < size ? 1 : 2;
    if (!best->found || one.rank < best->rank ||
        (one.rank == best->rank && one.free < best->free))
        *best = one;
}

/* Devices of no domain are no sub that is worth keeping whole. */
static bool is_lone(const struct site *site, uint32_t island, uint32_t device)
{
    return site->kinds[island] == ISLAND_HOST &&
           site->topology->devices[device].domain == DOMAIN_NONE;
}

/* Packs the whole shape into one sub, or else into one island. */
static bool pack_in_one(struct packing *p, uint64_t n_knots)
{
    const struct site *site = p->site;
    uint64_t wanted = n_knots * p->shape->knot;
    struct choice sub = { .found = false }, island = { .found = false };

    for (uint32_t i = 0; i < site->n_islands; i++) {
        const struct span *subs = &site->islands[i];
        uint32_t n = site_island_free(site, i);

        if (p->island_fits[i] < n_knots)
            continue;
        consider(&island, (struct choice){ 0, n, i, i, true },
                 site_island_size(site, i), wanted);
        for (uint32_t s = subs->first; s < subs->first + subs->n; s++) {
            const struct span *devices = &site->subs[s];

            if (devices->n < wanted ||
                is_lone(site, i, site->devices[devices->first]))
                continue;
            consider(&sub, (struct choice){ 0, devices->n, s, i, true },
                     site_sub_size(site, s), wanted);
        }
    }
    if (sub.found)
        take_devices(p, sub.unit,
                     p->demand->order[site->kinds[sub.island]] + p->next,
                     wanted);
    else if (island.found)
        fill_island(p, island.unit, n_knots);
    return sub.found || island.found;
}

/* ---- shapes ------------------------------------------------------------- */

/* Packs the bundles of one shape; returns how many find no room, and takes
 * nothing then. */
static uint64_t pack_shape(struct packing *p)
{
    const struct site *site = p->site;
    uint64_t fits = 0;
    uint32_t given;

    p->next = p->shape->first;
    for (uint32_t b = 0; b < site->n_blocks; b++) {
        const struct span *islands = &site->blocks[b];
        uint64_t knots = 0;
        uint32_t n_free = 0;

        for (uint32_t i = islands->first; i < islands->first + islands->n;
             i++) {
            p->island_fits[i] = knots_in_island(site, i, p->shape);
            knots += p->island_fits[i];
            n_free += site_island_free(site, i);
        }
        p->blocks[b] = (struct room){ knots / p->shape->n_knots, 0, n_free, b };
        fits += p->blocks[b].fits;
    }
    if (fits < p->shape->n)
        return p->shape->n - fits;
    if (pack_in_one(p, (uint64_t)p->shape->n * p->shape->n_knots))
        return 0;
    given = spread(p->blocks, site->n_blocks, p->shape->n);
    for (uint32_t b = 0; b < given; b++)
        fill_block(p, p->blocks[b].unit, p->blocks[b].given);
    return 0;
}

int place_pack(struct arena *arena, struct site *site,
               const struct demand *demand, uint32_t *devices, bool *ret_fits,
               struct short_of *ret_short, struct error *err)
{
    struct packing p = {
        .site = site,
        .demand = demand,
        .devices = devices,
        .blocks = arena_array(arena, site->n_blocks, sizeof(*p.blocks)),
        .islands = arena_array(arena, site->n_islands, sizeof(*p.islands)),
        .subs = arena_array(arena, site->n_subs, sizeof(*p.subs)),
        .island_fits =
            arena_array(arena, site->n_islands, sizeof(*p.island_fits)),
    };

    if (p.blocks == NULL || p.islands == NULL || p.subs == NULL ||
        p.island_fits == NULL)
        return error_exhausted(err);
    *ret_fits = true;
    for (size_t s = 0; *ret_fits && s < demand->n_shapes; s++) {
        p.shape = &demand->shapes[s];
        *ret_short = (struct short_of){ s, pack_shape(&p) };
        *ret_fits = ret_short->n == 0;
    }
    return 0;
}
