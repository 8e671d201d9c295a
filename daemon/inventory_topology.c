/* SPDX-License-Identifier: Apache-2.0 */
/* The declared hosts as the core sees them. */
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "daemon/daemon.h"
#include "daemon/inventory_parts.h"
#include "placement/names.h"

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
    inventory_retire(inventory);
    inventory->topology = NULL;
    inventory->by_number = NULL;
}

void inventory_restate(struct inventory *inventory,
                       const struct inventory_host *host)
{
    if (inventory->topology == NULL || host->number == HOST_NONE)
        return;
    if (inventory->hold->n > 0) /* others read it */
        inventory_drop_topology(inventory);
    else
        inventory->topology->hosts[host->number].state = host->state;
}

/* ---- making -------------------------------------------------------------- */

/* What a topology is made of. by_name, numbers and `placed` last as long. */
struct making {
    struct inventory_host **by_name;
    struct placed_host *placed;
    uint32_t *numbers; /* in the order of by_name */
    uint32_t n;
};

static void gather(void *thing, void *arg)
{
    struct inventory_host *host = thing;
    struct making *making = arg;

    if (host->declared)
        making->by_name[making->n++] = host;
}

static int compare_place(const struct inventory_host *host, uint32_t index,
                         const char *name)
{
    if (host->index != index)
        return host->index < index ? -1 : 1;
    return name_compare(host->name, name);
}

static int by_place(const void *va, const void *vb)
{
    const struct inventory_host *a = *(struct inventory_host *const *)va;
    const struct inventory_host *b = *(struct inventory_host *const *)vb;

    return compare_place(a, b->index, b->name);
}

static int make_room(struct inventory *inventory, struct making *making,
                     struct error *err)
{
    struct arena *arena = inventory->arena;
    const size_t n = inventory->n_declared + 1;

    inventory->hold = arena_array(arena, 1, sizeof(*inventory->hold));
    inventory->by_number = arena_array(arena, n, sizeof(*inventory->by_number));
    making->by_name = arena_array(arena, n, sizeof(*making->by_name));
    making->placed = arena_array(arena, n, sizeof(*making->placed));
    making->numbers = arena_array(arena, n, sizeof(*making->numbers));
    if (inventory->hold != NULL)
        inventory->hold->arena = arena;
    return inventory->hold != NULL && inventory->by_number != NULL &&
                   making->by_name != NULL && making->placed != NULL &&
                   making->numbers != NULL
               ? 0
               : error_exhausted(err);
}

/* The index is walked by name, so that names are in order without a sort. */
static int put_in_order(struct inventory *inventory, struct making *making,
                        struct error *err)
{
    index_walk(&inventory->hosts, gather, making);
    memcpy(inventory->by_number, making->by_name,
           making->n * sizeof(*making->by_name));
    qsort(inventory->by_number, making->n, sizeof(*inventory->by_number),
          by_place);
    for (uint32_t h = 0; h < making->n; h++) {
        struct inventory_host *host = inventory->by_number[h];

        if (host->entry == NULL)
            return error_set(err, STATUS_INTERNAL,
                             "what is kept of the host %s cannot be read",
                             host->name);
        host->number = h;
        making->placed[h] =
            (struct placed_host){ .name = host->name, .entry = host->entry };
    }
    for (uint32_t i = 0; i < making->n; i++)
        making->numbers[i] = making->by_name[i]->number;
    return 0;
}

static int make(struct inventory *inventory, struct error *err)
{
    struct making making = { 0 };

    if (inventory->n_twice > 0)
        return error_set(err, STATUS_INTERNAL,
                         "devices of several hosts have one UUID");
    if (make_room(inventory, &making, err) < 0 ||
        put_in_order(inventory, &making, err) < 0)
        return -1;
    inventory->topology = topology_join(inventory->arena, making.placed,
                                        making.n, making.numbers, err);
    if (inventory->topology == NULL)
        return -1;
    for (uint32_t h = 0; h < making.n; h++)
        inventory_restate(inventory, inventory->by_number[h]);
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

uint32_t inventory_behind(const struct inventory *inventory, uint32_t index,
                          const char *name)
{
    uint32_t low = 0, high = inventory->n_declared;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (compare_place(inventory->by_number[middle], index, name) <= 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
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
