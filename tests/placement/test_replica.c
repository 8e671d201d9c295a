/* SPDX-License-Identifier: Apache-2.0 */
/* Choice of replicas, and signals that leave a host. */
#include <string.h>

#include "base/text.h"
#include "placement/replica.h"
#include "tests/tap.h"

enum { ARENA_BYTES = 1 << 20, DRAWS = 200 };

static struct arena *arena;

static void set_up(void)
{
    arena = arena_new(ARENA_BYTES);
    ck_assert_ptr_nonnull(arena);
}

static void tear_down(void)
{
    arena_free(arena);
}

static const uint32_t ranks[] = { 0, 1, 2, 3, 4, 5, 6, 7 };
static const struct replica pairs[] = {
    { ranks, 2 }, { ranks + 2, 2 }, { ranks + 4, 2 }, { ranks + 6, 2 }
};
static const struct replica singles[] = { { ranks + 1, 1 },
                                          { ranks + 3, 1 },
                                          { ranks + 5, 1 } };
/* ranks 0..3 on host 0, 4..7 on host 1 */
static const uint32_t two_hosts[] = { 0, 0, 0, 0, 1, 1, 1, 1 };

START_TEST(graphs_of_one_group_use_one_replica)
{
    const struct replica_graph graphs[] = {
        { 3, pairs, 4 }, { 1, singles, 3 }, { 3, pairs, 4 }, { 1, singles, 3 }
    };
    const struct replica_world world = { 0 };
    bool met[4] = { false };

    for (uint64_t draw = 0; draw < DRAWS; draw++) {
        uint32_t picks[4], again[4];

        ck_assert_int_eq(replica_choose(arena, graphs, 4, &world, NULL, draw,
                                        picks, NULL, NULL),
                         0);
        ck_assert_int_eq(replica_choose(arena, graphs, 4, &world, NULL, draw,
                                        again, NULL, NULL),
                         0);
        ck_assert_uint_eq(picks[0], picks[2]);
        ck_assert_uint_eq(picks[1], picks[3]);
        ck_assert_mem_eq(picks, again, sizeof(picks));
        met[picks[0]] = true;
        arena_reset(arena);
    }
    for (size_t r = 0; r < ARRAY_LEN(met); r++)
        ck_assert(met[r]);
}
END_TEST

START_TEST(a_replica_with_a_dead_rank_is_never_chosen)
{
    const bool dead[] = {
        true, false, false, false, false, true, false, false
    };
    const struct replica_graph graph = { 0, pairs, 4 };
    const struct replica_world world = { 8, dead, NULL, 0 };

    for (uint64_t draw = 0; draw < DRAWS; draw++) {
        uint32_t chosen = REPLICA_NONE;

        ck_assert_int_eq(replica_choose(arena, &graph, 1, &world, NULL, draw,
                                        &chosen, NULL, NULL),
                         0);
        ck_assert(chosen == 1 || chosen == 3);
        arena_reset(arena);
    }
}
END_TEST

START_TEST(without_a_living_replica_the_graph_is_named)
{
    const bool dead[] = { false, true, false, true, false, true };
    const struct replica_graph graphs[] = { { 4, pairs, 4 },
                                            { 6, singles, 3 } };
    const struct replica_world world = { 6, dead, NULL, 0 };
    uint32_t picks[] = { 77, 77 };
    size_t graph = 9;
    struct error err = { 0 };

    ck_assert_int_lt(
        replica_choose(arena, graphs, 2, &world, NULL, 1, picks, &graph, &err),
        0);
    ck_assert_int_eq(err.status, STATUS_UNAVAILABLE);
    ck_assert_uint_eq(graph, 1);
    ck_assert_uint_eq(picks[0], 77);
    ck_assert_ptr_nonnull(strstr(err.text, "group 6"));
}
END_TEST

START_TEST(a_replica_on_a_host_in_use_comes_first)
{
    static const struct replica first[] = { { ranks + 7, 1 } };
    const struct replica_graph graphs[] = { { 0, first, 1 },
                                            { 1, pairs, 4 },
                                            { 2, singles, 3 } };
    const struct replica_world world = { 8, NULL, two_hosts, 2 };

    for (uint64_t draw = 0; draw < DRAWS; draw++) {
        uint32_t picks[3] = { 0 };

        ck_assert_int_eq(replica_choose(arena, graphs, 3, &world, NULL, draw,
                                        picks, NULL, NULL),
                         0);
        ck_assert_uint_ge(picks[1], 2);
        ck_assert_uint_eq(picks[2], 2);
        arena_reset(arena);
    }
}
END_TEST

