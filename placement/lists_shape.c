/* SPDX-License-Identifier: Apache-2.0 */
/* Group lists made of group lists: cut, interleaved, joined, picked. */
#include "placement/lists.h"

#include <inttypes.h>
#include <string.h>

/* Dims while they are taken apart: each split makes one more. */
struct pieces {
    struct dim outer[2 * LISTS_DIMS_MAX + 2], inner[2 * LISTS_DIMS_MAX + 2];
    int n_outer, n_inner;
};

static void add(struct dim *to, int *n, const struct dim *from, int count)
{
    if (count > 0)
        memcpy(to + *n, from, (size_t)count * sizeof(*from));
    *n += count;
}

/* Sorts the outer dims, and the inner ones unless they keep their order. */
static int finish(struct pieces *pieces, bool in_order, struct lists *ret,
                  struct error *err)
{
    struct lists lists = { 0 };
    int n_outer = dims_canonical(pieces->outer, pieces->n_outer);
    int n_inner = in_order ? dims_merge(pieces->inner, pieces->n_inner)
                           : dims_canonical(pieces->inner, pieces->n_inner);

    /* one outer dim is left for the instances of a node group */
    if (n_outer > LISTS_DIMS_MAX - 1 || n_inner > LISTS_DIMS_MAX)
        return error_set(err, STATUS_INVALID,
                         "the lists have more than %d dimensions",
                         (int)LISTS_DIMS_MAX - 1);
    add(lists.outer, &lists.n_outer, pieces->outer, n_outer);
    add(lists.inner, &lists.n_inner, pieces->inner, n_inner);
    *ret = lists;
    return 0;
}

static int check_whole(const struct lists *lists, struct error *err)
{
    if (lists->run != 0 || lists->take != 0)
        return error_set(err, STATUS_INVALID,
                         "nothing is made of lists that are runs or taken "
                         "members themselves");
    return 0;
}

static int check_divides(const struct lists *lists, uint32_t n,
                         struct error *err)
{
    uint32_t length = lists_length(lists);

    if (n == 0 || length % n != 0)
        return error_set(err, STATUS_INVALID,
                         "groups of %" PRIu32 " ranks cannot be cut into "
                         "%" PRIu32 " equal parts: the number of parts must "
                         "divide the length",
                         length, n);
    return 0;
}

/* Splits dims so that the last ones have the product `inside`. Writes one dim
 * more where one is split. Returns where these begin, or -1: `inside` ends in
 * the middle of a dim. */
static int split(const struct dim *dims, int n, uint32_t inside,
                 struct dim *ret, int *ret_n)
{
    int d = n;
    uint32_t rest = inside;

    for (; rest > 1 && d > 0 && rest % dims[d - 1].size == 0; d--)
        rest /= dims[d - 1].size;
    *ret_n = 0;
    if (rest == 1) {
        add(ret, ret_n, dims, n);
        return d;
    }
    if (d == 0 || dims[d - 1].size % rest != 0)
        return -1;
    add(ret, ret_n, dims, d);
    ret[d - 1].size /= rest;
    ret[d - 1].stride *= rest;
    ret[(*ret_n)++] = (struct dim){ rest, dims[d - 1].stride };
    add(ret, ret_n, dims + d, n - d);
    return d;
}

static int bad_split(const struct lists *lists, uint32_t inside,
                     struct error *err)
{
    return error_set(err, STATUS_INVALID,
                     "parts of %" PRIu32 " ranks of groups of %" PRIu32
                     " would end inside an axis that has gaps",
                     inside, lists_length(lists));
}

int lists_runs(const struct lists *lists, uint32_t length, struct lists *ret,
               struct error *err)
{
    uint32_t whole = lists_length(lists);
    struct lists runs = *lists;

    if (check_whole(lists, err) < 0)
        return -1;
    if (length == 0)
        return error_set(err, STATUS_INVALID,
                         "runs of 0 ranks: a run has at least 1");
    if (length < whole && whole % length == 0)
        return lists_cut(lists, whole / length, ret, err);
    runs.run = length < whole ? length : 0;
    *ret = runs;
    return 0;
}

