/* SPDX-License-Identifier: Apache-2.0 */
/* Deployments: what is loaded of a request, and every mistake in one. */
#include "placement/deployment.h"

#include "tests/placement/check_fixture.h"

static const char runtime_text[] =
    "runtime: r\n"
    "axes: [{name: a, field: a_size}, {name: b}]\n"
    "options: {mode: {type: string, field: run_mode}, level: {type: int}}\n"
    "carry: {length: {type: int}, extra: {type: map},"
    " node_groups.keep: {type: string}}\n";

/* clang-format off */
static const struct malformed_text malformed[] = {
    { "not a map",
      "[1]\n",
      "line 1, column 1",
      "expected a map, found a list" },
    { "model no string",
      "model: 3\n"
      "node_groups: [{node_names: [x], ranks: [0]}]\n",
      "line 1, column 8",
      "model: expected a string, found an integer" },
    { "node_groups no list",
      "node_groups: {a: 1}\n",
      "line 1, column 14",
      "node_groups: expected a list, found a map" },
    { "group no map",
      "node_groups: [x]\n",
      "line 1, column 15",
      "node_groups[0]: expected a map, found a string" },
    { "node_names of a number",
      "node_groups: [{node_names: 3, ranks: [0]}]\n",
      "line 1, column 28",
      "node_groups[0].node_names: expected a string or a list," },
    { "node_names with a number",
      "node_groups: [{node_names: [3], ranks: [0]}]\n",
      "line 1, column 29",
      "node_groups[0].node_names[0]: expected a string, found an integer" },
    { "node_names with an empty name",
      "node_groups: [{node_names: [''], ranks: [0]}]\n",
      "line 1, column 30",
      "node_groups[0].node_names[0]: a name may not be empty" },
    { "ranks no list",
      "node_groups: [{node_names: [x], ranks: 0}]\n",
      "line 1, column 40",
      "node_groups[0].ranks: expected a list, found an integer" },
    { "rank a string",
      "node_groups: [{node_names: [x], ranks: [zero]}]\n",
      "line 1, column 41",
      "node_groups[0].ranks[0]: expected an integer, found a string" },
    { "rank a fraction",
      "node_groups: [{node_names: [x], ranks: [0.5]}]\n",
      "line 1, column 41",
      "node_groups[0].ranks[0]: expected an integer, found a number" },
    { "rank null",
      "node_groups: [{node_names: [x], ranks: [null]}]\n",
      "line 1, column 41",
      "node_groups[0].ranks[0]: expected an integer, found nothing" },
    { "ranks and count",
      "node_groups: [{node_names: [x], ranks: [0], count:"
      " 1}]\n",
      "line 1, column 52",
      "node_groups[0].count: either ranks or count, not both" },
    { "negative count",
      "node_groups: [{node_names: [x], count: -1}]\n",
      "line 1, column 40",
      "node_groups[0].count: -1 ranks; a count is from" },
    { "count too large",
      "node_groups: [{node_names: [x], count: 1048577}]\n",
      "line 1, column 40",
      "node_groups[0].count: 1048577 ranks; a count is from" },
    { "count a string",
      "node_groups: [{node_names: [x], count: all}]\n",
      "line 1, column 40",
      "node_groups[0].count: expected an integer, found a string" },
    { "size a string",
      "node_groups: [{node_names: [x], ranks: [0], a_size:"
      " two}]\n",
      "line 1, column 53",
      "node_groups[0].a_size: expected an integer, found a string" },
    { "size a fraction",
      "node_groups: [{node_names: [x], ranks: [0], a_size:"
      " 2.0}]\n",
      "line 1, column 53",
      "node_groups[0].a_size: expected an integer, found a number" },
    { "size a boolean",
      "node_groups: [{node_names: [x], ranks: [0], a_size:"
      " true}]\n",
      "line 1, column 53",
      "node_groups[0].a_size: expected an integer, found true or" },
    { "size twice",
      "node_groups: [{node_names: [x], ranks: [0], a_size:"
      " 2, sizes: {a: 2}}]\n",
      "line 1, column 67",
      "node_groups[0].sizes.a: the size of a is given" },
    { "size twice in sizes",
      "node_groups: [{node_names: [x], ranks: [0], sizes:"
      " {a: 2, a_size: 2}}]\n",
      "line 1, column 67",
      "node_groups[0].sizes.a_size: the size of a is given" },
    { "option twice",
      "node_groups: [{node_names: [x], ranks: [0]}]\n"
      "options: {mode: fast, run_mode: slow}\n",
      "line 2, column 33",
      "options.run_mode: the option mode is given twice" },
    { "sizes no map",
      "node_groups: [{node_names: [x], ranks: [0], sizes:"
      " [2]}]\n",
      "line 1, column 52",
      "node_groups[0].sizes: expected a map, found a list" },
    { "walks a number",
      "node_groups: [{node_names: [x], ranks: [0],"
      " graph_walks: 3}]\n",
      "line 1, column 58",
      "node_groups[0].graph_walks: expected a string or a list," },
    { "carried key of another type",
      "length: long\n"
      "node_groups: [{node_names: [x], ranks: [0]}]\n",
      "line 1, column 9",
      "length: expected an integer, found a string" },
    { "carried map that is a list",
      "extra: [1]\n"
      "node_groups: [{node_names: [x], ranks: [0]}]\n",
      "line 1, column 8",
      "extra: expected a map, found a list" },
    { "carried key of a group",
      "node_groups: [{node_names: [x], ranks: [0], keep: 3}]\n",
      "line 1, column 51",
      "node_groups[0].keep: expected a string, found an integer" },
    { "options no map",
      "options: [mode]\n"
      "node_groups: [{node_names: [x], ranks: [0]}]\n",
      "line 1, column 10",
      "options: expected a map, found a list" },
    { "option of another type",
      "options: {mode: 3}\n"
      "node_groups: [{node_names: [x], ranks: [0]}]\n",
      "line 1, column 17",
      "options.mode: expected a string, found an integer" },
    { "option int a string",
      "options: {level: high}\n"
      "node_groups: [{node_names: [x], ranks: [0]}]\n",
      "line 1, column 18",
      "options.level: expected an integer, found a string" },
    { "world a string",
      "world: all\n",
      "line 1, column 8",
      "world: expected an integer, found a string" },
};
/* clang-format on */

