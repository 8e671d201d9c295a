/* SPDX-License-Identifier: Apache-2.0 */
/* What a listener does for peers that mean well, and its bounds. */
#include "base/text.h"
#include "tests/daemon/listener_fixture.h"

/* Every test that runs twice does so on tcp (0) and on a unix socket (1). */

enum { MIB = 1 << 20 };

static char large[MIB + 64];

START_TEST(a_call_is_answered_and_says_who_made_it)
{
    struct served served = { 0 };
    char who[64];
    int fd;

    serve_at(&served, _i == 1, (struct listener_options){ 0 });
    fd = dial_and_greet(&served);
    echo(&served, fd, "hello");
    echo(&served, fd, "");
    snprintf(who, sizeof(who), "uid %lu pid %ld", (unsigned long)getuid(),
             (long)getpid());
    if (_i == 1)
        ck_assert_str_eq(served.board->from, who);
    else
        ck_assert_int_eq(strncmp(served.board->from, "127.0.0.1:", 10), 0);
    close(fd);
    stop(&served, SIGTERM);
}
END_TEST

START_TEST(a_peer_that_sends_one_byte_at_a_time_is_answered)
{
    static const uint8_t hello[] = { 0, 'S', 'P', 0, 0, 0x30, 0, 0 };
    struct served served = { 0 };
    uint8_t head[13], reply[64];
    size_t len;
    uint32_t id;
    int fd;

    serve_at(&served, _i == 1, (struct listener_options){ 0 });
    fd = dial(&served);
    for (size_t i = 0; i < sizeof(hello); i++)
        put_all(fd, hello + i, 1);
    ck_assert_uint_eq(get_some(fd, reply, 8), 8);
    len = frame(&served, head, 3, 5);
    for (size_t i = 0; i < len; i++) {
        put_all(fd, head + i, 1);
        sleep_ms(1);
    }
    for (size_t i = 0; i < 5; i++)
        put_all(fd, &"bytes"[i], 1);
    ck_assert_int_eq(hear(&served, fd, &id, reply, sizeof(reply)), 5);
    ck_assert_mem_eq(reply, "bytes", 5);
    close(fd);
    stop(&served, SIGTERM);
}
END_TEST

static const struct {
    unsigned calls;
    size_t bytes;
} pipelines[] = {
    { 64, 10000 }, { 64, 100000 }, { 2, 900000 }, { 1000, 200 }, { 5000, 0 },
};

/* The whole pipeline is written by a child, as both directions may fill. */
START_TEST(every_reply_of_a_pipeline_arrives)
{
    unsigned calls = pipelines[_i / 2].calls;
    size_t bytes = pipelines[_i / 2].bytes;
    bool *came = calloc(calls, sizeof(*came));
    struct served served = { 0 };
    int fd;
    pid_t writer;

    serve_at(&served, _i % 2 == 1, (struct listener_options){ 0 });
    fd = dial_and_greet(&served);
    memset(large, 'x', bytes);
    writer = fork();
    if (writer == 0) {
        for (uint32_t id = 0; id < calls; id++)
            ask(&served, fd, id, large, bytes);
        _exit(0);
    }
    for (unsigned i = 0; i < calls; i++) {
        uint32_t id = 0;

        ck_assert_int_eq(hear(&served, fd, &id, large, sizeof(large)),
                         (ssize_t)bytes);
        ck_assert_uint_lt(id, calls);
        ck_assert(!came[id]);
        came[id] = true;
    }
    waitpid(writer, NULL, 0);
    close(fd);
    free(came);
    stop(&served, SIGTERM);
}
END_TEST

/* Small replies are gathered and large ones are not: neither overtakes. */
START_TEST(replies_of_all_sizes_come_in_the_order_of_their_calls)
{
    static const unsigned sizes[] = { 10, 0, 4096, 70000, 3, 4050, 4100, 900 };
    struct served served = { 0 };
    char body[16];
    int fd;

    serve_at(&served, _i == 1, (struct listener_options){ 0 });
    fd = dial_and_greet(&served);
    kill(served.pid, SIGSTOP); /* so that all are read in one turn */
    for (uint32_t id = 0; id < 200; id++) {
        snprintf(body, sizeof(body), "size %u", sizes[id % ARRAY_LEN(sizes)]);
        ask(&served, fd, id, body, strlen(body));
    }
    kill(served.pid, SIGCONT);
    for (uint32_t i = 0; i < 200; i++) {
        uint32_t id = UINT32_MAX;

        ck_assert_int_eq(hear(&served, fd, &id, large, sizeof(large)),
                         (ssize_t)sizes[i % ARRAY_LEN(sizes)]);
        ck_assert_uint_eq(id, i);
    }
    close(fd);
    EVENTUALLY(served.board->counts.replies == 200);
    stop(&served, SIGTERM);
}
END_TEST

