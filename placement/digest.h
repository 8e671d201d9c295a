/* SPDX-License-Identifier: Apache-2.0 */
/* Digests of group lists: the proof that two sides have the same. The bytes are
 * specified in docs/protocol.md. */
#ifndef SERRIED_PLACEMENT_DIGEST_H
#define SERRIED_PLACEMENT_DIGEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "placement/creation.h"
#include "placement/view.h"

enum {
    DIGEST_BYTES = 32,
    DIGEST_SHORT_BYTES = 8, /* the first ones of the whole digest */
};

/* SHA-256 of any bytes. */
void digest_bytes(const void *bytes, size_t len, uint8_t ret[DIGEST_BYTES]);

/* Whether two digests are equal; takes as long for any two. */
bool digest_equal(const uint8_t a[DIGEST_BYTES], const uint8_t b[DIGEST_BYTES]);

/* The same in lower-case hex. */
enum { DIGEST_HEX = 2 * DIGEST_BYTES + 1 };
void digest_hex(const void *bytes, size_t len, char ret[DIGEST_HEX]);

/* A group that is not described by strides. */
struct rank_list {
    const uint32_t *ranks;
    uint32_t n;
};

/* A table of lists on its way to its digest. A world is fed in small parts and
 * never held. */
struct digest_builder;

/* Starts the table of n_lists lists. Lives in arena; NULL: STATUS_EXHAUSTED. */
struct digest_builder *digest_begin(struct arena *arena, uint32_t n_lists,
                                    struct error *err);

/* Adds the next list of the table and gives its short digest. ranks and offset:
 * as in lists_expand(). */
void digest_add_list(struct digest_builder *builder, const char *name,
                     const struct lists *lists, const uint32_t *ranks,
                     uint32_t offset, uint8_t ret_short[DIGEST_SHORT_BYTES]);

/* The same for groups that are listed one by one. */
void digest_add_explicit(struct digest_builder *builder, const char *name,
                         const struct rank_list *groups, uint32_t n_groups,
                         uint8_t ret_short[DIGEST_SHORT_BYTES]);

/* The short digest of the groups from first on, n of them: that of a list which
 * has these only. */
void digest_groups(const char *name, const struct lists *lists,
                   const uint32_t *ranks, uint32_t offset, uint32_t first,
                   uint32_t n, uint8_t ret_short[DIGEST_SHORT_BYTES]);

/* Ends the table with its creation sequence, after exactly n_lists lists: the
 * short digest of the sequence, and the digest of everything. */
void digest_end(struct digest_builder *builder, const struct creation *sequence,
                uint8_t ret_short[DIGEST_SHORT_BYTES],
                uint8_t ret[DIGEST_BYTES]);

#endif
