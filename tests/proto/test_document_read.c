/* SPDX-License-Identifier: Apache-2.0 */
/* What documents mean: types, texts, places; the cap of the arena. */
#include "proto/document.h"

#include <string.h>

#include "tests/tap.h"

/* A value of a YAML text, found by steps of keys and indices. */
struct row {
    const char *yaml;
    const char *path; /* keys and [i], "" is the first document */
    enum tree_type type;
    const char *text; /* NULL for lists and maps */
    unsigned line, column;
};

/* clang-format off */
static const struct row accepted[] = {
    /* the core schema */
    { "a: 12", "a", TREE_INT, "12", 1, 4 },
    { "a: -12", "a", TREE_INT, "-12", 1, 4 },
    { "a: +12", "a", TREE_INT, "+12", 1, 4 },
    { "a: 010", "a", TREE_INT, "010", 1, 4 },
    { "a: 0o17", "a", TREE_INT, "0o17", 1, 4 },
    { "a: 0xfF", "a", TREE_INT, "0xfF", 1, 4 },
    { "a: 9223372036854775807", "a", TREE_INT, "9223372036854775807", 1, 4 },
    { "a: -9223372036854775808", "a", TREE_INT, "-9223372036854775808", 1, 4 },
    { "a: .5", "a", TREE_DOUBLE, ".5", 1, 4 },
    { "a: 1.", "a", TREE_DOUBLE, "1.", 1, 4 },
    { "a: 1e3", "a", TREE_DOUBLE, "1e3", 1, 4 },
    { "a: -1.5E-3", "a", TREE_DOUBLE, "-1.5E-3", 1, 4 },
    { "a: True", "a", TREE_BOOL, "True", 1, 4 },
    { "a: false", "a", TREE_BOOL, "false", 1, 4 },
    { "a: null", "a", TREE_NULL, "null", 1, 4 },
    { "a: ~", "a", TREE_NULL, "~", 1, 4 },
    { "a: yes", "a", TREE_STRING, "yes", 1, 4 },
    { "a: on", "a", TREE_STRING, "on", 1, 4 },
    { "a: nUll", "a", TREE_STRING, "nUll", 1, 4 },
    { "a: 1_000", "a", TREE_STRING, "1_000", 1, 4 },
    { "a: 12:30", "a", TREE_STRING, "12:30", 1, 4 },
    { "a: 0x", "a", TREE_STRING, "0x", 1, 4 },
    { "a: -0x1", "a", TREE_STRING, "-0x1", 1, 4 },
    { "a: 0o8", "a", TREE_STRING, "0o8", 1, 4 },
    { "a: 1e", "a", TREE_STRING, "1e", 1, 4 },
    { "a: .", "a", TREE_STRING, ".", 1, 4 },
    { "a: +-1", "a", TREE_STRING, "+-1", 1, 4 },
    { "a: 1.2.3", "a", TREE_STRING, "1.2.3", 1, 4 },
    /* quotes and blocks are strings; the place is that of their content */
    { "a: '12'", "a", TREE_STRING, "12", 1, 5 },
    { "a: \"null\"", "a", TREE_STRING, "null", 1, 5 },
    { "a: ''", "a", TREE_STRING, "", 1, 5 },
    { "a: 'it''s'", "a", TREE_STRING, "it's", 1, 5 },
    { "a: \"x\\ty\\u00e9\"", "a", TREE_STRING, "x\ty\xc3\xa9", 1, 5 },
    { "a: |\n  12\n  b\n", "a", TREE_STRING, "12\nb\n", 2, 3 },
    { "a: |\n\n\n   12\n", "a", TREE_STRING, "\n\n12\n", 4, 4 },
    { "a: | # why\r\n  x\r\n", "a", TREE_STRING, "x\n", 2, 3 },
    { "a: >-\n  b\n  c\n", "a", TREE_STRING, "b c", 2, 3 },
    { "a: |2\n    b\n  c\n", "a", TREE_STRING, "  b\nc\n", 2, 3 },
    { "- |\n  b\n- 1", "[0]", TREE_STRING, "b\n", 2, 3 },
    { "a: |\n", "a", TREE_STRING, "", 1, 4 },
    { "a: b\n  c", "a", TREE_STRING, "b c", 1, 4 },
    { "'a': 'b'", "a", TREE_STRING, "b", 1, 7 },
    /* lists, maps, flow style */
    { "[1, 'b', {c: d}]", "[2].c", TREE_STRING, "d", 1, 14 },
    { "[1, 'b', {c: d}]", "[2]", TREE_MAP, NULL, 1, 10 },
    { "a:\n  - b\n  - c: 1\n    d: 2\n", "a[1].d", TREE_INT, "2", 4, 8 },
    { "a:\n- b\n", "a", TREE_LIST, NULL, 2, 1 },
    { "{}", "", TREE_MAP, NULL, 1, 1 },
    { "[]", "", TREE_LIST, NULL, 1, 1 },
    { "plain", "", TREE_STRING, "plain", 1, 1 },
    { "a: [\n\t1]", "a[0]", TREE_INT, "1", 2, 2 },
    /* keys are strings */
    { "4: x", "4", TREE_STRING, "x", 1, 4 },
    { "true: x", "true", TREE_STRING, "x", 1, 7 },
    { "~: x", "~", TREE_STRING, "x", 1, 4 },
    { "'<<': x", "<<", TREE_STRING, "x", 1, 7 },
    { "? a\n: b", "a", TREE_STRING, "b", 2, 3 },
    { "'a ? b': c", "a ? b", TREE_STRING, "c", 1, 10 },
    /* expressions that need no quotes, or have them */
    { "a: ceil_div(x, 2) * (y + 1)", "a", TREE_STRING,
      "ceil_div(x, 2) * (y + 1)", 1, 4 },
    { "{div: 'max(a, b)'}", "div", TREE_STRING, "max(a, b)", 1, 8 },
    { "{div: (a + b) / 2}", "div", TREE_STRING, "(a + b) / 2", 1, 7 },
    { "a: '!x'", "a", TREE_STRING, "!x", 1, 5 },
    { "a: x != y && z", "a", TREE_STRING, "x != y && z", 1, 4 },
    { "a: 'x ? y : z'", "a", TREE_STRING, "x ? y : z", 1, 5 },
    /* bytes, ends of lines, documents */
    { "\xef\xbb\xbf" "a: 1", "a", TREE_INT, "1", 1, 4 },
    { "a: 1\r\nb: 2\r\n", "b", TREE_INT, "2", 2, 4 },
    { "{\xc3\xa9: '\xf0\x9f\x98\x80', b: 1}", "b", TREE_INT, "1", 1, 13 },
    { "\xc3\xa9: |\n  x\nb: |\n  y", "b", TREE_STRING, "y", 4, 3 },
    { "%YAML 1.2\n---\na: 1\n...\n", "a", TREE_INT, "1", 3, 4 },
    { "%YAML 1.1\n---\na: 1", "a", TREE_INT, "1", 3, 4 },
    { "# c\n\na: 1 # c", "a", TREE_INT, "1", 3, 4 },
    { "- 1\n---\n- 2", "[0]", TREE_INT, "1", 1, 3 },
};
/* clang-format on */

