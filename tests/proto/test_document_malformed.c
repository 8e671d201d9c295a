/* SPDX-License-Identifier: Apache-2.0 */
/* What is not a document, and the one sentence that each must end in. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/document.h"
#include "tests/tap.h"

/* The text and its length, so that NULs can stand in it. */
#define T(text) text, sizeof(text) - 1

struct row {
    const char *text;
    size_t len;
    unsigned line, column; /* 0: the message names no place */
    const char *sentence;  /* a part of the message */
};

/* clang-format off */
static const struct row yaml[] = {
    /* nothing there */
    { T(""), 0, 0, "the file is empty; expected a document" },
    { T(" \n\n"), 0, 0, "the file is empty; expected a document" },
    { T("# only this\n"), 0, 0, "the file is empty; expected a document" },
    { T("\xef\xbb\xbf"), 0, 0, "the file is empty; expected a document" },
    { T("---"), 2, 1, "the document is empty" },
    { T("a: 1\n---\n"), 3, 1, "the document is empty" },
    { T("---\n---\na: 1"), 2, 1, "the document is empty" },
    /* expressions without quotes */
    { T("refuse: !x"), 1, 9, "quote a value that starts with !" },
    { T("refuse: !has(x)"), 1, 9, "quote a value that starts with !" },
    { T("refuse: ! x"), 1, 9, "quote a value that starts with !" },
    { T("refuse: !"), 1, 9, "quote a value that starts with !" },
    { T("refuse: !x && y"), 1, 12, "needs quotes" },
    { T("refuse: !(a && b)"), 1, 13, "needs quotes" },
    { T("x: a ? b : c"), 1, 10, "needs quotes" },
    { T("- a ? b : c"), 1, 3, "needs quotes" },
    { T("x:\n  a ? b : c"), 2, 3, "needs quotes" },
    { T("[a ? b : c]"), 1, 2, "needs quotes" },
    { T("{x: a ? b : c}"), 1, 11, "needs quotes" },
    { T("{div: max(a, b)}"), 1, 7, "needs quotes" },
    { T("[1, max(a, b)]"), 1, 5, "needs quotes" },
    { T("x: [a[0], 1]"), 1, 6, "needs quotes" },
    { T("x: {a: b[0]}"), 1, 9, "needs quotes" },
    { T("x: \"a\" == b"), 1, 8, "quote the whole of a value" },
    { T("x: [a] + b"), 1, 8, "quote the whole of a value" },
    { T("- 'a' == b"), 1, 7, "quote the whole of a value" },
    { T("x: > 4"), 1, 4, "quote it if it is an expression" },
    { T("x: |x"), 1, 4, "quote it if it is an expression" },
    { T("x: - a"), 1, 4, "quote the value" },
    { T("x: ? a"), 1, 4, "needs quotes" },
    { T("x: @a"), 1, 4, "a value cannot start with '@'; quote it" },
    { T("x: `a`"), 1, 4, "a value cannot start with '`'; quote it" },
    { T("x: %a"), 1, 4, "a value cannot start with '%'; quote it" },
    { T("x: , a"), 1, 4, "expected a value here" },
    { T("x: ]"), 1, 4, "expected a value here" },
    { T("a: b: c"), 1, 5, "a ':' cannot stand here" },
    /* tags */
    { T("a: !!int 3"), 1, 4, "tags are not taken" },
    { T("a: !<x> 3"), 1, 4, "tags are not taken" },
    { T("!!map {a: 1}"), 1, 1, "tags are not taken" },
    { T("! {a: 1}"), 1, 1, "tags are not taken" },
    { T("! [a]"), 1, 1, "tags are not taken" },
    { T("- !a!b c"), 1, 3, "tags are not taken" },
    { T("! 'a': 1"), 1, 1, "tags are not taken" },
    { T("%TAG ! x\n---\na: 1"), 1, 1, "tags are not taken" },
    /* anchors, aliases, merge keys, duplicate keys */
    { T("a: &x 1"), 1, 4, "anchor" },
    { T("a: &x"), 1, 4, "anchor" },
    { T("a: &x [1]"), 1, 4, "anchor" },
    { T("&a a: 1"), 1, 1, "anchor" },
    { T("a: *x"), 1, 4, "alias" },
    { T("*a : 1"), 1, 1, "alias" },
    { T("a: * b"), 1, 4, "alias" },
    { T("b: 1\n<<: {a: 1}"), 2, 1, "merge keys are not taken" },
    { T("a: 1\nb: 2\na: 3"), 3, 1,
      "duplicate key 'a', first in line 1, column 1; leave one of them out" },
    { T("{a: 1, a: 2}"), 1, 8, "duplicate key 'a', first in line 1, column 2" },
    { T("a: 1\n\"a\": 2"), 2, 2, "duplicate key 'a'" },
    { T("4: 1\n'4': 2"), 2, 2, "duplicate key '4'" },
    { T("b: 1\na: 1\nb: 2\na: 2"), 3, 1, "duplicate key 'b'" },
    { T("a: 1\r\nb: 2\r\nb: 3\r\n"), 3, 1, "duplicate key 'b'" },
    /* empty values and keys */
    { T("a:"), 1, 3, "empty value; write null to leave it out, or quote it" },
    { T("a:\nb: 1"), 1, 3, "empty value; write null" },
    { T("a: # b"), 1, 3, "empty value; write null" },
    { T("-\n- 1"), 1, 2, "empty value; write null" },
    { T("{a, b: 1}"), 1, 3, "empty value; write null" },
    { T("{a: , b: 1}"), 1, 5, "empty value; write null" },
    { T("? a"), 2, 1, "empty value; write null" },
    { T("[a, , b]"), 1, 5, "expected a value here" },
    { T("'': 1"), 1, 2, "empty key; write a name" },
    { T("? \n: a"), 1, 2, "empty key; write a name" },
    { T(": a"), 1, 1, "expected a key here" },
    { T("{a: 1}: 2"), 1, 1, "a list or map as a key" },
    { T("? [a]\n: 2"), 1, 3, "a list or map as a key" },
    { T("a: {{ x }}"), 1, 5, "a list or map as a key" },
    /* numbers */
    { T("a: 9223372036854775808"), 1, 4, "integer beyond 64 bits" },
    { T("a: -9223372036854775809"), 1, 4, "integer beyond 64 bits" },
    { T("a: 0xffffffffffffffff"), 1, 4, "integer beyond 64 bits" },
    { T("a: 0o7777777777777777777777777"), 1, 4, "integer beyond 64 bits" },
    { T("a: 1e999"), 1, 4, "number too large" },
    { T("a: -.INF"), 1, 4, "infinity and NaN are not taken" },
    { T("a: .nan"), 1, 4, "infinity and NaN are not taken" },
    /* bytes */
    { T("a: \xff"), 1, 4, "byte 0xff is not UTF-8" },
    { T("\xc3\xa9: 1\nb: \xc3\xa9\xc0\xaf"), 2, 5, "byte 0xc0 is not UTF-8" },
    { T("a: \xed\xa0\x80"), 1, 4, "byte 0xed is not UTF-8" },
    { T("a: \xf4\x90\x80\x80"), 1, 4, "byte 0xf4 is not UTF-8" },
    { T("a: \xe2\x82"), 1, 4, "byte 0xe2 is not UTF-8" },
    { T("a: \0b"), 1, 4, "a NUL byte" },
    { T("a: 1\n\0"), 2, 1, "a NUL byte" },
    { T("a: \"x\\0\""), 1, 4, "a NUL in a string" },
    { T("\"a\\0\": 1"), 1, 1, "a NUL in a string" },
    { T("a: \x07"), 1, 4, "control character U+0007" },
    { T("a: \x1b[31m"), 1, 4, "control character U+001B" },
    { T("a: \x7f"), 1, 4, "control character U+007F" },
    { T("a: \xc2\x80"), 1, 4, "control character U+0080" },
    { T("\xff\xfe" "a\0"), 1, 1, "UTF-16 text; documents are UTF-8" },
    { T("\xfe\xff\0a"), 1, 1, "UTF-16 text; documents are UTF-8" },
    { T("a\0:\0 \0"), 1, 2, "a NUL byte" },
    /* nesting, tabs, what ends too early */
    { T("\ta: 1"), 1, 1, "a tab cannot indent; use spaces" },
    { T("a:\n\tb: 1"), 2, 1, "a tab cannot indent; use spaces" },
    { T("a: |\n\tb"), 2, 1, "a tab cannot indent; use spaces" },
    { T("a: 1\n b: 2"), 2, 3, "a ':' cannot stand here" },
    { T("a:\n  b: 1\n c: 2"), 3, 2, "expected a key here" },
    { T("a:\n  - 1\n b: 2"), 3, 2, "expected a key here" },
    { T("a: 1\n- 2"), 2, 1, "expected a key here" },
    { T("- 1\na: 2"), 2, 1, "expected '-' for the next item" },
    { T("a: 1\nb"), 2, 1, "expected ':' after this key" },
    { T("x: [a, b"), 1, 4, "a [ or { is never closed" },
    { T("x: {a: 1"), 1, 4, "a [ or { is never closed" },
    { T("a: {b: [1, {c: 2}\n"), 1, 8, "a [ or { is never closed" },
    { T("x: \"abc"), 1, 4, "the quote that opens here is never closed" },
    { T("x: 'abc\ny: 1"), 1, 4, "the quote that opens here is never closed" },
    { T("x: 'abc\n---\n"), 1, 4, "not closed before the document ends" },
    { T("x: \"a\\qb\""), 1, 6, "not an escape of double quotes" },
    { T("x: \"\\ud800\""), 1, 7, "not an escape of double quotes" },
    { T("x: |0\n a"), 1, 4, "not the start of a block" },
    { T("[1] [2]"), 1, 5, "the document has ended before this" },
    { T("a: 1\n...\nb"), 3, 1, "the document has ended before this" },
    /* directives */
    { T("%YAML 1.3\n---\na: 1"), 1, 1, "write %YAML 1.2 or nothing" },
    { T("%YAML 1.2\n%YAML 1.2\n---\na: 1"), 2, 1, "a second %YAML" },
    { T("%FOO\n---\na: 1"), 1, 1, "not a directive that is known" },
    { T("%YAML 1.2\na: 1"), 2, 1, "the document has ended before this" },
};

