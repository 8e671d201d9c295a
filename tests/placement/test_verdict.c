/* SPDX-License-Identifier: Apache-2.0 */
/* The verdict as a document: the fields that scripts rely on. */
#include "placement/verdict.h"

#include "tests/placement/check_fixture.h"

static const char runtime[] =
    "runtime: r\n"
    "axes: [{name: a, field: a_size}, {name: b, field: b_size},"
    " {name: c, field: c_size}]\n"
    "derive: {instance: a * b * c}\n"
    "rules: [{code: known, for: placed as p, refuse: 'p.heads % p.c != 0',"
    " because: heads are whole}]\n"
    "create: [{list: instance, backend: cpu, when: axes_above_one > 1,"
    " sort: lexicographic}, {union: [c, b, a], sort: lexicographic}]\n";
static const char model[] =
    "model: m\nnodes: [{name: x, facts: {heads: 4}}, {name: y}]\n"
    "walks: [{name: go, nodes: [x]}]\n";
static const char cube[] =
    "model: m\nnode_groups:\n"
    "  - {node_names: [x], ranks: [0, 1, 2, 3, 4, 5, 6, 7], a_size: 2,"
    " b_size: 2, c_size: 2}\n";
static const char spans[] =
    "runtime: w\nrequest: world\naxes: [{name: a}, {name: b}]\n"
    "views: {v: [a, b], u: [{rest: 'div(world, b)'}, b]}\n"
    "groups: {half: {of: v.a+b, cut: 2}}\n"
    "derive: {both: a * b}\n";

static void assert_json(struct asked *a, const struct tree *tree,
                        const char *want)
{
    struct text out = { 0 };

    ck_assert_msg(tree != NULL, "%s", asked_json(a));
    document_write_json(tree, false, &out);
    ck_assert_str_eq(text_string(&out), want);
    text_close(&out);
}

START_TEST(an_accepted_verdict_has_its_fields)
{
    static const char *const keys[] = { "verdict",     "findings",
                                        "unchecked",   "warnings",
                                        "derived",     "alternatives",
                                        "node_groups", "resolution" };
    const struct tree *t;
    struct asked a;

    ck_assert(ask(&a, runtime, model, cube, NULL));
    t = tree_first(a.verdict);
    for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
        ck_assert_msg(t != NULL && strcmp(t->key, keys[i]) == 0, "%s: %s",
                      keys[i], asked_json(&a));
        t = t->next;
    }
    ck_assert_ptr_null(t);
    asked_close(&a);
}
END_TEST

START_TEST(a_refused_verdict_has_its_fields)
{
    static const char *const keys[] = { "code", "subject", "equation", "reason",
                                        "fixes" };
    const struct tree *t;
    struct asked a;

    ck_assert(ask(&a, runtime, model,
                  "model: m\nnode_groups:\n"
                  "  - {node_names: [x], ranks: [0, 1, 2], c_size: 3}\n",
                  NULL));
    ck_assert_str_eq(tree_get(a.verdict, "verdict")->text, "refuse");
    t = tree_first(asked_item(&a, "findings", 0));
    for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
        ck_assert_msg(t != NULL && strcmp(t->key, keys[i]) == 0, "%s",
                      asked_json(&a));
        t = t->next;
    }
    ck_assert_str_eq(asked_text(&a, "findings", 0, "code"), "known");
    ck_assert_str_eq(asked_text(&a, "findings", 0, "subject"),
                     "node_groups[0].x");
    ck_assert_str_eq(asked_text(&a, "findings", 0, "equation"),
                     "p.heads % p.c != 0: 4 % 3 = 1");
    ck_assert_str_eq(asked_text(&a, "findings", 0, "reason"),
                     "heads are whole");
    ck_assert_uint_eq(tree_count(tree_get(a.verdict, "node_groups")), 0);
    asked_close(&a);
}
END_TEST

START_TEST(groups_of_a_cube_are_laid_out_outermost_first)
{
    const struct tree *instances;
    struct asked a;

    ck_assert(ask(&a, runtime, model, cube, NULL));
    instances = tree_get(asked_item(&a, "node_groups", 0), "instances");
    assert_json(&a, instances,
                "[{\"ranks\":[0,1,2,3,4,5,6,7],\"groups\":{"
                "\"a\":[[0,4],[1,5],[2,6],[3,7]],"
                "\"b\":[[0,2],[1,3],[4,6],[5,7]],"
                "\"c\":[[0,1],[2,3],[4,5],[6,7]]}}]");
    assert_json(&a, tree_get(a.verdict, "resolution"), "{\"go\":{\"x\":0}}");
    asked_close(&a);
}
END_TEST

