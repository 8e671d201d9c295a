/* SPDX-License-Identifier: Apache-2.0 */
/* Digests, against values computed from docs/protocol.md by another program. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "placement/digest.h"
#include "tests/tap.h"

enum { ARENA_BYTES = 1 << 22 };

static const char *const letters[] = { "outer", "inner" };

static const struct creation nothing = { .count = 0 };

static void ck_hex(const uint8_t *bytes, size_t n, const char *want)
{
    char got[2 * DIGEST_BYTES + 1];

    for (size_t i = 0; i < n; i++)
        snprintf(got + 2 * i, 3, "%02x", bytes[i]);
    ck_assert_str_eq(got, want);
}

static void make_lists(int64_t outer, int64_t inner, struct lists ret[3])
{
    const int64_t sizes[] = { outer, inner };
    struct view view;

    ck_assert_int_eq(view_init(&view, letters, sizes, 2, NULL), 0);
    lists_over(&view, 1, &ret[0]);
    lists_over(&view, 2, &ret[1]);
    lists_over(&view, 3, &ret[2]);
}

START_TEST(the_worked_example_of_the_protocol_holds)
{
    struct arena *arena = arena_new(ARENA_BYTES);
    struct lists lists[3];
    const struct creation_source whole = { "instance", &lists[2], NULL, 0 };
    const struct creation_source axes[] = {
        { "mesh.outer", &lists[0], NULL, 0 },
        { "mesh.inner", &lists[1], NULL, 0 },
    };
    const struct creation_step steps[] = {
        { "cpu", false, &whole, 1 },
        { "gpu", true, axes, 2 },
    };
    struct digest_builder *builder = digest_begin(arena, 2, NULL);
    uint8_t short_form[DIGEST_SHORT_BYTES], digest[DIGEST_BYTES];
    struct creation sequence;

    make_lists(2, 3, lists);
    ck_assert_int_eq(creation_make(arena, steps, 2, &sequence, NULL), 0);
    digest_add_list(builder, "mesh.outer", &lists[0], NULL, 0, short_form);
    ck_hex(short_form, sizeof(short_form), "4c81c7397c7f11e6");
    digest_add_list(builder, "mesh.inner", &lists[1], NULL, 0, short_form);
    ck_hex(short_form, sizeof(short_form), "951d8fd8a3a5d20a");
    digest_end(builder, &sequence, short_form, digest);
    ck_hex(short_form, sizeof(short_form), "ca79d83233c2e009");
    ck_hex(digest, sizeof(digest),
           "47bb36b67569af85846f5b3e638bbca7a2316fe48ad557f27ac5ca27eed7d0f0");
    arena_free(arena);
}
END_TEST

START_TEST(a_table_of_nothing_has_a_digest)
{
    struct arena *arena = arena_new(ARENA_BYTES);
    struct digest_builder *builder = digest_begin(arena, 0, NULL);
    uint8_t short_form[DIGEST_SHORT_BYTES], digest[DIGEST_BYTES];

    digest_end(builder, &nothing, short_form, digest);
    ck_hex(digest, sizeof(digest),
           "d119cc1c7d354ae36fb538505521fbabc7b7316860d882893d36393509783446");
    arena_free(arena);
}
END_TEST

static const uint32_t shuffled[] = { 4, 5, 6, 7, 0, 1, 2, 3 };

static const struct {
    char name; /* 'x': three hundred of them */
    int64_t outer, inner;
    int list;
    const uint32_t *ranks;
    uint32_t offset;
    const char *want;
} long_lists[] = {
    { 'x', 2, 4096, 0, NULL, 0, "677936a7e05514f5" },
    { 'o', 2, 4096, 2, NULL, 0, "e776308363465a1d" },
    { 'f', 4, 2, 1, shuffled, 10, "0e38bc9477aa2d0a" },
};

START_TEST(lists_longer_than_a_buffer_and_with_ranks_of_their_own)
{
    struct arena *arena = arena_new(ARENA_BYTES);
    struct digest_builder *builder = digest_begin(arena, 1, NULL);
    uint8_t short_form[DIGEST_SHORT_BYTES];
    char xs[301];
    const char *name = long_lists[_i].name == 'x'   ? xs
                       : long_lists[_i].name == 'o' ? "one"
                                                    : "off";
    struct lists lists[3];

    memset(xs, 'x', sizeof(xs) - 1);
    xs[sizeof(xs) - 1] = '\0';
    make_lists(long_lists[_i].outer, long_lists[_i].inner, lists);
    digest_add_list(builder, name, &lists[long_lists[_i].list],
                    long_lists[_i].ranks, long_lists[_i].offset, short_form);
    ck_hex(short_form, sizeof(short_form), long_lists[_i].want);
    arena_free(arena);
}
END_TEST

