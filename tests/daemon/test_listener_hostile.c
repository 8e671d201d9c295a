/* SPDX-License-Identifier: Apache-2.0 */
/* What a listener does to peers that mean harm, or are merely broken. */
#include "base/text.h"
#include "tests/daemon/listener_fixture.h"

/* Every test that runs twice does so on tcp (0) and on a unix socket (1). */

enum { MIB = 1 << 20 };

static char large[MIB];

static const struct {
    const char *bytes;
    size_t len;
} garbage[] = {
    { "GET / HTTP/1.1\r\nHost: a\r\n\r\n", 27 },
    { "\x16\x03\x01\x02\0\1\0", 7 },
    { "\0SP\0\0\x31\0\0", 8 },
    { "\0SP\0\0\x10\0\0", 8 },
    { "\0SP\0\0\x30\0\0\xff\xff\xff\xff\xff\xff\xff\xff", 16 },
    { "\0SP\0\0\x30\0\0\x7f\0\0\0\0\0\0\0", 16 },
};

START_TEST(garbage_is_closed_at_once)
{
    struct served served = { 0 };
    size_t kind = (size_t)_i / 2;
    int fd;

    serve_at(&served, _i % 2 == 1, (struct listener_options){ 0 });
    fd = dial(&served);
    put_all(fd, garbage[kind].bytes, garbage[kind].len);
    ck_assert(closed_within(fd, 500));
    EVENTUALLY(served.board->counts.garbage + served.board->counts.closed == 1);
    close(fd);
    stop(&served, SIGTERM);
}
END_TEST

START_TEST(a_flood_of_garbage_is_one_log_line_and_others_are_served)
{
    struct served served = { 0 };
    int good, fd;

    serve_at(&served, _i == 1, (struct listener_options){ .event_ms = 60000 });
    good = dial_and_greet(&served);
    for (int i = 0; i < 500; i++) {
        fd = dial(&served);
        put_all(fd, garbage[i % 4].bytes, garbage[i % 4].len);
        if (i % 5 == 0)
            echo(&served, good, "good");
        close(fd);
    }
    /* One that went before it was read does not count. */
    EVENTUALLY(served.board->counts.accepted == 501);
    EVENTUALLY(served.board->counts.connections == 1);
    ck_assert_uint_gt(served.board->counts.garbage, 50);
    ck_assert_uint_eq(served.board->told[LISTENER_GARBAGE], 1);
    close(good);
    stop(&served, SIGTERM);
}
END_TEST

START_TEST(events_kept_back_are_counted_in_the_next)
{
    struct served served = { 0 };
    int fd;

    serve_at(&served, false, (struct listener_options){ .event_ms = 200 });
    for (int i = 0; i < 10; i++) {
        if (i == 9)
            sleep_ms(300);
        fd = dial(&served);
        put_all(fd, "x", 1);
        ck_assert(closed_within(fd, 500));
        close(fd);
    }
    EVENTUALLY(served.board->told[LISTENER_GARBAGE] == 2);
    ck_assert_ptr_nonnull(strstr(served.board->text[LISTENER_GARBAGE],
                                 "does not speak SP; a nanomsg REQ socket "
                                 "would; closed (8 more before this one)"));
    stop(&served, SIGTERM);
}
END_TEST

START_TEST(who_does_not_greet_in_time_is_closed_and_not_before)
{
    static const char *const begun[] = { "", "\0", "\0SP\0\0\x30\0" };
    static const size_t lengths[] = { 0, 1, 7 };
    struct served served = { 0 };
    int fd;

    serve_at(&served, _i % 2 == 1,
             (struct listener_options){ .greet_ms = 300 });
    fd = dial(&served);
    put_all(fd, begun[_i / 2], lengths[_i / 2]);
    ck_assert(!closed_within(fd, 200));
    ck_assert(closed_within(fd, 400));
    EVENTUALLY(served.board->told[LISTENER_SLOW] == 1);
    ck_assert_ptr_nonnull(strstr(served.board->text[LISTENER_SLOW],
                                 "did not greet within 300 ms; closed"));
    close(fd);
    stop(&served, SIGTERM);
}
END_TEST

