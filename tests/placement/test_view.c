/* SPDX-License-Identifier: Apache-2.0 */
/* Views and group lists: worked examples, and properties on random meshes. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "placement/view.h"
#include "tests/placement/view_fixture.h"
#include "tests/tap.h"

static void ck_lists(const struct lists *lists, const uint32_t *ranks,
                     const uint32_t *want, uint32_t n)
{
    uint32_t got[64];

    ck_assert_uint_eq(lists_count(lists) * lists_length(lists), n);
    lists_expand(lists, ranks, 0, got);
    ck_assert_mem_eq(got, want, n * sizeof(*got));
}

/* ---- views -------------------------------------------------------------- */

START_TEST(rank_3_of_2x2x2_stands_at_0_1_1)
{
    const int64_t sizes[] = { 2, 2, 2 };
    const uint32_t at[] = { 0, 1, 1 };
    struct view view;

    make_view(&view, sizes, 3);
    ck_assert_uint_eq(view.span, 8);
    for (int a = 0; a < 3; a++)
        ck_assert_uint_eq(view_coordinate(&view, a, 3), at[a]);
    ck_assert_uint_eq(view_position(&view, at), 3);
    ck_assert_int_eq(view_axis(&view, "c"), 2);
    ck_assert_int_eq(view_axis(&view, "z"), -1);
}
END_TEST

START_TEST(a_set_of_axes_is_read_by_its_names)
{
    const int64_t sizes[] = { 2, 2, 2 };
    struct error err = { 0 };
    struct view view;
    uint32_t axes = 0;

    make_view(&view, sizes, 3);
    ck_assert_int_eq(view_axes(&view, "c+a", &axes, &err), 0);
    ck_assert_uint_eq(axes, 5);
    ck_assert_int_eq(view_axes(&view, "a+d", &axes, &err), -1);
    ck_assert_int_eq(err.status, STATUS_UNKNOWN_NAME);
    ck_assert_ptr_nonnull(strstr(err.text, "\"d\""));
    ck_assert_int_eq(view_axes(&view, "a+", &axes, &err), -1);
    ck_assert_int_eq(view_axes(&view, "", &axes, &err), -1);
    ck_assert_uint_eq(axes, 5);
}
END_TEST

START_TEST(a_view_of_no_axes_is_one_position)
{
    struct view view;
    struct lists lists;

    make_view(&view, NULL, 0);
    lists_over(&view, 0, &lists);
    ck_assert_uint_eq(view.span, 1);
    ck_lists(&lists, NULL, (const uint32_t[]){ 0 }, 1);
}
END_TEST

static const struct {
    int n;
    int64_t sizes[3];
    enum status status;
} bad_views[] = {
    { 2, { 2, 0 }, STATUS_INVALID },
    { 2, { -1, 2 }, STATUS_INVALID },
    { 1, { INT64_MIN }, STATUS_INVALID },
    { 1, { VIEW_SPAN_MAX + 1 }, STATUS_EXHAUSTED },
    { 3, { 1024, 1024, 2 }, STATUS_EXHAUSTED },
    { 2, { INT64_MAX, INT64_MAX }, STATUS_EXHAUSTED },
};

START_TEST(impossible_sizes_are_refused)
{
    struct error err = { 0 };
    struct view view = { .span = 77 };

    ck_assert_int_eq(
        view_init(&view, letters, bad_views[_i].sizes, bad_views[_i].n, &err),
        -1);
    ck_assert_int_eq(err.status, bad_views[_i].status);
    ck_assert_uint_eq(view.span, 77);
}
END_TEST

START_TEST(the_largest_span_is_accepted)
{
    struct view view;

    make_view(&view, (const int64_t[]){ 1024, 1, 1024 }, 3);
    ck_assert_uint_eq(view.span, VIEW_SPAN_MAX);
}
END_TEST

START_TEST(a_name_twice_and_too_many_axes_are_refused)
{
    const char *const names[VIEW_AXES_MAX + 1] = { "a", "b", "a" };
    const int64_t sizes[VIEW_AXES_MAX + 1] = { 2, 2, 2 };
    struct error err = { 0 };
    struct view view;

    ck_assert_int_eq(view_init(&view, names, sizes, 3, &err), -1);
    ck_assert_ptr_nonnull(strstr(err.text, "axis a stands twice"));
    ck_assert_int_eq(view_init(&view, names, sizes, VIEW_AXES_MAX + 1, &err),
                     -1);
    ck_assert_int_eq(err.status, STATUS_INVALID);
}
END_TEST

