/* SPDX-License-Identifier: Apache-2.0 */
/* Mending: what stays decides where what moves must go. */
#include <stdlib.h>
#include <string.h>

#include "placement/replace_parts.h"

/* ---- one part, one knot ------------------------------------------------- */

/* How good a unit is: near first, then spare, then one that is filled, broken
 * or whole, then the smallest hole, then inventory. */
struct merit {
    uint32_t far, common, shape, free;
};

static int compare_merits(const struct merit *a, const struct merit *b)
{
    if (a->far != b->far)
        return a->far < b->far ? -1 : 1;
    if (a->common != b->common)
        return a->common < b->common ? -1 : 1;
    if (a->shape != b->shape)
        return a->shape < b->shape ? -1 : 1;
    return (a->free > b->free) - (a->free < b->free);
}

static bool is_spare(const struct mending *m, uint32_t sub)
{
    uint32_t device = m->site.devices[m->site.subs[sub].first];

    return m->topology->hosts[m->topology->devices[device].host].spare;
}

/* Puts the missing of a part into a sub of the island: the one that the others
 * of it are in, else the best that has room. */
static bool place_part(struct mending *m, struct set part, uint32_t island)
{
    const struct span *subs = &m->site.islands[island];
    uint32_t need = mend_missing(m, part), best = UINT32_MAX;
    uint32_t home = need < part.n ? mend_home(m, part, LEVEL_SUB) : UINT32_MAX;
    struct merit merit, least = { 0, 0, 0, 0 };

    if (need == 0)
        return true;
    if (home != UINT32_MAX) {
        if (m->n_free[home] < need)
            return false;
        mend_fill_from(m, part, home);
        return true;
    }
    for (uint32_t s = subs->first; s < subs->first + subs->n; s++) {
        if (m->n_free[s] < need)
            continue;
        merit = (struct merit){ 0, !is_spare(m, s),
                                m->n_free[s] == need                        ? 0
                                : m->n_free[s] < site_sub_size(&m->site, s) ? 1
                                                                            : 2,
                                m->n_free[s] };
        if (best == UINT32_MAX || compare_merits(&merit, &least) < 0) {
            best = s;
            least = merit;
        }
    }
    if (best == UINT32_MAX)
        return false;
    mend_fill_from(m, part, best);
    return true;
}

/* Puts the missing of a knot into an island; a part without room beside those
 * of it that stay moves to another sub of the island, if it may. */
static bool place_knot_in(struct mending *m, struct set knot, uint32_t island,
                          bool may_move)
{
    enum island_kind kind = m->site.kinds[island];
    uint32_t first, end;
    size_t mark = m->n_placed;

    knot = mend_in_kind(m, knot, ISLAND_HOST, kind);
    first = (uint32_t)(knot.order - m->demand->order[kind]);
    end = first + knot.n;
    while (first < end) {
        struct set part =
            mend_next_set(m, kind, first, end, m->demand->part[kind]);

        if (!place_part(m, part, island)) {
            if (!may_move || mend_missing(m, part) == part.n)
                break;
            mend_give_back(m, part);
            if (!place_part(m, part, island))
                break;
        }
        first += part.n;
    }
    if (first < end)
        mend_undo(m, mark);
    return first == end;
}

/* The island is in the block of what the knot had before, and so on. */
static uint32_t distance(const struct mending *m, struct set knot,
                         uint32_t island)
{
    uint32_t device = m->old[knot.order[0]];
    const struct units *old, *new;

    if (device == DEVICE_NONE)
        return 2;
    old = &m->site.units[device];
    new =
        &m->site.units[m->site.devices
                           [m->site.subs[m->site.islands[island].first].first]];
    return old->island == new->island ? 0 : old->block == new->block ? 1 : 2;
}

static bool island_is_spare(const struct mending *m, uint32_t island)
{
    const struct span *subs = &m->site.islands[island];

    for (uint32_t s = subs->first; s < subs->first + subs->n; s++)
        if (m->n_free[s] > 0 && is_spare(m, s))
            return true;
    return false;
}

/* Whether a knot of which nobody stands would fit: parts of one size do when
 * there are enough places for them. */
static bool has_room(const struct mending *m, struct set knot, uint32_t island)
{
    enum island_kind kind = m->site.kinds[island];
    const struct span *subs = &m->site.islands[island];
    struct set all = mend_in_kind(m, knot, ISLAND_HOST, kind);
    uint32_t first = (uint32_t)(all.order - m->demand->order[kind]);
    uint32_t part =
        mend_next_set(m, kind, first, first + all.n, m->demand->part[kind]).n;
    uint32_t places = 0;

    if (m->island_free[island] < knot.n)
        return false;
    for (uint32_t s = subs->first; s < subs->first + subs->n; s++)
        places += m->n_free[s] / part * part;
    return places >= knot.n;
}

/* Puts a knot of which nobody stands into the best island, of a block or
 * (UINT32_MAX) of any. */
