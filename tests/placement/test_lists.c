/* SPDX-License-Identifier: Apache-2.0 */
/* Lists made of lists, beside the same made by hand, on random views. */
#include <stdlib.h>
#include <string.h>

#include "placement/view.h"
#include "tests/placement/view_fixture.h"

/* A test is a process: each tries some of the random lists. */
enum { RANDOM_LISTS = 300, LISTS_EACH = 30, LISTS_LIMIT = SPAN_LIMIT };

/* Lists held one by one; begin has one entry more than there are lists. */
struct plain {
    uint32_t members[SPAN_LIMIT];
    uint32_t begin[LISTS_LIMIT + 1];
    uint32_t n;
};

static void open_list(struct plain *plain)
{
    plain->begin[plain->n + 1] = plain->begin[plain->n];
    plain->n++;
}

static void add_member(struct plain *plain, uint32_t position)
{
    plain->members[plain->begin[plain->n]++] = position;
}

static uint32_t length_of(const struct plain *plain, uint32_t i)
{
    return plain->begin[i + 1] - plain->begin[i];
}

static void to_plain(const struct lists *lists, struct plain *ret)
{
    ret->n = 0;
    ret->begin[0] = 0;
    for (uint32_t i = 0; i < lists_count(lists); i++) {
        open_list(ret);
        for (uint32_t j = 0; j < lists_length_of(lists, i); j++)
            add_member(ret, lists_member(lists, i, j));
    }
}

/* ---- operators by hand --------------------------------------------------- */

/* Members k with k / block % size == 0 start a list; all members with the same
 * k / (block * size) and k % block are in it. */
static void digits_by_hand(const struct plain *from, uint32_t block,
                           uint32_t size, struct plain *ret)
{
    ret->n = 0;
    ret->begin[0] = 0;
    for (uint32_t i = 0; i < from->n; i++)
        for (uint32_t k = 0; k < length_of(from, i); k++) {
            if (k / block % size != 0)
                continue;
            open_list(ret);
            for (uint32_t d = 0; d < size; d++)
                add_member(ret, from->members[from->begin[i] + k + d * block]);
        }
}

static void runs_by_hand(const struct plain *from, uint32_t run,
                         struct plain *ret)
{
    ret->n = 0;
    ret->begin[0] = 0;
    for (uint32_t i = 0; i < from->n; i++)
        for (uint32_t k = 0; k < length_of(from, i); k++) {
            if (k % run == 0)
                open_list(ret);
            add_member(ret, from->members[from->begin[i] + k]);
        }
}

static void take_by_hand(const struct plain *from, uint32_t take,
                         struct plain *ret)
{
    ret->n = 0;
    ret->begin[0] = 0;
    for (uint32_t i = 0; i < from->n; i++) {
        uint32_t first = from->begin[i], last = from->begin[i + 1] - 1;

        open_list(ret);
        if ((take & TAKE_FIRST) != 0)
            add_member(ret, from->members[first]);
        if ((take & TAKE_LAST) != 0 &&
            (last != first || (take & TAKE_FIRST) == 0))
            add_member(ret, from->members[last]);
    }
}

static void join_by_hand(const struct plain *from, uint32_t n,
                         struct plain *ret)
{
    *ret = *from;
    ret->n = from->n / n;
    for (uint32_t i = 0; i <= ret->n; i++)
        ret->begin[i] = from->begin[i * n];
}

/* ---- comparing ----------------------------------------------------------- */

static int by_first(const void *a, const void *b)
{
    const uint32_t *x = *(const uint32_t *const *)a;
    const uint32_t *y = *(const uint32_t *const *)b;

    return (*x > *y) - (*x < *y);
}

/* The lists sorted by their first member, each behind its length. */
static uint32_t flatten(const struct plain *plain, uint32_t *ret)
{
    static const uint32_t *firsts[LISTS_LIMIT];
    static uint32_t lengths[SPAN_LIMIT]; /* by where a list begins */
    uint32_t n = 0;

    for (uint32_t i = 0; i < plain->n; i++) {
        firsts[i] = plain->members + plain->begin[i];
        lengths[plain->begin[i]] = length_of(plain, i);
    }
    qsort(firsts, plain->n, sizeof(*firsts), by_first);
    for (uint32_t i = 0; i < plain->n; i++) {
        uint32_t length = lengths[firsts[i] - plain->members];

        ret[n++] = length;
        memcpy(ret + n, firsts[i], length * sizeof(*ret));
        n += length;
    }
    return n;
}

static void ck_same(const struct plain *got, const struct plain *want)
{
    static uint32_t a[2 * SPAN_LIMIT], b[2 * SPAN_LIMIT];
    uint32_t n = flatten(got, a);

    ck_assert_uint_eq(got->n, want->n);
    ck_assert_uint_eq(n, flatten(want, b));
    ck_assert_mem_eq(a, b, n * sizeof(*a));
}

/* Whether the lists ascend by their first member. Every assertion that Check
 * sees is written to a file, so loops over members say only what fails. */
