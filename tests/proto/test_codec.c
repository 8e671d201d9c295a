/* SPDX-License-Identifier: Apache-2.0 */
/* Packed assignments: the same as those that are made of messages. */
#include <stdio.h>

#include "proto/codec.h"
#include "tests/placement/check_fixture.h"

static const char runtime[] = "runtime: r\n"
                              "version: 1\n"
                              "request: node_groups\n"
                              "axes: [{name: a}, {name: b}]\n"
                              "rules: [{check: ranks}]\n";

static const char model[] =
    "model: m\n"
    "nodes: [{name: n, axes: {a: {}, b: {}}}, {name: other}]\n"
    "walks: [{name: w, nodes: [n, other],\n"
    "         signals: [{from: n, to: other, name: s}]}]\n";

static struct asked asked;
static struct assignment_common common;
static struct arena *scratch;

static void begin(const char *request)
{
    ck_assert_msg(ask(&asked, runtime, model, request, NULL), "%s",
                  asked.err.text);
    ck_assert_msg(check_accepts(asked.check), "%s", asked_json(&asked));
    ck_assert_int_eq(codec_assignment_common(asked.check, &common, &asked.err),
                     0);
    scratch = arena_new(16 << 20);
}

static void end(void)
{
    arena_free(scratch);
    asked_close(&asked);
}

/* The message of a rank, made without what is kept; packed. */
static ProtobufCBinaryData plain(uint32_t rank)
{
    Serried__V1__Assignment *msg;
    Serried__V1__Generation generation = SERRIED__V1__GENERATION__INIT;
    ProtobufCBinaryData packed;

    msg = serried__v1__assignment__unpack(NULL, common.len, common.packed);
    ck_assert_ptr_nonnull(msg);
    generation.has_epoch = generation.has_revision = true;
    generation.epoch = 3;
    generation.revision = UINT64_MAX;
    msg->generation = &generation;
    msg->placement = (char *)"here";
    ck_assert_int_eq(
        codec_assignment_rank(asked.check, scratch, rank, msg, &asked.err), 0);
    packed.len = serried__v1__assignment__get_packed_size(msg);
    packed.data = arena_alloc(scratch, packed.len);
    serried__v1__assignment__pack(msg, packed.data);
    msg->generation = NULL; /* these are not its own */
    msg->placement = NULL;
    msg->nodes = NULL;
    msg->n_nodes = 0;
    serried__v1__assignment__free_unpacked(msg, NULL);
    return packed;
}

/* The bytes of codec_assignment_pack(), with the fields in order. */
static ProtobufCBinaryData ordered(uint32_t rank)
{
    const struct assignment_head head = { .placement = "here",
                                          .epoch = 3,
                                          .revision = UINT64_MAX };
    ProtobufCBinaryData packed;
    Serried__V1__Assignment *msg;

    ck_assert_int_eq(codec_assignment_pack(asked.check, &common, &head, scratch,
                                           rank, &packed, &asked.err),
                     0);
    msg = serried__v1__assignment__unpack(NULL, packed.len, packed.data);
    ck_assert_ptr_nonnull(msg);
    packed.len = serried__v1__assignment__get_packed_size(msg);
    packed.data = arena_alloc(scratch, packed.len);
    serried__v1__assignment__pack(msg, packed.data);
    serried__v1__assignment__free_unpacked(msg, NULL);
    return packed;
}

static void check_rank(uint32_t rank)
{
    struct arena_mark mark = arena_mark(scratch);
    ProtobufCBinaryData want = plain(rank), got = ordered(rank);

    ck_assert_uint_eq(got.len, want.len);
    ck_assert_mem_eq(got.data, want.data, want.len);
    arena_rewind(scratch, mark);
}

START_TEST(a_packed_assignment_is_the_one_made_of_messages)
{
    begin(
        "model: m\nnode_groups:\n"
        "  - {node_names: [n], ranks: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11],\n"
        "     sizes: {a: 2, b: 3}}\n"
        "  - {node_names: [other], ranks: [3, 0]}\n");
    for (int turn = 0; turn < 2; turn++) /* made, then kept */
        for (uint32_t rank = 0; rank < 12; rank++)
            check_rank(rank);
    for (uint32_t rank = 12; rank-- > 0;)
        check_rank(rank);
    end();
}
END_TEST

