/* SPDX-License-Identifier: Apache-2.0 */
/* What the groups of accepted requests want of a cluster. */
#include "placement/place_axes.h"

#include <stdio.h>
#include <stdlib.h>

#include "tests/placement/check_fixture.h"

enum { SPARES = 2 };

/* One view; instances of several node groups. */
static const char grouped[] = "runtime: r\n"
                              "axes: [{name: b}, {name: a}]\n"
                              "links: {a: nvlink}\n"
                              "rules: [{check: resolution}]\n";
/* Two views of one world; the local size ep stands for b. */
static const char spanning[] =
    "runtime: r\n"
    "request: world\n"
    "axes: [{name: b}, {name: a}, {name: e}]\n"
    "derive: {rest: 'world / e'}\n"
    "views: {x: {axes: [b, a]}, y: {axes: [{r: rest}, {k: e}]}}\n"
    "links: {a: host, e: nvlink}\n"
    "rules: [{check: product}]\n";
/* Lists of groups beside the axes: of a part of a view, of several, declared
 * ones and one of a family; what is there under a condition only. */
static const char listed[] =
    "runtime: r\n"
    "request: world\n"
    "axes: [{name: b}, {name: a}]\n"
    "options: {large: {type: int, default: 0}}\n"
    "views:\n"
    "  x: {axes: [b, a]}\n"
    "  m:\n"
    "    - {when: world > 4, axes: [{rack: 'world / 4'}, {at: 4}]}\n"
    "    - {axes: [{at: world}]}\n"
    "groups:\n"
    "  pairs: {of: x.a+b, runs: 2}\n"
    "  big: {when: large > 0, of: x.a+b, runs: large}\n"
    "  step: {of: x.a+b, each: {n: '[2, 4]'}, stride: n}\n"
    "links: {a: any, m.at: host, pairs: nvlink, big: block}\n"
    "rules: [{check: product}]\n";
static const char model[] = "model: m\nnodes: [{name: n, axes: {a: {}, b: {}}},"
                            " {name: o, axes: {a: {}, b: {}}}, {name: p}]\n";

/* groups: ROW LINK: members of each group by position; ... */
static const struct {
    const char *runtime, *request, *ranks, *groups;
} cases[] = {
    { grouped,
      "model: m\nnode_groups: [{node_names: [n], count: 4, sizes: {a: 2, b: "
      "2}},\n {node_names: [o, p], ranks: [0]}]\n",
      "0 1 2 3", "b any: 0 2|1 3; a nvlink: 0 1|2 3; " },
    /* a sparse world; replicas; a group of another's ranks in another shape */
    { grouped,
      "model: m\nnode_groups: [{node_names: [n], ranks: [10, 11, 4, 5],"
      " sizes: {a: 2}},\n {node_names: [o], ranks: [4, 10], sizes: {b: 2}},\n"
      " {node_names: [p], ranks: [30]}]\n",
      "4 5 10 11 30", "a nvlink: 2 3|0 1; b any: 0 2; " },
    /* the same groups of two node groups once; others in a row of their own */
    { grouped,
      "model: m\nnode_groups: [{node_names: [n], ranks: [0, 1, 2, 3], sizes: "
      "{a: 4}},\n {node_names: [o], ranks: [0, 1, 2, 3], sizes: {a: 4}},\n"
      " {node_names: [p], ranks: [0]}]\n",
      "0 1 2 3", "a nvlink: 0 1 2 3; " },
    { grouped,
      "model: m\nnode_groups: [{node_names: [n], ranks: [0, 1, 2, 3], sizes: "
      "{a: 4}},\n {node_names: [o], ranks: [0, 1], sizes: {a: 2}},\n"
      " {node_names: [p], ranks: [0]}]\n",
      "0 1 2 3", "a nvlink: 0 1 2 3; a nvlink: 0 1; " },
    /* the request says another link */
    { grouped,
      "model: m\nlinks: {a: rack, b: host}\nnode_groups: [{node_names: [n],"
      " count: 2, sizes: {a: 2}},\n {node_names: [o, p], ranks: [0]}]\n",
      "0 1", "a block: 0 1; " },
    { spanning, "world: 4\nsizes: {b: 2, a: 2, e: 2}\n", "0 1 2 3",
      "b any: 0 2|1 3; a host: 0 1|2 3; e nvlink: 0 1|2 3; " },
    { listed, "world: 4\nsizes: {b: 2, a: 2}\n", "0 1 2 3",
      "b any: 0 2|1 3; a any: 0 1|2 3; m.at host: 0 1 2 3; pairs nvlink: 0 1|2 "
      "3; " },
    { listed,
      "world: 8\nsizes: {b: 8}\noptions: {large: 8}\n"
      "links: {big: any, pairs: null, m.rack: block, a: null}\n",
      "0 1 2 3 4 5 6 7",
      "b any: 0 1 2 3 4 5 6 7; m.at host: 0 1 2 3|4 5 6 7; pairs nvlink: 0 1|2 "
      "3|4 5|6 7; big any: 0 1 "
      "2 3 4 5 6 7; m.rack block: 0 4|1 5|2 6|3 7; " },
    /* one list by other names; a list of a family */
    { listed,
      "world: 4\nsizes: {a: 4}\n"
      "links: {at: any, m.at: rack, x.b+a: host, a+b: nvlink, step2: host}\n",
      "0 1 2 3",
      "a any: 0 1 2 3; m.at block: 0 1 2 3; pairs nvlink: 0 1|2 3; x.b+a "
      "nvlink: 0 1 2 3; step2 host: 0 2|1 3; " },
};

