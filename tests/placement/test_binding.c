/* SPDX-License-Identifier: Apache-2.0 */
/* Binding of group templates to the workers of a request. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "placement/binding.h"
#include "tests/tap.h"

enum { ARENA_BYTES = 1 << 20, PARTS = 3, WORKERS = 4 };

/* A binding as a test row. A template with walks[0] NULL is for all walks, one
 * with size 0 and no node is not there; nor is a row without a node. */
struct example {
    struct {
        const char *nodes[PARTS], *walks[PARTS];
        uint32_t size, rank;
    } templates[PARTS];
    struct {
        const char *node, *walk;
        uint32_t n, workers[WORKERS];
    } rows[PARTS];
};

struct bound {
    struct group_template templates[PARTS];
    struct binding_row rows[PARTS];
    struct binding binding;
    struct binding_refusal refusal;
    struct error err;
    int rc;
};

static size_t count_names(const char *const *names)
{
    size_t n = 0;

    while (n < PARTS && names[n] != NULL)
        n++;
    return n;
}

static void bind(struct arena *arena, const struct example *example,
                 struct bound *ret)
{
    size_t n_templates = 0, n_rows = 0;

    *ret = (struct bound){ 0 };
    while (n_templates < PARTS &&
           example->templates[n_templates].nodes[0] != NULL) {
        struct group_template *to = &ret->templates[n_templates];

        to->nodes = example->templates[n_templates].nodes;
        to->n_nodes = count_names(to->nodes);
        to->walks = example->templates[n_templates].walks;
        to->n_walks = count_names(to->walks);
        if (to->n_walks == 0)
            to->walks = NULL;
        to->size = example->templates[n_templates].size;
        to->rank = example->templates[n_templates].rank;
        n_templates++;
    }
    for (; n_rows < PARTS && example->rows[n_rows].node != NULL; n_rows++)
        ret->rows[n_rows] = (struct binding_row){
            example->rows[n_rows].node,
            example->rows[n_rows].walk,
            example->rows[n_rows].workers,
            example->rows[n_rows].n,
        };
    ret->rc = binding_make(arena, ret->templates, n_templates, ret->rows,
                           n_rows, &ret->binding, &ret->refusal, &ret->err);
}

/* stream: the worker that streams to node A find first, -1: none */
static const struct {
    struct example in;
    uint32_t size, rank, worker;
    int stream;
    size_t n_groups;
} accepted[] = {
    /* clang-format off */
    /* a template claims */
    { { { { { "A" }, { "x" }, 2, 1 } }, { { "A", "x", 2, { 5, 6 } } } },
      2, 1, 5, -1, 1 },
    /* one for all walks answers streams */
    { { { { { "A" }, { NULL }, 1, 0 } }, { { "A", "x", 1, { 5 } } } },
      1, 0, 5, 5, 1 },
    { { { { { "B", "A" }, { NULL }, 2, 0 } },
        { { "A", "x", 2, { 5, 6 } }, { "A", "y", 2, { 5, 6 } },
          { "B", "x", 2, { 5, 6 } } } },
      2, 0, 5, 5, 1 },
    /* walks share a group of one */
    { { { { { NULL }, { NULL }, 0, 0 } },
        { { "A", "x", 1, { 7 } }, { "A", "y", 1, { 7 } } } },
      1, 0, 7, 7, 1 },
    /* two workers over the walks: no stream can be sent */
    { { { { { NULL }, { NULL }, 0, 0 } },
        { { "A", "x", 1, { 7 } }, { "A", "y", 1, { 8 } } } },
      1, 0, 7, -1, 2 },
    /* nodes do not share a group of one */
    { { { { { NULL }, { NULL }, 0, 0 } },
        { { "A", "x", 1, { 7 } }, { "B", "x", 1, { 7 } } } },
      1, 0, 7, 7, 2 },
    /* a rank that nobody set stays unset */
    { { { { { "A" }, { "x" }, 2, RANK_UNSET } },
        { { "A", "x", 2, { 5, 6 } } } },
      2, RANK_UNSET, 5, -1, 1 },
    /* a template whose walk is not bound leaves the rest alone */
    { { { { { "A" }, { "z" }, 2, 0 } }, { { "A", "x", 1, { 7 } } } },
      1, 0, 7, -1, 1 },
    /* clang-format on */
};

