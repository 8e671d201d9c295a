/* SPDX-License-Identifier: Apache-2.0 */
/* TOML: what it means, and what is refused where. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/document.h"
#include "tests/tap.h"

/* clang-format off */
static const struct {
    const char *toml, *json;
} accepted[] = {
    { "", "{}" },
    { "# only this", "{}" },
    { "\xef\xbb\xbf" "a = 1", "{\"a\":1}" },
    { "a = 1 # one\r\n\r\nb = -2\n", "{\"a\":1,\"b\":-2}" },
    /* numbers */
    { "a = +7", "{\"a\":7}" },
    { "a = 1_000", "{\"a\":1000}" },
    { "a = 0xfF_0", "{\"a\":4080}" },
    { "a = 0o17", "{\"a\":15}" },
    { "a = 0b101", "{\"a\":5}" },
    { "a = 2.5e3", "{\"a\":2500.0}" },
    { "a = 1e-2", "{\"a\":0.01}" },
    { "a = -0.5", "{\"a\":-0.5}" },
    { "a = 0", "{\"a\":0}" },
    { "a = 9223372036854775807", "{\"a\":9223372036854775807}" },
    { "a = true\nb = false", "{\"a\":true,\"b\":false}" },
    { "a = 1979-05-27T07:32:00Z", "{\"a\":\"1979-05-27T07:32:00Z\"}" },
    { "a = 07:32:00", "{\"a\":\"07:32:00\"}" },
    /* strings */
    { "a = \"x\\t\\\"y\\u00e9\\U0001F600\"", "{\"a\":\"x\\t\\\"y\xc3\xa9\xf0\x9f\x98\x80\"}" },
    { "a = 'c:\\x'", "{\"a\":\"c:\\\\x\"}" },
    { "a = \"\"", "{\"a\":\"\"}" },
    { "a = \"\"\"\nx\ny\"\"\"", "{\"a\":\"x\\ny\"}" },
    { "a = \"\"\"x \\\n   y\"\"\"", "{\"a\":\"x y\"}" },
    { "a = \"\"\"\"x\"\"\"\"\"", "{\"a\":\"\\\"x\\\"\\\"\"}" },
    { "a = '''\n'x\\'''", "{\"a\":\"'x\\\\\"}" },
    { "a = \"# no comment\" # one", "{\"a\":\"# no comment\"}" },
    /* keys */
    { "a-b_1 = 1", "{\"a-b_1\":1}" },
    { "\"a b\" = 1\n'c' = 2", "{\"a b\":1,\"c\":2}" },
    { "a.b . \"c\" = 1\na.d = 2", "{\"a\":{\"b\":{\"c\":1},\"d\":2}}" },
    { "1.2 = 3", "{\"1\":{\"2\":3}}" },
    /* lists and tables */
    { "a = []", "{\"a\":[]}" },
    { "a = [1, \"x\", [2.5],]", "{\"a\":[1,\"x\",[2.5]]}" },
    { "a = [ # why\n  1,\n\n  2 # so\n]", "{\"a\":[1,2]}" },
    { "a = {b = 1, c.d = 2}", "{\"a\":{\"b\":1,\"c\":{\"d\":2}}}" },
    { "a = {}", "{\"a\":{}}" },
    { "x = 1\n[a]\nb = 1\n[ a . c ]\nd = 2", "{\"x\":1,\"a\":{\"b\":1,\"c\":{\"d\":2}}}" },
    { "[a.b]\nc = 1\n[a]\nd = 2", "{\"a\":{\"b\":{\"c\":1},\"d\":2}}" },
    { "[[a]]\nb = 1\n[[a]]\n[a.c]\nd = 2", "{\"a\":[{\"b\":1},{\"c\":{\"d\":2}}]}" },
    { "[a]\nb.c = 1\n[a.b.d]\ne = 2", "{\"a\":{\"b\":{\"c\":1,\"d\":{\"e\":2}}}}" },
};