/* What it sent lies in its socket when the loop, which was busy beyond the
 * deadline, comes to look. */
START_TEST(who_greets_while_the_loop_is_busy_is_in_time)
{
    struct served served = { 0 };
    char body[16];
    int busy, fd;
    uint32_t id;

    serve_at(&served, _i == 1, (struct listener_options){ .greet_ms = 300 });
    busy = dial_and_greet(&served);
    fd = dial(&served);
    EVENTUALLY(served.board->counts.connections == 2);
    ask(&served, busy, 1, "busy 600", 8);
    sleep_ms(100);
    greet(fd);
    ck_assert_int_eq(hear(&served, busy, &id, body, sizeof(body)), 8);
    echo(&served, fd, "greeted in time");
    ck_assert_uint_eq(served.board->told[LISTENER_SLOW], 0);
    close(busy);
    close(fd);
    stop(&served, SIGTERM);
}
END_TEST

START_TEST(a_message_that_never_ends_is_given_up_though_bytes_drip)
{
    struct served served = { 0 };
    uint8_t head[13];
    double start;
    int fd, good;

    serve_at(&served, _i == 1, (struct listener_options){ .stall_ms = 300 });
    good = dial_and_greet(&served);
    fd = dial_and_greet(&served);
    put_all(fd, head, frame(&served, head, 1, 100000));
    start = now_s();
    while (!closed_within(fd, 20) && now_s() < start + 2)
        send(fd, "x", 1, MSG_NOSIGNAL);
    ck_assert_double_ge(now_s() - start, 0.25);
    ck_assert_double_le(now_s() - start, 0.7);
    EVENTUALLY(served.board->told[LISTENER_SLOW] == 1);
    echo(&served, good, "whole messages have no such clock");
    close(fd);
    close(good);
    stop(&served, SIGTERM);
}
END_TEST

START_TEST(a_peer_that_never_reads_is_held_then_closed_and_others_are_served)
{
    struct served served = { 0 };
    int fd, good;
    long kib;

    serve_at(
        &served, _i == 1,
        (struct listener_options){ .stall_ms = 500, .backlog_bytes = MIB });
    good = dial_and_greet(&served);
    fd = dial_and_greet(&served);
    kib = resident_kib(served.pid);
    for (uint32_t i = 0; i < 200; i++)
        ask(&served, fd, i, "size 100000", 11);
    EVENTUALLY(served.board->counts.buffered_bytes > MIB);
    for (int i = 0; i < 20; i++)
        echo(&served, good, "good");
    ck_assert_uint_lt(served.board->counts.calls, 150);
    ck_assert_int_lt(resident_kib(served.pid) - kib, 16 * 1024);
    EVENTUALLY(served.board->told[LISTENER_SLOW] == 1);
    ck_assert_ptr_nonnull(strstr(served.board->text[LISTENER_SLOW],
                                 "did not read its replies within 500 ms"));
    EVENTUALLY(served.board->counts.buffered_bytes < 4096);
    echo(&served, good, "good");
    close(fd);
    close(good);
    stop(&served, SIGTERM);
}
END_TEST

START_TEST(a_peer_that_reads_late_but_in_time_gets_every_reply)
{
    struct served served = { 0 };
    uint32_t id;
    int fd;

    serve_at(
        &served, _i == 1,
        (struct listener_options){ .stall_ms = 2000, .backlog_bytes = MIB });
    fd = dial_and_greet(&served);
    for (uint32_t i = 0; i < 200; i++)
        ask(&served, fd, i, "size 100000", 11);
    EVENTUALLY(served.board->counts.buffered_bytes > MIB);
    sleep_ms(300);
    for (uint32_t i = 0; i < 200; i++) {
        ck_assert_int_eq(hear(&served, fd, &id, large, sizeof(large)), 100000);
        ck_assert_uint_eq(id, i);
    }
    ck_assert_uint_eq(served.board->told[LISTENER_SLOW], 0);
    close(fd);
    stop(&served, SIGTERM);
}
END_TEST

