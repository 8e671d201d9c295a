/* SPDX-License-Identifier: Apache-2.0 */
/* Fan-out and fan-in of signals between two instances. */
#include <stdlib.h>

#include "base/text.h"
#include "placement/signal.h"
#include "tests/tap.h"

enum { SENDS_MAX = 4, TENSORS_MAX = 2, ARENA_BYTES = 1 << 20 };

struct want {
    uint32_t worker, to_rank;
    bool whole;
    struct signal_slice slices[TENSORS_MAX];
};

static const struct {
    uint32_t n_from, from[4], n_to, to[4], from_rank;
    bool sharded;
    uint32_t n_tensors;
    uint64_t rows[TENSORS_MAX];
    const char *code; /* refused so */
    uint32_t n_sends;
    struct want sends[SENDS_MAX];
} edges[] = {
    /* clang-format off */
    /* not sharded: only rank 0 sends, and to itself who is at both ends */
    { 2, { 0, 1 }, 2, { 2, 3 }, 0, false, 0, { 0 }, NULL, 2,
      { { 2, 0, true, { { 0, 0, 0 } } }, { 3, 1, true, { { 0, 0, 0 } } } } },
    { 2, { 0, 1 }, 2, { 2, 3 }, 1, false, 0, { 0 }, NULL, 0,
      { { 0, 0, true, { { 0, 0, 0 } } } } },
    { 2, { 0, 1 }, 2, { 1, 2 }, 0, false, 0, { 0 }, NULL, 1,
      { { 2, 1, true, { { 0, 0, 0 } } } } },
    { 2, { 0, 1 }, 2, { 1, 2 }, 1, false, 0, { 0 }, NULL, 1,
      { { 1, 0, true, { { 0, 0, 0 } } } } },
    { 1, { 0 }, 1, { 0 }, 0, false, 0, { 0 }, NULL, 1,
      { { 0, 0, true, { { 0, 0, 0 } } } } },
    /* sharded */
    { 2, { 0, 1 }, 2, { 2, 3 }, 0, true, 1, { 4 }, NULL, 1,
      { { 2, 0, false, { { 0, 4, 0 } } } } },
    { 2, { 0, 1 }, 2, { 2, 3 }, 1, true, 1, { 4 }, NULL, 1,
      { { 3, 1, false, { { 4, 8, 0 } } } } },
    { 1, { 0 }, 2, { 1, 2 }, 0, true, 1, { 8 }, NULL, 2,
      { { 1, 0, false, { { 0, 4, 0 } } }, { 2, 1, false, { { 4, 8, 4 } } } } },
    { 4, { 0, 1, 2, 3 }, 2, { 4, 5 }, 2, true, 1, { 2 }, NULL, 1,
      { { 5, 1, false, { { 4, 6, 0 } } } } },
    { 2, { 0, 1 }, 1, { 2 }, 0, true, 1, { 4 }, NULL, 1,
      { { 2, 0, false, { { 0, 4, 0 } } } } },
    { 2, { 0, 1 }, 1, { 2 }, 1, true, 1, { 4 }, NULL, 1,
      { { 2, 0, false, { { 4, 8, 0 } } } } },
    { 1, { 0 }, 2, { 1, 2 }, 0, true, 2, { 4, 8 }, NULL, 2,
      { { 1, 0, false, { { 0, 2, 0 }, { 0, 4, 0 } } },
        { 2, 1, false, { { 2, 4, 2 }, { 4, 8, 4 } } } } },
    { 2, { 0, 1 }, 3, { 2, 3, 4 }, 1, true, 1, { 3 }, NULL, 2,
      { { 3, 1, false, { { 3, 4, 0 } } }, { 4, 2, false, { { 4, 6, 1 } } } } },
    { 1, { 0 }, 2, { 1, 2 }, 0, true, 1, { 0 }, NULL, 0,
      { { 0, 0, false, { { 0, 0, 0 } } } } },
    /* refused */
    { 2, { 0, 1 }, 4, { 2, 3, 4, 5 }, 0, true, 1, { 3 }, "shard.uneven", 0,
      { { 0, 0, false, { { 0, 0, 0 } } } } },
    { 1, { 0 }, 2, { 1, 2 }, 0, true, 1, { 3 }, "shard.uneven", 0,
      { { 0, 0, false, { { 0, 0, 0 } } } } },
    { 1, { 0 }, 2, { 1, 2 }, 0, true, 2, { 4, 5 }, "shard.uneven", 0,
      { { 0, 0, false, { { 0, 0, 0 } } } } },
    { 2, { 0, 1 }, 1, { 2 }, RANK_UNSET, false, 0, { 0 },
      "template.unranked_source", 0, { { 0, 0, false, { { 0, 0, 0 } } } } },
    { 2, { 0, 1 }, 1, { 2 }, RANK_UNSET, true, 1, { 4 },
      "template.unranked_source", 0, { { 0, 0, false, { { 0, 0, 0 } } } } },
    /* clang-format on */
};

