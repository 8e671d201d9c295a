/* SPDX-License-Identifier: Apache-2.0 */
/* What a doctor finds: order of a report, and words of its next steps. */
#include "proto/trouble.h"

#include <string.h>

#include "tests/tap.h"

START_TEST(every_row_has_a_code_of_its_own_and_says_what_to_do)
{
    const struct trouble_row *row = &trouble_rows[_i];

    ck_assert_ptr_nonnull(strchr(row->code, '.'));
    ck_assert_uint_gt(strlen(row->means), 0);
    ck_assert_uint_gt(strlen(row->next), 0);
    for (int t = 0; t < _i; t++)
        ck_assert_str_ne(trouble_rows[t].code, row->code);
}
END_TEST

START_TEST(heavier_rows_stand_before_lighter_ones)
{
    for (int t = 1; t < TROUBLE_COUNT; t++)
        ck_assert_int_le(trouble_rows[t - 1].weight, trouble_rows[t].weight);
}
END_TEST

START_TEST(a_next_step_names_what_is_known)
{
    struct ailment ailment = { .trouble = TROUBLE_TIMED_OUT,
                               .placement = "PLACEMENT RANK",
                               .rank = 12 };
    struct text text = { 0 };

    trouble_next(&ailment, &text);
    ck_assert_ptr_nonnull(
        strstr(text_string(&text), "--placement PLACEMENT RANK --rank 12 "));
    text_clear(&text);
    ailment.rank = -1;
    trouble_next(&ailment, &text);
    ck_assert_ptr_nonnull(strstr(text_string(&text), "--rank RANK "));
    text_close(&text);
}
END_TEST

static const char *code_at(const struct tree *map, int i)
{
    const struct tree *t = tree_first(tree_get(map, "findings"));

    while (i-- > 0)
        t = t->next;
    return tree_get(t, "what")->text;
}

START_TEST(the_dominant_one_is_the_first_of_a_report)
{
    struct ailment ailments[] = {
        { .trouble = TROUBLE_BOOTING, .what = "note", .rank = -1 },
        { .trouble = TROUBLE_LOST, .what = "1 lost", .rank = 3, .n_ranks = 1 },
        { .trouble = TROUBLE_SILENT, .what = "warning", .rank = -1 },
        { .trouble = TROUBLE_LOST, .what = "2 lost", .rank = 5, .n_ranks = 2 },
        { .trouble = TROUBLE_LOST, .what = "2 too", .rank = 1, .n_ranks = 2 },
        { .trouble = TROUBLE_DIGEST, .what = "cause", .rank = 9, .n_ranks = 1 },
    };
    static const char *const want[] = { "cause",  "2 lost",  "2 too",
                                        "1 lost", "warning", "note" };
    struct tree_maker maker = { .arena = arena_new(1 << 20) };
    struct tree *map = make_map(&maker, NULL, NULL);

    troubles_write(ailments, ARRAY_LEN(ailments), &maker, map);
    ck_assert(!maker.failed);
    for (size_t i = 0; i < ARRAY_LEN(want); i++)
        ck_assert_str_eq(code_at(map, (int)i), want[i]);
    ck_assert(!troubles_healthy(ailments, ARRAY_LEN(ailments)));
    ck_assert(troubles_healthy(ailments, 1));
    ck_assert(troubles_healthy(ailments, 0));
    arena_free(maker.arena);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("trouble");
    TCase *tc = tcase_create("report");

    tcase_add_loop_test(tc, every_row_has_a_code_of_its_own_and_says_what_to_do,
                        0, TROUBLE_COUNT);
    tcase_add_test(tc, heavier_rows_stand_before_lighter_ones);
    tcase_add_test(tc, a_next_step_names_what_is_known);
    tcase_add_test(tc, the_dominant_one_is_the_first_of_a_report);
    suite_add_tcase(suite, tc);
    return tap_run(suite);
}
