/* SPDX-License-Identifier: Apache-2.0 */
/* Estimates of a model, and the requests that are suggested for it. */
#include "placement/suggest.h"

#include "tests/placement/check_fixture.h"

/* Shares weights (a) and tokens (b, c); c makes do without whole heads only
 * when an option pads them. */
static const char runtime[] =
    "runtime: r\n"
    "request: world\n"
    "axes: [{name: a, field: a_size}, {name: b}, {name: c},"
    " {name: r, splits: replicas}]\n"
    "options: {pad: {type: bool, default: 'false'},"
    " device: {type: string, default: x}}\n"
    "rules:\n"
    "  - {check: sizes}\n"
    "  - {code: a.uneven, refuse: heads % a != 0}\n"
    "  - {code: c.uneven, refuse: '!pad && heads / a % c != 0',"
    " try: [{set: {b: c, c: 1}, say: b}, {set: {pad: 'true'}, say: pad}]}\n"
    "  - {code: c.two, refuse: c == 2}\n"
    "  - {code: r.never, refuse: r > 1 && b > 1}\n"
    "  - {check: product}\n";

static const char model[] =
    "model: m\n"
    "facts: {heads: 12}\n"
    "estimate:\n"
    "  run: {when: b == 1, weights_gib: 0.5 + 32 / a,"
    " peak_gib: weights_gib + 4 / c}\n"
    "  end: {peak_gib: 9.5}\n"
    "measured:\n"
    "  - {sizes: {a: 4, c: 4}, step_s: 3.5}\n"
    "  - {sizes: {a: 4}, options: {device: y}, step_s: 1}\n"
    "  - {sizes: {a: 4}, step_s: 4.5}\n"
    "  - {sizes: {a: 4}, step_s: 0.25}\n"
    "  - {sizes: {a: 2, c: 4}, step_s: 1.5}\n"
    "  - {sizes: {a: 2}, step_s: 2}\n";

/* What was asked, and what came of it. */
struct suggested {
    struct asked asked;
    struct suggestions found;
    struct tree *tree;
};

static void suggest_for(struct suggested *s, const char *rt, const char *m,
                        const char *request, struct suggest_wants wants)
{
    struct tree_maker maker;
    struct asked *a = &s->asked;

    *s = (struct suggested){ .asked = { .arena = arena_new(256 << 20) } };
    ck_assert_msg(load_asked(a, rt, m, request), "%s", a->err.text);
    a->question = (struct question){ .runtime = a->runtime,
                                     .model = a->model,
                                     .deployment = a->deployment };
    ck_assert_msg(suggest(&a->question, &wants, a->arena, &s->found, &a->err) ==
                      0,
                  "%s", a->err.text);
    maker = (struct tree_maker){ .arena = a->arena };
    s->tree = make_map(&maker, NULL, NULL);
    suggest_write(&s->found, &maker, s->tree);
    ck_assert(!maker.failed);
    a->verdict = s->tree; /* to be shown */
}

/* "{...} {...}": what to set, of all in order. */
static void print_sets(const struct tree *list, struct text *out)
{
    for (const struct tree *t = tree_first(list); t != NULL; t = t->next) {
        if (out->len > 0)
            text_put(out, " ");
        document_write_json(tree_get(t, "set"), false, out);
    }
}

/* clang-format off */
static const struct {
    const char *what, *request;
    struct suggest_wants wants;
    const char *sets; /* of all, in order */
} rows[] = {
    /* run: a 4 c 1 12.5; a 2 c 1 20.5; the rest is not known */
    { "the smallest peak first, what is not known last", "world: 4",
      { 0 },
      "{\"a\":4} {\"a\":2,\"r\":2} {\"c\":4} {\"r\":4} {\"a\":2,\"b\":2} "
      "{\"b\":4}" },
    { "an option is set where a remedy sets it, and a size is not", "world: 16",
      { .memory_gib = 10 },
      "{\"a\":4,\"c\":4,\"pad\":true}" },
    { "what is given stays", "world: 16\noptions: {pad: false}",
      { .memory_gib = 10 }, "" },
    { "so does a size", "world: 16\nsizes: {a: 2, c: 4}",
      { 0 }, "{\"r\":2,\"pad\":true} {\"b\":2,\"pad\":true}" },
    { "the fastest first, what nobody measured last", "world: 8\nsizes: {b: 1}",
      { .objective = OBJECTIVE_LATENCY, .most = 2 },
      "{\"a\":2,\"c\":4,\"pad\":true} {\"a\":2,\"r\":4}" },
    { "the most steps a second over all replicas", "world: 8\nsizes: {b: 1}",
      { .objective = OBJECTIVE_THROUGHPUT, .most = 2 },
      "{\"a\":2,\"r\":4} {\"a\":2,\"c\":4,\"pad\":true}" },
    { "what was measured under other options", "world: 8\nsizes: {b: 1}\noptions: {device: y}",
      { .objective = OBJECTIVE_LATENCY, .most = 1 },
      "{\"a\":4,\"r\":2}" },
    { "a bound on memory", "world: 4", { .memory_gib = 12.5 }, "{\"a\":4}" },
    { "and one below it", "world: 4", { .memory_gib = 12.4 }, "" },
};
/* clang-format on */

