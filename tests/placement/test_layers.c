/* SPDX-License-Identifier: Apache-2.0 */
/* Layers of a runtime: groups of rules with a condition, and verdicts up to a
 * layer. */
#include <stdio.h>

#include "placement/alternatives.h"
#include "tests/placement/check_fixture.h"

#define AXES                                                                   \
    "runtime: r\nrequest: world\n"                                             \
    "axes: [{name: a}, {name: b}]\n"                                           \
    "views: {v: [a, b, {rest: world / (a * b)}]}\n"                            \
    "options: {mode: {type: string, default: slow}, late: {type: bool, "       \
    "default: false}, pure: {type: bool, default: false}}\n"

/* The entry begins first, and goes on behind the config. */
static const char layered[] = AXES
    "layers:\n"
    "  entry: the script\n"
    "  config: the sizes\n"
    "  model: the model\n"
    "  trainer: the trainer\n"
    "rules:\n"
    "  - {check: world}\n"
    "  - layer: entry\n"
    "    rules:\n"
    "      - {code: e1, refuse: 'mode == \"none\"'}\n"
    "  - layer: config\n"
    "    rules:\n"
    "      - {code: c1, refuse: a > 4, try: [{set: {a: 2}}]}\n"
    "  - layer: config\n"
    "    when: b > 1\n"
    "    rules:\n"
    "      - {code: c2, refuse: b > 2 || pure, try: [{set: {b: 1}}]}\n"
    "      - {code: c3, when: pure || late, warn: a > 1}\n"
    "  - layer: entry\n"
    "    rules:\n"
    "      - {code: e2, refuse: late && a > 2}\n"
    "  - layer: model\n"
    "    rules:\n"
    "      - {code: m1, when: a > 1, refuse: 'heads.exists(h, h % a != 0)'}\n"
    "  - layer: trainer\n"
    "    rules:\n"
    "      - {code: t1, refuse: a == 2}\n"
    "      - {check: sizes, code: t2}\n";

#define REQUEST(sizes, options)                                                \
    "runtime: r\nworld: 16\nsizes: {" sizes "}\noptions: {" options "}\n"

/* ---- up to a layer --------------------------------------------------------
 */

/* clang-format off */
static const struct {
    const char *request, *up_to, *code, *layer; /* code NULL: accepted */
} judged[] = {
    { REQUEST("a: 8", "mode: none"),        NULL,      "e1", "entry" },
    { REQUEST("a: 8", ""),                  NULL,      "c1", "config" },
    { REQUEST("a: 8", ""),                  "config",  "c1", "config" },
    { REQUEST("a: 4", "late: true"),        NULL,      "e2", "entry" },
    { REQUEST("a: 4", "late: true"),        "config",  NULL, NULL },
    { REQUEST("a: 4", "late: true"),        "entry",   "e2", "entry" },
    { REQUEST("a: 4", "late: true"),        "model",   "e2", "entry" },
    { REQUEST("a: 2", ""),                  NULL,      "t1", "trainer" },
    { REQUEST("a: 2", ""),                  "trainer", "t1", "trainer" },
    { REQUEST("a: 2", ""),                  "model",   NULL, NULL },
    { REQUEST("a: 2", ""),                  "entry",   NULL, NULL },
    { REQUEST("b: 4", ""),                  "config",  "c2", "config" },
    { REQUEST("b: 1", "pure: true"),        "config",  NULL, NULL },
    { REQUEST("b: 2", "pure: true"),        "config",  "c2", "config" },
    /* a check that always runs does so, behind the layer too */
    { REQUEST("a: 0", ""),                  "entry",   "t2", "trainer" },
    { REQUEST("x: 1", ""),                  "entry",   "config.unknown_key", "" },
};
/* clang-format on */