static const struct row json[] = {
    { T(""), 0, 0, "the file is empty; expected a document" },
    { T(" \n"), 0, 0, "the file is empty; expected a document" },
    { T("{"), 1, 1, "the document ends too early" },
    { T("[1,"), 1, 3, "the document ends too early" },
    { T("\"abc"), 1, 4, "the document ends too early" },
    { T("{\"a\":1,\n\n\"b\":\"x"), 3, 6, "the document ends too early" },
    { T("[1 2]"), 1, 4, "']' expected near '2'" },
    { T("[1,]"), 1, 4, "unexpected token near ']'" },
    { T("{\"a\":1,}"), 1, 8, "string or '}' expected" },
    { T("{\"a\" 1}"), 1, 6, "':' expected" },
    { T("{a: 1}"), 1, 2, "string or '}' expected near 'a'" },
    { T("{\"a\":1,\n\"a\":2}"), 2, 3, "duplicate key near '\"a\"'" },
    { T("{\"a\":1} x"), 1, 9, "something follows the document" },
    { T("{\"a\":1}\n{\"a\":1}"), 2, 1, "something follows the document" },
    { T("\"a\nb\""), 1, 2, "unexpected newline" },
    { T("\"\\ud800\""), 1, 8, "invalid Unicode" },
    { T("\"\\u0000\""), 1, 8, "a NUL in a string" },
    { T("{\"\\u0000\":1}"), 1, 9, "a NUL in a string" },
    { T("[\"a\0\"]"), 1, 4, "a NUL byte" },
    { T("[\"\xff\"]"), 1, 3, "byte 0xff is not UTF-8" },
    { T("\xff\xfe[\0"), 1, 1, "UTF-16 text" },
    { T("NaN"), 1, 3, "invalid token near 'NaN'" },
    { T("-Infinity"), 1, 1, "invalid token near '-'" },
    { T("01"), 1, 1, "invalid token near '0'" },
    { T("1."), 1, 2, "invalid token near '1.'" },
    { T("1e999"), 1, 5, "number too large" },
    { T("[9223372036854775808]"), 1, 20, "number too large" },
    { T("[-9223372036854775809]"), 1, 21, "number too large" },
    { T("// x\n1"), 1, 1, "invalid token near '/'" },
    { T("{\"\":1}"), 0, 0, "empty key; write a name" },
};
/* clang-format on */

