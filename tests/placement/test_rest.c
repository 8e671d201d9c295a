/* SPDX-License-Identifier: Apache-2.0 */
/* What is at rest spares evaluations, and a verdict alone, which makes use of
 * that, is the verdict of a check that evaluates everything. */
#include "tests/placement/check_fixture.h"

#include "proto/catalog.h"
#include "tests/placement/random_request.h"

enum {
    WORLDS = 2000, /* drawn for each runtime and round */
    ROUNDS = 4,
};

/* ---- what spares a rule -------------------------------------------------- */

/* A rule, and what must be at rest for it to find nothing: "a o" any of these,
 * "a+b" all of these, "" it always runs. */
static const struct {
    const char *rule, *spared_by;
} spared[] = {
    { "refuse: 'a > 1 && world % a != 0'", "a" },
    { "refuse: 'o && a > 1'", "a o" },
    { "refuse: 'a > 1 || b > 1'", "a+b" },
    { "refuse: 'a * b > 1'", "a+b" },
    { "refuse: 'both > 1 && world > 2'", "a+b" },
    { "refuse: 'both > 1 && o'", "o" },
    { "refuse: 's == \"x\"'", "s" },
    { "refuse: 's in [\"x\", \"y\"]'", "s" },
    { "refuse: 'rows[s].limit < b'", "b+s" },
    { "refuse: 'has(n) && n < 0'", "n" },
    { "refuse: 'has(heads) && heads % a != 0'", "heads" },
    { "refuse: 'a > 1 && heads % a != 0'", "a" },
    { "refuse: 'doubled > 2'", "n2" },
    { "refuse: 'c == 4'", "n2+c" },
    { "when: a > 1, refuse: world % a != 0", "a" },
    { "when: 'world > 1 && o', refuse: a > 1", "o" },
    { "for: groups as g, refuse: 'g.a > 1 && g.ranks > 3'", "a" },
    { "for: '[a, b] as x', refuse: 'x > 1 && o'", "o" },
    /* what is not known to be false must be told */
    { "refuse: world % 2 != 0", "" },
    { "refuse: 'world % a != 0'", "" },
    { "refuse: '!has(n)'", "" },
    { "refuse: 'n < 0'", "" },
    { "refuse: 'heads % a != 0'", "" },
    { "when: world > 1, refuse: a > 1", "" },
    { "refuse: '[b, world].exists(x, x > 1)'", "" },
    { "refuse: 'given.a > 1'", "" },
    { "for: '[a, world] as x', refuse: x > 1", "" },
    { "for: groups as g, refuse: 'g.ranks > 3'", "" },
};

static const char spared_head[] =
    "runtime: r\n"
    "axes: [{name: a}, {name: b}]\n"
    "options:\n"
    "  o: {type: bool, default: false}\n"
    "  s: {type: string, default: z}\n"
    "  n: {type: int}\n"
    "  n2: {type: int, default: 1}\n"
    "  c: {type: int, default: 'n2 * 2'}\n"
    "derive: {both: a * b, doubled: 2 * n2}\n"
    "tables: {rows: {z: {limit: 1}, x: {limit: 2}}}\n"
    "views: {v: [a, b, {r: world / (a * b)}]}\n";

/* The names whose bits are in a mask, in the order they were declared. */
static void put_names(const struct runtime *rt, uint64_t mask,
                      const char *between, struct text *out)
{
    for (size_t i = 0; i < rt->n_symbols; i++) {
        const struct symbol *symbol = &rt->symbols[i];
        int bit = -1;

        if (symbol->kind == SYMBOL_AXIS)
            bit = rt->axes[symbol->index].rest;
        if (symbol->kind == SYMBOL_OPTION)
            bit = rt->options[symbol->index].rest;
        if (symbol->kind == SYMBOL_FACT)
            bit = rt->facts[symbol->index].rest;
        if (bit >= 0 && (mask >> bit & 1) != 0)
            text_printf(out, "%s%s", out->len > 0 ? between : "", symbol->name);
    }
}

START_TEST(inputs_at_rest_spare_a_rule)
{
    struct arena *arena = arena_new(1 << 20);
    struct text text = { 0 }, names = { 0 };
    struct error err = { 0 };
    const struct runtime *rt;
    const struct spare *spare;
    const struct tree *document;

    text_printf(&text, "%srules: [{code: c, %s}]\n", spared_head,
                spared[_i].rule);
    document = read_yaml(arena, NULL, text_string(&text), &err);
    ck_assert_msg(document != NULL, "%s", err.text);
    rt = runtime_load(arena, document, &err);
    ck_assert_msg(rt != NULL, "%s", err.text);
    spare = &rt->rules[rt->n_rules - 1].spare;
    put_names(rt, spare->any, " ", &names);
    put_names(rt, spare->together, "+", &names);
    ck_assert_str_eq(text_string(&names), spared[_i].spared_by);
    text_close(&text);
    text_close(&names);
    arena_free(arena);
}
END_TEST

