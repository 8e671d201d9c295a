/* SPDX-License-Identifier: Apache-2.0 */
/* Structure checks: every fault of the table is found, and said in words. */
#include "placement/structure.h"

#include <stdio.h>

#include "placement/explain.h"
#include "tests/placement/check_fixture.h"

/* One framework in which every check is placed. */
static const char runtime[] =
    "runtime: r\n"
    "axes:\n"
    "  - {name: a, field: a_size, declared: true}\n"
    "  - {name: b, field: b_size, declared: true}\n"
    "  - {name: c, when: 'mode == \"wide\"'}\n"
    "options: {mode: {type: string, default: narrow,"
    " one_of: [narrow, wide]}}\n"
    "facts: {known: int}\n"
    "carry: {length: {type: int, required: true},"
    " old: {type: any, warn: this has moved}}\n"
    "axis_sets: [{set: [a, c]}, {set: [a, b]}]\n"
    "rules: [{check: declared}, {check: axis_sets}, {check: resolution},"
    " {check: dense_ranks}, {check: conflicts}, {check: streams},"
    " {check: resources}, {check: combined}]\n";

static const char world_runtime[] =
    "runtime: w\n"
    "request: world\n"
    "axes: [{name: a}, {name: b}, {name: c}]\n"
    "views: {v: [a, b, c], u: [b, a, {rest: 'div(world, a * b)'}]}\n"
    "axis_sets: [{set: [a, b, c]}, {refuse: [b, c], because: they clash}]\n"
    "rules: [{check: world}, {check: product},"
    " {check: same_groups, views: [v, u]},"
    " {code: odd, refuse: 'world / 2 == 0'}]\n";

static const char order_runtime[] =
    "runtime: o\n"
    "request: world\n"
    "axes: [{name: a}, {name: b}, {name: c}]\n"
    "options: {order: {type: any},"
    " mode: {type: string, field: speed, default: slow, one_of: [slow, "
    "fast]}}\n"
    "views: {v: {axes: [a, b, {rest: 'div(world, a * b)'}], order: order}}\n"
    "rules: [{check: order}, {check: options, option: mode}]\n";

static const char model[] =
    "model: m\n"
    "facts: {known: 1, unheard: 2}\n"
    "nodes:\n"
    "  - {name: x, axes: {a: {}, b: {}}}\n"
    "  - {name: y, axes: {a: {}, b: {}}}\n"
    "  - {name: z}\n"
    "walks:\n"
    "  - {name: first, nodes: [x], signals: [{from: x, to: nowhere,"
    " name: s}]}\n"
    "  - {name: second, nodes: [x, y]}\n"
    "streams: [{signal: s, to: y}]\n"
    "resources: [{key: cache, kind: k, nodes: [x, y]}]\n"
    "combined_walks: [{node: x, name: joint, walks: [first, second]}]\n";

#define TOP "model: m\nlength: 1\n"
#define REST "  - {node_names: [y], ranks: [9]}\n"

/* A consumer that two walks run on different ranks. */
static const char split_model[] =
    "model: m\n"
    "nodes: [{name: x}, {name: y}]\n"
    "walks: [{name: first, nodes: [x, y]}, {name: second, nodes: [y]}]\n"
    "streams: [{signal: s, to: y}]\n";
static const char split_request[] =
    TOP "node_groups:\n"
        "  - {node_names: [x], ranks: [0]}\n"
        "  - {node_names: [y], ranks: [0], graph_walks: [first]}\n"
        "  - {node_names: [y], ranks: [1], graph_walks: [second]}\n";

/* Sizes that cannot be computed from every request. */
static const char inexact_runtime[] = "runtime: i\n"
                                      "request: world\n"
                                      "axes: [{name: a}]\n"
                                      "views: {v: [a, {rest: world / a}]}\n";

/* A declaration with facts, axes and dimensions that fit no runtime. */
static const char odd_model[] =
    "model: m\n"
    "facts: {known: several}\n"
    "nodes: [{name: x, axes: {aa: {}}}]\n"
    "walks: [{name: first, nodes: [x],"
    " signals: [{from: x, to: x, name: state}]}]\n"
    "resources: [{key: cache, nodes: [x], splits: [aaa]}]\n"
    "shard_dim: {stale: 0}\n";