typedef int read_fn(struct arena *arena, const char *source_name,
                    const char *text, size_t len, struct tree **ret_tree,
                    struct error *err);

/* The message must be "x: line L, column C: " and then hold the sentence. */
static void check_message(const struct row *row, const struct error *err)
{
    char place[64] = "x: ";

    if (row->line != 0)
        snprintf(place, sizeof(place), "x: line %u, column %u: ", row->line,
                 row->column);
    ck_assert_int_eq(err->status, STATUS_INVALID);
    ck_assert_msg(strncmp(err->text, place, strlen(place)) == 0,
                  "'%s': '%s' has another place than '%s'", row->text,
                  err->text, place);
    ck_assert_msg(strstr(err->text, row->sentence) != NULL,
                  "'%s': '%s' does not say '%s'", row->text, err->text,
                  row->sentence);
}

/* The text is handed over in memory of just its size, so that a sanitizer sees
 * a byte read too far. */
static void check_refused(read_fn *read, const struct row *row)
{
    struct arena *arena = arena_new(1 << 20);
    char *text = malloc(row->len > 0 ? row->len : 1);
    struct tree *tree = NULL;
    struct error err = { 0 };

    memcpy(text, row->text, row->len);
    ck_assert_msg(read(arena, "x", text, row->len, &tree, &err) == -1,
                  "'%s' is taken", row->text);
    ck_assert_ptr_null(tree);
    check_message(row, &err);
    free(text);
    arena_free(arena);
}