START_TEST(coordinates_by_rank_are_given_when_asked_for)
{
    const struct verdict_wants wants = { .per_rank = true };
    struct asked a;

    ck_assert(ask(&a, runtime, model, cube, &wants));
    assert_json(&a, tree_get(a.verdict, "per_rank"),
                "{\"instance_rank\":[0,1,2,3,4,5,6,7],"
                "\"a\":[0,0,0,0,1,1,1,1],\"b\":[0,0,1,1,0,0,1,1],"
                "\"c\":[0,1,0,1,0,1,0,1]}");
    asked_close(&a);
}
END_TEST

START_TEST(lists_are_given_by_the_name_asked_for)
{
    static const char *const names[] = { "a+b", "b+a", "c" };
    const struct verdict_wants wants = { .lists = names, .n_lists = 3 };
    struct asked a;

    ck_assert(ask(&a, runtime, model, cube, &wants));
    assert_json(&a, tree_get(a.verdict, "lists"),
                "{\"a+b\":[[0,2,4,6],[1,3,5,7]],"
                "\"b+a\":[[0,2,4,6],[1,3,5,7]],"
                "\"c\":[[0,1],[2,3],[4,5],[6,7]]}");
    asked_close(&a);
}
END_TEST

START_TEST(a_list_that_is_not_there_is_an_unknown_name)
{
    static const char *const names[] = { "d", "a+", "v.a", "" };
    struct asked a;

    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        const struct verdict_wants wants = { .lists = &names[i], .n_lists = 1 };

        ck_assert(!ask(&a, runtime, model, cube, &wants));
        ck_assert_int_eq(a.err.status, STATUS_UNKNOWN_NAME);
        asked_close(&a);
    }
}
END_TEST

START_TEST(groups_are_created_whole_ones_first_then_sorted)
{
    const struct verdict_wants wants = { .creation = true };
    struct text ranks = { 0 };
    struct asked a;

    ck_assert(ask(&a, runtime, model, cube, &wants));
    ck_assert_str_eq(asked_text(&a, "creation", 0, "backend"), "cpu");
    for (const struct tree *t = tree_first(tree_get(a.verdict, "creation"));
         t != NULL; t = t->next)
        document_write_json(tree_get(t, "ranks"), false, &ranks);
    ck_assert_str_eq(text_string(&ranks),
                     "[0,1,2,3,4,5,6,7]"
                     "[0,1][0,2][0,4][1,3][1,5][2,3][2,6][3,7]"
                     "[4,5][4,6][5,7][6,7]");
    text_close(&ranks);
    asked_close(&a);
}
END_TEST

START_TEST(nothing_of_a_worlds_size_is_there_unasked)
{
    struct text out = { 0 };
    struct asked a;

    ck_assert(
        ask(&a, spans, NULL, "world: 4096\nsizes: {a: 64, b: 64}\n", NULL));
    ck_assert_msg(check_accepts(a.check), "%s", asked_json(&a));
    ck_assert_uint_eq(tree_count(tree_get(a.verdict, "node_groups")), 0);
    document_write_json(a.verdict, false, &out);
    ck_assert_uint_lt(out.len, 512);
    text_close(&out);
    asked_close(&a);
}
END_TEST

START_TEST(lists_of_a_world_carry_the_name_of_their_view)
{
    static const char *const names[] = { "v.a", "u.rest", "half" };
    const struct verdict_wants wants = { .lists = names, .n_lists = 3 };
    struct asked a;

    ck_assert(ask(&a, spans, NULL, "world: 4\nsizes: {a: 2, b: 2}\n", &wants));
    assert_json(&a, tree_get(a.verdict, "lists"),
                "{\"v.a\":[[0,2],[1,3]],\"u.rest\":[[0,2],[1,3]],"
                "\"half\":[[0,1],[2,3]]}");
    assert_json(&a, tree_get(a.verdict, "derived"), "{\"both\":4}");
    asked_close(&a);
}
END_TEST

START_TEST(all_lists_and_views_are_those_of_the_runtime)
{
    static const char families[] =
        "runtime: w\nrequest: world\naxes: [{name: a}, {name: b}]\n"
        "views: {v: [a, b], u: [{rest: 'div(world, b)'}, b]}\n"
        "groups: {half: {of: v.a+b, cut: 2},"
        " size: {each: {n: '[1, 2]'}, of: v.a+b, runs: n}}\n";
    const struct verdict_wants wants = { .all_lists = true, .views = true };
    struct asked a;

    ck_assert(
        ask(&a, families, NULL, "world: 4\nsizes: {a: 2, b: 2}\n", &wants));
    assert_json(&a, tree_get(a.verdict, "lists"),
                "{\"v.a\":[[0,2],[1,3]],\"v.b\":[[0,1],[2,3]],"
                "\"u.rest\":[[0,2],[1,3]],\"u.b\":[[0,1],[2,3]],"
                "\"half\":[[0,1],[2,3]],\"size1\":[[0],[1],[2],[3]],"
                "\"size2\":[[0,1],[2,3]]}");
    assert_json(&a, tree_get(a.verdict, "views"),
                "[{\"name\":\"v\",\"axes\":[{\"axis\":\"a\",\"size\":2},"
                "{\"axis\":\"b\",\"size\":2}]},"
                "{\"name\":\"u\",\"axes\":[{\"axis\":\"rest\",\"size\":2},"
                "{\"axis\":\"b\",\"size\":2}]}]");
    asked_close(&a);
}
END_TEST