START_TEST(an_idle_peer_is_closed_but_not_one_that_waits_for_a_reply)
{
    struct served served = { 0 };
    char body[16];
    uint32_t id;
    int idle, waiting;

    serve_at(&served, _i == 1, (struct listener_options){ .idle_ms = 200 });
    idle = dial_and_greet(&served);
    waiting = dial_and_greet(&served);
    ask(&served, waiting, 1, "late 600", 8);
    ck_assert(!closed_within(idle, 100));
    ck_assert(closed_within(idle, 300));
    ck_assert_int_eq(hear(&served, waiting, &id, body, sizeof(body)), 8);
    ck_assert(closed_within(waiting, 500));
    close(idle);
    close(waiting);
    stop(&served, SIGTERM);
}
END_TEST

START_TEST(buffers_of_all_peers_are_bounded_and_small_calls_need_none)
{
    struct served served = { 0 };
    int fds[8], good, gone = 0;
    uint8_t head[13];

    serve_at(&served, _i == 1,
             (struct listener_options){ .buffers_bytes = 3 * MIB });
    good = dial_and_greet(&served);
    for (size_t i = 0; i < ARRAY_LEN(fds); i++) {
        fds[i] = dial_and_greet(&served);
        put_all(fds[i], head, frame(&served, head, 1, MIB - 4));
        send(fds[i], large, 700000, MSG_NOSIGNAL);
    }
    EVENTUALLY(served.board->counts.closed >= 4);
    for (size_t i = 0; i < ARRAY_LEN(fds); i++)
        gone += closed_within(fds[i], 20);
    ck_assert_int_ge(gone, 4);
    ck_assert_int_lt(gone, 8);
    ck_assert_uint_le(served.board->counts.buffered_bytes, 3 * MIB);
    ck_assert_uint_eq(served.board->told[LISTENER_MEMORY], 1);
    echo(&served, good, "good");
    for (size_t i = 0; i < ARRAY_LEN(fds); i++)
        close(fds[i]);
    close(good);
    stop(&served, SIGTERM);
}
END_TEST

START_TEST(announced_lengths_cost_no_memory)
{
    struct served served = { 0 };
    static int fds[500];
    uint8_t head[13];
    long kib;

    serve_at(&served, _i == 1, (struct listener_options){ 0 });
    kib = resident_kib(served.pid);
    for (size_t i = 0; i < ARRAY_LEN(fds); i++) {
        fds[i] = dial_and_greet(&served);
        put_all(fds[i], head, frame(&served, head, 1, MIB - 4));
    }
    EVENTUALLY(served.board->counts.connections == ARRAY_LEN(fds));
    sleep_ms(50);
    ck_assert_int_lt(resident_kib(served.pid) - kib, 8 * 1024);
    for (size_t i = 0; i < ARRAY_LEN(fds); i++)
        close(fds[i]);
    stop(&served, SIGTERM);
}
END_TEST

START_TEST(a_malformed_message_is_skipped_and_the_next_answered)
{
    static const uint8_t short_one[] = { 1, 0, 0, 0, 0, 0, 0, 0, 2, 9, 9 };
    struct served served = { 0 };
    int fd;

    serve_at(&served, _i == 1, (struct listener_options){ 0 });
    fd = dial_and_greet(&served);
    put_all(fd, short_one + (_i == 0), sizeof(short_one) - (_i == 0));
    echo(&served, fd, "well formed");
    EVENTUALLY(served.board->counts.garbage == 1);
    ck_assert_uint_eq(served.board->told[LISTENER_MALFORMED], 1);
    close(fd);
    stop(&served, SIGTERM);
}
END_TEST

START_TEST(a_reply_to_a_peer_that_went_is_dropped)
{
    struct served served = { 0 };
    int fd, other;

    serve_at(&served, _i == 1, (struct listener_options){ 0 });
    fd = dial_and_greet(&served);
    other = dial_and_greet(&served);
    for (uint32_t i = 0; i < 5; i++)
        ask(&served, fd, i, "park", 4);
    EVENTUALLY(served.board->counts.in_flight == 5);
    close(fd);
    EVENTUALLY(served.board->counts.connections == 1);
    ck_assert_uint_eq(served.board->counts.in_flight, 5);
    echo(&served, other, "free");
    EVENTUALLY(served.board->counts.in_flight == 0);
    ck_assert_uint_eq(served.board->counts.dropped, 5);
    close(other);
    stop(&served, SIGTERM);
}
END_TEST