static bool place_knot(struct mending *m, struct set knot, uint32_t block)
{
    uint32_t first = 0, end = m->site.n_islands, best = UINT32_MAX;
    struct merit merit, least = { 0, 0, 0, 0 };

    if (block != UINT32_MAX) {
        first = m->site.blocks[block].first;
        end = first + m->site.blocks[block].n;
    }
    m->steps += end - first;
    if (m->steps > MEND_STEPS_MAX)
        return false;
    for (uint32_t i = first; i < end; i++) {
        uint32_t n = m->island_free[i];

        if (!has_room(m, knot, i))
            continue;
        merit = (struct merit){ distance(m, knot, i), !island_is_spare(m, i),
                                n == knot.n                         ? 0
                                : n < site_island_size(&m->site, i) ? 1
                                                                    : 2,
                                n };
        if (best == UINT32_MAX || compare_merits(&merit, &least) < 0) {
            best = i;
            least = merit;
        }
    }
    return best != UINT32_MAX && place_knot_in(m, knot, best, false);
}

/* ---- bundles ------------------------------------------------------------ */

/* Puts a bundle of which nobody stands into a block: the first that does. */
static bool place_bundle(struct mending *m, struct set bundle)
{
    uint32_t first = (uint32_t)(bundle.order - m->demand->order[0]);

    for (uint32_t b = 0; b < m->site.n_blocks; b++) {
        size_t mark = m->n_placed;
        uint32_t at = first;

        while (at < first + bundle.n) {
            struct set knot =
                mend_next_set(m, 0, at, first + bundle.n, m->demand->knot);

            if (!place_knot(m, knot, b))
                break;
            at += knot.n;
        }
        if (at == first + bundle.n)
            return true;
        mend_undo(m, mark);
    }
    return false;
}

/* Mends one knot of a bundle: beside those of it that stay, else elsewhere. */
static bool mend_knot(struct mending *m, struct set knot, struct set bundle)
{
    uint32_t home = mend_home(m, knot, LEVEL_ISLAND), block = UINT32_MAX;

    m->n_placed = 0;
    if (mend_missing(m, knot) == 0)
        return true;
    if (home != UINT32_MAX && (place_knot_in(m, knot, home, false) ||
                               place_knot_in(m, knot, home, true)))
        return true;
    mend_give_back(m, knot);
    m->n_placed = 0;
    if (bundle.n > knot.n)
        block = mend_home(m, bundle, LEVEL_BLOCK);
    if (place_knot(m, knot, block))
        return true;
    if (bundle.n == knot.n)
        return false;
    mend_give_back(m, bundle);
    m->n_placed = 0;
    return place_bundle(m, bundle);
}

/* A knot that wants mending. */
struct task {
    struct set knot, bundle;
    uint32_t missing;
};

/* What costs most to move comes first, while there is room beside it. */
static int compare_tasks(const void *va, const void *vb)
{
    const struct task *a = va, *b = vb;

    if (a->knot.n != b->knot.n)
        return a->knot.n > b->knot.n ? -1 : 1;
    if (a->missing != b->missing)
        return a->missing < b->missing ? -1 : 1;
    return (a->knot.order > b->knot.order) - (a->knot.order < b->knot.order);
}

/* Settles everything, and lists what is missing. Returns how many tasks. */
static size_t list_tasks(struct mending *m, struct task *tasks)
{
    const struct demand *d = m->demand;
    uint32_t n = d->n_ranks, at = 0, k, p;
    size_t n_tasks = 0;

    for (; at < n;) {
        struct set bundle = mend_next_set(m, 0, at, n, d->bundle), knot;

        mend_settle(m, bundle, LEVEL_BLOCK);
        for (k = at; k < at + bundle.n; k += knot.n) {
            uint32_t home;

            knot = mend_next_set(m, 0, k, at + bundle.n, d->knot);
            mend_settle(m, knot, LEVEL_ISLAND);
            home = mend_home(m, knot, LEVEL_ISLAND);
            for (p = k; home != UINT32_MAX && p < k + knot.n;) {
                int kind = (int)m->site.kinds[home];
                struct set part =
                    mend_next_set(m, kind, p, k + knot.n, d->part[kind]);

                mend_settle(m, part, LEVEL_SUB);
                p += part.n;
            }
            if (mend_missing(m, knot) > 0)
                tasks[n_tasks++] =
                    (struct task){ knot, bundle, mend_missing(m, knot) };
        }
        at += bundle.n;
    }
    return n_tasks;
}

int mend(struct arena *arena, const struct topology *topology,
         const struct place_request *request, const struct demand *demand,
         const bool *usable, const uint32_t *old, uint32_t *devices,
         bool *ret_mended, struct error *err)
{
    struct mending m = {
        .topology = topology, .demand = demand, .old = old, .devices = devices
    };
    struct task *tasks = arena_array(arena, demand->n_ranks, sizeof(*tasks));
    size_t n;

    if (tasks == NULL)
        return error_exhausted(err);
    if (site_make(arena, topology, NULL, request, SITE_NOW, usable, &m.site,
                  err) < 0 ||
        mend_prepare(arena, &m, err) < 0)
        return -1;
    n = list_tasks(&m, tasks);
    qsort(tasks, n, sizeof(*tasks), compare_tasks);
    *ret_mended = true;
    for (size_t i = 0; *ret_mended && i < n; i++)
        *ret_mended = mend_knot(&m, tasks[i].knot, tasks[i].bundle);
    return 0;
}