static void ck_ascending(const struct plain *plain)
{
    for (uint32_t i = 1; i < plain->n; i++)
        if (plain->members[plain->begin[i - 1]] >=
            plain->members[plain->begin[i]])
            ck_abort_msg("list %u does not begin above the last", i);
}

/* Whether finding, counting and expanding tell the same as lists_member(). */
static void ck_consistent(const struct lists *lists, const struct plain *plain,
                          uint32_t span, uint64_t *seed)
{
    static uint32_t all[SPAN_LIMIT], one[SPAN_LIMIT], found[SPAN_LIMIT];
    uint32_t entries = plain->begin[plain->n], longest = 0, checked = 0;
    uint32_t begin = draw(seed, entries), member;

    ck_assert_int_eq(lists_check(lists, &checked, NULL), 0);
    ck_assert_uint_eq(checked, span);
    ck_assert_uint_eq(lists_count(lists), plain->n);
    ck_assert_uint_eq(lists_entries(lists), entries);
    memset(found, 0, sizeof(found));
    for (uint32_t i = 0; i < plain->n; i++) {
        uint32_t n = length_of(plain, i);

        if (n > longest)
            longest = n;
        lists_expand_one(lists, i, NULL, 0, one);
        if (memcmp(one, plain->members + plain->begin[i], n * sizeof(*one)))
            ck_abort_msg("list %u is expanded otherwise", i);
        for (uint32_t j = 0; j < n; j++) {
            if (lists_find(lists, one[j], &member) != i || member != j)
                ck_abort_msg("member %u of list %u is not found", j, i);
            found[one[j]]++;
        }
    }
    ck_assert_uint_eq(lists_length(lists), longest);
    for (uint32_t p = 0; p < span; p++)
        if (found[p] == 0 ? lists_find(lists, p, &member) != LISTS_NONE
                          : found[p] != 1)
            ck_abort_msg("position %u is in %u lists", p, found[p]);
    lists_expand(lists, NULL, 0, all);
    ck_assert_mem_eq(all, plain->members, entries * sizeof(*all));
    lists_expand_part(lists, NULL, 0, begin, entries - begin, one);
    ck_assert_mem_eq(one, all + begin, (entries - begin) * sizeof(*one));
}

/* ---- properties ---------------------------------------------------------- */

/* Random lists, and the same held one by one. */
static uint32_t random_lists(uint64_t *seed, struct lists *lists,
                             struct plain *plain)
{
    struct view view;

    random_view(&view, seed);
    lists_over(&view, draw(seed, 1U << view.n_axes), lists);
    to_plain(lists, plain);
    return view.span;
}

static struct plain from, got, want;

static void check_runs(uint32_t number)
{
    uint64_t seed = number;
    struct lists lists, runs;
    uint32_t span = random_lists(&seed, &lists, &from);
    uint32_t run = 1 + draw(&seed, lists_length(&lists) + 2);

    ck_assert_int_eq(lists_runs(&lists, run, &runs, NULL), 0);
    runs_by_hand(&from, run, &want);
    to_plain(&runs, &got);
    ck_same(&got, &want);
    ck_consistent(&runs, &got, span, &seed);
    if (lists.n_inner <= 1)
        ck_ascending(&got);
    if (runs.run == 0)
        return;
    ck_assert_int_eq(lists_runs(&runs, 1, &lists, NULL), -1);
    ck_assert_int_eq(lists_cut(&runs, 1, &lists, NULL), -1);
    ck_assert_int_eq(lists_join(&runs, 1, true, &lists, NULL), -1);
}

static void check_taken(uint32_t number)
{
    uint64_t seed = number;
    uint32_t take = 1 + number % 3;
    struct lists lists, ends;
    uint32_t span = random_lists(&seed, &lists, &from);

    ck_assert_int_eq(lists_take(&lists, take, &ends, NULL), 0);
    take_by_hand(&from, take, &want);
    to_plain(&ends, &got);
    ck_same(&got, &want);
    ck_consistent(&ends, &got, span, &seed);
    ck_assert_int_eq(lists_stride(&ends, 1, &lists, NULL), -1);
    ck_assert_int_eq(lists_level(&ends, 1, 1, &lists, NULL), -1);
}

START_TEST(runs_are_consecutive_members)
{
    for (uint32_t n = 0; n < LISTS_EACH; n++)
        check_runs((uint32_t)_i * LISTS_EACH + n);
}
END_TEST

START_TEST(taken_members_are_the_ends)
{
    for (uint32_t n = 0; n < LISTS_EACH; n++)
        check_taken((uint32_t)_i * LISTS_EACH + n);
}
END_TEST

START_TEST(strided_parts_are_interleaved)
{
    uint64_t seed = (uint64_t)_i;
    struct lists lists, parts;
    uint32_t span = random_lists(&seed, &lists, &from);
    bool any = false;

    for (uint32_t n = 1; n <= lists_length(&lists); n++) {
        if (lists_stride(&lists, n, &parts, NULL) < 0)
            continue;
        any = true;
        digits_by_hand(&from, n, lists_length(&lists) / n, &want);
        to_plain(&parts, &got);
        ck_same(&got, &want);
        ck_ascending(&got);
        ck_consistent(&parts, &got, span, &seed);
    }
    ck_assert(any); /* n 1 is the list itself */
}
END_TEST

