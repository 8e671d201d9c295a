/* SPDX-License-Identifier: Apache-2.0 */
/* The floor that users of nanomsg know: its own raw REP socket as an echo. */
#ifndef SERRIED_BENCH_NANOMSG_H
#define SERRIED_BENCH_NANOMSG_H

#include <nanomsg/nn.h>
#include <nanomsg/reqrep.h>
#include <nanomsg/tcp.h>

#include "bench/bench_floor.h"

/* A port that was free a moment ago: nanomsg takes no port 0. */
static inline uint16_t free_port(void)
{
    struct sockaddr_in at = { .sin_family = AF_INET };
    socklen_t len = sizeof(at);
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof(at)) < 0 ||
        getsockname(fd, (struct sockaddr *)&at, &len) < 0)
        die("port");
    close(fd);
    return ntohs(at.sin_port);
}

static inline int nanomsg_open(const struct target *target, uint16_t *ret_port)
{
    int socket = nn_socket(AF_SP_RAW, NN_REP), one = 1;
    char url[256];

    *ret_port = target->path == NULL ? free_port() : 0;
    if (target->path != NULL)
        snprintf(url, sizeof(url), "ipc://%s", target->path);
    else
        snprintf(url, sizeof(url), "tcp://127.0.0.1:%u", *ret_port);
    nn_setsockopt(socket, NN_TCP, NN_TCP_NODELAY, &one, sizeof(one));
    if (socket < 0 || nn_bind(socket, url) < 0)
        die("nanomsg");
    return socket;
}

/* arg: the bytes of a reply's body, as a size_t. */
static inline void serve_nanomsg(const struct target *target, const void *arg,
                                 int ready)
{
    size_t len = *(const size_t *)arg;
    char *reply = calloc(1, len + 1);
    uint16_t port;
    int socket = nanomsg_open(target, &port);

    serve_ready(ready, port);
    for (;;) {
        void *body = NULL, *control = NULL;
        struct nn_iovec in = { &body, NN_MSG }, out = { reply, len };
        struct nn_msghdr header = { .msg_iov = &in,
                                    .msg_iovlen = 1,
                                    .msg_control = &control,
                                    .msg_controllen = NN_MSG };

        if (nn_recvmsg(socket, &header, 0) < 0)
            die("nanomsg");
        nn_freemsg(body);
        header.msg_iov = &out;
        nn_sendmsg(socket, &header, 0); /* takes control */
    }
}

#endif
