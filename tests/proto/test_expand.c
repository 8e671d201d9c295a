/* SPDX-License-Identifier: Apache-2.0 */
/* Assignments from a peer: what is let through, and each bound that is not. */
#include <string.h>

#include "base/text.h"
#include "placement/runs.h"
#include "proto/expand.h"
#include "tests/tap.h"

enum { ARENA_BYTES = 64 << 20 };

/* A message of one map, one list and one step over it, to be spoilt. */
static struct message {
    Serried__V1__Assignment assignment;
    Serried__V1__RankMap map, *maps[EXPAND_MAPS_MAX + 1];
    Serried__V1__Run run, *runs[2];
    Serried__V1__RunDim run_dim, *run_dims[RUN_DIMS_MAX + 1];
    Serried__V1__GroupList list, again, *lists[2], *sources[1];
    Serried__V1__Dim outer, inner, *outers[VIEW_AXES_MAX + 2], *inners[1];
    Serried__V1__CreateStep step, *steps[CREATION_STEPS_MAX + 1];
} m;

static struct arena *arena;
static struct expansion expansion;
static struct error err;

static char list_name[EXPAND_NAME_MAX + 2];

static void fill_list(Serried__V1__GroupList *list, const char *name)
{
    serried__v1__group_list__init(list);
    list->name = (char *)name;
    list->n_outer = list->n_inner = 1;
    list->outer = m.outers;
    list->inner = m.inners;
}

/* Positions 0..5 of ranks 10, 12, ... 20 as two by three. */
static void setup(void)
{
    arena = arena_new(ARENA_BYTES);
    expansion = (struct expansion){ 0 };
    serried__v1__assignment__init(&m.assignment);
    serried__v1__rank_map__init(&m.map);
    serried__v1__run__init(&m.run);
    serried__v1__run_dim__init(&m.run_dim);
    serried__v1__dim__init(&m.outer);
    serried__v1__dim__init(&m.inner);
    serried__v1__create_step__init(&m.step);
    for (size_t i = 0; i < ARRAY_LEN(m.maps); i++)
        m.maps[i] = &m.map;
    for (size_t i = 0; i < ARRAY_LEN(m.run_dims); i++)
        m.run_dims[i] = &m.run_dim;
    for (size_t i = 0; i < ARRAY_LEN(m.outers); i++)
        m.outers[i] = &m.outer;
    for (size_t i = 0; i < ARRAY_LEN(m.steps); i++)
        m.steps[i] = &m.step;
    m.runs[0] = m.runs[1] = &m.run;
    m.inners[0] = &m.inner;
    m.outer.size = 2;
    m.outer.stride = 3;
    m.inner.size = 3;
    m.inner.stride = 1;
    m.run.start = 8;
    m.run.dims = m.run_dims;
    m.run.n_dims = 1;
    m.run_dim.count = 6;
    m.run_dim.stride = 2;
    m.map.runs = m.runs;
    m.map.n_runs = 1;
    m.map.offset = 2;
    fill_list(&m.list, "v.b");
    fill_list(&m.again, "v.c");
    m.lists[0] = m.sources[0] = &m.list;
    m.lists[1] = &m.again;
    m.step.backend = (char *)"gpu";
    m.step.lists = m.sources;
    m.step.n_lists = 1;
    m.assignment.rank_maps = m.maps;
    m.assignment.lists = m.lists;
    m.assignment.creation = m.steps;
    m.assignment.n_rank_maps = m.assignment.n_creation = 1;
    m.assignment.n_lists = 2;
}

static void teardown(void)
{
    arena_free(arena);
}

static int expand(void)
{
    return expand_assignment(arena, &m.assignment, &expansion, &err);
}

START_TEST(ranks_follow_the_map_and_its_offset)
{
    const struct expand_list *list;
    uint32_t ranks[6];

    ck_assert_msg(expand() == 0, "%s", err.text);
    ck_assert_uint_eq(expansion.world, 21);
    list = expand_find(&expansion, "v.b");
    lists_expand(&list->lists, list->map->ranks, list->map->offset, ranks);
    for (uint32_t i = 0; i < 6; i++) {
        ck_assert_uint_eq(ranks[i], 10 + 2 * i);
        ck_assert_int_eq(expand_position(list->map, 10 + 2 * i), i);
    }
    ck_assert_int_eq(expand_position(list->map, 11), -1);
    ck_assert_int_eq(expand_position(list->map, 0), -1);
    ck_assert_int_eq(expand_position(list->map, 22), -1);
    ck_assert_ptr_null(expand_find(&expansion, "v"));
}
END_TEST