START_TEST(rules_are_judged_up_to_a_layer)
{
    const struct verdict_wants wants = { .up_to = judged[_i].up_to };
    const char *code = judged[_i].code;
    struct asked a;
    struct check *only;

    ck_assert_msg(ask(&a, layered, NULL, judged[_i].request, &wants), "%s",
                  a.err.text);
    ck_assert_msg(check_accepts(a.check) == (code == NULL), "%s",
                  asked_json(&a));
    if (code != NULL) {
        ck_assert_str_eq(code, asked_text(&a, "findings", 0, "code"));
        ck_assert_str_eq(judged[_i].layer,
                         asked_text(&a, "findings", 0, "layer"));
    }
    if (wants.up_to == NULL)
        ck_assert_ptr_null(tree_get(a.verdict, "up_to"));
    else
        ck_assert_str_eq(wants.up_to, tree_get(a.verdict, "up_to")->text);
    only = check_run(&a.question, a.arena, CHECK_VERDICT_ONLY, &a.err);
    ck_assert_ptr_nonnull(only);
    ck_assert(check_accepts(only) == check_accepts(a.check));
    asked_close(&a);
}
END_TEST

START_TEST(what_is_unchecked_has_its_layer_and_ends_with_it)
{
    const struct verdict_wants config = { .up_to = "config" };
    const char *request = REQUEST("a: 4", "");
    struct asked a;

    ck_assert(ask(&a, layered, NULL, request, NULL));
    ck_assert_str_eq("m1", asked_text(&a, "unchecked", 0, "code"));
    ck_assert_str_eq("model", asked_text(&a, "unchecked", 0, "layer"));
    asked_close(&a);
    ck_assert(ask(&a, layered, NULL, request, &config));
    ck_assert_uint_eq(0, a.check->n_unchecked);
    ck_assert_uint_eq(0, tree_count(tree_get(a.verdict, "unchecked")));
    asked_close(&a);
}
END_TEST

/* A remedy that a later layer refuses is one as long as that is not asked. */
START_TEST(alternatives_pass_the_layers_that_are_asked_for)
{
    const struct verdict_wants config = { .up_to = "config" };
    const char *request = REQUEST("a: 8", "");
    struct asked a;

    ck_assert(ask(&a, layered, NULL, request, &config));
    ck_assert_uint_ge(a.alternatives.n, 1);
    ck_assert_int_eq(2, a.alternatives.items[0].edits[0].value);
    asked_close(&a);
    ck_assert(ask(&a, layered, NULL, request, NULL));
    for (size_t i = 0; i < a.alternatives.n; i++)
        ck_assert_int_ne(2, a.alternatives.items[i].edits[0].value);
    asked_close(&a);
}
END_TEST

START_TEST(a_warning_has_its_layer)
{
    struct asked a;

    ck_assert(
        ask(&a, layered, NULL, REQUEST("a: 4, b: 2", "pure: true"), NULL));
    ck_assert_str_eq("c3", asked_text(&a, "warnings", 0, "code"));
    ck_assert_str_eq("config", asked_text(&a, "warnings", 0, "layer"));
    asked_close(&a);
}
END_TEST

/* clang-format off */
static const struct {
    const char *name, *sentence;
} unknown[] = {
    { "confg",     "\"confg\" is no layer of r; the nearest is config" },
    { "",          "\"\" is no layer of r; there are entry, config, model, "
                   "trainer" },
    { "something", "there are entry, config, model, trainer" },
};
/* clang-format on */

START_TEST(a_layer_that_is_not_there_is_refused)
{
    const struct verdict_wants wants = { .up_to = unknown[_i].name };
    struct asked a;

    ck_assert(!ask(&a, layered, NULL, REQUEST("a: 1", ""), &wants));
    ck_assert_int_eq(STATUS_UNKNOWN_NAME, a.err.status);
    ck_assert_has(a.err.text, unknown[_i].sentence);
    asked_close(&a);
}
END_TEST

