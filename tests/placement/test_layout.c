/* SPDX-License-Identifier: Apache-2.0 */
/* Orders, derived lists, families and coordinates, as a runtime declares them.
 */
#include <stdio.h>

#include "tests/placement/check_fixture.h"

/* Two views of one span that a request orders. The second has a size of its
 * own behind tp. */
static const char folded[] =
    "runtime: r\n"
    "request: world\n"
    "axes: [{name: tp}, {name: cp}, {name: pp}, {name: ep}]\n"
    "options:\n"
    "  order: {type: any, default: tp-cp-ep-dp-pp}\n"
    "  parts: {type: int, default: 2}\n"
    "  levels: {type: list}\n"
    "derive:\n"
    "  dp: world / (tp * cp * pp)\n"
    "  edp: world / (ep * pp * 2)\n"
    "views:\n"
    "  d: {axes: [pp, {dp: dp}, cp, tp], order: order, outermost: last}\n"
    "  e: {axes: [pp, {dp: edp}, ep, {fixed: 2, after: ep}], order: order,\n"
    "      outermost: last}\n"
    "groups:\n"
    "  half: {of: d.dp+cp, cut: parts}\n"
    "  mixed: {of: d.dp+cp, stride: parts}\n"
    "  short: {of: d.dp+cp, runs: 3}\n"
    "  ends: {of: d.pp, take: [first, last]}\n"
    "  front: {of: half, take: [first]}\n"
    "  both: {of: d.tp+pp, join: parts}\n"
    "  inline: {of: d.tp+pp, join: parts, ordered: true}\n"
    "  level: {when: 'has(levels)', of: d.dp+cp, levels: levels}\n"
    "  size: {of: d.dp+cp, runs: n, each: {n: '[2, 3]'}}\n"
    "  only: {when: parts > 2, of: d.dp, cut: parts}\n"
    "coordinates:\n"
    "  turned: [{when: parts > 2, of: d, index: [dp]},\n"
    "           {of: d, index: [cp, dp]}]\n";

static const struct {
    const char *request, *list, *want;
} worked[] = {
    /* the string is innermost first, its ends stand outermost */
    { "world: 8\nsizes: {tp: 2, pp: 2}\n", "d.tp",
      "[[0,1],[2,3],[4,5],[6,7]]" },
    { "world: 8\nsizes: {tp: 2, pp: 2}\n", "d.pp",
      "[[0,4],[1,5],[2,6],[3,7]]" },
    { "world: 8\nsizes: {tp: 2, pp: 2}\norder: pp-dp-cp-ep-tp\n", "d.tp",
      "[[0,4],[1,5],[2,6],[3,7]]" },
    { "world: 8\nsizes: {tp: 2, pp: 2}\norder: PP-dp-cp-ep-TP\n", "d.pp",
      "[[0,1],[2,3],[4,5],[6,7]]" },
    /* a list is outermost first */
    { "world: 8\nsizes: {tp: 2, pp: 2}\norder: [tp, dp, pp]\n", "d.tp",
      "[[0,4],[1,5],[2,6],[3,7]]" },
    /* an axis of 1 need not be named */
    { "world: 8\nsizes: {tp: 2}\norder: dp-tp-pp\n", "d.tp",
      "[[0,4],[1,5],[2,6],[3,7]]" },
    /* what stands behind ep is coarser, as the string turns outward */
    { "world: 8\nsizes: {ep: 2}\n", "e.ep", "[[0,1],[2,3],[4,5],[6,7]]" },
    { "world: 8\nsizes: {ep: 2}\n", "e.fixed", "[[0,2],[1,3],[4,6],[5,7]]" },
    { "world: 8\nsizes: {ep: 2}\norder: dp-ep-tp-cp-pp\n", "e.fixed",
      "[[0,4],[1,5],[2,6],[3,7]]" },

    { "world: 8\nsizes: {tp: 2}\n", "half", "[[0,2],[1,3],[4,6],[5,7]]" },
    { "world: 8\nsizes: {tp: 2}\n", "mixed", "[[0,4],[1,5],[2,6],[3,7]]" },
    { "world: 8\nsizes: {tp: 2}\n", "short", "[[0,2,4],[1,3,5],[6],[7]]" },
    { "world: 8\nsizes: {pp: 4}\n", "ends", "[[0,6],[1,7]]" },
    { "world: 4\n", "ends", "[[0],[1],[2],[3]]" },
    { "world: 8\nsizes: {tp: 2}\n", "front", "[[0],[1],[4],[5]]" },
    { "world: 8\nsizes: {tp: 2, pp: 2}\n", "both", "[[0,1,2,3,4,5,6,7]]" },
    { "world: 8\nsizes: {tp: 2, pp: 2}\n", "inline", "[[0,1,4,5,2,3,6,7]]" },
    { "world: 8\noptions: {levels: [2, 4]}\n", "level0",
      "[[0,1],[2,3],[4,5],[6,7]]" },
    { "world: 8\noptions: {levels: [2, 4]}\n", "level1",
      "[[0,2,4,6],[1,3,5,7]]" },
    { "world: 6\n", "size2", "[[0,1],[2,3],[4,5]]" },
    { "world: 8\n", "size3", "[[0,1,2],[3,4,5],[6,7]]" },
    { "world: 6\noptions: {parts: 3}\n", "only", "[[0,1],[2,3],[4,5]]" },
    { "world: 8\n", "only", "[]" },
    { "world: 8\n", "level0", "[]" },
    { "world: 8\noptions: {levels: [2, 4]}\n", "level2", "[]" },
    { "world: 6\n", "size4", "[]" },
};