static const struct runtime *make_runtime(struct arena *arena, const char *text)
{
    struct error err = { 0 };
    const struct tree *document = read_yaml(arena, "runtime", text, &err);
    const struct runtime *rt =
        document != NULL ? runtime_load(arena, document, &err) : NULL;

    ck_assert_msg(rt != NULL, "%s", err.text);
    return rt;
}

static const struct deployment *load(struct arena *arena, const char *text,
                                     struct error *err)
{
    const struct runtime *rt = make_runtime(arena, runtime_text);
    const struct tree *document = read_yaml(arena, "file", text, err);

    return document != NULL ? deployment_load(arena, rt, document, err) : NULL;
}

START_TEST(a_mistake_is_refused_with_its_place)
{
    struct arena *arena = arena_new(16 << 20);
    struct error err = { 0 };

    ck_assert_malformed(&malformed[_i], load(arena, malformed[_i].text, &err),
                        &err);
    arena_free(arena);
}
END_TEST

START_TEST(a_request_is_loaded_as_it_is_written)
{
    struct arena *arena = arena_new(16 << 20);
    struct error err = { 0 };
    const struct deployment *dep =
        load(arena,
             "deployment: mine\nmodel: m\nlength: 8\n"
             "options: {mode: fast, level: 3}\n"
             "node_groups:\n"
             "  - {node_names: [x, y], ranks: [3, 2], a_size: 0,"
             " sizes: {b: -2}}\n"
             "  - {node_names: z, count: 3, graph_walks: [go], keep: it}\n"
             "  - {node_names: null}\n"
             "wrld: 3\n",
             &err);

    ck_assert_msg(dep != NULL, "%s", err.text);
    ck_assert_str_eq(dep->name, "mine");
    ck_assert_uint_eq(dep->n_groups, 3);
    ck_assert_int_eq(dep->groups[0].ranks[0], 3);
    ck_assert(dep->groups[0].sizes[0].has);
    ck_assert_int_eq(dep->groups[0].sizes[1].value, -2);
    ck_assert(dep->groups[0].all_walks);
    ck_assert_str_eq(dep->groups[1].node_names[0], "z");
    ck_assert_int_eq(dep->groups[1].ranks[0], 4);
    ck_assert_uint_eq(dep->groups[1].n_ranks, 3);
    ck_assert(!dep->groups[1].all_walks);
    ck_assert(!dep->groups[2].has_ranks);
    ck_assert_uint_eq(dep->n_unknown, 1);
    ck_assert_str_eq(dep->unknown[0].at->key, "wrld");
    arena_free(arena);
}
END_TEST

START_TEST(what_is_near_an_unknown_option_is_said_of_it_alone)
{
    struct arena *arena = arena_new(16 << 20);
    struct error err = { 0 };
    struct text text = { 0 };
    const struct deployment *dep;

    dep = load(arena, "node_groups: []\noptions: {run_mod: x}\n", &err);
    ck_assert_msg(dep != NULL, "%s", err.text);
    ck_assert_str_eq(dep->unknown[0].nearest, "run_mode");
    text_put(&text, "node_groups: []\n");
    for (int i = 0; i < DEPLOYMENT_UNKNOWN_MAX; i++)
        text_printf(&text, "zzzzzzzz%d: 1\n", i);
    text_put(&text, "options: {run_mod: x}\n");
    dep = load(arena, text_string(&text), &err);
    ck_assert_msg(dep != NULL, "%s", err.text);
    ck_assert_uint_eq(dep->n_unknown, DEPLOYMENT_UNKNOWN_MAX);
    ck_assert_ptr_null(dep->unknown[DEPLOYMENT_UNKNOWN_MAX - 1].nearest);
    text_close(&text);
    arena_free(arena);
}
END_TEST

