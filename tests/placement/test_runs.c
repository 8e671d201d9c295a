/* SPDX-License-Identifier: Apache-2.0 */
/* Rank lists as runs: what is regular is one run, and nothing is lost. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "placement/runs.h"
#include "tests/tap.h"

enum { RANDOM_LISTS = 100, LIST_RANKS = 600, ARENA_BYTES = 1 << 22 };

static uint32_t draw(uint64_t *seed, uint32_t below)
{
    *seed = *seed * 6364136223846793005U + 1442695040888963407U;
    return (uint32_t)(*seed >> 33) % below;
}

/* Encodes, checks, expands and compares; gives the number of runs. */
static size_t round_trip(const uint32_t *ranks, size_t n)
{
    struct arena *arena = arena_new(ARENA_BYTES);
    uint32_t *again = malloc((n + 1) * sizeof(*again)), length = 0;
    struct error err = { 0 };
    struct runs runs;

    ck_assert_ptr_nonnull(arena);
    ck_assert_ptr_nonnull(again);
    ck_assert_msg(runs_encode(arena, ranks, n, &runs, &err) == 0, "%s",
                  err.text);
    ck_assert_msg(runs_check(&runs, &length, &err) == 0, "%s", err.text);
    ck_assert_uint_eq(length, n);
    runs_expand(&runs, again);
    if (n > 0)
        ck_assert_mem_eq(again, ranks, n * sizeof(*again));
    free(again);
    arena_free(arena);
    return runs.count;
}

static const struct {
    uint32_t ranks[12];
    size_t n, runs;
} lists[] = {
    { { 0 }, 0, 0 },
    { { 5 }, 1, 1 },
    { { 0, 1, 2, 3 }, 4, 1 },
    { { 3, 2, 1, 0 }, 4, 1 },
    { { 7, 7, 7 }, 3, 1 },
    { { 0, 4, 1, 5, 2, 6 }, 6, 1 },
    { { 0, 1, 4, 5, 16, 17, 20, 21 }, 8, 1 },
    { { 4, 5, 6, 7, 0, 1, 2, 3 }, 8, 1 },
    { { UINT32_MAX, 0 }, 2, 1 },
    { { 0, 1, 2, 3, 9 }, 5, 2 },
    { { 0, 7, 8, 9, 10 }, 5, 2 }, /* 0 alone, then the longer run */
    { { 0, 5, 6, 100, 3 }, 5, 3 },
};

START_TEST(a_list_comes_back_from_its_runs)
{
    ck_assert_uint_eq(round_trip(lists[_i].ranks, lists[_i].n), lists[_i].runs);
}
END_TEST

START_TEST(a_random_list_comes_back_from_its_runs)
{
    uint32_t ranks[LIST_RANKS];
    uint64_t seed = (uint64_t)_i;
    size_t n = draw(&seed, LIST_RANKS + 1);
    uint32_t range = 1 + draw(&seed, 1 + (uint32_t)_i);

    for (size_t k = 0; k < n; k++)
        ranks[k] = (k > 0 ? ranks[k - 1] + 1 : 0) + draw(&seed, range);
    ck_assert_uint_le(round_trip(ranks, n), n / 2 + 1);
}
END_TEST

static const char *const letters[] = { "a", "b", "c", "d", "e" };

START_TEST(every_group_of_a_view_is_one_run)
{
    static uint32_t members[4096];
    uint64_t seed = (uint64_t)_i;
    struct run_dim dims[RUN_DIMS_MAX];
    struct run run;
    struct runs one = { &run, 1 };
    int64_t sizes[ARRAY_LEN(letters)];
    struct view view;
    struct lists over;
    uint32_t length, i, checked = 0, again[4096];

    for (size_t a = 0; a < ARRAY_LEN(letters); a++)
        sizes[a] = 1 + draw(&seed, 5);
    ck_assert_int_eq(view_init(&view, letters, sizes, 5, NULL), 0);
    lists_over(&view, draw(&seed, 32), &over);
    length = lists_length(&over);
    lists_expand(&over, NULL, 9, members);
    i = draw(&seed, lists_count(&over));
    ck_assert_uint_eq(round_trip(members + i * length, length), 1);
    runs_of_list(&over, i, 9, dims, &run);
    ck_assert_int_eq(runs_check(&one, &checked, NULL), 0);
    ck_assert_uint_eq(checked, length);
    runs_expand(&one, again);
    ck_assert_mem_eq(again, members + i * length, length * sizeof(*again));
}
END_TEST

