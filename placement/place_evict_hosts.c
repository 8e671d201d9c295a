/* SPDX-License-Identifier: Apache-2.0 */
/* Which holders let go where the fewest are too many to look for: those of few
 * hosts. */
#include <stdlib.h>
#include <string.h>

#include "placement/place_evict.h"

/* What it takes to have all that is of use on a host. */
struct host_cost {
    uint32_t host, n_holders, n_devices;
};

static int compare_costs(const void *va, const void *vb)
{
    const struct host_cost *a = va, *b = vb;

    if (a->n_holders != b->n_holders)
        return a->n_holders < b->n_holders ? -1 : 1;
    if (a->n_devices != b->n_devices)
        return a->n_devices > b->n_devices ? -1 : 1;
    return (a->host > b->host) - (a->host < b->host);
}

/* seen: by holder, the last host that it was counted on, plus one. */
static struct host_cost cost_of(const struct evicting *e, uint32_t h,
                                uint32_t *seen)
{
    const struct host *host = &e->topology->hosts[h];
    struct host_cost cost = { .host = h };

    for (uint32_t d = host->first_device;
         d < host->first_device + host->n_devices; d++) {
        uint32_t holder = e->occupancy->holders[d];

        if (!evict_is_of_use(e, d))
            continue;
        cost.n_devices++;
        if (holder == HOLDER_NONE || seen[holder] == h + 1)
            continue;
        seen[holder] = h + 1;
        cost.n_holders++;
    }
    return cost;
}

/* The holders in the order in which hosts come free: those that few hold
 * first, so that what stands together does. ret: n_victims holders. */
static int order_by_hosts(struct evicting *e, uint32_t *ret)
{
    uint32_t n_hosts = e->topology->n_hosts, n = 0;
    struct host_cost *costs =
        arena_array(e->arena, n_hosts + 1, sizeof(*costs));
    uint32_t *seen =
        arena_array(e->arena, e->occupancy->n_names + 1, sizeof(*seen));

    if (costs == NULL || seen == NULL)
        return error_exhausted(e->err);
    for (uint32_t h = 0; h < n_hosts; h++)
        costs[h] = cost_of(e, h, seen);
    qsort(costs, n_hosts, sizeof(*costs), compare_costs);
    memset(seen, 0, e->occupancy->n_names * sizeof(*seen));
    for (uint32_t i = 0; i < n_hosts; i++) {
        const struct host *host = &e->topology->hosts[costs[i].host];

        for (uint32_t d = host->first_device;
             d < host->first_device + host->n_devices; d++) {
            uint32_t holder = e->occupancy->holders[d];

            if (holder == HOLDER_NONE || seen[holder] || !evict_is_of_use(e, d))
                continue;
            seen[holder] = 1;
            ret[n++] = holder;
        }
    }
    return 0;
}

/* Whether the first of an order do; leaves them marked. */
static int try_first(struct evicting *e, const uint32_t *order, uint32_t n,
                     bool *ret)
{
    memset(e->lets_go, 0, e->occupancy->n_names * sizeof(*e->lets_go));
    for (uint32_t i = 0; i < n; i++)
        e->lets_go[order[i]] = true;
    return evict_fits(e, ret);
}

int evict_by_hosts(struct evicting *e)
{
    uint32_t *order = arena_array(e->arena, e->n_victims + 1, sizeof(*order));
    uint32_t low = 0, high = e->n_victims; /* the first `high` do */
    uint32_t tries_max = e->tries + e->tries_max;
    bool found;

    if (order == NULL)
        return error_exhausted(e->err);
    if (order_by_hosts(e, order) < 0)
        return -1;
    while (high - low > 1 && e->tries < tries_max) {
        uint32_t middle = low + (high - low) / 2;

        if (try_first(e, order, middle, &found) < 0)
            return -1;
        if (found)
            high = middle;
        else
            low = middle;
    }
    memset(e->lets_go, 0, e->occupancy->n_names * sizeof(*e->lets_go));
    for (uint32_t i = 0; i < high; i++)
        e->lets_go[order[i]] = true;
    for (uint32_t i = e->n_victims; i-- > 0 && e->tries < tries_max;) {
        uint32_t holder = e->victims[i].holder;

        if (!e->lets_go[holder])
            continue;
        e->lets_go[holder] = false;
        if (evict_fits(e, &found) < 0)
            return -1;
        e->lets_go[holder] = !found;
    }
    return 0;
}
