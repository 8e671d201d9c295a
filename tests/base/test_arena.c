/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of base/arena. */
#include "base/arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "tests/tap.h"

static struct arena *arena;

static void set_up(void)
{
    arena = arena_new(1 << 16);
    ck_assert_ptr_nonnull(arena);
}

static void tear_down(void)
{
    arena_free(arena);
}

static const size_t sizes[] = { 0, 1, 15, 16, 17, 4095, 4096, 4097, 40000 };

START_TEST(memory_is_zeroed_aligned_and_apart)
{
    unsigned char *first = arena_alloc(arena, sizes[_i]);
    unsigned char *second = arena_alloc(arena, 8);

    ck_assert_ptr_nonnull(first);
    ck_assert_ptr_nonnull(second);
    ck_assert_uint_eq((uintptr_t)first % alignof(max_align_t), 0);
    ck_assert_uint_eq((uintptr_t)second % alignof(max_align_t), 0);
    for (size_t i = 0; i < sizes[_i]; i++)
        ck_assert_uint_eq(first[i], 0);
    memset(first, 0xff, sizes[_i]);
    for (size_t i = 0; i < 8; i++)
        ck_assert_uint_eq(second[i], 0);
}
END_TEST

START_TEST(everything_up_to_the_cap_is_handed_out)
{
    for (int i = 0; i < (1 << 16) / 64; i++)
        ck_assert_ptr_nonnull(arena_alloc(arena, 64));
    ck_assert_uint_eq(arena_used(arena), 1 << 16);
}
END_TEST

START_TEST(nothing_beyond_the_cap_is_handed_out)
{
    ck_assert_ptr_null(arena_alloc(arena, (1 << 16) + 1));
    ck_assert_uint_eq(arena_used(arena), 0);
    ck_assert_ptr_nonnull(arena_alloc(arena, 1 << 16));
    ck_assert_ptr_null(arena_alloc(arena, 1));
}
END_TEST

START_TEST(room_is_counted_like_memory_that_is_zeroed)
{
    unsigned char *first = arena_room(arena, 1 << 15);
    unsigned char *second;

    ck_assert_ptr_nonnull(first);
    memset(first, 0xff, 1 << 15);
    second = arena_alloc(arena, 1 << 15);
    ck_assert_ptr_nonnull(second);
    ck_assert_int_eq(second[0], 0);
    ck_assert_ptr_null(arena_room(arena, 1));
    ck_assert_uint_eq(arena_used(arena), 1 << 16);
}
END_TEST

START_TEST(a_raised_cap_gives_more_and_keeps_what_was_handed_out)
{
    char *kept = arena_strdup(arena, "kept");

    ck_assert_ptr_null(arena_alloc(arena, 1 << 16));
    arena_raise_cap(arena, 1 << 17);
    ck_assert_ptr_nonnull(arena_alloc(arena, 1 << 16));
    ck_assert_ptr_null(arena_alloc(arena, 1 << 16));
    ck_assert_str_eq(kept, "kept");
}
END_TEST

START_TEST(sizes_that_overflow_are_refused)
{
    ck_assert_ptr_null(arena_alloc(arena, SIZE_MAX));
    ck_assert_ptr_null(arena_alloc(arena, SIZE_MAX - 15));
    ck_assert_ptr_null(arena_array(arena, SIZE_MAX / 8 + 1, 8));
    ck_assert_ptr_null(arena_array(arena, 2, SIZE_MAX));
    ck_assert_uint_eq(arena_used(arena), 0);
}
END_TEST

START_TEST(an_array_holds_all_its_items)
{
    uint64_t *items = arena_array(arena, 100, sizeof(*items));

    ck_assert_ptr_nonnull(items);
    for (int i = 0; i < 100; i++)
        ck_assert_uint_eq(items[i], 0);
    ck_assert_uint_ge(arena_used(arena), 100 * sizeof(*items));
    ck_assert_ptr_nonnull(arena_array(arena, 0, 8));
    ck_assert_ptr_nonnull(arena_array(arena, 8, 0));
}
END_TEST

START_TEST(strings_are_copied_and_ended)
{
    char word[] = "rank and file";
    char *copy = arena_strdup(arena, word);
    char *part = arena_strndup(arena, word, 4);

    word[0] = 'X';
    ck_assert_str_eq(copy, "rank and file");
    ck_assert_str_eq(part, "rank");
    ck_assert_str_eq(arena_printf(arena, "%s %d", part, 3), "rank 3");
    ck_assert_str_eq(arena_printf(arena, "%s", ""), "");
}
END_TEST

START_TEST(strings_beyond_the_cap_are_refused)
{
    struct arena *small = arena_new(16);

    ck_assert_ptr_null(arena_strdup(small, "seventeen letters"));
    ck_assert_ptr_null(arena_printf(small, "%20d", 1));
    ck_assert_str_eq(arena_strdup(small, "fifteen letters"), "fifteen letters");
    arena_free(small);
}
END_TEST

