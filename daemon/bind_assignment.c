/* SPDX-License-Identifier: Apache-2.0 */
/* The device of a rank, as its worker is told. */
#include <inttypes.h>
#include <string.h>

#include "daemon/bind_parts.h"

static void describe_device(const struct topology *topology, uint32_t device,
                            Serried__V1__Binding *to)
{
    const struct device *from;

    if (device == DEVICE_NONE)
        return;
    from = &topology->devices[device];
    to->device = (char *)from->uuid;
    to->pci = (char *)from->pci;
    to->has_numa = from->numa >= 0;
    to->numa = from->numa;
}

static void describe_host(const struct topology *topology,
                          const struct inventory_host *host,
                          Serried__V1__Binding *to)
{
    if (host->number == HOST_NONE)
        return;
    to->n_address = topology->hosts[host->number].n_addresses;
    to->address = (char **)topology->hosts[host->number].addresses;
}

/* The indexes of a placement's devices on a host, by local rank. */
static uint32_t *list_local(const struct bound *bound,
                            const struct bound_at *at, struct arena *arena)
{
    uint32_t *indexes = arena_array(arena, at->local_world, sizeof(*indexes));
    uint32_t n = 0;

    for (size_t i = 0; indexes != NULL && i < bound->n_runs; i++) {
        const struct device_run *run = &bound->runs[i];

        for (uint32_t k = 0; run->node == at->node && k < run->count; k++)
            indexes[n++] = run->first + k * run->stride;
    }
    return indexes;
}

static const char *uuid_of(const struct topology *topology,
                           const struct inventory_host *host, uint32_t index)
{
    uint32_t device = topology != NULL ? inventory_device(topology, host, index)
                                       : DEVICE_NONE;

    return device != DEVICE_NONE ? topology->devices[device].uuid : NULL;
}

/* What a worker's process may see: UUIDs if all are known, else indexes. */
static int describe_local(const struct topology *topology,
                          const struct bound *bound, const struct bound_at *at,
                          struct arena *arena, Serried__V1__Binding *to)
{
    uint32_t *indexes = list_local(bound, at, arena);
    bool all = true;

    to->local_devices =
        arena_array(arena, at->local_world, sizeof(*to->local_devices));
    if (indexes == NULL || to->local_devices == NULL)
        return -1;
    to->n_local_devices = at->local_world;
    for (uint32_t i = 0; i < at->local_world; i++)
        all = all && uuid_of(topology, at->host, indexes[i]) != NULL;
    for (uint32_t i = 0; i < at->local_world; i++) {
        const char *uuid = uuid_of(topology, at->host, indexes[i]);

        to->local_devices[i] =
            all ? (char *)uuid : arena_printf(arena, "%" PRIu32, indexes[i]);
        if (to->local_devices[i] == NULL)
            return -1;
    }
    return 0;
}

int bind_assignment(struct inventory *inventory, const struct live *live,
                    struct arena *arena, uint32_t rank,
                    ProtobufCBinaryData *ret, struct error *err)
{
    Serried__V1__Binding message = SERRIED__V1__BINDING__INIT;
    const struct topology *topology;
    struct bound_at at;
    uint32_t position;

    *ret = (ProtobufCBinaryData){ 0 };
    if (live->bound == NULL || !bind_position(live, rank, &position))
        return 0;
    bound_find(live->bound, position, &at);
    message.host = (char *)at.host->name;
    message.has_index = message.has_local_rank = message.has_hosts = true;
    message.has_local_world_size = message.has_group_rank = true;
    message.index = at.index;
    message.local_rank = at.local_rank;
    message.local_world_size = at.local_world;
    message.group_rank = at.node;
    message.hosts = live->bound->n_hosts;
    topology = inventory_topology(inventory, err);
    if (topology != NULL) {
        describe_host(topology, at.host, &message);
        describe_device(topology, inventory_device(topology, at.host, at.index),
                        &message);
    }
    if (describe_local(topology, live->bound, &at, arena, &message) < 0)
        return error_exhausted(err);
    ret->len = serried__v1__binding__get_packed_size(&message);
    ret->data = arena_alloc(arena, ret->len + 1);
    if (ret->data == NULL)
        return error_exhausted(err);
    serried__v1__binding__pack(&message, ret->data);
    return 0;
}

/* ---- a worker that says where it is -------------------------------------- */

/* The rank at a position; there is one. */
static uint32_t rank_at(const struct live *live, uint32_t position)
{
    const struct assignment_common *common = &live->common;
    uint32_t rank = 0;

    if (common->bound == common->n_ranks)
        return position; /* nearly always */
    for (;; rank++)
        if (common->used[rank] && position-- == 0)
            return rank;
}

static int no_such_host(const struct live *live, const char *host,
                        struct arena *arena, struct error *err)
{
    const struct bound *bound = live->bound;
    const char **names = arena_array(arena, bound->n_hosts, sizeof(*names));
    const char *near;

    if (names == NULL)
        return error_exhausted(err);
    for (size_t i = 0; i < bound->n_runs; i++)
        names[bound->runs[i].node] = bound->runs[i].host->name;
    near = text_nearest(host, names, bound->n_hosts);
    return error_set(
        err, STATUS_UNKNOWN_NAME,
        "%s has no rank on %.64s; it is on %" PRIu32 " host%s, %s%s",
        live->name, host, bound->n_hosts, bound->n_hosts != 1 ? "s" : "",
        near != NULL ? "of which the nearest is " : "the first is ",
        near != NULL ? near : names[0]);
}

int bind_rank(const struct live *live, const char *host, uint32_t local,
              struct arena *arena, uint32_t *ret, struct error *err)
{
    const struct bound *bound = live->bound;
    uint32_t before = 0;

    if (bound == NULL)
        return error_set(err, STATUS_UNKNOWN_NAME,
                         "%s is bound to no hosts; its workers go by their "
                         "ranks",
                         live->name);
    for (size_t i = 0; i < bound->n_runs; i++) {
        const struct device_run *run = &bound->runs[i];

        if (strcmp(run->host->name, host) != 0)
            continue;
        if (local - before < run->count) {
            *ret = rank_at(live, run->start + (local - before));
            return 0;
        }
        before += run->count;
    }
    if (before == 0)
        return no_such_host(live, host, arena, err);
    return error_set(err, STATUS_UNKNOWN_NAME,
                     "%s has %" PRIu32 " rank%s on %s, and none is number "
                     "%" PRIu32 " there: they count from 0",
                     live->name, before, before != 1 ? "s" : "", host, local);
}
