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

/* ---- what is said -------------------------------------------------------- */

/* Warns and, for want of heads, does not judge; r makes replicas. */
static const char talking[] =
    "runtime: t\n"
    "request: world\n"
    "axes: [{name: a, field: a_size}, {name: b},"
    " {name: r, splits: replicas}]\n"
    "options: {pad: {type: bool, default: 'false', field: padded},"
    " wide: {type: bool, default: 'true'}}\n"
    "facts: {twist: int, shade: int}\n"
    "derive: {pieces: a * 2}\n"
    "rules:\n"
    "  - {check: sizes}\n"
    "  - {code: pad.must, refuse: 'b == 2 && !pad',"
    " try: [{set: {pad: 'true'}}]}\n"
    "  - {code: heads.uneven, refuse: heads % a != 0}\n"
    "  - {code: twist.odd, when: b > 2, refuse: twist % 2 != 0}\n"
    "  - {code: w.four, warn: a == 4}\n"
    "  - {code: w.r, warn: r == 2}\n"
    "  - {code: w.each, for: 'range(a) as i', warn: r == 2 && i >= 0}\n"
    "  - {check: product}\n";

#define HEADS "model: m\nfacts: {heads: 8, twist: 2}\n"

/* clang-format off */
static const struct {
    const char *what, *model, *request;
    struct suggest_wants wants;
    const char *say; /* of the first */
} said_rows[] = {
    { "nothing is known",
      HEADS, "world: 2\nsizes: {a: 2, r: 1}", { 0 },
      "peak not known; step not measured" },
    { "weights alone are the least, in three digits",
      HEADS "estimate: {load: {weights_gib: 8.1283 / a},"
      " hold: {weights_gib: 4.06 / a}}\n",
      "world: 2\nsizes: {a: 2, r: 1}", { .memory_gib = 0 },
      "peak not known, at least 4.06 GiB; step not measured" },
    { "so is the peak of another stage",
      HEADS "estimate: {load: {weights_gib: 3}, run: {peak_gib: 20 / a}}\n",
      "world: 2\nsizes: {a: 2, r: 1}", { 0 },
      "peak not known, at least 10 GiB; step not measured" },
    { "nothing is no least",
      HEADS "estimate: {load: {when: a == 1, peak_gib: 9}}\n",
      "world: 2\nsizes: {a: 2, r: 1}", { 0 },
      "peak not known; step not measured" },
    { "the largest stage, and of the others the first two",
      HEADS "estimate: {one: {peak_gib: 1.25}, two: {peak_gib: 2},"
      " most: {peak_gib: 10.04}, last: {peak_gib: 9}}\n",
      "world: 2\nsizes: {a: 2, r: 1}", { 0 },
      "estimated peak 10 GiB in most (one 1.25, two 2); step not measured" },
    { "the first of equals, and who stands alone",
      HEADS "estimate: {one: {peak_gib: 2}, two: {peak_gib: 2}}\n",
      "world: 2\nsizes: {a: 2, r: 1}", { .memory_gib = 24.5 },
      "estimated peak 2 GiB of 24.5 in one (two 2); step not measured" },
    { "what else there is of replicas and speed",
      HEADS "estimate: {one: {peak_gib: 2}}\n"
      "measured: [{sizes: {a: 2}, step_s: 1.75}]\n",
      "world: 6\nsizes: {a: 2}", { .objective = OBJECTIVE_THROUGHPUT },
      "estimated peak 2 GiB in one; step 1.75 s measured; 3 replicas, 1.71"
      " steps/s" },
    { "speed over all replicas where it is wanted only",
      HEADS "measured: [{sizes: {a: 2}, step_s: 1.75}]\n",
      "world: 6\nsizes: {a: 2}", { .objective = OBJECTIVE_LATENCY },
      "peak not known; step 1.75 s measured; 3 replicas" },
    { "a rule that could not be judged",
      "model: m\nfacts: {twist: 2}\n", "world: 2\nsizes: {a: 2, r: 1}", { 0 },
      "peak not known; step not measured; 1 rule not judged for want of"
      " facts" },
    { "or several", "model: m\n", "world: 4\nsizes: {b: 4, r: 1}", { 0 },
      "peak not known; step not measured; 2 rules not judged for want of"
      " facts" },
    { "what it warns of",
      HEADS, "world: 4\nsizes: {a: 4, r: 1}", { 0 },
      "peak not known; step not measured; warns of w.four" },
    { "each once",
      HEADS, "world: 8\nsizes: {a: 4, r: 2}", { 0 },
      "peak not known; step not measured; 2 replicas; warns of w.four, w.r,"
      " w.each" },
};
/* clang-format on */

