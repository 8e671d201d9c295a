/* SPDX-License-Identifier: Apache-2.0 */
/* libnanomsg's REQ sockets and nanocat are served, on tcp and ipc. */
#include <nanomsg/nn.h>
#include <nanomsg/reqrep.h>

#include "base/text.h"
#include "tests/daemon/listener_fixture.h"

/* Every test runs on tcp (0) and on a unix socket (1). */

static char large[1 << 20];

static int open_req(const char *address)
{
    int wait_ms = 10000, socket = nn_socket(AF_SP, NN_REQ);

    ck_assert_int_ge(socket, 0);
    nn_setsockopt(socket, NN_SOL_SOCKET, NN_RCVTIMEO, &wait_ms,
                  sizeof(wait_ms));
    ck_assert_int_ge(nn_connect(socket, address), 0);
    return socket;
}

static void call(int socket, const void *body, size_t len, size_t reply_len)
{
    void *reply;
    int n;

    ck_assert_int_eq(nn_send(socket, body, len, 0), (int)len);
    n = nn_recv(socket, &reply, NN_MSG, 0);
    ck_assert_msg(n >= 0, "nn_recv: %s", nn_strerror(nn_errno()));
    ck_assert_int_eq(n, (int)reply_len);
    if (len == reply_len)
        ck_assert_mem_eq(reply, body, len);
    nn_freemsg(reply);
}

static const size_t sizes[] = { 0, 1, 200, 10000, 100000, (1 << 20) - 4 };

START_TEST(a_nanomsg_client_gets_its_replies_of_every_size)
{
    struct served served = { 0 };
    int socket;

    serve_at(&served, _i == 1, (struct listener_options){ 0 });
    socket = open_req(served.board->address);
    memset(large, 'x', sizeof(large));
    for (size_t i = 0; i < ARRAY_LEN(sizes); i++)
        call(socket, large, sizes[i], sizes[i]);
    call(socket, "size 1000000", 12, 1000000);
    for (int i = 0; i < 1000; i++)
        call(socket, &i, sizeof(i), sizeof(i));
    nn_close(socket);
    EVENTUALLY(served.board->counts.connections == 0);
    ck_assert_uint_eq(served.board->counts.garbage, 0);
    ck_assert_uint_eq(served.board->counts.dropped, 0);
    stop(&served, SIGTERM);
}
END_TEST

START_TEST(a_hundred_nanomsg_clients_are_served_at_once)
{
    struct served served = { 0 };
    int sockets[100];

    serve_at(&served, _i == 1, (struct listener_options){ 0 });
    for (size_t i = 0; i < ARRAY_LEN(sockets); i++)
        sockets[i] = open_req(served.board->address);
    for (size_t i = 0; i < ARRAY_LEN(sockets); i++)
        ck_assert_int_eq(nn_send(sockets[i], &i, sizeof(i), 0), sizeof(i));
    for (size_t i = 0; i < ARRAY_LEN(sockets); i++) {
        size_t got;

        ck_assert_int_eq(nn_recv(sockets[i], &got, sizeof(got), 0),
                         sizeof(got));
        ck_assert_uint_eq(got, i);
        nn_close(sockets[i]);
    }
    stop(&served, SIGTERM);
}
END_TEST

START_TEST(a_nanomsg_client_resends_to_a_server_that_was_killed_and_came_back)
{
    struct served first = { 0 }, second;
    struct listener_options options = { 0 };
    char address[128], *reply;
    int socket;

    serve_at(&first, _i == 1, (struct listener_options){ 0 });
    strcpy(address, first.board->address);
    socket = open_req(address);
    call(socket, "one", 3, 3);
    ck_assert_int_eq(nn_send(socket, "park", 4, 0), 4);
    EVENTUALLY(first.board->counts.in_flight == 1);
    kill(first.pid, SIGKILL);
    waitpid(first.pid, NULL, 0);
    second = first;
    options.address = address;
    ck_assert(serve(&second, &options, 0));
    EVENTUALLY(second.board->counts.in_flight == 1);
    {
        int other = open_req(address);

        call(other, "free", 4, 4);
        nn_close(other);
    }
    ck_assert_int_eq(nn_recv(socket, &reply, NN_MSG, 0), 5);
    ck_assert_mem_eq(reply, "freed", 5);
    nn_freemsg(reply);
    nn_close(socket);
    stop(&second, SIGTERM);
}
END_TEST

START_TEST(a_call_by_nanocat_is_answered)
{
    struct served served = { 0 };
    char command[256], line[64] = "";
    FILE *nanocat;

    serve_at(&served, _i == 1, (struct listener_options){ 0 });
    snprintf(command, sizeof(command),
             "timeout 10 nanocat --req --connect %s --raw --data hello-cat"
             " --recv-timeout 5",
             served.board->address);
    nanocat = popen(command, "r");
    ck_assert_ptr_nonnull(nanocat);
    ck_assert_msg(fgets(line, sizeof(line), nanocat) != NULL,
                  "nanocat said nothing; is nanomsg-utils installed?");
    pclose(nanocat);
    ck_assert_msg(strncmp(line, "hello-cat", 9) == 0, "'%s'", line);
    stop(&served, SIGTERM);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("interop, nanomsg");
    TCase *tcase = tcase_create("nanomsg");

    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(tcase, a_nanomsg_client_gets_its_replies_of_every_size,
                        0, 2);
    tcase_add_loop_test(tcase, a_hundred_nanomsg_clients_are_served_at_once, 0,
                        2);
    tcase_add_loop_test(
        tcase,
        a_nanomsg_client_resends_to_a_server_that_was_killed_and_came_back, 0,
        2);
    tcase_add_loop_test(tcase, a_call_by_nanocat_is_answered, 0, 2);
    suite_add_tcase(suite, tcase);
    return tap_run(suite);
}
