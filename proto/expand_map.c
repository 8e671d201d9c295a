/* SPDX-License-Identifier: Apache-2.0 */
/* The rank maps of an assignment that was received. */
#include "proto/expand_map.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "placement/runs.h"

static int read_run(struct arena *arena, const Serried__V1__Run *from,
                    struct run *to, struct error *err)
{
    struct run_dim *dims;

    if (from->n_dims > RUN_DIMS_MAX)
        return error_set(err, STATUS_INVALID,
                         "a run has %zu dimensions, at most %d are allowed",
                         from->n_dims, RUN_DIMS_MAX);
    dims = arena_array(arena, from->n_dims, sizeof(*dims));
    if (dims == NULL)
        return error_exhausted(err);
    for (size_t d = 0; d < from->n_dims; d++)
        dims[d] = (struct run_dim){ .count = from->dims[d]->count,
                                    .stride = from->dims[d]->stride };
    *to = (struct run){ .start = from->start,
                        .n_dims = (int)from->n_dims,
                        .dims = dims };
    return 0;
}

/* Whether runs are start, start + 1, ...: then no rank need be held. */
static bool is_consecutive(const struct runs *runs)
{
    const struct run *run = &runs->items[0];

    return runs->count == 1 &&
           (run->n_dims == 0 || (run->n_dims == 1 && run->dims[0].stride == 1));
}

static int compare_u32(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

static bool is_rising(const uint32_t *ranks, uint32_t n)
{
    for (uint32_t i = 1; i < n; i++)
        if (ranks[i] <= ranks[i - 1])
            return false;
    return true;
}

static int refuse_twice(const uint32_t *ranks, uint32_t n, struct error *err)
{
    uint32_t *sorted = malloc(n * sizeof(*sorted));
    int rc = 0;

    if (sorted == NULL)
        return error_exhausted(err);
    memcpy(sorted, ranks, n * sizeof(*sorted));
    qsort(sorted, n, sizeof(*sorted), compare_u32);
    for (uint32_t i = 1; i < n && rc == 0; i++)
        if (sorted[i] == sorted[i - 1])
            rc = error_set(err, STATUS_INVALID,
                           "the rank %" PRIu32
                           " stands twice: each rank has one position",
                           sorted[i]);
    free(sorted);
    return rc;
}

static int expand_ranks(struct arena *arena, const struct runs *runs,
                        struct expand_map *map, struct error *err)
{
    uint32_t *ranks;

    if (is_consecutive(runs) &&
        runs->items[0].start <= UINT32_MAX - map->offset) {
        map->offset += runs->items[0].start;
        return 0;
    }
    ranks = arena_array(arena, map->positions, sizeof(*ranks));
    if (ranks == NULL)
        return error_exhausted(err);
    runs_expand(runs, ranks);
    map->ranks = ranks;
    map->sorted = is_rising(ranks, map->positions);
    return map->sorted ? 0 : refuse_twice(ranks, map->positions, err);
}

static int check_runs(struct arena *arena, Serried__V1__Run *const *from,
                      size_t n, struct runs *ret, uint32_t *ret_ranks,
                      struct error *err)
{
    struct run *items = arena_array(arena, n, sizeof(*items));

    if (items == NULL)
        return error_exhausted(err);
    for (size_t r = 0; r < n; r++)
        if (read_run(arena, from[r], &items[r], err) < 0)
            return -1;
    *ret = (struct runs){ items, n };
    return runs_check(ret, ret_ranks, err);
}

int expand_runs(struct arena *arena, Serried__V1__Run *const *from, size_t n,
                const uint32_t **ret, uint32_t *ret_n, struct error *err)
{
    struct runs runs;
    uint32_t *numbers;

    if (check_runs(arena, from, n, &runs, ret_n, err) < 0)
        return -1;
    numbers = arena_array(arena, *ret_n, sizeof(*numbers));
    if (numbers == NULL)
        return error_exhausted(err);
    runs_expand(&runs, numbers);
    *ret = numbers;
    return 0;
}

static int read_runs(struct arena *arena, const Serried__V1__RankMap *from,
                     struct expand_map *map, struct error *err)
{
    struct runs runs;
    uint32_t n;

    if (check_runs(arena, from->runs, from->n_runs, &runs, &n, err) < 0)
        return -1;
    if (from->has_positions && from->positions != n)
        return error_set(err, STATUS_INVALID,
                         "its runs hold %" PRIu32 " ranks, but it says %" PRIu32
                         " positions",
                         n, from->positions);
    map->positions = n;
    return expand_ranks(arena, &runs, map, err);
}

/* Highest rank and one; 0: it does not fit in 32 bits. */
static uint32_t map_bound(const struct expand_map *map)
{
    uint64_t highest = map->positions - 1;

    if (map->ranks != NULL) {
        highest = 0;
        for (uint32_t i = 0; i < map->positions; i++)
            if (map->ranks[i] > highest)
                highest = map->ranks[i];
    }
    highest += map->offset;
    return highest < UINT32_MAX ? (uint32_t)highest + 1 : 0;
}

int expand_map(struct arena *arena, const Serried__V1__RankMap *from,
               uint32_t *ret_bound, struct expand_map *map, struct error *err)
{
    map->offset = from->offset;
    map->positions = from->positions;
    map->sorted = true;
    if (from->n_runs > 0 && read_runs(arena, from, map, err) < 0)
        return -1;
    if (map->positions == 0 || map->positions > VIEW_SPAN_MAX)
        return error_set(err, STATUS_INVALID,
                         "it has %" PRIu32 " positions; 1 to %d are allowed",
                         map->positions, (int)VIEW_SPAN_MAX);
    *ret_bound = map_bound(map);
    if (*ret_bound == 0)
        return error_set(err, STATUS_INVALID, "a rank does not fit in 32 bits");
    return 0;
}

int expand_maps(struct arena *arena, const Serried__V1__Assignment *message,
                struct expansion *ret, struct error *err)
{
    struct expand_map *maps;
    size_t positions = 0;
    uint32_t bound = 0;

    if (message->n_rank_maps > EXPAND_MAPS_MAX)
        return error_set(err, STATUS_INVALID,
                         "there are %zu rank maps, at most %d are allowed",
                         message->n_rank_maps, EXPAND_MAPS_MAX);
    maps = arena_array(arena, message->n_rank_maps, sizeof(*maps));
    if (maps == NULL)
        return error_exhausted(err);
    for (size_t m = 0; m < message->n_rank_maps; m++) {
        if (expand_map(arena, message->rank_maps[m], &bound, &maps[m], err) < 0)
            return error_wrap(err, "rank map %zu", m);
        positions += maps[m].positions;
        if (positions > EXPAND_POSITIONS_MAX)
            return error_set(err, STATUS_INVALID,
                             "the rank maps have more than %d positions",
                             (int)EXPAND_POSITIONS_MAX);
        if (bound > ret->world)
            ret->world = bound;
    }
    ret->maps = maps;
    ret->n_maps = message->n_rank_maps;
    return 0;
}

int64_t expand_position(const struct expand_map *map, uint32_t rank)
{
    const uint32_t *found;

    if (rank < map->offset)
        return -1;
    rank -= map->offset;
    if (map->ranks == NULL)
        return rank < map->positions ? (int64_t)rank : -1;
    if (map->sorted) {
        found = bsearch(&rank, map->ranks, map->positions, sizeof(rank),
                        compare_u32);
        return found != NULL ? found - map->ranks : -1;
    }
    for (uint32_t i = 0; i < map->positions; i++)
        if (map->ranks[i] == rank)
            return i;
    return -1;
}