START_TEST(a_runtime_without_layers_has_none)
{
    static const char plain[] = AXES "rules: [{code: c, refuse: a > 1}]\n";
    const struct verdict_wants wants = { .up_to = "config" };
    struct asked a;

    ck_assert(!ask(&a, plain, NULL, REQUEST("a: 2", ""), &wants));
    ck_assert_int_eq(STATUS_UNKNOWN_NAME, a.err.status);
    ck_assert_has(a.err.text, "is no layer of r, which declares none");
    asked_close(&a);
    ck_assert(ask(&a, plain, NULL, REQUEST("a: 2", ""), NULL));
    ck_assert_ptr_null(tree_get(asked_item(&a, "findings", 0), "layer"));
    asked_close(&a);
}
END_TEST

/* ---- the condition of a group ---------------------------------------------
 */

/* A group beside the same rules written out: the same answers, to the byte. */
/* clang-format off */
static const struct {
    const char *grouped, *written;
} conditions[] = {
    { "{when: a > 1, rules: [{code: c, refuse: late}]}",
      "{code: c, refuse: a > 1 && late}" },
    { "{when: a > 1, rules: [{code: c, refuse: 'b > 1 || late'}]}",
      "{code: c, refuse: 'a > 1 && (b > 1 || late)'}" },
    { "{when: 'a > 1 || b > 1', rules: [{code: c, warn: 'late ? a > 2 : b > 2'}]}",
      "{code: c, warn: '(a > 1 || b > 1) && (late ? a > 2 : b > 2)'}" },
    { "{when: a > 1, rules: [{code: c, when: late || pure, refuse: b > 1}]}",
      "{code: c, when: a > 1 && (late || pure), refuse: b > 1}" },
    { "{when: a > 1, rules: [{code: c, for: '[1, 2] as x', refuse: b == x}]}",
      "{code: c, for: '[1, 2] as x', refuse: a > 1 && b == x}" },
    { "{when: 'heads.exists(h, h > a)', rules: [{code: c, refuse: late}]}",
      "{code: c, refuse: 'heads.exists(h, h > a) && late'}" },
    { "{when: a > 1, rules: [{code: c, refuse: 'heads.exists(h, h % b != 0)'}]}",
      "{code: c, refuse: 'a > 1 && heads.exists(h, h % b != 0)'}" },
};
/* clang-format on */

static const char *answer_of(struct asked *a, const char *rule,
                             const char *sizes, const char *options)
{
    static const struct verdict_wants none = { 0 };
    char runtime[2048], request[512];

    snprintf(runtime, sizeof(runtime), AXES "rules: [%s]\n", rule);
    snprintf(request, sizeof(request), REQUEST("%s", "%s"), sizes, options);
    ck_assert_msg(ask(a, runtime, NULL, request, &none), "%s", a->err.text);
    return asked_json(a);
}

START_TEST(the_condition_of_a_group_is_as_if_written_out)
{
    static const char *const sizes[] = { "", "a: 2", "b: 2", "a: 2, b: 2",
                                         "a: 4, b: 4" };
    static const char *const options[] = { "", "late: true",
                                           "late: true, pure: true" };
    struct asked a, b;

    for (size_t s = 0; s < ARRAY_LEN(sizes); s++)
        for (size_t o = 0; o < ARRAY_LEN(options); o++) {
            ck_assert_str_eq(
                answer_of(&a, conditions[_i].grouped, sizes[s], options[o]),
                answer_of(&b, conditions[_i].written, sizes[s], options[o]));
            asked_close(&a);
            asked_close(&b);
        }
}
END_TEST

/* In a runtime with node groups a condition on sizes is one of each group. */
START_TEST(a_condition_on_sizes_is_one_of_each_node_group)
{
    static const char runtime[] =
        "runtime: r\naxes: [{name: a}]\n"
        "options: {late: {type: bool, default: false}}\n"
        "rules: [{when: a > 1, rules: [{code: c, refuse: late}]}]\n";
    static const char request[] =
        "runtime: r\nmodel: m\noptions: {late: true}\nnode_groups:\n"
        "  - {node_names: [x], ranks: [0]}\n"
        "  - {node_names: [y], ranks: [0, 1], a: 2}\n";
    static const char model[] = "model: m\nnodes: [{name: x}, {name: y}]\n";
    struct asked a;

    ck_assert_msg(ask(&a, runtime, model, request, NULL), "%s", a.err.text);
    ck_assert_msg(a.check->refused.n == 1, "%s", asked_json(&a));
    ck_assert_str_eq("node_groups[1]",
                     asked_text(&a, "findings", 0, "subject"));
    asked_close(&a);
}
END_TEST

