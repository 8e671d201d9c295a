/* SPDX-License-Identifier: Apache-2.0 */
/* The devices of a placement. */
#include "daemon/bound.h"

#include <string.h>

/* ---- making -------------------------------------------------------------- */

/* Whether a device goes on with a run, and how. */
static bool extend(struct device_run *run, const struct inventory_host *host,
                   uint32_t index)
{
    if (run->host != host)
        return false;
    if (run->count == 1 && index > run->first)
        run->stride = index - run->first;
    if (index != run->first + run->count * run->stride)
        return false;
    run->count++;
    return true;
}

/* Counts the runs, and writes them where `to` is not NULL. */
static size_t make_runs(struct inventory *inventory,
                        const struct topology *topology,
                        const uint32_t *devices, uint32_t n,
                        struct device_run *to)
{
    struct device_run run = { 0 };
    size_t n_runs = 0;

    for (uint32_t p = 0; p < n; p++) {
        const struct device *device = &topology->devices[devices[p]];
        struct inventory_host *host = inventory_host(inventory, device->host);

        if (n_runs > 0 && extend(&run, host, device->index)) {
            if (to != NULL)
                to[n_runs - 1] = run;
            continue;
        }
        run = (struct device_run){ .host = host,
                                   .start = p,
                                   .first = device->index,
                                   .count = 1,
                                   .stride = 1 };
        if (to != NULL)
            to[n_runs] = run;
        n_runs++;
    }
    return n_runs;
}

/* Numbers the hosts in the order of their lowest ranks. */
static void number_hosts(struct bound *bound)
{
    for (size_t i = 0; i < bound->n_runs; i++) {
        struct device_run *run = &bound->runs[i];

        if (run->host->mark == 0)
            run->host->mark = ++bound->n_hosts;
        run->node = run->host->mark - 1;
    }
    for (size_t i = 0; i < bound->n_runs; i++)
        bound->runs[i].host->mark = 0;
}

struct bound *bound_make(struct arena *arena, struct inventory *inventory,
                         const struct topology *topology,
                         const uint32_t *devices, uint32_t n_ranks,
                         uint32_t n_spares, bool shared)
{
    struct bound *bound = arena_alloc(arena, sizeof(*bound));
    const uint32_t *spares = devices + n_ranks;

    if (bound == NULL)
        return NULL;
    *bound = (struct bound){ .n_ranks = n_ranks,
                             .n_spares = n_spares,
                             .shared = shared };
    bound->n_runs = make_runs(inventory, topology, devices, n_ranks, NULL);
    bound->n_spare_runs =
        make_runs(inventory, topology, spares, n_spares, NULL);
    bound->runs = arena_array(arena, bound->n_runs + 1, sizeof(*bound->runs));
    bound->spares =
        arena_array(arena, bound->n_spare_runs + 1, sizeof(*bound->spares));
    if (bound->runs == NULL || bound->spares == NULL)
        return NULL;
    make_runs(inventory, topology, devices, n_ranks, bound->runs);
    make_runs(inventory, topology, spares, n_spares, bound->spares);
    number_hosts(bound);
    return bound;
}

const struct inventory_host *bound_permuted(const struct bound *bound)
{
    const struct inventory_host *found = NULL;

    for (size_t i = 0; i < bound->n_runs; i++) {
        const struct device_run *run = &bound->runs[i];

        if (found == NULL && run->first < run->host->mark)
            found = run->host;
        run->host->mark = run->first + (run->count - 1) * run->stride + 1;
    }
    for (size_t i = 0; i < bound->n_runs; i++)
        bound->runs[i].host->mark = 0;
    return found;
}

/* ---- records ------------------------------------------------------------- */

static int read_runs(struct arena *arena, struct inventory *inventory,
                     Serried__V1__DeviceRun *const *from, size_t n,
                     struct device_run **ret, uint32_t *ret_devices,
                     struct error *err)
{
    struct device_run *runs = arena_array(arena, n + 1, sizeof(*runs));
    uint64_t devices = 0;

    if (runs == NULL)
        return error_exhausted(err);
    for (size_t i = 0; i < n; i++) {
        const Serried__V1__DeviceRun *run = from[i];

        runs[i] = (struct device_run){
            .host =
                inventory_intern(inventory, run->host != NULL ? run->host : ""),
            .start = (uint32_t)devices,
            .first = run->first,
            .count = run->has_count ? run->count : 1,
            .stride = run->has_stride ? run->stride : 1,
        };
        if (runs[i].host == NULL)
            return error_exhausted(err);
        devices += runs[i].count;
        if (runs[i].count == 0 || runs[i].count > HOST_DEVICES_MAX ||
            runs[i].stride == 0 || devices > PLACE_RANKS_MAX)
            return error_set(err, STATUS_INTERNAL,
                             "the record's devices make no sense");
    }
    *ret = runs;
    *ret_devices = (uint32_t)devices;
    return 0;
}

