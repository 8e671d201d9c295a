/* SPDX-License-Identifier: Apache-2.0 */
/* What holds of every mesh and every answer, tried on random ones. */
#include "tests/placement/check_fixture.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "proto/answer.h"
#include "tests/placement/random_request.h"

enum {
    MESHES = 1000,
    REQUESTS = 3200,
    ROUNDS = 8, /* tests; each has its share, under seeds of its own */
};

/* ---- meshes -------------------------------------------------------------- */

static void draw_view(struct random *random, struct view *view)
{
    static const char *const names[] = { "a", "b", "c", "d", "e" };
    int64_t sizes[ARRAY_LEN(names)];
    int n = 1 + (int)random_below(random, ARRAY_LEN(names));
    struct error err = { 0 };

    for (int a = 0; a < n; a++)
        sizes[a] = random_digit(random, "1122334567");
    ck_assert_msg(view_init(view, names, sizes, n, &err) == 0, "%s", err.text);
}

/* Whether lists over axes hold entry i of all, as the member it should be, in
 * ascending order, beside what has the same coordinates on other axes. */
static bool is_in_place(const struct view *view, uint32_t axes,
                        const struct lists *lists, const uint32_t *all,
                        uint32_t i)
{
    uint32_t length = lists_length(lists), member;
    uint32_t list = lists_find(lists, all[i], &member);

    if (list != i / length || member != i % length ||
        lists_member(lists, list, member) != all[i])
        return false;
    if (member > 0 && all[i - 1] >= all[i])
        return false;
    if (member == 0 && i > 0 && all[i - length] >= all[i])
        return false;
    for (int a = 0; a < view->n_axes; a++)
        if ((axes & 1u << a) == 0 &&
            view_coordinate(view, a, all[i]) !=
                view_coordinate(view, a, all[i - member]))
            return false;
    return true;
}

/* Whether the lists hold every position once, each in its place. (No assertion
 * for each: Check writes to a file at every one that holds.) */
static bool parts_positions(const struct view *view, uint32_t axes)
{
    struct lists lists;
    uint32_t *all = calloc(view->span, sizeof(*all));
    bool *seen = calloc(view->span, sizeof(*seen));
    bool good;

    lists_over(view, axes, &lists);
    good = lists_count(&lists) * lists_length(&lists) == view->span;
    if (good)
        lists_expand(&lists, NULL, 0, all);
    for (uint32_t i = 0; good && i < view->span; i++) {
        good = all[i] < view->span && !seen[all[i]] &&
               is_in_place(view, axes, &lists, all, i);
        if (good)
            seen[all[i]] = true;
    }
    free(all);
    free(seen);
    return good;
}

START_TEST(every_set_of_axes_parts_the_positions)
{
    struct random random = { (uint64_t)_i + 1 };
    struct view view;

    for (int i = 0; i < MESHES / ROUNDS; i++) {
        draw_view(&random, &view);
        for (uint32_t axes = 0; axes < 1u << view.n_axes; axes++)
            ck_assert(parts_positions(&view, axes));
    }
}
END_TEST

/* Whether coordinates lead back to the position, and differ for each. */
static bool is_inverse(const struct view *view, uint32_t position)
{
    uint32_t coordinates[VIEW_AXES_MAX];

    for (int a = 0; a < view->n_axes; a++)
        coordinates[a] = view_coordinate(view, a, position);
    return view_position(view, coordinates) == position;
}

START_TEST(coordinates_and_positions_are_inverse)
{
    struct random random = { (uint64_t)_i + 1 };
    struct view view;

    for (int i = 0; i < MESHES / ROUNDS; i++) {
        uint32_t p = 0;

        draw_view(&random, &view);
        while (p < view.span && is_inverse(&view, p))
            p++;
        ck_assert_uint_eq(p, view.span);
    }
}
END_TEST

/* ---- requests ------------------------------------------------------------ */

/* A random model with a request, and the answer to it. */
struct drawn {
    struct arena *arena;
    struct tree_maker maker;
    struct catalog *shipped, *catalog;
    struct tree *model, *request;
    struct answer answer;
};

static void answer_to(struct drawn *d, const struct tree *request,
                      struct answer *ret)
{
    static const struct verdict_wants wants = { .creation = true };
    struct error err = { 0 };

    ck_assert_msg(answer_check(d->catalog, request, &wants, d->arena, NULL, ret,
                               &err) == 0,
                  "%s", err.text);
}

static const char *json_of(struct drawn *d, const struct tree *tree)
{
    struct text out = { 0 };
    const char *copy;

    ck_assert_int_eq(document_write_json(tree, false, &out), 0);
    copy = arena_strdup(d->arena, text_string(&out));
    ck_assert_ptr_nonnull(copy);
    text_close(&out);
    return copy;
}