static const struct {
    const char *toml;
    unsigned line, column;
    const char *sentence;
} malformed[] = {
    { "a", 1, 2, "expected = behind the key" },
    { "a =", 1, 4, "strings stand in quotes" },
    { "a = x", 1, 5, "strings stand in quotes" },
    { "= 1", 1, 1, "expected a key" },
    { "a. = 1", 1, 4, "expected a key" },
    { "a = 1 b = 2", 1, 7, "nothing may follow" },
    { "a = 1\na = 2", 2, 3, "duplicate key 'a'" },
    { "a = 01", 1, 5, "strings stand in quotes" },
    { "a = 1__0", 1, 5, "strings stand in quotes" },
    { "a = 1.", 1, 5, "strings stand in quotes" },
    { "a = .5", 1, 5, "strings stand in quotes" },
    { "a = 0b12", 1, 5, "expected a number" },
    { "a = 9223372036854775808", 1, 5, "number too large" },
    { "a = 1e999", 1, 5, "number too large" },
    { "a = -inf", 1, 5, "infinity" },
    { "a = nan", 1, 5, "NaN" },
    { "a = True", 1, 5, "strings stand in quotes" },
    { "a = null", 1, 5, "strings stand in quotes" },
    { "a = \"x", 1, 7, "close its quotes" },
    { "a = \"x\ny\"", 1, 7, "close its quotes" },
    { "a = \"\"\"x\"\"", 1, 11, "close its quotes" },
    { "a = \"\\", 1, 7, "close its quotes" },
    { "a = \"\\q\"", 1, 7, "is no escape" },
    { "a = \"\\u12\"", 1, 10, "4 hexadecimal digits" },
    { "a = \"\\u0000\"", 1, 12, "a NUL" },
    { "a = \"\\ud800\"", 1, 12, "no character" },
    { "a = \"\\UFFFFFFFF\"", 1, 16, "no character" },
    { "a = [1 2]", 1, 8, "expected , or ]" },
    { "a = [1,\n", 2, 1, "strings stand in quotes" },
    { "a = [,]", 1, 6, "strings stand in quotes" },
    { "a = {b = 1", 1, 11, "expected , or }" },
    { "a = {b = 1,}", 1, 12, "expected a key behind the comma" },
    { "a = {b = 1\n}", 1, 11, "expected , or }" },
    { "[a", 1, 3, "expected ] behind" },
    { "[[a]", 1, 4, "expected ]] behind" },
    { "[]", 1, 2, "expected a key" },
    { "[a] x = 1", 1, 5, "nothing may follow" },
    { "[a]\n[a]", 2, 3, "duplicate key 'a'" },
    { "a = 1\n[a]", 2, 3, "duplicate key 'a'" },
    { "a = 1\n[a.b]", 2, 3, "duplicate key 'a'" },
    { "a = {}\n[a.b]", 2, 3, "duplicate key 'a'" },
    { "a = {}\na.b = 1", 2, 2, "duplicate key 'a'" },
    { "[a]\n[[a]]", 2, 4, "duplicate key 'a'" },
    { "a = []\n[[a]]", 2, 4, "duplicate key 'a'" },
    { "a.b = 1\n[a]", 2, 3, "duplicate key 'a'" },
    { "\"\"\"a\"\"\" = 1", 1, 3, "expected a key" },
    { "a\x01 = 1", 1, 2, "control character" },
    { "a = \"\xff\"", 1, 6, "UTF-8" },
};

/* Texts at a bound, made of one piece over and over. */
static const struct {
    const char *start, *piece;
    size_t times;
    const char *sentence; /* NULL: taken */
} large[] = {
    { "a = ", "[", 1 << 19, "nested too deep" },
    { "a = ", "{a=", 1 << 18, "nested too deep" },
    { "a", ".a", 1 << 18, "nested too deep" },
    { "[a", ".a", 1 << 18, "nested too deep" },
    { "", " ", (1 << 20) + 1, "larger than 1 MiB" },
    { "a = \"", "x", 1 << 19, "close its quotes" },
    { "a = ", "1", 1 << 10, "a value of more than" },
    { "", "k", 257, "expected a key" },
    { "", "[[a]]\n", 1 << 15, NULL },
    { "", " ", 1 << 20, NULL },
};
/* clang-format on */

/* Reads from memory of just the size, so that a sanitizer sees a byte read too
 * far. */
static int read_exact(struct arena *arena, const char *toml, size_t len,
                      struct tree **ret, struct error *err)
{
    char *text = malloc(len > 0 ? len : 1);
    int rc;

    memcpy(text, toml, len);
    rc = document_read_toml(arena, "x", text, len, ret, err);
    free(text);
    return rc;
}

