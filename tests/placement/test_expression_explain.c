/* SPDX-License-Identifier: Apache-2.0 */
/* Tests how expressions say why they came out as they did. */
#include "tests/tap.h"
#include "tests/placement/expression_fixture.h"

/* used: names whose values were written. */
/* clang-format off */
static const struct {
    const char *source, *text, *used;
} explained[] = {
    /* comparisons: a literal side is not repeated */
    { "ep % tp != 0", "ep % tp != 0: 4 % 3 = 1", "ep tp" },
    { "0 != ep % tp", "0 != ep % tp: 4 % 3 = 1", "ep tp" },
    { "ep * etp > stage", "ep * etp > stage: 4 * 4 = 16 > 8", "ep etp stage" },
    { "stage < ep * etp", "stage < ep * etp: 8 < 16 = 4 * 4", "stage ep etp" },
    { "ep * etp == stage + world", "ep * etp == stage + world: "
      "4 * 4 = 16 == 16 = 8 + 8", "ep etp stage world" },
    { "ep == etp", "ep == etp: 4 == 4", "ep etp" },
    { "ep > 1", "ep > 1: ep = 4", "ep" },
    { "1 < ep", "1 < ep: ep = 4", "ep" },
    { "(ep + tp) * 2 > 1 + tp", "(ep + tp) * 2 > 1 + tp: "
      "(4 + 3) * 2 = 14 > 4 = 1 + 3", "ep tp" },
    { "ep\n    % tp   != 0", "ep % tp != 0: 4 % 3 = 1", "ep tp" },
    { "name == 'wan'", "name == 'wan': name = \"wan\"", "name" },
    { "name != trainer", "name != trainer: \"wan\" != \"dpo\"",
      "name trainer" },
    { "max(ep, tp) > 1 * 2", "max(ep, tp) > 1 * 2: max(4, 3) = 4", "ep tp" },
    { "sum(heads) % tp == 2", "sum(heads) % tp == 2: sum([28, 28]) % 3 = 2",
      "heads tp" },
    { "size(heads.map(h, h * ep)) == 2", "size(heads.map(h, h * ep)) == 2: "
      "size([28, 28].map(h, h * 4)) = 2", "heads ep" },
    { "name in ['wan', 'x']", "name in ['wan', 'x']: name = \"wan\"", "name" },
    { "28 in heads", "28 in heads: heads = [28, 28]", "heads" },
    { "most in heads || 24 in layers", "24 in layers: layers = 24", "layers" },
    { "p == placed[0]", "p == placed[0]: p == placed[0]", "p placed" },
    /* guards are left out, unless there is nothing else */
    { "p.cfg > 1 && p.node.axes.cfg.branches % p.cfg != 0",
      "p.node.axes.cfg.branches % p.cfg != 0: 2 % 3 = 2", "p" },
    { "yes && ep > 1", "yes: true and ep > 1: ep = 4", "yes ep" },
    { "yes && stage > 1 && ep % tp != 0", "ep % tp != 0: 4 % 3 = 1", "ep tp" },
    { "has(name) && ep % tp != 0", "ep % tp != 0: 4 % 3 = 1", "ep tp" },
    { "ep % tp == 1 && stage % tp == 2",
      "ep % tp == 1: 4 % 3 = 1 and stage % tp == 2: 8 % 3 = 2", "ep tp stage" },
    { "stage >= 0 && (ep * tp > 100 || ep * tp > 1)",
      "ep * tp > 1: 4 * 3 = 12", "ep tp" },
    { "ep == 1 || tp == 3", "tp == 3: tp = 3", "tp" },
    { "yes ? ep % tp == 1 : no", "ep % tp == 1: 4 % 3 = 1", "ep tp" },
    /* negations */
    { "!trainers[trainer].cp",
      "!trainers[trainer].cp: trainers[\"dpo\"].cp = false",
      "trainer trainers" },
    { "ep > 1 && !trainers[trainer].cp",
      "!trainers[trainer].cp: trainers[\"dpo\"].cp = false",
      "trainer trainers" },
    { "trainers['sft'].cp", "trainers['sft'].cp: trainers['sft'].cp = true",
      "trainers" },
    { "!no", "!no: no = false", "no" }, { "yes", "yes: true", "yes" },
    { "!(ep % tp == 0)", "!(ep % tp == 0): 4 % 3 = 1", "ep tp" },
    { "!(ep > 1 && ep % tp == 0)", "ep % tp == 0 is false: 4 % 3 = 1",
      "ep tp" },
    { "!(ep % tp == 0 || tp > 3)",
      "ep % tp == 0 is false: 4 % 3 = 1 and tp > 3 is false: tp = 3",
      "ep tp" },
    { "has(p.node.axes.cfg.branches)", "has(p.node.axes.cfg.branches): "
      "p.node.axes.cfg.branches = 2", "p" },
    { "!has(p.node.axes.x)", "!has(p.node.axes.x): p.node.axes.x is not "
      "declared", "" },
    { "!has(bad)", "!has(bad): bad is undefined", "" },
    { "name.endsWith('an')",
      "name.endsWith('an'): \"wan\".endsWith('an') = true", "name" },
    { "true", "true: true", "" },
    /* the item that decides */
    { "heads.exists(h, h % tp != 0)", "h % tp != 0: 28 % 3 = 1", "heads tp" },
    { "layers.exists(h, h % 7 != 0)", "h % 7 != 0: 24 % 7 = 3", "layers" },
    { "placed.exists(q, q.cfg < tp)", "q.cfg < tp: 1 < 3", "placed tp" },
    { "placed.exists(q, q.cfg > 1 && q.cfg * ep > 2)",
      "q.cfg * ep > 2: 3 * 4 = 12", "placed ep" },
    { "placed.exists(q, heads.exists(h, h % q.cfg != 0))",
      "h % q.cfg != 0: 28 % 3 = 1", "heads placed" },
    { "!heads.all(h, h % tp == 0)", "h % tp == 0 is false: 28 % 3 = 1",
      "heads tp" },
    { "heads.all(h, h > tp)", "heads.all(h, h > tp): heads = [28, 28]",
      "heads" },
    { "!heads.exists(h, h < tp)", "!heads.exists(h, h < tp): heads = [28, 28]",
      "heads" },
    { "placed.all(q, q.cfg > 0)", "placed.all(q, q.cfg > 0): placed has 2 "
      "items", "" },
    { "nodes.all(n, no)", "nodes.all(n, no): nodes = []", "nodes" },
    /* not conditions */
    { "world / ep", "world / ep: 8 / 4 = 2", "world ep" },
    { "ep", "ep: 4", "ep" },
    { "trainers[trainer].rows",
      "trainers[trainer].rows: trainers[\"dpo\"].rows = 2",
      "trainer trainers" },
};

