/* SPDX-License-Identifier: Apache-2.0 */
/* Groups of a list in blocks: how the first one that differs is found. */
#ifndef SERRIED_PROTO_SPAN_H
#define SERRIED_PROTO_SPAN_H

#include "base/text.h"
#include "proto/expand.h"

enum {
    /* Of one message, 8 KiB of digests: the blocks of the largest list have
     * 1,024 groups, so that the next message has the groups themselves. */
    SPAN_BLOCKS_MAX = 1024,
    /* Where the groups are said without a span: 128 KiB. */
    SPAN_GROUPS_MAX = 1 << 14,
    /* Messages of a worker at most. Three find the group of the largest list:
     * one finds the list, one the part, one the group. */
    SPAN_STEPS_MAX = 4,
};

/* Kinds of detail that a Join is refused with. */
#define SPAN_SAY "say_groups" /* join again with the digests of this span */
#define SPAN_GROUP "group"    /* the first group that differs */

/* Groups first to first + groups - 1 of a list, digested by blocks; the last
 * block may have fewer. */
struct span {
    uint32_t list, first, groups, block;
    uint32_t count; /* groups of the list, for who says digests of them */
};

/* All of a list. */
struct span span_of_list(uint32_t list, uint32_t count);

/* Block i of a span, in blocks of its own. */
struct span span_narrow(const struct span *span, uint32_t i);

/* The part of a span that a list of count groups has. */
struct span span_clip(const struct span *span, uint32_t count);

uint32_t span_blocks(const struct span *span);

/* Reads a span that came from a peer.
 *   STATUS_INVALID  a field is missing or out of bounds, or there are more than
 *                   SPAN_BLOCKS_MAX blocks */
int span_read(const Serried__V1__GroupSpan *from, struct span *ret,
              struct error *err);

/* message is initialized. */
void span_write(const struct span *span, Serried__V1__GroupSpan *message);

/* The short digests of the blocks of a span, which lies in the list, one behind
 * the other: span_blocks() of them. NULL: the arena is full. */
uint8_t *span_digests(struct arena *arena, const struct expand_list *list,
                      const struct span *span);

/* Writes the members of a group as runs, "ranks 0 to 56 by 8, 63", as many as a
 * sentence bears. Looks at no more than 65,536 of them. */
void span_put_group(const struct expand_list *list, uint32_t index,
                    struct text *out);

#endif