/* A flood of small pipelined calls, so that the server never runs dry. */
static pid_t start_flood(const struct served *served)
{
    pid_t pid = fork();
    int fd;

    if (pid != 0)
        return pid;
    fd = dial_and_greet(served);
    if (fork() == 0)
        for (;;)
            if (recv(fd, large, sizeof(large), 0) <= 0)
                _exit(0);
    for (size_t at = 0; at < sizeof(large) - 64; at += 16)
        at += frame(served, (uint8_t *)large + at, 1, 16);
    for (;;)
        if (send(fd, large, 29 * 1000, MSG_NOSIGNAL) <= 0)
            _exit(0);
}

START_TEST(a_peer_that_floods_does_not_hold_the_others_up)
{
    struct served served = { 0 };
    double worst = 0;
    pid_t flood;
    int fd;

    serve_at(&served, _i == 1, (struct listener_options){ 0 });
    fd = dial_and_greet(&served);
    flood = start_flood(&served);
    EVENTUALLY(served.board->counts.calls > 1000);
    for (int i = 0; i < 200; i++) {
        double start = now_s(), took;

        echo(&served, fd, "good");
        took = now_s() - start;
        worst = took > worst ? took : worst;
    }
    ck_assert_double_le(worst, 0.25);
    kill(flood, SIGKILL);
    waitpid(flood, NULL, 0);
    close(fd);
    stop(&served, SIGKILL);
}
END_TEST

/* Everything is there before the server looks, so that it sees both peers in
 * one round of its loop. */
START_TEST(two_thousand_calls_in_one_piece_do_not_delay_another_peers_one)
{
    struct served served = { 0 };
    uint32_t id, nth = 0;
    size_t len = 0;
    int flood, fd;

    serve_at(&served, _i == 1, (struct listener_options){ 0 });
    flood = dial_and_greet(&served);
    fd = dial_and_greet(&served);
    echo(&served, fd, "warm");
    for (int i = 0; i < 2000; i++) {
        len += frame(&served, (uint8_t *)large + len, 1, 16);
        len += 16;
    }
    kill(served.pid, SIGSTOP);
    put_all(flood, large, len);
    ask(&served, fd, 1, "nth", 3);
    kill(served.pid, SIGCONT);
    ck_assert_int_eq(hear(&served, fd, &id, &nth, sizeof(nth)), sizeof(nth));
    ck_assert_uint_ge(nth, 2);
    ck_assert_uint_le(nth, 2 + 2 * 64);
    for (int i = 0; i < 2000; i++)
        ck_assert_int_eq(hear(&served, flood, &id, large, sizeof(large)), 16);
    close(flood);
    close(fd);
    stop(&served, SIGTERM);
}
END_TEST

START_TEST(without_even_a_reserve_it_waits_without_spinning_and_recovers)
{
    struct served served = { .folder = "" };
    struct listener_options options = { .address = "tcp://127.0.0.1:0" };
    struct rlimit limit = { 3, 1000 };
    int fds[20];
    double cpu;

    ck_assert(serve(&served, &options, 1000));
    ck_assert_int_eq(prlimit(served.pid, RLIMIT_NOFILE, &limit, NULL), 0);
    for (size_t i = 0; i < ARRAY_LEN(fds); i++)
        fds[i] = dial(&served);
    EVENTUALLY(served.board->told[LISTENER_PAUSED] > 0);
    cpu = cpu_s(served.pid);
    sleep_ms(500);
    ck_assert_double_le(cpu_s(served.pid) - cpu, 0.1);
    for (size_t i = 0; i < ARRAY_LEN(fds); i++)
        close(fds[i]);
    limit.rlim_cur = 1000;
    ck_assert_int_eq(prlimit(served.pid, RLIMIT_NOFILE, &limit, NULL), 0);
    fds[0] = dial_and_greet(&served);
    echo(&served, fds[0], "there is room again");
    close(fds[0]);
    stop(&served, SIGTERM);
}
END_TEST