static const char odd_request[] =
    TOP "node_groups:\n  - {node_names: [x], ranks: [0]}\n";

/* Requests that list hosts themselves. */
static const char hosts_runtime[] =
    "runtime: h\n"
    "axes: [{name: a, declared: true}, {name: b, declared: true}]\n"
    "carry: {machines: {type: map}}\n"
    "links: {a: host, b: any}\n"
    "rules: [{check: hosts}]\n"
    "host_list: {key: machines, hosts: list, address: at, devices: cards,"
    " codes: {section: hosts.bad_section, host: hosts.bad_host,"
    " rank: hosts.rank_out_of_range, transport: t}}\n";
#define AB "model: m\nnode_groups:\n  - {node_names: [x], "

/* clang-format off */
static const struct {
    enum fault fault;
    const char *runtime, *model;
    const char *request;
    const char *subject; /* of the finding */
    const char *reason;  /* part of it */
} faults[] = {
    { FAULT_HOSTS_SECTION, hosts_runtime, model,
      AB "ranks: [0]}\nmachines: {lists: []}\n",
      "machines", "machines.lists: unknown key" },
    { FAULT_HOSTS_HOST, hosts_runtime, model,
      AB "ranks: [0]}\nmachines: {list: [{at: p, cards: [1, 1]}]}\n",
      "machines", "machines.list[0].cards: device 1 is listed twice" },
    { FAULT_HOSTS_RANK, hosts_runtime, model,
      AB "ranks: [1, 2]}\nmachines: {list: [{at: p, cards: [1, 3]}]}\n",
      "node_groups[0].ranks", "rank 2 is on no host" },
    { FAULT_HOSTS_SPANNED, hosts_runtime, model,
      AB "ranks: [2, 3, 5, 6], a: 2, b: 2}\nmachines: {list:"
      " [{at: p, cards: [0, 1, 2, 3, 4, 5]}, {at: q, cards: [0]}]}\n",
      "node_groups[0].a", "ranks 3 and 6 of one a group" },
    { FAULT_KEY_MISSING, runtime, model,
      "model: m\nnode_groups:\n  - {node_names: [x, y], ranks: [0]}\n",
      "length", "length" },
    { FAULT_KEY_UNKNOWN, runtime, model,
      TOP "lenght: 2\nnode_groups:\n  - {node_names: [x, y], ranks: [0]}\n",
      "lenght", "nothing reads" },
    { FAULT_KEY_WARNED, runtime, model,
      TOP "old: 2\nnode_groups:\n  - {node_names: [x, y], ranks: [0]}\n",
      "old", "this has moved" },
    { FAULT_FACT_UNUSED, runtime, model,
      TOP "node_groups:\n  - {node_names: [x, y], ranks: [0]}\n",
      "facts.unheard", "unheard" },
    { FAULT_MODEL_UNKNOWN, runtime, NULL,
      "model: mm\nlength: 1\nnode_groups:\n  - {node_names: [x], ranks: [0]}\n",
      "model", "mm" },
    { FAULT_SIZE_BELOW_ONE, runtime, model,
      TOP "node_groups:\n  - {node_names: [x, y], ranks: [0], a_size: 0}\n",
      "node_groups[0].a_size", "smallest is 1" },
    { FAULT_SIZE_TOO_LARGE, runtime, model,
      TOP "node_groups:\n  - {node_names: [x, y], ranks: [0],"
      " a_size: 1048577}\n",
      "node_groups[0].a_size", "1048576" },
    { FAULT_AXIS_ABSENT, runtime, model,
      TOP "node_groups:\n  - {node_names: [x, y], ranks: [0, 1], c: 2}\n",
      "node_groups[0].c", "does not exist" },
    { FAULT_OPTION_NOT_ALLOWED, runtime, model,
      TOP "options: {mode: broad}\nnode_groups:\n"
      "  - {node_names: [x, y], ranks: [0]}\n",
      "mode", "does not take" },
    { FAULT_OPTION_APART, order_runtime, NULL,
      "world: 4\noptions: {mode: broad}\n", "speed", "does not take" },
    { FAULT_RANKS_EMPTY, runtime, model,
      TOP "node_groups:\n  - {node_names: [x, y], ranks: []}\n",
      "node_groups[0].ranks", "empty" },
    { FAULT_RANKS_NEGATIVE, runtime, model,
      TOP "node_groups:\n  - {node_names: [x, y], ranks: [-1]}\n",
      "node_groups[0].ranks", "counted from 0" },
    { FAULT_RANKS_TOO_LARGE, runtime, model,
      TOP "node_groups:\n  - {node_names: [x, y], ranks: [1048576]}\n",
      "node_groups[0].ranks", "1048575" },
    { FAULT_RANKS_NOT_MULTIPLE, runtime, model,
      TOP "node_groups:\n"
      "  - {node_names: [x, y], ranks: [0, 1, 2], a_size: 2}\n",
      "node_groups[0].ranks", "3 ranks cannot be cut into instances of 2" },
    { FAULT_RANKS_DUPLICATE, runtime, model,
      TOP "node_groups:\n  - {node_names: [x, y], ranks: [0, 1, 0]}\n",
      "node_groups[0].ranks", "rank 0 is listed twice, at positions 0 and 2" },
    { FAULT_RANKS_OUT_OF_ORDER, runtime, model,
      TOP "node_groups:\n"
      "  - {node_names: [x, y], ranks: [2, 3, 1, 0], a_size: 2}\n",
      "node_groups[0].ranks", "instance 1 lists rank 1 before rank 0" },
    { FAULT_WORLD_MISSING, world_runtime, NULL, "runtime: w\nsizes: {a: 2}\n",
      "world", "how many ranks" },
    { FAULT_PRODUCT_DIFFERS, world_runtime, NULL,
      "world: 8\nsizes: {a: 2, b: 2}\n",
      "v", "multiply to 4, but it spans 8" },
    { FAULT_ORDER_MISSING, order_runtime, NULL,
      "world: 4\nsizes: {a: 2, b: 2}\norder: rest-a\n",
      "order", "leaves out b, which is above 1" },
    { FAULT_ORDER_UNKNOWN, order_runtime, NULL,
      "world: 4\nsizes: {a: 2, b: 2}\norder: [a, b, d]\n",
      "order", "names d, which is no axis of o" },
    { FAULT_ORDER_REPEATED, order_runtime, NULL,
      "world: 4\nsizes: {a: 2, b: 2}\norder: a-b-c-A\n",
      "order", "names a more than once" },
    { FAULT_ORDER_UNREADABLE, order_runtime, NULL,
      "world: 4\nsizes: {a: 2, b: 2}\norder: [a, 2]\n",
      "order", "neither a list of axes nor names" },
    { FAULT_AXES_TOGETHER, runtime, model,
      TOP "options: {mode: wide}\nnode_groups:\n"
      "  - {node_names: [x, y], ranks: [0, 1, 2, 3], b_size: 2, c: 2}\n",
      "b_size, c", "not among those" },
    { FAULT_AXIS_NOT_ENABLED, runtime, model,
      TOP "node_groups:\n  - {node_names: [z], ranks: [0, 1], a_size: 2}\n"
      "  - {node_names: [x, y], ranks: [0]}\n",
      "node_groups[0].a_size", "node z" },
    { FAULT_NODE_UNPLACED, runtime, model,
      TOP "node_groups:\n  - {node_names: [x], ranks: [0]}\n",
      "second.y", "no group places y" },
    { FAULT_GROUP_SHADOWED, runtime, model,
      TOP "node_groups:\n  - {node_names: [x], ranks: [0, 1], a_size: 2}\n"
      "  - {node_names: [x, y], ranks: [2, 3], a_size: 2}\n",
      "node_groups[0]", "node_groups[1] also places x" },
    { FAULT_GROUP_SHADOWED_WARN, runtime, model,
      TOP "node_groups:\n  - {node_names: [x], ranks: [0]}\n"
      "  - {node_names: [x, y], ranks: [1]}\n",
      "node_groups[0]", "node_groups[1] also places x" },
    { FAULT_NODE_UNUSED, runtime, model,
      TOP "node_groups:\n  - {node_names: [x, y, z], ranks: [0]}\n",
      "node_groups[0].z", "no served walk runs the node z" },
    { FAULT_WALK_UNKNOWN, runtime, model,
      TOP "node_groups:\n  - {node_names: [x, y], ranks: [0]}\n"
      "  - {node_names: [x], ranks: [0], graph_walks: [frist]}\n",
      "node_groups[1].graph_walks",
      "no walk frist; the nearest name is first" },
    { FAULT_GROUP_INACTIVE, runtime, model,
      TOP "node_groups:\n  - {node_names: [x, y], ranks: [0]}\n"
      "  - {node_names: [z], ranks: [0]}\n",
      "node_groups[1]", "no served walk uses" },
    { FAULT_RANKS_NOT_DENSE, runtime, model,
      TOP "node_groups:\n  - {node_names: [x, y], ranks: [0, 2], a_size: 2}\n",
      "ranks", "rank 1 is not among them" },
    { FAULT_RANKS_SPARSE, runtime, model,
      TOP "sparse: refuse\nnode_groups:\n"
      "  - {node_names: [x, y], ranks: [0, 2]}\n",
      "ranks", "and a world with gaps is refused" },
    { FAULT_GROUP_CONFLICT, runtime, model,
      TOP "node_groups:\n  - {node_names: [x], ranks: [0, 1], a_size: 2,"
      " graph_walks: [first]}\n"
      "  - {node_names: [x, y], ranks: [1, 2], a_size: 2,"
      " graph_walks: [second]}\n",
      "node_groups[1].x", "on rank 1 the node x" },
    { FAULT_MULTIPLE_LOCKSTEP, runtime, model,
      TOP "node_groups:\n  - {node_names: [x], ranks: [0, 1], a_size: 2}\n"
      "  - {node_names: [y], ranks: [1, 2], a_size: 2}\n",
      "rank 1", "two different instances" },
    { FAULT_STREAM_WALK_SCOPED, runtime, model,
      TOP "node_groups:\n  - {node_names: [x], ranks: [0, 1], a_size: 2}\n"
      "  - {node_names: [y], ranks: [0, 1], a_size: 2,"
      " graph_walks: [second]}\n",
      "node_groups[1]", "y consumes the stream s" },
    { FAULT_STREAM_SPLIT, runtime, split_model, split_request,
      "y", "y consumes the stream s" },
    { FAULT_SHAPE_MISMATCH, runtime, model,
      TOP "node_groups:\n  - {node_names: [x], ranks: [0, 1], a_size: 2}\n"
      "  - {node_names: [y], ranks: [2]}\n",
      "cache", "a_size 2 in node_groups[0], one rank in node_groups[1]" },
    { FAULT_COMBINED_SPANS, runtime, model,
      TOP "node_groups:\n  - {node_names: [x], ranks: [0, 1], a_size: 2,"
      " graph_walks: [first]}\n"
      "  - {node_names: [x], ranks: [2, 3], a_size: 2,"
      " graph_walks: [second]}\n"
      "  - {node_names: [y], ranks: [0, 1], a_size: 2}\n",
      "x.joint", "several walks of x" },
    { FAULT_GROUPS_DIFFER, world_runtime, NULL,
      "world: 4\nsizes: {a: 2, b: 2}\n",
      "u", "groups of a" },
    { FAULT_SIGNAL_LEAVES, runtime, model,
      TOP "node_groups:\n  - {node_names: [x, y], ranks: [0]}\n",
      "first.s", "nowhere" },
    { FAULT_LAYOUT_UNDEFINED, inexact_runtime, NULL,
      "world: 4\nsizes: {a: 3}\n", "v", "cannot be computed" },
    { FAULT_FACT_WRONG, runtime, odd_model, odd_request,
      "facts.known", "known is a string" },
    { FAULT_NODE_AXIS_UNKNOWN, runtime, odd_model, odd_request,
      "x.axes.aa", "no axis called aa" },
    { FAULT_SPLIT_UNKNOWN, runtime, odd_model, odd_request,
      "cache.splits", "no axis called aaa" },
    { FAULT_SIGNAL_UNKNOWN, runtime, odd_model, odd_request,
      "shard_dim.stale", "signal called stale" },
    { FAULT_INEXACT, world_runtime, NULL, "world: 3\nsizes: {a: 3}\n",
      "", "cannot be computed" },
};
/* clang-format on */