static struct tree *read_yaml(struct arena *arena, const char *text)
{
    struct tree *documents = NULL;
    struct error err = { 0 };
    int rc = document_read_yaml(arena, "x.yaml", text, strlen(text), &documents,
                                &err);

    ck_assert_msg(rc == 0, "'%s': %s", text, err.text);
    return documents;
}

static const struct tree *find_path(const struct tree *tree, const char *path)
{
    struct text name = { 0 };
    const struct tree *found = NULL;

    tree_path(tree, &name);
    if (strcmp(text_string(&name), path) == 0)
        found = tree;
    text_close(&name);
    for (const struct tree *t = tree_first(tree); t != NULL && found == NULL;
         t = t->next)
        found = find_path(t, path);
    return found;
}

START_TEST(a_value_has_its_type_text_and_place)
{
    const struct row *row = &accepted[_i];
    struct arena *arena = arena_new(1 << 20);
    const struct tree *tree;

    tree = find_path(tree_first(read_yaml(arena, row->yaml)), row->path);
    ck_assert_msg(tree != NULL, "'%s' has no %s", row->yaml, row->path);
    ck_assert_int_eq(tree->type, row->type);
    ck_assert_pstr_eq(tree->text, row->text);
    ck_assert_uint_eq(tree->len, row->text ? strlen(row->text) : 0);
    ck_assert_msg(tree->line == row->line && tree->column == row->column,
                  "'%s': %u:%u", row->yaml, tree->line, tree->column);
    ck_assert_str_eq(tree->source, "x.yaml");
    arena_free(arena);
}
END_TEST

START_TEST(numbers_have_their_value)
{
    struct arena *arena = arena_new(1 << 20);
    const struct tree *list = tree_first(
        read_yaml(arena, "[0o17, 0xfF, -9223372036854775808, .5, 1e3, TRUE]"));
    const struct tree *t = tree_first(list);

    ck_assert_int_eq(t->u.integer, 15);
    ck_assert_int_eq((t = t->next)->u.integer, 255);
    ck_assert_int_eq((t = t->next)->u.integer, INT64_MIN);
    ck_assert_double_eq((t = t->next)->u.number, 0.5);
    ck_assert_double_eq((t = t->next)->u.number, 1000);
    ck_assert((t = t->next)->u.boolean);
    arena_free(arena);
}
END_TEST

START_TEST(a_key_has_the_place_of_its_name)
{
    struct arena *arena = arena_new(1 << 20);
    const struct tree *map =
        tree_first(read_yaml(arena, "a: 1\n'b c': {d: 2}\n? |-\n  e\n: 3\n"));
    const struct tree *b = tree_get(map, "b c"), *e = tree_get(map, "e");

    ck_assert_uint_eq(tree_first(map)->key_column, 1);
    ck_assert_uint_eq(b->key_line, 2);
    ck_assert_uint_eq(b->key_column, 2);
    ck_assert_uint_eq(tree_first(b)->key_column, 9);
    ck_assert_uint_eq(e->key_line, 4);
    ck_assert_uint_eq(e->key_column, 3);
    arena_free(arena);
}
END_TEST