START_TEST(a_reset_arena_gives_its_whole_cap_again)
{
    for (int round = 0; round < 3; round++) {
        char *data = arena_alloc(arena, 30000);

        ck_assert_ptr_nonnull(data);
        ck_assert_int_eq(data[29999], 0);
        memset(data, 0xff, 30000);
        ck_assert_ptr_nonnull(arena_alloc(arena, 35000));
        arena_reset(arena);
        ck_assert_uint_eq(arena_used(arena), 0);
    }
}
END_TEST

START_TEST(a_rewound_arena_forgets_what_came_after_the_mark)
{
    char *kept = arena_strdup(arena, "kept");
    struct arena_mark outer = arena_mark(arena), inner;
    size_t used = arena_used(arena);

    memset(arena_alloc(arena, 20000), 0xff, 20000);
    inner = arena_mark(arena);
    ck_assert_ptr_nonnull(arena_alloc(arena, 30000));
    arena_rewind(arena, inner);
    arena_rewind(arena, outer);
    ck_assert_uint_eq(arena_used(arena), used);
    ck_assert_str_eq(kept, "kept");
    ck_assert_int_eq(*(char *)arena_alloc(arena, 16), 0);
    ck_assert_str_eq(kept, "kept");
}
END_TEST

START_TEST(an_empty_arena_can_be_rewound)
{
    struct arena_mark mark = arena_mark(arena);

    for (int round = 0; round < 3; round++) {
        ck_assert_ptr_nonnull(arena_alloc(arena, 60000));
        arena_rewind(arena, mark);
        ck_assert_uint_eq(arena_used(arena), 0);
    }
}
END_TEST

START_TEST(a_failure_is_remembered_until_the_reset)
{
    struct arena_mark mark = arena_mark(arena);

    ck_assert_ptr_nonnull(arena_alloc(arena, 100));
    ck_assert(!arena_failed(arena));
    ck_assert_ptr_null(arena_alloc(arena, 1 << 17));
    ck_assert_ptr_nonnull(arena_alloc(arena, 100));
    arena_rewind(arena, mark);
    ck_assert(arena_failed(arena));
    arena_reset(arena);
    ck_assert(!arena_failed(arena));
    ck_assert_ptr_null(arena_array(arena, (size_t)-1, 2));
    ck_assert(arena_failed(arena));
}
END_TEST

START_TEST(an_arena_that_rests_keeps_a_small_block_only)
{
    unsigned char *first = arena_alloc(arena, 1000), *again;

    memset(first, 1, 1000);
    arena_rest(arena, 1 << 16);
    again = arena_alloc(arena, 1000);
    ck_assert_ptr_eq(first, again);
    ck_assert_uint_eq(again[999], 0);
    ck_assert_uint_eq(arena_used(arena), 1008);
    arena_rest(arena, 100);
    ck_assert_uint_eq(arena_used(arena), 0);
    arena_rest(arena, 100); /* there is nothing left to keep */
    ck_assert_ptr_nonnull(arena_alloc(arena, 1000));
}
END_TEST

START_TEST(freeing_nothing_is_allowed)
{
    struct arena *empty = arena_new(0);

    arena_free(NULL);
    arena_reset(empty);
    ck_assert_ptr_null(arena_alloc(empty, 1));
    arena_free(empty);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("arena");
    TCase *tc = tcase_create("arena");

    tcase_add_checked_fixture(tc, set_up, tear_down);
    tcase_add_loop_test(tc, memory_is_zeroed_aligned_and_apart, 0,
                        ARRAY_LEN(sizes));
    tcase_add_test(tc, everything_up_to_the_cap_is_handed_out);
    tcase_add_test(tc, nothing_beyond_the_cap_is_handed_out);
    tcase_add_test(tc, room_is_counted_like_memory_that_is_zeroed);
    tcase_add_test(tc, a_raised_cap_gives_more_and_keeps_what_was_handed_out);
    tcase_add_test(tc, sizes_that_overflow_are_refused);
    tcase_add_test(tc, an_array_holds_all_its_items);
    tcase_add_test(tc, strings_are_copied_and_ended);
    tcase_add_test(tc, strings_beyond_the_cap_are_refused);
    tcase_add_test(tc, a_reset_arena_gives_its_whole_cap_again);
    tcase_add_test(tc, a_rewound_arena_forgets_what_came_after_the_mark);
    tcase_add_test(tc, an_empty_arena_can_be_rewound);
    tcase_add_test(tc, a_failure_is_remembered_until_the_reset);
    tcase_add_test(tc, an_arena_that_rests_keeps_a_small_block_only);
    tcase_add_test(tc, freeing_nothing_is_allowed);
    suite_add_tcase(suite, tc);
    return tap_run(suite);
}
