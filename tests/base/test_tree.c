/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of base/tree. */
#include "base/tree.h"

#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"

static struct arena *arena;
static struct tree *top, *ranks;

/* {model: wan, off: null, node_groups: [{ranks: [0, 1]}]} */
static void set_up(void)
{
    struct tree *groups, *group;

    arena = arena_new(1 << 16);
    top = tree_new(arena, NULL, NULL, TREE_MAP);
    top->source = "wan.yaml";
    tree_new_string(arena, top, "model", "wan");
    tree_new(arena, top, "off", TREE_NULL);
    groups = tree_new(arena, top, "node_groups", TREE_LIST);
    group = tree_new(arena, groups, NULL, TREE_MAP);
    ranks = tree_new(arena, group, "ranks", TREE_LIST);
    tree_new_int(arena, ranks, NULL, 0);
    tree_new_int(arena, ranks, NULL, 1);
}

static void tear_down(void)
{
    arena_free(arena);
}

static const struct tree *second_rank(void)
{
    return tree_first(ranks)->next;
}

START_TEST(children_are_found_by_key)
{
    const struct tree *model = tree_get(top, "model");

    ck_assert_ptr_nonnull(model);
    ck_assert_str_eq(model->text, "wan");
    ck_assert_uint_eq(model->len, 3);
    ck_assert_ptr_eq(model->parent, top);
    ck_assert_uint_eq(tree_count(top), 3);
}
END_TEST

START_TEST(what_is_absent_null_or_no_map_is_not_found)
{
    ck_assert_ptr_null(tree_get(top, "runtime"));
    ck_assert_ptr_null(tree_get(top, "off"));
    ck_assert_ptr_null(tree_get(NULL, "model"));
    ck_assert_ptr_null(tree_get(ranks, "model"));
    ck_assert_ptr_null(tree_entries(ranks));
    ck_assert_ptr_null(tree_entries(NULL));
    ck_assert_ptr_eq(tree_entries(top), tree_get(top, "model"));
    ck_assert_ptr_null(tree_get(tree_get(top, "model"), "model"));
}
END_TEST

START_TEST(what_a_child_holds_is_read_or_replaced)
{
    struct tree_maker maker = { .arena = arena };

    make_bool(&maker, top, "yes", true);
    make_bool(&maker, top, "no", false);
    make_int(&maker, top, "n", -3);
    ck_assert_str_eq(tree_text(top, "model"), "wan");
    ck_assert_str_eq(tree_text(top, "off"), "");
    ck_assert_str_eq(tree_text(top, "node_groups"), "");
    ck_assert_str_eq(tree_text(NULL, "model"), "");
    ck_assert_str_eq(tree_string(tree_get(top, "model")), "wan");
    ck_assert_str_eq(tree_string(ranks), "");
    ck_assert_str_eq(tree_string(NULL), "");
    ck_assert_int_eq(tree_int(top, "n", 7), -3);
    ck_assert_int_eq(tree_int(top, "model", 7), 7);
    ck_assert_int_eq(tree_int(top, "m", 7), 7);
    ck_assert(tree_true(top, "yes"));
    ck_assert(!tree_true(top, "no"));
    ck_assert(!tree_true(top, "n"));
    ck_assert(!tree_true(top, "m"));
}
END_TEST

START_TEST(a_child_made_apart_becomes_the_last_one)
{
    struct tree *child = tree_new(arena, NULL, "late", TREE_LIST);

    tree_adopt(top, child);
    ck_assert_ptr_eq(tree_get(top, "late"), child);
    ck_assert_ptr_eq(child->parent, top);
    ck_assert_ptr_null(child->next);
    ck_assert_str_eq(child->source, "wan.yaml");
    ck_assert_uint_eq(tree_count(top), 4);
}
END_TEST

START_TEST(children_stand_in_the_order_of_the_document)
{
    ck_assert_int_eq(tree_first(ranks)->u.integer, 0);
    ck_assert_int_eq(second_rank()->u.integer, 1);
    ck_assert_ptr_null(second_rank()->next);
    ck_assert_uint_eq(tree_count(ranks), 2);
    ck_assert_ptr_null(tree_first(tree_get(top, "model")));
    ck_assert_ptr_null(tree_first(NULL));
    ck_assert_uint_eq(tree_count(NULL), 0);
}
END_TEST

START_TEST(a_path_leads_from_the_top)
{
    struct text path = { 0 };

    tree_path(second_rank(), &path);
    ck_assert_str_eq(text_string(&path), "node_groups[0].ranks[1]");
    text_clear(&path);
    tree_path(tree_get(top, "model"), &path);
    ck_assert_str_eq(text_string(&path), "model");
    text_clear(&path);
    tree_path(top, &path);
    ck_assert_str_eq(text_string(&path), "");
    text_close(&path);
}
END_TEST

START_TEST(an_error_says_where_as_far_as_it_is_known)
{
    struct tree *rank = tree_new_int(arena, ranks, NULL, -1);
    struct error err = { 0 };

    ck_assert_int_eq(tree_error(rank, &err, STATUS_INVALID, "is %d", -1), -1);
    ck_assert_int_eq(err.status, STATUS_INVALID);
    ck_assert_str_eq(err.text, "wan.yaml: node_groups[0].ranks[2]: is -1");
    rank->line = 7;
    rank->column = 12;
    tree_error(rank, &err, STATUS_INVALID, "is negative");
    ck_assert_str_eq(err.text, "wan.yaml: line 7, column 12: "
                               "node_groups[0].ranks[2]: is negative");
}
END_TEST

