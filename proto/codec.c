/* SPDX-License-Identifier: Apache-2.0 */
/* What all ranks of an accepted check share, as a wire message. */
#include <string.h>

#include "proto/codec_parts.h"
#include "proto/document.h"

/* ---- lists --------------------------------------------------------------- */

static int fill_maps(struct check *check, Serried__V1__Assignment *msg,
                     struct error *err)
{
    size_t n = check->dep->n_groups;

    /* each view may cover a part of the world of its own */
    msg->rank_maps = arena_array(check->arena, n + check->rt->n_views + 1,
                                 sizeof(*msg->rank_maps));
    if (msg->rank_maps == NULL)
        return error_exhausted(err);
    for (size_t g = 0; g < n; g++) {
        msg->rank_maps[g] =
            codec_rank_map(check->arena, &check->scopes[g], err);
        if (msg->rank_maps[g] == NULL)
            return -1;
        msg->n_rank_maps++;
    }
    return 0;
}

/* The map that a list of a scope reads: the scope's own, or of lists over a
 * part of a world one for that part, which is added. -1: no memory. */
static int map_of(struct check *check, Serried__V1__Assignment *msg,
                  const struct scope *scope, const struct lists *lists)
{
    uint32_t span = lists_span(lists), offset = scope->offset + lists->first;
    Serried__V1__RankMap *map;

    if (!check->dep->spans || span == scope->group->n_ranks)
        return scope->group->index;
    for (size_t i = check->dep->n_groups; i < msg->n_rank_maps; i++)
        if (msg->rank_maps[i]->positions == span &&
            msg->rank_maps[i]->offset == offset)
            return (int)i;
    map = codec_new(check->arena, &serried__v1__rank_map__descriptor);
    if (map == NULL)
        return -1;
    map->has_positions = true;
    map->positions = span;
    map->has_offset = offset != 0;
    map->offset = offset;
    msg->rank_maps[msg->n_rank_maps] = map;
    return (int)msg->n_rank_maps++;
}

static int fill_lists(struct check *check, const struct table *table,
                      Serried__V1__Assignment *msg, struct error *err)
{
    msg->lists =
        arena_array(check->arena, table->n_lists + 1, sizeof(*msg->lists));
    for (size_t i = 0; msg->lists != NULL && i < table->n_lists; i++) {
        const struct table_list *list = &table->lists[i];
        int map = map_of(check, msg, list->scope, &list->lists);

        if (map >= 0)
            msg->lists[i] =
                codec_group_list(check->arena, list->name, &list->lists, map);
        if (msg->lists[i] == NULL)
            return error_exhausted(err);
        msg->n_lists++;
    }
    return msg->lists != NULL ? 0 : error_exhausted(err);
}

/* ---- creation ------------------------------------------------------------ */

/* The map of the ranks that a source reads. */
static int source_map(struct check *check, Serried__V1__Assignment *msg,
                      const struct creation_source *source)
{
    if (check->dep->spans)
        return map_of(check, msg, &check->scopes[0], source->lists);
    for (size_t g = 0; g < check->dep->n_groups; g++)
        if (check->scopes[g].ranks == source->ranks &&
            check->scopes[g].offset == source->offset)
            return (int)g;
    return 0;
}

static int fill_creation(struct check *check, const struct creation *creation,
                         Serried__V1__Assignment *msg, struct error *err)
{
    struct arena *arena = check->arena;
    size_t n = check->rt->n_create;

    msg->creation = arena_array(arena, n + 1, sizeof(*msg->creation));
    for (size_t i = 0; msg->creation != NULL && i < n; i++) {
        const struct creation_step *step = &creation->steps[i];
        Serried__V1__CreateStep *to =
            codec_new(arena, &serried__v1__create_step__descriptor);

        if (to == NULL)
            return error_exhausted(err);
        msg->creation[msg->n_creation++] = to;
        to->backend = codec_text(step->backend);
        to->has_sorted = to->sorted = step->sorted;
        to->lists = arena_array(arena, step->n_sources + 1, sizeof(*to->lists));
        for (size_t k = 0; to->lists != NULL && k < step->n_sources; k++) {
            const struct creation_source *source = &step->sources[k];
            int map = source_map(check, msg, source);

            if (map >= 0)
                to->lists[k] =
                    codec_group_list(arena, source->name, source->lists, map);
            if (to->lists[k] == NULL)
                return error_exhausted(err);
            to->n_lists++;
        }
        if (to->lists == NULL)
            return error_exhausted(err);
    }
    return msg->creation != NULL ? 0 : error_exhausted(err);
}