START_TEST(a_suggestion_says_what_is_known_and_what_is_not)
{
    struct suggested s;
    const char *say;

    suggest_for(&s, talking, said_rows[_i].model, said_rows[_i].request,
                said_rows[_i].wants);
    say = tree_get(item(&s, "suggestions", 0), "say")->text;
    ck_assert_msg(strcmp(say, said_rows[_i].say) == 0, "%s: %s",
                  said_rows[_i].what, say);
    asked_close(&s.asked);
}
END_TEST

/* Worlds that run: from 4 up to 6, 2 sizes together best. */
#define NEAR_RULES                                                             \
    "rules:\n"                                                                 \
    "  - {check: sizes}\n"                                                     \
    "  - {code: few, refuse: 'a * b < 4'}\n"                                   \
    "  - {code: many, refuse: 'a * b > 6'}\n"                                  \
    "  - {code: odd, warn: a == 2}\n"                                          \
    "  - {check: product}\n"
#define NEAR_MODEL "model: m\nestimate: {run: {peak_gib: 8 / a + 8 / b}}\n"
#define NEAR_NODES "nodes: [{name: x, axes: {a: {}, b: {}}}]\n" NEAR_MODEL
#define NEAR_GROUP(rest)                                                       \
    "model: m\nnode_groups: [{node_names: [x], " rest "}]\n"
static const char near_world[] =
    "runtime: n\nrequest: world\naxes: [{name: a}, {name: b}]\n" NEAR_RULES;
static const char near_groups[] =
    "runtime: n\nrequest: node_groups\naxes: [{name: a}, {name: b}]\n"
    "rules:\n"
    "  - {code: few, for: groups as g, refuse: g.a * g.b < 4}\n"
    "  - {code: many, for: groups as g, refuse: g.a * g.b > 6}\n";

