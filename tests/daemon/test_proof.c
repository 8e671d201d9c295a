/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of daemon/proof_name: the group that differs is named, in any list. */
#include "daemon/proof_name.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "placement/lists.h"
#include "tests/tap.h"

enum { ARENA_BYTES = 256 << 20, RANKS_MAX = VIEW_SPAN_MAX };

static struct error err;

/* ---- sides --------------------------------------------------------------- */

/* What one side has: a list over a map of ranks. */
struct side {
    struct arena *arena;
    Serried__V1__Assignment message;
    Serried__V1__RankMap map, *maps[1];
    Serried__V1__Run runs[4], *run_at[4];
    Serried__V1__RunDim dims[4], *dim_at[4];
    Serried__V1__GroupList list, *lists[1];
    Serried__V1__Dim outer, inner, *outers[1], *inners[1];
    ProtobufCBinaryData list_digest;
    struct expansion expansion;
    struct expand_digests digests;
    uint32_t count;
};

static void add_run(struct side *side, uint32_t start, uint32_t n)
{
    size_t i = side->map.n_runs;

    if (n == 0)
        return;
    serried__v1__run__init(&side->runs[i]);
    serried__v1__run_dim__init(&side->dims[i]);
    side->run_at[i] = &side->runs[i];
    side->dim_at[i] = &side->dims[i];
    side->runs[i].start = start;
    side->runs[i].has_start = true;
    side->runs[i].dims = &side->dim_at[i];
    side->runs[i].n_dims = n > 1;
    side->dims[i].has_count = side->dims[i].has_stride = true;
    side->dims[i].count = n;
    side->dims[i].stride = 1;
    side->map.n_runs++;
}

static void put_dim(Serried__V1__Dim *dim, uint32_t size, uint32_t stride)
{
    serried__v1__dim__init(dim);
    dim->has_size = dim->has_stride = true;
    dim->size = size;
    dim->stride = stride;
}

/* ranks ranks in groups of length that follow each other; those at swapped and
 * behind it stand in each other's place, none where it is ranks or more. */
static struct side *side_new(uint32_t ranks, uint32_t length, uint32_t swapped)
{
    struct side *side = calloc(1, sizeof(*side));

    side->arena = arena_new(ARENA_BYTES);
    serried__v1__assignment__init(&side->message);
    serried__v1__rank_map__init(&side->map);
    serried__v1__group_list__init(&side->list);
    side->maps[0] = &side->map;
    side->map.runs = side->run_at;
    if (swapped < ranks) {
        add_run(side, 0, swapped);
        add_run(side, swapped + 1, 1);
        add_run(side, swapped, 1);
        add_run(side, swapped + 2, ranks - swapped - 2);
    } else {
        add_run(side, 0, ranks);
    }
    put_dim(&side->outer, ranks / length, length);
    put_dim(&side->inner, length, 1);
    side->outers[0] = &side->outer;
    side->inners[0] = &side->inner;
    side->list.name = (char *)"dense.a";
    side->list.has_rank_map = true;
    side->list.outer = side->outers;
    side->list.inner = side->inners;
    side->list.n_outer = ranks > length;
    side->list.n_inner = length > 1;
    side->lists[0] = &side->list;
    side->message.rank_maps = side->maps;
    side->message.lists = side->lists;
    side->message.n_rank_maps = side->message.n_lists = 1;
    ck_assert_msg(expand_assignment(side->arena, &side->message,
                                    &side->expansion, &err) == 0,
                  "%s", err.text);
    ck_assert_int_eq(
        expand_digest(side->arena, &side->expansion, &side->digests, &err), 0);
    side->list_digest =
        (ProtobufCBinaryData){ DIGEST_SHORT_BYTES, side->digests.lists[0] };
    side->message.list_digests = &side->list_digest;
    side->message.n_list_digests = 1;
    side->count = lists_count(&side->expansion.lists[0].lists);
    return side;
}

static void side_free(struct side *side)
{
    arena_free(side->arena);
    free(side);
}

/* ---- asking -------------------------------------------------------------- */

static struct proof_answer answer;
static Serried__V1__JoinRequest request;

static uint8_t *pack(const ProtobufCMessage *message, size_t *ret_len)
{
    uint8_t *bytes = malloc(protobuf_c_message_get_packed_size(message) + 1);

    *ret_len = protobuf_c_message_pack(message, bytes);
    return bytes;
}

/* Milliseconds of CPU that the daemon's part takes. */
static double ask(const struct side *daemon)
{
    struct arena *arena = arena_new(ARENA_BYTES);
    struct proof_question question = { .placement = "span" };
    struct timespec begin, end;
    uint8_t *common, *packed;

    common = pack(&daemon->message.base, &question.common_len);
    packed = pack(&request.base, &question.request_len);
    question.common = common;
    question.request = packed;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
    proof_name(&question, arena, &answer);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
    free(common);
    free(packed);
    arena_free(arena);
    return (double)(end.tv_sec - begin.tv_sec) * 1e3 +
           (double)(end.tv_nsec - begin.tv_nsec) / 1e6;
}

