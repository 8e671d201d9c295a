/* SPDX-License-Identifier: Apache-2.0 */
/* Rank lists as runs: what is regular takes the same room at any length. */
#include "placement/runs.h"

#include <inttypes.h>

/* How many ranks from the front grow by one stride, at least 1. */
static size_t progression(const uint32_t *ranks, size_t n, int64_t *ret_stride)
{
    size_t count = 1;

    if (n < 2)
        return n;
    *ret_stride = (int64_t)ranks[1] - ranks[0];
    while (count < n && (int64_t)ranks[count] - ranks[count - 1] == *ret_stride)
        count++;
    return count;
}

/* How many copies of the first `length` ranks follow one another, at least 1.
 */
static size_t repeats(const uint32_t *ranks, size_t n, size_t length,
                      int64_t *ret_stride)
{
    size_t same = 0;

    if (n < 2 * length)
        return 1;
    *ret_stride = (int64_t)ranks[length] - ranks[0];
    while (same < n - length &&
           (int64_t)ranks[same + length] - ranks[same] == *ret_stride)
        same++;
    return 1 + same / length;
}

/* Fills dims, innermost first, with the longest run at the front of ranks.
 * Returns the ranks it covers. */
static size_t measure(const uint32_t *ranks, size_t n, struct run_dim *dims,
                      int *ret_dims)
{
    int64_t stride = 0;
    size_t length = progression(ranks, n, &stride), times;

    *ret_dims = 0;
    if (length == 1)
        return 1;
    dims[(*ret_dims)++] = (struct run_dim){ (uint32_t)length, stride };
    while (*ret_dims < RUN_DIMS_MAX) {
        times = repeats(ranks, n, length, &stride);
        if (times == 1)
            break;
        dims[(*ret_dims)++] = (struct run_dim){ (uint32_t)times, stride };
        length *= times;
    }
    /* any two ranks are a run: leave the second to a longer one */
    if (length == 2 && progression(ranks + 1, n - 1, &stride) > 2) {
        *ret_dims = 0;
        return 1;
    }
    return length;
}

static void count_runs(const uint32_t *ranks, size_t n, size_t *ret_runs,
                       size_t *ret_dims)
{
    struct run_dim dims[RUN_DIMS_MAX];
    int n_dims;

    *ret_runs = *ret_dims = 0;
    for (size_t at = 0; at < n; ++*ret_runs) {
        at += measure(ranks + at, n - at, dims, &n_dims);
        *ret_dims += (size_t)n_dims;
    }
}

int runs_encode(struct arena *arena, const uint32_t *ranks, size_t n,
                struct runs *ret, struct error *err)
{
    struct run_dim found[RUN_DIMS_MAX], *dims;
    struct run *runs;
    size_t n_runs, n_dims, r = 0;

    if (n > RUNS_RANKS_MAX)
        return error_set(err, STATUS_INVALID,
                         "a list of %zu ranks is too long: at most %d", n,
                         (int)RUNS_RANKS_MAX);
    count_runs(ranks, n, &n_runs, &n_dims);
    runs = arena_array(arena, n_runs, sizeof(*runs));
    dims = arena_array(arena, n_dims, sizeof(*dims));
    if (runs == NULL || dims == NULL)
        return error_exhausted(err);
    for (size_t at = 0; at < n; r++) {
        runs[r].start = ranks[at];
        runs[r].dims = dims;
        at += measure(ranks + at, n - at, found, &runs[r].n_dims);
        for (int d = runs[r].n_dims - 1; d >= 0; d--)
            *dims++ = found[d];
    }
    *ret = (struct runs){ runs, n_runs };
    return 0;
}

void runs_of_list(const struct lists *lists, uint32_t i, uint32_t offset,
                  struct run_dim *dims, struct run *ret)
{
    ret->start = lists_member(lists, i, 0) + offset;
    ret->n_dims = lists->n_inner;
    ret->dims = dims;
    for (int d = 0; d < lists->n_inner; d++)
        dims[d] =
            (struct run_dim){ lists->inner[d].size, lists->inner[d].stride };
}

/* Multiplies *ret_ranks by the run's length and widens lowest and highest. */
static int check_dim(const struct run_dim *dim, uint32_t *ret_ranks,
                     int64_t *ret_lowest, int64_t *ret_highest,
                     struct error *err)
{
    int64_t reach;

    if (dim->count < 1 || dim->count > RUNS_RANKS_MAX / *ret_ranks)
        return error_set(err, STATUS_INVALID,
                         "a run repeats %" PRIu32
                         " times: a count is at least 1, and a list holds at "
                         "most %d ranks",
                         dim->count, (int)RUNS_RANKS_MAX);
    if (dim->stride > UINT32_MAX || dim->stride < -(int64_t)UINT32_MAX)
        return error_set(err, STATUS_INVALID,
                         "a run has stride %" PRId64
                         ": strides lie between ranks, in 32 bits",
                         dim->stride);
    *ret_ranks *= dim->count;
    reach = dim->stride * (dim->count - 1); /* below 2^52: no overflow */
    *(reach < 0 ? ret_lowest : ret_highest) += reach;
    return 0;
}

static int check_run(const struct run *run, uint32_t *ret_ranks,
                     struct error *err)
{
    int64_t lowest = run->start, highest = run->start;
    uint32_t ranks = 1;

    if (run->n_dims < 0 || run->n_dims > RUN_DIMS_MAX)
        return error_set(err, STATUS_INVALID,
                         "a run has %d dimensions: at most %d", run->n_dims,
                         (int)RUN_DIMS_MAX);
    for (int d = 0; d < run->n_dims; d++)
        if (check_dim(&run->dims[d], &ranks, &lowest, &highest, err) < 0)
            return -1;
    if (lowest < 0 || highest > UINT32_MAX)
        return error_set(err, STATUS_INVALID,
                         "a run reaches from rank %" PRId64 " to %" PRId64
                         ": ranks lie in 0..%" PRIu32,
                         lowest, highest, UINT32_MAX);
    *ret_ranks = ranks;
    return 0;
}

int runs_check(const struct runs *runs, uint32_t *ret_ranks, struct error *err)
{
    uint32_t all = 0, ranks = 0;

    for (size_t r = 0; r < runs->count; r++) {
        if (check_run(&runs->items[r], &ranks, err) < 0)
            return -1;
        if (ranks > RUNS_RANKS_MAX - all)
            return error_set(err, STATUS_INVALID,
                             "a list of more than %d ranks is too long",
                             (int)RUNS_RANKS_MAX);
        all += ranks;
    }
    *ret_ranks = all;
    return 0;
}

/* Writes one run, innermost dim first, each next one as copies of what stands
 * there already. Returns the end. */
static uint32_t *expand_run(const struct run *run, uint32_t *ret)
{
    size_t n = 1;

    ret[0] = run->start;
    for (int d = run->n_dims - 1; d >= 0; d--) {
        size_t all = n * run->dims[d].count;
        uint32_t stride = (uint32_t)run->dims[d].stride; /* modulo 2^32 */

        for (size_t i = n; i < all; i++)
            ret[i] = ret[i - n] + stride;
        n = all;
    }
    return ret + n;
}

void runs_expand(const struct runs *runs, uint32_t *ret)
{
    for (size_t r = 0; r < runs->count; r++)
        ret = expand_run(&runs->items[r], ret);
}