static void ask_for(struct asked *a, const char *request,
                    const struct verdict_wants *wants)
{
    ck_assert_msg(ask(a, folded, NULL, request, wants), "%s", a->err.text);
    ck_assert_msg(check_accepts(a->check), "%s", asked_json(a));
}

START_TEST(a_list_is_laid_out_as_declared)
{
    const struct verdict_wants wants = { .lists = &worked[_i].list,
                                         .n_lists = 1 };
    char want[512];
    struct asked a;

    ask_for(&a, worked[_i].request, &wants);
    (void)snprintf(want, sizeof(want), "\"lists\":{\"%s\":%s}", worked[_i].list,
                   worked[_i].want);
    ck_assert_has(asked_json(&a), want);
    asked_close(&a);
}
END_TEST

START_TEST(a_coordinate_counts_in_the_order_of_its_index)
{
    const struct verdict_wants wants = { .per_rank = true,
                                         .assignment = true,
                                         .rank = 3 };
    struct asked a;

    ask_for(&a, "world: 8\nsizes: {tp: 2, cp: 2}\n", &wants);
    /* dp 0 0 0 0 1 1 1 1, cp 0 0 1 1 0 0 1 1: cp * 2 + dp */
    ck_assert_has(asked_json(&a), "\"turned\":[0,0,2,2,1,1,3,3]");
    ck_assert_has(asked_json(&a),
                  "\"coordinates\":{\"pp\":0,\"d.dp\":0,\"cp\":1,\"tp\":1,"
                  "\"e.dp\":1,\"e.fixed\":1,\"ep\":0,\"turned\":2}");
    asked_close(&a);
    ask_for(&a, "world: 16\nsizes: {tp: 2, cp: 2}\noptions: {parts: 4}\n",
            &wants);
    ck_assert_has(asked_json(&a),
                  "\"turned\":[0,0,0,0,1,1,1,1,2,2,2,2,3,3,3,3]");
    asked_close(&a);
}
END_TEST

