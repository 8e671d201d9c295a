/* SPDX-License-Identifier: Apache-2.0 */
/* What a cluster has free, by block, island and sub. */
#include <stdlib.h>
#include <string.h>

#include "placement/place_parts.h"
#include "placement/place_set.h"

/* Hosts that domains join; one that is joined to none is one of its own. */
struct joined {
    uint32_t *parent; /* of each host: towards the lowest of its set */
    uint32_t *hosts;  /* of each set, at its lowest: how many hosts, */
    uint32_t *domain; /* the domain of all its devices; or */
    bool *many;       /* several, or devices in none */
    bool *one_block;  /* all hosts have the block of the lowest */
};

struct making {
    struct arena *arena;
    const struct topology *topology;
    enum site_view view;
    struct joined joined;
    struct error *err;
};

static uint32_t domain_of(const struct making *m, uint32_t device)
{
    uint32_t domain = m->topology->devices[device].domain;

    if (domain == DOMAIN_NONE && m->view == SITE_GUESSED)
        return (uint32_t)m->topology->n_domains;
    return domain;
}

static uint32_t block_of(const struct making *m, uint32_t host)
{
    uint32_t block = m->topology->hosts[host].block;

    if (block == BLOCK_NONE && m->view == SITE_GUESSED)
        return (uint32_t)m->topology->n_blocks;
    return block;
}

/* Joins the hosts of each domain. */
static int join_hosts(struct making *m)
{
    const struct topology *t = m->topology;
    uint32_t *first = arena_array(m->arena, t->n_domains + 1, sizeof(*first));
    uint32_t *parent = arena_array(m->arena, t->n_hosts, sizeof(*parent));

    if (first == NULL || parent == NULL)
        return error_exhausted(m->err);
    for (size_t d = 0; d <= t->n_domains; d++)
        first[d] = HOST_NONE;
    for (uint32_t h = 0; h < t->n_hosts; h++)
        parent[h] = h;
    for (uint32_t d = 0; d < t->n_devices; d++) {
        uint32_t domain = domain_of(m, d), host = t->devices[d].host;

        if (domain == DOMAIN_NONE)
            continue;
        if (first[domain] == HOST_NONE)
            first[domain] = host;
        else if (first[domain] != host)
            set_join(parent, first[domain], host);
    }
    m->joined.parent = parent;
    return 0;
}

static int describe_sets(struct making *m)
{
    const struct topology *t = m->topology;
    struct joined *j = &m->joined;

    j->hosts = arena_array(m->arena, t->n_hosts, sizeof(*j->hosts));
    j->domain = arena_array(m->arena, t->n_hosts, sizeof(*j->domain));
    j->many = arena_array(m->arena, t->n_hosts, sizeof(*j->many));
    j->one_block = arena_array(m->arena, t->n_hosts, sizeof(*j->one_block));
    if (j->hosts == NULL || j->domain == NULL || j->many == NULL ||
        j->one_block == NULL)
        return error_exhausted(m->err);
    for (uint32_t h = 0; h < t->n_hosts; h++) {
        uint32_t set = set_lowest(j->parent, h);

        j->one_block[set] = (h == set || j->one_block[set]) &&
                            block_of(m, h) == block_of(m, set);
        if (j->hosts[set]++ == 0)
            j->domain[set] = DOMAIN_NONE;
        for (uint32_t i = 0; i < t->hosts[h].n_devices; i++) {
            uint32_t domain = domain_of(m, t->hosts[h].first_device + i);

            if (j->domain[set] == DOMAIN_NONE)
                j->domain[set] = domain;
            if (domain == DOMAIN_NONE || domain != j->domain[set])
                j->many[set] = true;
        }
    }
    return 0;
}

/* The lowest device of the host in the domain of a device; itself where it is
 * in none. Neighbours mostly share one. */
static uint32_t first_alike(const struct making *m, uint32_t device,
                            const struct units *units)
{
    const struct topology *t = m->topology;
    uint32_t domain = domain_of(m, device);
    uint32_t first = t->hosts[t->devices[device].host].first_device;

    if (domain == DOMAIN_NONE)
        return device;
    if (device > first && domain_of(m, device - 1) == domain)
        return units[device - 1].sub;
    while (domain_of(m, first) != domain)
        first++;
    return first;
}

