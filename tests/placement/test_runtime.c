/* SPDX-License-Identifier: Apache-2.0 */
/* Runtimes: what is loaded of a declaration, and its bounds. */
#include "placement/runtime.h"

#include "placement/structure.h"

#include "tests/placement/check_fixture.h"

#define TOP "runtime: r\naxes: [{name: a}, {name: b}]\n"

/* A declaration with everything in it. */
static const char whole[] =
    "runtime: whole\n"
    "version: 3\n"
    "about: everything that a declaration may say\n"
    "request: node_groups\n"
    "axes:\n"
    "  - {name: a, field: a_size, splits: [rows, heads], declared: true}\n"
    "  - {name: b, splits: heads, default: 'a > 1 ? 2 : 1'}\n"
    "  - {name: c, fill: 'div(world, a * b)', fill_on: -1, when: 'a > 1'}\n"
    "options: {mode: {type: string, default: slow, one_of: [slow, fast]}}\n"
    "facts: {special: bool}\n"
    "derive: {both: a * b, more: [{when: 'a > 1', value: both + 1},"
    " {value: 0}]}\n"
    "tables: {T: {slow: {most: 1}, fast: {most: 2}}}\n"
    "views: {v: [a, b, {rest: c}], w: [{when: 'a > 1', axes: [a, b]},"
    " {axes: [b, a]}]}\n"
    "groups: {half: {of: v.a+b, cut: 2}}\n"
    "axis_sets: [{set: [a, b]}, {refuse: [a, c], code: clash, because: no}]\n"
    "rules:\n"
    "  - {check: ranks, codes: {empty: none}}\n"
    "  - {check: same_groups, views: [v, w], axis: a}\n"
    "  - {code: x, for: placed as p, when: 'p.a > 1', refuse: 'p.special',\n"
    "     because: so, try: [{when: 'p.a > 2', set: {a: p.a - 1,"
    " mode: '\"fast\"'}, say: less}]}\n"
    "  - {code: y, warn: 'a > T[mode].most'}\n"
    "keep: both\n"
    "create: [{list: instance, backend: cpu, when: axes_above_one > 1},\n"
    "         {union: [v.a, half], sort: lexicographic}]\n"
    "carry: {length: {type: int, required: true}, old: {type: any,"
    " warn: moved, code: old.moved}, node_groups.keep_in: {type: string}}\n"
    "links: {a: nvlink}\n"
    "offset: 0\n"
    "shard_order: {heads: [b, a]}\n";

static const struct runtime *load(struct arena *arena, const char *text,
                                  struct error *err)
{
    const struct tree *document = read_yaml(arena, "file", text, err);

    return document != NULL ? runtime_load(arena, document, err) : NULL;
}

START_TEST(a_whole_declaration_is_loaded)
{
    struct arena *arena = arena_new(16 << 20);
    struct error err = { 0 };
    const struct runtime *rt = load(arena, whole, &err);

    ck_assert_msg(rt != NULL, "%s", err.text);
    ck_assert_str_eq(rt->name, "whole");
    ck_assert_uint_eq(rt->n_axes, 3);
    ck_assert_uint_eq(rt->axes[0].splits, SPLIT_ROWS | SPLIT_HEADS);
    ck_assert_int_eq(rt->axes[2].fill_on, -1);
    ck_assert_int_eq(runtime_axis(rt, "a_size"), -1);
    ck_assert_int_eq(runtime_axis_field(rt, "a_size"), 0);
    ck_assert_uint_eq(rt->n_options, 1);
    ck_assert_uint_eq(rt->n_derived, 2);
    ck_assert_uint_eq(rt->n_views, 2);
    ck_assert_uint_eq(rt->views[1].n_forms, 2);
    ck_assert_uint_eq(rt->n_groups, 1);
    ck_assert_uint_eq(rt->n_axis_sets, 2);
    ck_assert(rt->axis_sets[1].refused);
    ck_assert_uint_eq(rt->n_create, 2);
    ck_assert_uint_eq(rt->n_carries, 3);
    ck_assert_uint_eq(rt->n_shard_order[SPLIT_HEADS_INDEX], 2);
    ck_assert(!rt->spans);
    arena_free(arena);
}
END_TEST

