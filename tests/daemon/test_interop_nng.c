/* SPDX-License-Identifier: Apache-2.0 */
/* nng's REQ sockets are served, on tcp and ipc. A program of its own, as
 * libnng brings functions of nanomsg's names. */
#include <nng/nng.h>
#include <nng/protocol/reqrep0/req.h>

#include "base/text.h"
#include "tests/daemon/listener_fixture.h"

/* Every test runs on tcp (0) and on a unix socket (1). */

static char large[1 << 20];

static nng_socket open_req(const char *address)
{
    nng_socket socket = NNG_SOCKET_INITIALIZER;

    ck_assert_int_eq(nng_req0_open(&socket), 0);
    nng_socket_set_ms(socket, NNG_OPT_RECVTIMEO, 10000);
    nng_socket_set_size(socket, NNG_OPT_RECVMAXSZ, 0);
    ck_assert_int_eq(nng_dial(socket, address, NULL, 0), 0);
    return socket;
}

static const size_t sizes[] = { 0, 1, 200, 10000, 100000, (1 << 20) - 4 };

START_TEST(an_nng_client_gets_its_replies_of_every_size)
{
    struct served served = { 0 };
    nng_socket socket;

    serve_at(&served, _i == 1, (struct listener_options){ 0 });
    socket = open_req(served.board->address);
    memset(large, 'x', sizeof(large));
    for (int round = 0; round < 50; round++)
        for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
            char *reply;
            size_t len;

            ck_assert_int_eq(nng_send(socket, large, sizes[i], 0), 0);
            ck_assert_int_eq(nng_recv(socket, &reply, &len, NNG_FLAG_ALLOC), 0);
            ck_assert_uint_eq(len, sizes[i]);
            if (len > 0) /* an empty reply may be a null pointer */
                ck_assert_mem_eq(reply, large, len);
            nng_free(reply, len);
        }
    nng_close(socket);
    EVENTUALLY(served.board->counts.connections == 0);
    ck_assert_uint_eq(served.board->counts.garbage, 0);
    stop(&served, SIGTERM);
}
END_TEST

/* Contexts share one connection: its calls are pipelined. */
START_TEST(sixty_four_nng_contexts_on_one_connection_get_their_own_replies)
{
    enum { CONTEXTS = 64 };
    struct served served = { 0 };
    nng_ctx contexts[CONTEXTS];
    nng_aio *calls[CONTEXTS];
    nng_socket socket;

    serve_at(&served, _i == 1, (struct listener_options){ 0 });
    socket = open_req(served.board->address);
    for (int i = 0; i < CONTEXTS; i++) {
        nng_msg *msg;

        ck_assert_int_eq(nng_ctx_open(&contexts[i], socket), 0);
        ck_assert_int_eq(nng_aio_alloc(&calls[i], NULL, NULL), 0);
        ck_assert_int_eq(nng_msg_alloc(&msg, 10000), 0);
        memset(nng_msg_body(msg), ' ' + i, 10000);
        nng_aio_set_msg(calls[i], msg);
        nng_ctx_send(contexts[i], calls[i]);
    }
    for (int i = 0; i < CONTEXTS; i++) {
        nng_aio_wait(calls[i]);
        ck_assert_int_eq(nng_aio_result(calls[i]), 0);
        nng_ctx_recv(contexts[i], calls[i]);
    }
    for (int i = 0; i < CONTEXTS; i++) {
        nng_msg *msg;

        nng_aio_wait(calls[i]);
        ck_assert_int_eq(nng_aio_result(calls[i]), 0);
        msg = nng_aio_get_msg(calls[i]);
        ck_assert_uint_eq(nng_msg_len(msg), 10000);
        ck_assert_int_eq(*(char *)nng_msg_body(msg), ' ' + i);
        nng_msg_free(msg);
        nng_aio_free(calls[i]);
        nng_ctx_close(contexts[i]);
    }
    EVENTUALLY(served.board->counts.accepted == 1); /* the board lags behind */
    nng_close(socket);
    stop(&served, SIGTERM);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("interop, nng");
    TCase *tcase = tcase_create("nng");

    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(tcase, an_nng_client_gets_its_replies_of_every_size, 0,
                        2);
    tcase_add_loop_test(
        tcase, sixty_four_nng_contexts_on_one_connection_get_their_own_replies,
        0, 2);
    suite_add_tcase(suite, tcase);
    return tap_run(suite);
}
