/* SPDX-License-Identifier: Apache-2.0 */
/* Tests values: where they come from, how they compare and print. */
#include <math.h>
#include <string.h>

#include "tests/tap.h"
#include "placement/value.h"

enum { ARENA_BYTES = 1 << 20 };

static const struct value ints[] = {
    { .type = VALUE_INT, .u.integer = 4 },
    { .type = VALUE_INT, .u.integer = 8 },
};

START_TEST(a_value_has_sixteen_bytes)
{
    ck_assert_uint_eq(sizeof(struct value), 16);
}
END_TEST

static void check_print(struct value v, const char *expected)
{
    struct text out = { 0 };

    value_print(v, &out);
    ck_assert_str_eq(text_string(&out), expected);
    text_close(&out);
}

START_TEST(values_print_as_a_reader_expects)
{
    check_print(value_int(INT64_MIN), "-9223372036854775808");
    check_print(value_double(2.5), "2.5");
    check_print(value_double(2.0), "2");
    check_print(value_double(1e30), "1e+30");
    check_print(value_bool(true), "true");
    check_print(value_bool(false), "false");
    check_print(value_string("neuron"), "neuron");
    check_print(value_list(ints, 2), "[4, 8]");
    check_print(value_list(NULL, 0), "[]");
    check_print(value_object(3, ints), "an item");
    check_print(value_unknown(), "unknown");
    check_print(value_undefined(), "undefined");
}
END_TEST

START_TEST(long_and_deep_lists_are_cut)
{
    struct value nine[9], deep[5];

    for (int i = 0; i < 9; i++)
        nine[i] = value_int(i);
    check_print(value_list(nine, 8), "[0, 1, 2, 3, 4, 5, 6, 7]");
    check_print(value_list(nine, 9), "[0, 1, 2, 3, 4, 5, 6, 7, ...]");
    deep[0] = value_int(1);
    for (uint32_t i = 1; i < 5; i++)
        deep[i] = value_list(&deep[i - 1], 1);
    check_print(deep[3], "[[[1]]]");
    check_print(deep[4], "[[[[...]]]]");
}
END_TEST

static struct tree *sample_map(struct arena *arena, int64_t rows)
{
    struct tree_maker maker = { .arena = arena };
    struct tree *map = make_map(&maker, NULL, NULL);
    struct tree *list = make_list(&maker, map, "sizes");

    make_int(&maker, list, NULL, 4);
    make_double(&maker, list, NULL, 2.5);
    make_bool(&maker, map, "cp", true);
    make_string(&maker, map, "name", "a");
    make_int(&maker, map, "rows", rows);
    tree_new(arena, map, "none", TREE_NULL);
    return map;
}

START_TEST(a_document_gives_values)
{
    struct arena *arena = arena_new(ARENA_BYTES), *tiny = arena_new(16);
    struct tree *map = sample_map(arena, 2), *number;
    struct value v = value_of_tree(map, arena);

    ck_assert_int_eq(v.type, VALUE_MAP);
    check_print(v, "{sizes: [4, 2.5], cp: true, name: \"a\", rows: 2, none: "
                   "unknown}");
    check_print(value_of_tree(tree_get(map, "sizes"), arena), "[4, 2.5]");
    check_print(value_of_tree(tree_get(map, "sizes"), tiny), "undefined");
    check_print(value_of_tree(tree_get(map, "sizes"), NULL), "undefined");
    check_print(value_of_tree(tree_get(map, "rows"), NULL), "2");
    check_print(value_of_tree(tree_get(map, "name"), NULL), "a");
    check_print(value_of_tree(tree_get(map, "none"), NULL), "unknown");
    check_print(value_of_tree(NULL, NULL), "unknown");
    number = tree_new(arena, NULL, NULL, TREE_DOUBLE);
    number->u.number = (double)INFINITY;
    check_print(value_of_tree(number, NULL), "undefined");
    number->u.number = (double)NAN;
    check_print(value_of_tree(number, NULL), "undefined");
    arena_free(tiny);
    arena_free(arena);
}
END_TEST

