/* SPDX-License-Identifier: Apache-2.0 */
/* Worlds with gaps: kept, renumbered or refused, as runtime and request say. */
#include "placement/alternatives.h"

#include "tests/placement/check_fixture.h"

static const char model[] = "model: m\nnodes: [{name: x}, {name: y}]\n";

#define RUNTIME "runtime: r\naxes: [{name: a, field: a}]\n"
#define DENSE "rules: [{check: dense_ranks, code: gap}]\n"
#define ALONE                                                                  \
    "model: m\nnode_groups: [{node_names: [x], ranks: [3, 9]},"                \
    " {node_names: [y], ranks: [9, 20, 21]}]\n"
#define TOGETHER                                                               \
    "model: m\nnode_groups: [{node_names: [x], ranks: [3, 9], a: 2},"          \
    " {node_names: [y], ranks: [9, 20, 21]}]\n"
#define MADE_DENSE                                                             \
    "\"set\":{\"node_groups[0].ranks\":[0,1],"                                 \
    "\"node_groups[1].ranks\":[1,2,3]}"

/* clang-format off */
static const struct {
    const char *runtime, *request;
    const char *verdict, *code; /* verdict NULL: err has code */
    const char *has, *has_not;  /* in the verdict; NULL: anything */
} rows[] = {
    /* kept, unless a rule needs them dense */
    { RUNTIME, ALONE, "accept", "", "\"ranks\":[20]", "renumbered" },
    { RUNTIME, TOGETHER, "accept", "", "\"ranks\":[3,9]", "renumbered" },
    { RUNTIME DENSE, ALONE, "accept", "", "\"ranks\":[3]", "renumbered" },
    { RUNTIME DENSE, TOGETHER, "refuse", "gap", MADE_DENSE, "renumbered" },
    { RUNTIME "sparse: keep\n", TOGETHER, "accept", "", "\"ranks\":[3,9]",
      "renumbered" },
    /* renumbered, by either */
    { RUNTIME "sparse: renumber\n" DENSE, TOGETHER, "accept", "",
      "\"renumbered\":{\"ranks\":4,\"runs\":[{\"from\":3,\"to\":0,\"count\":1}"
      ",{\"from\":9,\"to\":1,\"count\":1},{\"from\":20,\"to\":2,\"count\":2}],"
      "\"n_runs\":3}", "\"ranks\":[20]" },
    { RUNTIME DENSE, TOGETHER "sparse: renumber\n", "accept", "",
      "\"groups\":{\"a\":[[0,1]]}", "\"ranks\":[9]" },
    { RUNTIME, "model: m\nsparse: renumber\nnode_groups: [{node_names: [x],"
      " ranks: [24, 8, 4, 20, 16, 0, 12]}, {node_names: [y], ranks: [2]}]\n",
      "accept", "", "\"runs\":[{\"from\":0,\"to\":0,\"count\":3,\"stride\":2},"
      "{\"from\":8,\"to\":3,\"count\":5,\"stride\":4}]", NULL },
    { RUNTIME "sparse: renumber\n", "model: m\nnode_groups: [{node_names:"
      " [x, y], ranks: [0, 1]}]\n", "accept", "", NULL, "renumbered" },
    /* what is no rank is refused as ever, and in the request's numbers */
    { RUNTIME "sparse: renumber\n", "model: m\nnode_groups: [{node_names:"
      " [x, y], ranks: [-1, 5]}]\n", "refuse", "ranks.negative", "-1",
      "renumbered" },
    { RUNTIME "sparse: renumber\n", "model: m\nnode_groups: [{node_names:"
      " [x, y], ranks: []}]\n", "refuse", "ranks.empty", NULL, "renumbered" },
    { RUNTIME "sparse: renumber\n", "model: m\nnode_groups: [{node_names:"
      " [x, y], ranks: [20, 7, 7]}]\n", "refuse", "ranks.duplicate",
      "\"set\":{\"node_groups[0].ranks\":[20,7]}", NULL },
    /* refused, by either, whether or not a rule looks at it */
    { RUNTIME "sparse: refuse\n", ALONE, "refuse", "ranks.sparse", MADE_DENSE,
      "renumbered" },
    { RUNTIME "sparse: refuse\n" DENSE, ALONE, "refuse", "ranks.sparse",
      MADE_DENSE, NULL },
    { RUNTIME "sparse: refuse\n" DENSE, TOGETHER, "refuse", "gap", MADE_DENSE,
      NULL },
    { RUNTIME, ALONE "sparse: refuse\n", "refuse", "ranks.sparse", MADE_DENSE,
      NULL },
    { RUNTIME "sparse: refuse\n", ALONE "sparse: renumber\n", "accept", "",
      "\"to\":2", NULL },
    { RUNTIME "sparse: refuse\n", "model: m\nnode_groups: [{node_names: [x],"
      " ranks: [0, 1]}, {node_names: [y], ranks: [2]}]\n", "accept", "", NULL,
      NULL },
    /* what a runtime allows */
    { RUNTIME "sparse: renumber\n", ALONE "sparse: keep\n", NULL,
      "under r the ranks of a sparse world may renumber or refuse, not keep",
      NULL, NULL },
    { RUNTIME "sparse: {usual: keep, allow: [refuse]}\n",
      ALONE "sparse: renumber\n", NULL, "may keep or refuse, not renumber",
      NULL, NULL },
    { RUNTIME "sparse: {usual: refuse, allow: []}\n", ALONE, "refuse",
      "ranks.sparse", "use 0 to 3\"", "ask for" },
    { RUNTIME "sparse: {usual: refuse, allow: [keep]}\n",
      ALONE "sparse: keep\n", "accept", "", NULL, NULL },
    { RUNTIME "sparse: drop\n", ALONE, NULL, "keep, renumber or refuse, not "
      "\"drop\"", NULL, NULL },
    { RUNTIME "sparse: {usual: keep}\n", ALONE, NULL, "allow", NULL, NULL },
    { RUNTIME "sparse: {usual: keep, allow: [1]}\n", ALONE, NULL, "string",
      NULL, NULL },
    { RUNTIME, ALONE "sparse: 1\n", NULL, "sparse", NULL, NULL },
};
/* clang-format on */