static bool ask_fault(struct asked *a, int row)
{
    return ask(a, faults[row].runtime, faults[row].model, faults[row].request,
               NULL);
}

/* The finding or warning of this fault as it stands in the verdict, or NULL. */
static const struct tree *find_fault(const struct asked *a, enum fault fault)
{
    bool warns = fault_rows[fault].warns;
    const struct findings *list =
        warns ? &a->check->warnings : &a->check->refused;

    for (size_t i = 0; i < list->n; i++)
        if (list->items[i].fault == (int)fault)
            return asked_item(a, warns ? "warnings" : "findings", i);
    return NULL;
}

START_TEST(a_fault_is_found_and_named_in_words)
{
    const struct tree *finding;
    struct asked a;
    bool asked = ask_fault(&a, _i);

    ck_assert_msg(asked, "%s", a.err.text);
    finding = find_fault(&a, faults[_i].fault);
    ck_assert_msg(finding != NULL, "%s is not in %s",
                  fault_rows[faults[_i].fault].code, asked_json(&a));
    if (faults[_i].fault != FAULT_KEY_WARNED)
        ck_assert_str_eq(tree_get(finding, "code")->text,
                         fault_rows[faults[_i].fault].code);
    ck_assert_str_eq(tree_get(finding, "subject")->text, faults[_i].subject);
    ck_assert_has(tree_get(finding, "reason")->text, faults[_i].reason);
    for (const struct tree *t = tree_first(finding); t != NULL; t = t->next)
        ck_assert_msg(t->type != TREE_STRING || strpbrk(t->text, "{}") == NULL,
                      "a word is left in %s", t->text);
    for (const struct tree *t = tree_first(tree_get(finding, "fixes"));
         t != NULL; t = t->next)
        ck_assert_msg(strpbrk(t->text, "{}") == NULL && t->text[0] != '\0',
                      "a word is left in %s", t->text);
    asked_close(&a);
}
END_TEST