START_TEST(defaults_are_among_what_is_derived)
{
    struct asked a;

    ck_assert(ask(&a, spans, NULL, "world: 2\nsizes: {b: 2}\n", NULL));
    assert_json(&a, tree_get(a.verdict, "derived"), "{\"a\":1,\"both\":2}");
    asked_close(&a);
}
END_TEST

static const char active[] =
    "runtime: w\nrequest: world\naxes: [{name: a}, {name: b}]\n"
    "options: {flat: {type: bool, default: false}}\n"
    "facts: {odd: bool}\n"
    "derive: {both: a * b, each: 'range(a).map(i, i * layers)'}\n"
    "views: {v: {when: '!flat', axes: [a, b]}, u: [{all: both}]}\n"
    "active: {full: [a, b, both], part: [both]}\n"
    "active_when: {both: 'a > 1 && (flat || b > 1)'}\n";

START_TEST(active_sizes_are_above_one_or_as_their_condition_says)
{
    struct asked a;

    ck_assert(ask(&a, active, NULL, "world: 2\nsizes: {a: 2}\n", NULL));
    assert_json(&a, tree_get(a.verdict, "active_axes"),
                "{\"full\":[\"a\"],\"part\":[]}");
    asked_close(&a);
    ck_assert(ask(&a, active, NULL, "world: 4\nsizes: {a: 2, b: 2}\n", NULL));
    assert_json(&a, tree_get(a.verdict, "active_axes"),
                "{\"full\":[\"a\",\"b\",\"both\"],\"part\":[\"both\"]}");
    asked_close(&a);
    ck_assert(ask(&a, active, NULL, "world: 4\nsizes: {a: 2}\n", NULL));
    ck_assert_ptr_null(tree_get(a.verdict, "active_axes")); /* refused */
    asked_close(&a);
}
END_TEST

START_TEST(a_view_whose_condition_is_false_is_not_there)
{
    static const char *const names[] = { "v.a", "u.all" };
    const struct verdict_wants wants = { .lists = names,
                                         .n_lists = 2,
                                         .per_rank = true };
    struct asked a;

    ck_assert(ask(&a, active, NULL,
                  "world: 2\nsizes: {a: 2}\noptions: {flat: true}\n", &wants));
    assert_json(&a, tree_get(a.verdict, "lists"),
                "{\"v.a\":[],\"u.all\":[[0,1]]}");
    assert_json(&a, tree_get(a.verdict, "per_rank"),
                "{\"instance_rank\":[0,1],\"u.all\":[0,1]}");
    asked_close(&a);
}
END_TEST

START_TEST(a_list_that_is_known_in_part_is_left_out)
{
    struct asked a;

    ck_assert(ask(&a, active, NULL, "world: 2\nsizes: {a: 2}\n", NULL));
    assert_json(&a, tree_get(a.verdict, "derived"), "{\"b\":1,\"both\":2}");
    asked_close(&a);
    ck_assert(ask(&a, active, "model: m\nfacts: {layers: 3}\n",
                  "model: m\nworld: 2\nsizes: {a: 2}\n", NULL));
    assert_json(&a, tree_get(a.verdict, "derived"),
                "{\"b\":1,\"both\":2,\"each\":[0,3]}");
    asked_close(&a);
}
END_TEST