/* What cannot be laid out is refused, whatever the rules say. */
static const struct {
    const char *request, *subject;
} undefined[] = {
    { "world: 6\nsizes: {tp: 2}\n", "half" },             /* 3 in 2 parts */
    { "world: 8\noptions: {levels: [2, 2]}\n", "level" }, /* 4 is not 8 */
    { "world: 8\noptions: {levels: [2, x]}\n", "level" },
    { "world: 8\noptions: {parts: 0}\n", "half" },
};

/* A size that is computed from no undefined name, though it speaks of one. */
START_TEST(a_size_that_none_can_have_is_said_with_its_value)
{
    struct asked a;

    ck_assert(ask(&a,
                  "runtime: r\nrequest: world\naxes: [{name: a}]\n"
                  "derive: {third: world / 3}\n"
                  "views: {v: [a, {rest: 'world > 1 ? 0 : third'}]}\n",
                  NULL, "world: 4\nsizes: {a: 4}\n", NULL));
    ck_assert_str_eq(asked_text(&a, "findings", 0, "equation"),
                     "world > 1 ? 0 : third = 0");
    asked_close(&a);
}
END_TEST

START_TEST(a_list_that_cannot_be_made_is_refused)
{
    struct asked a;

    ck_assert_msg(ask(&a, folded, NULL, undefined[_i].request, NULL), "%s",
                  a.err.text);
    ck_assert_str_eq(asked_text(&a, "findings", 0, "code"), "runtime.inexact");
    ck_assert_str_eq(asked_text(&a, "findings", 0, "subject"),
                     undefined[_i].subject);
    asked_close(&a);
}
END_TEST

START_TEST(a_family_has_no_list_without_a_number)
{
    static const char *const names[] = { "size", "size02", "size2x", "size-2",
                                         "size12345678901" };
    struct verdict_wants wants = { .n_lists = 1 };
    struct asked a;

    wants.lists = &names[_i];
    ck_assert(!ask(&a, folded, NULL, "world: 4\n", &wants));
    ck_assert_int_eq(a.err.status, STATUS_UNKNOWN_NAME);
    asked_close(&a);
}
END_TEST

/* Every list of a family is created, and a list too short for a group is not.
 */
START_TEST(a_family_is_created_as_a_whole)
{
    const struct verdict_wants wants = { .creation = true };
    char runtime[sizeof(folded) + 64];
    struct asked a;

    (void)snprintf(runtime, sizeof(runtime),
                   "%screate: [{list: size}, {list: short}]\n", folded);
    ck_assert_msg(ask(&a, runtime, NULL, "world: 4\n", &wants), "%s",
                  a.err.text);
    ck_assert_has(asked_json(&a),
                  "\"creation\":["
                  "{\"list\":\"size2\",\"backend\":\"device\",\"ranks\":[0,1]},"
                  "{\"list\":\"size2\",\"backend\":\"device\",\"ranks\":[2,3]},"
                  "{\"list\":\"size3\",\"backend\":\"device\","
                  "\"ranks\":[0,1,2]}]");
    asked_close(&a);
}
END_TEST

/* ---- parts of a world ---------------------------------------------------- */

/* Ranks that work, and spare ones behind them, if there are any. */
static const char parted[] =
    "runtime: r\n"
    "request: world\n"
    "axes: [{name: a}, {name: b}]\n"
    "options: {spare: {type: int, default: 0}, begin: {type: int}}\n"
    "views:\n"
    "  work: {axes: [a, b], span: world - spare}\n"
    "  rest: {when: spare > 0, axes: [{rank: spare}], span: spare,\n"
    "         first: 'has(begin) ? begin : world - spare'}\n"
    "groups:\n"
    "  pairs: {when: spare > 0, of: rest.rank, cut: spare / 2}\n"
    "coordinates: {turned: {of: work, index: [b, a]}}\n"
    "rules:\n"
    "  - {code: far, when: spare > 0,\n"
    "     refuse: 'lists(\"rest.rank\").exists(g, g.last == 9)'}\n"
    "create: [{list: b}, {list: pairs}]\n";

