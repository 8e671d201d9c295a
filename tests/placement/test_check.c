/* SPDX-License-Identifier: Apache-2.0 */
/* Every construct of the runtime language, in a request that it accepts and one
 * that it refuses. */
#include "placement/check.h"

#include <stdio.h>

#include "tests/placement/check_fixture.h"

#define GROUP(rest) "model: m\nnode_groups: [{node_names: [x], " rest "}]\n"
#define AXES "axes: [{name: a}, {name: b}]\n"
#define SPAN "runtime: r\nrequest: world\n" AXES "views: {v: [a, b]}\n"

static const char one_node[] =
    "model: m\n"
    "facts: {heads: 24, layers_of: [24, 32]}\n"
    "nodes:\n"
    "  - {name: x, axes: {a: {most: 4}}, facts: {heads: 12}}\n"
    "  - {name: y}\n"
    "walks:\n"
    "  - {name: go, nodes: [x], signals: [{from: x, to: x, name: s}]}\n"
    "  - {name: stop, nodes: [x, y], when_placed: [y]}\n"
    "streams: [{signal: s, to: x}]\n"
    "resources: [{key: cache, kind: paged, nodes: [x], splits: [a]}]\n"
    "combined_walks: [{node: x, name: joint, walks: [go, stop]}]\n"
    "shard_dim: {s: 1}\n";

