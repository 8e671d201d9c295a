/* SPDX-License-Identifier: Apache-2.0 */
/* The inventory, as the files inventory*.c share it. Private to them. */
#ifndef SERRIED_DAEMON_INVENTORY_PARTS_H
#define SERRIED_DAEMON_INVENTORY_PARTS_H

#include "daemon/inventory.h"

/* A name that a host was declared with: of a device, or of a domain. */
struct claim {
    const char *name; /* first, for the index; the entry's */
    struct inventory_host *host;
    struct claim *others; /* of the same name; not in the index themselves */
};

struct inventory {
    struct daemon *daemon;
    struct index hosts;          /* struct inventory_host */
    struct index uuids, domains; /* struct claim */
    uint32_t n_declared, next_index;
    uint64_t n_devices, n_bytes;
    uint64_t n_twice; /* UUIDs that were declared before; 0 but for an instant,
                       * unless someone wrote to the store */
    struct arena *arena; /* of the topology; NULL: it is to be made */
    struct topology *topology;
    struct inventory_host **by_number; /* in the arena */
};

/* Reads a host's document, and takes what it claims in place of what it claimed
 * before. The topology is dropped. -1: the document cannot be read; the host
 * has no entry then. */
int inventory_take_entry(struct inventory *inventory,
                         struct inventory_host *host, struct error *err);
void inventory_drop_entry(struct inventory *inventory,
                          struct inventory_host *host);

void inventory_drop_topology(struct inventory *inventory);

/* A host's new state, without making the topology anew. */
void inventory_restate(struct inventory *inventory,
                       const struct inventory_host *host);

#endif