/* The numbers of a text, in arena. */
static struct place_ranks read_ranks(struct arena *arena, const char *text)
{
    uint32_t *ranks = arena_array(arena, strlen(text) + 1, sizeof(*ranks));
    struct place_ranks all = { ranks, 0, true };
    char *end;

    for (;; text = end) {
        unsigned long rank = strtoul(text, &end, 10);

        if (end == text)
            break;
        all.dense = all.dense && rank == all.n;
        ranks[all.n++] = (uint32_t)rank;
    }
    return all;
}

static void put_row(const struct place_axis *axis, uint32_t n, struct text *out)
{
    text_printf(out, "%s %s:", axis->name, link_name(axis->want));
    for (uint32_t g = 0; g < axis->n_groups; g++) {
        bool first = true;

        for (uint32_t p = 0; p < n; p++)
            if (axis->group_of[p] == g) {
                text_printf(out, "%s%u", !first || g == 0 ? " " : "|", p);
                first = false;
            }
    }
    text_put(out, "; ");
}

START_TEST(groups_are_those_of_the_layout)
{
    struct asked a;
    struct place_axis *axes;
    struct place_ranks ranks;
    struct text got = { 0 };
    size_t n_axes;

    ck_assert_msg(ask(&a, cases[_i].runtime, model, cases[_i].request, NULL),
                  "%s", a.err.text);
    ck_assert_msg(check_accepts(a.check), "%s", asked_json(&a));
    ranks = read_ranks(a.arena, cases[_i].ranks);
    ck_assert_msg(place_axes_make(a.check, a.arena, &ranks, ranks.n + SPARES,
                                  &axes, &n_axes, &a.err) == 0,
                  "%s", a.err.text);
    for (size_t i = 0; i < n_axes; i++) {
        put_row(&axes[i], ranks.n, &got);
        for (uint32_t p = ranks.n; p < ranks.n + SPARES; p++)
            ck_assert_uint_eq(axes[i].group_of[p], GROUP_NONE);
    }
    ck_assert_str_eq(text_string(&got), cases[_i].groups);
    text_close(&got);
    asked_close(&a);
}
END_TEST

static const struct {
    const char *runtime, *links, *said;
} refused[] = {
    { grouped, "{c: host}", "r has no axis and no list of groups \"c\"" },
    { grouped, "{a: pcie}", "there are nvlink, host, block, any" },
    { grouped, "{a: 3}", "is no link" },
    { grouped, "[a]", "a map" },
    { listed, "{m.bt: host}", "the view m has no axis \"bt\"" },
    { listed, "{n.at: host}", "names no group and no view" },
    { listed, "{step: host}", "one of them is named with its number" },
    { listed, "{m.at: pcie}", "there are nvlink, host, block, any" },
    { listed, "{m.at: [host]}", "is no link" },
    { listed, "{m.at: {want: host, code: c}}", "is no link" },
    { listed, "{c: null}", "r has no axis and no list of groups \"c\"" },
};

START_TEST(a_link_that_is_none_is_refused)
{
    struct asked a;
    char request[256];

    snprintf(request, sizeof(request), "model: m\nlinks: %s\n%s\n",
             refused[_i].links,
             refused[_i].runtime == grouped
                 ? "node_groups: [{node_names: [n, o, p], ranks: [0]}]"
                 : "world: 1");
    ck_assert(!ask(&a, refused[_i].runtime, model, request, NULL));
    ck_assert_has(a.err.text, refused[_i].said);
    asked_close(&a);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("place axes");
    TCase *tcase = tcase_create("core");

    tcase_add_loop_test(tcase, groups_are_those_of_the_layout, 0,
                        ARRAY_LEN(cases));
    tcase_add_loop_test(tcase, a_link_that_is_none_is_refused, 0,
                        ARRAY_LEN(refused));
    suite_add_tcase(suite, tcase);
    return tap_run(suite);
}
