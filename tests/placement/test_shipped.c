/* SPDX-License-Identifier: Apache-2.0 */
/* Shipped runtimes that take a world: what is offered or suggested runs. With
 * SHARE=DIR in the environment also those of a folder. */
#include <stdlib.h>

#include "tests/placement/check_fixture.h"

#include "placement/suggest.h"
#include "placement/synthetic.h"
#include "proto/catalog.h"
#include "tests/placement/random_request.h"

enum { REQUESTS = 150 }; /* of each runtime */

static const int64_t sizes[] = { 1, 1, 1, 2, 2, 3, 4, 6, 8, 16 };
static const int64_t worlds[] = { 1, 2, 4, 8, 12, 16, 24, 64, 96, 512, 4096 };

/* A request of random sizes for a random world. */
static const struct deployment *
draw(struct random *random, const struct runtime *rt, struct arena *arena)
{
    struct tree_maker maker = { .arena = arena };
    struct tree *set = make_map(&maker, NULL, NULL);
    struct tree *document, *model;
    struct error err = { 0 };
    const struct deployment *dep;

    for (size_t a = 0; a < rt->n_axes; a++)
        if (random_chance(random, 60))
            make_int(&maker, set, rt->axes[a].name,
                     sizes[random_below(random, ARRAY_LEN(sizes))]);
    ck_assert(
        synthetic_request(rt, worlds[random_below(random, ARRAY_LEN(worlds))],
                          set, NULL, &maker, &document, &model, &err) == 0);
    dep = deployment_load(arena, rt, document, &err);
    ck_assert_msg(dep != NULL, "%s", err.text);
    return dep;
}

static bool passes(const struct question *question, const struct edit *edits,
                   size_t n, struct arena *arena)
{
    struct question changed = *question;
    struct check *check;

    changed.deployment = deployment_edit(arena, question->deployment, edits, n);
    ck_assert_ptr_nonnull(changed.deployment);
    check = check_run(&changed, arena, 0, NULL);
    ck_assert_ptr_nonnull(check);
    return check_accepts(check);
}

static void assert_alternatives(const struct question *question,
                                struct arena *arena)
{
    struct alternatives found, again;
    struct check *check = check_run(question, arena, 0, NULL);

    ck_assert_ptr_nonnull(check);
    if (check_accepts(check))
        return;
    ck_assert(alternatives_find(check, &found, NULL) == 0);
    ck_assert(alternatives_find(check, &again, NULL) == 0);
    ck_assert(found.tried <= ALTERNATIVES_TRIED_MAX);
    ck_assert_uint_eq(found.n, again.n);
    ck_assert_uint_eq(found.tried, again.tried);
    for (size_t i = 0; i < found.n; i++) {
        const struct alternative_request *one = &found.items[i];

        ck_assert_str_eq(one->say, again.items[i].say);
        ck_assert_msg(passes(question, one->edits, one->n_edits, arena),
                      "%s: %s", question->runtime->name, one->say);
    }
}

static void assert_suggestions(const struct question *question,
                               struct arena *arena)
{
    const struct suggest_wants wants = { 0 };
    struct suggestions found, again;
    struct error err = { 0 };

    ck_assert_msg(suggest(question, &wants, arena, &found, &err) == 0, "%s",
                  err.text);
    ck_assert(suggest(question, &wants, arena, &again, &err) == 0);
    ck_assert_uint_eq(found.n, again.n);
    for (size_t i = 0; i < found.n; i++) {
        const struct suggestion *one = &found.items[i];

        ck_assert_mem_eq(one->sizes, again.items[i].sizes, sizeof(one->sizes));
        ck_assert_msg(passes(question, one->edits, one->n_edits, arena),
                      "%s: suggestion %zu", question->runtime->name, i);
    }
}

/* One that is there whatever is shipped: two readings of one span. */
static const char loom[] =
    "runtime: loom\nrequest: world\n"
    "axes: [{name: shard, default: -1, fill: 'div(world, pp)', fill_on: -1},"
    " {name: lane}, {name: pp}]\n"
    "derive: {stage: world / pp, copies: stage / lane}\n"
    "views: {attn: [pp, {copy: copies}, lane],"
    " store: [pp, {copy: stage / shard}, shard]}\n"
    "rules:\n"
    "  - {check: world}\n"
    "  - {check: sizes, except: shard}\n"
    "  - {code: pp.uneven, refuse: world % pp != 0,"
    " try: [{set: {world: 'ceil_div(world, pp) * pp'}, say: more}]}\n"
    "  - {code: lane.wide, refuse: lane > 8, try: [{set: {lane: 8}, say: "
    "eight}]}\n"
    "  - {check: product}\n"
    "keep: copies\n";

static void add_loom(struct catalog *catalog, struct arena *arena)
{
    struct error err = { 0 };
    const struct tree *document = read_yaml(arena, "loom", loom, &err);

    ck_assert_msg(document != NULL && catalog_add(catalog, document, &err) == 0,
                  "%s", err.text);
}

static void for_worlds(void (*test)(const struct question *, struct arena *),
                       int requests)
{
    struct error err = { 0 };
    struct catalog *catalog = catalog_new(getenv("SHARE"), &err);
    struct arena *own = arena_new(1 << 20);
    const char *names[CATALOG_ENTRIES_MAX];
    const char *const *known;
    size_t n;

    add_loom(catalog, own);
    known = catalog_runtimes(catalog, &n);
    memcpy(names, known, n * sizeof(*names));
    for (size_t i = 0; i < n; i++) {
        struct random random = { .state = 1 + i };
        struct question question = { .runtime = catalog_runtime(
                                         catalog, names[i], &err) };

        for (int r = 0; question.runtime->spans && r < requests; r++) {
            struct arena *arena = arena_new(512 << 20);

            question.deployment = draw(&random, question.runtime, arena);
            test(&question, arena);
            arena_free(arena);
        }
    }
    catalog_free(catalog);
    arena_free(own);
}

START_TEST(every_alternative_passes_and_is_always_the_same)
{
    for_worlds(assert_alternatives, REQUESTS);
}
END_TEST

START_TEST(every_suggestion_passes_and_is_always_the_same)
{
    for_worlds(assert_suggestions, REQUESTS / 10);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("shipped");
    TCase *tc = tcase_create("shipped");

    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, every_alternative_passes_and_is_always_the_same);
    tcase_add_test(tc, every_suggestion_passes_and_is_always_the_same);
    suite_add_tcase(suite, tc);
    return tap_run(suite);
}
