/* SPDX-License-Identifier: Apache-2.0 */
/* Measures the listener against a bare SP echo on libuv: CPU of a call, a storm
 * of connections, one-shot workers. Both serve in a process of their own. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"
#include "daemon/listener.h"

enum {
    PAIRS = 5,
    CLIENTS = 64,
    BODY = 200,
    HEAD_MAX = 13,
    CALLS = 100000,
    CONNECTS = 1000,
    ONE_SHOTS = 9000,
    EVENTS = 256
};

static const uint8_t req_hello[] = { 0, 'S', 'P', 0, 0, 0x30, 0, 0 };
static const uint8_t rep_hello[] = { 0, 'S', 'P', 0, 0, 0x31, 0, 0 };

static double now_s(clockid_t clock)
{
    struct timespec t = { 0 };

    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void die(const char *what)
{
    fprintf(stderr, "bench_listener: %s: %s\n", what, strerror(errno));
    exit(1);
}

/* ---- the floor: libuv's own listener, one whole message a read ----------- */

struct floor_peer {
    union {
        uv_stream_t stream;
        uv_tcp_t tcp;
        uv_pipe_t pipe;
    } uv;
    bool greeted;
};

static char floor_buffer[65536];

static void floor_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *buf)
{
    (void)handle;
    (void)suggested;
    *buf = uv_buf_init(floor_buffer, sizeof(floor_buffer));
}

static void floor_closed(uv_handle_t *handle)
{
    free(handle);
}

/* A reply has the bytes of its request. */
static void floor_read(uv_stream_t *stream, ssize_t n, const uv_buf_t *buf)
{
    struct floor_peer *peer = (struct floor_peer *)stream;
    uv_buf_t out = uv_buf_init(buf->base, n > 0 ? (unsigned)n : 0);

    if (n < 0) {
        uv_close((uv_handle_t *)stream, floor_closed);
        return;
    }
    if (!peer->greeted && n >= 8) {
        peer->greeted = true;
        out.base += 8;
        out.len -= 8;
    }
    if (out.len > 0)
        uv_try_write(stream, &out, 1);
}