static int give_units(struct making *m, struct units *units)
{
    const struct topology *t = m->topology;
    uint32_t *islands = arena_array(m->arena, t->n_hosts, sizeof(*islands));
    uint32_t *blocks = arena_array(m->arena, t->n_blocks + 1, sizeof(*blocks));

    if (islands == NULL || blocks == NULL)
        return error_exhausted(m->err);
    for (uint32_t h = 0; h < t->n_hosts; h++)
        islands[h] = DEVICE_NONE;
    for (size_t b = 0; b <= t->n_blocks; b++)
        blocks[b] = DEVICE_NONE;
    for (uint32_t d = 0; d < t->n_devices; d++) {
        uint32_t host = t->devices[d].host, block = block_of(m, host);
        uint32_t set = set_lowest(m->joined.parent, host);
        bool one_host = m->joined.hosts[set] == 1;
        struct units *u = &units[d];

        u->kind = one_host || m->joined.many[set] ? ISLAND_HOST : ISLAND_DOMAIN;
        u->sub = first_alike(m, d, units);
        if (u->kind == ISLAND_DOMAIN)
            u->sub = t->hosts[host].first_device;
        if (one_host || u->kind == ISLAND_DOMAIN) {
            if (islands[set] == DEVICE_NONE)
                islands[set] = d;
            u->island = islands[set];
        } else {
            u->island = u->sub;
            /* devices of a host that are in no domain are still in one host */
            if (domain_of(m, d) == DOMAIN_NONE) {
                if (islands[host] == DEVICE_NONE)
                    islands[host] = d;
                u->island = islands[host];
            }
        }
        u->block = u->island;
        if (block == BLOCK_NONE ||
            (u->kind == ISLAND_DOMAIN && !m->joined.one_block[set]))
            continue;
        if (blocks[block] == DEVICE_NONE)
            blocks[block] = d;
        u->block = blocks[block];
    }
    return 0;
}

static int measure(struct making *m, struct site *site)
{
    uint32_t n = m->topology->n_devices;

    for (int level = 0; level < 2; level++) {
        site->sizes[level] = arena_array(m->arena, n, sizeof(uint32_t));
        if (site->sizes[level] == NULL)
            return error_exhausted(m->err);
    }
    for (uint32_t d = 0; d < n; d++) {
        site->sizes[0][site->units[d].sub]++;
        site->sizes[1][site->units[d].island]++;
    }
    return 0;
}

int site_units(struct arena *arena, const struct topology *topology,
               enum site_view view, struct site *ret, struct error *err)
{
    struct making m = { arena, topology, view, { 0 }, err };

    *ret = (struct site){ .topology = topology };
    ret->units = arena_array(arena, topology->n_devices, sizeof(*ret->units));
    if (ret->units == NULL)
        return error_exhausted(err);
    if (join_hosts(&m) < 0 || describe_sets(&m) < 0 ||
        give_units(&m, ret->units) < 0)
        return -1;
    return measure(&m, ret);
}

/* ---- what is free ------------------------------------------------------- */

bool device_wanted(const struct topology *topology,
                   const struct place_request *request, uint32_t device)
{
    const struct device *d = &topology->devices[device];

    return (request->hosts == NULL || request->hosts[d->host]) &&
           d->memory_mib >= request->memory_mib;
}

static bool is_usable(const struct topology *topology,
                      const struct occupancy *occupancy,
                      const struct place_request *request, enum site_view view,
                      uint32_t device)
{
    const struct host *host = &topology->hosts[topology->devices[device].host];

    if (!device_wanted(topology, request, device) ||
        (host->spare && !request->spares))
        return false;
    if (view != SITE_NOW)
        return true;
    return host->state == HOST_READY &&
           (occupancy->holders == NULL ||
            occupancy->holders[device] == HOLDER_NONE);
}

struct sorted_device {
    struct units units;
    uint32_t device;
};

static int compare_units(const struct units *a, const struct units *b)
{
    if (a->block != b->block)
        return a->block < b->block ? -1 : 1;
    if (a->island != b->island)
        return a->island < b->island ? -1 : 1;
    return (a->sub > b->sub) - (a->sub < b->sub);
}

static int compare_devices(const void *va, const void *vb)
{
    const struct sorted_device *a = va, *b = vb;
    int order = compare_units(&a->units, &b->units);

    return order != 0 ? order
                      : (a->device > b->device) - (a->device < b->device);
}

static bool is_sorted(const struct site *site)
{
    const uint32_t *devices = site->devices;

    for (uint32_t i = 1; i < site->n_devices; i++)
        if (compare_units(&site->units[devices[i - 1]],
                          &site->units[devices[i]]) > 0)
            return false;
    return true;
}

/* Most clusters are declared in order, and need no sorting. */
static int sort_devices(struct arena *arena, struct site *site,
                        struct error *err)
{
    struct arena_mark mark = arena_mark(arena);
    struct sorted_device *all;