/* ---- the same verdict ---------------------------------------------------- */

/* Everything that can be pending, spared or neither. */
static const char everything[] =
    "runtime: everything\n"
    "axes:\n"
    "  - {name: a}\n"
    "  - {name: b, default: 'big ? 2 : 1'}\n"
    "  - {name: c, fill: 'div(world, a * b)', fill_on: -1, default: -1}\n"
    "  - {name: d, when: kind != \"plain\"}\n"
    "options:\n"
    "  big: {type: bool, default: false}\n"
    "  kind: {type: string, default: plain, one_of: [plain, Split, wide]}\n"
    "  list: {type: list, default: [1, 2]}\n"
    "  none: {type: int}\n"
    "  twice: {type: int, default: none * 2}\n"
    "  ratio: {type: number, default: 2}\n"
    "tables:\n"
    "  kinds:\n"
    "    plain: {most: 8, parts: [1, 2, 4]}\n"
    "    Split: {most: 4, parts: [2]}\n"
    "    wide: {most: 64, parts: [1, 3]}\n"
    "derive:\n"
    "  cut: world / (a * b)\n"
    "  both: a * b\n"
    "  parts: kinds[kind].parts\n"
    "  scaled: 'list.map(x, x * a)'\n"
    "  low: 'both > 2 ? kind.lower() : \"few\"'\n"
    "  words: 'low.split(\"l\")'\n"
    "  chosen:\n"
    "    - {when: a > 2, value: cut}\n"
    "    - {when: kind == \"wide\", value: 3}\n"
    "    - {value: 1}\n"
    "  odd: 'has(none) && none % 2 == 1'\n"
    "  unknown_often: heads * both\n"
    "views:\n"
    "  v: [a, b, {r: world / (a * b)}]\n"
    "  w: [{x: 'min(c, world)'}, {y: 'div(world, min(c, world))'}]\n"
    "groups: {g: {when: a > 1, of: v.a+b}}\n"
    "rules:\n"
    "  - {code: r1, refuse: 'both > 4 && low == \"split\"'}\n"
    "  - {code: r2, refuse: 'a > 1 && !(a in parts)'}\n"
    "  - {code: r3, refuse: 'size(words) > 2 && low == \"split\"'}\n"
    "  - {code: r4, when: a > 1, refuse: 'scaled.exists(x, x % 5 == 0)'}\n"
    "  - {code: r5, refuse: 'odd || chosen == 8'}\n"
    "  - {code: r6, refuse: 'twice > 14'}\n"
    "  - {code: r7, warn: 'unknown_often % 2 == 0'}\n"
    "  - {code: r8, refuse: 'unknown_often % 7 == 0 && big'}\n"
    "  - {code: r9, for: 'lists(\"v.a\") as l',\n"
    "     refuse: 'd > 1 && l.size * d > 12'}\n"
    "  - {code: r10, for: groups as g,\n"
    "     refuse: 'g.b > 1 && g.ranks / g.b < 2'}\n"
    "  - {code: r11, refuse: 'b / a > 3 && c > 1'}\n"
    "  - {code: r12, refuse: 'ratio / 4 == 0.5 && a == 3'}\n"
    "  - {code: r13, refuse: 'both > kinds[kind].most && d > 1'}\n"
    "  - {code: r14, for: scaled as s, refuse: s > 20}\n"
    "  - {code: r15, for: placed as p,\n"
    "     refuse: 'p.d > 1 && has(p.heads) && p.heads % p.d != 0'}\n";

struct tally {
    int accepted, refused;
};

static void compare(const struct question *question, struct arena *arena,
                    struct tally *tally)
{
    struct error err = { 0 };
    struct check *only, *whole;

    only = check_run(question, arena, CHECK_VERDICT_ONLY, &err);
    whole = check_run(question, arena, 0, &err);
    if (only == NULL || whole == NULL ||
        check_accepts(only) != check_accepts(whole) ||
        (!check_accepts(whole) && strcmp(only->refused.items[0].code,
                                         whole->refused.items[0].code) != 0)) {
        struct text yaml = { 0 };

        document_write_yaml(question->deployment->document, &yaml);
        ck_abort_msg("%s\nalone: %s\nwhole: %s", text_string(&yaml),
                     only == NULL          ? "exhausted"
                     : check_accepts(only) ? "accepted"
                                           : only->refused.items[0].code,
                     whole == NULL          ? "exhausted"
                     : check_accepts(whole) ? "accepted"
                                            : whole->refused.items[0].code);
    }
    tally->accepted += check_accepts(whole);
    tally->refused += !check_accepts(whole);
}