static void begin_request(const struct side *worker)
{
    serried__v1__join_request__init(&request);
    request.has_rank = true;
    request.rank = 1;
    request.list_digests = worker->message.list_digests;
    request.n_list_digests = 1;
}

/* One Join that says a span, NULL: none. */
static double say(const struct side *daemon, const struct side *worker,
                  const struct span *span)
{
    Serried__V1__GroupSpan groups = SERRIED__V1__GROUP_SPAN__INIT;

    begin_request(worker);
    if (span != NULL) {
        span_write(span, &groups);
        request.span = &groups;
        request.has_span_digests = true;
        request.span_digests.data =
            span_digests(worker->arena, &worker->expansion.lists[0], span);
        request.span_digests.len =
            (size_t)span_blocks(span) * DIGEST_SHORT_BYTES;
        ck_assert_uint_le(request.span_digests.len, 8 << 10);
    }
    return ask(daemon);
}

/* What libserry says next: the span that is asked for, after it went over the
 * wire, as far as the worker has it. */
static struct span span_asked(const struct side *worker)
{
    Serried__V1__GroupSpan groups = SERRIED__V1__GROUP_SPAN__INIT;
    struct span span;

    if (answer.whole_list)
        return span_of_list(0, worker->count);
    span_write(&answer.span, &groups);
    ck_assert_msg(span_read(&groups, &span, &err) == 0, "%s", err.text);
    return span_clip(&span, worker->count);
}

/* Goes on until nothing is asked; how many calls that took. */
static int narrow(const struct side *daemon, const struct side *worker,
                  bool begins, double *ret_ms)
{
    struct span span = span_of_list(0, worker->count);
    int calls = 0;

    do {
        double ms = say(daemon, worker, calls > 0 || begins ? &span : NULL);

        if (ret_ms != NULL)
            ret_ms[calls] = ms;
        calls++;
        ck_assert_int_eq(answer.err.status, STATUS_REFUSED);
        if (answer.detail == NULL || strcmp(answer.detail, SPAN_SAY) != 0)
            break;
        ck_assert(answer.more == (calls > 1 || begins));
        span = span_asked(worker);
    } while (calls < SPAN_STEPS_MAX);
    ck_assert(!answer.more);
    return calls;
}

static void ck_says(const char *words)
{
    ck_assert_msg(strstr(answer.err.text, words) != NULL, "want \"%s\": %s",
                  words, answer.err.text);
}

/* ---- tests --------------------------------------------------------------- */

static const struct {
    uint32_t ranks, length, swapped;
    int calls; /* with one that says nothing of groups first */
    const char *words;
} wrongs[] = {
    { 4, 2, 2, 2,
      "; the first is its group 1, in the placement of ranks 2, 3" },
    { 2048, 2, 0, 2, "group 0, in the placement of ranks 0, 1" },
    { 2048, 2, 2046, 2, "group 1023, in the placement of ranks 2046, 2047" },
    { 2050, 2, 2048, 2, "group 1024, in the placement of ranks 2048, 2049" },
    { 2052, 2, 2050, 3, "group 1025, in the placement of ranks 2050, 2051" },
    { 40000, 2, 39998, 3,
      "group 19999, in the placement of ranks 39998, 39999" },
    { RANKS_MAX, 2, RANKS_MAX - 2, 3,
      "group 524287, in the placement of ranks 1048574, 1048575" },
    { RANKS_MAX, 1, RANKS_MAX - 2, 3,
      "group 1048574, in the placement of rank 1048574" },
    { RANKS_MAX, 1, 700000, 3,
      "group 700000, in the placement of rank 700000" },
    { RANKS_MAX, 8, RANKS_MAX - 2, 3,
      "group 131071, in the placement of ranks 1048568 to 1048575" },
    { RANKS_MAX, RANKS_MAX, 5, 2,
      "group 0, in the placement of ranks 0 to 65535 and 983040 more" },
};

START_TEST(the_first_group_that_differs_is_named_however_long_the_list)
{
    struct side *daemon =
        side_new(wrongs[_i].ranks, wrongs[_i].length, UINT32_MAX);
    struct side *worker =
        side_new(wrongs[_i].ranks, wrongs[_i].length, wrongs[_i].swapped);
    double ms[SPAN_STEPS_MAX];
    int calls = narrow(daemon, worker, false, ms);

    ck_says("DIGEST_DIFFERS: this worker's groups of the list dense.a are not "
            "those of span");
    ck_says(wrongs[_i].words);
    ck_assert_str_eq(answer.detail, SPAN_GROUP);
    ck_assert_int_eq(calls, wrongs[_i].calls);
    printf("# %u ranks in groups of %u:", wrongs[_i].ranks, wrongs[_i].length);
    for (int i = 0; i < calls; i++)
        printf(" %.1f", ms[i]);
    printf(" ms\n");
    ck_assert_int_eq(narrow(daemon, worker, true, NULL), calls - 1);
    ck_says(wrongs[_i].words);
    side_free(daemon);
    side_free(worker);
}
END_TEST