START_TEST(a_document_that_is_wide_or_deep_is_cut)
{
    struct arena *arena = arena_new(ARENA_BYTES);
    struct tree_maker maker = { .arena = arena };
    struct tree *top = make_map(&maker, NULL, NULL), *below = top;

    for (int i = 0; i < 5; i++)
        below = make_map(&maker, below, "a");
    check_print(value_of_tree(top, arena), "{a: {a: {a: {...}}}}");
    top = make_map(&maker, NULL, NULL);
    for (int i = 0; i < 9; i++)
        make_int(&maker, top, (const char[]){ (char)('a' + i), '\0' }, i);
    check_print(value_of_tree(top, arena),
                "{a: 0, b: 1, c: 2, d: 3, e: 4, f: 5, g: 6, h: 7, ...}");
    arena_free(arena);
}
END_TEST

START_TEST(equal_values_have_one_type_and_content)
{
    const struct value same[] = { ints[0], ints[1] };

    ck_assert(value_equal(value_int(4), value_int(4)));
    ck_assert(!value_equal(value_int(4), value_int(5)));
    ck_assert(value_equal(value_int(4), value_double(4)));
    ck_assert(value_equal(value_double(4), value_int(4)));
    ck_assert(!value_equal(value_double(4.5), value_int(4)));
    ck_assert(value_equal(value_double(0.5), value_double(0.5)));
    ck_assert(value_equal(value_string("a"), value_string("a")));
    ck_assert(!value_equal(value_string("a"), value_string("ab")));
    ck_assert(!value_equal(value_string("4"), value_int(4)));
    ck_assert(!value_equal(value_bool(true), value_int(1)));
    ck_assert(value_equal(value_bool(true), value_bool(true)));
    ck_assert(!value_equal(value_bool(true), value_bool(false)));
    ck_assert(value_equal(value_list(ints, 2), value_list(same, 2)));
    ck_assert(!value_equal(value_list(ints, 2), value_list(same, 1)));
    ck_assert(!value_equal(value_list(ints, 1), value_list(ints + 1, 1)));
    ck_assert(value_equal(value_object(1, ints), value_object(1, ints)));
    ck_assert(!value_equal(value_object(1, ints), value_object(2, ints)));
    ck_assert(!value_equal(value_object(1, ints), value_object(1, same)));
    ck_assert(!value_equal(value_unknown(), value_unknown()));
    ck_assert(!value_equal(value_undefined(), value_int(1)));
}
END_TEST

START_TEST(maps_are_equal_by_keys_in_order_and_values)
{
    struct arena *arena = arena_new(ARENA_BYTES);
    struct tree *a = sample_map(arena, 2), *b = sample_map(arena, 2);
    struct tree *c = sample_map(arena, 3);
    struct tree *d = tree_new(arena, NULL, NULL, TREE_MAP);

    ck_assert(value_equal(value_of_tree(a, arena), value_of_tree(b, arena)));
    ck_assert(!value_equal(value_of_tree(a, arena), value_of_tree(c, arena)));
    ck_assert(!value_equal(value_of_tree(a, arena), value_of_tree(d, arena)));
    arena_free(arena);
}
END_TEST