START_TEST(documents_of_a_stream_are_a_list_without_being_its_children)
{
    struct arena *arena = arena_new(1 << 20);
    struct tree *documents = read_yaml(arena, "a: 1\n---\n- 2\n---\nb");
    const struct tree *first = tree_first(documents);

    ck_assert_uint_eq(tree_count(documents), 3);
    ck_assert_ptr_null(first->parent);
    ck_assert_int_eq(first->next->type, TREE_LIST);
    ck_assert_uint_eq(first->next->line, 3);
    ck_assert_int_eq(first->next->next->type, TREE_STRING);
    arena_free(arena);
}
END_TEST

static struct tree *read_json(struct arena *arena, const char *text)
{
    struct tree *tree = NULL;
    struct error err = { 0 };
    int rc =
        document_read_json(arena, "x.json", text, strlen(text), &tree, &err);

    ck_assert_msg(rc == 0, "'%s': %s", text, err.text);
    return tree;
}

START_TEST(json_gives_the_same_trees_without_places)
{
    struct arena *arena = arena_new(1 << 20);
    const struct tree *map = read_json(
        arena, "\xef\xbb\xbf{\"z\": [1, -2.50, null], \"a\": {\"b\": true},"
               " \"s\": \"\\u00e9\\n\"} \n");
    const struct tree *z = tree_get(map, "z");

    ck_assert_str_eq(tree_first(map)->key, "z");
    ck_assert_uint_eq(map->line, 0);
    ck_assert_str_eq(tree_first(z)->source, "x.json");
    ck_assert_int_eq(tree_first(z)->u.integer, 1);
    ck_assert_str_eq(tree_first(z)->text, "1");
    ck_assert_double_eq(tree_first(z)->next->u.number, -2.5);
    ck_assert_str_eq(tree_first(z)->next->text, "-2.5");
    ck_assert_int_eq(z->u.children.last->type, TREE_NULL);
    ck_assert(tree_get(tree_get(map, "a"), "b")->u.boolean);
    ck_assert_str_eq(tree_get(map, "s")->text, "\xc3\xa9\n");
    arena_free(arena);
}
END_TEST

START_TEST(json_may_be_one_scalar)
{
    struct arena *arena = arena_new(1 << 20);

    ck_assert_int_eq(read_json(arena, "9223372036854775807")->u.integer,
                     INT64_MAX);
    ck_assert_int_eq(read_json(arena, "\"x\"")->type, TREE_STRING);
    arena_free(arena);
}
END_TEST

/* 64 lists are taken, in both languages; the table of the malformed has 65. */
START_TEST(sixty_four_levels_are_taken)
{
    struct arena *arena = arena_new(1 << 20);
    char text[2 * DOCUMENT_DEPTH_MAX + 1] = "";

    memset(text, '[', DOCUMENT_DEPTH_MAX);
    memset(text + DOCUMENT_DEPTH_MAX, ']', DOCUMENT_DEPTH_MAX);
    ck_assert_int_eq(tree_first(read_yaml(arena, text))->type, TREE_LIST);
    ck_assert_int_eq(read_json(arena, text)->type, TREE_LIST);
    arena_free(arena);
}
END_TEST

/* Every cap up to what the sample needs; a sanitizer sees what leaks. */
START_TEST(an_arena_at_its_cap_is_exhausted_and_nothing_leaks)
{
    const char *text = "{\"a\": [1, 2.5, \"x\"], \"b\": {\"c\": null}}";
    int (*const readers[])(
        struct arena *, const char *, const char *, size_t, struct tree **,
        struct error *) = { document_read_yaml, document_read_json };
    size_t cap = 0;
    int rc = -1;

    for (; rc < 0 && cap < 8192; cap += 16) {
        struct arena *arena = arena_new(cap);
        struct tree *tree = NULL;
        struct error err = { 0 };

        rc = readers[_i](arena, "x", text, strlen(text), &tree, &err);
        if (rc < 0) {
            ck_assert_int_eq(err.status, STATUS_EXHAUSTED);
            ck_assert_ptr_null(tree);
        }
        arena_free(arena);
    }
    ck_assert_int_eq(rc, 0);
    ck_assert_uint_gt(cap, 16);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("document_read");
    TCase *tcase = tcase_create("text");

    tcase_add_loop_test(tcase, a_value_has_its_type_text_and_place, 0,
                        (int)ARRAY_LEN(accepted));
    tcase_add_test(tcase, numbers_have_their_value);
    tcase_add_test(tcase, a_key_has_the_place_of_its_name);
    tcase_add_test(tcase,
                   documents_of_a_stream_are_a_list_without_being_its_children);
    tcase_add_test(tcase, json_gives_the_same_trees_without_places);
    tcase_add_test(tcase, json_may_be_one_scalar);
    tcase_add_test(tcase, sixty_four_levels_are_taken);
    tcase_add_loop_test(
        tcase, an_arena_at_its_cap_is_exhausted_and_nothing_leaks, 0, 2);
    suite_add_tcase(suite, tcase);
    return tap_run(suite);
}
