/* SPDX-License-Identifier: Apache-2.0 */
/* Which holders would have to let go for a request to fit: the fewest. */
#include <stdlib.h>
#include <string.h>

#include "placement/place_evict.h"

enum {
    SETS_MAX = 1 << 16,  /* of one size: 24 bytes each, 1.5 MiB */
    STEPS_MAX = 1 << 20, /* of looking for them */
    TRIES_MAX = 1024,    /* a try packs the cluster anew */
    TRIES_LEAST = 6,     /* also of the largest cluster: 0.1 s each */
    WORK_MAX = 1 << 21,  /* devices and ranks of all tries: 0.2 s */
};

/* ---- who holds ----------------------------------------------------------- */

static int compare_victims(const void *va, const void *vb)
{
    const struct victim *a = va, *b = vb;

    if (a->n_devices != b->n_devices)
        return a->n_devices < b->n_devices ? -1 : 1;
    return strcmp(a->name, b->name);
}

bool evict_is_of_use(const struct evicting *e, uint32_t d)
{
    const struct host *host = &e->topology->hosts[e->topology->devices[d].host];

    return host->state == HOST_READY && (!host->spare || e->request->spares) &&
           device_wanted(e->topology, e->request, d);
}

static int find_victims(struct evicting *e)
{
    uint32_t n = e->occupancy->n_names, free = 0;
    uint32_t *counts = arena_array(e->arena, n + 1, sizeof(*counts));

    e->victims = arena_array(e->arena, n + 1, sizeof(*e->victims));
    e->lets_go = arena_array(e->arena, n + 1, sizeof(*e->lets_go));
    e->holders =
        arena_array(e->arena, e->topology->n_devices + 1, sizeof(*e->holders));
    e->sets = arena_array(e->arena, SETS_MAX, sizeof(*e->sets));
    if (counts == NULL || e->victims == NULL || e->lets_go == NULL ||
        e->holders == NULL || e->sets == NULL)
        return error_exhausted(e->err);
    for (uint32_t d = 0; d < e->topology->n_devices; d++) {
        uint32_t holder = e->occupancy->holders[d];

        if (!evict_is_of_use(e, d))
            continue;
        if (holder == HOLDER_NONE)
            free++;
        else
            counts[holder]++;
    }
    for (uint32_t h = 0; h < n; h++)
        if (counts[h] > 0)
            e->victims[e->n_victims++] =
                (struct victim){ e->occupancy->names[h], h, counts[h] };
    qsort(e->victims, e->n_victims, sizeof(*e->victims), compare_victims);
    e->deficit = e->request->n_ranks > free ? e->request->n_ranks - free : 0;
    return 0;
}

/* ---- a try --------------------------------------------------------------- */

int evict_fits(struct evicting *e, bool *ret)
{
    struct occupancy occupancy = { e->holders, e->occupancy->names,
                                   e->occupancy->n_names };
    struct arena_mark mark = arena_mark(e->arena);
    uint32_t *devices =
        arena_array(e->arena, e->request->n_ranks + 1, sizeof(*devices));
    struct site site;
    struct short_of missing;
    int rc = -1;

    for (uint32_t d = 0; d < e->topology->n_devices; d++) {
        uint32_t holder = e->occupancy->holders[d];

        e->holders[d] =
            holder != HOLDER_NONE && e->lets_go[holder] ? HOLDER_NONE : holder;
    }
    e->tries++;
    if (devices == NULL)
        error_exhausted(e->err);
    else if (site_make(e->arena, e->topology, &occupancy, e->request, SITE_NOW,
                       NULL, &site, e->err) == 0)
        rc = place_pack(e->arena, &site, &e->demand, devices, ret, &missing,
                        e->err);
    arena_rewind(e->arena, mark);
    return rc;
}

static void mark_set(struct evicting *e, const uint32_t *members, size_t n,
                     bool lets_go)
{
    for (size_t i = 0; i < n; i++)
        e->lets_go[e->victims[members[i]].holder] = lets_go;
}

/* ---- the fewest ---------------------------------------------------------- */

static int compare_sets(const void *va, const void *vb)
{
    const struct victim_set *a = va, *b = vb;

    if (a->n_devices != b->n_devices)
        return a->n_devices < b->n_devices ? -1 : 1;
    for (int i = 0; i < EVICT_SET_MAX; i++)
        if (a->members[i] != b->members[i])
            return a->members[i] < b->members[i] ? -1 : 1;
    return 0;
}

/* Lists the sets of a size that free enough devices. The largest victims are
 * the last, so that what cannot suffice any more is seen early. false: there
 * are too many. */