static const struct {
    const char *source, *text;
} undefined[] = {
    { "world / tp", "world / tp: 8 / 3" },
    { "1 + max(2, world / tp) > 3", "world / tp: 8 / 3" },
    { "ep % zero == 1 && yes", "ep % zero: 4 % 0" },
    { "bad > 1", "bad" },
    { "yes && worse", "worse" },
    { "no ? 1 : world / tp", "world / tp: 8 / 3" },
    { "heads.exists(h, h / tp > 9)", "h / tp: 28 / 3" },
    { "sum(heads.map(h, h * most))", "h * most: 28 * 9223372036854775807" },
    { "max([2, world / tp])", "world / tp: 8 / 3" },
    { "[1, bad].exists(h, h > 9)", "bad" },
    { "9 in [1, world / tp]", "world / tp: 8 / 3" },
    { "heads[ep] > 1", "heads[ep]: item 4 of 2" },
    { "heads + 1 > 1", "heads + 1: [28, 28] + 1" },
    { "range(stage * 10000)", "range(stage * 10000): range(8 * 10000)" },
    /* over the budget of steps, which is no fault of a part */
    { "range(4096).all(a, [1,2,3,4,5,6,7,8].all(b, [1,2,3,4,5,6,7,8].all(c, "
      "a + b + c > zero)))",
      "range(4096).all(a, [1,2,3,4,5,6,7,8].all(b, [1,2,3,4,5,6,7,8].all(c, "
      "a + b + c > zero))): "
      "range(4096).all(a, [1,2,3,4,5,6,7,8].all(b, [1,2,3,4,5,6,7,8].all(c, "
      "a + b + c > 0)))" },
    { "1 / 0 > 1", "1 / 0" },
    { "yes", "" }, { "what", "" },
};