START_TEST(templates_claim_first_and_the_rest_are_groups_of_one)
{
    struct arena *arena = arena_new(ARENA_BYTES);
    const struct bound_group *group, *stream;
    struct bound bound;

    bind(arena, &accepted[_i].in, &bound);
    ck_assert_msg(bound.rc == 0, "%s", bound.err.text);
    ck_assert_uint_eq(bound.binding.n_groups, accepted[_i].n_groups);
    group = binding_find(&bound.binding, "A", "x");
    ck_assert_ptr_nonnull(group);
    ck_assert_uint_eq(group->size, accepted[_i].size);
    ck_assert_uint_eq(group->rank, accepted[_i].rank);
    ck_assert_uint_eq(group->workers[0], accepted[_i].worker);
    ck_assert_ptr_null(binding_find(&bound.binding, "A", "w"));
    stream = binding_find_stream(&bound.binding, "A");
    if (accepted[_i].stream < 0) {
        ck_assert_ptr_null(stream);
    } else {
        ck_assert_ptr_nonnull(stream);
        ck_assert_uint_eq(stream->workers[0], (uint32_t)accepted[_i].stream);
    }
    ck_assert_ptr_null(binding_find_stream(&bound.binding, "Z"));
    arena_free(arena);
}
END_TEST

static const struct {
    struct example in;
    struct binding_refusal want;
} refused[] = {
    /* clang-format off */
    { { { { { "A" }, { "x" }, 4, 0 } }, { { "A", "x", 2, { 5, 6 } } } },
      { "template.worker_count", 2, 4 } },
    { { { { { "A" }, { "x", "y" }, 2, 0 } },
        { { "A", "x", 2, { 5, 6 } }, { "A", "y", 1, { 5 } } } },
      { "template.worker_count", 1, 2 } },
    { { { { { NULL }, { NULL }, 0, 0 } }, { { "A", "x", 2, { 5, 6 } } } },
      { "template.worker_count", 2, 1 } },
    { { { { { NULL }, { NULL }, 0, 0 } }, { { "A", "x", 0, { 0 } } } },
      { "template.worker_count", 0, 1 } },
    { { { { { "A" }, { NULL }, 1, 0 }, { { "B", "A" }, { NULL }, 1, 0 } },
        { { "A", "x", 1, { 5 } } } },
      { "template.duplicate_streaming_group", 0, 0 } },
    { { { { { "A" }, { "x" }, 1, 0 }, { { "A" }, { "y", "x" }, 1, 0 } },
        { { "A", "x", 1, { 5 } } } },
      { "template.duplicate_claim", 0, 0 } },
    { { { { { "A" }, { NULL }, 1, 0 }, { { "A" }, { "x" }, 1, 0 } },
        { { "A", "x", 1, { 5 } } } },
      { "template.duplicate_claim", 0, 0 } },
    { { { { { "A" }, { "x", "y" }, 2, 0 } },
        { { "A", "x", 2, { 5, 6 } }, { "A", "y", 2, { 6, 5 } } } },
      { "template.worker_lists", 0, 0 } },
    { { { { { "A" }, { "x" }, 0, RANK_UNSET } }, { { NULL, NULL, 0, { 0 } } } },
      { NULL, 0, 0 } },
    { { { { { "A" }, { "x" }, 2, 2 } }, { { NULL, NULL, 0, { 0 } } } },
      { NULL, 0, 0 } },
    { { { { { NULL }, { NULL }, 0, 0 } },
        { { "A", "x", 1, { 5 } }, { "A", "x", 1, { 5 } } } },
      { NULL, 0, 0 } },
    /* clang-format on */
};