START_TEST(a_regular_list_of_a_million_ranks_is_one_run)
{
    uint32_t *ranks = malloc(RUNS_RANKS_MAX * sizeof(*ranks));

    ck_assert_ptr_nonnull(ranks);
    for (uint32_t k = 0; k < RUNS_RANKS_MAX; k++)
        ranks[k] = k / 1024 * 8 + k % 8 + k / 8 % 128 * 65536;
    ck_assert_uint_eq(round_trip(ranks, RUNS_RANKS_MAX), 1);
    free(ranks);
}
END_TEST

START_TEST(a_list_that_is_too_long_is_refused)
{
    struct arena *arena = arena_new(ARENA_BYTES);
    struct error err = { 0 };
    struct runs runs;

    ck_assert_int_eq(
        runs_encode(arena, NULL, (size_t)RUNS_RANKS_MAX + 1, &runs, &err), -1);
    ck_assert_int_eq(err.status, STATUS_INVALID);
    arena_free(arena);
}
END_TEST

START_TEST(a_full_arena_is_said)
{
    const uint32_t ranks[] = { 0, 5, 6, 100, 3 };
    struct arena *arena = arena_new(32);
    struct error err = { 0 };
    struct runs runs;

    ck_assert_int_eq(runs_encode(arena, ranks, 5, &runs, &err), -1);
    ck_assert_int_eq(err.status, STATUS_EXHAUSTED);
    arena_free(arena);
}
END_TEST

static const struct {
    uint32_t start;
    int n_dims;
    struct run_dim dims[2];
    bool accepted;
} foreign[] = {
    { 0, 1, { { RUNS_RANKS_MAX, 1 } }, true },
    { 5, 1, { { 6, -1 } }, true },
    { UINT32_MAX, 0, { { 0, 0 } }, true },
    { 0, 2, { { 2, UINT32_MAX }, { 2, 0 } }, true },
    { 0, 1, { { 0, 1 } }, false },
    { 0, 1, { { RUNS_RANKS_MAX + 1, 1 } }, false },
    { 0, 2, { { 65536, 1 }, { 65536, 1 } }, false },
    { 5, 1, { { 7, -1 } }, false },
    { UINT32_MAX, 1, { { 2, 1 } }, false },
    { 0, 1, { { 2, (int64_t)UINT32_MAX + 1 } }, false },
    { 0, 1, { { 2, INT64_MIN } }, false },
    { 0, -1, { { 0, 0 } }, false },
    { 0, RUN_DIMS_MAX + 1, { { 0, 0 } }, false },
};

START_TEST(runs_from_elsewhere_are_checked)
{
    struct run run = { foreign[_i].start, foreign[_i].n_dims,
                       foreign[_i].dims };
    struct error err = { 0 };
    struct runs runs = { &run, 1 };
    uint32_t length = 77;
    int rc = runs_check(&runs, &length, &err);

    ck_assert_int_eq(rc, foreign[_i].accepted ? 0 : -1);
    ck_assert_int_eq(err.status,
                     foreign[_i].accepted ? STATUS_OK : STATUS_INVALID);
    if (!foreign[_i].accepted)
        ck_assert_uint_eq(length, 77);
}
END_TEST

START_TEST(many_runs_that_are_too_long_together_are_refused)
{
    struct run_dim dim = { RUNS_RANKS_MAX / 2, 1 };
    struct run three[3] = { { 0, 1, &dim }, { 0, 1, &dim }, { 0, 0, NULL } };
    struct runs runs = { three, 2 };
    uint32_t length = 0;

    ck_assert_int_eq(runs_check(&runs, &length, NULL), 0);
    ck_assert_uint_eq(length, RUNS_RANKS_MAX);
    runs.count = 3;
    ck_assert_int_eq(runs_check(&runs, &length, NULL), -1);
}
END_TEST

static Suite *runs_suite(void)
{
    Suite *suite = suite_create("runs");
    TCase *tcase = tcase_create("runs");

    tcase_add_loop_test(tcase, a_list_comes_back_from_its_runs, 0,
                        ARRAY_LEN(lists));
    tcase_add_loop_test(tcase, a_random_list_comes_back_from_its_runs, 0,
                        RANDOM_LISTS);
    tcase_add_loop_test(tcase, every_group_of_a_view_is_one_run, 0,
                        RANDOM_LISTS);
    tcase_add_test(tcase, a_regular_list_of_a_million_ranks_is_one_run);
    tcase_add_test(tcase, a_list_that_is_too_long_is_refused);
    tcase_add_test(tcase, a_full_arena_is_said);
    tcase_add_loop_test(tcase, runs_from_elsewhere_are_checked, 0,
                        ARRAY_LEN(foreign));
    tcase_add_test(tcase, many_runs_that_are_too_long_together_are_refused);
    suite_add_tcase(suite, tcase);
    return suite;
}

int main(void)
{
    return tap_run(runs_suite());
}
