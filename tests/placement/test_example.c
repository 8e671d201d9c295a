/* SPDX-License-Identifier: Apache-2.0 */
/* Examples: for every rule a request that it refuses, and one that runs. With
 * SHARE=DIR in the environment also of the runtimes of a folder; with
 * SHOW_EXAMPLES they are printed. */
#include "placement/example.h"

#include <stdio.h>
#include <stdlib.h>

#include "proto/bases.h"
#include "tests/placement/check_fixture.h"

static void show(const struct runtime *rt, const char *code,
                 const struct example *e)
{
    struct text text = { 0 };

    document_write_json(e->settings, false, &text);
    document_write_json(e->facts, false, &text);
    text_put(&text, " but ");
    document_write_json(e->changes, false, &text);
    printf("# %s %s%s: %s\n", rt->name, code,
           check_accepts(e->check) || e->finding == e->check->refused.items
               ? ""
               : " (not first)",
           text_string(&text));
    text_close(&text);
}

/* ---- what is shown ------------------------------------------------------ */

/* Whether a key is there, also with null. */
static bool has_key(const struct tree *map, const char *key)
{
    for (const struct tree *t = tree_first(map); t != NULL; t = t->next)
        if (strcmp(t->key, key) == 0)
            return true;
    return false;
}

/* Puts what is set into a request of a world, what is a fact into facts; null
 * is not set. but: what is left out here. */
static void put_shown(const struct runtime *rt, const struct tree *settings,
                      const struct tree *but, struct tree_maker *maker,
                      struct tree *request, struct tree *facts)
{
    for (const struct tree *t = tree_first(settings); t != NULL; t = t->next) {
        const struct symbol *symbol = runtime_symbol(rt, t->key);
        struct tree *to = request;

        if (t->type == TREE_NULL || has_key(but, t->key))
            continue;
        if (symbol != NULL && symbol->kind == SYMBOL_AXIS)
            to = (struct tree *)tree_get(request, "sizes");
        else if (symbol != NULL && symbol->kind == SYMBOL_OPTION)
            to = (struct tree *)tree_get(request, "options");
        else if (symbol != NULL && symbol->kind == SYMBOL_FACT)
            to = facts;
        make_copy(maker, to, t->key, t);
    }
}

/* The check of an example as somebody would write it down: with what it shows
 * and nothing else; with the changes the accepted one. */
static const struct check *check_shown(const struct runtime *rt,
                                       const struct example *e,
                                       const struct tree *changes,
                                       struct arena *arena)
{
    struct tree_maker maker = { .arena = arena };
    struct tree *request = make_map(&maker, NULL, NULL);
    struct tree *facts = make_map(&maker, NULL, NULL);
    struct model *model = arena_alloc(arena, sizeof(*model));
    struct question question = { .runtime = rt };
    struct error err = { 0 };

    make_string(&maker, request, "runtime", rt->name);
    make_map(&maker, request, "sizes");
    make_map(&maker, request, "options");
    put_shown(rt, e->settings, changes, &maker, request, facts);
    put_shown(rt, e->facts, changes, &maker, request, facts);
    put_shown(rt, changes, NULL, &maker, request, facts);
    *model = (struct model){ .name = "shown", .document = request };
    model->facts = facts;
    if (tree_count(facts) > 0)
        question.model = model;
    question.deployment = deployment_load(arena, rt, request, &err);
    ck_assert_msg(question.deployment != NULL, "%s", err.text);
    return check_run(&question, arena, 0, &err);
}

static bool has_finding(const struct findings *list, const struct rule *rule,
                        const char *code)
{
    for (size_t i = 0; i < list->n; i++)
        if (list->items[i].rule == rule &&
            strcmp(list->items[i].code, code) == 0)
            return true;
    return false;
}

/* Who types what is shown is told the code, and with the changes no more. */
static void assert_shown(const struct runtime *rt, const struct rule *rule,
                         const char *code, const struct example *e,
                         struct arena *arena)
{
    const struct check *refused = check_shown(rt, e, NULL, arena);
    const struct check *accepted = check_shown(rt, e, e->changes, arena);