START_TEST(a_sparse_world_is_kept_renumbered_or_refused)
{
    struct asked a;
    bool asked = ask(&a, rows[_i].runtime, model, rows[_i].request, NULL);
    const char *json = asked_json(&a);
    const struct tree *verdict;

    if (rows[_i].verdict == NULL) {
        ck_assert_msg(!asked, "row %d: %s", _i, json);
        ck_assert_int_eq(a.err.status, STATUS_INVALID);
        ck_assert_has(a.err.text, rows[_i].code);
        asked_close(&a);
        return;
    }
    ck_assert_msg(asked, "row %d: %s", _i, a.err.text);
    verdict = tree_get(a.verdict, "verdict");
    ck_assert_msg(strcmp(verdict->text, rows[_i].verdict) == 0, "row %d: %s",
                  _i, json);
    ck_assert_msg(
        strcmp(asked_text(&a, "findings", 0, "code"), rows[_i].code) == 0,
        "row %d: %s", _i, json);
    if (rows[_i].has != NULL)
        ck_assert_has(json, rows[_i].has);
    if (rows[_i].has_not != NULL)
        ck_assert_msg(strstr(json, rows[_i].has_not) == NULL, "row %d: %s", _i,
                      json);
    asked_close(&a);
}
END_TEST

/* Where the new numbers are too many to be written out, it is offered to ask
 * for them. */
START_TEST(a_large_sparse_world_is_offered_to_be_renumbered)
{
    struct text request = { 0 };
    struct asked a;

    text_put(&request, "model: m\nnode_groups: [{node_names: [x, y], a: 2, "
                       "ranks: [");
    for (int i = 0; i < 5000; i++)
        text_printf(&request, "%s%d", i > 0 ? ", " : "", 3 * i);
    text_put(&request, "]}]\n");
    ck_assert(ask(&a, RUNTIME DENSE, model, text_string(&request), NULL));
    ck_assert_str_eq(asked_text(&a, "findings", 0, "code"), "gap");
    ck_assert_has(asked_json(&a),
                  "{\"set\":{\"sparse\":\"renumber\"},\"changes\":1,\"say\":"
                  "\"the ranks numbered from 0 on\"}");
    asked_close(&a);
    ck_assert(ask(&a, RUNTIME DENSE "sparse: {usual: keep, allow: []}\n", model,
                  text_string(&request), NULL));
    ck_assert_ptr_null(strstr(asked_json(&a), "\"sparse\":"));
    asked_close(&a);
    text_close(&request);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("sparse");
    TCase *tcase = tcase_create("sparse");

    tcase_add_loop_test(tcase, a_sparse_world_is_kept_renumbered_or_refused, 0,
                        (int)ARRAY_LEN(rows));
    tcase_add_test(tcase, a_large_sparse_world_is_offered_to_be_renumbered);
    suite_add_tcase(suite, tcase);
    return tap_run(suite);
}
