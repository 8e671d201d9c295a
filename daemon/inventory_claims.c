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

static void drop_claim(struct index *index, struct claim *claim)
{
    struct claim *before = index_find(index, claim->name);

    if (before == claim) {
        index_remove(index, claim);
        if (claim->others != NULL)
            index_add(index, claim->others);
    }
    while (before != NULL && before != claim && before->others != claim)
        before = before->others;
    if (before != NULL && before != claim)
        before->others = claim->others;
    free((char *)claim->name);
    free(claim);
}

static void drop_claims(struct index *index, struct claim **list)
{
    while (*list != NULL) {
        struct claim *claim = *list;

        *list = claim->next;
        drop_claim(index, claim);
    }
}

/* Each host claims a name once. */
static void add_claim(struct index *index, struct claim **list,
                      struct inventory_host *host, const char *name)
{
    struct claim *first = index_find(index, name), *claim;

    for (claim = *list; claim != NULL; claim = claim->next)
        if (strcmp(claim->name, name) == 0)
            return;
    claim = calloc(1, sizeof(*claim));
    if (claim == NULL)
        return;
    claim->name = strdup(name);
    claim->host = host;
    if (claim->name == NULL || (first == NULL && index_add(index, claim) < 0)) {
        free((char *)claim->name);
        free(claim);
        return;
    }
    if (first != NULL) {
        claim->others = first->others;
        first->others = claim;
    }
    claim->next = *list;
    *list = claim;
}

/* ---- of a host ----------------------------------------------------------- */

void inventory_drop_claims(struct inventory *inventory,
                           struct inventory_host *host)
{
    drop_claims(&inventory->uuids, &host->uuids);
    drop_claims(&inventory->domains, &host->domains);
    inventory->n_devices -= host->n_devices;
    inventory->n_bytes -= host->n_bytes;
    host->n_devices = 0;
    host->n_bytes = 0;
    host->own_domain = false;
}

static void take_entry(struct inventory *inventory, struct inventory_host *host,
                       const struct tree *entry)
{
    const struct tree *devices = tree_get(entry, "devices");
    const struct tree *domain = tree_get(entry, "domain");
    const struct tree *own = tree_get(entry, "own_domain");

    host->own_domain = own != NULL && own->u.boolean;
    if (domain != NULL)
        add_claim(&inventory->domains, &host->domains, host, domain->text);
    if (devices == NULL)
        return;
    host->n_devices =
        (uint32_t)(devices->type == TREE_INT ? (size_t)devices->u.integer
                                             : tree_count(devices));
    inventory->n_devices += host->n_devices;
    if (devices->type != TREE_LIST)
        return;
    for (const struct tree *t = tree_first(devices); t != NULL; t = t->next) {
        const struct tree *uuid = tree_get(t, "uuid");

        domain = tree_get(t, "domain");
        if (uuid != NULL)
            add_claim(&inventory->uuids, &host->uuids, host, uuid->text);
        if (domain != NULL)
            add_claim(&inventory->domains, &host->domains, host, domain->text);
    }
}

void inventory_take_claims(struct inventory *inventory,
                           struct inventory_host *host)
{
    struct arena *arena = arena_new(READ_BYTES_MAX);
    struct tree *entry;
    struct error ignored;

    inventory_drop_claims(inventory, host);
    host->n_bytes = strlen(host->document);
    inventory->n_bytes += host->n_bytes;
    if (arena != NULL &&
        document_read_json(arena, NULL, host->document, strlen(host->document),
                           &entry, &ignored) == 0)
        take_entry(inventory, host, entry);
    arena_free(arena);
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
        devices -= now != NULL ? now->n_devices : 0;
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
    if (other != NULL && other->own_domain)
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
