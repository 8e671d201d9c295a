/* SPDX-License-Identifier: Apache-2.0 */
/* Shares of prompts, layers, tokens, packed weights and rows of an image. */
#include <string.h>

#include "base/text.h"
#include "placement/split_work.h"
#include "tests/tap.h"

/* Which rule, and what part 1 or the last one gets; code: how it is refused. */
enum kind { IN_TURN, EVEN, UNEVEN };

static const struct {
    enum kind kind;
    uint64_t total;
    uint32_t parts, part;
    struct range want;
    const char *code;
} shares[] = {
    { IN_TURN, 57, 4, 3, { 45, 57 }, NULL },
    { IN_TURN, 57, 4, 1, { 15, 30 }, NULL },
    { IN_TURN, 8, 3, 2, { 6, 8 }, NULL },
    { IN_TURN, 1, 1, 0, { 0, 1 }, NULL },
    { IN_TURN, 5, 5, 4, { 4, 5 }, NULL },
    { IN_TURN, 5, 4, 0, { 0, 0 }, "empty" },
    { IN_TURN, 24, 7, 0, { 0, 0 }, "empty" },
    { IN_TURN, 0, 1, 0, { 0, 0 }, "empty" },
    { IN_TURN, UINT64_MAX, 2, 1, { UINT64_MAX / 2 + 1, UINT64_MAX }, NULL },
    { EVEN, 4096, 4, 3, { 3072, 4096 }, NULL },
    { EVEN, 4095, 4, 3, { 0, 0 }, "sequence-divide" },
    { EVEN, 0, 4, 3, { 0, 0 }, "sequence-too-short" },
    { UNEVEN, 4095, 4, 3, { 3072, 4095 }, NULL },
    { UNEVEN, 4, 4, 3, { 3, 4 }, NULL },
    { UNEVEN, 3, 4, 3, { 0, 0 }, "sequence-too-short" },
};

static int apply(enum kind kind, const struct split *split, struct range *ret,
                 const char **ret_code, struct error *err)
{
    if (kind == IN_TURN)
        return split_in_turn(split, "empty", ret, ret_code, err);
    return split_sequence(split, kind == UNEVEN, ret, ret_code, err);
}

START_TEST(each_part_has_its_share)
{
    const struct split split = { "things", shares[_i].total, shares[_i].parts,
                                 shares[_i].part };
    struct range got = { 7, 7 };
    struct error err = { 0 };
    const char *code = NULL;
    int rc = apply(shares[_i].kind, &split, &got, &code, &err);

    if (shares[_i].code == NULL) {
        ck_assert_msg(rc == 0, "%s", err.text);
        ck_assert_uint_eq(got.begin, shares[_i].want.begin);
        ck_assert_uint_eq(got.end, shares[_i].want.end);
        return;
    }
    ck_assert_int_eq(rc, -1);
    ck_assert_str_eq(code, shares[_i].code);
    ck_assert_int_eq(err.status, STATUS_INVALID);
    ck_assert_uint_eq(got.begin, 7);
}
END_TEST

START_TEST(a_part_that_is_not_there_is_refused)
{
    const struct split split = { "things", 4, 2, 2 };
    const uint64_t lengths[] = { 2, 2 };
    struct error err = { 0 };
    struct range got[2];
    const char *code = "";

    for (int kind = IN_TURN; kind <= UNEVEN; kind++) {
        ck_assert_int_eq(apply(kind, &split, got, &code, &err), -1);
        ck_assert_ptr_null(code);
    }
    ck_assert_int_eq(split_listed(&split, lengths, 2, got, &code, &err), -1);
    ck_assert_ptr_null(code);
    ck_assert_int_eq(split_packed(&split, lengths, 2, got, &code, &err), -1);
    ck_assert_ptr_null(code);
}
END_TEST

static const struct {
    uint64_t lengths[3];
    size_t n;
    struct range want; /* of part 1 */
    const char *code;
} listed[] = {
    { { 10, 14, 16 }, 3, { 10, 24 }, NULL },
    { { 10, 14, 15 }, 3, { 0, 0 }, "pp-layers" },
    { { 20, 20 }, 2, { 0, 0 }, "pp-layers" },
    { { 40, 0, 0 }, 3, { 0, 0 }, "empty-stage" },
    { { UINT64_MAX, 40, 1 }, 3, { 0, 0 }, "pp-layers" },
};

START_TEST(lengths_that_are_listed_follow_one_another)
{
    const struct split split = { "layers", 40, 3, 1 };
    struct range got = { 7, 7 };
    const char *code = NULL;
    int rc = split_listed(&split, listed[_i].lengths, listed[_i].n, &got, &code,
                          NULL);

    ck_assert_int_eq(rc, listed[_i].code != NULL ? -1 : 0);
    if (listed[_i].code != NULL)
        ck_assert_str_eq(code, listed[_i].code);
    ck_assert_uint_eq(got.begin, rc == 0 ? listed[_i].want.begin : 7);
    ck_assert_uint_eq(got.end, rc == 0 ? listed[_i].want.end : 7);
}
END_TEST