/* clang-format off */
static const struct {
    const char *what, *runtime, *model, *request;
    struct suggest_wants wants;
    const char *json; /* of the whole answer */
} whole_rows[] = {
    { "all that is known of the best", talking,
      HEADS "estimate: {run: {weights_gib: 4 / a, peak_gib: weights_gib + 1},"
      " end: {peak_gib: 2}}\n"
      "measured: [{sizes: {b: 2}, step_s: 0.5}]\n",
      "world: 8\nsizes: {a: 1, b: 2}",
      { .memory_gib = 24, .objective = OBJECTIVE_THROUGHPUT },
      "{\"model\":\"m\",\"runtime\":\"t\",\"world\":8,"
      "\"objective\":\"throughput\",\"memory_gib\":24.0,\"suggestions\":[{"
      "\"set\":{\"r\":4,\"pad\":true},\"sizes\":{\"a\":1,\"b\":2,\"r\":4},"
      "\"replicas\":4,\"peak_gib\":5.0,\"stage\":\"run\",\"stages\":[{"
      "\"stage\":\"run\",\"weights_gib\":4.0,\"peak_gib\":5.0},{\"stage\":"
      "\"end\",\"peak_gib\":2.0}],\"step_s\":0.5,\"steps_per_s\":8.0,"
      "\"unchecked\":0,\"warnings\":[],\"say\":\"estimated peak 5 GiB of 24 in"
      " run (end 2); step 0.5 s measured; 4 replicas, 8 steps/s\"}],"
      "\"valid\":1,\"tried\":2,\"cut\":false,\"fell_out\":[],"
      "\"near\":[],\"notes\":[]}" },
    { "and where nothing is", talking,
      "model: m\n",
      "world: 4\nsizes: {b: 1, r: 1}", { .objective = OBJECTIVE_LATENCY },
      "{\"model\":\"m\",\"runtime\":\"t\",\"world\":4,\"objective\":\"l"
      "atency\",\"suggestions\":[{\"set\":{\"a\":4},\"sizes\":{\"a\":4,"
      "\"b\":1,\"r\":1},\"replicas\":1,\"stages\":[],\"unchecked\":1,\""
      "warnings\":[\"w.four\"],\"say\":\"peak not known; step not measu"
      "red; 1 rule not judged for want of facts; warns of w.four\"}],\""
      "valid\":1,\"tried\":1,\"cut\":false,\"fell_out\":[],\"near\":[],"
      "\"notes\":[\"the model estimates no memory\",\"nothing of the mo"
      "del was measured; ranked by memory\"]}" },
    { "a stage without a peak", talking,
      HEADS "estimate: {load: {weights_gib: 2}}\n",
      "world: 1", { 0 },
      "{\"model\":\"m\",\"runtime\":\"t\",\"world\":1,\"objective\":"
      "\"memory\",\"suggestions\":[{\"set\":{},\"sizes\":{\"a\":1,\"b\":1,"
      "\"r\":1},\"replicas\":1,\"stages\":[{\"stage\":\"load\","
      "\"weights_gib\":2.0}],\"unchecked\":0,\"warnings\":[],\"say\":\"peak"
      " not known, at least 2 GiB; step not measured\"}],\"valid\":1,"
      "\"tried\":1,\"cut\":false,\"fell_out\":[],\"near\":[],\"notes\":[]}" },
    { "of no model", talking,
      NULL,
      "world: 1", { 0 },
      "{\"runtime\":\"t\",\"world\":1,\"objective\":\"memory\",\"sugges"
      "tions\":[{\"set\":{},\"sizes\":{\"a\":1,\"b\":1,\"r\":1},\"repli"
      "cas\":1,\"stages\":[],\"unchecked\":1,\"warnings\":[],\"say\":\""
      "peak not known; step not measured; 1 rule not judged for want of"
      " facts\"}],\"valid\":1,\"tried\":1,\"cut\":false,\"fell_out\":[]"
      ",\"near\":[],\"notes\":[]}" },
    { "the smallest of what takes too much", talking,
      HEADS "estimate: {run: {peak_gib: 8 / a + 8 / b}}\n",
      "world: 8", { .memory_gib = 2 },
      "{\"model\":\"m\",\"runtime\":\"t\",\"world\":8,\"objective\":\"m"
      "emory\",\"memory_gib\":2.0,\"suggestions\":[],\"valid\":0,\"trie"
      "d\":13,\"cut\":false,\"fell_out\":[{\"code\":\"memory.exceeded\""
      ",\"count\":10,\"say\":\"at least 6 GiB of 2, with a 2, b 4\"}],\""
      "near\":[],\"notes\":[]}" },
    { "which may be of one rank", talking,
      HEADS "estimate: {run: {peak_gib: 8}}\n",
      "world: 1", { .memory_gib = 2 },
      "{\"model\":\"m\",\"runtime\":\"t\",\"world\":1,\"objective\":\"m"
      "emory\",\"memory_gib\":2.0,\"suggestions\":[],\"valid\":0,\"trie"
      "d\":1,\"cut\":false,\"fell_out\":[{\"code\":\"memory.exceeded\","
      "\"count\":1,\"say\":\"at least 8 GiB of 2, with every size 1\"}]"
      ",\"near\":[],\"notes\":[]}" },
    { "a bound that is met by what is known is not exceeded", talking,
      HEADS "estimate: {load: {weights_gib: 2}}\n",
      "world: 1", { .memory_gib = 2 },
      "{\"model\":\"m\",\"runtime\":\"t\",\"world\":1,\"objective\":\"m"
      "emory\",\"memory_gib\":2.0,\"suggestions\":[],\"valid\":0,\"trie"
      "d\":1,\"cut\":false,\"fell_out\":[{\"code\":\"memory.unknown\",\""
      "count\":1,\"say\":\"the model does not say what they take\"}],\""
      "near\":[],\"notes\":[]}" },
    { "the nearest smaller world, the best of it, and what it warns of", near_world,
      NEAR_MODEL,
      "world: 8", { .memory_gib = 9 },
      "{\"model\":\"m\",\"runtime\":\"n\",\"world\":8,\"objective\":\"m"
      "emory\",\"memory_gib\":9.0,\"suggestions\":[],\"valid\":0,\"trie"
      "d\":4,\"cut\":false,\"fell_out\":[{\"code\":\"many\",\"count\":4"
      ",\"say\":\"\"}],\"near\":[{\"world\":6,\"set\":{\"a\":3,\"b\":2}"
      ",\"say\":\"estimated peak 6.67 GiB of 9 in run; step not measure"
      "d\"}],\"notes\":[]}" },
    { "down to half", near_world,
      NEAR_MODEL,
      "world: 12", { .memory_gib = 9 },
      "{\"model\":\"m\",\"runtime\":\"n\",\"world\":12,\"objective\":\""
      "memory\",\"memory_gib\":9.0,\"suggestions\":[],\"valid\":0,\"tri"
      "ed\":6,\"cut\":false,\"fell_out\":[{\"code\":\"many\",\"count\":"
      "6,\"say\":\"\"}],\"near\":[{\"world\":6,\"set\":{\"a\":3,\"b\":2"
      "},\"say\":\"estimated peak 6.67 GiB of 9 in run; step not measur"
      "ed\"}],\"notes\":[]}" },
    { "and no further", near_world,
      NEAR_MODEL,
      "world: 13", { .memory_gib = 9 },
      "{\"model\":\"m\",\"runtime\":\"n\",\"world\":13,\"objective\":\""
      "memory\",\"memory_gib\":9.0,\"suggestions\":[],\"valid\":0,\"tri"
      "ed\":2,\"cut\":false,\"fell_out\":[{\"code\":\"many\",\"count\":"
      "2,\"say\":\"\"}],\"near\":[],\"notes\":[]}" },
    { "the nearest larger one", near_world,
      NEAR_MODEL,
      "world: 3", { .memory_gib = 9 },
      "{\"model\":\"m\",\"runtime\":\"n\",\"world\":3,\"objective\":\"m"
      "emory\",\"memory_gib\":9.0,\"suggestions\":[],\"valid\":0,\"trie"
      "d\":2,\"cut\":false,\"fell_out\":[{\"code\":\"few\",\"count\":2,"
      "\"say\":\"\"}],\"near\":[{\"world\":4,\"set\":{\"a\":2,\"b\":2},"
      "\"say\":\"estimated peak 8 GiB of 9 in run; step not measured; w"
      "arns of odd\"}],\"notes\":[]}" },
    { "up to twice", near_world,
      NEAR_MODEL,
      "world: 2", { .memory_gib = 9 },
      "{\"model\":\"m\",\"runtime\":\"n\",\"world\":2,\"objective\":\"m"
      "emory\",\"memory_gib\":9.0,\"suggestions\":[],\"valid\":0,\"trie"
      "d\":2,\"cut\":false,\"fell_out\":[{\"code\":\"few\",\"count\":2,"
      "\"say\":\"\"}],\"near\":[{\"world\":4,\"set\":{\"a\":2,\"b\":2},"
      "\"say\":\"estimated peak 8 GiB of 9 in run; step not measured; w"
      "arns of odd\"}],\"notes\":[]}" },
    { "and no further", near_world,
      NEAR_MODEL,
      "world: 1", { .memory_gib = 9 },
      "{\"model\":\"m\",\"runtime\":\"n\",\"world\":1,\"objective\":\"m"
      "emory\",\"memory_gib\":9.0,\"suggestions\":[],\"valid\":0,\"trie"
      "d\":1,\"cut\":false,\"fell_out\":[{\"code\":\"few\",\"count\":1,"
      "\"say\":\"\"}],\"near\":[],\"notes\":[]}" },
    { "either, each with its own", near_world,
      NEAR_MODEL,
      "world: 5", { .memory_gib = 8.5 },
      "{\"model\":\"m\",\"runtime\":\"n\",\"world\":5,\"objective\":\"m"
      "emory\",\"memory_gib\":8.5,\"suggestions\":[],\"valid\":0,\"trie"
      "d\":2,\"cut\":false,\"fell_out\":[{\"code\":\"memory.exceeded\","
      "\"count\":2,\"say\":\"at least 9.6 GiB of 8.5, with b 5\"}],\"ne"
      "ar\":[{\"world\":4,\"set\":{\"a\":2,\"b\":2},\"say\":\"estimated"
      " peak 8 GiB of 8.5 in run; step not measured; warns of odd\"},{\""
      "world\":6,\"set\":{\"a\":3,\"b\":2},\"say\":\"estimated peak 6.6"
      "7 GiB of 8.5 in run; step not measured\"}],\"notes\":[]}" },
    { "ranks that are counted", near_groups,
      NEAR_NODES,
      NEAR_GROUP("count: 3"), { .memory_gib = 9 },
      "{\"model\":\"m\",\"runtime\":\"n\",\"world\":3,\"objective\":\"m"
      "emory\",\"memory_gib\":9.0,\"suggestions\":[],\"valid\":0,\"trie"
      "d\":3,\"cut\":false,\"fell_out\":[{\"code\":\"few\",\"count\":3,"
      "\"say\":\"\"}],\"near\":[{\"world\":4,\"set\":{\"a\":2,\"b\":2},"
      "\"say\":\"estimated peak 8 GiB of 9 in run; step not measured\"}"
      "],\"notes\":[]}" },
    { "but not those that are listed", near_groups,
      NEAR_NODES,
      NEAR_GROUP("ranks: [0, 1, 2]"), { .memory_gib = 9 },
      "{\"model\":\"m\",\"runtime\":\"n\",\"world\":3,\"objective\":\"m"
      "emory\",\"memory_gib\":9.0,\"suggestions\":[],\"valid\":0,\"trie"
      "d\":3,\"cut\":false,\"fell_out\":[{\"code\":\"few\",\"count\":3,"
      "\"say\":\"\"}],\"near\":[],\"notes\":[]}" },
};
/* clang-format on */