/* ---- lists -------------------------------------------------------------- */

static const struct {
    int64_t sizes[3];
    uint32_t axes; /* bit 0: the outermost */
    uint32_t length, want[8];
} worked[] = {
    { { 2, 2, 2 }, 4, 2, { 0, 1, 2, 3, 4, 5, 6, 7 } },
    { { 2, 2, 2 }, 2, 2, { 0, 2, 1, 3, 4, 6, 5, 7 } },
    { { 2, 2, 2 }, 1, 2, { 0, 4, 1, 5, 2, 6, 3, 7 } },
    { { 2, 2, 2 }, 5, 4, { 0, 1, 4, 5, 2, 3, 6, 7 } },
    { { 2, 2, 2 }, 7, 8, { 0, 1, 2, 3, 4, 5, 6, 7 } },
    { { 2, 2, 2 }, 0, 1, { 0, 1, 2, 3, 4, 5, 6, 7 } },
    { { 1, 1, 8 }, 4, 8, { 0, 1, 2, 3, 4, 5, 6, 7 } },
    { { 1, 1, 8 }, 2, 1, { 0, 1, 2, 3, 4, 5, 6, 7 } },
};

START_TEST(groups_hold_what_differs_only_on_their_axes)
{
    struct view view;
    struct lists lists;

    make_view(&view, worked[_i].sizes, 3);
    lists_over(&view, worked[_i].axes, &lists);
    ck_assert_uint_eq(lists_length(&lists), worked[_i].length);
    ck_lists(&lists, NULL, worked[_i].want, 8);
}
END_TEST

START_TEST(two_replicas_of_3x1x2_keep_the_order_of_their_ranks)
{
    const uint32_t ranks[] = { 6, 7, 8, 9, 10, 11, 0, 1, 2, 3, 4, 5 };
    const uint32_t want[] = { 6, 8, 10, 7, 9, 11, 0, 2, 4, 1, 3, 5 };
    struct view view;
    struct lists lists;

    make_view(&view, (const int64_t[]){ 2, 3, 1, 2 }, 4);
    lists_over(&view, 1U << 1, &lists);
    ck_lists(&lists, ranks, want, 12);
}
END_TEST

START_TEST(every_list_set_is_a_partition_in_canonical_order)
{
    static uint32_t members[SPAN_LIMIT], seen[SPAN_LIMIT];
    uint64_t seed = (uint64_t)_i;
    struct view view;
    struct lists lists;
    uint32_t length, j, span = 0;

    random_view(&view, &seed);
    lists_over(&view, draw(&seed, 1U << view.n_axes), &lists);
    length = lists_length(&lists);
    ck_assert_uint_eq(lists_count(&lists) * length, view.span);
    ck_assert_int_eq(lists_check(&lists, &span, NULL), 0);
    ck_assert_uint_eq(span, view.span);
    lists_expand(&lists, NULL, 0, members);
    memset(seen, 0, sizeof(seen));
    for (uint32_t k = 0; k < view.span; k++) {
        ck_assert_uint_lt(members[k], view.span);
        ck_assert_uint_eq(seen[members[k]]++, 0);
        ck_assert_uint_eq(members[k],
                          lists_member(&lists, k / length, k % length));
        ck_assert_uint_eq(lists_find(&lists, members[k], &j), k / length);
        ck_assert_uint_eq(j, k % length);
        if (k % length > 0)
            ck_assert_uint_gt(members[k], members[k - 1]);
        else if (k > 0)
            ck_assert_uint_gt(members[k], members[k - length]);
    }
}
END_TEST

START_TEST(coordinate_and_position_are_inverse)
{
    uint64_t seed = (uint64_t)_i;
    uint32_t at[VIEW_AXES_MAX];
    struct view view;

    random_view(&view, &seed);
    for (uint32_t p = 0; p < view.span; p++) {
        for (int a = 0; a < view.n_axes; a++) {
            at[a] = view_coordinate(&view, a, p);
            ck_assert_uint_lt(at[a], view.axes[a].size);
        }
        ck_assert_uint_eq(view_position(&view, at), p);
    }
}
END_TEST

