/* SPDX-License-Identifier: Apache-2.0 */
/* Loads a cluster: devices, and what holds for all hosts together. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "placement/names.h"
#include "placement/reader.h"
#include "placement/topology_load.h"

/* clang-format off */
static const struct read_key device_keys[] = {
    { "index",      READ_INT,    false },
    { "uuid",       READ_STRING, false },
    { "pci",        READ_STRING, false },
    { "model",      READ_STRING, false },
    { "memory_mib", READ_INT,    false },
    { "numa",       READ_INT,    false },
    { "domain",     READ_STRING, false },
};
/* clang-format on */

/* ---- devices ------------------------------------------------------------ */

static int read_number(struct loading *load, const struct tree *map,
                       const char *key, int64_t least, int64_t most,
                       int64_t none, int64_t *ret)
{
    const struct tree *t = tree_get(map, key);

    *ret = none;
    if (t == NULL)
        return 0;
    if (t->u.integer < least || t->u.integer > most)
        return tree_error(t, load->err, STATUS_INVALID,
                          "expected %" PRId64 " to %" PRId64 ", found %" PRId64,
                          least, most, t->u.integer);
    *ret = t->u.integer;
    return 0;
}

static int read_pci(struct loading *load, const struct tree *map,
                    struct device *device)
{
    const struct tree *t = tree_get(map, "pci");
    char pci[24];

    if (t == NULL)
        return 0;
    if (!pci_normal(t->text, pci))
        return tree_error(t, load->err, STATUS_INVALID,
                          "\"%s\" is no PCI address; one looks like "
                          "0000:1b:00.0",
                          t->text);
    device->pci = arena_strdup(load->arena, pci);
    return device->pci == NULL ? error_exhausted(load->err) : 0;
}

static int read_device(struct loading *load, const struct tree *map,
                       uint32_t position, struct device *device,
                       const char **ret_domain)
{
    const char *domain = read_string(map, "domain");
    int64_t index, memory, numa;

    if (read_keys(map, device_keys, ARRAY_LEN(device_keys), load->err) < 0 ||
        topology_check_texts(map, load->err) < 0 ||
        read_number(load, map, "index", 0, INT32_MAX, position, &index) < 0 ||
        read_number(load, map, "memory_mib", 1, 1 << 30, 0, &memory) < 0 ||
        read_number(load, map, "numa", 0, INT32_MAX, -1, &numa) < 0 ||
        read_pci(load, map, device) < 0)
        return -1;
    device->uuid = read_string(map, "uuid");
    device->model = read_string(map, "model");
    device->index = (uint32_t)index;
    device->memory_mib = (uint64_t)memory;
    device->numa = (int32_t)numa;
    if (domain != NULL)
        *ret_domain = domain;
    return 0;
}

static int by_index(const void *va, const void *vb)
{
    const struct device *a = va, *b = vb; /* each in an ordered_device */

    return (a->index > b->index) - (a->index < b->index);
}

/* What may stand once on a host only. */
static int check_host(struct loading *load, const struct draft *draft,
                      const struct ordered_device *all, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        const struct device *a = &all[i].device;

        if (i > 0 && a->index == all[i - 1].device.index)
            return tree_error(draft->at, load->err, STATUS_INVALID,
                              "two devices of %s have the index %" PRIu32,
                              draft->host.name, a->index);
        for (uint32_t k = 0; a->pci != NULL && k < i; k++)
            if (all[k].device.pci != NULL &&
                strcmp(all[k].device.pci, a->pci) == 0)
                return tree_error(draft->at, load->err, STATUS_INVALID,
                                  "two devices of %s have the PCI address %s",
                                  draft->host.name, a->pci);
    }
    return 0;
}

static int place_devices(struct loading *load, const struct draft *draft,
                         uint32_t host, uint32_t first)
{
    static struct ordered_device none;
    uint32_t n = draft->host.n_devices, i = 0;
    struct ordered_device *all = load->scratch;
    const struct tree *t = tree_first(draft->devices);

    for (; i < n; i++, t = t != NULL ? t->next : NULL) {
        all[i] = none;
        all[i].domain = draft->domain;
        all[i].device.index = i;
        all[i].device.numa = -1;
        if (t != NULL &&
            read_device(load, t, i, &all[i].device, &all[i].domain) < 0)
            return -1;
        all[i].device.host = host;
    }
    qsort(all, n, sizeof(*all), by_index);
    if (check_host(load, draft, all, n) < 0)
        return -1;
    for (i = 0; i < n; i++) {
        load->topology->devices[first + i] = all[i].device;
        load->domains[first + i].name = all[i].domain;
    }
    return 0;
}

/* ---- what holds for all ------------------------------------------------- */

static int check_uuids(struct loading *load)
{
    struct topology *to = load->topology;
    struct name_use *uses =
        arena_array(load->arena, to->n_devices, sizeof(*uses));
    const char *const *names;
    size_t n;

    if (uses == NULL)
        return error_exhausted(load->err);
    for (uint32_t d = 0; d < to->n_devices; d++)
        uses[d].name = to->devices[d].uuid;
    if (names_number(load->arena, uses, to->n_devices, &names, &n, load->err) <
        0)
        return -1;
    for (uint32_t d = 0; d < to->n_devices; d++)
        if (uses[d].name != NULL && uses[d].first != d)
            return tree_error(
                load->drafts[to->devices[d].host].at, load->err, STATUS_INVALID,
                "a device of %s has the UUID %s, and so has one of %s",
                to->hosts[to->devices[d].host].name, uses[d].name,
                to->hosts[to->devices[uses[d].first].host].name);
    return 0;
}