START_TEST(an_answer_has_all_of_it)
{
    struct suggested s;
    const char *json;

    suggest_for(&s, whole_rows[_i].runtime, whole_rows[_i].model,
                whole_rows[_i].request, whole_rows[_i].wants);
    json = asked_json(&s.asked);
    ck_assert_msg(strcmp(json, whole_rows[_i].json) == 0, "%s: %s",
                  whole_rows[_i].what, json);
    asked_close(&s.asked);
}
END_TEST

/* Remedies, of which the request leaves the options open. */
#define REMEDIES                                                               \
    "runtime: r\nrequest: world\naxes: [{name: a}, {name: b}]\n"               \
    "options: {mode: {type: string, default: one},"                            \
    " pad: {type: bool, default: 'false'}}\n"                                  \
    "rules:\n  - {check: sizes}\n  - {check: product}\n"
#define WHEN(code, refuse, try)                                                \
    "  - {code: " code ", refuse: '" refuse "', try: [" try "]}\n"
#define MODE(to) "{set: {mode: '\"" to "\"'}}"

/* clang-format off */
static const struct {
    const char *what, *rules;
    const char *sets, *fallen; /* of a 2, for 2 ranks */
} remedy_rows[] = {
    { "options of one that sets a size too are not taken alone",
      REMEDIES WHEN("c", "a == 2 && !pad", "{set: {a: 1, pad: 'true'}}"),
      "", "c" },
    { "the first that helps is enough",
      REMEDIES WHEN("c", "a == 2 && mode == \"one\" && !pad",
                    MODE("two") ", {set: {pad: 'true'}}"),
      "{\"mode\":\"two\"}", NULL },
    { "one that does not is passed over",
      REMEDIES WHEN("c", "mode == \"one\" && !pad",
                    MODE("two") ", {set: {pad: 'true'}}")
      WHEN("d", "mode == \"two\"", ""),
      "{\"pad\":true}", NULL },
    { "one after the other, of which the last counts",
      REMEDIES WHEN("c", "mode == \"one\"", MODE("two"))
      WHEN("d", "mode == \"two\"", MODE("three")),
      "{\"mode\":\"three\"}", NULL },
    { "and no more than two",
      REMEDIES WHEN("c", "mode == \"one\"", MODE("two"))
      WHEN("d", "mode == \"two\"", MODE("three"))
      WHEN("e", "mode == \"three\"", MODE("four")),
      "", "c" },
};
/* clang-format on */