START_TEST(consecutive_ranks_are_not_held)
{
    m.run_dim.stride = 1;
    ck_assert_int_eq(expand(), 0);
    ck_assert_ptr_null(expansion.maps[0].ranks);
    ck_assert_uint_eq(expansion.maps[0].offset, 10);
    ck_assert_uint_eq(expansion.world, 16);
    ck_assert_int_eq(expand_position(&expansion.maps[0], 15), 5);
    ck_assert_int_eq(expand_position(&expansion.maps[0], 16), -1);
}
END_TEST

START_TEST(ranks_may_fall)
{
    m.run.start = 20;
    m.run_dim.stride = -4;
    ck_assert_int_eq(expand(), 0);
    ck_assert_uint_eq(expansion.world, 23);
    ck_assert_int_eq(expand_position(&expansion.maps[0], 2), 5);
    ck_assert_int_eq(expand_position(&expansion.maps[0], 3), -1);
}
END_TEST

START_TEST(no_runs_mean_the_positions_themselves)
{
    m.map.n_runs = 0;
    m.map.positions = 6;
    ck_assert_int_eq(expand(), 0);
    ck_assert_uint_eq(expansion.world, 8);
}
END_TEST

START_TEST(an_empty_assignment_has_no_lists_and_no_world)
{
    struct expand_digests digests;

    m.assignment.n_rank_maps = m.assignment.n_lists = m.assignment.n_creation =
        0;
    ck_assert_int_eq(expand(), 0);
    ck_assert_uint_eq(expansion.world, 0);
    ck_assert_int_eq(expand_digest(arena, &expansion, &digests, &err), 0);
}
END_TEST

/* ---- bounds -------------------------------------------------------------- */

enum bound {
    MAPS,
    RUN_DIMS,
    RUN_COUNT,
    RUN_BELOW,
    RUN_ABOVE,
    TWICE,
    POSITIONS_DIFFER,
    POSITIONS_NONE,
    POSITIONS_MANY,
    RANK_WIDE,
    LIST_MAP,
    LIST_DIMS,
    LIST_GAP,
    LIST_SPAN,
    LIST_NAMELESS,
    LIST_NAME_LONG,
    LIST_TWICE,
    STEPS,
    BACKEND,
    STEP_MAP,
};

static const struct {
    enum bound what;
    const char *text;
} bounds[] = {
    { MAPS, "4097 rank maps, at most 4096" },
    { RUN_DIMS, "a run has 18 dimensions, at most 17" },
    { RUN_COUNT, "rank map 0: " },
    { RUN_BELOW, "rank map 0: " },
    { RUN_ABOVE, "rank map 0: " },
    { TWICE, "the rank 8 stands twice" },
    { POSITIONS_DIFFER, "its runs hold 6 ranks, but it says 5 positions" },
    { POSITIONS_NONE, "it has 0 positions; 1 to 1048576" },
    { POSITIONS_MANY, "it has 1048577 positions; 1 to 1048576" },
    { RANK_WIDE, "a rank does not fit in 32 bits" },
    { LIST_MAP, "list v.b: it uses rank map 1, there are 1" },
    { LIST_DIMS, "list v.b: it has 18 dimensions in a row" },
    { LIST_GAP, "list v.b: the dimensions of a group list leave gaps" },
    { LIST_SPAN, "list v.b: it spans 12 positions, its rank map has 6" },
    { LIST_NAMELESS, "the name of a list has 0 bytes" },
    { LIST_NAME_LONG, "the name of a list has 513 bytes; 1 to 512" },
    { LIST_TWICE, "the table has two lists named v.b" },
    { STEPS, "257 creation steps, at most 256" },
    { BACKEND, "creation step 0: the name of a backend" },
    { STEP_MAP, "creation step 0: list v.c: it uses rank map 7" },
};