int lists_cut(const struct lists *lists, uint32_t parts, struct lists *ret,
              struct error *err)
{
    struct dim dims[LISTS_DIMS_MAX + 1];
    struct pieces cut = { 0 };
    uint32_t inside;
    int at, n;

    if (check_whole(lists, err) < 0 || check_divides(lists, parts, err) < 0)
        return -1;
    inside = lists_length(lists) / parts;
    at = split(lists->inner, lists->n_inner, inside, dims, &n);
    if (at < 0) { /* each part is a list all the same, by counting members */
        *ret = *lists;
        ret->run = inside;
        return 0;
    }
    add(cut.outer, &cut.n_outer, lists->outer, lists->n_outer);
    add(cut.outer, &cut.n_outer, dims, at);
    add(cut.inner, &cut.n_inner, dims + at, n - at);
    return finish(&cut, true, ret, err);
}

int lists_stride(const struct lists *lists, uint32_t n_parts, struct lists *ret,
                 struct error *err)
{
    struct dim dims[LISTS_DIMS_MAX + 1];
    struct pieces parts = { 0 };
    int at, n;

    if (check_whole(lists, err) < 0 || check_divides(lists, n_parts, err) < 0)
        return -1;
    at = split(lists->inner, lists->n_inner, n_parts, dims, &n);
    if (at < 0)
        return bad_split(lists, n_parts, err);
    add(parts.outer, &parts.n_outer, lists->outer, lists->n_outer);
    add(parts.outer, &parts.n_outer, dims + at, n - at);
    add(parts.inner, &parts.n_inner, dims, at);
    return finish(&parts, true, ret, err);
}

int lists_take(const struct lists *lists, uint32_t take, struct lists *ret,
               struct error *err)
{
    if (check_whole(lists, err) < 0)
        return -1;
    *ret = *lists;
    ret->take = take;
    return 0;
}

int lists_join(const struct lists *lists, uint32_t n_lists, bool in_order,
               struct lists *ret, struct error *err)
{
    struct dim dims[LISTS_DIMS_MAX + 1];
    struct pieces joined = { 0 };
    uint32_t count = lists_count(lists);
    int at, n;

    if (check_whole(lists, err) < 0)
        return -1;
    at = n_lists > 0 && count % n_lists == 0
             ? split(lists->outer, lists->n_outer, n_lists, dims, &n)
             : -1;
    if (at < 0)
        return error_set(err, STATUS_INVALID,
                         "%" PRIu32 " lists cannot be joined by %" PRIu32
                         ": the number must divide theirs and end with an axis",
                         count, n_lists);
    add(joined.outer, &joined.n_outer, dims, at);
    add(joined.inner, &joined.n_inner, dims + at, n - at);
    add(joined.inner, &joined.n_inner, lists->inner, lists->n_inner);
    return finish(&joined, in_order, ret, err);
}

int lists_level(const struct lists *lists, uint32_t step, uint32_t size,
                struct lists *ret, struct error *err)
{
    struct dim coarse[LISTS_DIMS_MAX + 1], fine[LISTS_DIMS_MAX + 2];
    struct pieces parts = { 0 };
    int high, low, n;

    if (check_whole(lists, err) < 0)
        return -1;
    if (step == 0 || size == 0 || lists_length(lists) % step != 0 ||
        lists_length(lists) / step % size != 0)
        return error_set(err, STATUS_INVALID,
                         "groups of %" PRIu32 " ranks have no level of "
                         "%" PRIu32 " in steps of %" PRIu32
                         ": their product must divide the length",
                         lists_length(lists), size, step);
    high = split(lists->inner, lists->n_inner, step * size, coarse, &n);
    if (high < 0)
        return bad_split(lists, step * size, err);
    low = split(coarse + high, n - high, step, fine, &n);
    if (low < 0)
        return bad_split(lists, step, err);
    add(parts.outer, &parts.n_outer, lists->outer, lists->n_outer);
    add(parts.outer, &parts.n_outer, coarse, high);
    add(parts.outer, &parts.n_outer, fine + low, n - low);
    add(parts.inner, &parts.n_inner, fine, low);
    return finish(&parts, true, ret, err);
}