START_TEST(only_a_warning_leaves_a_request_accepted)
{
    struct asked a;

    ck_assert(ask_fault(&a, _i));
    if (!fault_rows[faults[_i].fault].warns)
        ck_assert_str_eq(tree_get(a.verdict, "verdict")->text, "refuse");
    ck_assert_int_eq(check_accepts(a.check),
                     tree_count(tree_get(a.verdict, "findings")) == 0);
    asked_close(&a);
}
END_TEST

START_TEST(every_row_of_the_fault_table_is_reached)
{
    for (int f = 0; f < FAULT_COUNT; f++) {
        bool reached = false;

        for (size_t i = 0; i < ARRAY_LEN(faults); i++)
            reached |= (int)faults[i].fault == f;
        ck_assert_msg(reached, "no request reaches %s", fault_rows[f].code);
    }
}
END_TEST

START_TEST(a_code_stands_for_one_fault_of_a_check)
{
    for (int f = 0; f < FAULT_COUNT; f++)
        for (int k = 0; k < f; k++) {
            if (fault_rows[f].check != fault_rows[k].check)
                continue;
            ck_assert_str_ne(fault_rows[f].code, fault_rows[k].code);
            ck_assert_str_ne(fault_rows[f].word, fault_rows[k].word);
        }
}
END_TEST