static void ck_sends(const struct signal_sends *got, const struct want *want,
                     uint32_t n_tensors)
{
    for (size_t i = 0; i < got->count; i++, want++) {
        const struct signal_send *send = &got->items[i];

        ck_assert_uint_eq(send->worker, want->worker);
        ck_assert_uint_eq(send->to_rank, want->to_rank);
        ck_assert_int_eq(send->whole, want->whole);
        for (uint32_t t = 0; t < n_tensors && !send->whole; t++) {
            ck_assert_uint_eq(send->slices[t].begin, want->slices[t].begin);
            ck_assert_uint_eq(send->slices[t].end, want->slices[t].end);
            ck_assert_uint_eq(send->slices[t].local_begin,
                              want->slices[t].local_begin);
        }
    }
}

START_TEST(a_rank_sends_what_its_receivers_need)
{
    struct arena *arena = arena_new(ARENA_BYTES);
    struct signal signal = {
        { edges[_i].from, edges[_i].n_from },
        { edges[_i].to, edges[_i].n_to },
        edges[_i].sharded,
        edges[_i].rows,
        edges[_i].n_tensors,
    };
    struct signal_sends got = { NULL, 77 };
    struct error err = { 0 };
    const char *code = NULL;
    int rc =
        signal_fan_out(arena, &signal, edges[_i].from_rank, &got, &code, &err);

    if (edges[_i].code != NULL) {
        ck_assert_int_eq(rc, -1);
        ck_assert_str_eq(code, edges[_i].code);
        ck_assert_int_eq(err.status, STATUS_INVALID);
        ck_assert_uint_eq(got.count, 77);
    } else {
        ck_assert_msg(rc == 0, "%s", err.text);
        ck_assert_uint_eq(got.count, edges[_i].n_sends);
        ck_sends(&got, edges[_i].sends, edges[_i].n_tensors);
    }
    arena_free(arena);
}
END_TEST

static const uint32_t workers[] = { 0, 1, 2, 3 };
static const uint64_t fine_rows[] = { 4 }, huge_rows[] = { UINT64_MAX };

static const struct {
    uint32_t n_from, n_to, from_rank;
    bool sharded;
    const uint64_t *rows;
    uint32_t n_tensors;
} hostile[] = {
    { 0, 1, 0, false, NULL, 0 },
    { 1, 0, 0, false, NULL, 0 },
    { SIGNAL_WORKERS_MAX + 1, 1, 0, false, NULL, 0 },
    { 1, UINT32_MAX, 0, false, NULL, 0 },
    { 2, 2, 2, false, NULL, 0 },
    { 2, 2, 0, true, NULL, 0 },
    { 2, 2, 0, true, fine_rows, SIGNAL_TENSORS_MAX + 1 },
    { 2, 2, 0, true, huge_rows, 1 },
};

START_TEST(a_signal_out_of_bounds_is_refused_without_a_code)
{
    struct arena *arena = arena_new(ARENA_BYTES);
    struct signal signal = {
        { workers, hostile[_i].n_from },
        { workers, hostile[_i].n_to },
        hostile[_i].sharded,
        hostile[_i].rows,
        hostile[_i].n_tensors,
    };
    struct signal_sends got;
    struct error err = { 0 };
    const char *code = "none";

    ck_assert_int_eq(signal_fan_out(arena, &signal, hostile[_i].from_rank, &got,
                                    &code, &err),
                     -1);
    ck_assert_int_eq(err.status, STATUS_INVALID);
    ck_assert_ptr_null(code);
    arena_free(arena);
}
END_TEST

START_TEST(a_full_arena_is_said)
{
    struct arena *arena = arena_new(16);
    struct signal signal = {
        { workers, 2 }, { workers + 2, 2 }, false, NULL, 0
    };
    struct signal_sends got;
    struct error err = { 0 };

    ck_assert_int_eq(signal_fan_out(arena, &signal, 0, &got, NULL, &err), -1);
    ck_assert_int_eq(err.status, STATUS_EXHAUSTED);
    arena_free(arena);
}
END_TEST

