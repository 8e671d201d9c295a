/* SPDX-License-Identifier: Apache-2.0 */
/* Shares of rows, tokens, heads, vocabulary and experts. */
#include <string.h>

#include "base/text.h"
#include "placement/split.h"
#include "tests/tap.h"

/* What rank 1 of so many gets; code: how it is refused. */
static const struct {
    const char *rule;
    uint64_t total;
    uint32_t parts, part;
    struct range want;
    const char *code;
} shares[] = {
    { "even", 4, 2, 1, { 2, 4 }, NULL },
    { "even", 6, 3, 2, { 4, 6 }, NULL },
    { "even", 2, 1, 0, { 0, 2 }, NULL },
    { "even", 0, 3, 2, { 0, 0 }, NULL },
    { "even", 5, 2, 0, { 0, 0 }, "split.indivisible" },
    { "even", UINT64_MAX, 5, 4, { UINT64_MAX / 5 * 4, UINT64_MAX }, NULL },
    { "first_longer", 10, 4, 1, { 3, 6 }, NULL },
    { "first_longer", 10, 4, 2, { 6, 8 }, NULL },
    { "first_longer", 10, 4, 3, { 8, 10 }, NULL },
    { "first_longer", 7, 2, 0, { 0, 4 }, NULL },
    { "first_longer", 2, 4, 3, { 2, 2 }, NULL },
    { "inner_longer", 27, 4, 0, { 0, 7 }, NULL },
    { "inner_longer", 27, 4, 3, { 21, 27 }, NULL },
    { "inner_longer", 36, 8, 0, { 0, 4 }, NULL },
    { "inner_longer", 36, 8, 4, { 19, 24 }, NULL },
    { "inner_longer", 36, 8, 5, { 24, 28 }, NULL },
    { "inner_longer", 27, 2, 0, { 0, 14 }, NULL },
    { "inner_longer", 27, 2, 1, { 14, 27 }, NULL },
    { "inner_longer", 9, 1, 0, { 0, 9 }, NULL },
    { "replicate", 7, 4, 3, { 0, 7 }, NULL },
    { "query_heads", 24, 1, 0, { 0, 24 }, NULL },
    { "query_heads", 32, 8, 3, { 12, 16 }, NULL },
    { "query_heads", 32, 4, 1, { 8, 16 }, NULL },
    { "query_heads", 32, 3, 0, { 0, 0 }, "heads.indivisible" },
    { "query_heads", 28, 8, 0, { 0, 0 }, "heads.indivisible" },
    { "kv_heads", 4, 8, 0, { 0, 1 }, NULL },
    { "kv_heads", 4, 8, 5, { 2, 3 }, NULL },
    { "kv_heads", 4, 8, 7, { 3, 4 }, NULL },
    { "kv_heads", 4, 4, 2, { 2, 3 }, NULL },
    { "kv_heads", 8, 4, 3, { 6, 8 }, NULL },
    { "kv_heads", 1, 7, 6, { 0, 1 }, NULL },
    { "kv_heads", 6, 4, 0, { 0, 0 }, "heads.indivisible" },
    { "kv_heads", 4, 6, 0, { 0, 0 }, "heads.indivisible" },
    { "kv_heads", 0, 4, 0, { 0, 0 }, "heads.indivisible" },
    { "vocab", 152064, 8, 7, { 133056, 152064 }, NULL },
    { "vocab", 50257, 2, 0, { 0, 0 }, "vocab.indivisible" },
};

START_TEST(a_rule_gives_each_rank_its_share)
{
    const struct split_rule *rule = split_rule_find(shares[_i].rule);
    struct split split = { "heads", shares[_i].total, shares[_i].parts,
                           shares[_i].part };
    struct range got = { 7, 7 };
    struct error err = { 0 };
    const char *code = NULL;

    ck_assert_ptr_nonnull(rule);
    if (shares[_i].code == NULL) {
        ck_assert_msg(rule->apply(&split, &got, &code, &err) == 0, "%s",
                      err.text);
        ck_assert_uint_eq(got.begin, shares[_i].want.begin);
        ck_assert_uint_eq(got.end, shares[_i].want.end);
        return;
    }
    ck_assert_int_eq(rule->apply(&split, &got, &code, &err), -1);
    ck_assert_str_eq(code, shares[_i].code);
    ck_assert_int_eq(err.status, STATUS_INVALID);
    ck_assert_uint_eq(got.begin, 7);
}
END_TEST

START_TEST(uneven_shares_follow_one_another)
{
    const char *const names[] = { "first_longer", "inner_longer" };
    const struct split_rule *rule = split_rule_find(names[_i % 2]);
    uint32_t parts = 1 + (uint32_t)_i / 2 % 9;
    uint64_t total = (uint64_t)_i / 2, end = 0;

    for (uint32_t part = 0; part < parts; part++) {
        struct split split = { "tokens", total, parts, part };
        struct range got;

        ck_assert_int_eq(rule->apply(&split, &got, NULL, NULL), 0);
        ck_assert_uint_eq(got.begin, end);
        ck_assert_uint_le(got.end - got.begin, total / parts + 1);
        ck_assert_uint_ge(got.end - got.begin, total / parts);
        end = got.end;
    }
    ck_assert_uint_eq(end, total);
}
END_TEST

