/* SPDX-License-Identifier: Apache-2.0 */
/* What would run instead: remedies first, then the nearest. */
#include "placement/alternatives.h"

#include "tests/placement/check_fixture.h"

#define MODEL                                                                  \
    "model: m\nfacts: {heads: 12}\n"                                           \
    "nodes: [{name: x, axes: {a: {most: 4}, b: {}}}, {name: y}]\n"

static const char plain[] = "runtime: r\n"
                            "axes: [{name: a, field: a_size, declared: true},"
                            " {name: b, field: b_size, declared: true}]\n"
                            "rules:\n"
                            "  - {code: heads, for: placed as p,"
                            " refuse: 'p.heads.exists(h, h % p.a != 0)'}\n"
                            "  - {check: declared}\n"
                            "  - {check: resolution}\n"
                            "  - {check: dense_ranks}\n";

static const char with_remedies[] =
    "runtime: r\n"
    "axes: [{name: a, field: a_size}, {name: b, field: b_size}]\n"
    "options: {mode: {type: string, default: slow}}\n"
    "rules:\n"
    "  - code: c\n"
    "    for: placed as p\n"
    "    refuse: 'p.a > 2 && mode == \"slow\"'\n"
    "    try:\n"
    "      - {when: 'p.a == 3', set: {a: 7}, say: never valid}\n"
    "      - {when: 'p.a == 5', set: {a: 1}, say: not meant}\n"
    "      - {set: {a: 1, b: p.a}, say: the other axis}\n"
    "      - {set: {mode: '\"fast\"'}, say: faster}\n"
    "      - {set: {a: p.a}, say: changes nothing}\n";

static const char world[] =
    "runtime: w\n"
    "request: world\n"
    "axes: [{name: a}, {name: b}, {name: c, default: world / (a * b)}]\n"
    "views: {v: [a, b, c]}\n"
    "derive: {kept: 'a > 4 ? 1 : 2'}\n"
    "keep: kept\n"
    "rules: [{check: product}, {code: odd, refuse: 'a == 8'}]\n";

/* Sets of axes with remedies; options whose users type another name. */
static const char sets[] =
    "runtime: s\n"
    "request: world\n"
    "axes: [{name: a}, {name: b}, {name: c}]\n"
    "options: {mode: {type: string, field: speed}}\n"
    "views: {v: [a, b, c, {rest: world / (a * b * c)}]}\n"
    "axis_sets:\n"
    "  - {set: [a, c]}\n"
    "  - {exactly: [a, b], code: ab, try: [{set: {b: 1, c: 2}}, {set: {a: "
    "1}}]}\n"
    "rules:\n"
    "  - {check: axis_sets, code: untried, try: [{set: {c: 1}}]}\n"
    "  - {code: slow, refuse: 'a == 1 && has(mode) && mode == \"slow\"',"
    " try: [{set: {mode: '\"slow\"', a: 2}}, {set: {mode: null}}]}\n";

static const char lists[] =
    "runtime: l\nrequest: world\naxes: [{name: a}]\n"
    "options: {parts: {type: list}}\n"
    "views: {v: [a, {rest: world / a}]}\n"
    "rules:\n"
    "  - code: few\n"
    "    refuse: has(parts) && size(parts) < a\n"
    "    try:\n"
    "      - {set: {parts: 'range(1025)'}, say: too long}\n"
    "      - {set: {parts: 'range(a).map(i, i + 1)'}}\n"
    "      - {set: {parts: 'range(a).map(i, 1 + i)'}, say: the same}\n"
    "      - {set: {parts: 'range(a).map(i, [i > 0, i / 2.0, \"x\"])'}}\n";

/* Rules whose remedies help one by one, but for what another one refuses. */
static const char several[] =
    "runtime: w\nrequest: world\naxes: [{name: a}]\n"
    "options: {p: {type: int, default: 1}, q: {type: int, default: 1},"
    " r: {type: int, default: 1}}\n"
    "rules:\n"
    "  - {code: p, refuse: p > 4, try: [{set: {p: 9}, say: circle},"
    " {set: {p: 4}, say: small}, {set: {p: 3, q: 2}, say: both}]}\n"
    "  - {code: q, refuse: q % p != 0, try: [{set: {q: p}, say: q is p}]}\n"
    "  - {code: r, refuse: r > q, try: [{set: {r: q}}]}\n";

