/* SPDX-License-Identifier: Apache-2.0 */
/* Runtimes: what is loaded of a declaration, and every mistake in one. */
#include "placement/runtime.h"

#include "placement/structure.h"

#include "tests/placement/check_fixture.h"

#define NAME "runtime: r\n"
#define AXES "axes: [{name: a}, {name: b}]\n"
#define TOP NAME AXES

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

/* What is wrong, where, and how the one sentence about it begins. */
/* clang-format off */
static const struct {
    const char *what;
    const char *text;
    const char *place;
    const char *sentence;
} malformed[] = {
    { "no name",
      AXES ,
      "line 1, column 1",
      "the key runtime is missing" },
    { "no axes",
      NAME ,
      "line 1, column 1",
      "the key axes is missing" },
    { "not a map",
      "[1]\n",
      "line 1, column 1",
      "expected a map, found a list" },
    { "unknown key",
      TOP "ruels: []\n",
      "line 3, column 1",
      "ruels: unknown key; the nearest known one" },
    { "name of the wrong type",
      "runtime: [r]\n"
      "axes: [{name: a}, {name: b}]\n",
      "line 1, column 10",
      "runtime: expected a string, found a list" },
    { "axes of the wrong type",
      NAME "axes: {a: 1}\n",
      "line 2, column 7",
      "axes: expected a list, found a map" },
    { "no axis",
      NAME "axes: []\n",
      "line 2, column 7",
      "axes: 0 axes; a runtime has from" },
    { "too many axes",
      NAME "axes: [{name: a0}, {name: a1}, {name: a2}, {name:"
      " a3}, {name: a4}, {name: a5}, {name: a6}, {name: a7},"
      " {name: a8}, {name: a9}, {name: a10}, {name: a11},"
      " {name: a12}, {name: a13}, {name: a14}, {name: a15},"
      " {name: a16}]\n",
      "line 2, column 7",
      "axes: 17 axes; a runtime has from" },
    { "axis twice",
      NAME "axes: [{name: a}, {name: a}]\n",
      "line 2, column 19",
      "axes[1]" },
    { "field twice",
      NAME "axes: [{name: a, field: x}, {name: b, field: x}]\n",
      "line 2, column 29",
      "axes[1]: the field x" },
    { "axis without a name",
      NAME "axes: [{field: x}]\n",
      "line 2, column 8",
      "axes[0]: the key name is missing" },
    { "axis key",
      NAME "axes: [{name: a, feild: x}]\n",
      "line 2, column 18",
      "axes[0].feild: unknown key; the nearest known one" },
    { "axis name no identifier",
      NAME "axes: [{name: a-b}]\n",
      "line 2, column 8",
      "axes[0]: \"a-b\" cannot be a name: letters," },
    { "axis name too long",
      NAME "axes: [{name:"
      " aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
      "aaaaaaaaaaaa}]\n",
      "line 2, column 8",
      "cannot be a name: letters," },
    { "axis takes a built-in name",
      NAME "axes: [{name: world}]\n",
      "line 2, column 8",
      "axes[0]: the name world has a meaning" },
    { "axis splits nothing known",
      NAME "axes: [{name: a, splits: [columns]}]\n",
      "line 2, column 26",
      "axes[0].splits: \"columns\" is nothing that an axis" },
    { "fill_on no integer",
      NAME "axes: [{name: a, fill: 2, fill_on: x}]\n",
      "line 2, column 36",
      "axes[0].fill_on: expected an integer, found a string" },
    { "default of unknown name",
      NAME "axes: [{name: a, default: c}]\n",
      "line 2, column 27",
      "axes[0].default: unknown name \"c\"" },
    { "default no integer",
      NAME "axes: [{name: a, default: '\"x\"'}]\n",
      "line 2, column 28",
      "axes[0].default: the result is of type string," },
    { "when no boolean",
      NAME "axes: [{name: a, when: 3}]\n",
      "line 2, column 24",
      "axes[0].when: the result is of type integer," },
    { "default from itself",
      NAME "axes: [{name: a, default: b}, {name: b, default: a}]\n",
      "line 2, column 8",
      "axes[0]: a is computed from itself" },
    { "option of no type",
      TOP "options: {o: {default: 1}}\n",
      "line 3, column 14",
      "options.o: the key type is missing" },
    { "option of an unknown type",
      TOP "options: {o: {type: integer}}\n",
      "line 3, column 21",
      "options.o.type: no type is called \"integer\"; there" },
    { "option shadows an axis",
      TOP "options: {a: {type: int}}\n",
      "line 3, column 14",
      "options.a: the name a has a meaning" },
    { "option key",
      TOP "options: {o: {type: int, oneof: [1]}}\n",
      "line 3, column 26",
      "options.o.oneof: unknown key; the nearest known one" },
    { "facts shadow",
      TOP "facts: {a: int}\n",
      "line 3, column 12",
      "facts.a: the name a has a meaning" },
    { "fact of unknown type",
      TOP "facts: {f: integer}\n",
      "line 3, column 12",
      "facts.f: no type is called \"integer\"; there" },
    { "derived cycle",
      TOP "derive: {x: y + 1, y: z, z: x}\n",
      "line 3, column 13",
      "derive.x: x is computed from itself" },
    { "derived itself",
      TOP "derive: {x: x}\n",
      "line 3, column 13",
      "derive.x: x is computed from itself" },
    { "derived shadows",
      TOP "derive: {a: 1}\n",
      "line 3, column 13",
      "derive.a: the name a has a meaning" },
    { "derived is a list without values",
      TOP "derive: {x: []}\n",
      "line 3, column 13",
      "derive.x: no value; expected an expression" },
    { "derived alternative without value",
      TOP "derive: {x: [{when: 'a > 1'}]}\n",
      "line 3, column 14",
      "derive.x[0]: the key value is missing" },
    { "derived of an unknown name",
      TOP "derive:\n"
      "  x: a +\n"
      "    c\n",
      "line 4, column 10",
      "derive.x: unknown name \"c\"" },
    { "table no map",
      TOP "tables: {T: 1}\n",
      "line 3, column 13",
      "tables.T: expected a map, found an integer" },
    { "view of an unknown axis",
      TOP "views: {v: [a, c]}\n",
      "line 3, column 16",
      "views.v[1]: \"c\" is not an axis; a" },
    { "view with an axis twice",
      TOP "views: {v: [a, a]}\n",
      "line 3, column 16",
      "views.v[1]: a stands twice in this view" },
    { "view item",
      TOP "views: {v: [a, 3]}\n",
      "line 3, column 16",
      "views.v[1]: expected an axis or {name: EXPRESSION}" },
    { "empty view",
      TOP "views: {v: []}\n",
      "line 3, column 12",
      "views.v: 0 axes; a view has from" },
    { "view no list",
      TOP "views: {v: 3}\n",
      "line 3, column 12",
      "views.v: expected a list or a map," },
    { "view name",
      TOP "views: {a-b: [a]}\n",
      "line 3, column 9",
      "views.a-b: \"a-b\" cannot be the name of" },
    { "groups of an unknown view",
      TOP "views: {v: [a]}\n"
      "groups: {g: {of: w.a}}\n",
      "line 4, column 18",
      "groups.g.of: \"w.a\" names no group and no" },
    { "groups of an unknown axis",
      TOP "views: {v: [a]}\n"
      "groups: {g: {of: v.b}}\n",
      "line 4, column 18",
      "groups.g.of: \"v.b\": the view v has no" },
    { "groups without of",
      TOP "groups: {g: {cut: 2}}\n",
      "line 3, column 13",
      "groups.g: the key of is missing" },
    { "axis set of an unknown axis",
      TOP "axis_sets: [{set: [a, c]}]\n",
      "line 3, column 19",
      "axis_sets[0].set: \"c\" is not an axis of" },
    { "axis set both",
      TOP "axis_sets: [{set: [a], refuse: [b]}]\n",
      "line 3, column 13",
      "axis_sets[0]: expected either set or refuse" },
    { "axis set neither",
      TOP "axis_sets: [{because: x}]\n",
      "line 3, column 13",
      "axis_sets[0]: expected either set or refuse" },
    { "rules no list",
      TOP "rules: {a: 1}\n",
      "line 3, column 8",
      "rules: expected a list, found a map" },
    { "rule without code",
      TOP "rules: [{refuse: 'a > 1'}]\n",
      "line 3, column 9",
      "rules[0]: the key code is missing" },
    { "rule without expression",
      TOP "rules: [{code: c}]\n",
      "line 3, column 9",
      "rules[0]: expected one of refuse, warn and" },
    { "rule refuses and warns",
      TOP "rules: [{code: c, refuse: 'a > 1', warn: 'a > 1'}]\n",
      "line 3, column 9",
      "rules[0]: expected one of refuse, warn and" },
    { "rule key",
      TOP "rules: [{code: c, refuses: 'a > 1'}]\n",
      "line 3, column 19",
      "rules[0].refuses: unknown key; the nearest known one" },
    { "unknown check",
      TOP "rules: [{check: rank}]\n",
      "line 3, column 17",
      "rules[0].check: no check is called \"rank\"" },
    { "check with an expression",
      TOP "rules: [{check: ranks, refuse: 'a > 1'}]\n",
      "line 3, column 9",
      "rules[0]: a placed check has no expression" },
    { "codes of another check",
      TOP "rules: [{check: ranks, codes: {unplaced: c}}]\n",
      "line 3, column 32",
      "rules[0].codes.unplaced: the check ranks finds nothing called" },
    { "except an unknown axis",
      TOP "rules: [{check: sizes, except: [c]}]\n",
      "line 3, column 32",
      "rules[0].except: \"c\" is not an axis of" },
    { "same_groups of an unknown view",
      TOP "rules: [{check: same_groups, views: [v]}]\n",
      "line 3, column 37",
      "rules[0].views: \"v\" is no view of this" },
    { "combined of an unknown axis",
      TOP "rules: [{check: combined, axis: c}]\n",
      "line 3, column 33",
      "rules[0].axis: \"c\" is not an axis of" },
    { "for without as",
      TOP "rules: [{code: c, for: placed, refuse: 'a > 1'}]\n",
      "line 3, column 24",
      "rules[0].for: expected LIST as NAME, as in" },
    { "for an unknown list",
      TOP "rules: [{code: c, for: place as p, refuse: 'a > 1'}]\n",
      "line 3, column 24",
      "rules[0].for: unknown name \"place\"; the nearest is" },
    { "for no list",
      TOP "rules: [{code: c, for: a as p, refuse: 'a > 1'}]\n",
      "line 3, column 24",
      "rules[0].for: the result is of type integer," },
    { "alias shadows",
      TOP "rules: [{code: c, for: placed as a, refuse: 'a > 1'}]\n",
      "line 3, column 24",
      "rules[0].for: \"a\" cannot be the name of" },
    { "alias no identifier",
      TOP "rules: [{code: c, for: placed as 9p, refuse: 'a >"
      " 1'}]\n",
      "line 3, column 24",
      "rules[0].for: \"9p\" cannot be the name of" },
    { "unknown member",
      TOP "rules: [{code: c, for: placed as p, refuse: 'p.nmae"
      " == \"x\"'}]\n",
      "line 3, column 48",
      "rules[0].refuse: unknown name \"nmae\"; the nearest is" },
    { "unknown name",
      TOP "rules:\n"
      "  - code: c\n"
      "    refuse: 'a > 1 && bb > 1'\n",
      "line 5, column 23",
      "rules[0].refuse: unknown name \"bb\"" },
    { "alias seen in another rule",
      TOP "rules: [{code: c, for: placed as p, refuse: 'p.a >"
      " 1'}, {code: d, refuse: 'p.a > 1'}]\n",
      "line 3, column 76",
      "rules[1].refuse: unknown name \"p\"" },
    { "refuse no boolean",
      TOP "rules: [{code: c, refuse: a * b}]\n",
      "line 3, column 27",
      "rules[0].refuse: the result is of type integer," },
    { "refuse of mixed types",
      TOP "rules: [{code: c, refuse: 'a == \"x\"'}]\n",
      "line 3, column 28",
      "rules[0].refuse: \"==\" needs values of one type," },
    { "unbalanced expression",
      TOP "rules: [{code: c, refuse: '(a > 1'}]\n",
      "line 3, column 34",
      "rules[0].refuse: the expression ends too early; expected" },
    { "list of an unknown view",
      TOP "rules: [{code: c, for: 'lists(\"v.a\") as g', refuse:"
      " 'g.size > 1'}]\n",
      "line 3, column 31",
      "rules[0].for: unknown group list \"v.a\"; expected the" },
    { "names of checks outside",
      TOP "rules: [{code: c, refuse: 'size > 1'}]\n",
      "line 3, column 28",
      "rules[0].refuse: unknown name \"size\"" },
    { "try without set",
      TOP "rules: [{code: c, refuse: 'a > 1', try: [{say: x}]}]\n",
      "line 3, column 42",
      "rules[0].try[0]: the key set is missing" },
    { "try sets nothing",
      TOP "rules: [{code: c, refuse: 'a > 1', try: [{set: {}}]}]\n",
      "line 3, column 48",
      "rules[0].try[0].set: a remedy sets at least one" },
    { "try sets an unknown name",
      TOP "rules: [{code: c, refuse: 'a > 1', try: [{set: {c:"
      " 1}}]}]\n",
      "line 3, column 49",
      "rules[0].try[0].set.c: \"c\" cannot be set: it is" },
    { "try sets a derived size",
      TOP "derive: {x: a}\n"
      "rules: [{code: c, refuse: 'a > 1', try: [{set: {x:"
      " 1}}]}]\n",
      "line 4, column 49",
      "rules[0].try[0].set.x: \"x\" cannot be set: it is" },
    { "try with a bad expression",
      TOP "rules: [{code: c, refuse: 'a > 1', try: [{set: {a:"
      " 'c'}}]}]\n",
      "line 3, column 53",
      "rules[0].try[0].set.a: unknown name \"c\"" },
    { "keep of no size",
      TOP "keep: c\n",
      "line 3, column 7",
      "keep: \"c\" is not a size of" },
    { "create neither list nor union",
      TOP "create: [{backend: cpu}]\n",
      "line 3, column 10",
      "create[0]: expected either list or union" },
    { "create of an unknown list",
      TOP "create: [{list: c}]\n",
      "line 3, column 17",
      "create[0].list: \"c\": the runtime r has no" },
    { "create in an unknown order",
      TOP "create: [{list: a, sort: numeric}]\n",
      "line 3, column 26",
      "create[0].sort: \"numeric\" is no order; there is" },
    { "carry of an unknown type",
      TOP "carry: {k: {type: integer}}\n",
      "line 3, column 19",
      "carry.k.type: no type is called \"integer\"; there" },
    { "carry shadows",
      TOP "carry: {a: {type: int}}\n",
      "line 3, column 12",
      "carry.a: the name a has a meaning" },
    { "carry twice by as",
      TOP "carry: {k: {type: int, as: l}, l: {type: int}}\n",
      "line 3, column 35",
      "carry.l: the name l has a meaning" },
    { "links of an unknown axis",
      TOP "links: {c: any}\n",
      "line 3, column 9",
      "links.c: c is not an axis of" },
    { "offset no integer",
      TOP "offset: 'a > 1'\n",
      "line 3, column 10",
      "offset: the result is of type boolean," },
    { "shard order of an unknown thing",
      TOP "shard_order: {columns: [a]}\n",
      "line 3, column 15",
      "shard_order.columns: nothing called columns is split" },
    { "shard order of an axis that does not split it",
      TOP "shard_order: {heads: [a]}\n",
      "line 3, column 22",
      "shard_order.heads: \"a\" is not an axis that" },
    { "request of an unknown kind",
      TOP "request: ranks\n",
      "line 3, column 10",
      "request: a request has node_groups or a" },
    { "expression that yaml took apart",
      TOP "rules: [{code: c, refuse: a > 1 ? true : false}]\n",
      "line 3, column 40",
      "expected ',' or '}' in the map;" },
    { "expression too deep",
      TOP "rules: [{code: c, refuse:"
      " '(((((((((((((((((((((((((((((((((((((((((((((((((((("
      "((((((((((((((((((a >"
      " 1))))))))))))))))))))))))))))))))))))))))))))))))))))"
      "))))))))))))))))))'}]\n",
      "line 3, column 93",
      "rules[0].refuse: nested deeper than 64; give a" },
};
/* clang-format on */