START_TEST(the_first_checks_come_before_the_rules_of_the_file)
{
    struct arena *arena = arena_new(16 << 20);
    struct error err = { 0 };
    const struct runtime *rt = load(arena, whole, &err);

    ck_assert_msg(rt != NULL, "%s", err.text);
    ck_assert_uint_eq(rt->n_rules, 3 + 4);
    ck_assert_int_eq(rt->rules[0].structure, structure_named("keys"));
    ck_assert_int_eq(rt->rules[1].structure, structure_named("model"));
    ck_assert_int_eq(rt->rules[2].structure, structure_named("sizes"));
    ck_assert_int_eq(rt->rules[3].structure, structure_named("ranks"));
    ck_assert_int_eq(rt->rules[5].structure, -1);
    ck_assert(rt->rules[6].warns);
    arena_free(arena);
}
END_TEST

/* clang-format off */
static const struct {
    const char *name;
    bool known;
    size_t n_axes;
} lists[] = {
    { "v.a",        true,  1 },
    { "v.a+b",      true,  2 },
    { "v.b+a",      true,  2 },
    { "v.rest",     true,  1 },
    { "half",       true,  0 },
    { "v.c",        false, 0 },
    { "w.rest",     false, 0 },
    { "u.a",        false, 0 },
    { "v.",         false, 0 },
    { "v.a+",       false, 0 },
    { "",           false, 0 },
    { "v.a+b+a+b+a+b+a+b+a+b+a+b+a+b+a+c", false, 0 }, /* sixteenth */
    { "v.a+b+a+b+a+b+a+b+a+b+a+b+a+b+a+b+c", false, 0 }, /* and seventeenth */
};
/* clang-format on */

START_TEST(a_list_is_found_by_its_name)
{
    struct arena *arena = arena_new(16 << 20);
    struct error err = { 0 };
    const struct runtime *rt = load(arena, whole, &err);
    struct list_name name;
    int rc;

    ck_assert_msg(rt != NULL, "%s", err.text);
    rc = runtime_list_name(rt, arena, lists[_i].name, &name, &err);
    ck_assert_msg((rc == 0) == lists[_i].known, "%s", lists[_i].name);
    if (rc == 0)
        ck_assert_uint_eq(name.n_axes, lists[_i].n_axes);
    else
        ck_assert_int_eq(err.status, STATUS_UNKNOWN_NAME);
    arena_free(arena);
}
END_TEST

START_TEST(seventeen_axes_are_too_many)
{
    struct arena *arena = arena_new(16 << 20);
    struct error err = { 0 };
    struct text text = { 0 };

    for (int n = RUNTIME_AXES_MAX; n <= RUNTIME_AXES_MAX + 1; n++) {
        text_clear(&text);
        text_put(&text, "runtime: r\naxes:\n");
        for (int i = 0; i < n; i++)
            text_printf(&text, "  - {name: a%d}\n", i);
        ck_assert_int_eq(load(arena, text_string(&text), &err) != NULL,
                         n == RUNTIME_AXES_MAX);
    }
    ck_assert_has(err.text, "17 axes");
    text_close(&text);
    arena_free(arena);
}
END_TEST

START_TEST(rules_and_names_have_bounds)
{
    struct arena *arena = arena_new(64 << 20);
    struct error err = { 0 };
    struct text text = { 0 };

    text_put(&text, TOP "rules:\n");
    for (int i = 0; i <= RUNTIME_RULES_MAX; i++)
        text_put(&text, "  - {code: c, refuse: 'a > 1'}\n");
    ck_assert_ptr_null(load(arena, text_string(&text), &err));
    ck_assert_has(err.text, "513 rules");
    text_clear(&text);
    text_put(&text, TOP "derive:\n");
    for (int i = 0; i <= RUNTIME_NAMES_MAX; i++)
        text_printf(&text, "  d%d: 1\n", i);
    ck_assert_ptr_null(load(arena, text_string(&text), &err));
    ck_assert_has(err.text, "512 names");
    text_close(&text);
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
        if (runtime_load(arena, tree, &err) == NULL)
            ck_assert_msg(err.status == STATUS_EXHAUSTED, "%s", err.text);
        arena_free(document);
        arena_free(arena);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("runtime");
    TCase *tc = tcase_create("load");

    tcase_add_test(tc, a_whole_declaration_is_loaded);
    tcase_add_test(tc, the_first_checks_come_before_the_rules_of_the_file);
    tcase_add_test(tc, seventeen_axes_are_too_many);
    tcase_add_test(tc, rules_and_names_have_bounds);
    tcase_add_test(tc, a_full_arena_is_exhausted_and_no_mistake);
    tcase_add_loop_test(tc, a_list_is_found_by_its_name, 0, ARRAY_LEN(lists));
    suite_add_tcase(suite, tc);
    return tap_run(suite);
}