static void draw(struct drawn *d, struct random *random,
                 struct catalog *shipped)
{
    struct error err = { 0 };

    *d = (struct drawn){ .arena = arena_new(256 << 20), .shipped = shipped };
    d->maker = (struct tree_maker){ .arena = d->arena };
    d->catalog = catalog_over(shipped, &err);
    ck_assert_ptr_nonnull(d->catalog);
    d->model = random_model(random, &d->maker);
    d->request = random_request(random, &d->maker);
    ck_assert(!d->maker.failed);
    ck_assert_msg(catalog_add(d->catalog, d->model, &err) == 0, "%s: %s",
                  err.text, json_of(d, d->model));
    answer_to(d, d->request, &d->answer);
}

static void drawn_close(struct drawn *d)
{
    catalog_free(d->catalog);
    arena_free(d->arena);
}

/* Calls test() on this round's share of the random requests. Returns how many
 * of them were accepted. */
static int for_requests(int round,
                        void (*test)(struct drawn *d, struct random *random))
{
    struct random random = { (uint64_t)round * 1000003 + 17 };
    struct error err = { 0 };
    struct catalog *shipped = catalog_new(NULL, &err);
    int accepted = 0;

    ck_assert_msg(shipped != NULL, "%s", err.text);
    for (int i = 0; i < REQUESTS / ROUNDS; i++) {
        struct drawn d;

        draw(&d, &random, shipped);
        accepted += d.answer.accepts;
        test(&d, &random);
        drawn_close(&d);
    }
    catalog_free(shipped);
    return accepted;
}

/* ---- shuffled ------------------------------------------------------------ */

/* The same documents as YAML, with the keys of every map in another order. */
static void test_shuffled(struct drawn *d, struct random *random)
{
    struct tree *model = NULL, *request = NULL, *documents;
    const struct tree *second;
    struct text yaml = { 0 };
    struct error err = { 0 };
    struct answer answer;

    random_shuffle(random, &d->maker, NULL, NULL, d->model, &model);
    random_shuffle(random, &d->maker, NULL, NULL, d->request, &request);
    ck_assert_int_eq(document_write_yaml(model, &yaml), 0);
    text_put(&yaml, "---\n");
    ck_assert_int_eq(document_write_yaml(request, &yaml), 0);
    ck_assert_msg(document_read_yaml(d->arena, NULL, yaml.data, yaml.len,
                                     &documents, &err) == 0,
                  "%s: %s", err.text, text_string(&yaml));
    second = tree_first(documents)->next;
    ck_assert_int_eq(catalog_add(d->catalog, tree_first(documents), &err), 0);
    answer_to(d, second, &answer);
    ck_assert_str_eq(json_of(d, answer.tree), json_of(d, d->answer.tree));
    text_close(&yaml);
}

START_TEST(shuffled_documents_have_the_same_answer)
{
    for_requests(_i, test_shuffled);
}
END_TEST

/* ---- alternatives -------------------------------------------------------- */

/* A copy of a map with one key (KEY or KEY.KEY) set, or left out for null. */
static void copy_set(struct drawn *d, struct tree *parent, const char *key,
                     const struct tree *map, const char *path,
                     const struct tree *value)
{
    size_t n = strcspn(path, ".");
    struct tree *copy = make_map(&d->maker, parent, key);
    char name[64];

    ck_assert(n < sizeof(name));
    memcpy(name, path, n);
    name[n] = '\0';
    for (const struct tree *t = tree_first(map); t != NULL; t = t->next)
        if (strcmp(t->key, name) != 0)
            make_copy(&d->maker, copy, t->key, t);
    if (path[n] == '.')
        copy_set(d, copy, name, tree_get(map, name), path + n + 1, value);
    else if (value->type != TREE_NULL)
        make_copy(&d->maker, copy, name, value);
}

/* The request with "node_groups[N].KEY" set as a user would. */
static struct tree *apply_one(struct drawn *d, const struct tree *request,
                              const struct tree *set)
{
    struct tree *copy = make_map(&d->maker, NULL, NULL), *list;
    char path[64] = "";
    int group = -1, n = 0;

    ck_assert_msg(sscanf(set->key, "node_groups[%d].%63s", &group, path) == 2,
                  "%s", set->key);
    for (const struct tree *t = tree_first(request); t != NULL; t = t->next)
        if (strcmp(t->key, "node_groups") != 0)
            make_copy(&d->maker, copy, t->key, t);
    list = make_list(&d->maker, copy, "node_groups");
    for (const struct tree *g = tree_first(tree_get(request, "node_groups"));
         g != NULL; g = g->next) {
        if (n++ == group)
            copy_set(d, list, NULL, g, path, set);
        else
            make_copy(&d->maker, list, NULL, g);
    }
    return copy;
}