#define GROUP(rest) "model: m\nnode_groups: [{node_names: [x, y], " rest "}]\n"

/* clang-format off */
static const struct {
    const char *what;
    const char *runtime, *request;
    const char *sets[3]; /* NULL: no more */
} rows[] = {
    { "fewest changes, then nearest", plain,
      "model: m\nnode_groups: [{node_names: [x],"
      " ranks: [0, 1, 2, 3, 4, 5, 6, 7], a_size: 8}]\n",
      { "{\"node_groups[0].a_size\":4}",
        "{\"node_groups[0].a_size\":2}",
        "{\"node_groups[0].a_size\":1}" } },
    { "remedies that pass, in their order, before the nearest", with_remedies,
      GROUP("ranks: [0, 1, 2], a_size: 3"),
      { "{\"node_groups[0].a_size\":1,\"node_groups[0].b_size\":3}",
        "{\"mode\":\"fast\"}",
        "{\"node_groups[0].a_size\":1}" } },
    { "the ranks of an instance put in order", plain,
      "model: m\nnode_groups: [{node_names: [x], ranks: [1, 0], a_size: 2}]\n",
      { "{\"node_groups[0].ranks\":[0,1]}",
        "{\"node_groups[0].a_size\":1}", NULL } },
    { "ranks that fill no instance left out", plain,
      "model: m\nnode_groups: [{node_names: [x], ranks: [0, 1, 2],"
      " a_size: 2}]\n",
      { "{\"node_groups[0].ranks\":[0,1]}", NULL, NULL } },
    { "ranks numbered from 0 on", plain,
      "model: m\nnode_groups: [{node_names: [x], ranks: [3, 5], a_size: 2}]\n",
      { "{\"node_groups[0].ranks\":[0,1]}", NULL, NULL } },
    { "every rank once", plain,
      "model: m\nnode_groups: [{node_names: [x], ranks: [0, 1, 1]}]\n",
      { "{\"node_groups[0].ranks\":[0,1]}", NULL, NULL } },
    { "nothing, where no sizes help", plain,
      "model: nobody\nnode_groups: [{node_names: [x], ranks: [0]}]\n",
      { NULL, NULL, NULL } },
    { "sizes of a world, without a group; of equals the one that keeps more",
      world, "world: 16\nsizes: {a: 8}\n",
      { "{\"a\":16}", "{\"a\":4}", "{\"a\":2}" } },
    { "the remedies of exactly this set of axes", sets,
      "world: 8\nsizes: {a: 2, b: 2}\n",
      { "{\"b\":1,\"c\":2}", "{\"a\":1}", NULL } },
    { "and not of a larger one, which has those of the check", sets,
      "world: 8\nsizes: {a: 2, b: 2, c: 2}\n",
      { "{\"b\":1}", NULL, NULL } },
    { "an option that keeps its value is no change, and null takes it back",
      sets, "world: 8\noptions: {speed: slow}\n",
      { "{\"a\":2}", "{\"speed\":null}", NULL } },
    { "lists, each once, that somebody might read",
      lists, "world: 2\nsizes: {a: 2}\noptions: {parts: [7]}\n",
      { "{\"parts\":[1,2]}",
        "{\"parts\":[[false,0.0,\"x\"],[true,0.5,\"x\"]]}",
        "{\"a\":1}" } },
    { "remedies in a row where none does alone, which change nothing twice",
      several, "world: 1\noptions: {p: 7, q: 3, r: 6}\n",
      { "{\"p\":4,\"q\":4,\"r\":4}", NULL, NULL } },
    { "not where one does alone", several,
      "world: 1\noptions: {p: 2, q: 3}\n", { "{\"q\":2}", NULL, NULL } },
};
/* clang-format on */

static bool ask_row(struct asked *a, int row)
{
    bool known = strstr(rows[row].request, "nobody") == NULL;

    return ask(a, rows[row].runtime, known ? MODEL : NULL, rows[row].request,
               NULL);
}

