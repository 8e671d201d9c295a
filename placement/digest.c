/* SPDX-License-Identifier: Apache-2.0 */
/* Digests of group lists: the proof that two sides have the same. */
#include "placement/digest.h"

#include <assert.h>
#include <endian.h>
#include <string.h>

#include <nettle/memops.h>
#include <nettle/sha2.h>

#include "placement/lists.h"

/* Kinds of what is digested, so that no bytes mean two things. */
static const char tag_list[] = "serried-list-1";
static const char tag_sequence[] = "serried-sequence-1";
static const char tag_table[] = "serried-table-1";

enum { FEED_BYTES = 8192, PART_RANKS = 2048 };

/* SHA-256 with a buffer for numbers in front. */
struct feed {
    struct sha256_ctx sha;
    size_t used;
    uint8_t bytes[FEED_BYTES];
};

struct digest_builder {
    struct feed table, item; /* item: the list or sequence being fed */
    uint32_t lists_left;
    uint32_t ranks[PART_RANKS];
};

static void feed_flush(struct feed *feed)
{
    sha256_update(&feed->sha, feed->used, feed->bytes);
    feed->used = 0;
}

/* Big-endian. */
static void feed_number(struct feed *feed, uint32_t number)
{
    uint8_t *to;

    if (feed->used > FEED_BYTES - 4)
        feed_flush(feed);
    to = feed->bytes + feed->used;
    to[0] = (uint8_t)(number >> 24);
    to[1] = (uint8_t)(number >> 16);
    to[2] = (uint8_t)(number >> 8);
    to[3] = (uint8_t)number;
    feed->used += 4;
}

/* Words and digests are a few bytes: far less than hashing them is worth. */
static void feed_bytes(struct feed *feed, const void *bytes, size_t n)
{
    if (n > FEED_BYTES - feed->used)
        feed_flush(feed);
    if (n > FEED_BYTES) {
        sha256_update(&feed->sha, n, bytes);
        return;
    }
    memcpy(feed->bytes + feed->used, bytes, n);
    feed->used += n;
}

/* Many numbers: nearly all that is digested. */
static void feed_ranks(struct feed *feed, const uint32_t *ranks, uint32_t n)
{
    while (n > 0) {
        size_t room = (FEED_BYTES - feed->used) / 4;
        uint32_t part = n < room ? n : (uint32_t)room;
        uint8_t *to = feed->bytes + feed->used;

        for (uint32_t i = 0; i < part; i++) {
            uint32_t big = htobe32(ranks[i]);

            memcpy(to + 4 * (size_t)i, &big, 4);
        }
        feed->used += 4 * (size_t)part;
        ranks += part;
        n -= part;
        if (n > 0)
            feed_flush(feed);
    }
}

static void feed_text(struct feed *feed, const char *text)
{
    size_t n = strlen(text);

    feed_number(feed, (uint32_t)n);
    feed_bytes(feed, text, n);
}

/* tag with its NUL */
static void feed_begin(struct feed *feed, const char *tag)
{
    sha256_init(&feed->sha);
    feed->used = 0;
    feed_bytes(feed, tag, strlen(tag) + 1);
}

static void feed_end(struct feed *feed, uint8_t ret[DIGEST_BYTES])
{
    feed_flush(feed);
    sha256_digest(&feed->sha, DIGEST_BYTES, ret);
}

struct digest_builder *digest_begin(struct arena *arena, uint32_t n_lists,
                                    struct error *err)
{
    struct digest_builder *builder = arena_alloc(arena, sizeof(*builder));

    if (builder == NULL) {
        error_exhausted(err);
        return NULL;
    }
    builder->lists_left = n_lists;
    feed_begin(&builder->table, tag_table);
    feed_number(&builder->table, n_lists);
    return builder;
}

/* Ends the item, adds its digest to the table and gives its short form. */
static void end_item(struct digest_builder *builder, uint8_t *ret_short)
{
    uint8_t digest[DIGEST_BYTES];

    feed_end(&builder->item, digest);
    feed_bytes(&builder->table, digest, sizeof(digest));
    memcpy(ret_short, digest, DIGEST_SHORT_BYTES);
}

/* What stands in front of the groups of a list. */
static void feed_list(struct feed *feed, const char *name, uint32_t n_groups)
{
    feed_begin(feed, tag_list);
    feed_text(feed, name);
    feed_number(feed, n_groups);
}

static void begin_list(struct digest_builder *builder, const char *name,
                       uint32_t n_groups)
{
    assert(builder->lists_left > 0);
    builder->lists_left--;
    feed_list(&builder->item, name, n_groups);
}