static void assert_alternative_passes(struct drawn *d,
                                      const struct tree *alternative)
{
    const struct tree *set = tree_get(alternative, "set");
    struct tree *request = d->request;
    struct answer answer;

    ck_assert_int_eq(tree_get(alternative, "changes")->u.integer,
                     (int64_t)tree_count(set));
    ck_assert_uint_gt(tree_count(set), 0);
    ck_assert_str_ne(tree_get(alternative, "say")->text, "");
    for (const struct tree *t = tree_first(set); t != NULL; t = t->next)
        request = apply_one(d, request, t);
    answer_to(d, request, &answer);
    ck_assert_msg(answer.accepts, "%s\nof %s\nunder %s\nis refused: %s",
                  json_of(d, set), json_of(d, d->request), json_of(d, d->model),
                  json_of(d, answer.tree));
}

static void test_alternatives(struct drawn *d, struct random *random)
{
    const struct tree *list = tree_get(d->answer.tree, "alternatives");

    (void)random;
    ck_assert(tree_count(list) <= ALTERNATIVES_MAX);
    ck_assert(!d->answer.accepts || tree_count(list) == 0);
    for (const struct tree *t = tree_first(list); t != NULL; t = t->next) {
        assert_alternative_passes(d, t);
        for (const struct tree *k = tree_first(list); k != t; k = k->next)
            ck_assert_str_ne(json_of(d, tree_get(t, "set")),
                             json_of(d, tree_get(k, "set")));
    }
}

START_TEST(an_alternative_always_passes)
{
    for_requests(_i, test_alternatives);
}
END_TEST

/* Sum of |log2| of the changes; negative: changes more than sizes. */
static double distance_of(const struct check *check,
                          const struct alternative_request *a)
{
    double sum = 0;

    for (size_t i = 0; i < a->n_edits; i++) {
        const struct edit *edit = &a->edits[i];
        uint32_t now;

        if (edit->kind != EDIT_SIZE)
            return -1;
        now = scope_size(check, &check->scopes[edit->group], edit->index);
        sum += fabs(log2((double)edit->value / (now > 0 ? now : 1)));
    }
    return sum;
}

/* Those found by enumerating come last: by changes, then by distance. */
static void test_order(struct drawn *d, struct random *random)
{
    struct check *check = d->answer.check;
    struct alternatives alternatives, again;
    struct question question;
    struct error err = { 0 };
    double last = -1;
    size_t n_last = 0;

    (void)random;
    if (d->answer.accepts)
        return;
    question = (struct question){ .runtime = check->rt,
                                  .model = check->model,
                                  .deployment = check->dep };
    check = check_run(&question, d->arena, 0, &err);
    ck_assert_ptr_nonnull(check);
    ck_assert_int_eq(alternatives_find(check, &alternatives, &err), 0);
    ck_assert_int_eq(alternatives_find(check, &again, &err), 0);
    ck_assert_uint_eq(alternatives.n, again.n);
    ck_assert(alternatives.tried <= ALTERNATIVES_TRIED_MAX);
    for (size_t i = 0; i < alternatives.n; i++) {
        const struct alternative_request *a = &alternatives.items[i];
        double distance = distance_of(check, a);

        ck_assert_str_eq(a->say, again.items[i].say);
        if (strstr(a->say, " instead of ") == NULL) {
            ck_assert_msg(n_last == 0, "a remedy comes late: %s", a->say);
            continue;
        }
        ck_assert(a->n_edits <= 2 && distance >= 0);
        ck_assert_msg(a->n_edits > n_last ||
                          (a->n_edits == n_last && distance > last - 1e-9),
                      "out of order: %s", json_of(d, d->answer.tree));
        n_last = a->n_edits;
        last = distance;
    }
}

START_TEST(alternatives_come_nearest_first_and_always_the_same)
{
    for_requests(_i, test_order);
}
END_TEST

/* ---- the answer ---------------------------------------------------------- */

static size_t times_held(const struct tree *lists, int64_t rank)
{
    size_t n = 0;

    for (const struct tree *g = tree_first(lists); g != NULL; g = g->next)
        for (const struct tree *r = tree_first(g); r != NULL; r = r->next)
            n += r->u.integer == rank;
    return n;
}