static void pass(enum bound bound)
{
    switch (bound) {
    case MAPS:
        m.assignment.n_rank_maps = EXPAND_MAPS_MAX + 1;
        return;
    case RUN_DIMS:
        m.run.n_dims = RUN_DIMS_MAX + 1;
        return;
    case RUN_COUNT:
        m.run_dim.count = 0;
        return;
    case RUN_BELOW:
        m.run_dim.stride = -2;
        return;
    case RUN_ABOVE:
        m.run.start = UINT32_MAX - 9;
        return;
    case TWICE:
        m.map.n_runs = 2;
        m.run_dim.count = 3;
        return;
    case POSITIONS_DIFFER:
    case POSITIONS_NONE:
    case POSITIONS_MANY:
        m.map.n_runs = bound == POSITIONS_DIFFER;
        m.map.has_positions = true;
        m.map.positions = bound == POSITIONS_DIFFER ? 5
                          : bound == POSITIONS_NONE ? 0
                                                    : VIEW_SPAN_MAX + 1;
        return;
    case RANK_WIDE:
        m.map.offset = UINT32_MAX - 18;
        return;
    case LIST_MAP:
        m.list.rank_map = 1;
        return;
    case LIST_DIMS:
        m.list.n_outer = VIEW_AXES_MAX + 2;
        return;
    case LIST_GAP:
        m.outer.stride = 4;
        return;
    case LIST_SPAN:
        m.outer.size = 4;
        return;
    case LIST_NAMELESS:
        m.list.name = NULL;
        return;
    case LIST_NAME_LONG:
        memset(list_name, 'x', sizeof(list_name) - 1);
        m.list.name = list_name;
        return;
    case LIST_TWICE:
        m.again.name = m.list.name;
        return;
    case STEPS:
        m.assignment.n_creation = CREATION_STEPS_MAX + 1;
        return;
    case BACKEND:
        m.step.backend = NULL;
        return;
    case STEP_MAP:
        m.again.rank_map = 7;
        m.assignment.n_lists = 1;
        m.sources[0] = &m.again;
        return;
    }
}

START_TEST(what_is_out_of_bounds_is_refused)
{
    ck_assert_int_eq(expand(), 0);
    pass(bounds[_i].what);
    ck_assert_int_eq(expand(), -1);
    ck_assert_int_eq(err.status, STATUS_INVALID);
    ck_assert_msg(strstr(err.text, bounds[_i].text) != NULL, "%s", err.text);
}
END_TEST

/* The highest rank that fits, and maps up to their number. */
START_TEST(what_is_at_a_bound_is_let_through)
{
    m.map.offset = UINT32_MAX - 19;
    ck_assert_int_eq(expand(), 0);
    ck_assert_uint_eq(expansion.world, UINT32_MAX);
    m.assignment.n_rank_maps = EXPAND_MAPS_MAX;
    m.assignment.n_creation = CREATION_STEPS_MAX;
    ck_assert_msg(expand() == 0, "%s", err.text);
}
END_TEST

/* Small in bytes, large when expanded. */
START_TEST(what_would_grow_too_large_is_refused)
{
    m.map.n_runs = 0;
    m.map.positions = VIEW_SPAN_MAX;
    m.assignment.n_lists = m.assignment.n_creation = 0;
    m.assignment.n_rank_maps = 4;
    ck_assert_int_eq(expand(), 0);
    m.assignment.n_rank_maps = 5;
    ck_assert_int_eq(expand(), -1);
    ck_assert_str_eq(err.text,
                     "the rank maps have more than 4194304 positions");
    m.assignment.n_rank_maps = 1;
    m.outer.size = 2;
    m.outer.stride = VIEW_SPAN_MAX / 2;
    m.inner.size = VIEW_SPAN_MAX / 2;
    m.assignment.n_creation = 64;
    ck_assert_msg(expand() == 0, "%s", err.text);
    m.assignment.n_creation = 65;
    ck_assert_int_eq(expand(), -1);
    ck_assert_msg(strstr(err.text, "more than 67108864 members") != NULL, "%s",
                  err.text);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("expand");
    TCase *tcase = tcase_create("expand");

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, ranks_follow_the_map_and_its_offset);
    tcase_add_test(tcase, consecutive_ranks_are_not_held);
    tcase_add_test(tcase, ranks_may_fall);
    tcase_add_test(tcase, no_runs_mean_the_positions_themselves);
    tcase_add_test(tcase, an_empty_assignment_has_no_lists_and_no_world);
    tcase_add_loop_test(tcase, what_is_out_of_bounds_is_refused, 0,
                        ARRAY_LEN(bounds));
    tcase_add_test(tcase, what_is_at_a_bound_is_let_through);
    tcase_add_test(tcase, what_would_grow_too_large_is_refused);
    suite_add_tcase(suite, tcase);
    return tap_run(suite);
}
