/* SPDX-License-Identifier: Apache-2.0 */
/* Writing trees: what it looks like, and that reading it back gives the same;
 * and that no damaged text does worse than be refused. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/document.h"
#include "tests/tap.h"

enum { ROUNDS = 500, MUTATIONS = 10000 };

/* A small generator of our own, so that a failure can be repeated. */
static uint32_t next_random(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

static bool is_equal(const struct tree *a, const struct tree *b)
{
    const struct tree *x = tree_first(a), *y = tree_first(b);

    if (a->type != b->type || tree_count(a) != tree_count(b))
        return false;
    if (a->type == TREE_STRING)
        return a->len == b->len && memcmp(a->text, b->text, a->len) == 0;
    if (a->type == TREE_INT)
        return a->u.integer == b->u.integer;
    if (a->type == TREE_DOUBLE)
        return a->u.number == b->u.number;
    if (a->type == TREE_BOOL)
        return a->u.boolean == b->u.boolean;
    for (; x != NULL; x = x->next, y = y->next)
        if ((x->key != NULL && strcmp(x->key, y->key) != 0) || !is_equal(x, y))
            return false;
    return true;
}

/* Strings that some reader takes for another thing. */
static const char *const nasty[] = {
    "",
    " ",
    "a",
    "null",
    "~",
    "true",
    "False",
    "yes",
    "no",
    "on",
    "12",
    "-1",
    "0x1f",
    "0o7",
    "1e3",
    ".5",
    ".inf",
    ".nan",
    "9223372036854775808",
    "<<",
    "=",
    "-",
    "- a",
    "?",
    "? a",
    ":",
    "a: b",
    "a:",
    ": a",
    "#",
    "a #b",
    "a#b",
    "!x",
    "&x",
    "*x",
    "|",
    ">",
    "@",
    "`",
    "%",
    "'",
    "\"",
    "it's",
    "[",
    "]",
    "{a}",
    "a, b",
    " a",
    "a ",
    "\ta",
    "a\tb",
    "a\nb",
    "\n",
    "\n\n",
    "a\n",
    "\na",
    " \n ",
    "a\r\nb",
    "a \n b",
    "\\",
    "\\n",
    "---",
    "--- a",
    "...",
    "\xc3\xa9",
    "\xe2\x80\xa8",
    "\xc2\x85",
    "\xef\xbb\xbf",
    "\xf0\x9f\x98\x80",
    "\x01",
    "\x1b[31m",
    "\x7f",
    "a ? b : c",
    "max(a, b)",
    "(a",
    "1 2",
    "2024-01-01",
    "12:30",
    "x != y && z",
    "\xef\xbf\xbe",
    "a\xc2\xa0",
};

static const char *random_string(uint32_t *state, char buffer[520])
{
    size_t len = 0;

    if (next_random(state) % 2 == 0)
        return nasty[next_random(state) % ARRAY_LEN(nasty)];
    for (uint32_t n = next_random(state) % 6; n > 0; n--) {
        const char *part = nasty[next_random(state) % ARRAY_LEN(nasty)];

        strcpy(buffer + len, part);
        len += strlen(part);
    }
    if (next_random(state) % 16 == 0) { /* past YAML's 128 for simple keys */
        memset(buffer + len, 'k', 150);
        len += 150;
    }
    buffer[len] = '\0';
    return buffer;
}

static double random_double(uint32_t *state)
{
    double number = (double)next_random(state) / 7;

    return next_random(state) % 2 == 0
               ? ldexp(number, (int)(next_random(state) % 1000) - 500)
               : (double)(int)(next_random(state) % 2000) / 100 - 10;
}

static void grow(struct tree_maker *maker, struct tree *parent, const char *key,
                 uint32_t *state, int depth);

static void grow_children(struct tree_maker *maker, struct tree *tree,
                          uint32_t *state, int depth)
{
    char buffer[520], key[600];

    for (uint32_t i = 0, n = next_random(state) % 5; i < n; i++) {
        const char *name = NULL;

        if (tree->type == TREE_MAP) { /* the number keeps keys apart */
            snprintf(key, sizeof(key), "%.200s%u", random_string(state, buffer),
                     i);
            if (!text_is_utf8(key, strlen(key)))
                continue;
            name = key;
        }
        grow(maker, tree, name, state, depth);
    }
}

static void grow(struct tree_maker *maker, struct tree *parent, const char *key,
                 uint32_t *state, int depth)
{
    char buffer[520];

    switch (next_random(state) % (depth > 0 ? 8 : 5)) {
    case 0:
        tree_new(maker->arena, parent, key, TREE_NULL);
        break;
    case 1:
        make_bool(maker, parent, key, next_random(state) % 2);
        break;
    case 2:
        make_int(
            maker, parent, key,
            (int64_t)((uint64_t)next_random(state) << 32 | next_random(state)));
        break;
    case 3:
        make_double(maker, parent, key, random_double(state));
        break;
    case 4:
        make_string(maker, parent, key, random_string(state, buffer));
        break;
    case 5:
    case 6:
        grow_children(maker, make_map(maker, parent, key), state, depth - 1);
        break;
    default:
        grow_children(maker, make_list(maker, parent, key), state, depth - 1);
    }
}

static void check_yaml(struct arena *arena, const struct tree *tree)
{
    struct text text = { 0 };
    struct tree *read = NULL;
    struct error err = { 0 };

    ck_assert_int_eq(document_write_yaml(tree, &text), 0);
    ck_assert_msg(document_read_yaml(arena, "x", text_string(&text), text.len,
                                     &read, &err) == 0,
                  "%s\n%s", err.text, text_string(&text));
    ck_assert_uint_eq(tree_count(read), 1);
    ck_assert_msg(is_equal(tree, tree_first(read)), "%s", text_string(&text));
    text_close(&text);
}

static void check_json(struct arena *arena, const struct tree *tree,
                       bool pretty)
{
    struct text text = { 0 };
    struct tree *read = NULL;
    struct error err = { 0 };

    ck_assert_int_eq(document_write_json(tree, pretty, &text), 0);
    ck_assert_msg(document_read_json(arena, "x", text_string(&text), text.len,
                                     &read, &err) == 0,
                  "%s\n%s", err.text, text_string(&text));
    ck_assert_msg(is_equal(tree, read), "%s", text_string(&text));
    text_close(&text);
}

START_TEST(reading_what_was_written_gives_the_same_tree)
{
    uint32_t state = 1 + (uint32_t)_i;

    for (int i = 0; i < ROUNDS; i++) {
        struct arena *arena = arena_new(16 << 20);
        struct tree_maker maker = { .arena = arena };
        struct tree *top = make_list(&maker, NULL, NULL);

        grow(&maker, top, NULL, &state, 5);
        ck_assert(!maker.failed);
        check_yaml(arena, top);
        check_yaml(arena, tree_first(top));
        check_json(arena, top, false);
        check_json(arena, tree_first(top), true);
        arena_free(arena);
    }
}
END_TEST

static struct tree *make_sample(struct tree_maker *maker)
{
    struct tree *top = make_map(maker, NULL, NULL), *list, *item;

    make_string(maker, top, "verdict", "refuse");
    list = make_list(maker, top, "ranks");
    make_int(maker, list, NULL, 0);
    make_int(maker, list, NULL, -1);
    item = make_map(maker, make_list(maker, top, "findings"), NULL);
    make_string(maker, item, "equation", "4 % 3 = 1");
    make_string(maker, item, "four", "4");
    make_string(maker, item, "text", "a\n\"b\"");
    make_list(maker, item, "none");
    make_map(maker, item, "empty");
    make_double(maker, top, "gib", 0.15);
    make_double(maker, top, "whole", 3);
    make_bool(maker, top, "cut", false);
    return top;
}

/* clang-format off */
static const char compact[] =
    "{\"verdict\":\"refuse\",\"ranks\":[0,-1],\"findings\":[{\"equation\":"
    "\"4 % 3 = 1\",\"four\":\"4\",\"text\":\"a\\n\\\"b\\\"\",\"none\":[],"
    "\"empty\":{}}],\"gib\":0.15,\"whole\":3.0,\"cut\":false}";
static const char pretty[] =
    "{\n  \"verdict\": \"refuse\",\n  \"ranks\": [\n    0,\n    -1\n  ],\n"
    "  \"findings\": [\n    {\n      \"equation\": \"4 % 3 = 1\",\n"
    "      \"four\": \"4\",\n      \"text\": \"a\\n\\\"b\\\"\",\n"
    "      \"none\": [],\n      \"empty\": {}\n    }\n  ],\n"
    "  \"gib\": 0.15,\n  \"whole\": 3.0,\n  \"cut\": false\n}";
static const char yaml[] =
    "verdict: refuse\nranks: [0, -1]\nfindings:\n- equation: '4 % 3 = 1'\n"
    "  four: '4'\n  text: \"a\\n\\\"b\\\"\"\n  none: []\n  empty: {}\n"
    "gib: 0.15\nwhole: 3.0\ncut: false\n";
/* clang-format on */

START_TEST(what_is_written_is_fit_to_read)
{
    struct arena *arena = arena_new(1 << 20);
    struct tree_maker maker = { .arena = arena };
    const struct tree *sample = make_sample(&maker);
    struct text text = { 0 };

    ck_assert_int_eq(document_write_json(sample, false, &text), 0);
    ck_assert_str_eq(text_string(&text), compact);
    text_clear(&text);
    ck_assert_int_eq(document_write_json(sample, true, &text), 0);
    ck_assert_str_eq(text_string(&text), pretty);
    text_clear(&text);
    ck_assert_int_eq(document_write_yaml(sample, &text), 0);
    ck_assert_str_eq(text_string(&text), yaml);
    text_close(&text);
    arena_free(arena);
}
END_TEST

/* A string that is not UTF-8, and a number without digits. */
START_TEST(what_cannot_be_read_back_is_not_written)
{
    struct arena *arena = arena_new(1 << 20);
    struct tree_maker maker = { .arena = arena };
    struct tree *list = make_list(&maker, NULL, NULL);
    struct text text = { 0 };

    if (_i == 0)
        make_string(&maker, list, NULL, "\xff");
    else
        make_double(&maker, list, NULL, _i == 1 ? INFINITY : NAN);
    text_put(&text, "before");
    ck_assert_int_eq(document_write_json(list, false, &text), -1);
    ck_assert_int_eq(document_write_yaml(list, &text), -1);
    ck_assert_str_eq(text_string(&text), "before");
    ck_assert_uint_eq(text.len, 6);
    text_close(&text);
    arena_free(arena);
}
END_TEST

/* ---- damaged texts ------------------------------------------------------ */

static const char sample_yaml[] =
    "%YAML 1.2\n---\nruntime: mstar # one\naxes:\n"
    "  - {name: a, field: 'a_size', splits: [rows, heads], declared: true}\n"
    "derive:\n  inst: a * b\n  scope: 'x == \"auto\" ? 1 : 2'\n"
    "text: |2-\n    block\n  more\nfold: >+\n  one\n  two\n\n"
    "num: [1, -2, 0x1f, 0o17, 1.5e3, .5, null, ~, \"\\u00e9\\n\"]\n"
    "? key\n: value\n\xc3\xa9: \xf0\x9f\x98\x80\n...\n---\n- - 1\n  - 2\n";
static const char sample_json[] =
    "{\"id\": 1, \"declare\": [{\"a\": [0, 1.5, -2e3, true, null]}],\n"
    " \"deployment\": {\"s\": \"x\\u00e9\\n\\\"y\\\"\", \"t\": \"\xc3\xa9\"}}";

static void mutate(char *text, size_t *len, uint32_t *state)
{
    static const char marks[] = "[]{}:,-?!&*|>'\"%@#\n\r\t \\0\xff\xc3~<";
    size_t at = next_random(state) % *len;

    switch (next_random(state) % 5) {
    case 0:
        text[at] = (char)next_random(state);
        break;
    case 1:
        text[at] = marks[next_random(state) % sizeof(marks)];
        break;
    case 2: /* cut short */
        *len = at > 0 ? at : 1;
        break;
    case 3: /* take one out */
        memmove(text + at, text + at + 1, *len - at - 1);
        *len -= *len > 1;
        break;
    default: /* repeat the rest over what follows */
        memmove(text + at, text + next_random(state) % (at + 1), *len - at);
    }
}

static void read_damaged(const char *sample, size_t len, bool is_json,
                         uint32_t *state)
{
    struct arena *arena = arena_new(1 << 20);
    char *text = malloc(len);
    struct tree *tree = NULL;
    struct error err = { 0 };
    int rc;

    memcpy(text, sample, len);
    for (uint32_t n = 1 + next_random(state) % 4; n > 0; n--)
        mutate(text, &len, state);
    text = realloc(text, len); /* a byte read too far is seen */
    rc = (is_json ? document_read_json : document_read_yaml)(arena, "x", text,
                                                             len, &tree, &err);
    ck_assert_int_eq(rc < 0, tree == NULL);
    ck_assert_int_eq(rc < 0, err.text[0] != '\0');
    if (rc == 0 && !is_json)
        for (const struct tree *t = tree_first(tree); t != NULL; t = t->next)
            check_yaml(arena, t);
    else if (rc == 0)
        check_json(arena, tree, false);
    free(text);
    arena_free(arena);
}

START_TEST(a_damaged_text_is_refused_or_read_back_as_it_was_read)
{
    uint32_t state = 2463534242U;

    for (int i = 0; i < MUTATIONS; i++) {
        read_damaged(sample_yaml, sizeof(sample_yaml) - 1, false, &state);
        read_damaged(sample_json, sizeof(sample_json) - 1, true, &state);
    }
}
END_TEST

START_TEST(a_million_integers_are_written_and_read)
{
    struct arena *arena = arena_new(512 << 20);
    struct tree_maker maker = { .arena = arena };
    struct tree *list = make_list(&maker, NULL, NULL);

    for (int i = 0; i < 1 << 20; i++)
        make_int(&maker, list, NULL, i);
    ck_assert(!maker.failed);
    check_json(arena, list, false);
    arena_free(arena);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("document_write");
    TCase *tcase = tcase_create("write");

    tcase_set_timeout(tcase, 120);
    tcase_add_loop_test(tcase, reading_what_was_written_gives_the_same_tree, 0,
                        4);
    tcase_add_test(tcase, what_is_written_is_fit_to_read);
    tcase_add_loop_test(tcase, what_cannot_be_read_back_is_not_written, 0, 3);
    tcase_add_test(tcase,
                   a_damaged_text_is_refused_or_read_back_as_it_was_read);
    tcase_add_test(tcase, a_million_integers_are_written_and_read);
    suite_add_tcase(suite, tcase);
    return tap_run(suite);
}