START_TEST(a_request_without_a_fault_is_accepted)
{
    struct asked a;
    bool asked =
        ask(&a, runtime, model,
            TOP "node_groups:\n"
                "  - {node_names: [x, y], ranks: [2, 3, 0, 1], a_size: 2}\n",
            NULL);

    ck_assert_msg(asked, "%s", a.err.text);
    ck_assert_msg(check_accepts(a.check), "%s", asked_json(&a));
    asked_close(&a);
    asked = ask(&a, world_runtime, NULL, "world: 4\nsizes: {a: 4}\n", NULL);
    ck_assert_msg(asked, "%s", a.err.text);
    ck_assert_msg(check_accepts(a.check), "%s", asked_json(&a));
    asked_close(&a);
}
END_TEST

START_TEST(a_refused_set_of_axes_says_its_own_reason)
{
    struct asked a;

    ck_assert(
        ask(&a, world_runtime, NULL, "world: 4\nsizes: {b: 2, c: 2}\n", NULL));
    ck_assert_msg(check_accepts(a.check), "not listed: %s", asked_json(&a));
    asked_close(&a);
    ck_assert(ask(&a,
                  "runtime: w\nrequest: world\n"
                  "axes: [{name: b}, {name: c}, {name: d}]\n"
                  "axis_sets: [{set: [b, d]}, {refuse: [b, c], code: clash,"
                  " because: they clash}]\n"
                  "rules: [{check: axis_sets}]\n",
                  NULL, "world: 4\nsizes: {b: 2, c: 2}\n", NULL));
    ck_assert_str_eq(asked_text(&a, "findings", 0, "code"), "clash");
    ck_assert_str_eq(asked_text(&a, "findings", 0, "reason"), "they clash");
    asked_close(&a);
}
END_TEST

