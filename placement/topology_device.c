/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the devices of an entry of a cluster's document. */
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

static int read_number(struct entry_reading *r, const struct tree *map,
                       const char *key, int64_t least, int64_t most,
                       int64_t none, int64_t *ret)
{
    const struct tree *t = tree_get(map, key);

    *ret = none;
    if (t == NULL)
        return 0;
    if (t->u.integer < least || t->u.integer > most)
        return tree_error(t, r->err, STATUS_INVALID,
                          "expected %" PRId64 " to %" PRId64 ", found %" PRId64,
                          least, most, t->u.integer);
    *ret = t->u.integer;
    return 0;
}

static int read_pci(struct entry_reading *r, const struct tree *map,
                    struct device *device)
{
    const struct tree *t = tree_get(map, "pci");
    char pci[24];

    if (t == NULL)
        return 0;
    if (!pci_normal(t->text, pci))
        return tree_error(t, r->err, STATUS_INVALID,
                          "\"%s\" is no PCI address; one looks like "
                          "0000:1b:00.0",
                          t->text);
    device->pci = arena_strdup(r->arena, pci);
    return device->pci == NULL ? error_exhausted(r->err) : 0;
}

static int read_device(struct entry_reading *r, const struct tree *map,
                       uint32_t position, struct device *device,
                       const char **ret_domain)
{
    const char *domain = read_string(map, "domain");
    int64_t index, memory, numa;

    if (read_keys(map, device_keys, ARRAY_LEN(device_keys), r->err) < 0 ||
        topology_check_texts(map, r->err) < 0 ||
        read_number(r, map, "index", 0, INT32_MAX, position, &index) < 0 ||
        read_number(r, map, "memory_mib", 1, 1 << 30, 0, &memory) < 0 ||
        read_number(r, map, "numa", 0, INT32_MAX, -1, &numa) < 0 ||
        read_pci(r, map, device) < 0)
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
static int check_devices(const struct entry_reading *r,
                         const struct ordered_device *all, uint32_t n)
{
    const char *name = r->entry->host.name;

    for (uint32_t i = 0; i < n; i++) {
        const struct device *a = &all[i].device;

        if (i > 0 && a->index == all[i - 1].device.index)
            return tree_error(r->at, r->err, STATUS_INVALID,
                              "two devices of %.*s have the index %" PRIu32,
                              HOST_NAME_BYTES_MAX, name, a->index);
        for (uint32_t k = 0; a->pci != NULL && k < i; k++)
            if (all[k].device.pci != NULL &&
                strcmp(all[k].device.pci, a->pci) == 0)
                return tree_error(r->at, r->err, STATUS_INVALID,
                                  "two devices of %.*s have the PCI address %s",
                                  HOST_NAME_BYTES_MAX, name, a->pci);
    }
    return 0;
}

/* The number of a domain among those of the entry, which it may be new to;
 * neighbours are mostly in one. */
static uint32_t number_domain(const char **domains, uint32_t *n,
                              const char *domain)
{
    uint32_t i = *n;

    while (i > 0 && strcmp(domains[i - 1], domain) != 0)
        i--;
    if (i > 0)
        return i - 1;
    domains[*n] = domain;
    return (*n)++;
}

static int keep_devices(struct entry_reading *r,
                        const struct ordered_device *all, uint32_t n)
{
    struct host_entry *entry = r->entry;
    struct device *devices = arena_array(r->arena, n, sizeof(*devices));
    const char **domains = arena_array(r->arena, n, sizeof(*domains));

    if (devices == NULL || domains == NULL)
        return error_exhausted(r->err);
    for (uint32_t i = 0; i < n; i++) {
        devices[i] = all[i].device;
        devices[i].domain =
            all[i].domain == NULL
                ? DOMAIN_NONE
                : number_domain(domains, &entry->n_domains, all[i].domain);
    }
    entry->devices = devices;
    entry->domains = domains;
    entry->host.n_devices = n;
    return 0;
}

static int read_all(struct entry_reading *r, const struct tree *list,
                    uint32_t n)
{
    static const struct ordered_device none;
    struct ordered_device *all = arena_array(r->arena, n, sizeof(*all));
    const struct tree *t = tree_first(list);

    if (all == NULL)
        return error_exhausted(r->err);
    for (uint32_t i = 0; i < n; i++, t = t != NULL ? t->next : NULL) {
        all[i] = none;
        all[i].domain = r->domain;
        all[i].device.index = i;
        all[i].device.numa = -1;
        if (t != NULL &&
            read_device(r, t, i, &all[i].device, &all[i].domain) < 0)
            return -1;
    }
    if (n > 0)
        qsort(all, n, sizeof(*all), by_index);
    if (check_devices(r, all, n) < 0)
        return -1;
    return keep_devices(r, all, n);
}

int topology_read_devices(struct entry_reading *r)
{
    const struct tree *t = tree_get(r->at, "devices");
    int64_t n;

    if (t == NULL)
        return 0;
    n = t->type == TREE_INT ? t->u.integer : (int64_t)tree_count(t);
    if (n < 0 || n > HOST_DEVICES_MAX)
        return tree_error(t, r->err, STATUS_INVALID,
                          "a host has 0 to %d devices, not %" PRId64,
                          HOST_DEVICES_MAX, n);
    r->entry->host.devices_known = true;
    return read_all(r, t->type == TREE_LIST ? t : NULL, (uint32_t)n);
}