START_TEST(a_request_id_sent_twice_is_two_calls)
{
    struct served served = { 0 };
    char body[16];
    uint32_t id;
    int fd, other;

    serve_at(&served, _i == 1, (struct listener_options){ 0 });
    fd = dial_and_greet(&served);
    other = dial_and_greet(&served);
    ask(&served, fd, 9, "park", 4);
    ask(&served, fd, 9, "park", 4);
    EVENTUALLY(served.board->counts.in_flight == 2);
    echo(&served, other, "free");
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(hear(&served, fd, &id, body, sizeof(body)), 5);
        ck_assert_uint_eq(id, 9);
    }
    close(fd);
    close(other);
    stop(&served, SIGTERM);
}
END_TEST

START_TEST(a_peer_has_its_bound_of_calls_in_flight_and_then_waits)
{
    struct served served = { 0 };
    char body[16];
    uint32_t id;
    int fd, other;

    serve_at(&served, _i == 1,
             (struct listener_options){ .calls_per_peer = 4 });
    fd = dial_and_greet(&served);
    other = dial_and_greet(&served);
    for (uint32_t i = 0; i < 4; i++)
        ask(&served, fd, i, "park", 4);
    ask(&served, fd, 4, "more", 4);
    ask(&served, fd, 5, "more", 4);
    EVENTUALLY(served.board->counts.in_flight == 4);
    echo(&served, other, "others are served");
    sleep_ms(50);
    ck_assert_uint_eq(served.board->counts.calls, 5);
    echo(&served, other, "free");
    for (uint32_t i = 0; i < 6; i++) {
        ck_assert_int_gt(hear(&served, fd, &id, body, sizeof(body)), 0);
        ck_assert_uint_eq(id, i);
    }
    close(fd);
    close(other);
    stop(&served, SIGTERM);
}
END_TEST

START_TEST(all_peers_have_their_bound_of_calls_and_then_wait_their_turn)
{
    struct served served = { 0 };
    int fds[30];
    char body[16];
    uint32_t id;
    double start;

    serve_at(&served, _i == 1, (struct listener_options){ .calls_max = 8 });
    for (size_t i = 0; i < ARRAY_LEN(fds); i++)
        fds[i] = dial_and_greet(&served);
    start = now_s();
    for (size_t i = 0; i < ARRAY_LEN(fds); i++)
        ask(&served, fds[i], 1, "late 100", 8);
    for (size_t i = 0; i < ARRAY_LEN(fds); i++) {
        ck_assert_int_eq(hear(&served, fds[i], &id, body, sizeof(body)), 8);
        ck_assert_uint_le(served.board->counts.in_flight, 8);
    }
    /* 30 calls of 100 ms, 8 at a time: four rounds. */
    ck_assert_double_ge(now_s() - start, 0.39);
    ck_assert_double_le(now_s() - start, 2);
    for (size_t i = 0; i < ARRAY_LEN(fds); i++)
        close(fds[i]);
    stop(&served, SIGTERM);
}
END_TEST

START_TEST(connections_at_the_bound_are_served_and_one_beyond_is_closed)
{
    struct served served = { 0 };
    int fds[10], extra;

    serve_at(&served, _i == 1,
             (struct listener_options){ .connections_max = 10 });
    for (int i = 0; i < 10; i++)
        fds[i] = dial_and_greet(&served);
    extra = dial(&served);
    ck_assert(closed_within(extra, 1000));
    EVENTUALLY(served.board->told[LISTENER_FULL] == 1);
    ck_assert_ptr_nonnull(
        strstr(served.board->text[LISTENER_FULL], "10 connections are open"));
    for (int i = 0; i < 10; i++)
        echo(&served, fds[i], "still here");
    close(fds[0]);
    EVENTUALLY(served.board->counts.connections == 9);
    fds[0] = dial_and_greet(&served);
    echo(&served, fds[0], "there is room again");
    for (int i = 0; i < 10; i++)
        close(fds[i]);
    close(extra);
    stop(&served, SIGTERM);
}
END_TEST

