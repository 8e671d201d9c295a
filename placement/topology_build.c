/* SPDX-License-Identifier: Apache-2.0 */
/* Puts hosts together to a cluster. */
#include <stdlib.h>
#include <string.h>

#include "placement/names.h"
#include "placement/topology_entry.h"

struct joining {
    struct arena *arena;
    struct topology *topology;
    const struct placed_host *hosts;
    struct name_use *domains; /* of the entries, one after the other */
    struct error *err;
};

static int number_blocks(struct joining *j)
{
    struct topology *to = j->topology;
    struct name_use *uses = arena_array(j->arena, to->n_hosts, sizeof(*uses));

    if (uses == NULL)
        return error_exhausted(j->err);
    for (uint32_t h = 0; h < to->n_hosts; h++)
        uses[h].name = j->hosts[h].entry->block;
    if (names_number(j->arena, uses, to->n_hosts, &to->blocks, &to->n_blocks,
                     j->err) < 0)
        return -1;
    for (uint32_t h = 0; h < to->n_hosts; h++)
        to->hosts[h].block = uses[h].id;
    return 0;
}

/* ---- order of names ------------------------------------------------------ */

/* For qsort(), which hands nothing through. */
struct named_host {
    const char *name;
    uint32_t host;
};

static int by_name(const void *va, const void *vb)
{
    const struct named_host *a = va, *b = vb;

    return strcmp(a->name, b->name);
}

static int index_names(struct joining *j)
{
    uint32_t n = j->topology->n_hosts;
    uint32_t *order = arena_array(j->arena, n, sizeof(*order));
    struct named_host *all = arena_array(j->arena, n, sizeof(*all));

    if (order == NULL || all == NULL)
        return error_exhausted(j->err);
    for (uint32_t h = 0; h < n; h++)
        all[h] = (struct named_host){ j->hosts[h].name, h };
    if (n > 0)
        qsort(all, n, sizeof(*all), by_name);
    for (uint32_t i = 0; i < n; i++)
        order[i] = all[i].host;
    j->topology->by_name = order;
    return 0;
}

/* ---- domains ------------------------------------------------------------- */

static int gather_domains(struct joining *j, size_t *ret_n)
{
    size_t n = 0, at = 0;

    for (uint32_t h = 0; h < j->topology->n_hosts; h++)
        n += j->hosts[h].entry->n_domains;
    j->domains = arena_array(j->arena, n, sizeof(*j->domains));
    if (j->domains == NULL)
        return error_exhausted(j->err);
    for (uint32_t h = 0; h < j->topology->n_hosts; h++) {
        const struct host_entry *entry = j->hosts[h].entry;

        for (uint32_t i = 0; i < entry->n_domains; i++)
            j->domains[at++].name = entry->domains[i];
    }
    *ret_n = n;
    return 0;
}

/* A host's own domain has its name, which no other domain may have. */
static int check_own_domains(const struct joining *j, const char *const *names,
                             size_t n)
{
    static const char said[] = "%s is this host's own domain, and another "
                               "device is put in one of that name";

    for (size_t i = 0; i < n; i++) {
        uint32_t host = topology_host(j->topology, names[i]);

        if (host == HOST_NONE || !j->hosts[host].entry->own_domain)
            continue;
        return j->hosts[host].at != NULL
                   ? tree_error(j->hosts[host].at, j->err, STATUS_INVALID, said,
                                names[i])
                   : error_set(j->err, STATUS_INVALID, said, names[i]);
    }
    return 0;
}

/* Declared domains come first, then hosts' own. */
static int name_domains(struct joining *j, const char *const *names, size_t n)
{
    struct topology *to = j->topology;
    const char **all = arena_array(j->arena, n + to->n_hosts, sizeof(*all));

    if (all == NULL)
        return error_exhausted(j->err);
    if (n > 0)
        memcpy(all, names, n * sizeof(*all));
    for (uint32_t h = 0; h < to->n_hosts; h++)
        if (j->hosts[h].entry->own_domain)
            all[n++] = to->hosts[h].name;
    to->domains = all;
    to->n_domains = n;
    return 0;
}

static int number_domains(struct joining *j, size_t *ret_n)
{
    const char *const *names;
    size_t n = 0;

    if (gather_domains(j, &n) < 0 ||
        names_number(j->arena, j->domains, n, &names, ret_n, j->err) < 0 ||
        check_own_domains(j, names, *ret_n) < 0)
        return -1;
    return name_domains(j, names, *ret_n);
}

/* ---- together ------------------------------------------------------------ */

static void place_hosts(struct joining *j)
{
    struct topology *to = j->topology;
    uint32_t first = 0;

    for (uint32_t h = 0; h < to->n_hosts; h++) {
        struct host *host = &to->hosts[h];

        *host = j->hosts[h].entry->host;
        host->name = j->hosts[h].name;
        host->first_device = first;
        first += host->n_devices;
    }
}

/* own: number of the first host's own domain. */
static void place_devices(struct joining *j, uint32_t own)
{
    struct topology *to = j->topology;
    const struct name_use *domains = j->domains;

    for (uint32_t h = 0; h < to->n_hosts; h++) {
        const struct host_entry *entry = j->hosts[h].entry;
        struct device *devices = to->devices + to->hosts[h].first_device;
        uint32_t none = entry->own_domain ? own++ : DOMAIN_NONE;

        for (uint32_t i = 0; i < to->hosts[h].n_devices; i++) {
            uint32_t domain = entry->devices[i].domain;

            devices[i] = entry->devices[i];
            devices[i].host = h;
            devices[i].domain =
                domain == DOMAIN_NONE ? none : domains[domain].id;
        }
        domains += entry->n_domains;
    }
}

static int join(struct joining *j, const uint32_t *order)
{
    struct topology *to = j->topology;
    size_t n = 0;

    for (uint32_t h = 0; h < to->n_hosts; h++)
        to->n_devices += j->hosts[h].entry->host.n_devices;
    to->hosts = arena_array(j->arena, to->n_hosts, sizeof(*to->hosts));
    to->devices = arena_array(j->arena, to->n_devices, sizeof(*to->devices));
    if (to->hosts == NULL || to->devices == NULL)
        return error_exhausted(j->err);
    place_hosts(j);
    to->by_name = order;
    if (number_blocks(j) < 0 || (order == NULL && index_names(j) < 0) ||
        number_domains(j, &n) < 0)
        return -1;
    place_devices(j, (uint32_t)n);
    return 0;
}

struct topology *topology_join(struct arena *arena,
                               const struct placed_host *hosts, uint32_t n,
                               const uint32_t *order, struct error *err)
{
    struct joining j = {
        .arena = arena,
        .topology = arena_alloc(arena, sizeof(*j.topology)),
        .hosts = hosts,
        .err = err,
    };

    if (j.topology == NULL) {
        error_exhausted(err);
        return NULL;
    }
    j.topology->n_hosts = n;
    return join(&j, order) == 0 ? j.topology : NULL;
}
