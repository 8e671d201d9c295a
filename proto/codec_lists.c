/* SPDX-License-Identifier: Apache-2.0 */
/* Rank maps and group lists as wire messages. */
#include "proto/codec_parts.h"

static Serried__V1__Dim **dims(struct arena *arena, const struct dim *from,
                               int n)
{
    Serried__V1__Dim **to = arena_array(arena, (size_t)n + 1, sizeof(*to));

    for (int i = 0; to != NULL && i < n; i++) {
        to[i] = codec_new(arena, &serried__v1__dim__descriptor);
        if (to[i] == NULL)
            return NULL;
        to[i]->has_size = to[i]->has_stride = true;
        to[i]->size = from[i].size;
        to[i]->stride = from[i].stride;
    }
    return to;
}

Serried__V1__GroupList *codec_group_list(struct arena *arena, const char *name,
                                         const struct lists *lists, int map)
{
    Serried__V1__GroupList *to =
        codec_new(arena, &serried__v1__group_list__descriptor);

    if (to == NULL)
        return NULL;
    to->name = codec_text(name);
    to->has_rank_map = map != 0;
    to->rank_map = (uint32_t)map;
    to->has_run = lists->run != 0;
    to->run = lists->run;
    to->has_take = lists->take != 0;
    to->take = lists->take;
    to->n_outer = (size_t)lists->n_outer;
    to->n_inner = (size_t)lists->n_inner;
    to->outer = dims(arena, lists->outer, lists->n_outer);
    to->inner = dims(arena, lists->inner, lists->n_inner);
    return to->outer != NULL && to->inner != NULL ? to : NULL;
}

Serried__V1__Run *codec_run(struct arena *arena, const struct run *run)
{
    Serried__V1__Run *to = codec_new(arena, &serried__v1__run__descriptor);

    if (to == NULL)
        return NULL;
    to->has_start = run->start != 0;
    to->start = run->start;
    to->dims = arena_array(arena, (size_t)run->n_dims + 1, sizeof(*to->dims));
    for (int i = 0; to->dims != NULL && i < run->n_dims; i++) {
        Serried__V1__RunDim *dim =
            codec_new(arena, &serried__v1__run_dim__descriptor);

        if (dim == NULL)
            return NULL;
        dim->has_count = dim->has_stride = true;
        dim->count = run->dims[i].count;
        dim->stride = (int32_t)run->dims[i].stride;
        to->dims[to->n_dims++] = dim;
    }
    return to->dims != NULL ? to : NULL;
}

Serried__V1__RankMap *codec_rank_map(struct arena *arena,
                                     const struct scope *scope,
                                     struct error *err)
{
    Serried__V1__RankMap *to =
        codec_new(arena, &serried__v1__rank_map__descriptor);
    struct runs runs = { 0 };

    if (to == NULL)
        goto full;
    to->has_positions = true;
    to->positions = (uint32_t)scope->group->n_ranks;
    to->has_offset = scope->offset != 0;
    to->offset = scope->offset;
    if (scope->ranks == NULL)
        return to;
    if (runs_encode(arena, scope->ranks, scope->group->n_ranks, &runs, err) < 0)
        return NULL;
    to->runs = arena_array(arena, runs.count + 1, sizeof(*to->runs));
    for (size_t i = 0; to->runs != NULL && i < runs.count; i++) {
        to->runs[i] = codec_run(arena, &runs.items[i]);
        if (to->runs[i] == NULL)
            goto full;
        to->n_runs++;
    }
    if (to->runs != NULL)
        return to;
full:
    error_exhausted(err);
    return NULL;
}