START_TEST(alternatives_come_in_their_order)
{
    const struct tree *t;
    struct asked a;
    bool asked = ask_row(&a, _i);

    ck_assert_msg(asked, "%s: %s", rows[_i].what, a.err.text);
    ck_assert_msg(!check_accepts(a.check), "%s", rows[_i].what);
    t = tree_first(tree_get(a.verdict, "alternatives"));
    for (int i = 0; i < 3 && rows[_i].sets[i] != NULL; i++) {
        struct text set = { 0 };

        ck_assert_msg(t != NULL, "%s: %s", rows[_i].what, asked_json(&a));
        document_write_json(tree_get(t, "set"), false, &set);
        ck_assert_msg(strcmp(text_string(&set), rows[_i].sets[i]) == 0,
                      "%s: %s", rows[_i].what, asked_json(&a));
        text_close(&set);
        t = t->next;
    }
    asked_close(&a);
}
END_TEST

START_TEST(a_remedy_says_what_its_rule_says)
{
    struct asked a;

    ck_assert(ask_row(&a, 1));
    ck_assert_str_eq(asked_text(&a, "alternatives", 0, "say"),
                     "the other axis");
    ck_assert_str_eq(asked_text(&a, "alternatives", 1, "say"), "faster");
    ck_assert_has(asked_text(&a, "alternatives", 2, "say"),
                  "a_size 1 instead of 3");
    asked_close(&a);
}
END_TEST

static const char filled[] =
    "runtime: w\nrequest: world\n"
    "axes: [{name: a}, {name: b, fill: world / a, fill_on: -1}]\n"
    "views: {v: [a, b]}\n"
    "rules:\n"
    "  - code: c\n"
    "    refuse: a * b != world\n"
    "    try: [{set: {b: -1}, say: the rest}, {set: {a: -1}, say: no size}]\n";

START_TEST(a_remedy_may_leave_an_axis_to_be_filled_in)
{
    struct asked a;

    ck_assert(ask(&a, filled, NULL, "world: 8\nsizes: {a: 2, b: 2}\n", NULL));
    ck_assert_str_eq(asked_text(&a, "alternatives", 0, "say"), "the rest");
    ck_assert_int_eq(a.alternatives.items[0].edits[0].value, -1);
    ck_assert_uint_eq(
        tree_count(
            tree_get(tree_first(tree_get(a.verdict, "findings")), "fixes")),
        1); /* -1 means something on one axis only */
    asked_close(&a);
}
END_TEST

START_TEST(an_unknown_model_has_no_alternatives)
{
    struct asked a;

    ck_assert(ask_row(&a, 6));
    ck_assert_uint_eq(a.alternatives.n, 0);
    asked_close(&a);
}
END_TEST

START_TEST(an_accepted_request_needs_none)
{
    struct asked a;

    ck_assert(ask(&a, plain, MODEL,
                  "model: m\nnode_groups: [{node_names: [x], ranks: [0, 1],"
                  " a_size: 2}]\n",
                  NULL));
    ck_assert_msg(check_accepts(a.check), "%s", asked_json(&a));
    ck_assert_uint_eq(tree_count(tree_get(a.verdict, "alternatives")), 0);
    asked_close(&a);
}
END_TEST

START_TEST(a_large_search_ends_and_says_so)
{
    struct text request = { 0 };
    struct asked a;
    bool asked;

    text_put(&request, "model: m\nnode_groups:\n");
    for (int g = 0; g < 64; g++)
        text_printf(&request,
                    "  - {node_names: [x], count: 840, a_size: %d,"
                    " graph_walks: [w%d]}\n",
                    g == 0 ? 7 : 1, g);
    asked = ask(&a,
                "runtime: r\n"
                "axes: [{name: a, field: a_size}, {name: b, field: b_size}]\n"
                "rules: [{code: never, refuse: 'a * b > 0'}]\n",
                MODEL, text_string(&request), NULL);
    ck_assert_msg(asked, "%s", a.err.text);
    ck_assert(!check_accepts(a.check));
    ck_assert(a.alternatives.tried <= ALTERNATIVES_TRIED_MAX);
    ck_assert_int_eq(a.alternatives.cut,
                     tree_get(a.verdict, "alternatives_cut") != NULL);
    text_close(&request);
    asked_close(&a);
}
END_TEST

START_TEST(a_remedy_that_says_nothing_is_described)
{
    struct asked a;

    ck_assert_msg(ask(&a,
                      "runtime: w\nrequest: world\naxes: [{name: a, field: "
                      "a_size}]\nrules:\n  - {code: c, refuse: a == 4, try: "
                      "[{set: {a: 2, world: 2}}]}\n",
                      NULL, "world: 4\nsizes: {a: 4}\n", NULL),
                  "%s", a.err.text);
    ck_assert_str_eq(asked_text(&a, "alternatives", 0, "say"),
                     "a_size 2 instead of 4, world 2");
    asked_close(&a);
}
END_TEST

