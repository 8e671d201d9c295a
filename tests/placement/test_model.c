/* SPDX-License-Identifier: Apache-2.0 */
/* Models: what is loaded of a declaration, and every mistake in one. */
#include "placement/model.h"

#include "tests/placement/check_fixture.h"

#define NAME "model: m\n"
#define NODES NAME "nodes: [{name: x}, {name: y}]\n"
#define WALK NODES "walks: [{name: w, nodes: [x]}]\n"

static const char whole[] =
    "model: whole\n"
    "runtime: r\n"
    "about: everything that a declaration may say\n"
    "facts: {heads: 24, kv_heads: [8, 4], mla: true, knots: 0}\n"
    "nodes:\n"
    "  - {name: x, axes: {a: {most: 2}}, facts: {heads: 12}}\n"
    "  - {name: y}\n"
    "walks:\n"
    "  - {name: go, nodes: [x, y], signals: [{from: x, to: y, name: s},"
    " {from: y, to: client, name: t}, {from: y, name: u}]}\n"
    "  - {name: stop, nodes: [y], when_placed: [x, y]}\n"
    "streams: [{signal: s, to: y}]\n"
    "resources: [{key: cache, kind: paged, nodes: [x, y], splits: [a]},"
    " {key: bare, nodes: x}]\n"
    "shard_dim: {s: 1, t: null}\n"
    "combined_walks: [{node: y, name: joint, walks: [go, stop]}]\n"
    "estimate: {load: {peak_gib: 22.5}}\n"
    "measured: [{sizes: {a: 2}, step_s: 3.5}]\n";