    if (is_sorted(site))
        return 0;
    all = arena_array(arena, site->n_devices, sizeof(*all));
    if (all == NULL)
        return error_exhausted(err);
    for (uint32_t i = 0; i < site->n_devices; i++)
        all[i] = (struct sorted_device){ site->units[site->devices[i]],
                                         site->devices[i] };
    qsort(all, site->n_devices, sizeof(*all), compare_devices);
    for (uint32_t i = 0; i < site->n_devices; i++)
        site->devices[i] = all[i].device;
    arena_rewind(arena, mark);
    return 0;
}

/* Which units begin with a device, after the one before; NULL: it is the first.
 */
struct begins {
    bool block, island, sub;
};

static struct begins begins_at(const struct units *before,
                               const struct units *u)
{
    struct begins begins = { true, true, true };

    if (before == NULL)
        return begins;
    begins.block = before->block != u->block;
    begins.island = begins.block || before->island != u->island;
    begins.sub = begins.island || before->sub != u->sub;
    return begins;
}

static int allocate_spans(struct arena *arena, struct site *site,
                          struct error *err)
{
    size_t n_subs = 0, n_islands = 0, n_blocks = 0;
    const struct units *before = NULL;

    for (uint32_t i = 0; i < site->n_devices; i++) {
        const struct units *u = &site->units[site->devices[i]];
        struct begins begins = begins_at(before, u);

        before = u;
        n_subs += begins.sub;
        n_islands += begins.island;
        n_blocks += begins.block;
    }
    site->subs = arena_array(arena, n_subs, sizeof(*site->subs));
    site->islands = arena_array(arena, n_islands, sizeof(*site->islands));
    site->blocks = arena_array(arena, n_blocks, sizeof(*site->blocks));
    site->kinds = arena_array(arena, n_islands, sizeof(*site->kinds));
    return site->kinds != NULL && site->subs != NULL && site->islands != NULL &&
                   site->blocks != NULL
               ? 0
               : error_exhausted(err);
}

static void fill_spans(struct site *site)
{
    const struct units *before = NULL;

    for (uint32_t i = 0; i < site->n_devices; i++) {
        const struct units *u = &site->units[site->devices[i]];
        struct begins begins = begins_at(before, u);

        before = u;
        if (begins.block)
            site->blocks[site->n_blocks++].first = site->n_islands;
        if (begins.island) {
            site->blocks[site->n_blocks - 1].n++;
            site->kinds[site->n_islands] = u->kind;
            site->islands[site->n_islands++].first = site->n_subs;
        }
        if (begins.sub) {
            site->islands[site->n_islands - 1].n++;
            site->subs[site->n_subs++].first = i;
        }
        site->subs[site->n_subs - 1].n++;
    }
}

int site_make(struct arena *arena, const struct topology *topology,
              const struct occupancy *occupancy,
              const struct place_request *request, enum site_view view,
              const bool *usable, struct site *ret, struct error *err)
{
    uint32_t *devices =
        arena_array(arena, topology->n_devices, sizeof(*devices));
    uint32_t n = 0;

    if (devices == NULL)
        return error_exhausted(err);
    if (site_units(arena, topology, view, ret, err) < 0)
        return -1;
    for (uint32_t d = 0; d < topology->n_devices; d++)
        if (usable != NULL ? usable[d]
                           : is_usable(topology, occupancy, request, view, d))
            devices[n++] = d;
    ret->devices = devices;
    ret->n_devices = n;
    if (sort_devices(arena, ret, err) < 0 ||
        allocate_spans(arena, ret, err) < 0)
        return -1;
    fill_spans(ret);
    return 0;
}

uint32_t site_island_free(const struct site *site, uint32_t island)
{
    const struct span *subs = &site->islands[island];
    uint32_t n = 0;

    for (uint32_t s = 0; s < subs->n; s++)
        n += site->subs[subs->first + s].n;
    return n;
}

/* The lowest device of the units that the first device of a sub is in. A sub
 * that was emptied begins at its end, and the device before is its own. */
static const struct units *units_of(const struct site *site, uint32_t sub)
{
    const struct span *span = &site->subs[sub];

    return &site->units[site->devices[span->first - (span->n == 0)]];
}

uint32_t site_sub_size(const struct site *site, uint32_t sub)
{
    return site->sizes[0][units_of(site, sub)->sub];
}

uint32_t site_island_size(const struct site *site, uint32_t island)
{
    return site->sizes[1][units_of(site, site->islands[island].first)->island];
}