START_TEST(a_session_keeps_its_replica_while_it_lives)
{
    const bool dead[] = { false, false, false, false, true };
    const struct replica_graph graph = { 0, pairs, 4 };
    const struct replica_world world = { 5, dead, NULL, 0 };

    for (uint64_t draw = 0; draw < DRAWS; draw++) {
        uint32_t living = 1, lost = 2, gone = 99, chosen = REPLICA_NONE;

        replica_choose(arena, &graph, 1, &world, &living, draw, &chosen, NULL,
                       NULL);
        ck_assert_uint_eq(chosen, 1);
        replica_choose(arena, &graph, 1, &world, &lost, draw, &chosen, NULL,
                       NULL);
        ck_assert_uint_ne(chosen, 2);
        ck_assert_uint_lt(chosen, 4);
        ck_assert_int_eq(replica_choose(arena, &graph, 1, &world, &gone, draw,
                                        &chosen, NULL, NULL),
                         0);
        arena_reset(arena);
    }
}
END_TEST

START_TEST(graphs_that_cannot_be_assigned_are_refused)
{
    static const struct replica empty[] = { { ranks, 0 } };
    const struct replica_graph differ[] = { { 0, pairs, 4 },
                                            { 0, singles, 3 } };
    const struct replica_graph shifted[] = { { 0, pairs, 2 },
                                             { 0, pairs + 1, 2 } };
    const struct replica_graph none = { 0, pairs, 0 };
    const struct replica_graph hollow = { 0, empty, 1 };
    const struct replica_world world = { 0 };
    uint32_t picks[2];
    struct error err = { 0 };

    ck_assert_int_lt(
        replica_choose(arena, differ, 2, &world, NULL, 0, picks, NULL, &err),
        0);
    ck_assert_int_lt(
        replica_choose(arena, shifted, 2, &world, NULL, 0, picks, NULL, &err),
        0);
    ck_assert_int_lt(
        replica_choose(arena, &none, 1, &world, NULL, 0, picks, NULL, &err), 0);
    ck_assert_int_lt(
        replica_choose(arena, &hollow, 1, &world, NULL, 0, picks, NULL, &err),
        0);
    ck_assert_int_eq(err.status, STATUS_INVALID);
}
END_TEST

/* ---- signals ------------------------------------------------------------ */

static const struct {
    struct crossing_edge edge;
    size_t from, to; /* hosts of each end; 0: not reported */
} edges[] = {
    { { { ranks, 2 }, { ranks + 2, 2 } }, 0, 0 },     /* host 0 both */
    { { { ranks, 1 }, { ranks + 4, 4 } }, 1, 1 },     /* to host 1 */
    { { { ranks, 8 }, { ranks, 8 } }, 2, 2 },         /* both on both */
    { { { ranks + 3, 2 }, { ranks + 3, 1 } }, 2, 1 }, /* half of one end */
    { { { ranks, 2 }, { NULL, 0 } }, 0, 0 },          /* to the client */
    { { { NULL, 0 }, { ranks + 4, 1 } }, 0, 0 },      /* from the client */
};

START_TEST(edges_between_hosts_are_reported)
{
    const struct replica_world world = { 8, NULL, two_hosts, 2 };
    const struct crossing *found;
    size_t n;

    ck_assert_int_eq(
        crossing_find(arena, &edges[_i].edge, 1, &world, &found, &n, NULL), 0);
    ck_assert_uint_eq(n, edges[_i].from > 0);
    if (n == 0)
        return;
    ck_assert_uint_eq(found[0].n_from, edges[_i].from);
    ck_assert_uint_eq(found[0].n_to, edges[_i].to);
    for (size_t i = 1; i < found[0].n_from; i++)
        ck_assert_uint_lt(found[0].from_hosts[i - 1], found[0].from_hosts[i]);
}
END_TEST

START_TEST(a_rank_of_unknown_host_is_on_no_known_one)
{
    const struct crossing_edge edge = { { ranks, 1 }, { ranks + 7, 1 } };
    const struct replica_world world = { 4, NULL, two_hosts, 2 };
    const struct crossing *found;
    size_t n;

    ck_assert_int_eq(crossing_find(arena, &edge, 1, &world, &found, &n, NULL),
                     0);
    ck_assert_uint_eq(n, 1);
    ck_assert_uint_eq(found[0].to_hosts[0], HOST_UNKNOWN);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("replica");
    TCase *tcase = tcase_create("core");

    tcase_add_checked_fixture(tcase, set_up, tear_down);
    tcase_add_test(tcase, graphs_of_one_group_use_one_replica);
    tcase_add_test(tcase, a_replica_with_a_dead_rank_is_never_chosen);
    tcase_add_test(tcase, without_a_living_replica_the_graph_is_named);
    tcase_add_test(tcase, a_replica_on_a_host_in_use_comes_first);
    tcase_add_test(tcase, a_session_keeps_its_replica_while_it_lives);
    tcase_add_test(tcase, graphs_that_cannot_be_assigned_are_refused);
    tcase_add_loop_test(tcase, edges_between_hosts_are_reported, 0,
                        ARRAY_LEN(edges));
    tcase_add_test(tcase, a_rank_of_unknown_host_is_on_no_known_one);
    suite_add_tcase(suite, tcase);
    return tap_run(suite);
}