/* clang-format off */
static const struct {
    const char *what;
    const char *runtime;
    const char *accepted, *refused;
    const char *code;     /* of the first finding of the refused one */
    const char *equation; /* part of its equation */
} constructs[] = {
    { "default of an axis",
      "runtime: r\naxes: [{name: a, default: b}, {name: b}]\n",
      GROUP("ranks: [0, 1, 2, 3], b: 2"), GROUP("ranks: [0, 1], b: 2"),
      "ranks.not_multiple", "2 % 4" },
    { "fill of an axis, and what it is filled on",
      "runtime: r\nrequest: world\n"
      "axes: [{name: a, fill: 'div(world, b)', fill_on: -1, default: -1},"
      " {name: b}]\n"
      "views: {v: [a, b]}\nrules: [{check: product}]\n",
      "world: 8\nsizes: {a: -1, b: 2}\n", "world: 8\nsizes: {a: 3, b: 2}\n",
      "view.product", "6 != 8" },
    { "an axis that is there only when",
      "runtime: r\naxes: [{name: a, when: 'b > 1'}, {name: b}]\n",
      GROUP("ranks: [0, 1, 2, 3], a: 2, b: 2"), GROUP("ranks: [0, 1], a: 2"),
      "axis.absent", "2 != 1" },
    { "given is the raw request",
      "runtime: r\naxes: [{name: a, default: 2}]\n"
      "rules: [{code: c, refuse: 'has(given.a) && given.a == 2'}]\n",
      GROUP("ranks: [0, 1]"), GROUP("ranks: [0, 1], a: 2"),
      "c", "given.a == 2" },
    { "one of an option's values",
      "runtime: r\n" AXES
      "options: {mode: {type: string, default: slow,"
      " one_of: [slow, fast]}}\n"
      "rules: [{code: c, refuse: 'mode == \"fast\" && a > 1'}]\n",
      "options: {mode: slow}\n" GROUP("ranks: [0, 1], a: 2"),
      "options: {mode: fast}\n" GROUP("ranks: [0, 1], a: 2"),
      "c", "a = 2" },
    { "derived sizes with alternatives, in any order",
      "runtime: r\n" AXES
      "derive:\n  third: 'second + 1'\n"
      "  second:\n    - {when: 'a > 1', value: 'a * 10'}\n"
      "    - {value: b}\n"
      "rules: [{code: c, refuse: 'third == 21'}]\n",
      GROUP("ranks: [0, 1], b: 2"), GROUP("ranks: [0, 1], a: 2"),
      "c", "third = 21" },
    { "tables of constants",
      "runtime: r\n" AXES
      "options: {device: {type: string, default: small}}\n"
      "tables: {devices: {small: {most: 1}, large: {most: 4}}}\n"
      "rules: [{code: c, refuse: 'a > devices[device].most'}]\n",
      "options: {device: large}\n" GROUP("ranks: [0, 1], a: 2"),
      GROUP("ranks: [0, 1], a: 2"),
      "c", "2 > 1" },
    { "views with alternatives and sizes of their own",
      "runtime: r\nrequest: world\n" AXES
      "views:\n  v:\n"
      "    - {when: 'a > 1', axes: [a, {rest: 'div(world, a)'}]}\n"
      "    - {axes: [b, {rest: 'world / 2'}]}\n"
      "rules: [{check: product}]\n",
      "world: 6\nsizes: {a: 3}\n", "world: 6\nsizes: {a: 4}\n",
      "view.product", "4 != 6" },
    { "a shared axis has the same groups in both views",
      "runtime: r\nrequest: world\n" AXES
      "views: {v: [a, b], u: [a, {other: b}], w: [{other: b}, a]}\n"
      "rules: [{code: differ, check: same_groups, views: [v, w], axis: a}]\n",
      "world: 2\nsizes: {a: 2}\n", "world: 4\nsizes: {a: 2, b: 2}\n",
      "differ", "" },
    { "groups that are cut",
      SPAN "groups: {half: {of: v.a+b, cut: 2}}\n"
      "rules: [{code: c, for: 'lists(\"half\") as g',"
      " refuse: 'g.size > 1 && g.first % g.size != 0'}]\n",
      "world: 4\nsizes: {a: 2, b: 2}\n", "world: 6\nsizes: {a: 2, b: 2}\n",
      NULL, "" },
    { "a set of axes that is not listed",
      "runtime: r\n" AXES "axis_sets: [{set: [a]}, {set: [b]},"
      " {refuse: [a, b], code: clash, because: they clash}]\n"
      "rules: [{check: axis_sets}]\n",
      GROUP("ranks: [0, 1], b: 2"), GROUP("ranks: [0, 1, 2, 3], a: 2, b: 2"),
      "clash", "" },
    { "for: nodes",
      "runtime: r\n" AXES "rules: [{code: c, for: nodes as n,"
      " refuse: '!has(n.axes.a) && n.placed'}]\n",
      GROUP("ranks: [0]"),
      "model: m\nnode_groups: [{node_names: [x, y], ranks: [0]}]\n",
      "c", "" },
    { "for: groups",
      "runtime: r\n" AXES
      "rules: [{code: c, for: groups as g, refuse: 'g.ranks > 2'}]\n",
      GROUP("ranks: [0, 1]"), GROUP("ranks: [0, 1, 2]"), "c", "g.ranks = 3" },
    { "for: placed, with facts of the node before those of the model",
      "runtime: r\n" AXES "rules: [{code: c, for: placed as p,"
      " refuse: 'p.heads.exists(h, h % p.a != 0)'}]\n",
      GROUP("ranks: [0, 1, 2], a: 3"),
      GROUP("ranks: [0, 1, 2, 3, 4, 5, 6, 7], a: 8"), "c", "12 % 8 = 4" },
    { "for: instances",
      "runtime: r\n" AXES
      "rules: [{code: c, for: instances as i, refuse: 'i.first % 2 != 0'}]\n",
      GROUP("ranks: [0, 1], a: 2"), GROUP("ranks: [1, 2], a: 2"),
      "c", "1 % 2 = 1" },
    { "for: signals",
      "runtime: r\n" AXES "rules: [{code: c, for: signals as s,"
      " refuse: 's.dim >= 0 && s.source.b > 1'}]\n",
      GROUP("ranks: [0, 1], a: 2"), GROUP("ranks: [0, 1], b: 2"),
      "c", "s.source.b = 2" },
    { "for: resources",
      "runtime: r\n" AXES "rules: [{code: c, for: resources as r,"
      " refuse: 'r.kind == \"paged\" && r.placed.exists(p, p.b > 1)'}]\n",
      GROUP("ranks: [0, 1], a: 2"), GROUP("ranks: [0, 1], b: 2"),
      "c", "p.b = 2" },
    { "for: streams",
      "runtime: r\n" AXES "rules: [{code: c, for: streams as s,"
      " refuse: 's.signal == \"s\" && placed.exists(p, p.name == s.node.name"
      " && p.a > 1)'}]\n",
      GROUP("ranks: [0, 1], b: 2"), GROUP("ranks: [0, 1], a: 2"),
      "c", "p.name == s.node.name" },
    { "for: walks",
      "runtime: r\n" AXES "rules: [{code: c, for: walks as w,"
      " refuse: 'w.name == \"stop\" && w.served'}]\n",
      GROUP("ranks: [0]"),
      "model: m\nnode_groups: [{node_names: [x, y], ranks: [0]}]\n",
      "c", "" },
    { "for: combined",
      "runtime: r\n" AXES "rules: [{code: c, for: combined as k,"
      " refuse: 'k.name == \"joint\" && placed.exists(p, p.a > 1)'}]\n",
      GROUP("ranks: [0, 1], b: 2"), GROUP("ranks: [0, 1], a: 2"),
      "c", "p.a = 2" },
    { "for: a list expression",
      "runtime: r\n" AXES
      "rules: [{code: c, for: '[2, 3] as n', refuse: 'world % n != 0'}]\n"
      "request: world\n",
      "world: 6\nsizes: {a: 6}\n", "world: 8\nsizes: {a: 8}\n",
      "c", "8 % 3 = 2" },
    { "for: lists of groups",
      SPAN "rules: [{code: c, for: 'lists(\"v.a\") as g',"
      " refuse: 'g.size > 1 && g.first % g.size != 0'}]\n",
      "world: 2\nsizes: {a: 2}\n", "world: 4\nsizes: {a: 2, b: 2}\n",
      "c", "1 % 2 = 1" },
    { "a rule without for runs in each group",
      "runtime: r\n" AXES "rules: [{code: c, refuse: 'a * b > 4'}]\n",
      "model: m\nnode_groups: [{node_names: [x], ranks: [0, 1, 2, 3], a: 2,"
      " b: 2},"
      " {node_names: [y], ranks: [4]}]\n",
      "model: m\nnode_groups: [{node_names: [x], ranks: [0]},"
      " {node_names: [y], ranks: [0, 1, 2, 3, 4, 5], a: 2, b: 3}]\n",
      "c", "2 * 3 = 6" },
    { "keys that are carried and required",
      "runtime: r\n" AXES "carry: {length: {type: int, required: true}}\n"
      "rules: [{code: c, refuse: 'length > 8'}]\n",
      "length: 8\n" GROUP("ranks: [0]"), GROUP("ranks: [0]"),
      "config.missing_key", "" },
    { "carried keys that expressions read, by another name",
      "runtime: r\n" AXES
      "carry: {budget: {type: map, as: budgets},"
      " node_groups.keep: {type: string}}\n"
      "rules: [{code: c, for: 'keys(budgets) as n',"
      " refuse: '!placed.exists(p, p.name == n)'}]\n",
      "budget: {x: 1}\nmodel: m\nnode_groups: [{node_names: [x], ranks: [0],"
      " keep: long}]\n",
      "budget: {z: 1}\n" GROUP("ranks: [0]"), "c", "" },
    { "dimensions of signals that the request adds",
      "runtime: r\n" AXES
      "carry: {conf: {type: map, merge: shard_dim}}\n"
      "rules: [{code: c, for: signals as s, refuse: 's.dim == 3'}]\n",
      "conf: {shard_dim: {s: 2}}\n" GROUP("ranks: [0]"),
      "conf: {shard_dim: {s: 3}}\n" GROUP("ranks: [0]"), "c", "" },
    { "a rule under a condition",
      "runtime: r\n" AXES
      "rules: [{code: c, when: 'b == 1', refuse: 'a > 1'}]\n",
      GROUP("ranks: [0, 1, 2, 3], a: 2, b: 2"), GROUP("ranks: [0, 1], a: 2"),
      "c", "a = 2" },
    { "inexact arithmetic that no finding explains",
      SPAN "derive: {stage: world / a}\n"
      "rules: [{code: c, refuse: 'stage == 1'}]\n",
      "world: 4\nsizes: {a: 2, b: 2}\n", "world: 4\nsizes: {a: 3}\n",
      "runtime.inexact", "stage" },
};
/* clang-format on */