/* Of lists that begin alike, the longer one's next group differs. */
static const struct {
    uint32_t here, there;
    const char *words;
} ends[] = {
    { 8, 6,
      "group 3, in the placement of ranks 6, 7, which this worker does "
      "not have" },
    { 6, 8, "group 3, which the placement does not have" },
    { 40000, 30000,
      "group 15000, in the placement of ranks 30000, 30001, "
      "which this worker does not have" },
    { 30000, 40000, "group 15000, which the placement does not have" },
    { 2, 1048576, "group 1, which the placement does not have" },
    { 1048576, 2,
      "group 1, in the placement of ranks 2, 3, which this worker "
      "does not have" },
    { 4096, 2048, "group 1024, in the placement of ranks 2048, 2049, which" },
    /* one ends within a block of the other */
    { 3002, 6000, "group 1501, which the placement does not have" },
    { 6000, 3002, "group 1501, in the placement of ranks 3002, 3003, which" },
    { 2048, 4096, "group 1024, which the placement does not have" },
};

START_TEST(a_group_that_one_side_lacks_is_named)
{
    struct side *daemon = side_new(ends[_i].here, 2, UINT32_MAX);
    struct side *worker = side_new(ends[_i].there, 2, UINT32_MAX);

    for (int begins = 0; begins < 2; begins++) {
        narrow(daemon, worker, begins != 0, NULL);
        ck_says(ends[_i].words);
        ck_assert_str_eq(answer.detail, SPAN_GROUP);
    }
    side_free(daemon);
    side_free(worker);
}
END_TEST

START_TEST(a_worker_that_says_no_spans_is_told_what_it_was_before)
{
    struct side *daemon = side_new(40000, 2, UINT32_MAX);
    struct side *worker = side_new(40000, 2, 39998);
    struct side *early = side_new(40000, 2, 100);
    struct span first = { 0, 0, SPAN_GROUPS_MAX, 1, SPAN_GROUPS_MAX };
    const char own[] = "; in the placement rank 1 is in its group 0, of ranks "
                       "0, 1";

    say(daemon, worker, NULL);
    ck_says(own);
    ck_assert(!answer.more);
    request.has_differing_list = request.has_group_digests = true;
    request.group_digests.len = SPAN_GROUPS_MAX * DIGEST_SHORT_BYTES;
    request.group_digests.data =
        span_digests(worker->arena, &worker->expansion.lists[0], &first);
    ask(daemon);
    ck_says(own); /* beyond what it says */
    request.group_digests.data =
        span_digests(early->arena, &early->expansion.lists[0], &first);
    ask(daemon);
    ck_says("group 50, in the placement of ranks 100, 101");
    request.group_digests.len = 0;
    ask(daemon);
    ck_says("group 0, in the placement of ranks 0, 1, which this worker");
    side_free(daemon);
    side_free(worker);
    side_free(early);
}
END_TEST

/* A worker that says of its groups what is not so. */
START_TEST(a_span_in_which_nothing_differs_is_no_answer)
{
    struct side *daemon = side_new(4000, 2, UINT32_MAX);
    struct side *worker = side_new(4000, 2, 3000);
    struct span span = { 0, 0, 1000, 1, 2000 };

    say(daemon, worker, &span);
    ck_says("; in the placement rank 1 is in its group 0, of ranks 0, 1");
    ck_assert_ptr_null(answer.detail);
    ck_assert(!answer.more);
    side_free(daemon);
    side_free(worker);
}
END_TEST

static const struct {
    struct span span;
    size_t bytes;
    const char *words;
} nonsense[] = {
    { { 0, 0, 4, 0, 4 }, 32, "how many make a block, at least 1" },
    { { 0, 0, 5, 1, 4 }, 40, "5 groups from 0 on is not in a list of 4" },
    { { 0, 5, 0, 1, 4 }, 0, "0 groups from 5 on" },
    { { 0, 3, UINT32_MAX, 1, 4 }, 8, "4294967295 groups from 3 on" },
    { { 0, UINT32_MAX, 2, 1, 4 }, 16, "2 groups from 4294967295 on" },
    { { 0, 0, 1, 1, VIEW_SPAN_MAX + 1 }, 8, "which may have 1048576" },
    { { 0, 0, 1025, 1, 2000 }, 8200, "in blocks of 1 are more than 1024" },
    { { 0, 0, VIEW_SPAN_MAX, 1023, VIEW_SPAN_MAX }, 8200, "blocks of 1023" },
    { { 0, 0, 4, 1, 4 }, 31, "span_digests has 31 bytes: a span of 4 blocks" },
    { { 0, 0, 4, 1, 4 }, 40, "span_digests has 40 bytes" },
    { { 0, 0, 4, 3, 4 }, 32, "a span of 2 blocks has 8 of each" },
    { { 0, 0, 4, UINT32_MAX, 4 }, 0, "a span of 1 blocks has 8 of each" },
};