/* m is there under an option, n beside an a that is above 1. */
static const char absent[] =
    "runtime: r\n"
    "request: world\n"
    "axes: [{name: a}, {name: m, when: wide}, {name: n, when: a > 1}]\n"
    "options: {mode: {type: string, default: plain}}\n"
    "derive: {wide: 'mode == \"wide\"'}\n"
    "rules:\n"
    "  - {check: sizes}\n"
    "  - {check: product}\n";

/* clang-format off */
static const struct {
    const char *request;
    size_t tried;
    const char *sets;
} absent_rows[] = {
    /* a 4; n 4, which is not there alone; a 2 n 2 */
    { "world: 4", 3, "{\"a\":4} {\"a\":2,\"n\":2}" },
    { "world: 4\noptions: {mode: wide}", 6,
      "{\"a\":4} {\"a\":2,\"m\":2} {\"a\":2,\"n\":2} {\"m\":4}" },
};
/* clang-format on */

START_TEST(axes_that_options_rule_out_are_not_tried)
{
    struct suggested s;
    struct text sets = { 0 };

    suggest_for(&s, absent, "model: m\n", absent_rows[_i].request,
                (struct suggest_wants){ 0 });
    print_sets(tree_get(s.tree, "suggestions"), &sets);
    ck_assert_str_eq(text_string(&sets), absent_rows[_i].sets);
    ck_assert_uint_eq(s.found.tried, absent_rows[_i].tried);
    text_close(&sets);
    asked_close(&s.asked);
}
END_TEST

START_TEST(suggestions_come_in_their_order)
{
    struct suggested s;
    struct text sets = { 0 };

    suggest_for(&s, runtime, model, rows[_i].request, rows[_i].wants);
    print_sets(tree_get(s.tree, "suggestions"), &sets);
    ck_assert_msg(strcmp(text_string(&sets), rows[_i].sets) == 0, "%s: %s\n%s",
                  rows[_i].what, text_string(&sets), asked_json(&s.asked));
    text_close(&sets);
    asked_close(&s.asked);
}
END_TEST

/* a needs an option; a stage of the estimate is as large everywhere. */
static const char tied[] = "runtime: r\n"
                           "request: world\n"
                           "axes: [{name: a}, {name: b}]\n"
                           "options: {pad: {type: bool, default: 'false'}}\n"
                           "rules:\n"
                           "  - {check: sizes}\n"
                           "  - {code: a.bare, refuse: a > 1 && !pad,"
                           " try: [{set: {pad: 'true'}, say: pad}]}\n"
                           "  - {check: product}\n";

/* clang-format off */
static const struct {
    const char *what, *model, *request, *sets;
} tied_rows[] = {
    { "the larger size of the outer axis first",
      "model: m\n", "world: 4\noptions: {pad: true}",
      "{\"a\":4} {\"a\":2,\"b\":2} {\"b\":4}" },
    { "but fewer options before",
      "model: m\n", "world: 4",
      "{\"b\":4} {\"a\":4,\"pad\":true} {\"a\":2,\"b\":2,\"pad\":true}" },
    { "and of equal peaks the next smaller one before that",
      "model: m\nestimate: {load: {peak_gib: 20}, run: {peak_gib: 8 / b}}\n",
      "world: 4\noptions: {pad: true}",
      "{\"b\":4} {\"a\":2,\"b\":2} {\"a\":4}" },
};
/* clang-format on */

START_TEST(equals_have_an_order)
{
    struct suggested s;
    struct text sets = { 0 };

    suggest_for(&s, tied, tied_rows[_i].model, tied_rows[_i].request,
                (struct suggest_wants){ 0 });
    print_sets(tree_get(s.tree, "suggestions"), &sets);
    ck_assert_msg(strcmp(text_string(&sets), tied_rows[_i].sets) == 0, "%s: %s",
                  tied_rows[_i].what, text_string(&sets));
    text_close(&sets);
    asked_close(&s.asked);
}
END_TEST

static const struct tree *item(const struct suggested *s, const char *list,
                               size_t i)
{
    const struct tree *t = tree_first(tree_get(s->tree, list));

    while (t != NULL && i-- > 0)
        t = t->next;
    ck_assert_ptr_nonnull(t);
    return t;
}