START_TEST(a_check_placed_in_a_group_runs_once)
{
    struct asked a;
    size_t n = 0;

    ck_assert(ask(&a, layered, NULL, REQUEST("a: 1", ""), NULL));
    for (size_t i = 0; i < a.runtime->n_rules; i++)
        n += a.runtime->rules[i].structure == STRUCTURE_sizes;
    ck_assert_uint_eq(1, n);
    asked_close(&a);
}
END_TEST

START_TEST(rules_of_all_groups_count)
{
    struct text text = { 0 };
    struct error err = { 0 };
    struct arena *arena = arena_new(64 << 20);
    const struct tree *document;

    text_put(&text, AXES "rules:\n");
    for (int g = 0; g <= RUNTIME_RULES_MAX / 64; g++) {
        text_put(&text, "  - when: a > 1\n    rules:\n");
        for (int r = 0; r < 64; r++)
            text_put(&text, "      - {code: c, refuse: late}\n");
    }
    document = read_yaml(arena, "runtime", text_string(&text), &err);
    ck_assert_msg(document != NULL, "%s", err.text);
    ck_assert_ptr_null(runtime_load(arena, document, &err));
    ck_assert_has(err.text, "576 rules; at most 512 are read");
    arena_free(arena);
    text_close(&text);
}
END_TEST

/* Two parts that fit but are too long together. */
START_TEST(a_condition_and_a_rule_are_bounded_together)
{
    struct text text = { 0 };
    struct error err = { 0 };
    struct arena *arena = arena_new(64 << 20);
    const struct tree *document;

    text_put(&text, AXES "rules:\n  - when: a > 1");
    for (int i = 0; i < 50; i++)
        text_put(&text, " && b > 1");
    text_put(&text, "\n    rules: [{code: c, refuse: a > 1");
    for (int i = 0; i < 50; i++)
        text_put(&text, " && a > 1");
    text_put(&text, "}]\n");
    document = read_yaml(arena, "runtime", text_string(&text), &err);
    ck_assert_msg(document != NULL, "%s", err.text);
    ck_assert_ptr_null(runtime_load(arena, document, &err));
    ck_assert_int_eq(STATUS_INVALID, err.status);
    ck_assert_has(err.text, "runtime: line 8, column 31: "
                            "rules[0].rules[0].refuse: ");
    arena_free(arena);
    text_close(&text);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("layers");
    TCase *tc = tcase_create("layers");

    tcase_add_loop_test(tc, rules_are_judged_up_to_a_layer, 0,
                        ARRAY_LEN(judged));
    tcase_add_test(tc, what_is_unchecked_has_its_layer_and_ends_with_it);
    tcase_add_test(tc, alternatives_pass_the_layers_that_are_asked_for);
    tcase_add_test(tc, a_warning_has_its_layer);
    tcase_add_loop_test(tc, a_layer_that_is_not_there_is_refused, 0,
                        ARRAY_LEN(unknown));
    tcase_add_test(tc, a_runtime_without_layers_has_none);
    tcase_add_loop_test(tc, the_condition_of_a_group_is_as_if_written_out, 0,
                        ARRAY_LEN(conditions));
    tcase_add_test(tc, a_condition_on_sizes_is_one_of_each_node_group);
    tcase_add_test(tc, a_check_placed_in_a_group_runs_once);
    tcase_add_test(tc, rules_of_all_groups_count);
    tcase_add_test(tc, a_condition_and_a_rule_are_bounded_together);
    suite_add_tcase(suite, tc);
    return tap_run(suite);
}