START_TEST(a_construct_accepts_one_request_and_refuses_another)
{
    const char *name = constructs[_i].what;
    struct asked a;
    bool asked = ask(&a, constructs[_i].runtime, one_node,
                     constructs[_i].accepted, NULL);

    ck_assert_msg(asked, "%s: %s", name, a.err.text);
    ck_assert_msg(tree_count(tree_get(a.verdict, "unchecked")) == 0 &&
                      strstr(asked_json(&a), "model.unknown") == NULL,
                  "%s: %s", name, asked_json(&a));
    ck_assert_msg(check_accepts(a.check), "%s: %s", name, asked_json(&a));
    asked_close(&a);
    asked =
        ask(&a, constructs[_i].runtime, one_node, constructs[_i].refused, NULL);
    ck_assert_msg(asked, "%s: %s", name, a.err.text);
    ck_assert_msg(!check_accepts(a.check), "%s: %s", name, asked_json(&a));
    if (constructs[_i].code != NULL)
        ck_assert_msg(strcmp(asked_text(&a, "findings", 0, "code"),
                             constructs[_i].code) == 0,
                      "%s: %s", name, asked_json(&a));
    ck_assert_msg(strstr(asked_text(&a, "findings", 0, "equation"),
                         constructs[_i].equation) != NULL,
                  "%s: %s", name, asked_json(&a));
    asked_close(&a);
}
END_TEST