static const struct {
    uint64_t total;
    uint32_t parts;
    uint64_t blocks[2];
    size_t n;
    struct range want[2]; /* of part 1 */
    const char *code;
} packed[] = {
    { 100, 4, { 1 }, 1, { { 25, 50 } }, NULL },
    { 100, 8, { 1 }, 1, { { 0, 0 } }, "shard-dim" },
    { 12, 2, { 1, 2 }, 2, { { 2, 4 }, { 8, 12 } }, NULL },
    { 10, 2, { 1, 2 }, 2, { { 0, 0 } }, "packed-sum" },
    { 12, 2, { 0, 0 }, 2, { { 0, 0 } }, "packed-sum" },
    { 12, 2, { UINT64_MAX, 2 }, 2, { { 0, 0 } }, "packed-sum" },
    { 12, 8, { 1, 2 }, 2, { { 0, 0 } }, "packed-block" },
};

START_TEST(each_block_of_a_weight_is_cut_by_itself)
{
    const struct split split = { "rows", packed[_i].total, packed[_i].parts,
                                 1 };
    struct range got[2] = { { 7, 7 }, { 7, 7 } };
    const char *code = NULL;
    int rc =
        split_packed(&split, packed[_i].blocks, packed[_i].n, got, &code, NULL);

    ck_assert_int_eq(rc, packed[_i].code != NULL ? -1 : 0);
    if (packed[_i].code != NULL)
        ck_assert_str_eq(code, packed[_i].code);
    for (size_t i = 0; i < packed[_i].n; i++) {
        ck_assert_uint_eq(got[i].begin, rc == 0 ? packed[_i].want[i].begin : 7);
        ck_assert_uint_eq(got[i].end, rc == 0 ? packed[_i].want[i].end : 7);
    }
}
END_TEST

static const struct {
    struct patch_split split;
    uint32_t patches;
    struct range last; /* of rank 1 in the last patch */
    const char *code;
} patches[] = {
    { { 80, 1, 2, 3 }, 3, { 68, 80 }, NULL },
    { { 64, 2, 2, 1 }, 1, { 32, 64 }, NULL },
    { { 8, 1, 2, 8 }, 4, { 7, 8 }, NULL }, /* fewer than were wanted */
    { { 64, 2, 3, 2 }, 0, { 0, 0 }, "sequence-divide" },
    { { 62, 2, 2, 2 }, 0, { 0, 0 }, "pp-patch" },
    { { 0, 1, 1, 1 }, 0, { 0, 0 }, "" },
    { { UINT64_MAX, 1, 1, 1 }, 0, { 0, 0 }, "" },
    { { 8, 0, 1, 1 }, 0, { 0, 0 }, "" },
    { { 8, 1, 0, 1 }, 0, { 0, 0 }, "" },
    { { 8, 1, 1, 0 }, 0, { 0, 0 }, "" },
};

START_TEST(every_patch_is_shared_out_over_the_ranks)
{
    uint32_t got = 77;
    const char *code = NULL;
    struct range last;
    int rc = split_patches(&patches[_i].split, &got, &code, NULL);

    ck_assert_int_eq(rc, patches[_i].code != NULL ? -1 : 0);
    if (patches[_i].code != NULL) {
        ck_assert_str_eq(code != NULL ? code : "", patches[_i].code);
        ck_assert_uint_eq(got, 77);
        return;
    }
    ck_assert_uint_eq(got, patches[_i].patches);
    last = split_patch_rows(&patches[_i].split, got - 1, 1);
    ck_assert_uint_eq(last.begin, patches[_i].last.begin);
    ck_assert_uint_eq(last.end, patches[_i].last.end);
}
END_TEST

static Suite *split_work_suite(void)
{
    Suite *suite = suite_create("split_work");
    TCase *tcase = tcase_create("split_work");

    tcase_add_loop_test(tcase, each_part_has_its_share, 0, ARRAY_LEN(shares));
    tcase_add_test(tcase, a_part_that_is_not_there_is_refused);
    tcase_add_loop_test(tcase, lengths_that_are_listed_follow_one_another, 0,
                        ARRAY_LEN(listed));
    tcase_add_loop_test(tcase, each_block_of_a_weight_is_cut_by_itself, 0,
                        ARRAY_LEN(packed));
    tcase_add_loop_test(tcase, every_patch_is_shared_out_over_the_ranks, 0,
                        ARRAY_LEN(patches));
    suite_add_tcase(suite, tcase);
    return suite;
}

int main(void)
{
    return tap_run(split_work_suite());
}
