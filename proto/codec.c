/* SPDX-License-Identifier: Apache-2.0 */
/* What an accepted check means for its workers, as wire messages. */
#include "proto/codec.h"

#include <string.h>

#include "placement/runs.h"
#include "proto/document.h"

/* An initialized message of this type; NULL: the arena is full. */
static void *new_message(struct arena *arena,
                         const ProtobufCMessageDescriptor *type)
{
    void *message = arena_alloc(arena, type->sizeof_message);

    if (message != NULL)
        protobuf_c_message_init(type, message);
    return message;
}

/* Protobuf-c wants strings that it does not change as char *. */
static char *text(const char *s)
{
    return (char *)s;
}

/* A packed NodeShard without `instance`: the same for a rank of any instance.
 */
struct kept_shard {
    struct kept_shard *next; /* in its bucket */
    const struct placed *placed;
    uint32_t instance_rank;
    size_t len;
    uint8_t packed[];
};

enum { KEPT_BUCKETS = 128 };

struct kept_shards {
    size_t bytes;
    struct kept_shard *buckets[KEPT_BUCKETS];
};

/* ---- lists --------------------------------------------------------------- */

static Serried__V1__Dim **dims(struct arena *arena, const struct dim *from,
                               int n)
{
    Serried__V1__Dim **to = arena_array(arena, (size_t)n + 1, sizeof(*to));

    for (int i = 0; to != NULL && i < n; i++) {
        to[i] = new_message(arena, &serried__v1__dim__descriptor);
        if (to[i] == NULL)
            return NULL;
        to[i]->has_size = to[i]->has_stride = true;
        to[i]->size = from[i].size;
        to[i]->stride = from[i].stride;
    }
    return to;
}