static const struct {
    const char *source, *needs;
} needing[] = {
    { "what > 1", "what/what" },
    { "what > 1 && whether", "what/what whether/whether" },
    { "no || what > 1", "what/what" },
    { "what + what > 1", "what/what" },
    { "p.node.kv_heads % 2 == 0", "p.node.kv_heads/p" },
    { "p.node.axes.sp.branches > 1", "p.node.axes.sp.branches/p" },
    { "whether ? 1 : what", "whether/whether" },
    { "yes ? what : 1", "what/what" },
    { "experts.exists(h, h % tp != 0)", "experts/experts" },
    { "some.exists(h, h > 9)", "some/some" },
    { "9 in some", "some/some" },
    { "sum(some)", "some/some" },
    { "sum([ep, what])", "what/what" },
    { "max(ep, what)", "what/what" },
    { "heads.map(h, h * what).exists(k, k > 1)", "what/what" },
    { "[what, 1].all(h, h == 1)", "what/what" },
    { "placed.exists(q, q.node.kv_heads > 8)", "q.node.kv_heads/placed" },
    { "placed.exists(q, heads.all(h, h % q.node.kv_heads == 5))",
      "q.node.kv_heads/placed" },
    { "heads[what]", "what/what" },
    { "trainers[trainer].x", "trainers[trainer].x/trainers" },
    { "!(what > 1)", "what/what" },
    { "some == [8, 8]", "some/some" },
    { "keys(trainers)[what]", "what/what" },
    { "yes", "" }, { "bad > 1", "" }, { "no && what > 1", "" },
};
/* clang-format on */

static void note_used(void *arg, int slot)
{
    struct text *used = arg;

    text_printf(used, "%s%s", used->len > 0 ? " " : "",
                fixture_names[slot].name);
}

static void note_need(void *arg, int slot, const char *path)
{
    struct text *needs = arg;

    text_printf(needs, "%s%s/%s", needs->len > 0 ? " " : "", path,
                slot >= 0 ? fixture_names[slot].name : "");
}

static const struct expression *compile(struct fixture *f, const char *source)
{
    struct error err = { 0 };
    const struct expression *expr;

    fixture_open(f);
    expr = fixture_compile(f, source, VALUE_ANY, &err);
    ck_assert_msg(expr != NULL, "%s: %s", source, err.text);
    return expr;
}

START_TEST(a_true_condition_is_written_with_its_numbers)
{
    struct text out = { 0 }, used = { 0 };
    struct fixture f;
    const struct expression *expr = compile(&f, explained[_i].source);

    expression_explain(expr, &f.env, &out, note_used, &used);
    ck_assert_str_eq(text_string(&out), explained[_i].text);
    ck_assert_str_eq(text_string(&used), explained[_i].used);
    text_clear(&out);
    expression_explain(expr, &f.env, &out, NULL, NULL);
    ck_assert_str_eq(text_string(&out), explained[_i].text);
    text_close(&out);
    text_close(&used);
    fixture_close(&f);
}
END_TEST

START_TEST(what_is_undefined_is_named_where_it_begins)
{
    struct text out = { 0 };
    struct fixture f;
    const struct expression *expr = compile(&f, undefined[_i].source);

    expression_explain_undefined(expr, &f.env, &out);
    ck_assert_str_eq(text_string(&out), undefined[_i].text);
    text_close(&out);
    fixture_close(&f);
}
END_TEST

START_TEST(what_is_unknown_names_the_facts_it_needs)
{
    struct text needs = { 0 };
    struct fixture f;
    const struct expression *expr = compile(&f, needing[_i].source);

    expression_needs(expr, &f.env, note_need, &needs);
    ck_assert_str_eq(text_string(&needs), needing[_i].needs);
    text_close(&needs);
    fixture_close(&f);
}
END_TEST

START_TEST(a_long_string_is_cut_between_characters)
{
    struct text out = { 0 };
    struct fixture f;
    const struct expression *expr = compile(&f, "name != trainer");

    fixture_set(&f, "name",
                value_string("0123456789012345678901234567890123456789012345678"
                             "90123456789012\xc3\xa9 and more"));
    expression_explain(expr, &f.env, &out, NULL, NULL);
    ck_assert_str_eq(text_string(&out),
                     "name != trainer: \"012345678901234567890123456789012345"
                     "678901234567890123456789012...\" != \"dpo\"");
    text_close(&out);
    fixture_close(&f);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("expression_explain");
    TCase *tcase = tcase_create("explanations");

    tcase_add_loop_test(tcase, a_true_condition_is_written_with_its_numbers, 0,
                        ARRAY_LEN(explained));
    tcase_add_loop_test(tcase, what_is_undefined_is_named_where_it_begins, 0,
                        ARRAY_LEN(undefined));
    tcase_add_loop_test(tcase, what_is_unknown_names_the_facts_it_needs, 0,
                        ARRAY_LEN(needing));
    tcase_add_test(tcase, a_long_string_is_cut_between_characters);
    suite_add_tcase(suite, tcase);
    return tap_run(suite);
}