static int fill_digests(struct check *check, const struct table *table,
                        const struct creation *creation,
                        struct assignment_common *common,
                        Serried__V1__Assignment *msg, struct error *err)
{
    struct table_digests *digests = arena_alloc(check->arena, sizeof(*digests));

    if (digests == NULL)
        return error_exhausted(err);
    if (table_digest(check, table, creation, digests, err) < 0)
        return -1;
    memcpy(common->digest, digests->total, DIGEST_BYTES);
    msg->has_digest = msg->has_sequence_digest = true;
    msg->digest = (ProtobufCBinaryData){ DIGEST_BYTES, digests->total };
    msg->sequence_digest =
        (ProtobufCBinaryData){ DIGEST_SHORT_BYTES, digests->sequence };
    msg->n_list_digests = table->n_lists;
    msg->list_digests = arena_array(check->arena, table->n_lists + 1,
                                    sizeof(*msg->list_digests));
    if (msg->list_digests == NULL)
        return error_exhausted(err);
    for (size_t i = 0; i < table->n_lists; i++)
        msg->list_digests[i] =
            (ProtobufCBinaryData){ DIGEST_SHORT_BYTES, digests->lists[i] };
    return 0;
}

/* ---- what is common ------------------------------------------------------ */

/* Request keys that are handed through, as one JSON object. */
static int fill_carried(struct check *check, Serried__V1__Assignment *msg,
                        struct error *err)
{
    struct tree_maker maker = { .arena = check->arena };
    struct tree *map = make_map(&maker, NULL, NULL);
    struct text json = { 0 };

    for (size_t i = 0; i < check->rt->n_carries; i++)
        if (check->dep->carried[i] != NULL)
            make_copy(&maker, map, check->rt->carries[i].name,
                      check->dep->carried[i]);
    if (!maker.failed && tree_count(map) > 0 &&
        document_write_json(map, false, &json) == 0)
        msg->carried_json = arena_strdup(check->arena, text_string(&json));
    text_close(&json);
    if (maker.failed || (tree_count(map) > 0 && msg->carried_json == NULL))
        return error_exhausted(err);
    return 0;
}

/* Distinct ranks, and the highest + 1. */
static int count_ranks(struct check *check, struct assignment_common *common,
                       struct error *err)
{
    bool *used;

    for (size_t g = 0; g < check->dep->n_groups; g++)
        for (size_t i = 0; i < check->dep->groups[g].n_ranks; i++)
            if (scope_rank(&check->scopes[g], i) >= common->bound)
                common->bound = scope_rank(&check->scopes[g], i) + 1;
    used = check_alloc(check, (size_t)common->bound + 1, sizeof(*used));
    if (used == NULL)
        return error_exhausted(err);
    for (size_t g = 0; g < check->dep->n_groups; g++)
        for (size_t i = 0; i < check->dep->groups[g].n_ranks; i++)
            used[scope_rank(&check->scopes[g], i)] = true;
    for (uint32_t r = 0; r < common->bound; r++)
        common->n_ranks += used[r];
    common->used = used;
    return 0;
}

int codec_assignment_common(struct check *check, struct assignment_common *ret,
                            struct error *err)
{
    Serried__V1__Assignment msg = SERRIED__V1__ASSIGNMENT__INIT;
    struct assignment_common common = { 0 };
    struct creation creation;
    struct table table;

    check_signals(check); /* built now, read by every rank's assignment */
    if (table_make(check, &table, err) < 0 ||
        table_creation(check, &creation, err) < 0 ||
        fill_maps(check, &msg, err) < 0 ||
        fill_lists(check, &table, &msg, err) < 0 ||
        fill_creation(check, &creation, &msg, err) < 0 ||
        fill_digests(check, &table, &creation, &common, &msg, err) < 0 ||
        fill_carried(check, &msg, err) < 0 ||
        count_ranks(check, &common, err) < 0)
        return -1;
    msg.has_world = true;
    msg.world = common.n_ranks;
    msg.model = codec_text(check->dep->model);
    msg.runtime = codec_text(check->rt->name);
    common.len = serried__v1__assignment__get_packed_size(&msg);
    if (common.len > CODEC_ASSIGNMENT_BYTES_MAX)
        return error_set(err, STATUS_EXHAUSTED,
                         "the assignment takes %zu bytes, more than %d: its "
                         "ranks are too irregular; list them in order",
                         common.len, CODEC_ASSIGNMENT_BYTES_MAX);
    common.packed = arena_alloc(check->arena, common.len + 1);
    common.shards = arena_alloc(check->arena, sizeof(*common.shards));
    if (common.packed == NULL || common.shards == NULL)
        return error_exhausted(err);
    serried__v1__assignment__pack(&msg, common.packed);
    *ret = common;
    return 0;
}
