/* SPDX-License-Identifier: Apache-2.0 */
/* Who holds which device: derived from placements whenever it is asked. */
#include <string.h>

#include "daemon/bind_parts.h"

struct marking {
    const struct topology *topology;
    const char *except;
    bool shared;
    uint32_t *holders;
    const char **names;
    uint32_t n_names;
};

static bool mark_run(const struct device_run *run, void *arg)
{
    struct marking *marking = arg;

    for (uint32_t k = 0; k < run->count; k++) {
        uint32_t device = inventory_device(marking->topology, run->host,
                                           run->first + k * run->stride);

        if (device != DEVICE_NONE)
            marking->holders[device] = marking->n_names;
    }
    return true;
}

static void mark_live(void *thing, void *arg)
{
    const struct live *live = thing;
    struct marking *marking = arg;

    if (live->bound == NULL || (marking->shared && live->bound->shared) ||
        (marking->except != NULL && strcmp(marking->except, live->name) == 0))
        return;
    bound_walk(live->bound, mark_run, marking);
    marking->names[marking->n_names++] = live->name;
}

static void count_live(void *thing, void *arg)
{
    const struct live *live = thing;

    *(size_t *)arg += live->bound != NULL;
}

int bind_occupancy(struct state *state, const struct topology *topology,
                   struct arena *arena, const char *except, bool shared,
                   struct occupancy *ret, struct error *err)
{
    struct marking marking = { .topology = topology,
                               .except = except,
                               .shared = shared };
    size_t n = 0;

    state_live_walk(state, count_live, &n);
    state_prepared_walk(state, count_live, &n);
    marking.holders =
        arena_array(arena, topology->n_devices + 1, sizeof(*marking.holders));
    marking.names = arena_array(arena, n + 1, sizeof(*marking.names));
    if (marking.holders == NULL || marking.names == NULL)
        return error_exhausted(err);
    for (uint32_t d = 0; d < topology->n_devices; d++)
        marking.holders[d] = HOLDER_NONE;
    state_live_walk(state, mark_live, &marking);
    state_prepared_walk(state, mark_live, &marking);
    *ret =
        (struct occupancy){ marking.holders, marking.names, marking.n_names };
    return 0;
}
