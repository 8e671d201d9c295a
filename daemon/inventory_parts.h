/* SPDX-License-Identifier: Apache-2.0 */
/* The inventory, as the files inventory*.c share it. Private to them. */
#ifndef SERRIED_DAEMON_INVENTORY_PARTS_H
#define SERRIED_DAEMON_INVENTORY_PARTS_H

#include "daemon/inventory.h"

/* A device's UUID, and the host that was declared with it. */
struct uuid_use {
    const char *name; /* first, for the index */
    struct inventory_host *host;
    struct uuid_use *next; /* of the host */
};

struct inventory {
    struct daemon *daemon;
    struct index hosts; /* struct inventory_host */
    struct index uuids; /* struct uuid_use */
    uint32_t n_declared, next_index;
    struct arena *arena; /* of the topology; NULL: it is to be made */
    struct topology *topology;
    struct inventory_host **by_number; /* in the arena */
};

/* Takes the UUIDs of a host's document in place of those of before. */
void inventory_take_uuids(struct inventory *inventory,
                          struct inventory_host *host);
void inventory_drop_uuids(struct inventory *inventory,
                          struct inventory_host *host);

void inventory_drop_topology(struct inventory *inventory);

/* A host's new state, without making the topology anew. */
void inventory_restate(struct inventory *inventory,
                       const struct inventory_host *host);

#endif