START_TEST(a_part_that_is_not_there_is_refused_by_every_rule)
{
    size_t n = 0;
    const struct split_rule *rules = split_rules(&n);
    const uint32_t parts[] = { 2, 0 };

    for (size_t r = 0; r < n; r++)
        for (size_t p = 0; p < ARRAY_LEN(parts); p++) {
            struct split split = { "rows", 4, parts[p], parts[p] };
            struct error err = { 0 };
            struct range got;

            ck_assert_int_eq(rules[r].apply(&split, &got, NULL, &err), -1);
            ck_assert_int_eq(err.status, STATUS_INVALID);
        }
}
END_TEST

START_TEST(what_is_unstated_has_no_share)
{
    struct split split = { "layers", 4, 2, 0 };
    struct error err = { 0 };
    const char *code = "x";
    struct range got;

    ck_assert_int_eq(
        split_rule_find("unstated")->apply(&split, &got, &code, &err), -1);
    ck_assert_ptr_null(code);
    ck_assert_int_eq(err.status, STATUS_INVALID);
}
END_TEST

START_TEST(rules_are_found_by_their_names)
{
    size_t n = 0;
    const struct split_rule *rules = split_rules(&n);

    for (size_t r = 0; r < n; r++)
        ck_assert_ptr_eq(split_rule_find(rules[r].name), &rules[r]);
    ck_assert_ptr_null(split_rule_find("odd"));
}
END_TEST

static const struct {
    struct expert_split split;
    struct expert_shard want;
    const char *code;
} experts[] = {
    { { 224, 3072, 8, 5, 8 }, { 5, 1, 0, { 140, 168 }, { 0, 3072 } }, NULL },
    { { 224, 3072, 8, 5, 4 }, { 2, 2, 1, { 112, 168 }, { 1536, 3072 } }, NULL },
    { { 8, 64, 1, 0, 1 }, { 0, 1, 0, { 0, 8 }, { 0, 64 } }, NULL },
    { { 224, 3072, 8, 0, 3 }, { 0 }, "experts.ep_does_not_divide_world" },
    { { 224, 3072, 8, 0, 0 }, { 0 }, "experts.ep_does_not_divide_world" },
    { { 224, 3072, 8, 0, 16 }, { 0 }, "experts.ep_does_not_divide_world" },
    { { 10, 3072, 8, 0, 8 }, { 0 }, "experts.indivisible" },
    { { 224, 100, 8, 0, 1 }, { 0 }, "experts.intermediate_indivisible" },
    { { 224, 3072, 8, 8, 1 }, { 0 }, "experts.rank_out_of_range" },
    { { 224, 3072, 0, 0, 1 }, { 0 }, "experts.rank_out_of_range" },
};

START_TEST(experts_are_split_over_blocks_and_inside_them)
{
    struct expert_shard got = { .block = 77 };
    struct error err = { 0 };
    const char *code = NULL;

    if (experts[_i].code == NULL) {
        ck_assert_msg(split_experts(&experts[_i].split, &got, &code, &err) == 0,
                      "%s", err.text);
        ck_assert_uint_eq(got.block, experts[_i].want.block);
        ck_assert_uint_eq(got.block_size, experts[_i].want.block_size);
        ck_assert_uint_eq(got.block_rank, experts[_i].want.block_rank);
        ck_assert_uint_eq(got.experts.begin, experts[_i].want.experts.begin);
        ck_assert_uint_eq(got.experts.end, experts[_i].want.experts.end);
        ck_assert_uint_eq(got.intermediate.begin,
                          experts[_i].want.intermediate.begin);
        ck_assert_uint_eq(got.intermediate.end,
                          experts[_i].want.intermediate.end);
        return;
    }
    ck_assert_int_eq(split_experts(&experts[_i].split, &got, &code, &err), -1);
    ck_assert_str_eq(code, experts[_i].code);
    ck_assert_int_eq(err.status, STATUS_INVALID);
    ck_assert_uint_eq(got.block, 77);
}
END_TEST

static Suite *split_suite(void)
{
    Suite *suite = suite_create("split");
    TCase *tcase = tcase_create("split");

    tcase_add_loop_test(tcase, a_rule_gives_each_rank_its_share, 0,
                        ARRAY_LEN(shares));
    tcase_add_loop_test(tcase, uneven_shares_follow_one_another, 0, 80);
    tcase_add_test(tcase, a_part_that_is_not_there_is_refused_by_every_rule);
    tcase_add_test(tcase, what_is_unstated_has_no_share);
    tcase_add_test(tcase, rules_are_found_by_their_names);
    tcase_add_loop_test(tcase, experts_are_split_over_blocks_and_inside_them, 0,
                        ARRAY_LEN(experts));
    suite_add_tcase(suite, tcase);
    return suite;
}

int main(void)
{
    return tap_run(split_suite());
}
