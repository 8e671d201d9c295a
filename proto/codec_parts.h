/* SPDX-License-Identifier: Apache-2.0 */
/* What codec*.c share. Private to them. */
#ifndef SERRIED_PROTO_CODEC_PARTS_H
#define SERRIED_PROTO_CODEC_PARTS_H

#include "proto/codec.h"

/* An initialized message of this type; NULL: the arena is full. */
static inline void *codec_new(struct arena *arena,
                              const ProtobufCMessageDescriptor *type)
{
    void *message = arena_alloc(arena, type->sizeof_message);

    if (message != NULL)
        protobuf_c_message_init(type, message);
    return message;
}

/* Protobuf-c wants strings that it does not change as char *. */
static inline char *codec_text(const char *s)
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

/* NULL: the arena is full. */
Serried__V1__GroupList *codec_group_list(struct arena *arena, const char *name,
                                         const struct lists *lists, int map);
Serried__V1__NodeShard *codec_node_shard(struct arena *arena,
                                         const struct node_shard *shard);

/* Says that the request has no such rank. Returns -1. */
int codec_no_rank(const struct check *check, uint32_t rank, struct error *err);

#endif