struct bound *bound_read(struct arena *arena, struct inventory *inventory,
                         const Serried__V1__PlacementRecord *record,
                         uint32_t n_ranks, bool shared, struct error *err)
{
    struct bound *bound = arena_alloc(arena, sizeof(*bound));

    if (bound == NULL) {
        error_exhausted(err);
        return NULL;
    }
    *bound = (struct bound){ .shared = shared,
                             .n_runs = record->n_binding,
                             .n_spare_runs = record->n_spares };
    if (read_runs(arena, inventory, record->binding, record->n_binding,
                  &bound->runs, &bound->n_ranks, err) < 0 ||
        read_runs(arena, inventory, record->spares, record->n_spares,
                  &bound->spares, &bound->n_spares, err) < 0)
        return NULL;
    if (n_ranks != 0 && bound->n_ranks != n_ranks) {
        error_set(err, STATUS_INTERNAL,
                  "the record has %u devices for %u ranks", bound->n_ranks,
                  n_ranks);
        return NULL;
    }
    number_hosts(bound);
    return bound;
}

static int write_runs(const struct device_run *runs, size_t n,
                      struct arena *arena, Serried__V1__DeviceRun ***ret)
{
    Serried__V1__DeviceRun **to = arena_array(arena, n + 1, sizeof(*to));
    Serried__V1__DeviceRun *all = arena_array(arena, n + 1, sizeof(*all));

    if (to == NULL || all == NULL)
        return -1;
    for (size_t i = 0; i < n; i++) {
        serried__v1__device_run__init(&all[i]);
        to[i] = &all[i];
        all[i].host = (char *)runs[i].host->name;
        all[i].has_first = true;
        all[i].first = runs[i].first;
        all[i].has_count = runs[i].count != 1;
        all[i].count = runs[i].count;
        all[i].has_stride = runs[i].stride != 1;
        all[i].stride = runs[i].stride;
    }
    *ret = to;
    return 0;
}

int bound_write(const struct bound *bound, struct arena *arena,
                Serried__V1__PlacementRecord *record)
{
    record->n_binding = bound->n_runs;
    record->n_spares = bound->n_spare_runs;
    if (write_runs(bound->runs, bound->n_runs, arena, &record->binding) < 0)
        return -1;
    return write_runs(bound->spares, bound->n_spare_runs, arena,
                      &record->spares);
}

/* ---- asking -------------------------------------------------------------- */

static void run_devices(const struct device_run *runs, size_t n,
                        const struct topology *topology, uint32_t *ret)
{
    for (size_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < runs[i].count; k++)
            ret[runs[i].start + k] = inventory_device(
                topology, runs[i].host, runs[i].first + k * runs[i].stride);
}

void bound_devices(const struct bound *bound, const struct topology *topology,
                   uint32_t *ret)
{
    run_devices(bound->runs, bound->n_runs, topology, ret);
    run_devices(bound->spares, bound->n_spare_runs, topology,
                ret + bound->n_ranks);
}

static const struct device_run *run_at(const struct bound *bound,
                                       uint32_t position)
{
    size_t low = 0, high = bound->n_runs;

    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;

        if (bound->runs[middle].start <= position)
            low = middle;
        else
            high = middle;
    }
    return &bound->runs[low];
}

const struct inventory_host *bound_host(const struct bound *bound,
                                        uint32_t position)
{
    return run_at(bound, position)->host;
}

void bound_find(const struct bound *bound, uint32_t position,
                struct bound_at *ret)
{
    const struct device_run *at = run_at(bound, position);

    *ret = (struct bound_at){
        .host = at->host,
        .index = at->first + (position - at->start) * at->stride,
        .node = at->node,
        .local_rank = position - at->start,
    };
    for (size_t i = 0; i < bound->n_runs; i++) {
        const struct device_run *run = &bound->runs[i];

        if (run->node != at->node)
            continue;
        ret->local_world += run->count;
        if (run < at)
            ret->local_rank += run->count;
    }
}

bool bound_walk_ranks(const struct bound *bound,
                      bool (*visit)(const struct device_run *run, void *arg),
                      void *arg)
{
    for (size_t i = 0; i < bound->n_runs; i++)
        if (!visit(&bound->runs[i], arg))
            return false;
    return true;
}

void bound_walk(const struct bound *bound,
                bool (*visit)(const struct device_run *run, void *arg),
                void *arg)
{
    if (!bound_walk_ranks(bound, visit, arg))
        return;
    for (size_t i = 0; i < bound->n_spare_runs; i++)
        if (!visit(&bound->spares[i], arg))
            return;
}