static const struct runtime *load(struct arena *arena, const char *text,
                                  struct error *err)
{
    const struct tree *document = read_yaml(arena, "file", text, err);

    return document != NULL ? runtime_load(arena, document, err) : NULL;
}

START_TEST(a_mistake_is_refused_with_its_place)
{
    struct arena *arena = arena_new(16 << 20);
    struct error err = { 0 };

    ck_assert_msg(load(arena, malformed[_i].text, &err) == NULL, "%s",
                  malformed[_i].what);
    ck_assert_int_eq(err.status, STATUS_INVALID);
    ck_assert_msg(strstr(err.text, malformed[_i].place) != NULL &&
                      strstr(err.text, malformed[_i].sentence) != NULL,
                  "%s: %s", malformed[_i].what, err.text);
    ck_assert_msg(strncmp(err.text, "file: ", 6) == 0, "%s", err.text);
    arena_free(arena);
}
END_TEST

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
            ck_assert_int_eq(err.status, STATUS_EXHAUSTED);
        arena_free(document);
        arena_free(arena);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("runtime");
    TCase *tc = tcase_create("load");

    tcase_add_loop_test(tc, a_mistake_is_refused_with_its_place, 0,
                        ARRAY_LEN(malformed));
    tcase_add_test(tc, a_whole_declaration_is_loaded);
    tcase_add_test(tc, the_first_checks_come_before_the_rules_of_the_file);
    tcase_add_test(tc, seventeen_axes_are_too_many);
    tcase_add_test(tc, rules_and_names_have_bounds);
    tcase_add_test(tc, a_full_arena_is_exhausted_and_no_mistake);
    tcase_add_loop_test(tc, a_list_is_found_by_its_name, 0, ARRAY_LEN(lists));
    suite_add_tcase(suite, tc);
    return tap_run(suite);
}