/* Whether every group list of an instance parts its ranks. */
static bool parts_ranks(const struct tree *instance)
{
    const struct tree *ranks = tree_get(instance, "ranks");

    for (const struct tree *axis = tree_first(tree_get(instance, "groups"));
         axis != NULL; axis = axis->next) {
        size_t n = 0;

        for (const struct tree *t = tree_first(ranks); t != NULL; t = t->next)
            if (times_held(axis, t->u.integer) != 1)
                return false;
        for (const struct tree *g = tree_first(axis); g != NULL; g = g->next)
            n += tree_count(g);
        if (n != tree_count(ranks))
            return false;
    }
    return true;
}

/* The node groups of an answer as a request. */
static struct tree *request_again(struct drawn *d)
{
    struct tree *request = make_map(&d->maker, NULL, NULL), *list;
    const struct tree *groups = tree_get(d->answer.tree, "node_groups");

    make_string(&d->maker, request, "model", "drawn");
    make_int(&d->maker, request, "max_seq_len", 4096);
    list = make_list(&d->maker, request, "node_groups");
    for (const struct tree *g = tree_first(groups); g != NULL; g = g->next) {
        struct tree *group = make_map(&d->maker, list, NULL), *ranks;

        make_copy(&d->maker, group, "node_names", tree_get(g, "node_names"));
        make_copy(&d->maker, group, "sizes", tree_get(g, "sizes"));
        if (tree_get(g, "graph_walks") != NULL)
            make_copy(&d->maker, group, "graph_walks",
                      tree_get(g, "graph_walks"));
        ranks = make_list(&d->maker, group, "ranks");
        for (const struct tree *i = tree_first(tree_get(g, "instances"));
             i != NULL; i = i->next) {
            ck_assert(parts_ranks(i));
            ck_assert_int_eq((int64_t)tree_count(tree_get(i, "ranks")),
                             tree_get(g, "instance_size")->u.integer);
            for (const struct tree *r = tree_first(tree_get(i, "ranks"));
                 r != NULL; r = r->next)
                make_int(&d->maker, ranks, NULL, r->u.integer);
        }
    }
    return request;
}

static void test_again(struct drawn *d, struct random *random)
{
    struct tree *read;
    struct answer answer;
    struct error err = { 0 };
    const char *json = json_of(d, d->answer.tree);

    (void)random;
    ck_assert_msg(document_read_json(d->arena, NULL, json, strlen(json), &read,
                                     &err) == 0,
                  "%s: %s", err.text, json);
    ck_assert_str_eq(json_of(d, read), json);
    if (!d->answer.accepts)
        return;
    answer_to(d, request_again(d), &answer);
    ck_assert_msg(answer.accepts, "%s", json_of(d, answer.tree));
    ck_assert_str_eq(json_of(d, answer.tree), json);
}

START_TEST(an_answer_can_be_read_and_asked_again)
{
    int accepted = for_requests(_i, test_again);

    /* Both kinds of answers are met often, or this proves little. */
    ck_assert_int_gt(accepted, REQUESTS / ROUNDS / 20);
    ck_assert_int_lt(accepted, REQUESTS / ROUNDS * 19 / 20);
}
END_TEST

/* ---- the verdict alone --------------------------------------------------- */

static void test_verdict_only(struct drawn *d, struct random *random)
{
    const struct check *check = d->answer.check;
    struct error err = { 0 };
    struct question question;
    struct check *only;

    (void)random;
    ck_assert_ptr_nonnull(check);
    question = (struct question){ .runtime = check->rt,
                                  .model = check->model,
                                  .deployment = check->dep };
    only = check_run(&question, d->arena, CHECK_VERDICT_ONLY, &err);
    ck_assert_ptr_nonnull(only);
    ck_assert_int_eq(check_accepts(only), d->answer.accepts);
    if (!d->answer.accepts)
        ck_assert_str_eq(only->refused.items[0].code,
                         check->refused.items[0].code);
}

START_TEST(the_verdict_alone_has_the_same_first_code)
{
    for_requests(_i, test_verdict_only);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("properties");
    TCase *tc = tcase_create("random");

    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc, every_set_of_axes_parts_the_positions, 0, ROUNDS);
    tcase_add_loop_test(tc, coordinates_and_positions_are_inverse, 0, ROUNDS);
    tcase_add_loop_test(tc, shuffled_documents_have_the_same_answer, 0, ROUNDS);
    tcase_add_loop_test(tc, an_alternative_always_passes, 0, ROUNDS);
    tcase_add_loop_test(tc, alternatives_come_nearest_first_and_always_the_same,
                        0, ROUNDS);
    tcase_add_loop_test(tc, an_answer_can_be_read_and_asked_again, 0, ROUNDS);
    tcase_add_loop_test(tc, the_verdict_alone_has_the_same_first_code, 0,
                        ROUNDS);
    suite_add_tcase(suite, tc);
    return tap_run(suite);
}
