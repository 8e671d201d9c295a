/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of base/pause. */
#include "base/pause.h"

#include <stdlib.h>

#include "tests/tap.h"

enum { DRAWS = 1000, PARTS = 8 };

START_TEST(a_pause_is_half_of_what_it_is_about_at_least_and_half_more_at_most)
{
    ck_assert_uint_eq(pause_varied(1000, 0), 500);
    ck_assert_uint_eq(pause_varied(1000, UINT16_MAX), 1500);
    ck_assert_uint_eq(pause_varied(1000, UINT16_MAX / 2), 999);
    ck_assert_uint_eq(pause_varied(50, UINT16_MAX / 5), 35);
    ck_assert_uint_eq(pause_varied(0, UINT16_MAX), 0);
    ck_assert_uint_eq(pause_varied(UINT32_MAX / 2, UINT16_MAX),
                      UINT32_MAX / 4 + UINT32_MAX / 2);
}
END_TEST

START_TEST(pauses_are_spread_evenly)
{
    uint32_t found[PARTS] = { 0 };

    for (uint32_t chance = 0; chance <= UINT16_MAX; chance++) {
        uint32_t ms = pause_varied(PARTS * 100, (uint16_t)chance);

        ck_assert_uint_ge(ms, PARTS * 50);
        ck_assert_uint_le(ms, PARTS * 150);
        if (ms < PARTS * 150)
            found[(ms - PARTS * 50) / 100]++;
    }
    for (int i = 0; i < PARTS; i++) {
        ck_assert_uint_ge(found[i], UINT16_MAX / PARTS - 100);
        ck_assert_uint_le(found[i], UINT16_MAX / PARTS + 100);
    }
}
END_TEST

/* All draws miss one of the parts once in 10^57 runs. */
START_TEST(chances_differ_and_reach_every_part_of_their_range)
{
    uint32_t found[PARTS] = { 0 };

    for (int i = 0; i < DRAWS; i++)
        found[pause_chance() / ((UINT16_MAX + 1) / PARTS)]++;
    for (int i = 0; i < PARTS; i++)
        ck_assert_uint_gt(found[i], 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("pause");
    TCase *tests = tcase_create("core");

    tcase_add_test(
        tests,
        a_pause_is_half_of_what_it_is_about_at_least_and_half_more_at_most);
    tcase_add_test(tests, pauses_are_spread_evenly);
    tcase_add_test(tests, chances_differ_and_reach_every_part_of_their_range);
    suite_add_tcase(suite, tests);
    return tap_run(suite);
}
