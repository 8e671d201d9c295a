/* SPDX-License-Identifier: Apache-2.0 */
/* Cases of arithmetic: rows, tokens, experts. */
#include "tests/cases/runner.h"

#include "placement/split.h"

/* Calls the rule for every part; false: refused, written to got. */
static bool split_all(struct run *run, const char *what, const char *parts,
                      const char *rule,
                      void (*put)(struct run *run, struct tree *list,
                                  const struct range *range),
                      const char *key)
{
    struct split split = {
        .what = what,
        .total = (uint64_t)child_int(run->input, what),
        .parts = (uint32_t)child_int(run->input, parts),
    };
    struct tree *list = make_list(&run->maker, run->got, key);

    for (; split.part < split.parts; split.part++) {
        struct range range;
        const char *code;

        if (split_rule_find(rule)->apply(&split, &range, &code, NULL) < 0) {
            refused(run, code);
            return false;
        }
        put(run, list, &range);
    }
    return true;
}

static void put_range(struct run *run, struct tree *list,
                      const struct range *range)
{
    struct tree *pair = make_list(&run->maker, list, NULL);

    make_int(&run->maker, pair, NULL, (int64_t)range->begin);
    make_int(&run->maker, pair, NULL, (int64_t)range->end);
}

static void put_size(struct run *run, struct tree *list,
                     const struct range *range)
{
    make_int(&run->maker, list, NULL, (int64_t)(range->end - range->begin));
}

void op_rows(struct run *run)
{
    split_all(run, "branches", "cfg_size", "even", put_range, "rows");
}

void op_token_split(struct run *run)
{
    split_all(run, "tokens", "sp_size", "first_longer", put_size, "sizes");
}

void op_experts(struct run *run)
{
    struct expert_split split = {
        .experts = (uint64_t)child_int(run->input, "experts"),
        .intermediate = (uint64_t)child_int(run->input, "inter"),
        .world = (uint32_t)child_int(run->input, "world"),
        .rank = (uint32_t)child_int(run->input, "rank"),
        .blocks = (uint32_t)child_int(run->input, "ep"),
    };
    struct expert_shard shard;
    const char *code;

    if (split_experts(&split, &shard, &code, NULL) < 0) {
        refused(run, code);
        return;
    }
    make_string(&run->maker, run->got, "verdict", "accept");
    make_int(&run->maker, run->got, "tp", shard.block_size);
    make_int(&run->maker, run->got, "local_experts",
             (int64_t)(shard.experts.end - shard.experts.begin));
    make_int(&run->maker, run->got, "inter_local",
             (int64_t)(shard.intermediate.end - shard.intermediate.begin));
    make_int(&run->maker, run->got, "expert_offset",
             (int64_t)shard.experts.begin);
    make_int(&run->maker, run->got, "inter_offset",
             (int64_t)shard.intermediate.begin);
}
