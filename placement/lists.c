/* SPDX-License-Identifier: Apache-2.0 */
/* Group lists over the axes of a view, described by strides. */
#include "placement/view.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

enum {
    LISTS_DIMS_MAX = VIEW_AXES_MAX + 1,
    TILE_ENTRIES = 1024, /* 4 KiB: stays in the first-level cache */
};

/* Sorts by falling stride, drops dims of size 1 and merges neighbours. Returns
 * how many are left. */
static int make_canonical(struct dim *dims, int n)
{
    int kept = 0;

    for (int i = 1; i < n; i++)
        for (int k = i; k > 0 && dims[k].stride > dims[k - 1].stride; k--) {
            struct dim moved = dims[k];

            dims[k] = dims[k - 1];
            dims[k - 1] = moved;
        }
    for (int i = 0; i < n; i++) {
        struct dim *last = &dims[kept - 1];

        if (dims[i].size == 1)
            continue;
        if (kept > 0 && last->stride == dims[i].size * dims[i].stride) {
            last->size *= dims[i].size;
            last->stride = dims[i].stride;
            continue;
        }
        dims[kept++] = dims[i];
    }
    return kept;
}

void lists_over(const struct view *view, uint32_t axes, struct lists *ret)
{
    struct lists lists = { 0 };

    for (int a = 0; a < view->n_axes; a++) {
        struct dim dim = { view->axes[a].size, view->axes[a].stride };

        if (axes >> a & 1)
            lists.inner[lists.n_inner++] = dim;
        else
            lists.outer[lists.n_outer++] = dim;
    }
    lists.n_inner = make_canonical(lists.inner, lists.n_inner);
    lists.n_outer = make_canonical(lists.outer, lists.n_outer);
    *ret = lists;
}

static uint32_t dims_product(const struct dim *dims, int n)
{
    uint32_t product = 1;

    for (int d = 0; d < n; d++)
        product *= dims[d].size;
    return product;
}

uint32_t lists_count(const struct lists *lists)
{
    return dims_product(lists->outer, lists->n_outer);
}

uint32_t lists_length(const struct lists *lists)
{
    return dims_product(lists->inner, lists->n_inner);
}

/* The position that the row-major number `index` over dims stands for. */
static uint32_t dims_position(const struct dim *dims, int n, uint32_t index)
{
    uint32_t position = 0;

    for (int d = n - 1; d >= 0; d--) {
        position += index % dims[d].size * dims[d].stride;
        index /= dims[d].size;
    }
    return position;
}

/* The row-major number over dims of a position: the inverse. */
static uint32_t dims_index(const struct dim *dims, int n, uint32_t position)
{
    uint32_t index = 0;

    for (int d = 0; d < n; d++)
        index = index * dims[d].size + position / dims[d].stride % dims[d].size;
    return index;
}

uint32_t lists_member(const struct lists *lists, uint32_t i, uint32_t j)
{
    return dims_position(lists->outer, lists->n_outer, i) +
           dims_position(lists->inner, lists->n_inner, j);
}

uint32_t lists_find(const struct lists *lists, uint32_t position,
                    uint32_t *ret_member)
{
    *ret_member = dims_index(lists->inner, lists->n_inner, position);
    return dims_index(lists->outer, lists->n_outer, position);
}

int lists_cut(const struct lists *lists, uint32_t parts, struct lists *ret,
              struct error *err)
{
    uint32_t length = lists_length(lists), rest;
    struct dim outer[2 * LISTS_DIMS_MAX];
    struct lists cut = { 0 };
    int d = lists->n_inner, n = lists->n_outer;