static void floor_connected(uv_stream_t *listening, int status)
{
    struct floor_peer *peer = calloc(1, sizeof(*peer));
    uv_buf_t out = uv_buf_init((char *)(uintptr_t)rep_hello, 8);

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

static int floor_open(uv_loop_t *loop, uv_tcp_t *tcp, uv_pipe_t *pipe,
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

/* ---- the listener ------------------------------------------------------- */

static void echo(void *arg, struct call_handle *call,
                 const struct peer_identity *from, const void *body, size_t len)
{
    (void)arg;
    (void)from;
    call_handle_reply(call, body, len);
}

/* ---- a server in its process -------------------------------------------- */

struct server {
    bool floor;
    const char *path; /* unix; NULL: tcp */
    uint16_t port;
    pid_t pid;
    clockid_t cpu;
};

static void serve(const struct server *server, int ready)
{
    struct listener_options options = { .address = server->path != NULL
                                                       ? server->path
                                                       : "tcp://127.0.0.1:0",
                                        .on_call = echo };
    struct listener *listener;
    uint16_t port = 0;
    struct error err;
    uv_pipe_t pipe;
    uv_loop_t loop;
    uv_tcp_t tcp;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGPIPE, SIG_IGN);
    uv_loop_init(&loop);
    if (server->floor) {
        if (floor_open(&loop, &tcp, &pipe, server->path, &port) < 0)
            die("floor: listen");
    } else {
        if (listener_open(&loop, &options, &listener, &err) < 0)
            die(err.text);
        port = listener_port(listener);
    }
    if (write(ready, &port, sizeof(port)) != sizeof(port))
        die("pipe");
    uv_run(&loop, UV_RUN_DEFAULT);
}

static void server_start(struct server *server)
{
    int ready[2];

    if (pipe(ready) < 0)
        die("pipe");
    server->pid = fork();
    if (server->pid == 0) {
        serve(server, ready[1]);
        _exit(1);
    }
    if (read(ready[0], &server->port, sizeof(server->port)) != 2)
        die("server");
    close(ready[0]);
    close(ready[1]);
    clock_getcpuclockid(server->pid, &server->cpu);
}

static void server_stop(struct server *server)
{
    kill(server->pid, SIGKILL);
    waitpid(server->pid, NULL, 0);
    if (server->path != NULL)
        unlink(server->path);
}

/* ---- clients: one loop, closed: the next call follows the reply ---------- */

struct client {
    int fd;
    unsigned got; /* bytes of greeting and reply */
    bool greeted;
};

struct load {
    const struct server *server;
    struct client *clients;
    int epoll;
    uint8_t request[HEAD_MAX + BODY];
    size_t request_len;
};

static void load_init(struct load *load, const struct server *server,
                      size_t nclients)
{
    size_t len = 0;

    load->server = server;
    load->epoll = epoll_create1(0);
    load->clients = calloc(nclients, sizeof(*load->clients));
    memset(load->request, 0, sizeof(load->request));
    if (server->path != NULL)
        load->request[len++] = 1;
    load->request[len + 7] = BODY + 4;
    load->request[len + 8] = 0x80;
    load->request_len = len + 12 + BODY;
}

static void load_close(struct load *load)
{
    close(load->epoll);
    free(load->clients);
}

static void client_send(const struct load *load, const struct client *client)
{
    if (send(client->fd, load->request, load->request_len, MSG_NOSIGNAL) < 0)
        die("send");
}

static void client_connect(const struct load *load, struct client *client)
{
    struct sockaddr_in tcp = { .sin_family = AF_INET,
                               .sin_port = htons(load->server->port) };
    struct sockaddr_un local = { .sun_family = AF_UNIX };
    struct epoll_event event = { .events = EPOLLIN, .data.ptr = client };
    bool unix_socket = load->server->path != NULL;
    const struct linger now = { .l_onoff = 1 };
    int one = 1, rc;

    client->fd = socket(unix_socket ? AF_UNIX : AF_INET, SOCK_STREAM, 0);
    client->got = 0;
    client->greeted = false;
    if (client->fd < 0)
        die("socket");
    if (unix_socket) {
        strcpy(local.sun_path, load->server->path);
        rc = connect(client->fd, (struct sockaddr *)&local, sizeof(local));
    } else {
        tcp.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        setsockopt(client->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
        setsockopt(client->fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
        rc = connect(client->fd, (struct sockaddr *)&tcp, sizeof(tcp));
    }
    if (rc < 0 || send(client->fd, req_hello, 8, MSG_NOSIGNAL) != 8)
        die("connect");
    epoll_ctl(load->epoll, EPOLL_CTL_ADD, client->fd, &event);
}

/* Whether a whole reply came; the request goes out when the greeting did. */
static bool client_hear(const struct load *load, struct client *client)
{
    char bytes[4096];
    ssize_t n = recv(client->fd, bytes, sizeof(bytes), 0);

    if (n <= 0)
        die("recv");
    client->got += (unsigned)n;
    if (!client->greeted && client->got >= 8) {
        client->greeted = true;
        client->got -= 8;
        client_send(load, client);
    }
    if (!client->greeted || client->got < load->request_len)
        return false;
    client->got -= (unsigned)load->request_len;
    return true;
}

struct sample {
    double wall_s, cpu_s; /* for each call or connection */
};

/* CALLS calls by CLIENTS clients, after a tenth as many to warm up. */
static struct sample measure_calls(const struct server *server)
{
    struct epoll_event events[EVENTS];
    struct sample sample = { 0 };
    struct load load;
    unsigned done = 0;

    load_init(&load, server, CLIENTS);
    for (int i = 0; i < CLIENTS; i++)
        client_connect(&load, &load.clients[i]);
    while (done < CALLS + CALLS / 10) {
        int n = epoll_wait(load.epoll, events, EVENTS, -1);

        for (int i = 0; i < n; i++) {
            if (!client_hear(&load, events[i].data.ptr))
                continue;
            client_send(&load, events[i].data.ptr);
            if (++done == CALLS / 10) {
                sample.wall_s = now_s(CLOCK_MONOTONIC);
                sample.cpu_s = now_s(server->cpu);
            }
        }
    }
    sample.wall_s = (now_s(CLOCK_MONOTONIC) - sample.wall_s) / CALLS;
    sample.cpu_s = (now_s(server->cpu) - sample.cpu_s) / CALLS;
    for (int i = 0; i < CLIENTS; i++)
        close(load.clients[i].fd);
    load_close(&load);
    return sample;
}

/* count workers connect, call once and go; at most width at a time. */
static struct sample measure_storm(const struct server *server, unsigned count,
                                   unsigned width)
{
    struct epoll_event events[EVENTS];
    struct load load;
    struct sample sample;
    unsigned begun = 0, done = 0;

    load_init(&load, server, width);
    sample.wall_s = now_s(CLOCK_MONOTONIC);
    sample.cpu_s = now_s(server->cpu);
    while (begun < width)
        client_connect(&load, &load.clients[begun++]);
    while (done < count) {
        int n = epoll_wait(load.epoll, events, EVENTS, -1);

        for (int i = 0; i < n; i++) {
            struct client *client = events[i].data.ptr;

            if (!client_hear(&load, client))
                continue;
            close(client->fd);
            done++;
            if (begun < count) {
                client_connect(&load, client);
                begun++;
            }
        }
    }
    sample.wall_s = (now_s(CLOCK_MONOTONIC) - sample.wall_s) / count;
    sample.cpu_s = (now_s(server->cpu) - sample.cpu_s) / count;
    load_close(&load);
    return sample;
}

static struct sample measure_connects(const struct server *server)
{
    return measure_storm(server, CONNECTS, CONNECTS);
}

static struct sample measure_one_shots(const struct server *server)
{
    return measure_storm(server, ONE_SHOTS, 512);
}

/* ---- pairs -------------------------------------------------------------- */

static const struct {
    const char *name;
    struct sample (*measure)(const struct server *server);
    double cpu_bar, wall_bar; /* ours / floor, at most; 0: none */
} rows[] = {
    { "call, 64 clients, 200 B", measure_calls, 1.3, 0 },
    { "1,000 connect, one reply", measure_connects, 0, 2 },
    { "9,000 one-shot workers", measure_one_shots, 0, 1.3 },
};

static int by_size(const void *a, const void *b)
{
    const double *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

static double median(double *values)
{
    qsort(values, PAIRS, sizeof(*values), by_size);
    return values[PAIRS / 2];
}

/* Floor and listener in turn, each in a fresh process; kept: the bars were. */
static bool measure_row(size_t row, const char *path)
{
    double wall[2][PAIRS], cpu[2][PAIRS], wall_ratio, cpu_ratio;

    for (int i = 0; i < 2 * PAIRS; i++) {
        struct server server = { .floor = i % 2 == 0, .path = path };
        struct sample sample;

        server_start(&server);
        sample = rows[row].measure(&server);
        server_stop(&server);
        wall[i % 2][i / 2] = sample.wall_s * 1e6;
        cpu[i % 2][i / 2] = sample.cpu_s * 1e6;
    }
    wall_ratio = median(wall[1]) / median(wall[0]);
    cpu_ratio = median(cpu[1]) / median(cpu[0]);
    printf("%-25s %-4s floor %6.2f us cpu %6.2f us wall  "
           "listener %6.2f us cpu %6.2f us wall  ratio cpu %.2f wall %.2f\n",
           rows[row].name, path != NULL ? "unix" : "tcp", median(cpu[0]),
           median(wall[0]), median(cpu[1]), median(wall[1]), cpu_ratio,
           wall_ratio);
    fflush(stdout);
    return (rows[row].cpu_bar == 0 || cpu_ratio <= rows[row].cpu_bar) &&
           (rows[row].wall_bar == 0 || wall_ratio <= rows[row].wall_bar);
}

/* CPU of a server with 1,000 idle peers over 2 s, as a share of a core. */
static void measure_idle(void)
{
    struct server server = { .floor = false };
    struct load load;
    double cpu;

    server_start(&server);
    load_init(&load, &server, CONNECTS);
    for (int i = 0; i < CONNECTS; i++)
        client_connect(&load, &load.clients[i]);
    sleep(1);
    cpu = now_s(server.cpu);
    sleep(2);
    printf("%-25s %-4s listener %.3f %% of a core\n", "1,000 idle peers", "tcp",
           (now_s(server.cpu) - cpu) / 2 * 100);
    server_stop(&server);
    for (int i = 0; i < CONNECTS; i++)
        close(load.clients[i].fd);
    load_close(&load);
}

int main(void)
{
    char folder[] = "/tmp/serried-XXXXXX", path[64];
    bool kept = true;

    signal(SIGPIPE, SIG_IGN);
    if (mkdtemp(folder) == NULL)
        die("mkdtemp");
    snprintf(path, sizeof(path), "%s/socket", folder);
    for (size_t row = 0; row < ARRAY_LEN(rows); row++) {
        kept &= measure_row(row, NULL);
        kept &= measure_row(row, path);
    }
    measure_idle();
    rmdir(folder);
    return kept ? 0 : 1;
}