static int number_hosts(struct loading *load)
{
    struct name_use *uses =
        arena_array(load->arena, load->n_hosts, sizeof(*uses));
    const char *const *names;
    size_t n;

    if (uses == NULL)
        return error_exhausted(load->err);
    for (uint32_t h = 0; h < load->n_hosts; h++)
        uses[h].name = load->drafts[h].host.name;
    if (names_number(load->arena, uses, load->n_hosts, &names, &n, load->err) <
        0)
        return -1;
    for (uint32_t h = 0; h < load->n_hosts; h++)
        if (uses[h].first != h)
            return tree_error(load->drafts[h].at, load->err, STATUS_INVALID,
                              "the host %s is declared twice", uses[h].name);
    for (uint32_t h = 0; h < load->n_hosts; h++)
        uses[h].name = load->drafts[h].block;
    if (names_number(load->arena, uses, load->n_hosts, &names, &n, load->err) <
        0)
        return -1;
    for (uint32_t h = 0; h < load->n_hosts; h++)
        load->drafts[h].host.block = uses[h].id;
    load->topology->blocks = names;
    load->topology->n_blocks = n;
    return 0;
}

/* A host's own domain has its name, which no other domain may have. */
static int check_own_domains(struct loading *load, const char *const *names,
                             size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t host = topology_host(load->topology, names[i]);

        if (host != HOST_NONE && load->drafts[host].own_domain)
            return tree_error(load->drafts[host].at, load->err, STATUS_INVALID,
                              "%s is this host's own domain, and another "
                              "device is put in one of that name",
                              names[i]);
    }
    return 0;
}

/* Declared domains come first, then hosts' own. */
static int name_domains(struct loading *load, const char *const *names,
                        size_t n)
{
    struct topology *to = load->topology;
    const char **all = arena_array(load->arena, n + to->n_hosts, sizeof(*all));

    if (all == NULL)
        return error_exhausted(load->err);
    if (n > 0)
        memcpy(all, names, n * sizeof(*all));
    for (uint32_t h = 0; h < to->n_hosts; h++)
        if (load->drafts[h].own_domain)
            all[n++] = to->hosts[h].name;
    to->domains = all;
    to->n_domains = n;
    return 0;
}

static int number_domains(struct loading *load)
{
    struct topology *to = load->topology;
    const char *const *names;
    size_t n;
    uint32_t next;

    if (names_number(load->arena, load->domains, to->n_devices, &names, &n,
                     load->err) < 0 ||
        check_own_domains(load, names, n) < 0 ||
        name_domains(load, names, n) < 0)
        return -1;
    next = (uint32_t)n;
    for (uint32_t h = 0; h < to->n_hosts; h++) {
        const struct host *host = &to->hosts[h];
        uint32_t own = load->drafts[h].own_domain ? next++ : DOMAIN_NONE;

        for (uint32_t i = 0; i < host->n_devices; i++) {
            const struct name_use *use = &load->domains[host->first_device + i];

            to->devices[host->first_device + i].domain =
                use->name != NULL ? use->id : own;
        }
    }
    return 0;
}

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

static int index_names(struct loading *load)
{
    uint32_t n = load->topology->n_hosts;
    uint32_t *order = arena_array(load->arena, n, sizeof(*order));
    struct named_host *all = arena_array(load->arena, n, sizeof(*all));

    if (order == NULL || all == NULL)
        return error_exhausted(load->err);
    for (uint32_t h = 0; h < n; h++)
        all[h] = (struct named_host){ load->topology->hosts[h].name, h };
    qsort(all, n, sizeof(*all), by_name);
    for (uint32_t i = 0; i < n; i++)
        order[i] = all[i].host;
    load->topology->by_name = order;
    return 0;
}

int topology_build(struct loading *load)
{
    struct topology *to = load->topology;
    uint32_t first = 0;

    if (number_hosts(load) < 0)
        return -1;
    to->n_hosts = load->n_hosts;
    to->n_devices = (uint32_t)load->n_devices;
    to->hosts = arena_array(load->arena, to->n_hosts, sizeof(*to->hosts));
    to->devices = arena_array(load->arena, to->n_devices, sizeof(*to->devices));
    load->domains =
        arena_array(load->arena, to->n_devices, sizeof(*load->domains));
    load->scratch =
        arena_array(load->arena, HOST_DEVICES_MAX, sizeof(*load->scratch));
    if (to->hosts == NULL || to->devices == NULL || load->domains == NULL ||
        load->scratch == NULL)
        return error_exhausted(load->err);
    for (uint32_t h = 0; h < to->n_hosts; h++) {
        to->hosts[h] = load->drafts[h].host;
        to->hosts[h].first_device = first;
        if (place_devices(load, &load->drafts[h], h, first) < 0)
            return -1;
        first += to->hosts[h].n_devices;
    }
    if (index_names(load) < 0 || check_uuids(load) < 0)
        return -1;
    return number_domains(load);
}
