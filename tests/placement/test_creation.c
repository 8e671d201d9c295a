/* SPDX-License-Identifier: Apache-2.0 */
/* Creation sequences: which groups, in which order, each once. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "placement/creation.h"
#include "tests/tap.h"

enum { SOURCES = 3, ARENA_BYTES = 1 << 24 };

static const char *const letters[] = { "a", "b", "c", "d" };

static const uint32_t shuffled[] = { 4, 5, 6, 7, 0, 1, 2, 3 };
static const uint32_t fourth[] = { 3, 1, 0, 2 };

/* Steps of sources over axes of one view; the sequence as NAME/BACKEND:RANKS.
 * A step without a backend is not there. */
static const struct {
    int64_t sizes[3];
    const uint32_t *ranks;
    struct {
        const char *backend;
        bool sorted;
        struct {
            const char *name; /* NULL: none */
            uint32_t axes, offset;
        } sources[SOURCES];
    } steps[2];
    const char *want;
} examples[] = {
    /* clang-format off */
    { { 1, 1, 2 }, NULL, { { "gpu", true,
        { { "t", 4, 0 }, { "s", 2, 0 }, { "c", 1, 0 } } } },
      "t/gpu:0,1" },
    { { 2, 2, 2 }, NULL, { { "cpu", false, { { "instance", 7, 0 } } },
        { "gpu", true, { { "t", 4, 0 }, { "s", 2, 0 }, { "c", 1, 0 } } } },
      "instance/cpu:0,1,2,3,4,5,6,7 "
      "t/gpu:0,1 s/gpu:0,2 c/gpu:0,4 s/gpu:1,3 c/gpu:1,5 t/gpu:2,3 c/gpu:2,6 "
      "c/gpu:3,7 t/gpu:4,5 s/gpu:4,6 s/gpu:5,7 t/gpu:6,7" },
    /* equal ranks once, under the name that came first */
    { { 1, 1, 2 }, NULL, { { "gpu", true, { { "t", 4, 0 }, { "u", 4, 0 } } } },
      "t/gpu:0,1" },
    { { 1, 1, 2 }, NULL, { { "gpu", false, { { "t", 4, 0 } } },
        { "gpu", true, { { "u", 4, 0 }, { "v", 4, 2 } } } },
      "t/gpu:0,1 v/gpu:2,3" },
    /* but again for another backend */
    { { 1, 1, 2 }, NULL, { { "cpu", false, { { "t", 4, 0 } } },
        { "gpu", false, { { "t", 4, 0 } } } },
      "t/cpu:0,1 t/gpu:0,1" },
    /* unsorted: source after source, each in its own order */
    { { 2, 2, 1 }, NULL, { { "gpu", false, { { "s", 2, 0 }, { "c", 1, 0 } } } },
      "s/gpu:0,1 s/gpu:2,3 c/gpu:0,2 c/gpu:1,3" },
    { { 2, 2, 2 }, shuffled, { { "gpu", false, { { "x", 6, 0 } } } },
      "x/gpu:4,5,6,7 x/gpu:0,1,2,3" },
    { { 2, 2, 2 }, shuffled, { { "gpu", true, { { "x", 6, 0 } } } },
      "x/gpu:0,1,2,3 x/gpu:4,5,6,7" },
    /* a list that begins another comes first; members decide from any place */
    { { 1, 2, 2 }, NULL, { { "gpu", true, { { "all", 6, 0 }, { "t", 4, 0 } } } },
      "t/gpu:0,1 all/gpu:0,1,2,3 t/gpu:2,3" },
    { { 1, 2, 2 }, fourth, { { "gpu", true,
        { { "all", 6, 0 }, { "t", 4, 0 }, { "s", 2, 0 } } } },
      "t/gpu:0,2 s/gpu:1,2 s/gpu:3,0 t/gpu:3,1 all/gpu:3,1,0,2" },
    { { 1, 1, 1 }, NULL, { { "gpu", true, { { "t", 4, 0 } } } }, "" },
    { { 2, 2, 2 }, NULL, { { NULL, true, { { NULL, 0, 0 } } } }, "" },
    /* clang-format on */
};

static void write_sequence(const struct creation *creation, struct text *out)
{
    uint32_t ranks[16];

    for (size_t i = 0; i < creation->count; i++) {
        struct created group = creation_at(creation, i);

        created_ranks(&group, ranks);
        text_printf(out, "%s%s/%s:", i > 0 ? " " : "", group.source->name,
                    group.backend);
        for (uint32_t j = 0; j < created_length(&group); j++)
            text_printf(out, "%s%u", j > 0 ? "," : "", ranks[j]);
    }
}