/* Every row arrives once, where it belongs, and fan-in counts the senders. */
START_TEST(what_all_ranks_send_is_the_whole_once)
{
    uint32_t n_from = 1 + (uint32_t)_i % 6, n_to = 1 + (uint32_t)_i / 6;
    const uint64_t rows[] = { n_to * 3, n_to };
    uint32_t from[6] = { 0, 1, 2, 3, 4, 5 }, to[6] = { 6, 7, 8, 9, 10, 11 };
    uint32_t fan_in[6] = { 0 }, want = 0;
    struct signal signal = { { from, n_from }, { to, n_to }, true, rows, 2 };
    struct arena *arena = arena_new(ARENA_BYTES);
    uint64_t end = 0;

    for (uint32_t r = 0; r < n_from; r++) {
        struct signal_sends got;

        ck_assert_int_eq(signal_fan_out(arena, &signal, r, &got, NULL, NULL),
                         0);
        for (size_t i = 0; i < got.count; i++) {
            const struct signal_slice *slice = &got.items[i].slices[0];
            uint64_t part = rows[0] * n_from / n_to;

            ck_assert_uint_eq(slice->begin, end);
            ck_assert_uint_lt(slice->begin, slice->end);
            ck_assert_uint_eq(slice->local_begin, slice->begin - rows[0] * r);
            ck_assert_uint_ge(slice->begin, part * got.items[i].to_rank);
            ck_assert_uint_le(slice->end, part * (got.items[i].to_rank + 1));
            end = slice->end;
            fan_in[got.items[i].to_rank]++;
        }
    }
    ck_assert_uint_eq(end, rows[0] * n_from);
    for (uint32_t j = 0; j < n_to; j++) {
        ck_assert_int_eq(signal_fan_in(n_from, n_to, j, true, &want, NULL), 0);
        ck_assert_uint_eq(fan_in[j], want);
    }
    arena_free(arena);
}
END_TEST

static const struct {
    uint32_t from_size, to_size, to_rank;
    bool sharded;
    uint32_t want; /* 0: refused */
} fan_ins[] = {
    { 4, 2, 1, false, 1 },
    { 2, 2, 0, true, 1 },
    { 1, 4, 3, true, 1 },
    { 2, 3, 0, true, 1 },
    { 2, 3, 1, true, 2 },
    { 2, 3, 2, true, 1 },
    { 4, 2, 1, true, 2 },
    { 4, 1, 0, true, 4 },
    { 2, 3, 3, true, 0 },
    { 0, 3, 0, true, 0 },
    { 2, 0, 0, true, 0 },
    { UINT32_MAX, 1, 0, true, 0 },
    { SIGNAL_WORKERS_MAX, SIGNAL_WORKERS_MAX, SIGNAL_WORKERS_MAX - 1, true, 1 },
    { SIGNAL_WORKERS_MAX, 1, 0, true, SIGNAL_WORKERS_MAX },
};

START_TEST(fan_in_counts_the_senders_that_overlap)
{
    uint32_t got = 77;
    struct error err = { 0 };
    int rc =
        signal_fan_in(fan_ins[_i].from_size, fan_ins[_i].to_size,
                      fan_ins[_i].to_rank, fan_ins[_i].sharded, &got, &err);

    ck_assert_int_eq(rc, fan_ins[_i].want == 0 ? -1 : 0);
    ck_assert_uint_eq(got, rc < 0 ? 77 : fan_ins[_i].want);
    ck_assert_int_eq(err.status, rc < 0 ? STATUS_INVALID : STATUS_OK);
}
END_TEST

START_TEST(a_million_senders_and_receivers_are_matched_quickly)
{
    uint32_t n = SIGNAL_WORKERS_MAX;
    uint32_t *both = malloc(2 * n * sizeof(*both));
    struct arena *arena = arena_new((size_t)64 << 20);
    struct signal signal = { { both, n }, { both + n / 2, n }, false, NULL, 0 };
    struct signal_sends got;

    ck_assert_ptr_nonnull(both);
    for (uint32_t i = 0; i < 2 * n; i++)
        both[i] = i ^ 1;
    ck_assert_int_eq(signal_fan_out(arena, &signal, 0, &got, NULL, NULL), 0);
    ck_assert_uint_eq(got.count, n / 2);
    ck_assert_uint_eq(got.items[0].to_rank, n / 2);
    arena_free(arena);
    free(both);
}
END_TEST

static Suite *signal_suite(void)
{
    Suite *suite = suite_create("signal");
    TCase *tcase = tcase_create("signal");

    tcase_add_loop_test(tcase, a_rank_sends_what_its_receivers_need, 0,
                        ARRAY_LEN(edges));
    tcase_add_loop_test(tcase, a_signal_out_of_bounds_is_refused_without_a_code,
                        0, ARRAY_LEN(hostile));
    tcase_add_test(tcase, a_full_arena_is_said);
    tcase_add_loop_test(tcase, what_all_ranks_send_is_the_whole_once, 0, 36);
    tcase_add_loop_test(tcase, fan_in_counts_the_senders_that_overlap, 0,
                        ARRAY_LEN(fan_ins));
    tcase_add_test(tcase, a_million_senders_and_receivers_are_matched_quickly);
    suite_add_tcase(suite, tcase);
    return suite;
}

int main(void)
{
    return tap_run(signal_suite());
}