START_TEST(levels_are_digits_of_the_member)
{
    uint64_t seed = (uint64_t)_i;
    struct lists lists, level;
    uint32_t span = random_lists(&seed, &lists, &from);
    uint32_t length = lists_length(&lists), n = 0;

    for (uint32_t step = 1; step <= length; step++)
        for (uint32_t size = 1; size <= length / step; size++) {
            if (lists_level(&lists, step, size, &level, NULL) < 0)
                continue;
            n++;
            digits_by_hand(&from, step, size, &want);
            to_plain(&level, &got);
            ck_same(&got, &want);
            ck_ascending(&got);
            if (n < 40)
                ck_consistent(&level, &got, span, &seed);
        }
    ck_assert_uint_gt(n, 0);
}
END_TEST

START_TEST(joined_lists_follow_each_other_or_ascend)
{
    uint64_t seed = (uint64_t)_i;
    struct lists lists, joined;
    uint32_t span = random_lists(&seed, &lists, &from);

    for (uint32_t n = 1; n <= lists_count(&lists); n++) {
        if (lists_join(&lists, n, true, &joined, NULL) < 0)
            continue;
        join_by_hand(&from, n, &want);
        to_plain(&joined, &got);
        ck_same(&got, &want);
        ck_consistent(&joined, &got, span, &seed);
        ck_assert_int_eq(lists_join(&lists, n, false, &joined, NULL), 0);
        to_plain(&joined, &got);
        ck_assert_uint_eq(got.n, want.n);
        for (uint32_t i = 0; i < got.n; i++)
            for (uint32_t k = got.begin[i] + 1; k < got.begin[i + 1]; k++)
                ck_assert_uint_lt(got.members[k - 1], got.members[k]);
    }
}
END_TEST

/* ---- what was worked out on paper ---------------------------------------- */

START_TEST(levels_of_sixteen_by_2_2_4)
{
    const int64_t sizes[] = { 16 };
    const uint32_t firsts[] = { 0, 1, 0, 2, 0, 4, 8, 12 };
    struct lists lists, level;
    struct view view;

    make_view(&view, sizes, 1);
    lists_over(&view, 1, &lists);
    ck_assert_int_eq(lists_level(&lists, 1, 2, &level, NULL), 0);
    ck_assert_uint_eq(lists_member(&level, 0, 1), firsts[1]);
    ck_assert_int_eq(lists_level(&lists, 2, 2, &level, NULL), 0);
    ck_assert_uint_eq(lists_member(&level, 0, 1), firsts[3]);
    ck_assert_uint_eq(lists_member(&level, 1, 0), 1);
    ck_assert_int_eq(lists_level(&lists, 4, 4, &level, NULL), 0);
    for (uint32_t j = 0; j < 4; j++)
        ck_assert_uint_eq(lists_member(&level, 0, j), firsts[4 + j]);
    ck_assert_int_eq(lists_level(&lists, 3, 2, &level, NULL), -1);
    ck_assert_int_eq(lists_level(&lists, 8, 4, &level, NULL), -1);
    ck_assert_int_eq(lists_runs(&lists, 0, &level, NULL), -1);
    ck_assert_int_eq(lists_stride(&lists, 3, &level, NULL), -1);
    ck_assert_int_eq(lists_join(&lists, 2, false, &level, NULL), -1);
}
END_TEST

static const struct lists strange[] = {
    { .n_inner = 1, .inner = { { 4, 1 } }, .run = 5 },
    { .n_inner = 1, .inner = { { 4, 1 } }, .take = 4 },
    { .n_inner = 1, .inner = { { 4, 1 } }, .take = UINT32_MAX },
    { .n_inner = 1, .inner = { { 4, 1 } }, .run = 2, .take = 1 },
};

START_TEST(readings_that_mean_nothing_are_refused)
{
    struct error err = { 0 };
    uint32_t span = 0;

    ck_assert_int_eq(lists_check(&strange[_i], &span, &err), -1);
    ck_assert_int_eq(err.status, STATUS_INVALID);
}
END_TEST

static Suite *lists_suite(void)
{
    Suite *suite = suite_create("lists");
    TCase *tcase = tcase_create("shapes");

    tcase_add_loop_test(tcase, runs_are_consecutive_members, 0,
                        RANDOM_LISTS / LISTS_EACH);
    tcase_add_loop_test(tcase, taken_members_are_the_ends, 0,
                        RANDOM_LISTS / LISTS_EACH);
    tcase_add_loop_test(tcase, strided_parts_are_interleaved, 0, 50);
    tcase_add_loop_test(tcase, levels_are_digits_of_the_member, 0, 30);
    tcase_add_loop_test(tcase, joined_lists_follow_each_other_or_ascend, 0, 30);
    tcase_add_test(tcase, levels_of_sixteen_by_2_2_4);
    tcase_add_loop_test(tcase, readings_that_mean_nothing_are_refused, 0,
                        ARRAY_LEN(strange));
    suite_add_tcase(suite, tcase);
    return suite;
}

int main(void)
{
    return tap_run(lists_suite());
}
