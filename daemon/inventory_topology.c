/* SPDX-License-Identifier: Apache-2.0 */
/* The declared hosts as the core sees them. */
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "daemon/daemon.h"
#include "daemon/inventory_parts.h"
#include "placement/names.h"
#include "proto/document.h"

static void forget_number(void *thing, void *arg)
{
    struct inventory_host *host = thing;

    (void)arg;
    host->number = HOST_NONE;
}

void inventory_drop_topology(struct inventory *inventory)
{
    if (inventory->arena == NULL)
        return;
    index_walk(&inventory->hosts, forget_number, NULL);
    arena_free(inventory->arena);
    inventory->arena = NULL;
    inventory->topology = NULL;
    inventory->by_number = NULL;
}

void inventory_restate(struct inventory *inventory,
                       const struct inventory_host *host)
{
    if (inventory->topology != NULL && host->number != HOST_NONE)
        inventory->topology->hosts[host->number].state = host->state;
}

/* ---- making -------------------------------------------------------------- */

struct gathering {
    struct inventory_host **hosts;
    uint32_t n;
};

static void gather(void *thing, void *arg)
{
    struct inventory_host *host = thing;
    struct gathering *gathering = arg;

    if (host->declared)
        gathering->hosts[gathering->n++] = host;
}

static int by_place(const void *va, const void *vb)
{
    const struct inventory_host *a = *(struct inventory_host *const *)va;
    const struct inventory_host *b = *(struct inventory_host *const *)vb;

    if (a->index != b->index)
        return a->index < b->index ? -1 : 1;
    return name_compare(a->name, b->name);
}

/* Entry by entry: one text of all might be over DOCUMENT_BYTES_MAX. */
static struct tree *read_entries(const struct inventory *inventory,
                                 struct arena *arena, struct error *err)
{
    struct tree_maker maker = { .arena = arena };
    struct tree *map = make_map(&maker, NULL, NULL);
    struct tree *list = make_list(&maker, map, "hosts");

    for (uint32_t h = 0; h < inventory->n_declared; h++) {
        const char *text = inventory->by_number[h]->document;
        struct tree *entry;

        if (document_read_json(arena, inventory->by_number[h]->name, text,
                               strlen(text), &entry, err) < 0)
            return NULL;
        entry->parent = list;
        if (list->u.children.last != NULL)
            list->u.children.last->next = entry;
        else
            list->u.children.first = entry;
        list->u.children.last = entry;
        list->u.children.count++;
    }
    if (maker.failed) {
        error_exhausted(err);
        return NULL;
    }
    return map;
}

static int make(struct inventory *inventory, struct error *err)
{
    struct gathering gathering = { 0 };
    const struct tree *document;

    inventory->by_number =
        arena_array(inventory->arena, inventory->n_declared + 1,
                    sizeof(*inventory->by_number));
    if (inventory->by_number == NULL)
        return error_exhausted(err);
    gathering.hosts = inventory->by_number;
    index_walk(&inventory->hosts, gather, &gathering);
    qsort(inventory->by_number, gathering.n, sizeof(*inventory->by_number),
          by_place);
    document = read_entries(inventory, inventory->arena, err);
    if (document == NULL)
        return -1;
    inventory->topology =
        (struct topology *)topology_load(inventory->arena, document, err);
    if (inventory->topology == NULL)
        return -1;
    for (uint32_t h = 0; h < gathering.n; h++) {
        inventory->by_number[h]->number = h;
        inventory_restate(inventory, inventory->by_number[h]);
    }
    return 0;
}

const struct topology *inventory_topology(struct inventory *inventory,
                                          struct error *err)
{
    if (inventory->topology != NULL)
        return inventory->topology;
    inventory->arena = arena_new(INVENTORY_BYTES_MAX);
    if (inventory->arena == NULL) {
        error_exhausted(err);
        return NULL;
    }
    if (make(inventory, err) == 0)
        return inventory->topology;
    if (err->status != STATUS_EXHAUSTED)
        err->status = STATUS_INTERNAL;
    log_line(daemon_log(inventory->daemon), LOG_LEVEL_ERROR,
             "hosts do not fit together reason=%s", err->text);
    inventory_drop_topology(inventory);
    return NULL;
}

/* ---- asking it ----------------------------------------------------------- */

struct inventory_host *inventory_host(const struct inventory *inventory,
                                      uint32_t number)
{
    return inventory->by_number[number];
}

uint32_t inventory_device(const struct topology *topology,
                          const struct inventory_host *host, uint32_t index)
{
    const struct host *at;
    uint32_t low, high;

    if (host->number == HOST_NONE)
        return DEVICE_NONE;
    at = &topology->hosts[host->number];
    low = at->first_device;
    high = low + at->n_devices;
    if (index < at->n_devices && topology->devices[low + index].index == index)
        return low + index; /* nearly always */
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (topology->devices[middle].index == index)
            return middle;
        if (topology->devices[middle].index < index)
            low = middle + 1;
        else
            high = middle;
    }
    return DEVICE_NONE;
}