START_TEST(a_message_at_the_bound_is_answered_and_one_beyond_ends_the_peer)
{
    struct served served = { 0 };
    uint8_t head[13];
    uint32_t id;
    int fd;

    serve_at(&served, _i == 1, (struct listener_options){ 0 });
    fd = dial_and_greet(&served);
    memset(large, 'x', sizeof(large));
    ask(&served, fd, 1, large, MIB - 4);
    ck_assert_int_eq(hear(&served, fd, &id, large, sizeof(large)), MIB - 4);
    EVENTUALLY(served.board->counts.buffered_bytes < 4096);
    put_all(fd, head, frame(&served, head, 2, MIB - 3));
    ck_assert(closed_within(fd, 1000));
    EVENTUALLY(served.board->told[LISTENER_TOO_LARGE] == 1);
    ck_assert_ptr_nonnull(
        strstr(served.board->text[LISTENER_TOO_LARGE], "1048576 bytes"));
    close(fd);
    stop(&served, SIGTERM);
}
END_TEST

START_TEST(two_thousand_connections_are_all_served)
{
    static int fds[2000];
    struct served served = { 0 };

    serve_at(&served, _i == 1, (struct listener_options){ 0 });
    for (size_t i = 0; i < ARRAY_LEN(fds); i++)
        fds[i] = dial_and_greet(&served);
    for (size_t i = 0; i < ARRAY_LEN(fds); i++)
        ask(&served, fds[i], 7, "storm", 5);
    for (size_t i = 0; i < ARRAY_LEN(fds); i++) {
        char body[16];
        uint32_t id;

        ck_assert_int_eq(hear(&served, fds[i], &id, body, sizeof(body)), 5);
        close(fds[i]);
    }
    EVENTUALLY(served.board->counts.connections == 0);
    stop(&served, SIGTERM);
}
END_TEST

#ifdef __has_feature
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) && !defined(SANITIZED)
#define SANITIZED 1
#endif

START_TEST(a_hundred_thousand_calls_leave_memory_and_descriptors_as_they_were)
{
    struct served served = { 0 };
    long kib = 0, descriptors = 0;
    char body[256];
    uint32_t id;
    int fd;

    serve_at(&served, _i == 1, (struct listener_options){ 0 });
    for (int round = 0; round < 105; round++) {
        fd = dial_and_greet(&served);
        for (int burst = 0; burst < 20; burst++) {
            for (uint32_t i = 0; i < 50; i++)
                ask(&served, fd, i, large, 200);
            for (int i = 0; i < 50; i++)
                hear(&served, fd, &id, body, sizeof(body));
        }
        close(fd);
        /* What the first rounds use is kept for reuse. */
        if (round == 4) {
            EVENTUALLY(served.board->counts.connections == 0);
            kib = resident_kib(served.pid);
            descriptors = descriptors_of(served.pid);
        }
    }
    EVENTUALLY(served.board->counts.connections == 0);
    ck_assert_uint_eq(served.board->counts.calls, 105000);
    ck_assert_uint_eq(served.board->counts.replies, 105000);
    ck_assert_uint_eq(served.board->counts.buffered_bytes, 0);
    ck_assert_int_eq(descriptors_of(served.pid), descriptors);
#ifndef SANITIZED
    ck_assert_int_le(resident_kib(served.pid), kib + 256);
#else
    (void)kib;
#endif
    stop(&served, SIGTERM);
}
END_TEST

/* ---- endings ------------------------------------------------------------ */