START_TEST(toml_means_what_this_json_does)
{
    struct arena *arena = arena_new(1 << 20);
    const char *toml = accepted[_i].toml;
    struct error err = { 0 };
    struct text out = { 0 };
    struct tree *tree;

    ck_assert_msg(read_exact(arena, toml, strlen(toml), &tree, &err) == 0,
                  "'%s': %s", toml, err.text);
    ck_assert_int_eq(document_write_json(tree, false, &out), 0);
    ck_assert_str_eq(text_string(&out), accepted[_i].json);
    text_close(&out);
    arena_free(arena);
}
END_TEST

START_TEST(malformed_toml_is_refused_with_its_place)
{
    struct arena *arena = arena_new(1 << 20);
    const char *toml = malformed[_i].toml;
    struct error err = { 0 };
    struct tree *tree = NULL;
    char place[64];

    ck_assert_msg(read_exact(arena, toml, strlen(toml), &tree, &err) == -1,
                  "'%s' is taken", toml);
    ck_assert_ptr_null(tree);
    ck_assert_int_eq(err.status, STATUS_INVALID);
    snprintf(place, sizeof(place),
             "x: line %u, column %u: ", malformed[_i].line,
             malformed[_i].column);
    ck_assert_msg(strncmp(err.text, place, strlen(place)) == 0, "'%s': %s",
                  toml, err.text);
    ck_assert_msg(strstr(err.text, malformed[_i].sentence) != NULL, "'%s': %s",
                  toml, err.text);
    arena_free(arena);
}
END_TEST

START_TEST(large_toml_is_refused_at_its_bound)
{
    size_t head = strlen(large[_i].start), step = strlen(large[_i].piece);
    size_t len = head + step * large[_i].times;
    struct arena *arena = arena_new(64 << 20);
    char *text = malloc(len);
    struct tree *tree = NULL;
    struct error err = { 0 };
    int rc;

    memcpy(text, large[_i].start, head);
    for (size_t i = 0; i < large[_i].times; i++)
        memcpy(text + head + i * step, large[_i].piece, step);
    rc = document_read_toml(arena, "x", text, len, &tree, &err);
    ck_assert_int_eq(rc, large[_i].sentence != NULL ? -1 : 0);
    if (rc < 0)
        ck_assert_msg(strstr(err.text, large[_i].sentence) != NULL, "%s",
                      err.text);
    free(text);
    arena_free(arena);
}
END_TEST

START_TEST(a_table_has_at_most_1024_keys)
{
    struct arena *arena = arena_new(1 << 20);
    struct text text = { 0 };
    struct error err = { 0 };
    struct tree *tree;

    for (int i = 0; i < 1024; i++)
        text_printf(&text, "k%d = 1\n", i);
    ck_assert_int_eq(read_exact(arena, text.data, text.len, &tree, &err), 0);
    text_put(&text, "more = 1\n");
    ck_assert_int_eq(read_exact(arena, text.data, text.len, &tree, &err), -1);
    ck_assert_ptr_nonnull(strstr(err.text, "more than 1024 keys"));
    text_close(&text);
    arena_free(arena);
}
END_TEST

START_TEST(a_full_arena_is_said_to_be_exhausted)
{
    static const char toml[] = "a = [1, 2]\n[b]\nc = \"x\"\n";

    for (size_t cap = 0; cap < 4096; cap += 16) {
        struct arena *arena = arena_new(cap);
        struct error err = { 0 };
        struct tree *tree;

        if (document_read_toml(arena, "x", toml, strlen(toml), &tree, &err) < 0)
            ck_assert_int_eq(err.status, STATUS_EXHAUSTED);
        else
            ck_assert_uint_gt(cap, 256);
        arena_free(arena);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("document_toml");
    TCase *tcase = tcase_create("toml");

    tcase_set_timeout(tcase, 30);
    tcase_add_loop_test(tcase, toml_means_what_this_json_does, 0,
                        (int)ARRAY_LEN(accepted));
    tcase_add_loop_test(tcase, malformed_toml_is_refused_with_its_place, 0,
                        (int)ARRAY_LEN(malformed));
    tcase_add_loop_test(tcase, large_toml_is_refused_at_its_bound, 0,
                        (int)ARRAY_LEN(large));
    tcase_add_test(tcase, a_table_has_at_most_1024_keys);
    tcase_add_test(tcase, a_full_arena_is_said_to_be_exhausted);
    suite_add_tcase(suite, tcase);
    return tap_run(suite);
}