/* clang-format off */
static const struct malformed_text malformed[] = {
    { "stage that says nothing",
      NODES "estimate: {run: {when: a == 1}}\n",
      "line 3, column 17",
      "estimate.run: says nothing" },
    { "stage of an unknown key",
      NODES "estimate: {run: {peak: 3}}\n",
      "line 3, column 18",
      "estimate.run.peak: unknown key; known are when, weights_gib" },
    { "stage that is a number",
      NODES "estimate: {run: 3}\n",
      "line 3, column 17",
      "estimate.run: expected a map, found an integer" },
    { "estimate that is half an expression",
      NODES "estimate: {run: {weights_gib: 3 + / a}}\n",
      "line 3, column 35",
      "estimate.run.weights_gib: " },
    { "estimate of text",
      NODES "estimate: {run: {peak_gib: '\"much\"'}}\n",
      "line 3, column 29",
      "estimate.run.peak_gib: " },
    { "measured in no time",
      NODES "measured: [{sizes: {a: 2}, step_s: 0}]\n",
      "line 3, column 36",
      "measured[0].step_s: a step takes more than" },
    { "measured without sizes",
      NODES "measured: [{step_s: 1}]\n",
      "line 3, column 12",
      "measured[0]: the key sizes is missing" },
    { "measured with a size of 0",
      NODES "measured: [{sizes: {a: 0}, step_s: 1}]\n",
      "line 3, column 24",
      "measured[0].sizes.a: a size is 1 or more" },
    { "measured with a size of text",
      NODES "measured: [{sizes: {a: b}, step_s: 1}]\n",
      "line 3, column 24",
      "measured[0].sizes.a: expected an integer, found a string" },
    { "measured under a list",
      NODES "measured: [{sizes: {}, options: {o: [1]}, step_s: 1}]\n",
      "line 3, column 37",
      "measured[0].options.o: expected" },
    { "no name",
      "nodes: [{name: x}]\n",
      "line 1, column 1",
      "the key model is missing" },
    { "not a map",
      "[m]\n",
      "line 1, column 1",
      "expected a map, found a list" },
    { "unknown key",
      NODES "walsk: []\n",
      "line 3, column 1",
      "walsk: unknown key; the nearest known one" },
    { "nodes no list",
      NAME "nodes: {x: 1}\n",
      "line 2, column 8",
      "nodes: expected a list, found a map" },
    { "node without a name",
      NAME "nodes: [{axes: {a: {}}}]\n",
      "line 2, column 9",
      "nodes[0]: the key name is missing" },
    { "node that is a string",
      NAME "nodes: [x]\n",
      "line 2, column 9",
      "nodes[0]: expected a map, found a string" },
    { "node twice",
      NAME "nodes: [{name: x}, {name: x}]\n",
      "line 2, column 20",
      "nodes[1]: the node name \"x\" is used" },
    { "node of an empty name",
      NAME "nodes: [{name: ''}]\n",
      "line 2, column 17",
      "nodes[0].name: may not be empty" },
    { "node key",
      NAME "nodes: [{name: x, axis: {a: {}}}]\n",
      "line 2, column 19",
      "nodes[0].axis: unknown key; the nearest known one" },
    { "axes no map",
      NAME "nodes: [{name: x, axes: [a]}]\n",
      "line 2, column 25",
      "nodes[0].axes: expected a map, found a list" },
    { "axis no map",
      NAME "nodes: [{name: x, axes: {a: 2}}]\n",
      "line 2, column 29",
      "nodes[0].axes.a: expected a map, found an integer" },
    { "negative fact",
      NAME "facts: {heads: -1}\n"
      "nodes: [{name: x}]\n",
      "line 2, column 16",
      "facts.heads: -1 is no count; it is" },
    { "fact of which there is one at least",
      NAME "facts: {layers: [1, 0]}\n"
      "nodes: [{name: x}]\n",
      "line 2, column 21",
      "facts.layers[1]: 0 is no count; it is 1 or more" },
    { "negative fact of a runtime",
      NAME "facts: {knots: -1}\n"
      "nodes: [{name: x}]\n",
      "line 2, column 16",
      "facts.knots: -1 is no count" },
    { "fact that is a map",
      NAME "facts: {heads: {a: 1}}\n"
      "nodes: [{name: x}]\n",
      "line 2, column 16",
      "facts.heads: expected true or false, a number," },
    { "list of facts with a string",
      NAME "facts: {heads: [1, two]}\n"
      "nodes: [{name: x}]\n",
      "line 2, column 20",
      "facts.heads[1]: expected a number, found a string" },
    { "walk without nodes key",
      NODES "walks: [{name: w}]\n",
      "line 3, column 9",
      "walks[0]: the key nodes is missing" },
    { "walk without a name",
      NODES "walks: [{nodes: [x]}]\n",
      "line 3, column 9",
      "walks[0]: the key name is missing" },
    { "walk twice",
      NODES "walks: [{name: w, nodes: [x]}, {name: w, nodes: [y]}]\n",
      "line 3, column 32",
      "walks[1]: the walk name \"w\" is used" },
    { "walk of an unknown node",
      NODES "walks: [{name: w, nodes: [x, z]}]\n",
      "line 3, column 30",
      "walks[0].nodes[1]: \"z\" is not among the model's" },
    { "walk of a number",
      NODES "walks: [{name: w, nodes: [3]}]\n",
      "line 3, column 27",
      "walks[0].nodes[0]: expected a string, found an integer" },
    { "when_placed of an unknown node",
      NODES "walks: [{name: w, nodes: [x], when_placed: [z]}]\n",
      "line 3, column 45",
      "walks[0].when_placed[0]: \"z\" is not among the model's" },
    { "signal from an unknown node",
      NODES "walks: [{name: w, nodes: [x], signals: [{from: z, to:"
      " x, name: s}]}]\n",
      "line 3, column 48",
      "walks[0].signals[0].from: \"z\" is not among the model's" },
    { "signal without a name",
      NODES "walks: [{name: w, nodes: [x], signals: [{from: x, to:"
      " y}]}]\n",
      "line 3, column 41",
      "walks[0].signals[0]: the key name is missing" },
    { "signal key",
      NODES "walks: [{name: w, nodes: [x], signals: [{from: x,"
      " too: y, name: s}]}]\n",
      "line 3, column 51",
      "walks[0].signals[0].too: unknown key; the nearest known one" },
    { "stream to an unknown node",
      NODES "streams: [{signal: s, to: z}]\n",
      "line 3, column 27",
      "streams[0].to: \"z\" is not among the model's" },
    { "stream without signal",
      NODES "streams: [{to: x}]\n",
      "line 3, column 11",
      "streams[0]: the key signal is missing" },
    { "resource without a key",
      NODES "resources: [{nodes: [x]}]\n",
      "line 3, column 13",
      "resources[0]: the key key is missing" },
    { "resource twice",
      NODES "resources: [{key: k, nodes: [x]}, {key: k, nodes:"
      " [y]}]\n",
      "line 3, column 35",
      "resources[1]: the resource key \"k\" is used" },
    { "resource of an unknown node",
      NODES "resources: [{key: k, nodes: [z]}]\n",
      "line 3, column 30",
      "resources[0].nodes[0]: \"z\" is not among the model's" },
    { "resource without nodes",
      NODES "resources: [{key: k}]\n",
      "line 3, column 13",
      "resources[0]: the key nodes is missing" },
    { "splits no names",
      NODES "resources: [{key: k, nodes: [x], splits: [1]}]\n",
      "line 3, column 43",
      "resources[0].splits[0]: expected a string, found an integer" },
    { "combined of an unknown node",
      WALK "combined_walks: [{node: z, name: j, walks: [w]}]\n",
      "line 4, column 25",
      "combined_walks[0].node: \"z\" is not among the model's" },
    { "combined of an unknown walk",
      WALK "combined_walks: [{node: x, name: j, walks: [v]}]\n",
      "line 4, column 45",
      "combined_walks[0].walks[0]: \"v\" is not among the model's" },
    { "dimension negative",
      WALK "shard_dim: {s: -1}\n",
      "line 4, column 16",
      "shard_dim.s: a dimension is from 0 to" },
    { "dimension too large",
      WALK "shard_dim: {s: 16}\n",
      "line 4, column 16",
      "shard_dim.s: a dimension is from 0 to" },
    { "dimension a string",
      WALK "shard_dim: {s: first}\n",
      "line 4, column 16",
      "shard_dim.s: expected an integer, found a string" },
    { "runtime of the wrong type",
      NODES "runtime: 3\n",
      "line 3, column 10",
      "runtime: expected a string, found an integer" },
};
/* clang-format on */

