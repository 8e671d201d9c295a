/* SPDX-License-Identifier: Apache-2.0 */
/* Which part of a quantity each rank holds: rows, tokens, heads, experts. */
#include "placement/split.h"

#include <inttypes.h>
#include <string.h>

#include "base/text.h"

static int refuse(const char **ret_code, const char *code)
{
    if (ret_code != NULL)
        *ret_code = code;
    return -1;
}

static int check_part(const struct split *split, const char **ret_code,
                      struct error *err)
{
    if (split->part < split->parts)
        return 0;
    error_set(err, STATUS_INVALID,
              "%s are split into %" PRIu32 " parts, and there is no part "
              "%" PRIu32 ": parts count from 0",
              split->what, split->parts, split->part);
    return refuse(ret_code, NULL);
}

/* split_even() with the code of what is split. */
static int split_evenly(const struct split *split, const char *code,
                        struct range *ret, const char **ret_code,
                        struct error *err)
{
    uint64_t share;

    if (check_part(split, ret_code, err) < 0)
        return -1;
    if (split->total % split->parts != 0) {
        error_set(err, STATUS_INVALID,
                  "%" PRIu64 " %s cannot be split evenly over %" PRIu32
                  " ranks: the number of ranks must divide them",
                  split->total, split->what, split->parts);
        return refuse(ret_code, code);
    }
    share = split->total / split->parts;
    ret->begin = share * split->part;
    ret->end = ret->begin + share;
    return 0;
}

int split_even(const struct split *split, struct range *ret,
               const char **ret_code, struct error *err)
{
    return split_evenly(split, "split.indivisible", ret, ret_code, err);
}

int split_first_longer(const struct split *split, struct range *ret,
                       const char **ret_code, struct error *err)
{
    uint64_t share, longer;

    if (check_part(split, ret_code, err) < 0)
        return -1;
    share = split->total / split->parts;
    longer = split->total % split->parts;
    ret->begin =
        share * split->part + (split->part < longer ? split->part : longer);
    ret->end = ret->begin + share + (split->part < longer);
    return 0;
}

/* Where part `part` begins; part == parts: the end of the last. */
static uint64_t inner_longer_begin(const struct split *split, uint64_t part)
{
    uint64_t share = split->total / split->parts;
    uint64_t left = split->total % split->parts;
    uint64_t inner = split->parts > 2 ? split->parts - 2 : 0;
    uint64_t passed = part > 0 ? part - 1 : 0; /* inner parts before it */

    if (passed > inner)
        passed = inner;
    return share * part + (passed < left ? passed : left) +
           (part > 0 && left > inner);
}

int split_inner_longer(const struct split *split, struct range *ret,
                       const char **ret_code, struct error *err)
{
    if (check_part(split, ret_code, err) < 0)
        return -1;
    ret->begin = inner_longer_begin(split, split->part);
    ret->end = inner_longer_begin(split, (uint64_t)split->part + 1);
    return 0;
}

int split_unstated(const struct split *split, struct range *ret,
                   const char **ret_code, struct error *err)
{
    (void)ret;
    if (check_part(split, ret_code, err) < 0)
        return -1;
    error_set(err, STATUS_INVALID,
              "how %s are split is not declared; the framework decides it",
              split->what);
    return refuse(ret_code, NULL);
}

int split_replicate(const struct split *split, struct range *ret,
                    const char **ret_code, struct error *err)
{
    if (check_part(split, ret_code, err) < 0)
        return -1;
    *ret = (struct range){ 0, split->total };
    return 0;
}

int split_query_heads(const struct split *split, struct range *ret,
                      const char **ret_code, struct error *err)
{
    return split_evenly(split, "heads.indivisible", ret, ret_code, err);
}

int split_kv_heads(const struct split *split, struct range *ret,
                   const char **ret_code, struct error *err)
{
    uint64_t total = split->total;

    if (check_part(split, ret_code, err) < 0)
        return -1;
    if (total > 0 && split->parts >= total && split->parts % total == 0) {
        ret->begin = split->part / (split->parts / total);
        ret->end = ret->begin + 1;
        return 0;
    }
    if (total > 0 && total % split->parts == 0)
        return split_evenly(split, "heads.indivisible", ret, ret_code, err);
    error_set(err, STATUS_INVALID,
              "%" PRIu64 " %s can be neither divided over %" PRIu32
              " ranks nor repeated on them: one number must divide the other",
              total, split->what, split->parts);
    return refuse(ret_code, "heads.indivisible");
}

int split_vocab(const struct split *split, struct range *ret,
                const char **ret_code, struct error *err)
{
    return split_evenly(split, "vocab.indivisible", ret, ret_code, err);
}

static const struct split_rule rules[] = {
    { "even", split_even },
    { "first_longer", split_first_longer },
    { "inner_longer", split_inner_longer },
    { "unstated", split_unstated },
    { "replicate", split_replicate },
    { "query_heads", split_query_heads },
    { "kv_heads", split_kv_heads },
    { "vocab", split_vocab },
};

const struct split_rule *split_rules(size_t *ret_count)
{
    *ret_count = ARRAY_LEN(rules);
    return rules;
}

const struct split_rule *split_rule_find(const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(rules); i++)
        if (strcmp(rules[i].name, name) == 0)
            return &rules[i];
    return NULL;
}

/* ---- experts ------------------------------------------------------------ */

static int check_blocks(const struct expert_split *split, const char **ret_code,
                        struct error *err)
{
    if (split->rank >= split->world) {
        error_set(err, STATUS_INVALID,
                  "rank %" PRIu32 " is not one of the %" PRIu32
                  " ranks that share the experts: ranks count from 0",
                  split->rank, split->world);
        return refuse(ret_code, "experts.rank_out_of_range");
    }
    if (split->blocks == 0 || split->world % split->blocks != 0) {
        error_set(err, STATUS_INVALID,
                  "%" PRIu32 " ranks cannot form %" PRIu32
                  " equal blocks of experts: the number of blocks must divide "
                  "them",
                  split->world, split->blocks);
        return refuse(ret_code, "experts.ep_does_not_divide_world");
    }
    return 0;
}

int split_experts(const struct expert_split *split, struct expert_shard *ret,
                  const char **ret_code, struct error *err)
{
    struct expert_shard shard = { 0 };
    struct split part;

    if (check_blocks(split, ret_code, err) < 0)
        return -1;
    shard.block_size = split->world / split->blocks;
    shard.block = split->rank / shard.block_size;
    shard.block_rank = split->rank % shard.block_size;
    part =
        (struct split){ "experts", split->experts, split->blocks, shard.block };
    if (split_evenly(&part, "experts.indivisible", &shard.experts, ret_code,
                     err) < 0)
        return -1;
    part = (struct split){ "columns of each expert", split->intermediate,
                           shard.block_size, shard.block_rank };
    if (split_evenly(&part, "experts.intermediate_indivisible",
                     &shard.intermediate, ret_code, err) < 0)
        return -1;
    *ret = shard;
    return 0;
}
