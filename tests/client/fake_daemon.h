/* SPDX-License-Identifier: Apache-2.0 */
/* A daemon that answers as a test wants: a child process on a REP socket. */
#ifndef SERRIED_TESTS_CLIENT_FAKE_DAEMON_H
#define SERRIED_TESTS_CLIENT_FAKE_DAEMON_H

#include <arpa/inet.h>
#include <nanomsg/nn.h>
#include <nanomsg/reqrep.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "proto/serried.pb-c.h"
#include "tests/tap.h"

enum { FAKE_CALLS_MAX = 64 };

/* What the child saw, in memory that both share. */
struct fake_seen {
    volatile bool listens;
    int n; /* calls */
    char methods[FAKE_CALLS_MAX][64];
    char keys[FAKE_CALLS_MAX][64]; /* idempotency keys, where there are any */
    uint32_t deadlines_ms[FAKE_CALLS_MAX];
};

/* What the child answers. */
struct fake_answer {
    uint32_t status;
    const char *message, *findings;
    const Serried__V1__Detail *detail; /* in place of findings */
    const ProtobufCMessage *reply;
    const void *raw; /* in place of an Answer */
    size_t raw_len;
    bool silent, other_id;
    int after_ms;
};

/* n: number of the call, from 0. */
typedef void fake_fn(int n, const Serried__V1__Call *call,
                     struct fake_answer *ret);

struct fake_daemon {
    char folder[32], url[64];
    pid_t pid;
    struct fake_seen *seen;
};

static inline void fake_send(int socket, const Serried__V1__Call *call,
                             const struct fake_answer *fake)
{
    Serried__V1__Answer answer = SERRIED__V1__ANSWER__INIT;
    Serried__V1__Detail detail = SERRIED__V1__DETAIL__INIT, *details = &detail;
    uint8_t *packed;

    answer.has_request_id = true;
    answer.request_id = call->request_id + (fake->other_id ? 1 : 0);
    answer.has_status = fake->status != 0;
    answer.status = fake->status;
    answer.message = (char *)fake->message;
    detail.type = (char *)"findings";
    detail.json = (char *)fake->findings;
    if (fake->detail != NULL)
        detail = *fake->detail;
    answer.n_details = fake->findings != NULL || fake->detail != NULL;
    answer.details = &details;
    if (fake->reply != NULL) {
        answer.has_reply = true;
        answer.reply.len = protobuf_c_message_get_packed_size(fake->reply);
        answer.reply.data = malloc(answer.reply.len + 1);
        protobuf_c_message_pack(fake->reply, answer.reply.data);
    }
    packed = malloc(serried__v1__answer__get_packed_size(&answer) + 1);
    nn_send(socket, packed, serried__v1__answer__pack(&answer, packed), 0);
    free(packed);
    free(answer.reply.data);
}

/* Keys are looked at in one kind of write. */
static inline void fake_note(struct fake_seen *seen,
                             const Serried__V1__Call *call)
{
    Serried__V1__PlaceRequest *request;

    if (seen->n >= FAKE_CALLS_MAX)
        return;
    snprintf(seen->methods[seen->n], sizeof(seen->methods[0]), "%s",
             call->method);
    seen->deadlines_ms[seen->n] = call->deadline_ms;
    if (strcmp(call->method, "/serried.v1.Placement/Place") == 0) {
        request = serried__v1__place_request__unpack(NULL, call->request.len,
                                                     call->request.data);
        snprintf(seen->keys[seen->n], sizeof(seen->keys[0]), "%s",
                 request->idempotency_key);
        serried__v1__place_request__free_unpacked(request, NULL);
    }
    seen->n++;
}

static inline void fake_serve(const char *url, struct fake_seen *seen,
                              fake_fn *answer)
{
    int socket = nn_socket(AF_SP, NN_REP), max = 32 << 20, len;
    void *data;

    nn_setsockopt(socket, NN_SOL_SOCKET, NN_RCVMAXSIZE, &max, sizeof(max));
    if (nn_bind(socket, url) < 0)
        _exit(1);
    seen->listens = true;
    while ((len = nn_recv(socket, &data, NN_MSG, 0)) >= 0) {
        Serried__V1__Call *call =
            serried__v1__call__unpack(NULL, (size_t)len, data);
        struct fake_answer fake = { 0 };

        nn_freemsg(data);
        answer(seen->n, call, &fake);
        fake_note(seen, call);
        usleep((unsigned)fake.after_ms * 1000);
        if (fake.raw != NULL)
            nn_send(socket, fake.raw, fake.raw_len, 0);
        else if (!fake.silent)
            fake_send(socket, call, &fake);
        serried__v1__call__free_unpacked(call, NULL);
    }
    _exit(0);
}

/* Returns when it listens. */
static inline void fake_start(struct fake_daemon *fake, fake_fn *answer)
{
    fake->seen->listens = false;
    fake->pid = fork();
    ck_assert_int_ge(fake->pid, 0);
    if (fake->pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        fake_serve(fake->url, fake->seen, answer);
    }
    while (!fake->seen->listens && waitpid(fake->pid, NULL, WNOHANG) == 0)
        usleep(1000);
    ck_assert(fake->seen->listens);
}

static inline void fake_stop(struct fake_daemon *fake)
{
    if (fake->pid > 0) {
        kill(fake->pid, SIGKILL);
        waitpid(fake->pid, NULL, 0);
    }
    fake->pid = 0;
}

/* An address where nobody is yet; fake_start() makes it answer. */
static inline void fake_open(struct fake_daemon *fake)
{
    *fake = (struct fake_daemon){ .folder = "/tmp/serry-XXXXXX" };
    ck_assert_ptr_nonnull(mkdtemp(fake->folder));
    snprintf(fake->url, sizeof(fake->url), "ipc://%s/s", fake->folder);
    fake->seen = mmap(NULL, sizeof(*fake->seen), PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(fake->seen, MAP_FAILED);
}

/* A tcp port that was free a moment ago. */
static inline int fake_port(void)
{
    struct sockaddr_in in = { .sin_family = AF_INET,
                              .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t len = sizeof(in);
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    ck_assert_int_eq(bind(fd, (struct sockaddr *)&in, sizeof(in)), 0);
    ck_assert_int_eq(getsockname(fd, (struct sockaddr *)&in, &len), 0);
    close(fd);
    return ntohs(in.sin_port);
}

/* In place of a unix socket. Comes before fake_start(). */
static inline void fake_use_tcp(struct fake_daemon *fake)
{
    snprintf(fake->url, sizeof(fake->url), "tcp://127.0.0.1:%d", fake_port());
}

static inline void fake_close(struct fake_daemon *fake)
{
    fake_stop(fake);
    snprintf(fake->url, sizeof(fake->url), "%s/s", fake->folder);
    unlink(fake->url);
    rmdir(fake->folder);
    munmap(fake->seen, sizeof(*fake->seen));
}

#endif