START_TEST(a_runtime_gives_a_fault_a_code_of_its_own)
{
    struct asked a;

    ck_assert(ask(
        &a,
        "runtime: r\naxes: [{name: a}]\n"
        "rules:\n"
        "  - {check: ranks, codes: {empty: no_ranks}}\n"
        "  - {check: sizes, code: size_below_one}\n",
        NULL, "node_groups:\n  - {node_names: [x], ranks: [], a: 0}\n", NULL));
    for (size_t i = 0; i < 3; i++) {
        const char *code = asked_text(&a, "findings", i, "code");

        ck_assert_msg(strcmp(code, "no_ranks") == 0 ||
                          strcmp(code, "size_below_one") == 0 ||
                          strcmp(code, "config.missing_key") == 0,
                      "%s", asked_json(&a));
    }
    asked_close(&a);
}
END_TEST

START_TEST(an_excepted_axis_is_not_checked)
{
    static const char request[] =
        "model: m\nlength: 1\n"
        "node_groups:\n  - {node_names: [z], ranks: [0, 1], a: 2}\n";
    static const char *const runtimes[] = {
        "runtime: r\naxes: [{name: a, declared: true}]\n"
        "carry: {length: {type: int}}\n"
        "rules: [{check: declared}]\n",
        "runtime: r\naxes: [{name: a, declared: true}]\n"
        "carry: {length: {type: int}}\n"
        "rules: [{check: declared, except: [a]}]\n",
    };
    struct asked a;

    for (int i = 0; i < 2; i++) {
        ck_assert(ask(&a, runtimes[i], "model: m\nnodes: [{name: z}]\n",
                      request, NULL));
        ck_assert_int_eq(check_accepts(a.check), i);
        asked_close(&a);
    }
}
END_TEST