/* clang-format off */
static const struct {
    struct value below, above;
} ordered[] = {
    { { .type = VALUE_INT, .u.integer = INT64_MIN },
      { .type = VALUE_INT, .u.integer = INT64_MAX } },
    { { .type = VALUE_INT, .u.integer = 4 },
      { .type = VALUE_DOUBLE, .u.number = 4.5 } },
    { { .type = VALUE_INT, .u.integer = -5 },
      { .type = VALUE_DOUBLE, .u.number = -4.5 } },
    { { .type = VALUE_DOUBLE, .u.number = -4.5 },
      { .type = VALUE_INT, .u.integer = -4 } },
    { { .type = VALUE_DOUBLE, .u.number = 0x1p53 },
      { .type = VALUE_INT, .u.integer = (1LL << 53) + 1 } },
    { { .type = VALUE_INT, .u.integer = INT64_MAX },
      { .type = VALUE_DOUBLE, .u.number = 0x1p63 } },
    { { .type = VALUE_DOUBLE, .u.number = -0x1.0000000000001p63 },
      { .type = VALUE_INT, .u.integer = INT64_MIN } },
    { { .type = VALUE_DOUBLE, .u.number = 0.25 },
      { .type = VALUE_DOUBLE, .u.number = 0.5 } },
    { { .type = VALUE_STRING, .count = 1, .u.string = "a" },
      { .type = VALUE_STRING, .count = 2, .u.string = "ab" } },
    { { .type = VALUE_STRING, .count = 2, .u.string = "az" },
      { .type = VALUE_STRING, .count = 1, .u.string = "b" } },
    { { .type = VALUE_STRING, .count = 1, .u.string = "z" },
      { .type = VALUE_STRING, .count = 2, .u.string = "\xc3\xa9" } },
};
/* clang-format on */

START_TEST(numbers_are_ordered_exactly_and_strings_by_bytes)
{
    struct value a = ordered[_i].below, b = ordered[_i].above;

    ck_assert_int_lt(value_order(a, b), 0);
    ck_assert_int_gt(value_order(b, a), 0);
    ck_assert_int_eq(value_order(a, a), 0);
    ck_assert(!value_equal(a, b));
}
END_TEST

/* clang-format off */
static const struct {
    unsigned types;
    const char *names;
} type_names[] = {
    { VALUE_INT, "integer" }, { VALUE_NUMBER, "number" },
    { VALUE_DOUBLE, "decimal" }, { VALUE_BOOL, "boolean" },
    { VALUE_INT | VALUE_LIST, "integer or list" },
    { VALUE_NUMBER | VALUE_STRING, "number or string" },
    { VALUE_INT | VALUE_STRING | VALUE_LIST, "integer, string or list" },
    { VALUE_LIST | VALUE_MAP, "list or map" },
    { VALUE_BOOL | VALUE_MAP | VALUE_OBJECT, "boolean, map or item" },
    { VALUE_NUMBER | VALUE_BOOL | VALUE_STRING | VALUE_LIST,
      "number, boolean, string or list" },
    { VALUE_ANY, "value of any type" },
};
/* clang-format on */

START_TEST(types_have_names)
{
    struct text out = { 0 };

    value_types_print(type_names[_i].types, &out);
    ck_assert_str_eq(text_string(&out), type_names[_i].names);
    text_close(&out);
}
END_TEST

START_TEST(an_integer_is_taken_only_when_it_is_one)
{
    int64_t n = 7;

    ck_assert(value_to_int(value_int(4), &n));
    ck_assert_int_eq(n, 4);
    ck_assert(!value_to_int(value_double(5), &n));
    ck_assert(!value_to_int(value_unknown(), &n));
    ck_assert_int_eq(n, 4);
    ck_assert(value_is_true(value_bool(true)));
    ck_assert(!value_is_true(value_bool(false)));
    ck_assert(!value_is_true(value_int(1)));
    ck_assert(!value_is_true(value_unknown()));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("value");
    TCase *tcase = tcase_create("value");

    tcase_add_test(tcase, a_value_has_sixteen_bytes);
    tcase_add_test(tcase, values_print_as_a_reader_expects);
    tcase_add_test(tcase, long_and_deep_lists_are_cut);
    tcase_add_test(tcase, a_document_gives_values);
    tcase_add_test(tcase, a_document_that_is_wide_or_deep_is_cut);
    tcase_add_test(tcase, equal_values_have_one_type_and_content);
    tcase_add_test(tcase, maps_are_equal_by_keys_in_order_and_values);
    tcase_add_loop_test(tcase, numbers_are_ordered_exactly_and_strings_by_bytes,
                        0, ARRAY_LEN(ordered));
    tcase_add_loop_test(tcase, types_have_names, 0, ARRAY_LEN(type_names));
    tcase_add_test(tcase, an_integer_is_taken_only_when_it_is_one);
    suite_add_tcase(suite, tcase);
    return tap_run(suite);
}