START_TEST(a_request_is_called_as_its_model_by_default)
{
    struct arena *arena = arena_new(16 << 20);
    struct error err = { 0 };
    const struct deployment *dep =
        load(arena, "model: m\nnode_groups: []\n", &err);

    ck_assert_msg(dep != NULL, "%s", err.text);
    ck_assert_str_eq(dep->name, "m");
    ck_assert(dep->has_groups);
    ck_assert(!dep->spans);
    arena_free(arena);
}
END_TEST

START_TEST(a_world_is_one_group)
{
    struct arena *arena = arena_new(16 << 20);
    struct error err = { 0 };
    const struct runtime *rt =
        make_runtime(arena, "runtime: w\naxes: [{name: a}]\nrequest: world\n");
    const struct tree *document =
        read_yaml(arena, "file", "world: 8\nsizes: {a: 8}\n", &err);
    const struct deployment *dep = deployment_load(arena, rt, document, &err);

    ck_assert_msg(dep != NULL, "%s", err.text);
    ck_assert(dep->spans);
    ck_assert_uint_eq(dep->n_groups, 1);
    ck_assert_uint_eq(dep->groups[0].n_ranks, 8);
    ck_assert_int_eq(dep->groups[0].sizes[0].value, 8);
    document = read_yaml(arena, "file", "world: 1048577\n", &err);
    ck_assert_ptr_null(deployment_load(arena, rt, document, &err));
    ck_assert_has(err.text, "world: a world has at most 1048576 ranks");
    arena_free(arena);
}
END_TEST

START_TEST(an_edit_leaves_the_request_as_it_was)
{
    static const int64_t ranks[] = { 7, 8 };
    const struct edit edits[] = {
        { .kind = EDIT_SIZE, .group = 0, .index = 1, .value = 4 },
        { .kind = EDIT_RANKS, .group = 1, .ranks = ranks, .n_ranks = 2 },
        { .kind = EDIT_WALKS, .group = 1 },
    };
    struct arena *arena = arena_new(16 << 20);
    struct error err = { 0 };
    const struct deployment *dep =
        load(arena,
             "node_groups: [{node_names: [x], ranks: [0], b: 2},"
             " {node_names: [y], ranks: [1], graph_walks: [go]}]\n",
             &err);
    const struct deployment *other =
        deployment_edit(arena, dep, edits, ARRAY_LEN(edits));

    ck_assert_ptr_nonnull(other);
    ck_assert_int_eq(other->groups[0].sizes[1].value, 4);
    ck_assert_int_eq(other->groups[1].ranks[1], 8);
    ck_assert_uint_eq(other->groups[1].n_ranks, 2);
    ck_assert(other->groups[1].all_walks);
    ck_assert_int_eq(dep->groups[0].sizes[1].value, 2);
    ck_assert_uint_eq(dep->groups[1].n_ranks, 1);
    ck_assert(!dep->groups[1].all_walks);
    arena_free(arena);
}
END_TEST

START_TEST(groups_have_a_bound)
{
    struct arena *arena = arena_new(64 << 20);
    struct error err = { 0 };
    struct text text = { 0 };

    text_put(&text, "node_groups:\n");
    for (int i = 0; i <= DEPLOYMENT_GROUPS_MAX; i++)
        text_put(&text, "  - {node_names: [x], ranks: [0]}\n");
    ck_assert_ptr_null(load(arena, text_string(&text), &err));
    ck_assert_has(err.text, "4097 node groups; at most 4096 are read");
    text_close(&text);
    arena_free(arena);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("deployment");
    TCase *tc = tcase_create("load");

    tcase_add_loop_test(tc, a_mistake_is_refused_with_its_place, 0,
                        ARRAY_LEN(malformed));
    tcase_add_test(tc, a_request_is_loaded_as_it_is_written);
    tcase_add_test(tc, what_is_near_an_unknown_option_is_said_of_it_alone);
    tcase_add_test(tc, a_request_is_called_as_its_model_by_default);
    tcase_add_test(tc, a_world_is_one_group);
    tcase_add_test(tc, an_edit_leaves_the_request_as_it_was);
    tcase_add_test(tc, groups_have_a_bound);
    suite_add_tcase(suite, tc);
    return tap_run(suite);
}