START_TEST(options_follow_remedies)
{
    const struct tree *fallen;
    struct suggested s;
    struct text sets = { 0 };

    suggest_for(&s, remedy_rows[_i].rules, NULL,
                "world: 2\nsizes: {a: 2, b: 1}", (struct suggest_wants){ 0 });
    print_sets(tree_get(s.tree, "suggestions"), &sets);
    ck_assert_msg(strcmp(text_string(&sets), remedy_rows[_i].sets) == 0,
                  "%s: %s", remedy_rows[_i].what, asked_json(&s.asked));
    fallen = tree_first(tree_get(s.tree, "fell_out"));
    ck_assert_msg((fallen == NULL) == (remedy_rows[_i].fallen == NULL),
                  "%s: %s", remedy_rows[_i].what, asked_json(&s.asked));
    if (fallen != NULL)
        ck_assert_str_eq(tree_get(fallen, "code")->text,
                         remedy_rows[_i].fallen);
    text_close(&sets);
    asked_close(&s.asked);
}
END_TEST

/* Of as large groups the first is varied, and nothing that no instance fits. */
START_TEST(of_groups_the_first_of_the_largest_is_varied)
{
    struct suggested s;

    suggest_for(&s, "runtime: g\naxes: [{name: a}, {name: b}]\n",
                "model: m\nnodes: [{name: x}, {name: y}, {name: z}]\n",
                "model: m\nnode_groups: [{node_names: [x], count: 1},"
                " {node_names: [y], count: 6}, {node_names: [z], count: 6}]\n",
                (struct suggest_wants){ 0 });
    ck_assert_int_eq(s.found.group, 1);
    ck_assert_uint_eq(s.found.tried, 9); /* a and b of 1, 2, 3, 6 */
    asked_close(&s.asked);
}
END_TEST

