/* SPDX-License-Identifier: Apache-2.0 */
/* What hosts say that concerns other hosts: the UUIDs of their devices, the
 * domains that these are in, how many they are. Kept as hosts come and go, so
 * that a call is refused when all hosts would not fit together after it. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/inventory_parts.h"
#include "proto/document.h"

enum { READ_BYTES_MAX = 64 << 20 }; /* of one host's document as a tree */

/* ---- claims by name ------------------------------------------------------ */

/* The first of a name is in the index, the others hang on it. Whether it is the
 * only one. */
static bool add_claim(struct index *index, struct claim *claim)
{
    struct claim *first = index_find(index, claim->name);

    if (first == NULL) {
        index_add(index, claim);
        return true;
    }
    claim->others = first->others;
    first->others = claim;
    return false;
}

static bool drop_claim(struct index *index, struct claim *claim)
{
    struct claim *before = index_find(index, claim->name);

    if (before == claim) {
        index_remove(index, claim);
        if (claim->others == NULL)
            return true;
        index_add(index, claim->others);
        return false;
    }
    while (before != NULL && before->others != claim)
        before = before->others;
    if (before != NULL)
        before->others = claim->others;
    return before == NULL; /* it never got into the index */
}

/* ---- of a host ----------------------------------------------------------- */

static void drop_claims(struct inventory *inventory,
                        struct inventory_host *host)
{
    for (uint32_t i = 0; i < host->n_claims; i++)
        if (i >= host->n_uuids)
            drop_claim(&inventory->domains, &host->claims[i]);
        else if (!drop_claim(&inventory->uuids, &host->claims[i]))
            inventory->n_twice--;
    free(host->claims);
    host->claims = NULL;
    host->n_claims = host->n_uuids = 0;
}

static int take_claims(struct inventory *inventory, struct inventory_host *host)
{
    const struct host_entry *entry = host->entry;
    const uint32_t n_most = entry->host.n_devices + entry->n_domains;

    host->claims = calloc((size_t)n_most + 1, sizeof(*host->claims));
    if (host->claims == NULL)
        return -1;
    for (uint32_t d = 0; d < entry->host.n_devices; d++) {
        struct claim *claim = &host->claims[host->n_uuids];

        if (entry->devices[d].uuid == NULL)
            continue;
        *claim = (struct claim){ .name = entry->devices[d].uuid, .host = host };
        host->n_uuids++;
        inventory->n_twice += !add_claim(&inventory->uuids, claim);
    }
    host->n_claims = host->n_uuids;
    for (uint32_t i = 0; i < entry->n_domains; i++) {
        struct claim *claim = &host->claims[host->n_claims++];

        *claim = (struct claim){ .name = entry->domains[i], .host = host };
        add_claim(&inventory->domains, claim);
    }
    return 0;
}

void inventory_drop_entry(struct inventory *inventory,
                          struct inventory_host *host)
{
    inventory_drop_topology(inventory);
    drop_claims(inventory, host);
    if (host->entry != NULL)
        inventory->n_devices -= host->entry->host.n_devices;
    inventory->n_bytes -= host->n_bytes;
    host->n_bytes = 0;
    inventory_drop(inventory, host->entry);
    host->entry = NULL;
}

/* The document as an entry in memory of its own. NULL: it cannot be read. */
static struct host_entry *read_entry(const struct inventory_host *host,
                                     struct error *err)
{
    struct arena *arena = arena_new(READ_BYTES_MAX);
    struct host_entry entry, *copy = NULL;
    struct tree *tree;

    if (arena == NULL) {
        error_exhausted(err);
        return NULL;
    }
    if (document_read_json(arena, host->name, host->document,
                           strlen(host->document), &tree, err) == 0 &&
        host_entry_read(arena, tree, &entry, err) == 0) {
        copy = host_entry_copy(&entry);
        if (copy == NULL)
            error_exhausted(err);
    }
    arena_free(arena);
    return copy;
}

int inventory_take_entry(struct inventory *inventory,
                         struct inventory_host *host, struct error *err)
{
    inventory_drop_entry(inventory, host);
    host->n_bytes = strlen(host->document);
    inventory->n_bytes += host->n_bytes;
    host->entry = read_entry(host, err);
    if (host->entry == NULL)
        return -1;
    inventory->n_devices += host->entry->host.n_devices;
    return take_claims(inventory, host) == 0 ? 0 : error_exhausted(err);
}