static struct tally compare_worlds(const struct runtime *rt, uint64_t seed)
{
    struct random random = { seed };
    struct arena *arena = arena_new(64 << 20);
    struct tally tally = { 0 };

    for (int i = 0; i < WORLDS; i++) {
        struct tree_maker maker = { .arena = arena };
        struct question question = { .runtime = rt };
        struct error err = { 0 };

        arena_reset(arena);
        if (random_chance(&random, 50))
            question.model =
                model_load(arena, random_facts(&random, &maker, rt), &err);
        question.deployment =
            deployment_load(arena, rt, random_world(&random, &maker, rt), &err);
        ck_assert_msg(question.deployment != NULL && !maker.failed, "%s: %s",
                      rt->name, err.text);
        compare(&question, arena, &tally);
    }
    arena_free(arena);
    return tally;
}

static void assert_both(const struct runtime *rt, struct tally tally)
{
    ck_assert_msg(tally.accepted > WORLDS / 100, "%s accepted %d", rt->name,
                  tally.accepted);
    ck_assert_msg(tally.refused > WORLDS / 100, "%s refused %d", rt->name,
                  tally.refused);
}

START_TEST(a_verdict_alone_is_that_of_a_whole_check)
{
    struct arena *arena = arena_new(1 << 20);
    struct error err = { 0 };
    const struct tree *document = read_yaml(arena, NULL, everything, &err);
    const struct runtime *rt;

    ck_assert_msg(document != NULL, "%s", err.text);
    rt = runtime_load(arena, document, &err);
    ck_assert_msg(rt != NULL, "%s", err.text);
    assert_both(rt, compare_worlds(rt, (uint64_t)_i + 1));
    arena_free(arena);
}
END_TEST

/* Of runtimes with node groups test_properties.c draws requests. */
START_TEST(it_is_so_for_every_shipped_runtime_of_worlds)
{
    struct error err = { 0 };
    struct catalog *catalog = catalog_new(NULL, &err);
    const char *const *names;
    size_t n;

    ck_assert_msg(catalog != NULL, "%s", err.text);
    names = catalog_runtimes(catalog, &n);
    for (size_t i = 0; i < n; i++) {
        const struct runtime *rt = catalog_runtime(catalog, names[i], &err);

        ck_assert_msg(rt != NULL, "%s", err.text);
        if (rt->spans)
            assert_both(rt, compare_worlds(rt, (uint64_t)_i + 1));
    }
    catalog_free(catalog);
}
END_TEST

/* More inputs than a mask has bits: those that have none are not made use of.
 */
START_TEST(inputs_beyond_the_mask_only_cost_time)
{
    struct arena *arena = arena_new(8 << 20);
    struct text text = { 0 };
    struct error err = { 0 };
    const struct tree *document;
    const struct runtime *rt;

    text_put(&text, "runtime: r\naxes: [{name: a}]\nviews: {v: [a, {r: world / "
                    "a}]}\noptions:\n");
    for (int i = 0; i < RUNTIME_RESTS_MAX + 8; i++)
        text_printf(&text, "  o%d: {type: bool, default: false}\n", i);
    text_put(&text, "rules:\n");
    for (int i = 0; i < RUNTIME_RESTS_MAX + 8; i++)
        text_printf(&text, "  - {code: c%d, refuse: 'o%d && a > 1'}\n", i, i);
    document = read_yaml(arena, NULL, text_string(&text), &err);
    ck_assert_msg(document != NULL, "%s", err.text);
    rt = runtime_load(arena, document, &err);
    ck_assert_msg(rt != NULL, "%s", err.text);
    ck_assert_uint_eq(rt->n_rests, RUNTIME_RESTS_MAX);
    assert_both(rt, compare_worlds(rt, (uint64_t)_i + 1));
    text_close(&text);
    arena_free(arena);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("rest");
    TCase *tc = tcase_create("rest");

    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc, inputs_at_rest_spare_a_rule, 0,
                        (int)ARRAY_LEN(spared));
    tcase_add_loop_test(tc, a_verdict_alone_is_that_of_a_whole_check, 0,
                        ROUNDS);
    tcase_add_loop_test(tc, it_is_so_for_every_shipped_runtime_of_worlds, 0,
                        ROUNDS);
    tcase_add_test(tc, inputs_beyond_the_mask_only_cost_time);
    suite_add_tcase(suite, tc);
    return tap_run(suite);
}
