/* SPDX-License-Identifier: Apache-2.0 */
/* Shares of what diffusion engines cut: prompts, blocks of layers, tokens,
 * packed weights, and patches of an image that are worked on in turn. */
#ifndef SERRIED_PLACEMENT_SPLIT_WORK_H
#define SERRIED_PLACEMENT_SPLIT_WORK_H

#include <stdbool.h>

#include "placement/split.h"

/* Parts filled one after the other, each with ceil(total / parts) but the last,
 * which takes the rest. STATUS_INVALID with empty_code: there is no rest for
 * it. */
int split_in_turn(const struct split *split, const char *empty_code,
                  struct range *ret, const char **ret_code, struct error *err);

/* Tokens of a sequence: equal parts, or with uneven parts that differ by one at
 * most. `sequence-divide`; uneven: `sequence-too-short` when a part would be
 * empty. */
int split_sequence(const struct split *split, bool uneven, struct range *ret,
                   const char **ret_code, struct error *err);

/* Layers by a list of one length for each part. `pp-layers` when there are not
 * split->parts of them or they do not add up to the total, `empty-stage` when
 * one is 0. */
int split_listed(const struct split *split, const uint64_t *lengths, size_t n,
                 struct range *ret, const char **ret_code, struct error *err);

/* A packed weight is a row of blocks whose sizes are as blocks[], in units of
 * total / sum(blocks); every part holds an equal share of each block. ret takes
 * n_blocks ranges. n_blocks 1: a plain weight.
 * `shard-dim` (of one block), `packed-sum`, `packed-block`. */
int split_packed(const struct split *split, const uint64_t *blocks,
                 size_t n_blocks, struct range *ret, const char **ret_code,
                 struct error *err);

/* Rows of an image that are worked on patch by patch, each patch shared out
 * over the ranks of a sequence group. */
struct patch_split {
    uint64_t rows;    /* of the whole image */
    uint32_t unit;    /* rows that stay together */
    uint32_t ranks;   /* of the group */
    uint32_t patches; /* wanted */
};

/* How many patches there are: all have the same whole number of units for each
 * rank, but the last, which may have fewer. `sequence-divide` when ranks does
 * not divide the rows, `pp-patch` when the last patch has no whole number. */
int split_patches(const struct patch_split *split, uint32_t *ret_patches,
                  const char **ret_code, struct error *err);

/* The rows of one rank in one of the patches counted by split_patches(), which
 * must have succeeded. */
struct range split_patch_rows(const struct patch_split *split, uint32_t patch,
                              uint32_t rank);

#endif