static bool list_sets(struct evicting *e, uint32_t size)
{
    uint32_t at[EVICT_SET_MAX] = { 0 };
    uint32_t n = e->n_victims, depth = 0, sum = 0;
    uint32_t most = e->victims[n - 1].n_devices;

    e->n_sets = 0;
    e->steps = 0;
    for (;;) {
        uint32_t left = size - depth; /* to be chosen, at[depth] among them */

        if (++e->steps > STEPS_MAX)
            return false;
        if (at[depth] + left > n) {
            if (depth == 0)
                return true;
            depth--;
            sum -= e->victims[at[depth]++].n_devices;
            continue;
        }
        if ((uint64_t)sum + e->victims[at[depth]].n_devices +
                (uint64_t)(left - 1) * most <
            e->deficit) {
            at[depth]++;
            continue;
        }
        if (left > 1) {
            sum += e->victims[at[depth]].n_devices;
            at[depth + 1] = at[depth] + 1;
            depth++;
            continue;
        }
        if (e->n_sets == SETS_MAX)
            return false;
        e->sets[e->n_sets].n_devices = sum + e->victims[at[depth]].n_devices;
        memcpy(e->sets[e->n_sets++].members, at, sizeof(at));
        at[depth]++;
    }
}

/* Tries the sets of a size, those of fewest devices first. *ret_all: all of
 * them could be. */
static int try_sets(struct evicting *e, uint32_t size,
                    const struct victim_set **ret, bool *ret_all)
{
    *ret_all = list_sets(e, size);
    for (size_t i = 0; *ret_all && i < e->n_sets; i++)
        for (uint32_t k = size; k < EVICT_SET_MAX; k++)
            e->sets[i].members[k] = 0; /* left there by larger ones */
    qsort(e->sets, *ret_all ? e->n_sets : 0, sizeof(*e->sets), compare_sets);
    for (size_t i = 0; *ret_all && i < e->n_sets; i++) {
        bool found = false;

        if (e->tries >= e->tries_max) {
            *ret_all = false;
            break;
        }
        mark_set(e, e->sets[i].members, size, true);
        if (evict_fits(e, &found) < 0)
            return -1;
        mark_set(e, e->sets[i].members, size, false);
        if (found) {
            *ret = &e->sets[i];
            return 0;
        }
    }
    return 0;
}

/* ---- the answer ---------------------------------------------------------- */

static int take_marked(struct evicting *e, struct place_eviction *ret)
{
    struct place_holder *list =
        arena_array(e->arena, e->n_victims + 1, sizeof(*list));
    uint32_t n_devices = 0;
    size_t n = 0;

    if (list == NULL)
        return error_exhausted(e->err);
    for (uint32_t i = e->n_victims; i-- > 0;) {
        uint32_t first = i;

        /* the most devices first, but of equals still by name */
        while (first > 0 &&
               e->victims[first - 1].n_devices == e->victims[i].n_devices)
            first--;
        for (uint32_t k = first; k <= i; k++)
            if (e->lets_go[e->victims[k].holder]) {
                list[n++] = (struct place_holder){ e->victims[k].holder,
                                                   e->victims[k].n_devices };
                n_devices += e->victims[k].n_devices;
            }
        i = first;
    }
    ret->holders = list;
    ret->n_holders = n;
    ret->n_devices = n_devices;
    return 0;
}

static int find(struct evicting *e, struct place_eviction *ret)
{
    const struct victim_set *found = NULL;
    bool all = true;
    uint32_t size = 0; /* no fewer do */

    for (uint32_t i = 0; i < e->n_victims; i++)
        e->lets_go[e->victims[i].holder] = true;
    if (evict_fits(e, &ret->possible) < 0)
        return -1;
    if (!ret->possible || e->n_victims == 0)
        return 0;
    memset(e->lets_go, 0, e->occupancy->n_names * sizeof(*e->lets_go));
    while (all && found == NULL && size < e->n_victims) {
        all = ++size <= EVICT_SET_MAX;
        if (all && try_sets(e, size, &found, &all) < 0)
            return -1;
    }
    if (found != NULL)
        mark_set(e, found->members, size, true);
    else if (evict_by_hosts(e) < 0)
        return -1;
    if (take_marked(e, ret) < 0)
        return -1;
    ret->least = ret->n_holders == size;
    return 0;
}

int place_evict(struct arena *arena, const struct topology *topology,
                const struct occupancy *occupancy,
                const struct place_request *request, struct place_eviction *ret,
                struct error *err)
{
    struct evicting e = { .arena = arena,
                          .topology = topology,
                          .occupancy = occupancy,
                          .request = request,
                          .err = err };
    uint64_t work = (uint64_t)topology->n_devices + request->n_ranks + 1;

    *ret = (struct place_eviction){ .possible = false };
    e.tries_max =
        WORK_MAX / work < TRIES_MAX ? (uint32_t)(WORK_MAX / work) : TRIES_MAX;
    if (e.tries_max < TRIES_LEAST)
        e.tries_max = TRIES_LEAST;
    if (demand_make(arena, request, &e.demand, err) < 0 ||
        find_victims(&e) < 0 || find(&e, ret) < 0)
        return -1;
    ret->tries = e.tries;
    return 0;
}
