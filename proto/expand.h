/* SPDX-License-Identifier: Apache-2.0 */
/* Group lists, creation and digests out of an assignment that was received. */
#ifndef SERRIED_PROTO_EXPAND_H
#define SERRIED_PROTO_EXPAND_H

#include "base/arena.h"
#include "base/error.h"
#include "placement/creation.h"
#include "placement/digest.h"
#include "placement/view.h"
#include "proto/serried.pb-c.h"

enum {
    EXPAND_MAPS_MAX = 4096,
    EXPAND_LISTS_MAX = 1 << 16,
    EXPAND_NAME_MAX = 512, /* bytes */
    /* Over all rank maps: 16 MiB of ranks. */
    EXPAND_POSITIONS_MAX = 4 * VIEW_SPAN_MAX,
    /* Over all lists, and again over the creation sequence: what is hashed for
     * the digests, 256 MiB at 1 GB/s. */
    EXPAND_MEMBERS_MAX = 64 * VIEW_SPAN_MAX,
    /* What working out the sequence may take: 4.7 million groups. */
    EXPAND_SEQUENCE_BYTES_MAX = 256 << 20,
};

/* The global rank at each position: ranks[position] + offset, or position +
 * offset where ranks is NULL. */
struct expand_map {
    const uint32_t *ranks;
    uint32_t offset;
    uint32_t positions;
    bool sorted; /* ranks rise */
};

struct expand_list {
    const char *name;
    struct lists lists;
    const struct expand_map *map;
};

/* What an assignment describes, checked: the functions of view.h, creation.h
 * and digest.h may be used on it. Immutable. */
struct expansion {
    const struct expand_map *maps;
    size_t n_maps;
    const struct expand_list *lists;
    size_t n_lists;
    const struct creation_step *steps;
    size_t n_steps;
    uint32_t world; /* highest rank of any map, and one; 0: no ranks */
};

/* Reads the rank maps, lists and creation steps of a message that came from a
 * peer. Strings are borrowed from it; all else is made in arena.
 *   STATUS_INVALID    something is missing, out of bounds, or no partition of
 *                     its ranks; a rank stands twice in a map
 *   STATUS_EXHAUSTED  the arena is full */
int expand_assignment(struct arena *arena,
                      const Serried__V1__Assignment *message,
                      struct expansion *ret, struct error *err);

/* One list of a message, and its map, without what the others take. Errors as
 * expand_assignment(); i is below message->n_lists. */
int expand_one(struct arena *arena, const Serried__V1__Assignment *message,
               size_t i, struct expand_list *ret, struct error *err);

/* The list of this name; NULL: none. */
const struct expand_list *expand_find(const struct expansion *expansion,
                                      const char *name);

/* The position of a rank in a map; -1: it is not there. */
int64_t expand_position(const struct expand_map *map, uint32_t rank);

/* The creation sequence; errors as creation_make(). */
int expand_creation(struct arena *arena, const struct expansion *expansion,
                    struct creation *ret, struct error *err);

struct expand_digests {
    uint8_t (*lists)[DIGEST_SHORT_BYTES]; /* n_lists */
    uint8_t sequence[DIGEST_SHORT_BYTES];
    uint8_t total[DIGEST_BYTES];
};

/* The digests of what is described; errors as creation_make(). */
int expand_digest(struct arena *arena, const struct expansion *expansion,
                  struct expand_digests *ret, struct error *err);

/* The first list whose digest in a message is not this one; n_lists: none. */
size_t expand_differs(const Serried__V1__Assignment *message,
                      const struct expansion *expansion,
                      const struct expand_digests *digests);

/* Whether the digests that a message carries are these.
 *   STATUS_INVALID   it carries none, or of a wrong length
 *   STATUS_INTERNAL  they differ; the text names the first list that does */
int expand_verify(const Serried__V1__Assignment *message,
                  const struct expansion *expansion,
                  const struct expand_digests *digests, struct error *err);

#endif
