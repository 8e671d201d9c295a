/* SPDX-License-Identifier: Apache-2.0 */
/* Which part of a quantity each rank holds: rows, tokens, heads, experts. */
#ifndef SERRIED_PLACEMENT_SPLIT_H
#define SERRIED_PLACEMENT_SPLIT_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* begin <= i < end */
struct range {
    uint64_t begin, end;
};

/* Every split below divides `total` things (of a quantity that messages call
 * `what`, as "query heads") among `parts` ranks and gives the share of rank
 * `part`. On failure: STATUS_INVALID, *ret_code is the stable code when there
 * is one, else NULL; ret_code itself may be NULL. */
struct split {
    const char *what;
    uint64_t total;
    uint32_t parts, part;
};

/* A rule of splitting. Its name stands in shard templates. */
struct split_rule {
    const char *name;
    int (*apply)(const struct split *split, struct range *ret,
                 const char **ret_code, struct error *err);
};

/* Equal parts, in order; `split.indivisible` when parts does not divide. */
int split_even(const struct split *split, struct range *ret,
               const char **ret_code, struct error *err);

/* Parts in order whose lengths differ by one at most: the first total % parts
 * of them are the longer ones. Parts may be empty. */
int split_first_longer(const struct split *split, struct range *ret,
                       const char **ret_code, struct error *err);

/* Parts in order, each of the floor of the mean; what is left over goes to the
 * inner parts, one each from the first on, and then to the first part of all.
 * Parts may be empty. */
int split_inner_longer(const struct split *split, struct range *ret,
                       const char **ret_code, struct error *err);

/* Parts whose sizes are the framework's own affair: always STATUS_INVALID. */
int split_unstated(const struct split *split, struct range *ret,
                   const char **ret_code, struct error *err);

/* Everybody holds everything. */
int split_replicate(const struct split *split, struct range *ret,
                    const char **ret_code, struct error *err);

/* Query heads: even; `heads.indivisible`. */
int split_query_heads(const struct split *split, struct range *ret,
                      const char **ret_code, struct error *err);

/* Key-value heads: even where parts divides total; where there are more parts
 * than heads and total divides parts, each head is held by parts / total
 * neighbours; else `heads.indivisible`. */
int split_kv_heads(const struct split *split, struct range *ret,
                   const char **ret_code, struct error *err);

/* Rows of the vocabulary: even, never padded; `vocab.indivisible`. */
int split_vocab(const struct split *split, struct range *ret,
                const char **ret_code, struct error *err);

/* The rule with this name ("even", "first_longer", "inner_longer", "unstated",
 * "replicate", "query_heads", "kv_heads", "vocab"), or NULL; and all of them,
 * in a constant table. */
const struct split_rule *split_rule_find(const char *name);
const struct split_rule *split_rules(size_t *ret_count);

/* Experts over ranks that also split each expert: a group of `world` ranks is
 * `blocks` blocks of equal size, in order; a block holds a share of the
 * experts, each of its ranks a share of every expert's intermediate size. */
struct expert_split {
    uint64_t experts, intermediate;
    uint32_t world, rank, blocks;
};

struct expert_shard {
    uint32_t block;                  /* which one the rank is in */
    uint32_t block_size, block_rank; /* inside it */
    struct range experts, intermediate;
};

/* The share of one rank. STATUS_INVALID, with one of the codes
 * `experts.rank_out_of_range`, `experts.ep_does_not_divide_world`,
 * `experts.indivisible`, `experts.intermediate_indivisible`. */
int split_experts(const struct expert_split *split, struct expert_shard *ret,
                  const char **ret_code, struct error *err);

#endif