START_TEST(a_view_covers_the_part_of_the_world_that_it_names)
{
    static const char *const lists[] = { "work.a", "rank", "pairs" };
    const struct verdict_wants wants = { .lists = lists,
                                         .n_lists = 3,
                                         .per_rank = true,
                                         .creation = true,
                                         .assignment = true,
                                         .rank = 5 };
    struct asked a;

    ck_assert_msg(ask(&a, parted, NULL,
                      "world: 8\nsizes: {a: 2, b: 2}\noptions: {spare: 4}\n",
                      &wants),
                  "%s", a.err.text);
    ck_assert_has(asked_json(&a),
                  "\"lists\":{\"work.a\":[[0,2],[1,3]],\"rank\":[[4,5,6,7]],"
                  "\"pairs\":[[4,5],[6,7]]}");
    ck_assert_has(asked_json(&a), "\"work.b\":[0,1,0,1,null,null,null,null],"
                                  "\"rest.rank\":[null,null,null,null,0,1,2,3],"
                                  "\"turned\":[0,2,1,3,null,null,null,null]");
    ck_assert_has(asked_json(&a),
                  "{\"list\":\"b\",\"backend\":\"device\",\"ranks\":[2,3]},"
                  "{\"list\":\"pairs\",\"backend\":\"device\","
                  "\"ranks\":[4,5]}");
    asked_close(&a);
}
END_TEST

/* code NULL: accepted. */
static const struct {
    const char *request, *code;
} extents[] = {
    { "world: 4\nsizes: {a: 2, b: 2}\n", NULL }, /* there is no rest */
    { "world: 4\nsizes: {a: 2}\n", "view.product" },
    { "world: 4\nsizes: {a: 2, b: 2}\noptions: {spare: 2}\n", "view.product" },
    { "world: 4\nsizes: {a: 2}\noptions: {spare: 2, begin: 2}\n", NULL },
    { "world: 4\nsizes: {a: 2}\noptions: {spare: 2, begin: 3}\n",
      "runtime.inexact" },
    { "world: 4\nsizes: {a: 2}\noptions: {spare: 2, begin: -1}\n",
      "runtime.inexact" },
    { "world: 10\nsizes: {a: 8}\noptions: {spare: 2}\n", "far" },
};

START_TEST(a_part_lies_within_the_world)
{
    struct asked a;

    ck_assert_msg(ask(&a, parted, NULL, extents[_i].request, NULL), "%s",
                  a.err.text);
    ck_assert_msg(check_accepts(a.check) == (extents[_i].code == NULL), "%s",
                  asked_json(&a));
    if (extents[_i].code != NULL)
        ck_assert_str_eq(asked_text(&a, "findings", 0, "code"),
                         extents[_i].code);
    asked_close(&a);
}
END_TEST

static Suite *layout_suite(void)
{
    Suite *suite = suite_create("layout");
    TCase *tcase = tcase_create("declared");

    tcase_add_loop_test(tcase, a_list_is_laid_out_as_declared, 0,
                        ARRAY_LEN(worked));
    tcase_add_test(tcase, a_coordinate_counts_in_the_order_of_its_index);
    tcase_add_test(tcase, a_size_that_none_can_have_is_said_with_its_value);
    tcase_add_loop_test(tcase, a_list_that_cannot_be_made_is_refused, 0,
                        ARRAY_LEN(undefined));
    tcase_add_loop_test(tcase, a_family_has_no_list_without_a_number, 0, 5);
    tcase_add_test(tcase, a_family_is_created_as_a_whole);
    tcase_add_test(tcase, a_view_covers_the_part_of_the_world_that_it_names);
    tcase_add_loop_test(tcase, a_part_lies_within_the_world, 0,
                        ARRAY_LEN(extents));
    suite_add_tcase(suite, tcase);
    return suite;
}

int main(void)
{
    return tap_run(layout_suite());
}