START_TEST(malformed_yaml_is_refused_in_one_sentence_with_its_place)
{
    check_refused(document_read_yaml, &yaml[_i]);
}
END_TEST

START_TEST(malformed_json_is_refused_in_one_sentence_with_its_place)
{
    check_refused(document_read_json, &json[_i]);
}
END_TEST

/* Documents that are bounded, made of one piece over and over. */
/* clang-format off */
static const struct {
    read_fn *read;
    const char *start, *piece;
    size_t times;
    struct row row;
} large[] = {
    { document_read_yaml, "", "[", 200000,
      { "200 kB of [", 0, 1, 65, "nested too deep; at most 64" } },
    { document_read_yaml, "", "[", 8 << 20,
      { "8 MiB of [", 0, 1, 65, "nested too deep; at most 64" } },
    { document_read_yaml, "", "{a: ", 2 << 20,
      { "8 MiB of {a: ", 0, 1, 257, "nested too deep; at most 64" } },
    { document_read_yaml, "", "- ", 4 << 20,
      { "8 MiB of - ", 0, 1, 129, "nested too deep; at most 64" } },
    { document_read_yaml, "", "? ", 4 << 20,
      { "8 MiB of ? ", 0, 1, 3, "a list or map as a key" } },
    { document_read_yaml, "", "{", 8 << 20,
      { "8 MiB of {", 0, 1, 2, "a list or map as a key" } },
    { document_read_yaml, "", "a: [\n", 1 << 20,
      { "5 MiB of a: [", 0, 33, 1, "nested too deep; at most 64" } },
    { document_read_yaml, "", "%TAG !a! b\n", 1 << 19,
      { "5 MiB of %TAG", 0, 0, 0, "more than 1024 lines that start with %" } },
    { document_read_yaml, "", "---\na\n", 1 << 20,
      { "6 MiB of documents", 0, 2049, 1, "more than 1024 documents" } },
    { document_read_yaml, "", "a", 257 ,
      { "no map", 0, 0, 0, NULL } },
    { document_read_yaml, "? ", "k", 257,
      { "a long key", 0, 1, 3, "a key of 257 bytes; at most 256" } },
    { document_read_yaml, "", " ", (8 << 20) + 1,
      { "a byte too many", 0, 0, 0, "larger than 8 MiB" } },
    { document_read_json, "", "[", 8 << 20,
      { "8 MiB of [", 0, 1, 65, "nested too deep; at most 64" } },
    { document_read_json, "", "{\"a\":", 1 << 20,
      { "5 MiB of {\"a\":", 0, 1, 321, "nested too deep; at most 64" } },
    { document_read_json, "[", "1,", 3 << 20,
      { "3 Mi values", 0, 1, 4194303, "too many values" } },
    { document_read_json, "", " ", (8 << 20) + 1,
      { "a byte too many", 0, 0, 0, "larger than 8 MiB" } },
};
/* clang-format on */

START_TEST(what_is_too_large_is_refused_at_its_bound)
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
    rc = large[_i].read(arena, "x", text, len, &tree, &err);
    ck_assert_int_eq(rc, large[_i].row.sentence != NULL ? -1 : 0);
    if (rc < 0)
        check_message(&large[_i].row, &err);
    free(text);
    arena_free(arena);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("document_malformed");
    TCase *tcase = tcase_create("malformed");

    tcase_set_timeout(tcase, 30);
    tcase_add_loop_test(
        tcase, malformed_yaml_is_refused_in_one_sentence_with_its_place, 0,
        (int)ARRAY_LEN(yaml));
    tcase_add_loop_test(
        tcase, malformed_json_is_refused_in_one_sentence_with_its_place, 0,
        (int)ARRAY_LEN(json));
    tcase_add_loop_test(tcase, what_is_too_large_is_refused_at_its_bound, 0,
                        (int)ARRAY_LEN(large));
    suite_add_tcase(suite, tcase);
    return tap_run(suite);
}