START_TEST(draining_answers_what_is_in_flight_and_takes_no_more)
{
    struct served served = { 0 };
    char body[16];
    uint32_t id;
    int busy, idle;
    double start;

    serve_at(&served, _i == 1, (struct listener_options){ 0 });
    busy = dial_and_greet(&served);
    idle = dial_and_greet(&served);
    ask(&served, busy, 1, "late 300", 8);
    EVENTUALLY(served.board->counts.in_flight == 1);
    start = now_s();
    kill(served.pid, SIGTERM);
    ck_assert(closed_within(idle, 200));
    ask(&served, busy, 2, "too late", 8);
    ck_assert_int_eq(hear(&served, busy, &id, body, sizeof(body)), 8);
    ck_assert_uint_eq(id, 1);
    ck_assert_int_eq(hear(&served, busy, &id, body, sizeof(body)), -1);
    if (_i == 1)
        ck_assert_int_lt(access(served.path, F_OK), 0);
    close(busy);
    close(idle);
    EVENTUALLY(served.board->done);
    ck_assert_double_le(now_s() - start, 1);
    await_end(&served, false);
}
END_TEST

START_TEST(draining_flushes_to_a_peer_that_reads_late)
{
    struct served served = { 0 };
    uint64_t heard = 0;
    int fd, window = 16384; /* what is sent stays at the server's side */
    uint32_t id;

    serve_at(&served, _i == 1, (struct listener_options){ 0 });
    fd = dial_and_greet(&served);
    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &window, sizeof(window));
    for (uint32_t i = 0; i < 20; i++)
        ask(&served, fd, i, "size 900000", 11);
    EVENTUALLY(served.board->counts.buffered_bytes > 4 * MIB);
    sleep_ms(50);
    kill(served.pid, SIGTERM);
    sleep_ms(100);
    /* Input that nobody reads: closing then would reset the connection. */
    ask(&served, fd, 20, "too late", 8);
    while (hear(&served, fd, &id, large, sizeof(large)) == 900000)
        heard++;
    ck_assert_uint_eq(heard, served.board->counts.calls);
    ck_assert_uint_lt(heard, 20);
    close(fd);
    await_end(&served, false);
}
END_TEST

START_TEST(closing_cuts_peers_and_their_calls_can_still_be_ended)
{
    struct served served = { 0 };
    int fd;

    serve_at(&served, _i == 1, (struct listener_options){ 0 });
    fd = dial_and_greet(&served);
    for (uint32_t i = 0; i < 10; i++)
        ask(&served, fd, i, "park", 4);
    EVENTUALLY(served.board->counts.in_flight == 10);
    stop(&served, SIGUSR1);
    ck_assert(closed_within(fd, 100));
    close(fd);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("listener");
    TCase *tcase = tcase_create("listener");

    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(tcase, a_call_is_answered_and_says_who_made_it, 0, 2);
    tcase_add_loop_test(tcase, a_peer_that_sends_one_byte_at_a_time_is_answered,
                        0, 2);
    tcase_add_loop_test(tcase, every_reply_of_a_pipeline_arrives, 0,
                        2 * (int)ARRAY_LEN(pipelines));
    tcase_add_loop_test(
        tcase, replies_of_all_sizes_come_in_the_order_of_their_calls, 0, 2);
    tcase_add_loop_test(tcase, a_request_id_sent_twice_is_two_calls, 0, 2);
    tcase_add_loop_test(
        tcase, a_peer_has_its_bound_of_calls_in_flight_and_then_waits, 0, 2);
    tcase_add_loop_test(
        tcase, all_peers_have_their_bound_of_calls_and_then_wait_their_turn, 0,
        2);
    tcase_add_loop_test(
        tcase, connections_at_the_bound_are_served_and_one_beyond_is_closed, 0,
        2);
    tcase_add_loop_test(
        tcase, a_message_at_the_bound_is_answered_and_one_beyond_ends_the_peer,
        0, 2);
    tcase_add_loop_test(tcase, two_thousand_connections_are_all_served, 0, 2);
    tcase_add_loop_test(
        tcase,
        a_hundred_thousand_calls_leave_memory_and_descriptors_as_they_were, 0,
        2);
    tcase_add_loop_test(
        tcase, draining_answers_what_is_in_flight_and_takes_no_more, 0, 2);
    tcase_add_loop_test(tcase, draining_flushes_to_a_peer_that_reads_late, 0,
                        2);
    tcase_add_loop_test(
        tcase, closing_cuts_peers_and_their_calls_can_still_be_ended, 0, 2);
    suite_add_tcase(suite, tcase);
    return tap_run(suite);
}
