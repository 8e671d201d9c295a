/* SPDX-License-Identifier: Apache-2.0 */
/* Shares of what diffusion engines cut. */
#include "placement/split_work.h"

#include <inttypes.h>

static int refuse(const char **ret_code, const char *code)
{
    if (ret_code != NULL)
        *ret_code = code;
    return -1;
}

static uint64_t ceil_div(uint64_t a, uint64_t b)
{
    return a / b + (a % b != 0);
}

int split_in_turn(const struct split *split, const char *empty_code,
                  struct range *ret, const char **ret_code, struct error *err)
{
    struct range whole;
    uint64_t share;

    if (split_replicate(split, &whole, ret_code, err) < 0)
        return -1; /* there is no such part */
    share = ceil_div(split->total, split->parts);
    if (share == 0 || (split->total - 1) / share + 1 < split->parts) {
        error_set(err, STATUS_INVALID,
                  "%" PRIu64 " %s fill %" PRIu64 " parts of %" PRIu64
                  " and leave nothing for the last of %" PRIu32,
                  split->total, split->what,
                  share > 0 ? ceil_div(split->total, share) : 0, share,
                  split->parts);
        return refuse(ret_code, empty_code);
    }
    ret->begin = share * split->part;
    ret->end =
        split->part + 1 < split->parts ? ret->begin + share : split->total;
    return 0;
}

int split_sequence(const struct split *split, bool uneven, struct range *ret,
                   const char **ret_code, struct error *err)
{
    if (!uneven && split->parts > 0 && split->total % split->parts != 0) {
        error_set(err, STATUS_INVALID,
                  "%" PRIu64 " %s cannot be cut into %" PRIu32 " equal parts",
                  split->total, split->what, split->parts);
        return refuse(ret_code, "sequence-divide");
    }
    if (split->total < split->parts) {
        error_set(err, STATUS_INVALID,
                  "%" PRIu64 " %s are too few for %" PRIu32 " parts",
                  split->total, split->what, split->parts);
        return refuse(ret_code, "sequence-too-short");
    }
    return split_first_longer(split, ret, ret_code, err);
}

int split_listed(const struct split *split, const uint64_t *lengths, size_t n,
                 struct range *ret, const char **ret_code, struct error *err)
{
    struct range range = { 0 };
    uint64_t sum = 0;

    if (split_replicate(split, &range, ret_code, err) < 0)
        return -1;
    for (size_t i = 0; i < n; i++) {
        if (lengths[i] == 0) {
            error_set(err, STATUS_INVALID, "part %zu is given no %s", i,
                      split->what);
            return refuse(ret_code, "empty-stage");
        }
        if (i == split->part)
            range.begin = sum;
        if (__builtin_add_overflow(sum, lengths[i], &sum))
            sum = UINT64_MAX;
        if (i == split->part)
            range.end = sum;
    }
    if (n != split->parts || sum != split->total) {
        error_set(err, STATUS_INVALID,
                  "%zu lengths that add up to %" PRIu64 ", for %" PRIu32
                  " parts of %" PRIu64 " %s",
                  n, sum, split->parts, split->total, split->what);
        return refuse(ret_code, "pp-layers");
    }
    *ret = range;
    return 0;
}

/* ---- packed weights ------------------------------------------------------ */

/* The rows of one unit of the blocks; 0: they are no whole number. */
static uint64_t unit_of(const struct split *split, const uint64_t *blocks,
                        size_t n_blocks)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < n_blocks; i++)
        if (__builtin_add_overflow(sum, blocks[i], &sum))
            return 0;
    return sum > 0 && split->total % sum == 0 ? split->total / sum : 0;
}

int split_packed(const struct split *split, const uint64_t *blocks,
                 size_t n_blocks, struct range *ret, const char **ret_code,
                 struct error *err)
{
    struct range whole;
    uint64_t unit, begin = 0;

    if (split_replicate(split, &whole, ret_code, err) < 0)
        return -1;
    unit = n_blocks == 1 ? split->total : unit_of(split, blocks, n_blocks);
    if (unit == 0) {
        error_set(err, STATUS_INVALID,
                  "the blocks do not share %" PRIu64 " %s out in whole units",
                  split->total, split->what);
        return refuse(ret_code, "packed-sum");
    }
    for (size_t i = 0; i < n_blocks; i++) {
        uint64_t size = n_blocks == 1 ? unit : unit * blocks[i];

        if (size % split->parts == 0)
            continue;
        error_set(err, STATUS_INVALID,
                  "%" PRIu64 " %s cannot be cut into %" PRIu32 " equal parts",
                  size, split->what, split->parts);
        return refuse(ret_code, n_blocks == 1 ? "shard-dim" : "packed-block");
    }
    for (size_t i = 0; i < n_blocks; i++) {
        uint64_t size = n_blocks == 1 ? unit : unit * blocks[i];
        uint64_t share = size / split->parts;

        ret[i].begin = begin + share * split->part;
        ret[i].end = ret[i].begin + share;
        begin += size;
    }
    return 0;
}

/* ---- patches ------------------------------------------------------------- */

/* Rows of a patch, but of the last one. */
static uint64_t patch_rows(const struct patch_split *split)
{
    uint64_t step = (uint64_t)split->unit * split->ranks;

    return ceil_div(ceil_div(split->rows, split->patches), step) * step;
}

int split_patches(const struct patch_split *split, uint32_t *ret_patches,
                  const char **ret_code, struct error *err)
{
    uint64_t step = (uint64_t)split->unit * split->ranks, n;

    if (split->rows == 0 || split->rows > UINT32_MAX || split->patches == 0 ||
        step == 0) {
        error_set(err, STATUS_INVALID,
                  "an image has rows, patches and ranks: 1 of each at least, "
                  "and not more than %" PRIu32 " rows",
                  UINT32_MAX);
        return refuse(ret_code, NULL);
    }
    if (split->rows % split->ranks != 0) {
        error_set(err, STATUS_INVALID,
                  "%" PRIu64 " rows cannot be shared out over %" PRIu32
                  " ranks",
                  split->rows, split->ranks);
        return refuse(ret_code, "sequence-divide");
    }
    n = ceil_div(split->rows, patch_rows(split));
    if ((split->rows - (n - 1) * patch_rows(split)) % step != 0) {
        error_set(err, STATUS_INVALID,
                  "%" PRIu64 " rows in patches of %" PRIu64
                  " leave a last patch of no whole number of %" PRIu64 " rows",
                  split->rows, patch_rows(split), step);
        return refuse(ret_code, "pp-patch");
    }
    *ret_patches = (uint32_t)n;
    return 0;
}

struct range split_patch_rows(const struct patch_split *split, uint32_t patch,
                              uint32_t rank)
{
    uint64_t begin = patch * patch_rows(split);
    uint64_t rows = split->rows - begin;

    if (rows > patch_rows(split))
        rows = patch_rows(split);
    rows /= split->ranks;
    return (struct range){ begin + rank * rows, begin + (rank + 1) * rows };
}
