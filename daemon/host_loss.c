/* SPDX-License-Identifier: Apache-2.0 */
/* What placements would lose when hosts are declared otherwise, or removed. */
#include "daemon/host_loss.h"

#include <string.h>

#include "daemon/bound.h"

struct losing {
    const struct host_going *going; /* that of a host: its mark - 1 */
    const struct live *live;        /* whose runs are looked at */
    struct host_loss *ret;
    bool found;
};

static const struct device *device_at(const struct device *devices, uint32_t n,
                                      uint32_t index)
{
    for (uint32_t i = 0; i < n; i++)
        if (devices[i].index == index)
            return &devices[i];
    return NULL;
}

static const char *uuid_now(const struct inventory_host *host, uint32_t index)
{
    const struct host_entry *entry = host->entry;
    const struct device *device =
        entry == NULL ? NULL
                      : device_at(entry->devices, entry->host.n_devices, index);

    return device != NULL ? device->uuid : NULL;
}

static bool loses(struct losing *l, const struct host_going *going,
                  uint32_t index)
{
    const struct device *then =
        device_at(going->devices, going->n_devices, index);
    const char *uuid = then != NULL ? uuid_now(going->host, index) : NULL;

    if (then != NULL &&
        (uuid == NULL || then->uuid == NULL || strcmp(uuid, then->uuid) == 0))
        return false;
    *l->ret = (struct host_loss){ going->host, index, uuid, l->live->name };
    return true;
}

static bool look_at_run(const struct device_run *run, void *arg)
{
    struct losing *l = arg;

    if (run->host->mark == 0)
        return true;
    for (uint32_t k = 0; k < run->count && !l->found; k++)
        l->found = loses(l, &l->going[run->host->mark - 1],
                         run->first + k * run->stride);
    return !l->found;
}

static void look_at_live(void *thing, void *arg)
{
    struct losing *l = arg;

    l->live = thing;
    if (!l->found && l->live->bound != NULL)
        bound_walk(l->live->bound, look_at_run, l);
}

bool hosts_lose(struct state *state, const struct host_going *going, size_t n,
                struct host_loss *ret)
{
    struct losing l = { .going = going, .ret = ret };

    for (size_t i = 0; i < n; i++)
        going[i].host->mark = (uint32_t)i + 1;
    state_live_walk(state, look_at_live, &l);
    state_prepared_walk(state, look_at_live, &l);
    for (size_t i = 0; i < n; i++)
        going[i].host->mark = 0;
    return l.found;
}
