/* SPDX-License-Identifier: Apache-2.0 */
/* Writing the members of group lists out. */
#include "placement/lists.h"

#include <string.h>

enum {
    TILE_ENTRIES = 1024, /* 4 KiB: stays in the first-level cache */
};

/* How a list is written: rows of tiles. The tile holds the offsets of the
 * innermost dims, as many as fit, so that the loop over ranks adds one number
 * and the counters turn once a tile, however short the axes are. */
struct tiling {
    struct dim dims[2 * LISTS_DIMS_MAX]; /* of rows, outermost first */
    int n_dims;
    uint32_t row_entries;
    uint32_t tile_entries, tile_step; /* of each tile of a row but the last */
    uint32_t tile[TILE_ENTRIES];
};

static void repeat_tile(struct tiling *tiling, uint32_t times, uint32_t stride)
{
    uint32_t n = tiling->tile_entries;

    for (uint32_t i = n; i < times * n; i++)
        tiling->tile[i] = tiling->tile[i - n] + stride;
    tiling->tile_entries = times * n;
}

/* limit: entries of the tile at most, so that a short part costs little. */
static void tiling_init(struct tiling *tiling, const struct lists *lists,
                        uint32_t limit)
{
    struct dim *dims = tiling->dims;
    int n = lists->n_outer + lists->n_inner;

    memcpy(dims, lists->outer, sizeof(lists->outer));
    memcpy(dims + lists->n_outer, lists->inner, sizeof(lists->inner));
    tiling->tile[0] = 0;
    tiling->tile_entries = 1;
    while (n > 0 && dims[n - 1].size <= limit / tiling->tile_entries) {
        n--;
        repeat_tile(tiling, dims[n].size, dims[n].stride);
    }
    tiling->row_entries = tiling->tile_entries;
    tiling->tile_step = 0;
    if (n > 0) {
        uint32_t times = limit / tiling->tile_entries;

        n--;
        tiling->row_entries *= dims[n].size;
        tiling->tile_step = times * dims[n].stride;
        repeat_tile(tiling, times, dims[n].stride);
    }
    tiling->n_dims = n;
}

/* Sets digits to the row's number and returns where the row starts. */
static uint32_t row_start(const struct tiling *tiling, uint32_t row,
                          uint32_t *digits)
{
    uint32_t start = 0;

    for (int d = tiling->n_dims - 1; d >= 0; d--) {
        digits[d] = row % tiling->dims[d].size;
        row /= tiling->dims[d].size;
        start += digits[d] * tiling->dims[d].stride;
    }
    return start;
}

static uint32_t next_row(const struct tiling *tiling, uint32_t start,
                         uint32_t *digits)
{
    for (int d = tiling->n_dims - 1; d >= 0; d--) {
        start += tiling->dims[d].stride;
        if (++digits[d] < tiling->dims[d].size)
            break;
        start -= tiling->dims[d].size * tiling->dims[d].stride;
        digits[d] = 0;
    }
    return start;
}

/* Eight at a time, so that -O2 of either compiler uses vectors. */
static void add_to_all(uint32_t *restrict ret, const uint32_t *restrict tile,
                       uint32_t n, uint32_t base)
{
    for (; n >= 8; n -= 8, ret += 8, tile += 8)
        for (int i = 0; i < 8; i++)
            ret[i] = tile[i] + base;
    for (uint32_t i = 0; i < n; i++)
        ret[i] = tile[i] + base;
}

static void look_up_all(uint32_t *restrict ret, const uint32_t *restrict tile,
                        uint32_t n, const uint32_t *ranks, uint32_t offset)
{
    for (uint32_t i = 0; i < n; i++)
        ret[i] = ranks[tile[i]] + offset;
}

static void expand_whole(const struct lists *lists, const uint32_t *ranks,
                         uint32_t offset, uint32_t begin, uint32_t count,
                         uint32_t *ret)
{
    struct tiling tiling;
    uint32_t digits[2 * LISTS_DIMS_MAX], row, within;

    if (count == 0)
        return;
    tiling_init(&tiling, lists, least(count, TILE_ENTRIES));
    row = row_start(&tiling, begin / tiling.row_entries, digits);
    within = begin % tiling.row_entries;
    while (count > 0) {
        uint32_t skip = within % tiling.tile_entries;
        uint32_t base = row + within / tiling.tile_entries * tiling.tile_step;
        uint32_t n = least(tiling.tile_entries - skip,
                           least(tiling.row_entries - within, count));

        if (ranks == NULL)
            add_to_all(ret, tiling.tile + skip, n, base + offset);
        else
            look_up_all(ret, tiling.tile + skip, n, ranks + base, offset);
        ret += n;
        count -= n;
        within += n;
        if (within == tiling.row_entries) {
            within = 0;
            row = next_row(&tiling, row, digits);
        }
    }
}

void lists_expand_part(const struct lists *lists, const uint32_t *ranks,
                       uint32_t offset, uint32_t begin, uint32_t count,
                       uint32_t *ret)
{
    uint32_t list, member, length;

    if (count == 0)
        return;
    if (lists->run == 0 && lists->take == 0) {
        expand_whole(lists, ranks, offset, begin, count, ret);
        return;
    }
    list = lists_at_entry(lists, begin, &member);
    length = lists_length_of(lists, list);
    for (; count > 0; count--) {
        uint32_t position = lists_member(lists, list, member);

        *ret++ = (ranks != NULL ? ranks[position] : position) + offset;
        if (++member < length || count == 1)
            continue;
        member = 0;
        length = lists_length_of(lists, ++list);
    }
}

void lists_expand(const struct lists *lists, const uint32_t *ranks,
                  uint32_t offset, uint32_t *ret)
{
    lists_expand_part(lists, ranks, offset, 0, lists_entries(lists), ret);
}

void lists_expand_one(const struct lists *lists, uint32_t i,
                      const uint32_t *ranks, uint32_t offset, uint32_t *ret)
{
    uint32_t n = lists_length_of(lists, i);

    if (lists->run == 0 && lists->take == 0) {
        expand_whole(lists, ranks, offset, i * n, n, ret);
        return;
    }
    for (uint32_t j = 0; j < n; j++) {
        uint32_t position = lists_member(lists, i, j);

        ret[j] = (ranks != NULL ? ranks[position] : position) + offset;
    }
}