static const struct model *load(struct arena *arena, const char *text,
                                struct error *err)
{
    const struct tree *document = read_yaml(arena, "file", text, err);

    return document != NULL ? model_load(arena, document, err) : NULL;
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

START_TEST(a_whole_declaration_is_loaded)
{
    struct arena *arena = arena_new(16 << 20);
    struct error err = { 0 };
    const struct model *model = load(arena, whole, &err);

    ck_assert_msg(model != NULL, "%s", err.text);
    ck_assert_str_eq(model->name, "whole");
    ck_assert_str_eq(model->runtime, "r");
    ck_assert_uint_eq(model->n_nodes, 2);
    ck_assert_int_eq(model_node(model, "y"), 1);
    ck_assert_int_eq(model_node(model, "z"), -1);
    ck_assert_uint_eq(model->n_walks, 2);
    ck_assert_uint_eq(model->walks[1].n_when_placed, 2);
    ck_assert_uint_eq(model->n_signals, 3);
    ck_assert_int_eq(model->signals[0].to, 1);
    ck_assert_int_eq(model->signals[1].to, -1);
    ck_assert_ptr_null(model->signals[2].to_name);
    ck_assert_uint_eq(model->n_streams, 1);
    ck_assert_uint_eq(model->n_resources, 2);
    ck_assert(model->resources[0].has_splits);
    ck_assert(!model->resources[1].has_splits);
    ck_assert_str_eq(model->resources[1].kind, "");
    ck_assert_uint_eq(model->n_combined, 1);
    ck_assert_uint_eq(model->combined[0].n_walks, 2);
    arena_free(arena);
}
END_TEST

START_TEST(nodes_have_a_bound)
{
    struct arena *arena = arena_new(64 << 20);
    struct error err = { 0 };
    struct text text = { 0 };

    for (int n = MODEL_NODES_MAX; n <= MODEL_NODES_MAX + 1; n++) {
        text_clear(&text);
        text_put(&text, NAME "nodes:\n");
        for (int i = 0; i < n; i++)
            text_printf(&text, "  - {name: n%d}\n", i);
        ck_assert_int_eq(load(arena, text_string(&text), &err) != NULL,
                         n == MODEL_NODES_MAX);
    }
    ck_assert_has(err.text, "1025 entries");
    text_close(&text);
    arena_free(arena);
}
END_TEST

START_TEST(stages_and_rows_have_bounds)
{
    struct arena *arena = arena_new(64 << 20);
    struct error err = { 0 };
    struct text text = { 0 };

    for (int n = ESTIMATE_STAGES_MAX; n <= ESTIMATE_STAGES_MAX + 1; n++) {
        text_clear(&text);
        text_put(&text, NODES "estimate:\n");
        for (int i = 0; i < n; i++)
            text_printf(&text, "  s%d: {peak_gib: 1}\n", i);
        ck_assert_int_eq(load(arena, text_string(&text), &err) != NULL,
                         n == ESTIMATE_STAGES_MAX);
    }
    ck_assert_has(err.text, "estimate: 65 entries; at most 64 are read");
    for (int n = MEASURED_ROWS_MAX; n <= MEASURED_ROWS_MAX + 1; n++) {
        text_clear(&text);
        text_put(&text, NODES "measured:\n");
        for (int i = 0; i < n; i++)
            text_printf(&text, "  - {sizes: {a: %d}, step_s: 1}\n", i + 1);
        ck_assert_int_eq(load(arena, text_string(&text), &err) != NULL,
                         n == MEASURED_ROWS_MAX);
    }
    ck_assert_has(err.text, "measured: 4097 entries; at most 4096 are read");
    text_close(&text);
    arena_free(arena);
}
END_TEST

START_TEST(a_step_may_be_of_whole_seconds)
{
    struct arena *arena = arena_new(16 << 20);
    struct error err = { 0 };
    const struct model *model =
        load(arena, NODES "measured: [{sizes: {}, step_s: 3}]\n", &err);

    ck_assert_msg(model != NULL, "%s", err.text);
    ck_assert_double_eq(model->estimate.rows[0].step_s, 3);
    arena_free(arena);
}
END_TEST

START_TEST(a_full_arena_is_exhausted_and_no_mistake)
{
    for (size_t bytes = 1 << 12; bytes < 1 << 18; bytes += 1 << 12) {
        struct arena *document = arena_new(4 << 20), *arena = arena_new(bytes);
        struct error err = { 0 };
        const struct tree *tree = read_yaml(document, "file", whole, &err);

        ck_assert_ptr_nonnull(tree);
        if (model_load(arena, tree, &err) == NULL)
            ck_assert_int_eq(err.status, STATUS_EXHAUSTED);
        arena_free(document);
        arena_free(arena);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("model");
    TCase *tc = tcase_create("load");

    tcase_add_loop_test(tc, a_mistake_is_refused_with_its_place, 0,
                        ARRAY_LEN(malformed));
    tcase_add_test(tc, a_whole_declaration_is_loaded);
    tcase_add_test(tc, nodes_have_a_bound);
    tcase_add_test(tc, stages_and_rows_have_bounds);
    tcase_add_test(tc, a_step_may_be_of_whole_seconds);
    tcase_add_test(tc, a_full_arena_is_exhausted_and_no_mistake);
    suite_add_tcase(suite, tc);
    return tap_run(suite);
}