START_TEST(a_long_created_group_is_digested_whole)
{
    struct arena *arena = arena_new(ARENA_BYTES);
    struct lists lists[3];
    const struct creation_source one = { "one", &lists[2], NULL, 0 };
    const struct creation_step step = { "gpu", false, &one, 1 };
    struct digest_builder *builder = digest_begin(arena, 0, NULL);
    uint8_t short_form[DIGEST_SHORT_BYTES], digest[DIGEST_BYTES];
    struct creation sequence;

    make_lists(2, 4096, lists);
    ck_assert_int_eq(creation_make(arena, &step, 1, &sequence, NULL), 0);
    digest_end(builder, &sequence, short_form, digest);
    ck_hex(short_form, sizeof(short_form), "3bfd11d363323167");
    arena_free(arena);
}
END_TEST

START_TEST(irregular_lists_are_digested_one_by_one)
{
    static const uint32_t some[] = { 0, 5, 6, UINT32_MAX };
    const struct rank_list groups[] = { { some, 3 },
                                        { NULL, 0 },
                                        { some + 3, 1 } };
    struct arena *arena = arena_new(ARENA_BYTES);
    struct digest_builder *builder = digest_begin(arena, 1, NULL);
    uint8_t short_form[DIGEST_SHORT_BYTES];

    digest_add_explicit(builder, "odd", groups, 3, short_form);
    ck_hex(short_form, sizeof(short_form), "c9a1b3b14498510a");
    arena_free(arena);
}
END_TEST

START_TEST(a_list_has_one_digest_however_it_is_given)
{
    static const uint32_t all[] = { 0, 3, 1, 4, 2, 5 };
    const struct rank_list groups[] = { { all, 2 },
                                        { all + 2, 2 },
                                        { all + 4, 2 } };
    const struct rank_list other[] = { { all, 2 },
                                       { all + 2, 2 },
                                       { all + 3, 2 } };
    struct arena *arena = arena_new(ARENA_BYTES);
    struct digest_builder *builder = digest_begin(arena, 4, NULL);
    uint8_t a[DIGEST_SHORT_BYTES], b[DIGEST_SHORT_BYTES];
    struct lists lists[3];

    make_lists(2, 3, lists);
    digest_add_list(builder, "mesh.outer", &lists[0], NULL, 0, a);
    digest_add_explicit(builder, "mesh.outer", groups, 3, b);
    ck_assert_mem_eq(a, b, sizeof(a));
    digest_add_explicit(builder, "mesh.other", groups, 3, b);
    ck_assert_mem_ne(a, b, sizeof(a));
    digest_add_explicit(builder, "mesh.outer", other, 3, b);
    ck_assert_mem_ne(a, b, sizeof(a));
    arena_free(arena);
}
END_TEST

START_TEST(digests_are_equal_when_every_bit_is)
{
    uint8_t a[DIGEST_BYTES], b[DIGEST_BYTES];

    for (size_t i = 0; i < sizeof(a); i++)
        a[i] = b[i] = (uint8_t)(7 * i);
    ck_assert(digest_equal(a, b));
    for (size_t bit = 0; bit < 8 * sizeof(a); bit++) {
        b[bit / 8] ^= (uint8_t)(1u << bit % 8);
        ck_assert(!digest_equal(a, b));
        ck_assert(!digest_equal(b, a));
        b[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    ck_assert(digest_equal(b, a));
}
END_TEST

START_TEST(a_full_arena_is_said)
{
    struct arena *arena = arena_new(16);
    struct error err = { 0 };

    ck_assert_ptr_null(digest_begin(arena, 1, &err));
    ck_assert_int_eq(err.status, STATUS_EXHAUSTED);
    arena_free(arena);
}
END_TEST

static Suite *digest_suite(void)
{
    Suite *suite = suite_create("digest");
    TCase *tcase = tcase_create("digest");

    tcase_add_test(tcase, the_worked_example_of_the_protocol_holds);
    tcase_add_test(tcase, a_table_of_nothing_has_a_digest);
    tcase_add_loop_test(tcase,
                        lists_longer_than_a_buffer_and_with_ranks_of_their_own,
                        0, ARRAY_LEN(long_lists));
    tcase_add_test(tcase, a_long_created_group_is_digested_whole);
    tcase_add_test(tcase, irregular_lists_are_digested_one_by_one);
    tcase_add_test(tcase, a_list_has_one_digest_however_it_is_given);
    tcase_add_test(tcase, digests_are_equal_when_every_bit_is);
    tcase_add_test(tcase, a_full_arena_is_said);
    suite_add_tcase(suite, tcase);
    return suite;
}

int main(void)
{
    return tap_run(digest_suite());
}