START_TEST(what_is_wrong_with_an_order_is_said_once_for_all_views)
{
    static const char two_views[] =
        "runtime: o\nrequest: world\n"
        "axes: [{name: a}, {name: b}]\n"
        "options: {order: {type: any}}\n"
        "views: {u: {axes: [a, {rest: 'div(world, a)'}], order: order},"
        " v: {axes: [b, {rest: 'div(world, b)'}], order: order}}\n"
        "rules: [{check: order, views: [u]}, {check: order, views: [v]}]\n";
    static const struct {
        const char *order;
        size_t findings;
    } rows[] = {
        { "[a, b, rest, d]", 1 }, { "[a, b, b, rest]", 1 }, { "[1]", 1 },
        { "[a, b]", 1 },          { "[rest]", 2 }, /* lacks a, and lacks b */
        { "[b, a, rest]", 0 },
    };
    char request[128];
    struct asked a;

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        snprintf(request, sizeof(request),
                 "world: 8\nsizes: {a: 2, b: 2}\norder: %s\n", rows[i].order);
        ck_assert_msg(ask(&a, two_views, NULL, request, NULL), "%s",
                      a.err.text);
        ck_assert_msg(a.check->refused.total == rows[i].findings, "%s: %s",
                      rows[i].order, asked_json(&a));
        asked_close(&a);
    }
}
END_TEST

/* What explain says of a fault when none was found. */
/* clang-format off */
static const struct {
    const char *text, *said;
} unfilled[] = {
    { "{place}{axis}", "<axis>" },
    { "{group}.ranks", "<group>.ranks" },
    { "nothing reads the key {name}{near}", "nothing reads the key <name>" },
    { "remove it{near}", "remove it" },
    { "{to}", "what the runtime says of the key" },
    { "the fact {name} is {to}", "the fact <name> is <to>" },
    { "{to} again", "<to> again" },
    { "{because}", "this set of axes is not among those that the runtime "
      "combines" },
    { "split on {axisname}", "split on <axis>" },
    { "{ofwalk} runs the node {node}", "the walk <walk> runs the node <node>" },
    { "use one of {oneof}", "use one of the values that it takes" },
    { "no words", "no words" }, { "", "" },
};
/* clang-format on */

START_TEST(a_text_with_nothing_filled_in_has_plain_words)
{
    struct text out = { 0 };

    fault_text_print(unfilled[_i].text, &out);
    ck_assert_str_eq(text_string(&out), unfilled[_i].said);
    text_close(&out);
}
END_TEST

/* The words that are left stand for what the table says, and for no more. */
START_TEST(no_text_of_a_fault_is_said_with_a_word_that_explains_nothing)
{
    const struct fault_row *row = &fault_rows[_i];
    const char *const texts[] = { row->subject, row->equation, row->reason,
                                  row->fix };
    static const char *const never[] = { "{",          "}",         "<place>",
                                         "<near>",     "<because>", "<oneof>",
                                         "<axisname>", "<ofwalk>" };

    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        struct text out = { 0 };

        fault_text_print(texts[i], &out);
        for (size_t k = 0; k < ARRAY_LEN(never); k++)
            ck_assert_msg(strstr(text_string(&out), never[k]) == NULL, "%s",
                          text_string(&out));
        text_close(&out);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("structure");
    TCase *tc = tcase_create("faults");

    tcase_add_loop_test(tc, a_fault_is_found_and_named_in_words, 0,
                        ARRAY_LEN(faults));
    tcase_add_loop_test(tc, only_a_warning_leaves_a_request_accepted, 0,
                        ARRAY_LEN(faults));
    tcase_add_test(tc, every_row_of_the_fault_table_is_reached);
    tcase_add_test(tc, a_code_stands_for_one_fault_of_a_check);
    tcase_add_test(tc, a_request_without_a_fault_is_accepted);
    tcase_add_test(tc, a_refused_set_of_axes_says_its_own_reason);
    tcase_add_test(tc, a_runtime_gives_a_fault_a_code_of_its_own);
    tcase_add_test(tc, an_excepted_axis_is_not_checked);
    tcase_add_loop_test(tc, a_text_with_nothing_filled_in_has_plain_words, 0,
                        ARRAY_LEN(unfilled));
    tcase_add_loop_test(
        tc, no_text_of_a_fault_is_said_with_a_word_that_explains_nothing, 0,
        FAULT_COUNT);
    tcase_add_test(tc, what_is_wrong_with_an_order_is_said_once_for_all_views);
    suite_add_tcase(suite, tc);
    return tap_run(suite);
}