/* ---- three values -------------------------------------------------------- */

static const char unknown_runtime[] =
    "runtime: r\n" AXES "facts: {extra: int}\n"
    "rules: [{code: c, for: placed as p, refuse: 'p.extra % p.a != 0'}]\n";

START_TEST(what_nobody_declared_leaves_a_rule_unchecked)
{
    struct asked a;

    ck_assert(
        ask(&a, unknown_runtime, one_node, GROUP("ranks: [0, 1], a: 2"), NULL));
    ck_assert_msg(check_accepts(a.check), "%s", asked_json(&a));
    ck_assert_str_eq(asked_text(&a, "unchecked", 0, "code"), "c");
    ck_assert_str_eq(
        tree_first(tree_get(asked_item(&a, "unchecked", 0), "needs"))->text,
        "model.x.extra");
    asked_close(&a);
}
END_TEST

START_TEST(what_is_declared_is_checked)
{
    static const char model[] =
        "model: m\nnodes: [{name: x, facts: {extra: 3}}]\n";
    struct asked a;

    ck_assert(
        ask(&a, unknown_runtime, model, GROUP("ranks: [0, 1], a: 2"), NULL));
    ck_assert_str_eq(asked_text(&a, "findings", 0, "code"), "c");
    ck_assert_uint_eq(tree_count(tree_get(a.verdict, "unchecked")), 0);
    asked_close(&a);
}
END_TEST

/* clang-format off */
static const struct {
    const char *refuse;
    bool refused, unchecked;
} kleene[] = {
    { "false && f == 1", false, false },
    { "f == 1 && false", false, false },
    { "true || f == 1", true, false },
    { "f == 1 || true", true, false },
    { "true && f == 1", false, true },
    { "false || f == 1", false, true },
    { "!(f == 1)", false, true },
    { "a == 2 ? f == 1 : true", false, true },
    { "a == 2 ? true : f == 1", true, false },
};
/* clang-format on */

START_TEST(unknown_is_not_false)
{
    char runtime[512];
    struct asked a;

    snprintf(runtime, sizeof(runtime),
             "runtime: r\n" AXES "facts: {f: int}\n"
             "rules: [{code: c, refuse: '%s'}]\n",
             kleene[_i].refuse);
    ck_assert_msg(
        ask(&a, runtime, one_node, GROUP("ranks: [0, 1], a: 2"), NULL), "%s",
        a.err.text);
    ck_assert_msg(check_accepts(a.check) != kleene[_i].refused, "%s",
                  asked_json(&a));
    ck_assert_msg((a.check->n_unchecked > 0) == kleene[_i].unchecked, "%s",
                  asked_json(&a));
    asked_close(&a);
}
END_TEST

START_TEST(an_earlier_finding_explains_what_is_inexact)
{
    struct asked a;

    ck_assert(ask(&a,
                  SPAN "derive: {stage: world / a}\n"
                       "rules:\n"
                       "  - {code: first, refuse: 'world % a != 0'}\n"
                       "  - {code: second, refuse: 'stage == 1'}\n",
                  NULL, "world: 4\nsizes: {a: 3}\n", NULL));
    ck_assert_str_eq(asked_text(&a, "findings", 0, "code"), "first");
    ck_assert_msg(tree_count(tree_get(a.verdict, "findings")) == 1, "%s",
                  asked_json(&a));
    asked_close(&a);
}
END_TEST

