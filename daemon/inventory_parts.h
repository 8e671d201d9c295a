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
    struct inventory_hold *hold;       /* on the topology; in the arena */
    struct inventory_hold *retired;    /* on those before, the newest first */
};

/* Who still works on a cluster that was put together. */
struct inventory_hold {
    struct inventory_hold *older; /* of those that are retired */
    struct arena *arena;          /* of its topology */
    uint32_t n;
    struct host_entry *entries; /* dropped since, which it may borrow from */
};

/* Frees the arena of the topology, or has whoever holds it do so. */
void inventory_retire(struct inventory *inventory);

/* Frees an entry as soon as no cluster borrows from it; NULL is allowed. The
 * topology was dropped. */
void inventory_drop(struct inventory *inventory, struct host_entry *entry);

/* Reads a host's document, and takes what it claims in place of what it claimed
 * before. The topology is dropped. -1: the document cannot be read; the host
 * has no entry then. */
int inventory_take_entry(struct inventory *inventory,
                         struct inventory_host *host, struct error *err);
void inventory_drop_entry(struct inventory *inventory,
                          struct inventory_host *host);

void inventory_drop_topology(struct inventory *inventory);

/* A host's new state, without making the topology anew unless it is held. */
void inventory_restate(struct inventory *inventory,
                       const struct inventory_host *host);

#endif