START_TEST(any_part_of_an_expansion_is_that_part_of_the_whole)
{
    static uint32_t whole[SPAN_LIMIT], part[SPAN_LIMIT], ranks[SPAN_LIMIT];
    uint64_t seed = (uint64_t)_i;
    struct view view;
    struct lists lists;

    random_view(&view, &seed);
    lists_over(&view, draw(&seed, 1U << view.n_axes), &lists);
    for (uint32_t p = 0; p < view.span; p++)
        ranks[p] = draw(&seed, 1 << 20);
    for (int with_ranks = 0; with_ranks < 2; with_ranks++) {
        const uint32_t *given = with_ranks ? ranks : NULL;
        uint32_t begin = draw(&seed, view.span);
        uint32_t n = draw(&seed, view.span - begin + 1);

        lists_expand(&lists, given, 7, whole);
        lists_expand_part(&lists, given, 7, begin, n, part);
        ck_assert_mem_eq(part, whole + begin, n * sizeof(*part));
        ck_assert_uint_eq(whole[0], (with_ranks ? ranks[0] : 0) + 7);
    }
}
END_TEST

START_TEST(long_axes_expand_to_their_members)
{
    const int64_t shapes[][3] = {
        { 3, 4099, 5 }, { 1 << 20, 1, 1 }, { 2, 1 << 19, 1 }, { 700, 3, 499 }
    };
    struct view view;
    struct lists lists;
    uint32_t *members, n;

    make_view(&view, shapes[_i / 8], 3);
    lists_over(&view, (uint32_t)_i % 8, &lists);
    members = malloc(view.span * sizeof(*members));
    ck_assert_ptr_nonnull(members);
    lists_expand(&lists, NULL, 0, members);
    n = lists_length(&lists);
    for (uint32_t k = 0; k < view.span; k++)
        if (members[k] != lists_member(&lists, k / n, k % n))
            ck_abort_msg("entry %u is %u", k, members[k]);
    free(members);
}
END_TEST

/* ---- cutting ------------------------------------------------------------ */

static int by_first(const void *a, const void *b)
{
    const uint32_t *x = *(const uint32_t *const *)a;
    const uint32_t *y = *(const uint32_t *const *)b;

    return (*x > *y) - (*x < *y);
}

/* The parts of members, each of n, sorted by first member. */
static void cut_by_hand(const uint32_t *members, uint32_t all, uint32_t n,
                        uint32_t *ret)
{
    static const uint32_t *parts[SPAN_LIMIT];

    for (uint32_t k = 0; k < all / n; k++)
        parts[k] = members + k * n;
    qsort(parts, all / n, sizeof(*parts), by_first);
    for (uint32_t k = 0; k < all / n; k++)
        memcpy(ret + k * n, parts[k], n * sizeof(*ret));
}

START_TEST(a_cut_list_is_the_list_cut_by_hand_and_sorted)
{
    static uint32_t whole[SPAN_LIMIT], got[SPAN_LIMIT], want[SPAN_LIMIT];
    static uint32_t whole_runs[SPAN_LIMIT];
    uint64_t seed = (uint64_t)_i;
    struct view view;
    struct lists lists, cut, again;
    uint32_t span = 0;

    random_view(&view, &seed);
    lists_over(&view, draw(&seed, 1U << view.n_axes), &lists);
    lists_expand(&lists, NULL, 0, whole);
    for (uint32_t parts = 1; parts <= lists_length(&lists); parts++) {
        uint32_t n = lists_length(&lists) / parts;

        if (lists_cut(&lists, parts, &cut, NULL) < 0)
            continue;
        ck_assert_uint_eq(lists_length(&cut), n);
        ck_assert_int_eq(lists_check(&cut, &span, NULL), 0);
        cut_by_hand(whole, view.span, n, want);
        lists_expand(&cut, NULL, 0, got);
        if (cut.run != 0) { /* which come in an order of their own */
            memcpy(whole_runs, got, view.span * sizeof(*got));
            cut_by_hand(whole_runs, view.span, n, got);
        }
        ck_assert_mem_eq(got, want, view.span * sizeof(*got));
        if (parts == 1)
            ck_assert(lists_equal(&cut, &lists));
        if (lists_cut(&cut, n, &again, NULL) == 0)
            ck_assert_uint_eq(lists_length(&again), 1);
    }
}
END_TEST