START_TEST(a_rank_may_hold_a_part_from_either_end)
{
    static const struct verdict_wants wants = { .assignment = true, .rank = 1 };
    const struct tree *node;
    struct asked a;

    ck_assert(ask(&a,
                  "runtime: w\nrequest: world\n"
                  "axes: [{name: a, splits: layers}, {name: b, splits: tokens},"
                  " {name: c, splits: experts}]\n"
                  "split_rules: {layers: {rule: inner_longer, both_ends: true},"
                  " tokens: {rule: even, both_ends: true},"
                  " experts: {rule: unstated}}\n",
                  "model: m\nfacts: {layers: 27, experts: 8}\n",
                  "model: m\nworld: 4\nsizes: {c: 2, a: 2}\n", &wants));
    node = tree_first(tree_get(tree_get(a.verdict, "assignment"), "nodes"));
    assert_json(&a, tree_get(node, "shares"),
                "[{\"what\":\"layers\",\"rule\":\"inner_longer\",\"parts\":4,"
                "\"part\":0,\"total\":27,\"range\":[0,7]},"
                "{\"what\":\"layers\",\"rule\":\"inner_longer\",\"parts\":4,"
                "\"part\":3,\"total\":27,\"range\":[21,27]},"
                "{\"what\":\"experts\",\"rule\":\"unstated\",\"parts\":2,"
                "\"part\":1}]");
    asked_close(&a);
    ck_assert(ask(&a,
                  "runtime: w\nrequest: world\n"
                  "axes: [{name: b, splits: tokens}]\n"
                  "split_rules: {tokens: {rule: even, both_ends: true}}\n",
                  NULL, "world: 2\nsizes: {b: 2}\n", &wants));
    node = tree_first(tree_get(tree_get(a.verdict, "assignment"), "nodes"));
    assert_json(&a, tree_get(node, "shares"),
                "[{\"what\":\"tokens\",\"rule\":\"even\",\"parts\":4,"
                "\"part\":1},{\"what\":\"tokens\",\"rule\":\"even\","
                "\"parts\":4,\"part\":2}]");
    asked_close(&a);
}
END_TEST

START_TEST(unchecked_rules_of_one_code_are_one_entry)
{
    struct asked a;

    ck_assert(ask(&a, runtime, "model: m\nnodes: [{name: x}, {name: y}]\n",
                  "model: m\nnode_groups: [{node_names: [x, y],"
                  " ranks: [0, 1], c_size: 2}]\n",
                  NULL));
    assert_json(&a, tree_get(a.verdict, "unchecked"),
                "[{\"code\":\"known\","
                "\"needs\":[\"model.x.heads\",\"model.y.heads\"]}]");
    asked_close(&a);
}
END_TEST

START_TEST(many_findings_are_counted_and_not_all_written)
{
    struct text request = { 0 };
    struct asked a;

    text_put(&request, "model: m\nnode_groups:\n");
    for (int i = 0; i < CHECK_FINDINGS_MAX + 10; i++)
        text_put(&request, "  - {node_names: [x], ranks: []}\n");
    ck_assert(ask(&a, runtime, model, text_string(&request), NULL));
    ck_assert_uint_eq(tree_count(tree_get(a.verdict, "findings")),
                      CHECK_FINDINGS_MAX);
    ck_assert_ptr_nonnull(tree_get(a.verdict, "findings_left_out"));
    ck_assert_int_eq(tree_get(a.verdict, "findings_left_out")->u.integer, 10);
    text_close(&request);
    asked_close(&a);
}
END_TEST

START_TEST(a_full_arena_is_exhausted)
{
    static const struct verdict_wants wants = { .creation = true,
                                                .per_rank = true };
    struct asked a;

    ck_assert(ask(&a, runtime, model, cube, NULL));
    for (size_t bytes = 0; bytes < 16384; bytes += 128) {
        struct arena *small = arena_new(bytes);
        struct tree_maker maker = { .arena = small };
        struct tree *map = make_map(&maker, NULL, NULL);
        struct error err = { 0 };

        if (verdict_write(a.check, NULL, &wants, &maker, map, &err) < 0)
            ck_assert_int_eq(err.status, STATUS_EXHAUSTED);
        arena_free(small);
    }
    asked_close(&a);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("verdict");
    TCase *tc = tcase_create("fields");

    tcase_add_test(tc, an_accepted_verdict_has_its_fields);
    tcase_add_test(tc, a_refused_verdict_has_its_fields);
    tcase_add_test(tc, groups_of_a_cube_are_laid_out_outermost_first);
    tcase_add_test(tc, coordinates_by_rank_are_given_when_asked_for);
    tcase_add_test(tc, lists_are_given_by_the_name_asked_for);
    tcase_add_test(tc, a_list_that_is_not_there_is_an_unknown_name);
    tcase_add_test(tc, groups_are_created_whole_ones_first_then_sorted);
    tcase_add_test(tc, nothing_of_a_worlds_size_is_there_unasked);
    tcase_add_test(tc, lists_of_a_world_carry_the_name_of_their_view);
    tcase_add_test(tc, all_lists_and_views_are_those_of_the_runtime);
    tcase_add_test(tc, defaults_are_among_what_is_derived);
    tcase_add_test(tc, active_sizes_are_above_one_or_as_their_condition_says);
    tcase_add_test(tc, a_view_whose_condition_is_false_is_not_there);
    tcase_add_test(tc, a_list_that_is_known_in_part_is_left_out);
    tcase_add_test(tc, a_rank_may_hold_a_part_from_either_end);
    tcase_add_test(tc, unchecked_rules_of_one_code_are_one_entry);
    tcase_add_test(tc, many_findings_are_counted_and_not_all_written);
    tcase_add_test(tc, a_full_arena_is_exhausted);
    suite_add_tcase(suite, tc);
    return tap_run(suite);
}