START_TEST(a_binding_with_two_answers_or_none_is_refused)
{
    struct arena *arena = arena_new(ARENA_BYTES);
    struct bound bound;

    bind(arena, &refused[_i].in, &bound);
    ck_assert_int_eq(bound.rc, -1);
    ck_assert_int_eq(bound.err.status, STATUS_INVALID);
    ck_assert_pstr_eq(bound.refusal.code, refused[_i].want.code);
    ck_assert_uint_eq(bound.refusal.got, refused[_i].want.got);
    ck_assert_uint_eq(bound.refusal.want, refused[_i].want.want);
    arena_free(arena);
}
END_TEST

START_TEST(a_group_without_a_rank_cannot_send)
{
    static const uint32_t client[] = { 99 };
    struct arena *arena = arena_new(ARENA_BYTES);
    const struct bound_group *from;
    struct signal signal = { .to = { client, 1 } };
    struct signal_sends sends;
    const char *code = NULL;
    struct bound bound;

    bind(arena, &accepted[6].in, &bound);
    from = binding_find(&bound.binding, "A", "x");
    signal.from = (struct signal_end){ from->workers, from->size };
    ck_assert_int_eq(
        signal_fan_out(arena, &signal, from->rank, &sends, &code, NULL), -1);
    ck_assert_str_eq(code, "template.unranked_source");
    arena_free(arena);
}
END_TEST

START_TEST(bindings_are_bounded)
{
    static struct binding_row rows[BINDING_ROWS_MAX + 1];
    static char names[BINDING_ROWS_MAX + 1][8];
    static const uint32_t worker = 3;
    struct group_template huge = { NULL, BINDING_NAMES_MAX, NULL, 0, 1, 0 };
    struct arena *arena = arena_new(ARENA_BYTES);
    struct error err = { 0 };
    struct binding binding;

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        snprintf(names[i], sizeof(names[i]), "n%zu", i);
        rows[i] = (struct binding_row){ names[i], "x", &worker, 1 };
    }
    ck_assert_int_eq(binding_make(arena, NULL, 0, rows, BINDING_ROWS_MAX,
                                  &binding, NULL, NULL),
                     0);
    ck_assert_uint_eq(binding.n_groups, BINDING_ROWS_MAX);
    ck_assert_int_eq(binding_make(arena, NULL, 0, rows, BINDING_ROWS_MAX + 1,
                                  &binding, NULL, &err),
                     -1);
    ck_assert_int_eq(err.status, STATUS_INVALID);
    ck_assert_int_eq(
        binding_make(arena, &huge, 1, rows, 1, &binding, NULL, NULL), -1);
    arena_free(arena);
}
END_TEST

START_TEST(a_full_arena_is_said)
{
    struct arena *arena = arena_new(16);
    struct bound bound;

    bind(arena, &accepted[0].in, &bound);
    ck_assert_int_eq(bound.rc, -1);
    ck_assert_int_eq(bound.err.status, STATUS_EXHAUSTED);
    arena_free(arena);
}
END_TEST

static Suite *binding_suite(void)
{
    Suite *suite = suite_create("binding");
    TCase *tcase = tcase_create("binding");

    tcase_add_loop_test(tcase,
                        templates_claim_first_and_the_rest_are_groups_of_one, 0,
                        ARRAY_LEN(accepted));
    tcase_add_loop_test(tcase, a_binding_with_two_answers_or_none_is_refused, 0,
                        ARRAY_LEN(refused));
    tcase_add_test(tcase, a_group_without_a_rank_cannot_send);
    tcase_add_test(tcase, bindings_are_bounded);
    tcase_add_test(tcase, a_full_arena_is_said);
    suite_add_tcase(suite, tcase);
    return suite;
}

int main(void)
{
    return tap_run(binding_suite());
}