START_TEST(eight_are_written_unless_more_are_wanted)
{
    static const size_t most[][2] = { { 0, 8 }, { 1, 1 }, { 10, 10 } };
    struct suggested s;

    for (size_t i = 0; i < ARRAY_LEN(most); i++) {
        suggest_for(&s, tied, "model: m\n", "world: 512\noptions: {pad: true}",
                    (struct suggest_wants){ .most = most[i][0] });
        ck_assert_uint_eq(tree_count(tree_get(s.tree, "suggestions")),
                          most[i][1]);
        ck_assert_int_eq(tree_get(s.tree, "valid")->u.integer, 10);
        asked_close(&s.asked);
    }
}
END_TEST

START_TEST(without_ranks_there_is_nothing_to_suggest)
{
    struct asked a = { .arena = arena_new(1 << 20) };
    struct suggestions found;

    ck_assert_msg(load_asked(&a, "runtime: g\naxes: [{name: a}]\n", NULL,
                             "node_groups: []\n"),
                  "%s", a.err.text);
    a.question =
        (struct question){ .runtime = a.runtime, .deployment = a.deployment };
    ck_assert_int_eq(suggest(&a.question, &(struct suggest_wants){ 0 }, a.arena,
                             &found, &a.err),
                     -1);
    ck_assert_int_eq(a.err.status, STATUS_INVALID);
    ck_assert_str_eq(a.err.text,
                     "there are no ranks to give sizes to; give world, or "
                     "node_groups with ranks");
    asked_close(&a);
}
END_TEST