static const struct {
    uint32_t parts;
    int rc;
} cuts[] = {
    { 1, 0 },  { 2, 0 },  { 6, 0 },  { 3, 0 },   { 24, 0 }, { 12, 0 },
    { 0, -1 }, { 5, -1 }, { 7, -1 }, { 48, -1 }, { 4, 0 }, /* parts of 6 end
                                                              inside an axis of
                                                              4: runs */
    { 8, 0 }, /* parts of 3, likewise */
};

START_TEST(a_cut_into_unequal_parts_is_refused)
{
    const int64_t sizes[] = { 6, 5, 4 };
    struct error err = { 0 };
    struct view view;
    struct lists lists, cut;

    make_view(&view, sizes, 3);
    lists_over(&view, 1U << 0 | 1U << 2, &lists);
    ck_assert_int_eq(lists_cut(&lists, cuts[_i].parts, &cut, &err),
                     cuts[_i].rc);
    ck_assert_int_eq(err.status, cuts[_i].rc < 0 ? STATUS_INVALID : STATUS_OK);
}
END_TEST

static const struct lists strange[] = {
    { .n_outer = -1 },
    { .n_outer = VIEW_AXES_MAX + 2 },
    { .n_inner = 1, .inner = { { 0, 1 } } },
    { .n_inner = 1, .inner = { { 4, 0 } } },
    { .n_inner = 1, .inner = { { 4, 2 } } },
    { .n_inner = 1, .inner = { { UINT32_MAX, 1 } } },
    { .n_inner = 1, .inner = { { 2, UINT32_MAX } } },
    { .n_inner = 1,
      .inner = { { 2, 1 } },
      .n_outer = 1,
      .outer = { { 2, 1 } } },
    { .n_inner = 1,
      .inner = { { 2, 1 } },
      .n_outer = 1,
      .outer = { { 2, 4 } } },
};

START_TEST(lists_that_are_no_partition_are_refused)
{
    struct error err = { 0 };
    uint32_t span = 77;

    ck_assert_int_eq(lists_check(&strange[_i], &span, &err), -1);
    ck_assert_int_eq(err.status, STATUS_INVALID);
    ck_assert_uint_eq(span, 77);
}
END_TEST

static Suite *view_suite(void)
{
    Suite *suite = suite_create("view");
    TCase *views = tcase_create("views"), *lists = tcase_create("lists");

    tcase_add_test(views, rank_3_of_2x2x2_stands_at_0_1_1);
    tcase_add_test(views, a_set_of_axes_is_read_by_its_names);
    tcase_add_test(views, a_view_of_no_axes_is_one_position);
    tcase_add_test(views, the_largest_span_is_accepted);
    tcase_add_loop_test(views, impossible_sizes_are_refused, 0,
                        ARRAY_LEN(bad_views));
    tcase_add_test(views, a_name_twice_and_too_many_axes_are_refused);
    tcase_add_loop_test(lists, groups_hold_what_differs_only_on_their_axes, 0,
                        ARRAY_LEN(worked));
    tcase_add_test(lists, two_replicas_of_3x1x2_keep_the_order_of_their_ranks);
    tcase_add_loop_test(lists, every_list_set_is_a_partition_in_canonical_order,
                        0, RANDOM_VIEWS);
    tcase_add_loop_test(lists, coordinate_and_position_are_inverse, 0, 50);
    tcase_add_loop_test(lists,
                        any_part_of_an_expansion_is_that_part_of_the_whole, 0,
                        RANDOM_VIEWS);
    tcase_add_loop_test(lists, long_axes_expand_to_their_members, 0, 32);
    tcase_add_loop_test(lists, a_cut_list_is_the_list_cut_by_hand_and_sorted, 0,
                        RANDOM_VIEWS);
    tcase_add_loop_test(lists, a_cut_into_unequal_parts_is_refused, 0,
                        ARRAY_LEN(cuts));
    tcase_add_loop_test(lists, lists_that_are_no_partition_are_refused, 0,
                        ARRAY_LEN(strange));
    suite_add_tcase(suite, views);
    suite_add_tcase(suite, lists);
    return suite;
}

int main(void)
{
    return tap_run(view_suite());
}
