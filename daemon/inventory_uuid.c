/* SPDX-License-Identifier: Apache-2.0 */
/* Which host has the device of a UUID. */
#include <stdlib.h>
#include <string.h>

#include "daemon/inventory_parts.h"
#include "proto/document.h"

enum { READ_BYTES_MAX = 64 << 20 }; /* of one host's document as a tree */

void inventory_drop_uuids(struct inventory *inventory,
                          struct inventory_host *host)
{
    while (host->uuids != NULL) {
        struct uuid_use *use = host->uuids;

        host->uuids = use->next;
        index_remove(&inventory->uuids, use);
        free((char *)use->name);
        free(use);
    }
}

/* One that another host has stays there: the topology will say so. */
static void add_uuid(struct inventory *inventory, struct inventory_host *host,
                     const char *uuid)
{
    struct uuid_use *use;

    if (index_find(&inventory->uuids, uuid) != NULL)
        return;
    use = calloc(1, sizeof(*use));
    if (use == NULL)
        return;
    use->name = strdup(uuid);
    use->host = host;
    if (use->name == NULL || index_add(&inventory->uuids, use) < 0) {
        free((char *)use->name);
        free(use);
        return;
    }
    use->next = host->uuids;
    host->uuids = use;
}

void inventory_take_uuids(struct inventory *inventory,
                          struct inventory_host *host)
{
    struct arena *arena = NULL;
    const struct tree *t;
    struct tree *entry;
    struct error ignored;

    inventory_drop_uuids(inventory, host);
    if (strstr(host->document, "\"uuid\"") == NULL)
        return;
    arena = arena_new(READ_BYTES_MAX);
    if (arena != NULL &&
        document_read_json(arena, NULL, host->document, strlen(host->document),
                           &entry, &ignored) == 0)
        for (t = tree_first(tree_get(entry, "devices")); t != NULL; t = t->next)
            if (tree_get(t, "uuid") != NULL)
                add_uuid(inventory, host, tree_get(t, "uuid")->text);
    arena_free(arena);
}

const struct inventory_host *
inventory_uuid_host(const struct inventory *inventory, const char *uuid)
{
    const struct uuid_use *use = index_find(&inventory->uuids, uuid);

    return use != NULL ? use->host : NULL;
}