/* Every product lacks 2 or is twice too large, which shows at the end only. */
START_TEST(a_search_that_tries_nothing_ends_too)
{
    struct suggested s;

    suggest_for(&s,
                "runtime: r\nrequest: world\naxes: [{name: a}, {name: b},"
                " {name: c}, {name: d}, {name: e}, {name: f}, {name: g},"
                " {name: h}]\n"
                "views: {v: [a, b, c, d, e, f, g], w: [a, b, c, d, e, f, h]}\n",
                NULL, "world: 720720\nsizes: {g: 2, h: 4}",
                (struct suggest_wants){ 0 });
    ck_assert_uint_eq(s.found.tried, 0);
    ck_assert(s.found.cut);
    asked_close(&s.asked);
}
END_TEST

/* What a check looks at counts, not only how many there are. */
START_TEST(a_search_of_many_ranks_ends_earlier)
{
    enum { RANKS = 1 << 16 };
    struct text request = { 0 };
    struct suggested s;

    text_put(&request, "model: m\nnode_groups: [{node_names: [x], ranks: [0");
    for (int i = 1; i < RANKS; i++)
        text_printf(&request, ", %d", i);
    text_put(&request, "]}]\n");
    suggest_for(&s,
                "runtime: g\naxes: [{name: a}, {name: b}, {name: c},"
                " {name: d}]\n",
                "model: m\nnodes: [{name: x}]\n", text_string(&request),
                (struct suggest_wants){ 0 });
    ck_assert(s.found.cut);
    ck_assert_uint_le(s.found.tried, SUGGEST_WORK_MAX / RANKS + 1);
    text_close(&request);
    asked_close(&s.asked);
}
END_TEST

/* ---- what a model says --------------------------------------------------- */

/* clang-format off */
static const struct {
    const char *what, *estimate; /* of a 2, r 1 on 2 ranks */
    const char *say, *note;      /* NULL: none */
} estimate_rows[] = {
    { "whole numbers are decimals, the world too",
      "{run: {peak_gib: 7 / a + 5 / world}}",
      "estimated peak 6 GiB in run; step not measured", NULL },
    { "so are facts and what is derived",
      "{run: {peak_gib: heads / 16 + 2 / pieces}}",
      "estimated peak 1 GiB in run; step not measured", NULL },
    { "options are read",
      "{run: {when: '!pad', peak_gib: 'wide ? 3 : 4'}}",
      "estimated peak 3 GiB in run; step not measured", NULL },
    { "a stage that may not hold is not known",
      "{run: {when: r == 2, weights_gib: 2, peak_gib: 3}}",
      "peak not known; step not measured", NULL },
    { "nor is one that nobody can tell of",
      "{run: {when: shade == 2, weights_gib: 2, peak_gib: 3}}",
      "peak not known; step not measured", NULL },
    { "nor what has no end",
      "{run: {weights_gib: 3, peak_gib: 1e308 * 10}}",
      "peak not known, at least 3 GiB; step not measured", NULL },
    { "nor what cannot be",
      "{run: {peak_gib: 1 - a}}",
      "peak not known; step not measured", NULL },
    { "nor what weights that are not known go into",
      "{run: {weights_gib: 3, peak_gib: weights_gib + 1},"
      " end: {weights_gib: 1e308 * 10, peak_gib: weights_gib + 1}}",
      "peak not known, at least 4 GiB; step not measured", NULL },
    { "weights that a stage does not say are no name",
      "{run: {peak_gib: weights_gib + 1}}",
      "peak not known; step not measured",
      "the estimate of run reads weights_gib, and t has nothing of that name" },
    { "of several names the first is told, and other stages count",
      "{run: {peak_gib: ring + 1 / ulysses}, end: {weights_gib: 5}}",
      "peak not known, at least 5 GiB; step not measured",
      "the estimate of run reads ring, and t has nothing of that name" },
};
static const struct {
    const char *what, *row; /* of a 2, pad false, mode of no runtime */
    bool fits;
} measured_rows[] = {
    { "the sizes", "{sizes: {a: 2}, step_s: 3}", true },
    { "another size", "{sizes: {a: 4}, step_s: 3}", false },
    { "an axis that was off", "{sizes: {a: 2, b: 1}, step_s: 3}", true },
    { "one that is off here", "{sizes: {a: 2, b: 2}, step_s: 3}", false },
    { "one that it does not name", "{sizes: {}, step_s: 3}", false },
    { "replicas that were two", "{sizes: {a: 2, r: 2}, step_s: 3}", false },
    { "an axis of another runtime", "{sizes: {a: 2, x: 2}, step_s: 3}", false },
    { "which was off", "{sizes: {a: 2, x: 1}, step_s: 3}", true },
    { "an option", "{sizes: {a: 2}, options: {pad: false}, step_s: 3}", true },
    { "of another value",
      "{sizes: {a: 2}, options: {pad: true}, step_s: 3}", false },
    { "of another runtime",
      "{sizes: {a: 2}, options: {mode: 1}, step_s: 3}", false },
    { "a size is no option",
      "{sizes: {a: 2}, options: {a: 2}, step_s: 3}", false },
};
/* clang-format on */