START_TEST(findings_come_in_the_order_of_the_file)
{
    struct asked a;

    ck_assert(ask(&a,
                  "runtime: r\n" AXES "rules:\n"
                  "  - {code: one, refuse: 'a > 1'}\n"
                  "  - {check: ranks}\n"
                  "  - {code: two, refuse: 'b > 1'}\n",
                  NULL,
                  "model: m\nnode_groups: [{node_names: [x], ranks: [1, 0, 2],"
                  " a: 2, b: 2}]\n",
                  NULL));
    ck_assert_msg(
        strcmp(asked_text(&a, "findings", 0, "code"), "model.unknown") == 0 &&
            strcmp(asked_text(&a, "findings", 1, "code"), "one") == 0 &&
            strcmp(asked_text(&a, "findings", 2, "code"),
                   "ranks.not_multiple") == 0 &&
            strcmp(asked_text(&a, "findings", 3, "code"), "two") == 0,
        "%s", asked_json(&a));
    asked_close(&a);
}
END_TEST

START_TEST(a_warning_refuses_nothing)
{
    struct asked a;

    ck_assert(ask(&a,
                  "runtime: r\n" AXES
                  "rules: [{code: c, warn: 'a > 1', because: slow}]\n",
                  one_node, GROUP("ranks: [0, 1], a: 2"), NULL));
    ck_assert(check_accepts(a.check));
    ck_assert_str_eq(asked_text(&a, "warnings", 1, "code"), "c");
    ck_assert_str_eq(asked_text(&a, "warnings", 1, "reason"), "slow");
    asked_close(&a);
}
END_TEST

START_TEST(a_number_says_where_it_came_from)
{
    struct asked a;

    ck_assert(ask(&a,
                  "runtime: r\naxes: [{name: a}, {name: b, default: a}]\n"
                  "derive: {both: a * b}\n"
                  "rules: [{code: c, refuse: 'both % 3 != 0 && b > 1'}]\n",
                  one_node, GROUP("ranks: [0, 1, 2, 3], a: 2"), NULL));
    ck_assert_has(asked_text(&a, "findings", 0, "equation"),
                  "both = 4, from a * b");
    asked_close(&a);
}
END_TEST

START_TEST(a_verdict_alone_is_the_same_verdict)
{
    struct asked a;
    struct check *only;

    for (int i = 0; i < 2; i++) {
        const char *request =
            i == 0 ? constructs[_i].accepted : constructs[_i].refused;

        ck_assert(ask(&a, constructs[_i].runtime, one_node, request, NULL));
        only = check_run(&a.question, a.arena, CHECK_VERDICT_ONLY, &a.err);
        ck_assert_ptr_nonnull(only);
        ck_assert_int_eq(check_accepts(only), check_accepts(a.check));
        if (!check_accepts(only))
            ck_assert_str_eq(only->refused.items[0].code,
                             a.check->refused.items[0].code);
        asked_close(&a);
    }
}
END_TEST

START_TEST(a_full_arena_is_exhausted_and_no_verdict)
{
    struct asked a;
    struct arena *small;

    ck_assert(
        ask(&a, unknown_runtime, one_node, GROUP("ranks: [0, 1], a: 2"), NULL));
    for (size_t bytes = 0; bytes < 4096; bytes += 64) {
        struct error err = { 0 };
        struct check *check;

        small = arena_new(bytes);
        check = check_run(&a.question, small, 0, &err);
        if (check == NULL)
            ck_assert_int_eq(err.status, STATUS_EXHAUSTED);
        else
            ck_assert(check_accepts(check));
        arena_free(small);
    }
    asked_close(&a);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("check");
    TCase *tc = tcase_create("language");

    tcase_add_loop_test(tc, a_construct_accepts_one_request_and_refuses_another,
                        0, ARRAY_LEN(constructs));
    tcase_add_loop_test(tc, a_verdict_alone_is_the_same_verdict, 0,
                        ARRAY_LEN(constructs));
    tcase_add_test(tc, what_nobody_declared_leaves_a_rule_unchecked);
    tcase_add_test(tc, what_is_declared_is_checked);
    tcase_add_loop_test(tc, unknown_is_not_false, 0, ARRAY_LEN(kleene));
    tcase_add_test(tc, an_earlier_finding_explains_what_is_inexact);
    tcase_add_test(tc, findings_come_in_the_order_of_the_file);
    tcase_add_test(tc, a_warning_refuses_nothing);
    tcase_add_test(tc, a_number_says_where_it_came_from);
    tcase_add_test(tc, a_full_arena_is_exhausted_and_no_verdict);
    suite_add_tcase(suite, tc);
    return tap_run(suite);
}