static Serried__V1__GroupList *group_list(struct arena *arena, const char *name,
                                          const struct lists *lists, int map)
{
    Serried__V1__GroupList *to =
        new_message(arena, &serried__v1__group_list__descriptor);

    if (to == NULL)
        return NULL;
    to->name = text(name);
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

static Serried__V1__Run *run_message(struct arena *arena, const struct run *run)
{
    Serried__V1__Run *to = new_message(arena, &serried__v1__run__descriptor);

    if (to == NULL)
        return NULL;
    to->has_start = run->start != 0;
    to->start = run->start;
    to->dims = arena_array(arena, (size_t)run->n_dims + 1, sizeof(*to->dims));
    for (int i = 0; to->dims != NULL && i < run->n_dims; i++) {
        Serried__V1__RunDim *dim =
            new_message(arena, &serried__v1__run_dim__descriptor);

        if (dim == NULL)
            return NULL;
        dim->has_count = dim->has_stride = true;
        dim->count = run->dims[i].count;
        dim->stride = (int32_t)run->dims[i].stride;
        to->dims[to->n_dims++] = dim;
    }
    return to->dims != NULL ? to : NULL;
}

static Serried__V1__RankMap *
rank_map(struct arena *arena, const struct scope *scope, struct error *err)
{
    Serried__V1__RankMap *to =
        new_message(arena, &serried__v1__rank_map__descriptor);
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
        to->runs[i] = run_message(arena, &runs.items[i]);
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
        msg->rank_maps[g] = rank_map(check->arena, &check->scopes[g], err);
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
    map = new_message(check->arena, &serried__v1__rank_map__descriptor);
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
                group_list(check->arena, list->name, &list->lists, map);
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
            new_message(arena, &serried__v1__create_step__descriptor);

        if (to == NULL)
            return error_exhausted(err);
        msg->creation[msg->n_creation++] = to;
        to->backend = text(step->backend);
        to->has_sorted = to->sorted = step->sorted;
        to->lists = arena_array(arena, step->n_sources + 1, sizeof(*to->lists));
        for (size_t k = 0; to->lists != NULL && k < step->n_sources; k++) {
            const struct creation_source *source = &step->sources[k];
            int map = source_map(check, msg, source);

            if (map >= 0)
                to->lists[k] =
                    group_list(arena, source->name, source->lists, map);
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
    msg.model = text(check->dep->model);
    msg.runtime = text(check->rt->name);
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

/* ---- what is one rank's own ---------------------------------------------- */

static int fill_shares(struct arena *arena, const struct node_shard *shard,
                       Serried__V1__NodeShard *to)
{
    to->shares = arena_array(arena, shard->n_shares + 1, sizeof(*to->shares));
    for (size_t i = 0; to->shares != NULL && i < shard->n_shares; i++) {
        const struct share *share = &shard->shares[i];
        Serried__V1__Share *s =
            new_message(arena, &serried__v1__share__descriptor);

        if (s == NULL)
            return -1;
        to->shares[to->n_shares++] = s;
        s->what = text(share->what);
        s->rule = text(share->rule);
        s->resource = text(share->resource);
        s->has_parts = s->has_part = true;
        s->parts = share->parts;
        s->part = share->part;
        s->has_total = s->has_begin = s->has_end = share->has_range;
        s->total = share->total;
        s->begin = share->range.begin;
        s->end = share->range.end;
    }
    return to->shares != NULL ? 0 : -1;
}

static int fill_sends(struct arena *arena, const struct transfer *transfer,
                      Serried__V1__Transfer *to)
{
    to->sends = arena_array(arena, transfer->n_targets + 1, sizeof(*to->sends));
    for (size_t i = 0; to->sends != NULL && i < transfer->n_targets; i++) {
        const struct send *target = &transfer->targets[i];
        Serried__V1__Send *s =
            new_message(arena, &serried__v1__send__descriptor);

        if (s == NULL)
            return -1;
        to->sends[to->n_sends++] = s;
        s->has_to_rank = true;
        s->to_rank = target->to_rank;
        s->has_begin = s->has_end = s->has_local_begin = !target->whole;
        s->begin = target->begin;
        s->end = target->end;
        s->local_begin = target->local_begin;
    }
    return to->sends != NULL ? 0 : -1;
}

static int fill_transfers(struct arena *arena, const struct node_shard *shard,
                          Serried__V1__NodeShard *to)
{
    to->transfers =
        arena_array(arena, shard->n_transfers + 1, sizeof(*to->transfers));
    for (size_t i = 0; to->transfers != NULL && i < shard->n_transfers; i++) {
        const struct transfer *transfer = &shard->transfers[i];
        Serried__V1__Transfer *t =
            new_message(arena, &serried__v1__transfer__descriptor);

        if (t == NULL || fill_sends(arena, transfer, t) < 0)
            return -1;
        to->transfers[to->n_transfers++] = t;
        t->signal = text(transfer->signal->name);
        t->walk = text(transfer->walk);
        t->has_dim = transfer->sharded;
        t->dim = transfer->sharded ? (uint32_t)transfer->dim : 0;
        t->has_from_group = t->has_to_group = true;
        t->from_group = transfer->from_group;
        t->to_group = transfer->to_group;
        t->has_from_size = t->has_to_size = true;
        t->from_size = transfer->from_size;
        t->to_size = transfer->to_size;
        t->has_fan_in = transfer->receives;
        t->fan_in = transfer->fan_in;
    }
    return to->transfers != NULL ? 0 : -1;
}

static Serried__V1__NodeShard *node_shard(struct arena *arena,
                                          const struct node_shard *shard)
{
    Serried__V1__NodeShard *to =
        new_message(arena, &serried__v1__node_shard__descriptor);
    size_t n = shard->n_coordinates;

    if (to == NULL)
        return NULL;
    to->node = text(shard->node->name);
    to->has_group = to->has_instance = to->has_instance_rank = true;
    to->group = (uint32_t)shard->scope->group->index;
    to->instance = shard->instance;
    to->instance_rank = shard->instance_rank;
    to->has_tp_size = true;
    to->tp_size = shard->scope->instance;
    to->coordinates = arena_array(arena, n + 1, sizeof(*to->coordinates));
    for (size_t i = 0; to->coordinates != NULL && i < n; i++) {
        Serried__V1__Coordinate *c =
            new_message(arena, &serried__v1__coordinate__descriptor);

        if (c == NULL)
            return NULL;
        to->coordinates[to->n_coordinates++] = c;
        c->axis = text(shard->coordinates[i].name);
        c->has_coordinate = c->has_size = true;
        c->coordinate = shard->coordinates[i].coordinate;
        c->size = shard->coordinates[i].size;
    }
    if (to->coordinates == NULL || fill_shares(arena, shard, to) < 0 ||
        fill_transfers(arena, shard, to) < 0)
        return NULL;
    return to;
}

int codec_assignment_rank(struct check *check, struct arena *arena,
                          uint32_t rank, Serried__V1__Assignment *msg,
                          struct error *err)
{
    struct assignment assignment;

    if (assignment_make(check, arena, rank, &assignment, err) < 0)
        return -1;
    if (assignment.n_nodes == 0)
        return error_set(err, STATUS_UNKNOWN_NAME,
                         "no node group lists the rank %u", rank);
    msg->has_rank = true;
    msg->rank = rank;
    msg->nodes = arena_array(arena, assignment.n_nodes, sizeof(*msg->nodes));
    for (size_t i = 0; msg->nodes != NULL && i < assignment.n_nodes; i++) {
        msg->nodes[i] = node_shard(arena, &assignment.nodes[i]);
        if (msg->nodes[i] == NULL)
            return error_exhausted(err);
        msg->n_nodes++;
    }
    return msg->nodes != NULL ? 0 : error_exhausted(err);
}

/* ---- one rank's own, packed ---------------------------------------------- */

/* Number << 3 | wire type of the fields that differ from call to call. */
enum {
    TAG_PLACEMENT = 1 << 3 | 2, /* of Assignment */
    TAG_GENERATION = 2 << 3 | 2,
    TAG_RANK = 3 << 3,
    TAG_NODE = 12 << 3 | 2,
    TAG_BINDING = 15 << 3 | 2,
    TAG_EPOCH = 1 << 3, /* of Generation */
    TAG_REVISION = 2 << 3,
    TAG_INSTANCE = 3 << 3, /* of NodeShard */
};

enum {
    VARINT_MAX = 10,
    HEAD_MAX = 5 + 5 * VARINT_MAX,       /* beside the placement's name */
    NODE_FRAME_MAX = 2 + 2 * VARINT_MAX, /* around a kept shard */
};

static uint8_t *put_varint(uint8_t *to, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        *to++ = (uint8_t)(value | 0x80);
    *to++ = (uint8_t)value;
    return to;
}

static struct kept_shard **bucket_of(struct kept_shards *shards,
                                     const struct placed *placed,
                                     uint32_t instance_rank)
{
    size_t hash = (size_t)placed->node->index * 31 + instance_rank;

    return &shards->buckets[hash % KEPT_BUCKETS];
}

/* A shard packed in arena. */
static struct kept_shard *shard_pack(struct arena *arena,
                                     const struct node_shard *shard,
                                     struct error *err)
{
    Serried__V1__NodeShard *message = node_shard(arena, shard);
    struct kept_shard *packed = NULL;

    if (message != NULL) {
        message->has_instance = false;
        packed = arena_alloc(
            arena, sizeof(*packed) +
                       serried__v1__node_shard__get_packed_size(message));
    }
    if (packed == NULL) {
        error_exhausted(err);
        return NULL;
    }
    packed->instance_rank = shard->instance_rank;
    packed->len = serried__v1__node_shard__pack(message, packed->packed);
    return packed;
}

/* Keeps a copy while there is room. */
static void shard_keep(struct check *check, struct kept_shards *shards,
                       const struct kept_shard *shard)
{
    size_t bytes = sizeof(*shard) + shard->len;
    struct kept_shard *kept = NULL, **bucket;

    if (shards->bytes + bytes <= CODEC_SHARDS_BYTES_MAX)
        kept = arena_alloc(check->arena, bytes);
    if (kept == NULL)
        return;
    memcpy(kept, shard, bytes);
    shards->bytes += bytes;
    bucket = bucket_of(shards, kept->placed, kept->instance_rank);
    kept->next = *bucket;
    *bucket = kept;
}

static const struct kept_shard *
shard_make(struct check *check, struct kept_shards *shards, struct arena *arena,
           const struct placed *placed, int64_t position, struct error *err)
{
    struct node_shard shard;
    struct kept_shard *made;

    if (assignment_node(check, arena, placed, position, &shard, err) < 0)
        return NULL;
    made = shard_pack(arena, &shard, err);
    if (made == NULL)
        return NULL;
    made->placed = placed;
    shard_keep(check, shards, made);
    return made;
}

static const struct kept_shard *
shard_at(struct check *check, struct kept_shards *shards, struct arena *arena,
         const struct placed *placed, int64_t position, struct error *err)
{
    uint32_t instance_rank = (uint32_t)(position % placed->scope->instance);

    for (const struct kept_shard *kept =
             *bucket_of(shards, placed, instance_rank);
         kept != NULL; kept = kept->next)
        if (kept->placed == placed && kept->instance_rank == instance_rank)
            return kept;
    return shard_make(check, shards, arena, placed, position, err);
}

/* The nodes that a rank hosts. */
struct hosted {
    const struct kept_shard *shard;
    uint32_t instance;
};

static size_t no_node(uint32_t rank, struct error *err)
{
    error_set(err, STATUS_UNKNOWN_NAME, "no node group lists the rank %u",
              rank);
    return 0;
}

/* The node that stands for a world without a model. */
static size_t find_world(struct check *check, struct arena *arena,
                         uint32_t rank, struct hosted *item, struct error *err)
{
    struct assignment assignment;

    if (assignment_make(check, arena, rank, &assignment, err) < 0)
        return 0;
    if (assignment.n_nodes == 0)
        return no_node(rank, err);
    item->instance = assignment.nodes->instance;
    item->shard = shard_pack(arena, assignment.nodes, err);
    return item->shard != NULL;
}

/* Fills items, with room for every placed node and one more; returns how many
 * there are, 0 on failure. */
static size_t find_hosted(struct check *check, struct kept_shards *shards,
                          struct arena *arena, uint32_t rank,
                          struct hosted *items, struct error *err)
{
    size_t n = 0;

    for (size_t i = 0; i < check->n_placed; i++) {
        const struct placed *placed = &check->placed[i];
        int64_t position = assignment_position(check, placed, rank);

        if (position < 0)
            continue;
        items[n].shard = shard_at(check, shards, arena, placed, position, err);
        if (items[n].shard == NULL)
            return 0;
        items[n++].instance = (uint32_t)(position / placed->scope->instance);
    }
    if (check->n_placed == 0)
        return find_world(check, arena, rank, items, err);
    return n > 0 ? n : no_node(rank, err);
}

static uint8_t *put_number(uint8_t *to, uint8_t tag, uint64_t value)
{
    *to++ = tag;
    return put_varint(to, value);
}

static uint8_t *put_bytes(uint8_t *to, uint8_t tag, const void *bytes,
                          size_t len)
{
    to = put_number(to, tag, len);
    memcpy(to, bytes, len);
    return to + len;
}

static uint8_t *put_head(uint8_t *to, const struct assignment_head *head,
                         uint32_t rank)
{
    uint8_t generation[2 + 2 * VARINT_MAX], *end = generation;

    end = put_number(end, TAG_EPOCH, head->epoch);
    end = put_number(end, TAG_REVISION, head->revision);
    to = put_bytes(to, TAG_PLACEMENT, head->placement, strlen(head->placement));
    to = put_bytes(to, TAG_GENERATION, generation, (size_t)(end - generation));
    return put_number(to, TAG_RANK, rank);
}

static uint8_t *put_hosted(uint8_t *to, const struct hosted *hosted)
{
    uint8_t instance[1 + VARINT_MAX];
    size_t len = (size_t)(put_number(instance, TAG_INSTANCE, hosted->instance) -
                          instance);

    to = put_number(to, TAG_NODE, hosted->shard->len + len);
    memcpy(to, hosted->shard->packed, hosted->shard->len);
    to += hosted->shard->len;
    memcpy(to, instance, len);
    return to + len;
}

/* Fields of a message may come in any order: common, head, nodes. */
int codec_assignment_pack(struct check *check,
                          const struct assignment_common *common,
                          const struct assignment_head *head,
                          struct arena *arena, uint32_t rank,
                          ProtobufCBinaryData *ret, struct error *err)
{
    struct hosted *hosted =
        arena_array(arena, check->n_placed + 1, sizeof(*hosted));
    size_t n, len = common->len + strlen(head->placement) + HEAD_MAX +
                    head->binding.len + 1 + VARINT_MAX;
    uint8_t *packed, *to;

    if (hosted == NULL)
        return error_exhausted(err);
    n = find_hosted(check, common->shards, arena, rank, hosted, err);
    if (n == 0)
        return -1;
    for (size_t i = 0; i < n; i++)
        len += hosted[i].shard->len + NODE_FRAME_MAX;
    packed = arena_alloc(arena, len);
    if (packed == NULL)
        return error_exhausted(err);
    memcpy(packed, common->packed, common->len);
    to = put_head(packed + common->len, head, rank);
    if (head->binding.len > 0)
        to = put_bytes(to, TAG_BINDING, head->binding.data, head->binding.len);
    for (size_t i = 0; i < n; i++)
        to = put_hosted(to, &hosted[i]);
    *ret = (ProtobufCBinaryData){ (size_t)(to - packed), packed };
    return 0;
}
