/* SPDX-License-Identifier: Apache-2.0 */
/* Groups of a list in blocks: how the first one that differs is found. */
#include "proto/span.h"

#include <inttypes.h>

static uint32_t parts(uint32_t n, uint32_t of)
{
    return n / of + (n % of != 0);
}

/* Groups of a block, so that n groups have as many as a message holds. */
static uint32_t block_of(uint32_t n)
{
    return n > SPAN_BLOCKS_MAX ? parts(n, SPAN_BLOCKS_MAX) : 1;
}

struct span span_of_list(uint32_t list, uint32_t count)
{
    return (struct span){
        .list = list, .groups = count, .block = block_of(count), .count = count
    };
}

static uint32_t least_of(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

struct span span_narrow(const struct span *span, uint32_t i)
{
    struct span part = *span;

    part.first += i * span->block;
    part.groups = least_of(span->block, span->groups - i * span->block);
    part.block = block_of(part.groups);
    return part;
}

struct span span_clip(const struct span *span, uint32_t count)
{
    struct span part = *span;
    uint32_t rest = span->first < count ? count - span->first : 0;

    part.groups = least_of(span->groups, rest);
    part.count = count;
    return part;
}

uint32_t span_blocks(const struct span *span)
{
    return parts(span->groups, span->block);
}

int span_read(const Serried__V1__GroupSpan *from, struct span *ret,
              struct error *err)
{
    const struct span span = { from->list, from->first, from->groups,
                               from->block, from->count };

    if (!from->has_list || !from->has_groups || span.block == 0)
        return error_set(err, STATUS_INVALID,
                         "a span of groups has the number of its list, how "
                         "many groups, and how many make a block, at least 1");
    if (span.count > VIEW_SPAN_MAX || span.first > span.count ||
        span.groups > span.count - span.first)
        return error_set(
            err, STATUS_INVALID,
            "a span of %" PRIu32 " groups from %" PRIu32
            " on is not in a list of %" PRIu32 ", which may have %d",
            span.groups, span.first, span.count, (int)VIEW_SPAN_MAX);
    if (span_blocks(&span) > SPAN_BLOCKS_MAX)
        return error_set(err, STATUS_INVALID,
                         "%" PRIu32 " groups in blocks of %" PRIu32
                         " are more than %d blocks",
                         span.groups, span.block, (int)SPAN_BLOCKS_MAX);
    *ret = span;
    return 0;
}

void span_write(const struct span *span, Serried__V1__GroupSpan *message)
{
    message->has_list = message->has_first = message->has_groups = true;
    message->has_block = message->has_count = true;
    message->list = span->list;
    message->first = span->first;
    message->groups = span->groups;
    message->block = span->block;
    message->count = span->count;
}

uint8_t *span_digests(struct arena *arena, const struct expand_list *list,
                      const struct span *span)
{
    uint32_t n = span_blocks(span);
    uint8_t *digests = arena_array(arena, (size_t)n + 1, DIGEST_SHORT_BYTES);

    for (uint32_t i = 0; digests != NULL && i < n; i++) {
        const struct span block = span_narrow(span, i);

        digest_groups(list->name, &list->lists, list->map->ranks,
                      list->map->offset, block.first, block.groups,
                      digests + (size_t)i * DIGEST_SHORT_BYTES);
    }
    return digests;
}

/* ---- members ------------------------------------------------------------- */

enum { RUNS_SHOWN_MAX = 8, MEMBERS_SEEN_MAX = 1 << 16 };

static uint32_t member_rank(const struct expand_list *list, uint32_t index,
                            uint32_t j)
{
    uint32_t at = lists_member(&list->lists, index, j);

    return (list->map->ranks != NULL ? list->map->ranks[at] : at) +
           list->map->offset;
}

/* The members that rise evenly from j on; at least 1, none behind end. */
static uint32_t run_length(const struct expand_list *list, uint32_t index,
                           uint32_t j, uint32_t end)
{
    uint32_t last, step, n = 2;

    if (j + 1 >= end)
        return 1;
    last = member_rank(list, index, j + 1);
    step = last - member_rank(list, index, j);
    if (last < step)
        return 1; /* it falls */
    for (; j + n < end; n++) {
        uint32_t next = member_rank(list, index, j + n);

        if (next < last || next - last != step)
            break;
        last = next;
    }
    return n > 2 ? n : 1;
}

static void put_run(const struct expand_list *list, uint32_t index, uint32_t j,
                    uint32_t n, struct text *out)
{
    uint32_t first = member_rank(list, index, j), step;

    text_printf(out, "%" PRIu32, first);
    if (n == 1)
        return;
    step = member_rank(list, index, j + 1) - first;
    text_printf(out, " to %" PRIu32, member_rank(list, index, j + n - 1));
    if (step > 1)
        text_printf(out, " by %" PRIu32, step);
}

void span_put_group(const struct expand_list *list, uint32_t index,
                    struct text *out)
{
    const uint32_t length = lists_length_of(&list->lists, index);
    const uint32_t end = least_of(length, MEMBERS_SEEN_MAX);
    uint32_t j = 0, n;

    text_put(out, length == 1 ? "rank " : "ranks ");
    for (int shown = 0; j < end && shown < RUNS_SHOWN_MAX; j += n, shown++) {
        n = run_length(list, index, j, end);
        text_put(out, shown > 0 ? ", " : "");
        put_run(list, index, j, n, out);
    }
    if (j < length)
        text_printf(out, " and %" PRIu32 " more", length - j);
}
