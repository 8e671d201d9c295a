/* SPDX-License-Identifier: Apache-2.0 */
/* Floors: bare servers that answer every SP request with the same bytes, each
 * in a process of its own. */
#ifndef SERRIED_BENCH_FLOOR_H
#define SERRIED_BENCH_FLOOR_H

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <uv.h>

#include "bench/bench_load.h"

/* ---- libuv: one read is one message or a part of one ----------------------
 */

struct floor_peer {
    union {
        uv_stream_t stream;
        uv_tcp_t tcp;
        uv_pipe_t pipe;
    } uv;
    bool greeted;
    size_t missing; /* bytes of the request that have not come */
};

/* The framed reply; its request id is written over. */
static struct request floor_reply;
static size_t floor_frame;
static char floor_buffer[LOAD_READ_BYTES];

static inline void floor_alloc(uv_handle_t *handle, size_t suggested,
                               uv_buf_t *buf)
{
    (void)handle;
    (void)suggested;
    *buf = uv_buf_init(floor_buffer, sizeof(floor_buffer));
}

static inline void floor_closed(uv_handle_t *handle)
{
    free(handle);
}

static inline size_t floor_length(const char *frame)
{
    const uint8_t *bytes = (const uint8_t *)frame + floor_frame - 8;

    return (size_t)bytes[0] << 24 | (size_t)bytes[1] << 16 |
           (size_t)bytes[2] << 8 | bytes[3];
}

static inline void floor_answer(struct floor_peer *peer, const char *bytes,
                                size_t n)
{
    uv_buf_t out =
        uv_buf_init((char *)floor_reply.bytes, (unsigned)floor_reply.len);

    if (peer->missing == 0) {
        peer->missing = floor_frame - 4 + floor_length(bytes);
        memcpy(floor_reply.bytes + floor_frame - 4, bytes + floor_frame - 4, 4);
    }
    peer->missing -= n < peer->missing ? n : peer->missing;
    if (peer->missing == 0)
        uv_try_write(&peer->uv.stream, &out, 1);
}

static inline void floor_read(uv_stream_t *stream, ssize_t n,
                              const uv_buf_t *buf)
{
    struct floor_peer *peer = (struct floor_peer *)stream;
    ssize_t hello = peer->greeted ? 0 : 8;

    if (n < 0) {
        uv_close((uv_handle_t *)stream, floor_closed);
        return;
    }
    peer->greeted |= n >= hello;
    if (n > hello)
        floor_answer(peer, buf->base + hello, (size_t)(n - hello));
}

static inline void floor_connected(uv_stream_t *listening, int status)
{
    static const uint8_t hello[] = { 0, 'S', 'P', 0, 0, 0x31, 0, 0 };
    struct floor_peer *peer = calloc(1, sizeof(*peer));
    uv_buf_t out = uv_buf_init((char *)(uintptr_t)hello, 8);

    if (status < 0 || peer == NULL)
        die("floor: accept");
    if (listening->type == UV_TCP)
        uv_tcp_init(listening->loop, &peer->uv.tcp);
    else
        uv_pipe_init(listening->loop, &peer->uv.pipe, 0);
    if (uv_accept(listening, &peer->uv.stream) < 0)
        die("floor: accept");
    if (listening->type == UV_TCP)
        uv_tcp_nodelay(&peer->uv.tcp, 1);
    uv_try_write(&peer->uv.stream, &out, 1);
    uv_read_start(&peer->uv.stream, floor_alloc, floor_read);
}

static inline int floor_open(uv_loop_t *loop, uv_tcp_t *tcp, uv_pipe_t *pipe,
                             const char *path, uint16_t *ret_port)
{
    struct sockaddr_in at;
    int len = sizeof(at);

    if (path != NULL) {
        uv_pipe_init(loop, pipe, 0);
        return uv_pipe_bind(pipe, path) < 0
                   ? -1
                   : uv_listen((uv_stream_t *)pipe, 4096, floor_connected);
    }
    uv_tcp_init(loop, tcp);
    uv_ip4_addr("127.0.0.1", 0, &at);
    if (uv_tcp_bind(tcp, (struct sockaddr *)&at, 0) < 0 ||
        uv_listen((uv_stream_t *)tcp, 4096, floor_connected) < 0)
        return -1;
    uv_tcp_getsockname(tcp, (struct sockaddr *)&at, &len);
    *ret_port = ntohs(at.sin_port);
    return 0;
}

/* ---- processes ----------------------------------------------------------- */

/* What a server's process does: listens at target->path, or at a port that it
 * tells ready() about, and never returns. */
typedef void serve_fn(const struct target *target, const void *arg, int ready);

static inline void serve_ready(int ready, uint16_t port)
{
    if (write(ready, &port, sizeof(port)) != sizeof(port))
        die("pipe");
}

static inline void target_start(struct target *target, serve_fn *serve,
                                const void *arg)
{
    int ready[2];

    fflush(stdout);
    if (pipe(ready) < 0)
        die("pipe");
    target->pid = fork();
    if (target->pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        signal(SIGPIPE, SIG_IGN);
        serve(target, arg, ready[1]);
        _exit(1);
    }
    close(ready[1]);
    if (read(ready[0], &target->port, sizeof(target->port)) != 2)
        die("a server did not start");
    close(ready[0]);
    clock_getcpuclockid(target->pid, &target->cpu);
}

static inline void target_stop(struct target *target)
{
    kill(target->pid, SIGKILL);
    waitpid(target->pid, NULL, 0);
    if (target->path != NULL)
        unlink(target->path);
}

/* arg: the bytes of a reply's body, as a size_t. */
static inline void serve_floor(const struct target *target, const void *arg,
                               int ready)
{
    uint16_t port = 0;
    uv_pipe_t pipe;
    uv_loop_t loop;
    uv_tcp_t tcp;
    uint8_t *body = calloc(1, *(const size_t *)arg + 1);

    floor_frame = frame_bytes(target);
    floor_reply = request_frame(target, body, *(const size_t *)arg);
    uv_loop_init(&loop);
    if (floor_open(&loop, &tcp, &pipe, target->path, &port) < 0)
        die("floor: listen");
    serve_ready(ready, port);
    uv_run(&loop, UV_RUN_DEFAULT);
}

#endif