START_TEST(a_span_that_cannot_be_is_refused)
{
    static uint8_t bytes[16384];
    Serried__V1__GroupSpan groups = SERRIED__V1__GROUP_SPAN__INIT;
    struct side *daemon = side_new(8, 2, UINT32_MAX);
    struct side *worker = side_new(8, 2, 0);

    begin_request(worker);
    span_write(&nonsense[_i].span, &groups);
    request.span = &groups;
    request.has_span_digests = true;
    request.span_digests = (ProtobufCBinaryData){ nonsense[_i].bytes, bytes };
    ask(daemon);
    ck_assert_int_eq(answer.err.status, STATUS_INVALID);
    ck_says(nonsense[_i].words);
    ck_assert_ptr_null(answer.detail);
    groups.list = 7; /* another list: not looked at */
    ask(daemon);
    ck_assert_int_eq(answer.err.status, STATUS_REFUSED);
    side_free(daemon);
    side_free(worker);
}
END_TEST

/* ---- blocks -------------------------------------------------------------- */

static const struct lists shapes[] = {
    { .n_outer = 1,
      .outer = { { 30, 4 } },
      .n_inner = 1,
      .inner = { { 4, 1 } } },
    { .n_outer = 2,
      .outer = { { 5, 24 }, { 4, 1 } },
      .n_inner = 1,
      .inner = { { 6, 4 } } },
    { .n_outer = 1,
      .outer = { { 20, 5 } },
      .n_inner = 1,
      .inner = { { 5, 1 } },
      .run = 2 },
    { .n_outer = 2,
      .outer = { { 3, 40 }, { 4, 1 } },
      .n_inner = 1,
      .inner = { { 10, 4 } },
      .run = 4 },
    { .n_outer = 1,
      .outer = { { 30, 4 } },
      .n_inner = 1,
      .inner = { { 4, 1 } },
      .take = TAKE_FIRST | TAKE_LAST },
};

START_TEST(the_digest_of_a_block_is_that_of_a_list_of_its_groups)
{
    const struct lists *lists = &shapes[_i];
    uint32_t count = lists_count(lists), ranks[64][8], member;
    struct rank_list groups[64];

    for (uint32_t i = 0; i < count; i++) {
        ck_assert_uint_eq(
            lists_at_entry(lists, lists_entry_of(lists, i), &member), i);
        ck_assert_uint_eq(member, 0);
        lists_expand_one(lists, i, NULL, 7, ranks[i]);
        groups[i] = (struct rank_list){ ranks[i], lists_length_of(lists, i) };
    }
    ck_assert_uint_eq(lists_entry_of(lists, count), lists_entries(lists));
    for (uint32_t first = 0; first < count; first++)
        for (uint32_t n = 1; n <= count - first; n++) {
            struct arena *arena = arena_new(1 << 20);
            struct digest_builder *builder = digest_begin(arena, 1, NULL);
            uint8_t a[DIGEST_SHORT_BYTES], b[DIGEST_SHORT_BYTES];

            digest_add_explicit(builder, "v.a", groups + first, n, a);
            digest_groups("v.a", lists, NULL, 7, first, n, b);
            ck_assert_mem_eq(a, b, sizeof(a));
            arena_free(arena);
        }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("proof");
    TCase *tc = tcase_create("proof");

    tcase_add_loop_test(
        tc, the_first_group_that_differs_is_named_however_long_the_list, 0,
        ARRAY_LEN(wrongs));
    tcase_add_loop_test(tc, a_group_that_one_side_lacks_is_named, 0,
                        ARRAY_LEN(ends));
    tcase_add_test(tc, a_worker_that_says_no_spans_is_told_what_it_was_before);
    tcase_add_test(tc, a_span_in_which_nothing_differs_is_no_answer);
    tcase_add_loop_test(tc, a_span_that_cannot_be_is_refused, 0,
                        ARRAY_LEN(nonsense));
    tcase_add_loop_test(tc,
                        the_digest_of_a_block_is_that_of_a_list_of_its_groups,
                        0, ARRAY_LEN(shapes));
    suite_add_tcase(suite, tc);
    return tap_run(suite);
}
