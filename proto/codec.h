/* SPDX-License-Identifier: Apache-2.0 */
/* What an accepted check means for its workers, as wire messages. */
#ifndef SERRIED_PROTO_CODEC_H
#define SERRIED_PROTO_CODEC_H

#include "placement/assignment.h"
#include "placement/runs.h"
#include "placement/table.h"
#include "proto/serried.pb-c.h"

enum {
    /* Packed size of what all ranks of a placement share; an irregular list of
     * ranks that does not fit is refused. */
    CODEC_ASSIGNMENT_BYTES_MAX = 512 << 10,
    /* Packed shards of nodes kept beside it, of 640 instance ranks or so. */
    CODEC_SHARDS_BYTES_MAX = 128 << 10,
};

struct kept_shards;

/* The part of an assignment that is the same for every rank: rank maps, lists,
 * creation, digests, carried keys. Packed once for each placement. */
struct assignment_common {
    uint8_t *packed;
    size_t len;
    uint8_t digest[DIGEST_BYTES];
    uint32_t n_ranks; /* distinct ones */
    uint32_t bound;   /* highest rank + 1 */
    const bool *used; /* which ranks below it there are */
    struct kept_shards *shards;
};

/* Works it out for an accepted check; made in the check's arena.
 *   STATUS_EXHAUSTED  over CODEC_ASSIGNMENT_BYTES_MAX, or the arena is full
 *   STATUS_INVALID    over the bounds of creation_make() */
int codec_assignment_common(struct check *check, struct assignment_common *ret,
                            struct error *err);

/* Fills msg, which is initialized, with what is this rank's own: rank and
 * nodes; made in arena.
 *   STATUS_UNKNOWN_NAME  no node group lists the rank, nor is it in the world
 *   STATUS_EXHAUSTED     the arena is full */
int codec_assignment_rank(struct check *check, struct arena *arena,
                          uint32_t rank, Serried__V1__Assignment *msg,
                          struct error *err);

/* The ranks of a scope by position; NULL: STATUS_EXHAUSTED. */
Serried__V1__RankMap *codec_rank_map(struct arena *arena,
                                     const struct scope *scope,
                                     struct error *err);

/* NULL: the arena is full. */
Serried__V1__Run *codec_run(struct arena *arena, const struct run *run);

/* What an assignment says beside what follows from the check. */
struct assignment_head {
    const char *placement;
    uint64_t epoch, revision;    /* of its generation */
    ProtobufCBinaryData binding; /* packed; empty: none */
    ProtobufCBinaryData more;    /* packed fields; empty: none */
};

/* The whole packed Assignment of a rank, in arena: common, head, and what
 * codec_assignment_rank() fills. What ranks with the same place in their
 * instances share is worked out once and kept in the check's arena, up to
 * CODEC_SHARDS_BYTES_MAX. Fails as codec_assignment_rank(). */
int codec_assignment_pack(struct check *check,
                          const struct assignment_common *common,
                          const struct assignment_head *head,
                          struct arena *arena, uint32_t rank,
                          ProtobufCBinaryData *ret, struct error *err);

#endif
