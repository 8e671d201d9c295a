/* SPDX-License-Identifier: Apache-2.0 */
/* The devices of a placement. */
#ifndef SERRIED_DAEMON_BOUND_H
#define SERRIED_DAEMON_BOUND_H

#include "daemon/inventory.h"
#include "placement/place.h"
#include "proto/serried.pb-c.h"

/* Devices of one host, whose indexes are first, first + stride, ... */
struct device_run {
    struct inventory_host *host;
    uint32_t start; /* position of the first one's rank */
    uint32_t first, count, stride;
    uint32_t node; /* of its host among the placement's, by lowest rank */
};

/* Where a placement's ranks are: run after run, by ascending rank. A run is 32
 * bytes: never more than that for a rank. */
struct bound {
    uint32_t n_ranks, n_spares, n_hosts;
    bool shared; /* its devices may be others' too */
    struct device_run *runs, *spares;
    size_t n_runs, n_spare_runs;
};

/* What placing anew changed. */
struct bound_moves {
    uint32_t n_moved, n_new; /* ranks */
    const char **axes;
    uint32_t *rebuilt; /* groups of each axis */
    size_t n_axes;
    const char *say; /* "2 ranks move, 0 tp groups rebuilt" */
};

/* Of devices by position: those of n_ranks ranks, then spares. Made in arena.
 * NULL: it is full. */
struct bound *bound_make(struct arena *arena, struct inventory *inventory,
                         const struct topology *topology,
                         const uint32_t *devices, uint32_t n_ranks,
                         uint32_t n_spares, bool shared);

/* What a record says. NULL: it cannot be of n_ranks ranks (0: of as many as it
 * says), or no memory. */
struct bound *bound_read(struct arena *arena, struct inventory *inventory,
                         const Serried__V1__PlacementRecord *record,
                         uint32_t n_ranks, bool shared, struct error *err);

/* The messages of a record, in arena. -1: it is full. */
int bound_write(const struct bound *bound, struct arena *arena,
                Serried__V1__PlacementRecord *record);

/* The devices by position, spares behind the ranks; DEVICE_NONE: not declared
 * any more. */
void bound_devices(const struct bound *bound, const struct topology *topology,
                   uint32_t *ret);

/* The host of one rank: a search, where bound_find() looks at every run. */
const struct inventory_host *bound_host(const struct bound *bound,
                                        uint32_t position);

/* Where one rank is. */
struct bound_at {
    const struct inventory_host *host;
    uint32_t index; /* of its device on the host */
    uint32_t local_rank, local_world, node;
};

void bound_find(const struct bound *bound, uint32_t position,
                struct bound_at *ret);

/* The first host on which ranks do not have devices in the order of the
 * devices; NULL: there is none. */
const struct inventory_host *bound_permuted(const struct bound *bound);

/* Calls visit() with each run of ranks until it gives false, which is returned
 * then. */
bool bound_walk_ranks(const struct bound *bound,
                      bool (*visit)(const struct device_run *run, void *arg),
                      void *arg);

/* The same with those of spares behind them; where one of these starts is no
 * rank's position. */
void bound_walk(const struct bound *bound,
                bool (*visit)(const struct device_run *run, void *arg),
                void *arg);

#endif
