/* SPDX-License-Identifier: Apache-2.0 */
/* Assignments packed by hand, of parts that are kept. */
#include <string.h>

#include "proto/codec_parts.h"
#include "proto/put.h"

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
    HEAD_MAX = 5 + 5 * PUT_VARINT_MAX,       /* beside the placement's name */
    NODE_FRAME_MAX = 2 + 2 * PUT_VARINT_MAX, /* around a kept shard */
};

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
    Serried__V1__NodeShard *message = codec_node_shard(arena, shard);
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

/* The node that stands for a world without a model. */
static size_t find_world(struct check *check, struct arena *arena,
                         uint32_t rank, struct hosted *item, struct error *err)
{
    struct assignment assignment;

    if (assignment_make(check, arena, rank, &assignment, err) < 0)
        return 0;
    if (assignment.n_nodes == 0) {
        codec_no_rank(check, rank, err);
        return 0;
    }
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
    if (n == 0)
        codec_no_rank(check, rank, err);
    return n;
}

static uint8_t *put_head(uint8_t *to, const struct assignment_head *head,
                         uint32_t rank)
{
    uint8_t generation[2 + 2 * PUT_VARINT_MAX], *end = generation;

    end = put_number(end, TAG_EPOCH, head->epoch);
    end = put_number(end, TAG_REVISION, head->revision);
    to = put_bytes(to, TAG_PLACEMENT, head->placement, strlen(head->placement));
    to = put_bytes(to, TAG_GENERATION, generation, (size_t)(end - generation));
    return put_number(to, TAG_RANK, rank);
}

static uint8_t *put_hosted(uint8_t *to, const struct hosted *hosted)
{
    uint8_t instance[1 + PUT_VARINT_MAX];
    size_t len = (size_t)(put_number(instance, TAG_INSTANCE, hosted->instance) -
                          instance);

    to = put_number(to, TAG_NODE, hosted->shard->len + len);
    memcpy(to, hosted->shard->packed, hosted->shard->len);
    to += hosted->shard->len;
    memcpy(to, instance, len);
    return to + len;
}

/* Fields of a message may come in any order: common, head, nodes,
 * more. */
int codec_assignment_pack(struct check *check,
                          const struct assignment_common *common,
                          const struct assignment_head *head,
                          struct arena *arena, uint32_t rank,
                          ProtobufCBinaryData *ret, struct error *err)
{
    struct hosted *hosted =
        arena_array(arena, check->n_placed + 1, sizeof(*hosted));
    size_t n, len = common->len + strlen(head->placement) + HEAD_MAX +
                    head->binding.len + 1 + PUT_VARINT_MAX + head->more.len;
    uint8_t *packed, *to;

    if (hosted == NULL)
        return error_exhausted(err);
    n = find_hosted(check, common->shards, arena, rank, hosted, err);
    if (n == 0)
        return -1;
    for (size_t i = 0; i < n; i++)
        len += hosted[i].shard->len + NODE_FRAME_MAX;
    packed = arena_room(arena, len);
    if (packed == NULL)
        return error_exhausted(err);
    memcpy(packed, common->packed, common->len);
    to = put_head(packed + common->len, head, rank);
    if (head->binding.len > 0)
        to = put_bytes(to, TAG_BINDING, head->binding.data, head->binding.len);
    for (size_t i = 0; i < n; i++)
        to = put_hosted(to, &hosted[i]);
    if (head->more.len > 0)
        memcpy(to, head->more.data, head->more.len);
    to += head->more.len;
    *ret = (ProtobufCBinaryData){ (size_t)(to - packed), packed };
    return 0;
}