START_TEST(what_is_kept_is_kept_for_each_place_in_an_instance_once)
{
    const struct assignment_head head = { .placement = "here" };
    ProtobufCBinaryData packed;
    size_t used[3];

    begin("model: m\nnode_groups: [{node_names: [n, other], ranks: [0, 1, 2, "
          "3, 4, 5],\n"
          "               sizes: {a: 2}}]\n");
    for (uint32_t i = 0; i < 3; i++) { /* of three instances of two ranks */
        ck_assert_int_eq(codec_assignment_pack(asked.check, &common, &head,
                                               scratch, 2 * i, &packed,
                                               &asked.err),
                         0);
        used[i] = arena_used(asked.arena);
    }
    ck_assert_uint_eq(used[1], used[0]);
    ck_assert_uint_eq(used[2], used[0]);
    ck_assert_int_eq(codec_assignment_pack(asked.check, &common, &head, scratch,
                                           1, &packed, &asked.err),
                     0);
    ck_assert_uint_gt(arena_used(asked.arena), used[0]);
    end();
}
END_TEST

START_TEST(what_is_kept_is_bounded_and_right_beyond_the_bound)
{
    enum { WORLD = 4096 };
    size_t before;

    begin("model: m\nnode_groups: [{node_names: [n, other], count: 4096,\n"
          "               sizes: {a: 64, b: 64}}]\n");
    before = arena_used(asked.arena);
    for (uint32_t rank = 0; rank < WORLD; rank++) {
        const struct assignment_head head = { .placement = "here" };
        struct arena_mark mark = arena_mark(scratch);
        ProtobufCBinaryData packed;

        ck_assert_int_eq(codec_assignment_pack(asked.check, &common, &head,
                                               scratch, rank, &packed,
                                               &asked.err),
                         0);
        arena_rewind(scratch, mark);
    }
    ck_assert_uint_gt(arena_used(asked.arena) - before,
                      CODEC_SHARDS_BYTES_MAX / 2);
    /* alignment is beside it */
    ck_assert_uint_lt(arena_used(asked.arena) - before,
                      2 * CODEC_SHARDS_BYTES_MAX);
    for (uint32_t rank = 0; rank < WORLD; rank += 97)
        check_rank(rank);
    end();
}
END_TEST

START_TEST(a_rank_that_is_not_there_is_refused)
{
    const struct assignment_head head = { .placement = "here" };
    ProtobufCBinaryData packed;

    begin("model: m\nnode_groups: [{node_names: [n, other], ranks: [0, 1]}]\n");
    ck_assert_int_lt(codec_assignment_pack(asked.check, &common, &head, scratch,
                                           2, &packed, &asked.err),
                     0);
    ck_assert_int_eq(asked.err.status, STATUS_UNKNOWN_NAME);
    end();
}
END_TEST

START_TEST(a_full_arena_is_told)
{
    const struct assignment_head head = { .placement = "here" };
    struct arena *full = arena_new(64);
    ProtobufCBinaryData packed;

    begin("model: m\nnode_groups: [{node_names: [n, other], ranks: [0, 1]}]\n");
    ck_assert_int_lt(codec_assignment_pack(asked.check, &common, &head, full, 0,
                                           &packed, &asked.err),
                     0);
    ck_assert_int_eq(asked.err.status, STATUS_EXHAUSTED);
    arena_free(full);
    end();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("codec");
    TCase *tcase = tcase_create("codec");

    tcase_add_test(tcase, a_packed_assignment_is_the_one_made_of_messages);
    tcase_add_test(tcase,
                   what_is_kept_is_kept_for_each_place_in_an_instance_once);
    tcase_add_test(tcase, what_is_kept_is_bounded_and_right_beyond_the_bound);
    tcase_add_test(tcase, a_rank_that_is_not_there_is_refused);
    tcase_add_test(tcase, a_full_arena_is_told);
    suite_add_tcase(suite, tcase);
    return tap_run(suite);
}