    ck_assert_msg(has_finding(&refused->refused, rule, code) ||
                      has_finding(&refused->warnings, rule, code),
                  "%s: what is shown is not refused", code);
    ck_assert_msg(check_accepts(accepted) &&
                      !has_finding(&accepted->warnings, rule, code),
                  "%s: its neighbour is not accepted", code);
}

static void assert_example(struct example_search *search,
                           const struct runtime *rt, const struct rule *rule,
                           const char *code, struct text *missing)
{
    struct arena *arena = arena_new(64 << 20);
    struct example e;
    struct error err = { 0 };
    struct example_sought sought = { rule, code, -1 };
    int rc = example_find(search, &sought, arena, &e, &err);

    ck_assert_msg(rc >= 0, "%s", err.text);
    if (rc == 0) {
        text_printf(missing, "\n# %s: %s: %s", rt->name, code,
                    rule->refuse != NULL ? expression_source(rule->refuse)
                                         : structure_name(rule->structure));
    } else {
        struct check *again = check_run(&e.accepted, arena, 0, &err);

        ck_assert_str_eq(e.finding->code, code);
        ck_assert_ptr_eq(e.finding->rule, rule);
        ck_assert(again != NULL && check_accepts(again));
        ck_assert_uint_gt(tree_count(e.changes), 0);
        if (rt->spans)
            assert_shown(rt, rule, code, &e, arena);
        if (getenv("SHOW_EXAMPLES") != NULL)
            show(rt, code, &e);
    }
    arena_free(arena);
}

/* Every code that the runtime gives a rule, a check or a set of axes. */
static void assert_examples(struct example_search *search,
                            const struct runtime *rt, const struct rule *rule,
                            struct text *missing)
{
    if (rule->code != NULL)
        assert_example(search, rt, rule, rule->code, missing);
    for (size_t i = 0; i < rule->n_codes; i++)
        assert_example(search, rt, rule, rule->codes[i].code, missing);
    for (size_t i = 0;
         rule->structure == STRUCTURE_axis_sets && i < rt->n_axis_sets; i++)
        if (rt->axis_sets[i].code != NULL)
            assert_example(search, rt, rule, rt->axis_sets[i].code, missing);
    for (size_t i = 0; rule->structure == STRUCTURE_keys && i < rt->n_carries;
         i++)
        if (rt->carries[i].code != NULL)
            assert_example(search, rt, rule, rt->carries[i].code, missing);
}

static size_t runtimes_known(struct catalog *catalog, const char *const **ret)
{
    size_t n;

    *ret = catalog_runtimes(catalog, &n);
    return *ret != NULL ? n : 0;
}

/* One runtime in each round. */
START_TEST(every_code_of_a_shipped_runtime_has_one)
{
    struct error err = { 0 };
    struct catalog *catalog = catalog_new(getenv("SHARE"), &err);
    struct arena *arena = arena_new(64 << 20);
    struct example_base bases[EXAMPLE_BASES_MAX];
    const char *const *names;
    const struct runtime *rt;
    struct example_search *search;
    struct text missing = { 0 };
    size_t n = 0;

    ck_assert_int_lt(_i, (int)runtimes_known(catalog, &names));
    rt = catalog_runtime(catalog, names[_i], &err);
    ck_assert_msg(rt != NULL &&
                      bases_make(catalog, rt, arena, bases, &n, &err) == 0,
                  "%s", err.text);
    search = example_search_new(rt, bases, n, &err);
    ck_assert_msg(search != NULL, "%s", err.text);
    for (size_t r = 0; r < rt->n_rules; r++)
        assert_examples(search, rt, &rt->rules[r], &missing);
    ck_assert_msg(missing.len == 0, "no example for%s", text_string(&missing));
    text_close(&missing);
    example_search_free(search);
    arena_free(arena);
    catalog_free(catalog);
}
END_TEST

static int count_runtimes(void)
{
    struct error err;
    struct catalog *catalog = catalog_new(getenv("SHARE"), &err);
    const char *const *names;
    int n = 1; /* a round that fails */

    if (catalog != NULL)
        n = (int)runtimes_known(catalog, &names);
    catalog_free(catalog);
    return n > 0 ? n : 1;
}