START_TEST(without_descriptors_it_neither_spins_nor_stops_and_recovers)
{
    struct served served = { .folder = "" };
    struct listener_options options = { .address = "tcp://127.0.0.1:0",
                                        .connections_max = 1000 };
    int fds[100], served_fds = 0, late;
    double cpu;

    ck_assert(serve(&served, &options, 40));
    for (size_t i = 0; i < ARRAY_LEN(fds); i++)
        fds[i] = dial(&served);
    EVENTUALLY(served.board->told[LISTENER_DESCRIPTORS] > 0);
    EVENTUALLY(served.board->told[LISTENER_PAUSED] > 0);
    cpu = cpu_s(served.pid);
    sleep_ms(500);
    ck_assert_double_le(cpu_s(served.pid) - cpu, 0.1);
    for (size_t i = 0; i < ARRAY_LEN(fds); i++)
        close(fds[i]);
    EVENTUALLY(served.board->counts.connections == 0);
    for (size_t i = 0; i < 10; i++) {
        fds[i] = dial_and_greet(&served);
        echo(&served, fds[i], "there is room again");
        served_fds++;
    }
    ck_assert_int_eq(served_fds, 10);
    late = dial_and_greet(&served);
    echo(&served, late, "and more");
    for (size_t i = 0; i < 10; i++)
        close(fds[i]);
    close(late);
    stop(&served, SIGTERM);
}
END_TEST

START_TEST(peers_served_before_descriptors_ran_out_still_are)
{
    struct served served = { .folder = "" };
    struct listener_options options = { .address = "tcp://127.0.0.1:0",
                                        .connections_max = 1000 };
    int good, fd;

    ck_assert(serve(&served, &options, 40));
    good = dial_and_greet(&served);
    for (int i = 0; i < 300; i++) {
        fd = dial(&served);
        if (i % 10 == 0)
            echo(&served, good, "good");
        (void)fd; /* left open: that is the point */
    }
    EVENTUALLY(served.board->told[LISTENER_DESCRIPTORS] > 0);
    EVENTUALLY(served.board->counts.refused > 0);
    close(good);
    stop(&served, SIGTERM);
}
END_TEST

static void add_twice(TCase *tcase, const TTest *test)
{
    tcase_add_loop_test(tcase, test, 0, 2);
}

int main(void)
{
    Suite *suite = suite_create("listener, hostile");
    TCase *tcase = tcase_create("hostile");

    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(tcase, garbage_is_closed_at_once, 0,
                        2 * (int)ARRAY_LEN(garbage));
    add_twice(tcase, a_flood_of_garbage_is_one_log_line_and_others_are_served);
    tcase_add_test(tcase, events_kept_back_are_counted_in_the_next);
    tcase_add_loop_test(
        tcase, who_does_not_greet_in_time_is_closed_and_not_before, 0, 6);
    add_twice(tcase, who_greets_while_the_loop_is_busy_is_in_time);
    add_twice(tcase, a_message_that_never_ends_is_given_up_though_bytes_drip);
    add_twice(
        tcase,
        a_peer_that_never_reads_is_held_then_closed_and_others_are_served);
    add_twice(tcase, a_peer_that_reads_late_but_in_time_gets_every_reply);
    add_twice(tcase, an_idle_peer_is_closed_but_not_one_that_waits_for_a_reply);
    add_twice(tcase,
              buffers_of_all_peers_are_bounded_and_small_calls_need_none);
    add_twice(tcase, announced_lengths_cost_no_memory);
    add_twice(tcase, a_malformed_message_is_skipped_and_the_next_answered);
    add_twice(tcase, a_reply_to_a_peer_that_went_is_dropped);
    add_twice(tcase, a_peer_that_floods_does_not_hold_the_others_up);
    add_twice(tcase,
              two_thousand_calls_in_one_piece_do_not_delay_another_peers_one);
    tcase_add_test(
        tcase, without_even_a_reserve_it_waits_without_spinning_and_recovers);
    tcase_add_test(tcase,
                   without_descriptors_it_neither_spins_nor_stops_and_recovers);
    tcase_add_test(tcase, peers_served_before_descriptors_ran_out_still_are);
    suite_add_tcase(suite, tcase);
    return tap_run(suite);
}
