/* SPDX-License-Identifier: Apache-2.0 */
/* Maps read by a table of their keys. */
#include "placement/reader.h"

#include "tests/placement/check_fixture.h"

static const struct read_key keys[] = {
    { "name", READ_STRING, true },
    { "size", READ_INT, false },
    { "share", READ_NUMBER, false },
    { "parts", READ_LIST | READ_STRING, false },
};

/* clang-format off */
static const struct {
    const char *text;
    const char *sentence; /* NULL: it can be read */
} maps[] = {
    { "{name: x}", NULL },
    { "{name: x, size: 2, share: 2, parts: [a]}", NULL },
    { "{name: x, share: 2.5, parts: a}", NULL },
    { "{name: x, size: null}", NULL },
    { "{}", "line 1, column 1: the key name is missing" },
    { "{name: null}", "the key name is missing" },
    { "[x]", "expected a map, found a list" },
    { "x", "expected a map, found a string" },
    { "{name: x, sise: 2}",
      "column 11: sise: unknown key; the nearest known one is size" },
    { "{name: x, whatever: 2}", "whatever: unknown key" },
    { "{name: 3}", "column 8: name: expected a string, found an integer" },
    { "{name: x, size: 2.5}", "size: expected an integer, found a number" },
    { "{name: x, size: '2'}", "size: expected an integer, found a string" },
    { "{name: x, share: true}",
      "share: expected a number, found true or false" },
    { "{name: x, parts: 3}",
      "parts: expected a string or a list, found an integer" },
};
static const struct {
    const char *text;
    size_t n;
    const char *sentence; /* NULL: they can be read */
} names[] = {
    { "[a, b, a]", 3, NULL },
    { "a", 1, NULL },
    { "[]", 0, NULL },
    { "[a, '']", 0, "[1]: a name may not be empty" },
    { "[a, 3]", 0, "[1]: expected a string, found an integer" },
    { "[a, [b]]", 0, "[1]: expected a string, found a list" },
};
static const struct {
    const char *text;
    bool is;
} identifiers[] = {
    { "a", true },     { "_a1", true },  { "A_b", true }, { "", false },
    { "1a", false },   { "a-b", false }, { "a b", false }, { "a.b", false },
    { "\303\251", false },
    { "a234567890123456789012345678901234567890123456789012345678901234",
      true },
    { "a2345678901234567890123456789012345678901234567890123456789012345",
      false },
};
/* clang-format on */

START_TEST(a_map_is_read_by_its_table)
{
    struct arena *arena = arena_new(1 << 20);
    struct error err = { 0 };
    const struct tree *tree = read_yaml(arena, "file", maps[_i].text, &err);
    int rc;

    ck_assert_msg(tree != NULL, "%s", err.text);
    rc = read_keys(tree, keys, ARRAY_LEN(keys), &err);
    ck_assert_msg((rc == 0) == (maps[_i].sentence == NULL), "%s: %s",
                  maps[_i].text, err.text);
    if (rc == 0) {
        ck_assert_str_eq(read_string(tree, "name"), "x");
        ck_assert_ptr_null(read_string(tree, "whatever"));
    } else {
        ck_assert_int_eq(err.status, STATUS_INVALID);
        ck_assert_has(err.text, maps[_i].sentence);
    }
    arena_free(arena);
}
END_TEST

START_TEST(names_are_strings_that_say_something)
{
    struct arena *arena = arena_new(1 << 20);
    struct error err = { 0 };
    const struct tree *tree = read_yaml(arena, "file", names[_i].text, &err);
    const char *const *list = NULL;
    size_t n = 77;
    int rc = read_names(arena, tree, &list, &n, &err);

    ck_assert_msg((rc == 0) == (names[_i].sentence == NULL), "%s: %s",
                  names[_i].text, err.text);
    if (rc == 0) {
        ck_assert_uint_eq(n, names[_i].n);
        for (size_t i = 0; i < n; i++)
            ck_assert_int_eq(list[i][0], i == 1 ? 'b' : 'a');
    } else {
        ck_assert_has(err.text, names[_i].sentence);
        ck_assert_uint_eq(n, 77);
        ck_assert_ptr_null(list);
    }
    arena_free(arena);
}
END_TEST

START_TEST(an_identifier_is_letters_digits_and_underscores)
{
    ck_assert_msg(read_is_identifier(identifiers[_i].text) ==
                      identifiers[_i].is,
                  "%s", identifiers[_i].text);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("reader");
    TCase *tc = tcase_create("reader");

    tcase_add_loop_test(tc, a_map_is_read_by_its_table, 0, ARRAY_LEN(maps));
    tcase_add_loop_test(tc, names_are_strings_that_say_something, 0,
                        ARRAY_LEN(names));
    tcase_add_loop_test(tc, an_identifier_is_letters_digits_and_underscores, 0,
                        ARRAY_LEN(identifiers));
    suite_add_tcase(suite, tc);
    return tap_run(suite);
}