static const char loom[] =
    "runtime: loom\nrequest: world\naxes: [{name: a}, {name: b}]\n"
    "options: {mode: {type: string, default: plain},"
    " entries: {type: list, default: '[]'}}\n"
    "facts: {knots: int}\nderive: {both: a * b}\n"
    "rules:\n"
    "  - {code: by_size, refuse: a == 3}\n"
    "  - {code: by_world, refuse: world % both != 0}\n"
    "  - {code: by_option, refuse: 'b > 1 && mode == \"rare\"'}\n"
    "  - {code: by_fact, when: has(knots), refuse: knots % b == 5}\n"
    "  - {code: by_item, for: entries as e, refuse: e.weight == 2}\n"
    "  - {code: by_warning, warn: a == 8}\n"
    "  - {code: never, refuse: a != a}\n"
    "  - {check: product}\n";

/* Whether an example is found. */
static bool seek(struct asked *a, const struct example_sought *sought,
                 struct example *ret)
{
    struct catalog *catalog = catalog_new(NULL, &a->err);
    struct example_base bases[EXAMPLE_BASES_MAX];
    struct example_search *search;
    size_t n;
    int rc;

    ck_assert(bases_make(catalog, a->runtime, a->arena, bases, &n, &a->err) ==
              0);
    search = example_search_new(a->runtime, bases, n, &a->err);
    ck_assert_ptr_nonnull(search);
    rc = example_find(search, sought, a->arena, ret, &a->err);
    ck_assert_msg(rc >= 0, "%s", a->err.text);
    example_search_free(search);
    catalog_free(catalog);
    return rc == 1;
}

/* The same of the rule with this code. */
static bool find_example(struct asked *a, const char *code, struct example *ret)
{
    struct example_sought sought = { a->runtime->rules, code, -1 };

    while (sought.rule->code == NULL || strcmp(sought.rule->code, code) != 0)
        ck_assert(++sought.rule < a->runtime->rules + a->runtime->n_rules);
    return seek(a, &sought, ret);
}

static void open_loom(struct asked *a)
{
    *a = (struct asked){ .arena = arena_new(256 << 20) };
    ck_assert_msg(load_asked(a, loom, NULL, "world: 1"), "%s", a->err.text);
}

/* clang-format off */
static const struct {
    const char *code;
    const char *allowed; /* what the two requests may differ in */
} found[] = {
    { "by_size", " a world " },
    { "by_world", " world a b " },
    { "by_option", " mode b world " },
    { "by_fact", " knots b world " },
    { "by_item", " entries " },
    { "by_warning", " a world " },
};
/* clang-format on */

START_TEST(an_example_is_refused_and_its_neighbour_runs)
{
    struct example e, again;
    struct asked a;
    struct check *check;
    const struct tree *t;

    open_loom(&a);
    ck_assert_msg(find_example(&a, found[_i].code, &e), "%s", found[_i].code);
    ck_assert_str_eq(e.finding->code, found[_i].code);
    check = check_run(&e.accepted, a.arena, 0, &a.err);
    ck_assert_ptr_nonnull(check);
    ck_assert(check_accepts(check));
    ck_assert_uint_eq(check->warnings.n, 0);
    ck_assert_uint_gt(tree_count(e.changes), 0);
    for (t = tree_first(e.changes); t != NULL; t = t->next) {
        char word[72];

        snprintf(word, sizeof(word), " %s ", t->key);
        ck_assert_has(found[_i].allowed, word);
    }
    ck_assert(find_example(&a, found[_i].code, &again));
    ck_assert(value_equal(value_of_tree(e.settings, NULL),
                          value_of_tree(again.settings, NULL)));
    asked_close(&a);
}
END_TEST

START_TEST(a_rule_that_never_fires_has_none)
{
    struct example e;
    struct asked a;

    open_loom(&a);
    ck_assert(!find_example(&a, "never", &e));
    asked_close(&a);
}
END_TEST

static const char felt[] = "runtime: felt\nrequest: world\naxes: [{name: a}]\n"
                           "rules: [{code: always, warn: a >= 1}]\n";