START_TEST(a_suggestion_says_why)
{
    struct suggested s;

    suggest_for(&s, runtime, model, "world: 16",
                (struct suggest_wants){ .memory_gib = 10 });
    ck_assert_str_eq(tree_get(item(&s, "suggestions", 0), "say")->text,
                     "estimated peak 9.5 GiB of 10 in run (end 9.5); step 3.5 "
                     "s measured");
    ck_assert_double_eq(
        tree_get(item(&s, "suggestions", 0), "peak_gib")->u.number, 9.5);
    ck_assert_str_eq(tree_get(item(&s, "suggestions", 0), "stage")->text,
                     "run");
    asked_close(&s.asked);
}
END_TEST

START_TEST(replicas_and_speed_are_said)
{
    struct suggested s;

    suggest_for(&s, runtime, model, "world: 8\nsizes: {b: 1}",
                (struct suggest_wants){ .objective = OBJECTIVE_THROUGHPUT });
    ck_assert_has(tree_get(item(&s, "suggestions", 0), "say")->text,
                  "; step 2 s measured; 4 replicas, 2 steps/s");
    ck_assert_has(tree_get(item(&s, "suggestions", 3), "say")->text,
                  "; step not measured");
    asked_close(&s.asked);
}
END_TEST

START_TEST(what_fell_out_is_counted_by_code)
{
    struct suggested s;

    /* of 4: a, b, c, r of 4; two of 2: six. c 2 goes three times, r 2 b 2 once,
     * and of those that pass two take more and two are not known */
    suggest_for(&s, runtime, model, "world: 4",
                (struct suggest_wants){ .memory_gib = 12.5 });
    ck_assert_str_eq(tree_get(item(&s, "fell_out", 0), "code")->text, "c.two");
    ck_assert_int_eq(tree_get(item(&s, "fell_out", 0), "count")->u.integer, 3);
    ck_assert_str_eq(tree_get(item(&s, "fell_out", 1), "code")->text,
                     "memory.exceeded");
    ck_assert_int_eq(tree_get(item(&s, "fell_out", 1), "count")->u.integer, 3);
    ck_assert_str_eq(tree_get(item(&s, "fell_out", 1), "say")->text,
                     "at least 20.5 GiB of 12.5, with a 2, r 2");
    ck_assert_str_eq(tree_get(item(&s, "fell_out", 2), "code")->text,
                     "memory.unknown");
    ck_assert_int_eq(tree_get(item(&s, "fell_out", 2), "count")->u.integer, 2);
    ck_assert_str_eq(tree_get(item(&s, "fell_out", 3), "code")->text,
                     "r.never");
    ck_assert_int_eq(tree_get(s.tree, "valid")->u.integer, 1);
    asked_close(&s.asked);
}
END_TEST

START_TEST(where_nothing_runs_the_nearest_worlds_are_named)
{
    struct suggested s;

    /* a goes up to 12, c is not 2: of 14 ranks nothing fits into 12.5 GiB */
    suggest_for(&s, runtime, model, "world: 14\nsizes: {b: 1, r: 1}",
                (struct suggest_wants){ .memory_gib = 12.5 });
    ck_assert_uint_eq(s.found.n, 0);
    ck_assert_int_eq(tree_get(item(&s, "near", 0), "world")->u.integer, 12);
    ck_assert_int_eq(tree_get(item(&s, "near", 1), "world")->u.integer, 15);
    ck_assert_has(tree_get(item(&s, "near", 0), "say")->text, "of 12.5 in");
    asked_close(&s.asked);
}
END_TEST

START_TEST(the_estimate_of_another_runtime_is_not_known)
{
    struct suggested s;

    suggest_for(&s, "runtime: q\nrequest: world\naxes: [{name: a}]\n", model,
                "world: 4", (struct suggest_wants){ 0 });
    ck_assert_uint_eq(s.found.n, 1);
    ck_assert(s.found.items[0].peak_gib < 0);
    ck_assert(s.found.items[0].step_s > 4); /* a alone was measured */
    ck_assert_str_eq(item(&s, "notes", 0)->text,
                     "the estimate of run reads b, and q has nothing of that "
                     "name");
    asked_close(&s.asked);
}
END_TEST

/* Node groups: the largest is varied, and instances are replicas. */
START_TEST(instances_of_a_group_are_replicas)
{
    struct suggested s;

    suggest_for(&s,
                "runtime: g\naxes: [{name: a}, {name: b}]\n"
                "rules: [{code: b, refuse: b > 1}]\n",
                "model: m\nnodes: [{name: x}, {name: y}]\n",
                "model: m\nnode_groups: [{node_names: [y], ranks: [0]},"
                " {node_names: [x], count: 6}]\n",
                (struct suggest_wants){ 0 });
    ck_assert_uint_eq(s.found.n, 4);
    ck_assert_int_eq(s.found.group, 1);
    ck_assert_uint_eq(s.found.items[0].sizes[0], 6);
    ck_assert_uint_eq(s.found.items[0].replicas, 1);
    ck_assert_uint_eq(s.found.items[3].replicas, 6);
    asked_close(&s.asked);
}
END_TEST