START_TEST(an_error_can_point_at_the_key)
{
    struct tree *key = tree_new_int(arena, top, "modle", 1);
    struct error err = { 0 };

    key->line = key->key_line = 3;
    key->column = 8;
    key->key_column = 1;
    tree_error_key(key, &err, STATUS_INVALID, "unknown key");
    ck_assert_str_eq(err.text,
                     "wan.yaml: line 3, column 1: modle: unknown key");
}
END_TEST

START_TEST(an_error_about_a_deep_place_does_not_overflow)
{
    struct tree *deep = top;
    struct error err = { 0 };

    for (int i = 0; i < 64; i++)
        deep = tree_new(arena, deep, "a_key_of_some_length", TREE_MAP);
    tree_error(deep, &err, STATUS_INVALID, "wrong");
    ck_assert_uint_eq(strlen(err.text), sizeof(err.text) - 1);
}
END_TEST

START_TEST(a_maker_builds_every_type)
{
    struct tree_maker maker = { .arena = arena };
    struct tree *map = make_map(&maker, NULL, NULL);
    struct tree *list = make_list(&maker, map, "list");

    make_string(&maker, list, NULL, "text");
    make_int(&maker, list, NULL, INT64_MIN);
    make_bool(&maker, map, "yes", true);
    make_double(&maker, map, "half", 0.5);
    make_copy(&maker, map, "copy", top);
    ck_assert(!maker.failed);
    ck_assert_str_eq(tree_first(list)->text, "text");
    ck_assert(tree_first(list)->next->u.integer == INT64_MIN);
    ck_assert(tree_get(map, "yes")->u.boolean);
    ck_assert_str_eq(tree_get(map, "yes")->text, "true");
    ck_assert_double_eq(tree_get(map, "half")->u.number, 0.5);
    ck_assert_str_eq(tree_get(map, "half")->text, "0.5");
    ck_assert_str_eq(tree_get(tree_get(map, "copy"), "model")->text, "wan");
}
END_TEST

START_TEST(a_copy_is_equal_and_apart)
{
    struct tree_maker maker = { .arena = arena };
    struct tree *map = make_map(&maker, NULL, NULL);
    struct text path = { 0 };
    const struct tree *copy;

    make_copy(&maker, map, "copy", top);
    copy = tree_get(tree_get(map, "copy"), "node_groups");
    ck_assert_ptr_ne(copy, tree_get(top, "node_groups"));
    copy = tree_first(tree_get(tree_first(copy), "ranks"))->next;
    ck_assert_int_eq(copy->u.integer, 1);
    tree_path(copy, &path);
    ck_assert_str_eq(text_string(&path), "copy.node_groups[0].ranks[1]");
    text_close(&path);
}
END_TEST

START_TEST(a_maker_out_of_memory_says_so_at_the_end)
{
    struct tree_maker maker = { .arena = arena_new(256) };
    struct tree *list = make_list(&maker, NULL, NULL), *map;

    ck_assert(!maker.failed);
    for (int i = 0; i < 100; i++)
        make_int(&maker, list, NULL, i);
    ck_assert(maker.failed);
    map = make_map(&maker, list, NULL);
    ck_assert_ptr_nonnull(map);
    make_string(&maker, map, "key", "text");
    make_bool(&maker, make_list(&maker, map, "key"), NULL, true);
    make_double(&maker, map, "key", 1.5);
    make_copy(&maker, map, "key", top);
    ck_assert_uint_eq(tree_count(map), 0);
    arena_free(maker.arena);
}
END_TEST

/* An arena of every size up to what is needed: whichever step is the one that
 * runs out, the maker notices. */
START_TEST(memory_may_run_out_at_every_step)
{
    bool enough = false;

    for (size_t cap = 0; !enough; cap += 16) {
        struct tree_maker maker = { .arena = arena_new(cap) };
        struct tree *map = make_map(&maker, NULL, NULL);

        make_copy(&maker, map, "copy", top);
        make_bool(&maker, map, "yes", true);
        make_double(&maker, map, "half", 0.5);
        enough = !maker.failed;
        if (enough)
            ck_assert_uint_eq(tree_count(map), 3);
        arena_free(maker.arena);
    }
}
END_TEST

START_TEST(every_type_has_a_name_for_messages)
{
    for (int type = TREE_NULL; type <= TREE_MAP; type++)
        ck_assert_ptr_nonnull(tree_type_name((enum tree_type)type));
    ck_assert_str_eq(tree_type_name(TREE_MAP), "a map");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("tree");
    TCase *tc = tcase_create("tree");

    tcase_add_checked_fixture(tc, set_up, tear_down);
    tcase_add_test(tc, children_are_found_by_key);
    tcase_add_test(tc, what_is_absent_null_or_no_map_is_not_found);
    tcase_add_test(tc, what_a_child_holds_is_read_or_replaced);
    tcase_add_test(tc, a_child_made_apart_becomes_the_last_one);
    tcase_add_test(tc, children_stand_in_the_order_of_the_document);
    tcase_add_test(tc, a_path_leads_from_the_top);
    tcase_add_test(tc, an_error_says_where_as_far_as_it_is_known);
    tcase_add_test(tc, an_error_can_point_at_the_key);
    tcase_add_test(tc, an_error_about_a_deep_place_does_not_overflow);
    tcase_add_test(tc, a_maker_builds_every_type);
    tcase_add_test(tc, a_copy_is_equal_and_apart);
    tcase_add_test(tc, a_maker_out_of_memory_says_so_at_the_end);
    tcase_add_test(tc, memory_may_run_out_at_every_step);
    tcase_add_test(tc, every_type_has_a_name_for_messages);
    suite_add_tcase(suite, tc);
    return tap_run(suite);
}