START_TEST(a_warning_that_stays_has_no_neighbour)
{
    struct asked a = { .arena = arena_new(256 << 20) };
    struct example e;

    ck_assert_msg(load_asked(&a, felt, NULL, "world: 1"), "%s", a.err.text);
    ck_assert(!find_example(&a, "always", &e));
    asked_close(&a);
}
END_TEST

static const char plush[] =
    "runtime: plush\nrequest: world\naxes: [{name: a}]\n"
    "rules:\n"
    "  - {code: front, refuse: a == 4}\n"
    "  - {code: meant, refuse: a >= 4}\n"
    "  - {code: behind, refuse: a > 4}\n";

START_TEST(an_example_is_refused_by_the_rule_before_others)
{
    struct asked a = { .arena = arena_new(256 << 20) };
    struct example e;

    ck_assert_msg(load_asked(&a, plush, NULL, "world: 1"), "%s", a.err.text);
    ck_assert(find_example(&a, "meant", &e));
    ck_assert_ptr_eq(e.finding, &e.check->refused.items[0]);
    asked_close(&a);
}
END_TEST

static const char yarn[] =
    "runtime: yarn\nrequest: world\naxes: [{name: a}]\nfacts: {ply: int}\n"
    "rules: [{code: thick, refuse: ply == 3 && a > 1},"
    " {code: wide, refuse: a > 4}]\n";

/* Who has a model has its facts. */
START_TEST(a_neighbour_has_the_same_model_where_a_setting_helps)
{
    struct asked a = { .arena = arena_new(256 << 20) };
    struct example e;

    ck_assert_msg(load_asked(&a, yarn, NULL, "world: 1"), "%s", a.err.text);
    ck_assert(find_example(&a, "thick", &e));
    ck_assert(has_key(e.facts, "ply"));
    ck_assert(!has_key(e.changes, "ply"));
    asked_close(&a);
}
END_TEST

static const char weave[] =
    "runtime: weave\nrequest: world\naxes: [{name: a}, {name: b}]\n"
    "options: {order: {type: any}}\n"
    "views: {v: {axes: [a, b], order: order, outermost: first}}\n"
    "rules:\n"
    "  - {check: order, codes: {missing: bad, unknown: bad, repeated: bad,"
    " unreadable: bad}}\n"
    "  - {check: product}\n";

START_TEST(a_code_of_several_faults_has_one_for_each)
{
    static const enum fault faults[] = {
        FAULT_ORDER_MISSING,
        FAULT_ORDER_UNKNOWN,
        FAULT_ORDER_REPEATED,
        FAULT_ORDER_UNREADABLE,
    };
    struct asked a = { .arena = arena_new(256 << 20) };
    const struct rule *order;

    ck_assert_msg(load_asked(&a, weave, NULL, "world: 1"), "%s", a.err.text);
    order = a.runtime->rules;
    while (order->structure != STRUCTURE_order)
        ck_assert(++order < a.runtime->rules + a.runtime->n_rules);
    for (size_t i = 0; i < ARRAY_LEN(faults); i++) {
        struct example_sought sought = { order, "bad", (int)faults[i] };
        struct example e;

        ck_assert_msg(seek(&a, &sought, &e), "fault %zu", i);
        ck_assert_int_eq(e.finding->fault, (int)faults[i]);
    }
    asked_close(&a);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("example");
    TCase *tc = tcase_create("example");

    tcase_set_timeout(tc, 300);
    tcase_add_loop_test(tc, every_code_of_a_shipped_runtime_has_one, 0,
                        count_runtimes());
    tcase_add_loop_test(tc, an_example_is_refused_and_its_neighbour_runs, 0,
                        ARRAY_LEN(found));
    tcase_add_test(tc, a_rule_that_never_fires_has_none);
    tcase_add_test(tc, a_warning_that_stays_has_no_neighbour);
    tcase_add_test(tc, an_example_is_refused_by_the_rule_before_others);
    tcase_add_test(tc, a_neighbour_has_the_same_model_where_a_setting_helps);
    tcase_add_test(tc, a_code_of_several_faults_has_one_for_each);
    suite_add_tcase(suite, tc);
    return tap_run(suite);
}