/* ---- whether others fit -------------------------------------------------- */

/* Another host that claims the name and is not of the call, or NULL. */
static const struct inventory_host *claimed(const struct index *index,
                                            const struct topology *fresh,
                                            const char *name)
{
    const struct claim *claim = index_find(index, name);

    while (claim != NULL &&
           topology_host(fresh, claim->host->name) != HOST_NONE)
        claim = claim->others;
    return claim != NULL ? claim->host : NULL;
}

static uint32_t count_devices(const struct inventory_host *host)
{
    return host->entry != NULL ? host->entry->host.n_devices : 0;
}

static int check_counts(const struct inventory *inventory,
                        const struct topology *fresh, uint64_t n_bytes,
                        struct error *err)
{
    uint64_t hosts = inventory->n_declared, devices = inventory->n_devices;
    uint64_t bytes = inventory->n_bytes + n_bytes;

    for (uint32_t h = 0; h < fresh->n_hosts; h++) {
        const struct inventory_host *now =
            inventory_find(inventory, fresh->hosts[h].name, NULL);

        hosts += now == NULL;
        devices -= now != NULL ? count_devices(now) : 0;
        bytes -= now != NULL ? now->n_bytes : 0;
    }
    if (hosts > CLUSTER_HOSTS_MAX)
        return error_set(err, STATUS_EXHAUSTED,
                         "an inventory has at most %d hosts",
                         CLUSTER_HOSTS_MAX);
    if (devices + fresh->n_devices > CLUSTER_DEVICES_MAX)
        return error_set(err, STATUS_EXHAUSTED,
                         "an inventory has at most %d devices; with these it "
                         "would have %" PRIu64,
                         CLUSTER_DEVICES_MAX, devices + fresh->n_devices);
    if (bytes > INVENTORY_TEXT_MAX)
        return error_set(err, STATUS_EXHAUSTED,
                         "the entries of all hosts have at most %d bytes; with "
                         "these it would be %" PRIu64 "; leave out what is not "
                         "needed",
                         INVENTORY_TEXT_MAX, bytes);
    return 0;
}

static int check_device(const struct inventory *inventory,
                        const struct topology *fresh,
                        const struct device *device, struct error *err)
{
    const char *domain =
        device->domain != DOMAIN_NONE ? fresh->domains[device->domain] : NULL;
    const char *name = fresh->hosts[device->host].name;
    const struct inventory_host *other = NULL;

    if (device->uuid != NULL)
        other = claimed(&inventory->uuids, fresh, device->uuid);
    if (other != NULL)
        return error_set(err, STATUS_REFUSED,
                         "the device %s of %s is one of %s already; declare "
                         "that host anew without it first",
                         device->uuid, name, other->name);
    if (domain != NULL && topology_host(fresh, domain) == HOST_NONE)
        other = inventory_find(inventory, domain, NULL);
    if (other != NULL && other->entry != NULL && other->entry->own_domain)
        return error_set(err, STATUS_REFUSED,
                         "a device of %s is put in the domain %s, which is "
                         "that host's own",
                         name, other->name);
    return 0;
}

int inventory_check_fit(const struct inventory *inventory,
                        const struct topology *fresh, const bool *own,
                        uint64_t n_bytes, struct error *err)
{
    if (check_counts(inventory, fresh, n_bytes, err) < 0)
        return -1;
    for (uint32_t d = 0; d < fresh->n_devices; d++)
        if (check_device(inventory, fresh, &fresh->devices[d], err) < 0)
            return -1;
    for (uint32_t h = 0; h < fresh->n_hosts; h++) {
        const char *name = fresh->hosts[h].name;
        const struct inventory_host *other =
            own[h] ? claimed(&inventory->domains, fresh, name) : NULL;

        if (other != NULL)
            return error_set(err, STATUS_REFUSED,
                             "%s would be this host's own domain, and devices "
                             "of %s are in one of that name",
                             name, other->name);
    }
    return 0;
}