/* The request with what a suggestion sets, checked as if a user had typed it.
 */
static bool passes(struct suggested *s, const struct suggestion *one)
{
    struct question question = s->asked.question;
    struct check *check;

    question.deployment = deployment_edit(s->asked.arena, question.deployment,
                                          one->edits, one->n_edits);
    ck_assert_ptr_nonnull(question.deployment);
    check = check_run(&question, s->asked.arena, 0, &s->asked.err);
    ck_assert_ptr_nonnull(check);
    for (size_t a = 0; a < s->asked.runtime->n_axes; a++)
        ck_assert_uint_eq(
            scope_size(check, &check->scopes[s->found.group], (int)a),
            one->sizes[a]);
    return check_accepts(check);
}

START_TEST(every_suggestion_passes_and_the_answer_is_always_the_same)
{
    static const char *const worlds[] = { "1",  "2",  "6",  "12", "24",
                                          "36", "48", "64", "96", "360" };
    struct suggested s, again;
    struct text request = { 0 };
    const char *json;

    text_printf(&request, "world: %s", worlds[_i]);
    suggest_for(&s, runtime, model, text_string(&request),
                (struct suggest_wants){ .most = 4096 });
    ck_assert_uint_gt(s.found.n, 0);
    for (size_t i = 0; i < s.found.n; i++)
        ck_assert_msg(passes(&s, &s.found.items[i]), "%s: %zu", worlds[_i], i);
    suggest_for(&again, runtime, model, text_string(&request),
                (struct suggest_wants){ .most = 4096 });
    json = asked_json(&s.asked);
    ck_assert_str_eq(json, asked_json(&again.asked));
    text_close(&request);
    asked_close(&s.asked);
    asked_close(&again.asked);
}
END_TEST

START_TEST(a_large_search_ends_and_says_so)
{
    struct suggested s;

    suggest_for(&s,
                "runtime: r\nrequest: world\naxes: [{name: a}, {name: b},"
                " {name: c}, {name: d}, {name: e}, {name: f}]\n"
                "rules: [{code: never, refuse: 'a > 0'}]\n",
                NULL, "world: 720720", (struct suggest_wants){ 0 });
    ck_assert(s.found.cut);
    ck_assert_uint_eq(s.found.tried, SUGGEST_TRIED_MAX);
    ck_assert_uint_eq(s.found.n, 0);
    ck_assert(tree_get(s.tree, "cut")->u.boolean);
    asked_close(&s.asked);
}
END_TEST

START_TEST(a_size_with_a_default_is_named_where_it_must_be)
{
    struct suggested s;

    suggest_for(&s,
                "runtime: f\nrequest: world\naxes: [{name: a, default: -1,"
                " fill: 'div(world, b)', fill_on: -1}, {name: b}]\n"
                "views: {v: [{rest: world / (a * b)}, a, b]}\n",
                NULL, "world: 2\nsizes: {a: -1}", (struct suggest_wants){ 0 });
    ck_assert_uint_eq(s.found.n, 3);
    for (size_t i = 0; i < 3; i++)
        ck_assert(passes(&s, &s.found.items[i]));
    ck_assert_str_eq(
        tree_get(item(&s, "suggestions", 2), "set")->u.children.first->key,
        "a");
    asked_close(&s.asked);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("suggest");
    TCase *tc = tcase_create("suggest");

    tcase_add_loop_test(tc, axes_that_options_rule_out_are_not_tried, 0,
                        ARRAY_LEN(absent_rows));
    tcase_add_loop_test(tc, suggestions_come_in_their_order, 0,
                        ARRAY_LEN(rows));
    tcase_add_loop_test(tc, equals_have_an_order, 0, ARRAY_LEN(tied_rows));
    tcase_add_test(tc, a_suggestion_says_why);
    tcase_add_test(tc, replicas_and_speed_are_said);
    tcase_add_test(tc, what_fell_out_is_counted_by_code);
    tcase_add_test(tc, where_nothing_runs_the_nearest_worlds_are_named);
    tcase_add_test(tc, the_estimate_of_another_runtime_is_not_known);
    tcase_add_test(tc, instances_of_a_group_are_replicas);
    tcase_add_loop_test(
        tc, every_suggestion_passes_and_the_answer_is_always_the_same, 0, 10);
    tcase_add_test(tc, a_large_search_ends_and_says_so);
    tcase_add_test(tc, a_size_with_a_default_is_named_where_it_must_be);
    suite_add_tcase(suite, tc);
    return tap_run(suite);
}
