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
    const char *links, *said;
} refused[] = {
    { "{c: host}", "no axis" },
    { "{a: pcie}", "there are nvlink, host, block, any" },
    { "{a: 3}", "is no link" },
    { "[a]", "a map" },
};

START_TEST(a_link_that_is_none_is_refused)
{
    struct asked a;
    char request[256];

    snprintf(request, sizeof(request),
             "model: m\nlinks: %s\nnode_groups: [{node_names: [n, o, p],"
             " ranks: [0]}]\n",
             refused[_i].links);
    ck_assert(!ask(&a, grouped, model, request, NULL));
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
