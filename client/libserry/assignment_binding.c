/* SPDX-License-Identifier: Apache-2.0 */
/* The device of an assignment: every number against its bounds. */
#include <inttypes.h>

#include "client/libserry/assignment.h"
#include "client/libserry/convert.h"

static int refuse_number(const char *what, uint32_t number, uint32_t count,
                         struct error *err)
{
    return error_set(err, STATUS_INVALID,
                     "binding: %s %" PRIu32 " of %" PRIu32
                     "; it is below their number",
                     what, number, count);
}

static int check(const Serried__V1__Binding *from, struct error *err)
{
    if (from->host == NULL || from->host[0] == '\0')
        return error_set(err, STATUS_INVALID, "binding: it names no host");
    if (from->local_rank >= from->local_world_size)
        return refuse_number("local rank", from->local_rank,
                             from->local_world_size, err);
    if (from->group_rank >= from->hosts)
        return refuse_number("host", from->group_rank, from->hosts, err);
    if (from->n_local_devices != 0 &&
        from->n_local_devices != from->local_world_size)
        return error_set(err, STATUS_INVALID,
                         "binding: %zu devices of %" PRIu32
                         " workers; each has one",
                         from->n_local_devices, from->local_world_size);
    return 0;
}

int assignment_read_binding(struct arena *arena, struct serry_assignment *a,
                            struct error *err)
{
    const Serried__V1__Binding *from = a->message->binding;
    struct serry_binding *to;

    if (from == NULL)
        return 0;
    if (check(from, err) < 0)
        return -1;
    to = arena_alloc(arena, sizeof(*to));
    if (to == NULL)
        return error_exhausted(err);
    *to = (struct serry_binding){
        .host = from->host,
        .n_addresses = from->n_address,
        .addresses = (const char *const *)from->address,
        .device = convert_text(from->device),
        .pci = convert_text(from->pci),
        .index = from->index,
        .numa = from->has_numa ? from->numa : -1,
        .local_rank = from->local_rank,
        .local_world_size = from->local_world_size,
        .group_rank = from->group_rank,
        .hosts = from->hosts,
        .n_local_devices = from->n_local_devices,
        .local_devices = (const char *const *)from->local_devices,
    };
    a->binding = to;
    return 0;
}