/* The groups from first on, n of them; scratch has PART_RANKS entries. */
static void feed_groups(struct feed *feed, const struct lists *lists,
                        const uint32_t *ranks, uint32_t offset, uint32_t first,
                        uint32_t n_groups, uint32_t *scratch)
{
    uint32_t end = lists_entry_of(lists, first + n_groups), list = first;
    const uint32_t equal = lists->run == 0 ? lists_length(lists) : 0;

    for (uint32_t at = lists_entry_of(lists, first), part, left = 0; at < end;
         at += part) {
        part = end - at < PART_RANKS ? end - at : PART_RANKS;
        lists_expand_part(lists, ranks, offset, at, part, scratch);
        for (uint32_t i = 0, n; i < part; i += n, left -= n) {
            if (left == 0) {
                left = equal != 0 ? equal : lists_length_of(lists, list);
                list++;
                feed_number(feed, left);
            }
            n = left < part - i ? left : part - i;
            feed_ranks(feed, scratch + i, n);
        }
    }
}

void digest_add_list(struct digest_builder *builder, const char *name,
                     const struct lists *lists, const uint32_t *ranks,
                     uint32_t offset, uint8_t ret_short[DIGEST_SHORT_BYTES])
{
    const uint32_t n_groups = lists_count(lists);

    begin_list(builder, name, n_groups);
    feed_groups(&builder->item, lists, ranks, offset, 0, n_groups,
                builder->ranks);
    end_item(builder, ret_short);
}

void digest_add_explicit(struct digest_builder *builder, const char *name,
                         const struct rank_list *groups, uint32_t n_groups,
                         uint8_t ret_short[DIGEST_SHORT_BYTES])
{
    begin_list(builder, name, n_groups);
    for (uint32_t g = 0; g < n_groups; g++) {
        feed_number(&builder->item, groups[g].n);
        feed_ranks(&builder->item, groups[g].ranks, groups[g].n);
    }
    end_item(builder, ret_short);
}

void digest_groups(const char *name, const struct lists *lists,
                   const uint32_t *ranks, uint32_t offset, uint32_t first,
                   uint32_t n, uint8_t ret_short[DIGEST_SHORT_BYTES])
{
    uint8_t digest[DIGEST_BYTES];
    uint32_t scratch[PART_RANKS];
    struct feed feed;

    feed_list(&feed, name, n);
    feed_groups(&feed, lists, ranks, offset, first, n, scratch);
    feed_end(&feed, digest);
    memcpy(ret_short, digest, DIGEST_SHORT_BYTES);
}

static void feed_created(struct digest_builder *builder,
                         const struct created *created)
{
    const struct creation_source *source = created->source;
    uint32_t length = created_length(created), part;

    feed_text(&builder->item, source->name);
    feed_text(&builder->item, created->backend);
    feed_number(&builder->item, length);
    for (uint32_t at = 0; at < length; at += part) {
        part = length - at < PART_RANKS ? length - at : PART_RANKS;
        lists_expand_part(source->lists, source->ranks, source->offset,
                          created->list * length + at, part, builder->ranks);
        feed_ranks(&builder->item, builder->ranks, part);
    }
}

void digest_end(struct digest_builder *builder, const struct creation *sequence,
                uint8_t ret_short[DIGEST_SHORT_BYTES],
                uint8_t ret[DIGEST_BYTES])
{
    assert(builder->lists_left == 0);
    feed_begin(&builder->item, tag_sequence);
    feed_number(&builder->item, (uint32_t)sequence->count);
    for (size_t i = 0; i < sequence->count; i++) {
        struct created created = creation_at(sequence, i);

        feed_created(builder, &created);
    }
    end_item(builder, ret_short);
    feed_end(&builder->table, ret);
}

void digest_bytes(const void *bytes, size_t len, uint8_t ret[DIGEST_BYTES])
{
    struct sha256_ctx sha;

    sha256_init(&sha);
    sha256_update(&sha, len, bytes);
    sha256_digest(&sha, DIGEST_BYTES, ret);
}

bool digest_equal(const uint8_t a[DIGEST_BYTES], const uint8_t b[DIGEST_BYTES])
{
    return memeql_sec(a, b, DIGEST_BYTES) != 0;
}

void digest_hex(const void *bytes, size_t len, char ret[DIGEST_HEX])
{
    static const char digits[] = "0123456789abcdef";
    uint8_t digest[DIGEST_BYTES];

    digest_bytes(bytes, len, digest);
    for (size_t i = 0; i < sizeof(digest); i++) {
        ret[2 * i] = digits[digest[i] >> 4];
        ret[2 * i + 1] = digits[digest[i] & 15];
    }
    ret[2 * sizeof(digest)] = '\0';
}