START_TEST(remedies_in_a_row_say_what_each_says)
{
    struct asked a;

    ck_assert(ask(&a, several, NULL, "world: 1\noptions: {p: 7, q: 3, r: 6}\n",
                  NULL));
    ck_assert_uint_eq(a.alternatives.n, 1);
    ck_assert_str_eq(asked_text(&a, "alternatives", 0, "say"),
                     "small; q is p; r changed");
    asked_close(&a);
}
END_TEST

/* Every remedy brings up the next fault, and none is the last. */
START_TEST(a_row_of_remedies_that_mends_nothing_ends)
{
    struct text text = { 0 };
    struct asked a;

    text_put(&text,
             "runtime: w\nrequest: world\naxes: [{name: a}]\noptions:\n");
    for (int i = 0; i < 24; i++)
        text_printf(&text, "  o%d: {type: int, default: 1}\n", i);
    text_put(&text, "rules:\n");
    for (int i = 0; i < 24; i++) {
        text_printf(&text, "  - {code: c%d, refuse: o%d == 1, try: [", i, i);
        for (int k = 2; k < 12; k++)
            text_printf(&text, "%s{set: {o%d: %d}}", k > 2 ? ", " : "", i, k);
        text_put(&text, "]}\n");
    }
    ck_assert_msg(ask(&a, text_string(&text), NULL, "world: 1\n", NULL), "%s",
                  a.err.text);
    ck_assert_uint_eq(a.alternatives.n, 0);
    ck_assert(a.alternatives.cut);
    ck_assert_uint_lt(a.alternatives.tried, 200);
    text_close(&text);
    asked_close(&a);
}
END_TEST

/* No size is tried where no size decides; but where one does, all are that may
 * fill the ranks. */
START_TEST(only_sizes_that_decide_are_tried)
{
    static const char start[] =
        "runtime: w\nrequest: world\naxes: [{name: a}, {name: b}]\n"
        "options: {mode: {type: string, default: slow}}\n"
        "derive: {both: a * b}\nrules:\n  - {code: c, refuse: ";
    static const struct {
        const char *refuse;
        size_t tried, n;
    } outcomes[] = {
        { "'mode == \"slow\"'}\n", 0, 0 },
        { "'a == 4 && mode == \"slow\"'}\n", 3, 3 },
        { "'both == 8 && mode == \"slow\"'}\n", 3, 0 },
    };

    for (size_t i = 0; i < ARRAY_LEN(outcomes); i++) {
        struct text text = { 0 };
        struct asked a;

        text_printf(&text, "%s%s", start, outcomes[i].refuse);
        ck_assert_msg(ask(&a, text_string(&text), NULL,
                          "world: 8\nsizes: {a: 4, b: 2}\n", NULL),
                      "%s", a.err.text);
        ck_assert(!check_accepts(a.check));
        ck_assert_msg(a.alternatives.tried == outcomes[i].tried &&
                          a.alternatives.n == outcomes[i].n,
                      "%s: %zu tried, %zu found", outcomes[i].refuse,
                      a.alternatives.tried, a.alternatives.n);
        text_close(&text);
        asked_close(&a);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("alternatives");
    TCase *tc = tcase_create("alternatives");

    tcase_add_loop_test(tc, alternatives_come_in_their_order, 0,
                        ARRAY_LEN(rows));
    tcase_add_test(tc, a_remedy_says_what_its_rule_says);
    tcase_add_test(tc, a_remedy_may_leave_an_axis_to_be_filled_in);
    tcase_add_test(tc, an_unknown_model_has_no_alternatives);
    tcase_add_test(tc, an_accepted_request_needs_none);
    tcase_add_test(tc, a_large_search_ends_and_says_so);
    tcase_add_test(tc, only_sizes_that_decide_are_tried);
    tcase_add_test(tc, a_remedy_that_says_nothing_is_described);
    tcase_add_test(tc, remedies_in_a_row_say_what_each_says);
    tcase_add_test(tc, a_row_of_remedies_that_mends_nothing_ends);
    suite_add_tcase(suite, tc);
    return tap_run(suite);
}