START_TEST(estimates_are_computed_by_stage)
{
    const char *note = estimate_rows[_i].note, *say;
    const struct tree *notes;
    struct text declared = { 0 };
    struct suggested s;

    text_printf(&declared, HEADS "estimate: %s\n", estimate_rows[_i].estimate);
    suggest_for(&s, talking, text_string(&declared),
                "world: 2\nsizes: {a: 2, b: 1, r: 1}",
                (struct suggest_wants){ 0 });
    say = tree_get(item(&s, "suggestions", 0), "say")->text;
    ck_assert_msg(strcmp(say, estimate_rows[_i].say) == 0, "%s: %s",
                  estimate_rows[_i].what, say);
    notes = tree_get(s.tree, "notes");
    ck_assert_uint_eq(tree_count(notes), note != NULL);
    if (note != NULL)
        ck_assert_str_eq(tree_first(notes)->text, note);
    text_close(&declared);
    asked_close(&s.asked);
}
END_TEST

START_TEST(a_step_is_of_the_row_that_fits)
{
    struct text declared = { 0 };
    struct suggested s;

    text_printf(&declared, HEADS "measured: [%s]\n", measured_rows[_i].row);
    suggest_for(&s, talking, text_string(&declared),
                "world: 2\nsizes: {a: 2, b: 1, r: 1}",
                (struct suggest_wants){ 0 });
    ck_assert_msg((s.found.items[0].step_s > 0) == measured_rows[_i].fits, "%s",
                  measured_rows[_i].what);
    text_close(&declared);
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
    tcase_add_loop_test(tc, a_suggestion_says_what_is_known_and_what_is_not, 0,
                        ARRAY_LEN(said_rows));
    tcase_add_loop_test(tc, an_answer_has_all_of_it, 0, ARRAY_LEN(whole_rows));
    tcase_add_loop_test(tc, options_follow_remedies, 0, ARRAY_LEN(remedy_rows));
    tcase_add_test(tc, of_groups_the_first_of_the_largest_is_varied);
    tcase_add_test(tc, eight_are_written_unless_more_are_wanted);
    tcase_add_test(tc, without_ranks_there_is_nothing_to_suggest);
    tcase_add_test(tc, a_search_that_tries_nothing_ends_too);
    tcase_add_test(tc, a_search_of_many_ranks_ends_earlier);
    tcase_add_loop_test(tc, estimates_are_computed_by_stage, 0,
                        ARRAY_LEN(estimate_rows));
    tcase_add_loop_test(tc, a_step_is_of_the_row_that_fits, 0,
                        ARRAY_LEN(measured_rows));
    suite_add_tcase(suite, tc);
    return tap_run(suite);
}