START_TEST(a_sequence_holds_each_group_once_in_order)
{
    struct creation_source sources[2][SOURCES] = { 0 };
    struct creation_step steps[2];
    struct lists lists[2][SOURCES];
    struct arena *arena = arena_new(ARENA_BYTES);
    struct text out = { 0 };
    struct creation got;
    struct error err = { 0 };
    struct view view;
    size_t s = 0;

    ck_assert_int_eq(view_init(&view, letters, examples[_i].sizes, 3, NULL), 0);
    for (; s < 2 && examples[_i].steps[s].backend != NULL; s++) {
        size_t n = 0;

        for (; n < SOURCES && examples[_i].steps[s].sources[n].name; n++) {
            lists_over(&view, examples[_i].steps[s].sources[n].axes,
                       &lists[s][n]);
            sources[s][n] = (struct creation_source){
                examples[_i].steps[s].sources[n].name,
                &lists[s][n],
                examples[_i].ranks,
                examples[_i].steps[s].sources[n].offset,
            };
        }
        steps[s] = (struct creation_step){
            examples[_i].steps[s].backend,
            examples[_i].steps[s].sorted,
            sources[s],
            n,
        };
    }
    ck_assert_msg(creation_make(arena, steps, s, &got, &err) == 0, "%s",
                  err.text);
    write_sequence(&got, &out);
    ck_assert_str_eq(text_string(&out), examples[_i].want);
    text_close(&out);
    arena_free(arena);
}
END_TEST

/* Ascending, each once, and every group of every source is there. */
START_TEST(a_sorted_union_ascends_and_loses_nothing)
{
    const int64_t sizes[] = { 1 + _i % 3, 2 + _i % 4, 1 + _i % 5, 3 };
    struct creation_source sources[15];
    struct lists lists[15];
    struct creation_step step = { "gpu", true, sources, 15 };
    struct arena *arena = arena_new(ARENA_BYTES);
    struct creation got;
    struct view view;

    ck_assert_int_eq(view_init(&view, letters, sizes, 4, NULL), 0);
    for (uint32_t set = 1; set < 16; set++) {
        lists_over(&view, set, &lists[set - 1]);
        sources[set - 1] =
            (struct creation_source){ "list", &lists[set - 1], NULL, 0 };
    }
    ck_assert_int_eq(creation_make(arena, &step, 1, &got, NULL), 0);
    for (size_t i = 1; i < got.count; i++) {
        struct created a = creation_at(&got, i - 1), b = creation_at(&got, i);
        uint32_t x[512] = { 0 }, y[512] = { 0 }, j = 0;
        uint32_t na = created_length(&a), nb = created_length(&b);

        created_ranks(&a, x);
        created_ranks(&b, y);
        while (j < na && j < nb && x[j] == y[j])
            j++;
        ck_assert(j < nb && (j == na || x[j] < y[j]));
    }
    for (size_t s = 0, found; s < 15; s++)
        for (uint32_t list = 0; list < lists_count(&lists[s]); list++) {
            uint32_t x[512], y[512], n = lists_length(&lists[s]);

            lists_expand_part(&lists[s], NULL, 0, list * n, n, x);
            for (found = 0; n > 1 && found < got.count; found++) {
                struct created group = creation_at(&got, found);

                created_ranks(&group, y);
                if (created_length(&group) == n &&
                    memcmp(x, y, n * sizeof(*x)) == 0)
                    break;
            }
            ck_assert(n == 1 || found < got.count);
        }
    arena_free(arena);
}
END_TEST

START_TEST(a_sequence_out_of_bounds_is_refused)
{
    static struct creation_step steps[CREATION_STEPS_MAX + 1];
    static struct creation_source many[17];
    const int64_t sizes[] = { 1 << 19, 2 };
    struct arena *arena = arena_new(ARENA_BYTES);
    struct error err = { 0 };
    struct creation got;
    struct lists lists;
    struct view view;

    for (size_t s = 0; s < ARRAY_LEN(steps); s++)
        steps[s].backend = "gpu";
    ck_assert_int_eq(
        creation_make(arena, steps, CREATION_STEPS_MAX, &got, &err), 0);
    ck_assert_uint_eq(got.count, 0);
    ck_assert_int_eq(
        creation_make(arena, steps, CREATION_STEPS_MAX + 1, &got, &err), -1);
    ck_assert_int_eq(err.status, STATUS_INVALID);
    ck_assert_int_eq(view_init(&view, letters, sizes, 2, NULL), 0);
    lists_over(&view, 2, &lists);
    for (size_t i = 0; i < ARRAY_LEN(many); i++)
        many[i].lists = &lists;
    steps[0].sources = steps[1].sources = many;
    steps[0].n_sources = steps[1].n_sources = ARRAY_LEN(many);
    ck_assert_int_eq(creation_make(arena, steps, 1, &got, &err), -1);
    ck_assert_int_eq(err.status, STATUS_EXHAUSTED);
    ck_assert_int_eq(creation_make(arena, steps, 2, &got, &err), -1);
    ck_assert_int_eq(err.status, STATUS_INVALID);
    arena_free(arena);
}
END_TEST

static Suite *creation_suite(void)
{
    Suite *suite = suite_create("creation");
    TCase *tcase = tcase_create("creation");

    tcase_add_loop_test(tcase, a_sequence_holds_each_group_once_in_order, 0,
                        ARRAY_LEN(examples));
    tcase_add_loop_test(tcase, a_sorted_union_ascends_and_loses_nothing, 0, 20);
    tcase_add_test(tcase, a_sequence_out_of_bounds_is_refused);
    suite_add_tcase(suite, tcase);
    return suite;
}

int main(void)
{
    return tap_run(creation_suite());
}