    if (parts == 0 || length % parts != 0)
        return error_set(err, STATUS_INVALID,
                         "groups of %" PRIu32 " ranks cannot be cut into "
                         "%" PRIu32 " equal parts: the number of parts must "
                         "divide the length",
                         length, parts);
    /* whole dims from the inside stay in a part, then a share of the next */
    for (rest = length / parts; rest > 1; rest /= lists->inner[--d].size)
        if (rest % lists->inner[d - 1].size != 0)
            break;
    if (rest > 1 && lists->inner[d - 1].size % rest != 0)
        return error_set(err, STATUS_INVALID,
                         "groups of %" PRIu32 " ranks cut into %" PRIu32
                         " parts: a part of %" PRIu32 " would end inside an "
                         "axis of %" PRIu32 ", which it must divide",
                         length, parts, length / parts,
                         lists->inner[d - 1].size);
    memcpy(outer, lists->outer, sizeof(lists->outer));
    for (int i = 0; i < d; i++)
        outer[n++] = lists->inner[i];
    if (rest > 1) {
        outer[n - 1].size /= rest;
        outer[n - 1].stride *= rest;
        cut.inner[cut.n_inner++] =
            (struct dim){ rest, lists->inner[d - 1].stride };
    }
    for (int i = d; i < lists->n_inner; i++)
        cut.inner[cut.n_inner++] = lists->inner[i];
    cut.n_inner = make_canonical(cut.inner, cut.n_inner);
    cut.n_outer = make_canonical(outer, n);
    assert(cut.n_outer <= LISTS_DIMS_MAX); /* one axis at most is cut apart */
    memcpy(cut.outer, outer, sizeof(cut.outer));
    *ret = cut;
    return 0;
}

int lists_check(const struct lists *lists, uint32_t *ret_span,
                struct error *err)
{
    struct dim dims[2 * LISTS_DIMS_MAX];
    int n = 0;

    if (lists->n_outer < 0 || lists->n_outer > LISTS_DIMS_MAX ||
        lists->n_inner < 0 || lists->n_inner > LISTS_DIMS_MAX)
        return error_set(err, STATUS_INVALID,
                         "a group list has too many dimensions: at most %d",
                         (int)LISTS_DIMS_MAX);
    for (int d = 0; d < lists->n_outer; d++)
        dims[n++] = lists->outer[d];
    for (int d = 0; d < lists->n_inner; d++)
        dims[n++] = lists->inner[d];
    for (int d = 0; d < n; d++)
        if (dims[d].size < 2 || dims[d].size > VIEW_SPAN_MAX ||
            dims[d].stride < 1 || dims[d].stride > VIEW_SPAN_MAX / dims[d].size)
            return error_set(err, STATUS_INVALID,
                             "a group list has a dimension of %" PRIu32
                             " by stride %" PRIu32
                             ": sizes are at least 2, strides at least 1, and "
                             "a list spans at most %d ranks",
                             dims[d].size, dims[d].stride, (int)VIEW_SPAN_MAX);
    /* a factorization of a span merges into one dim, or none */
    n = make_canonical(dims, n);
    if (n > 1 || (n == 1 && dims[0].stride != 1))
        return error_set(err, STATUS_INVALID,
                         "the dimensions of a group list leave gaps or "
                         "overlap: together they number each rank once");
    *ret_span = n == 0 ? 1 : dims[0].size;
    return 0;
}

static bool dims_equal(const struct dim *a, int na, const struct dim *b, int nb)
{
    return na == nb && memcmp(a, b, (size_t)na * sizeof(*a)) == 0;
}

bool lists_equal(const struct lists *a, const struct lists *b)
{
    return dims_equal(a->outer, a->n_outer, b->outer, b->n_outer) &&
           dims_equal(a->inner, a->n_inner, b->inner, b->n_inner);
}

/* ---- expansion ---------------------------------------------------------- */

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

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

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

void lists_expand_part(const struct lists *lists, const uint32_t *ranks,
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

void lists_expand(const struct lists *lists, const uint32_t *ranks,
                  uint32_t offset, uint32_t *ret)
{
    lists_expand_part(lists, ranks, offset, 0,
                      lists_count(lists) * lists_length(lists), ret);
}
