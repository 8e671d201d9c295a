/* SPDX-License-Identifier: Apache-2.0 */
/* A load of SP clients on one loop: each calls again when its reply came. */
#ifndef SERRIED_BENCH_LOAD_H
#define SERRIED_BENCH_LOAD_H

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "bench/bench_stat.h"

enum {
    FRAME_MAX = 13, /* type of unix, length, request id */
    HEAD_BYTES = FRAME_MAX + 1,
    LOAD_EVENTS = 256,
    LOAD_READ_BYTES = 65536,
};

/* A server in a process of its own. */
struct target {
    const char *path; /* unix; NULL: tcp at port */
    uint16_t port;
    pid_t pid;
    clockid_t cpu; /* of all its threads */
};

struct request {
    uint8_t *bytes; /* framed for the target */
    size_t len;
};

/* Calls with its requests in turn. */
struct client {
    const struct request *requests;
    size_t n_requests, turn;
    int fd;
    bool greeted, timed;
    uint32_t id;
    size_t got, want; /* bytes of the greeting, or of the reply */
    uint8_t head[HEAD_BYTES];
    double sent_s;
};

struct load {
    const struct target *target;
    struct client *clients;
    size_t n_clients;
    int epoll;
    bool awake; /* asks for events instead of sleeping until they come */
    size_t reply_bytes; /* of the body of the last reply */
    double *times;      /* of timed calls, seconds; NULL: not wanted */
    size_t n_times, times_max;
};

/* For each call or connection. */
struct sample {
    double wall_s, cpu_s;
};

/* ---- requests ------------------------------------------------------------ */

static inline size_t frame_bytes(const struct target *target)
{
    return target->path != NULL ? FRAME_MAX : FRAME_MAX - 1;
}

static inline struct request request_frame(const struct target *target,
                                           const void *body, size_t len)
{
    size_t frame = frame_bytes(target);
    struct request request = { calloc(1, frame + len), frame + len };

    if (request.bytes == NULL)
        die("memory");
    if (target->path != NULL)
        request.bytes[0] = 1;
    for (size_t i = 0; i < 8; i++)
        request.bytes[frame - 5 - i] = (uint8_t)((len + 4) >> (8 * i));
    request.bytes[frame - 4] = 0x80;
    if (len > 0)
        memcpy(request.bytes + frame, body, len);
    return request;
}

static inline void requests_free(struct request *requests, size_t n)
{
    for (size_t i = 0; i < n; i++)
        free(requests[i].bytes);
    free(requests);
}

/* ---- a client ------------------------------------------------------------ */

static inline void write_id(uint8_t *to, uint32_t id)
{
    id |= 0x80000000U;
    for (int i = 0; i < 4; i++)
        to[i] = (uint8_t)(id >> (24 - 8 * i));
}

static inline void client_send(struct load *load, struct client *client)
{
    const struct request *request =
        &client->requests[client->turn++ % client->n_requests];

    client->id++;
    client->got = client->want = 0;
    if (load->times != NULL)
        client->sent_s = now_s(CLOCK_MONOTONIC);
    write_id(request->bytes + frame_bytes(load->target) - 4, client->id);
    if (send(client->fd, request->bytes, request->len, MSG_NOSIGNAL) !=
        (ssize_t)request->len)
        die("send");
}

static inline int target_connect(const struct target *target)
{
    struct sockaddr_in tcp = { .sin_family = AF_INET,
                               .sin_port = htons(target->port) };
    struct sockaddr_un local = { .sun_family = AF_UNIX };
    const struct linger now = { .l_onoff = 1 };
    int fd, one = 1, rc;

    fd = socket(target->path != NULL ? AF_UNIX : AF_INET, SOCK_STREAM, 0);
    if (fd < 0)
        die("socket");
    if (target->path != NULL) {
        snprintf(local.sun_path, sizeof(local.sun_path), "%s", target->path);
        rc = connect(fd, (struct sockaddr *)&local, sizeof(local));
    } else {
        tcp.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
        setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
        rc = connect(fd, (struct sockaddr *)&tcp, sizeof(tcp));
    }
    if (rc == 0)
        return fd;
    close(fd);
    return -1;
}

static inline void client_connect(struct load *load, struct client *client)
{
    static const uint8_t hello[] = { 0, 'S', 'P', 0, 0, 0x30, 0, 0 };
    struct epoll_event event = { .events = EPOLLIN, .data.ptr = client };

    client->fd = target_connect(load->target);
    client->got = client->want = 0;
    client->greeted = false;
    if (client->fd < 0 || send(client->fd, hello, 8, MSG_NOSIGNAL) != 8)
        die("connect");
    epoll_ctl(load->epoll, EPOLL_CTL_ADD, client->fd, &event);
}

/* A reply to another request, or one that refuses, ends the measurement. A
 * refusal starts with its status (field 2). */
static inline void check_head(const struct load *load, struct client *client)
{
    size_t frame = frame_bytes(load->target);
    uint8_t id[4];
    uint64_t len = 0;

    for (size_t i = frame - 12; i < frame - 4; i++)
        len = len << 8 | client->head[i];
    write_id(id, client->id);
    errno = 0;
    if (len < 4 || memcmp(id, client->head + frame - 4, 4) != 0)
        die("a reply belongs to another request");
    if (len > 4 && client->head[frame] == 2 << 3)
        die("a call was refused");
    client->want = frame + (size_t)len - 4;
}

/* Takes bytes of a reply; whether it is whole. */
static inline bool client_take(struct load *load, struct client *client,
                               const uint8_t *bytes, size_t n)
{
    size_t frame = frame_bytes(load->target);

    for (size_t i = 0; i < n && client->got + i < HEAD_BYTES; i++)
        client->head[client->got + i] = bytes[i];
    client->got += n;
    if (client->want == 0 && client->got > frame)
        check_head(load, client);
    if (client->want == 0 || client->got < client->want)
        return false;
    load->reply_bytes = client->want - frame;
    if (load->times != NULL && client->timed && load->n_times < load->times_max)
        load->times[load->n_times++] = now_s(CLOCK_MONOTONIC) - client->sent_s;
    return true;
}

/* Whether a whole reply came. The request goes out when the greeting came. */
static inline bool client_hear(struct load *load, struct client *client,
                               bool *ret_greeted)
{
    static uint8_t bytes[LOAD_READ_BYTES];
    ssize_t n = recv(client->fd, bytes, sizeof(bytes), 0);

    *ret_greeted = false;
    if (n <= 0)
        die("a connection was closed");
    if (client->greeted)
        return client_take(load, client, bytes, (size_t)n);
    client->got += (size_t)n; /* nothing is behind it: nothing was asked */
    *ret_greeted = client->greeted = client->got >= 8;
    return false;
}

/* ---- loads --------------------------------------------------------------- */

/* Clients that take turns in all requests, each beginning at another one. */
static inline void load_init(struct load *load, const struct target *target,
                             size_t n_clients, const struct request *requests,
                             size_t n_requests)
{
    *load = (struct load){ .target = target, .n_clients = n_clients };
    load->epoll = epoll_create1(0);
    load->clients = calloc(n_clients, sizeof(*load->clients));
    if (load->epoll < 0 || load->clients == NULL)
        die("load");
    for (size_t i = 0; i < n_clients; i++)
        load->clients[i] = (struct client){ .requests = requests,
                                            .n_requests = n_requests,
                                            .turn = i,
                                            .timed = true,
                                            .fd = -1 };
}

static inline void load_close(struct load *load)
{
    for (size_t i = 0; i < load->n_clients; i++)
        if (load->clients[i].fd >= 0)
            close(load->clients[i].fd);
    close(load->epoll);
    free(load->clients);
}

static inline void sample_start(const struct load *load, struct sample *sample)
{
    sample->wall_s = now_s(CLOCK_MONOTONIC);
    sample->cpu_s = now_s(load->target->cpu);
}

static inline void sample_end(const struct load *load, struct sample *sample,
                              unsigned count)
{
    sample->wall_s = (now_s(CLOCK_MONOTONIC) - sample->wall_s) / count;
    sample->cpu_s = (now_s(load->target->cpu) - sample->cpu_s) / count;
}

/* Waits for events; none for 10 s end the program. */
static inline int load_wait(const struct load *load, struct epoll_event *events)
{
    double until = 0;
    int n;

    do {
        n = epoll_wait(load->epoll, events, LOAD_EVENTS,
                       load->awake ? 0 : 10000);
        if (n == 0 && until == 0)
            until = now_s(CLOCK_MONOTONIC) + (load->awake ? 10 : 0);
        errno = 0;
        if (n == 0 && now_s(CLOCK_MONOTONIC) >= until)
            die("no reply came for 10 s");
    } while (n == 0);
    return n;
}

/* warm + calls calls by all clients, of which the last `calls` are measured. */
static inline struct sample load_calls(struct load *load, unsigned warm,
                                       unsigned calls)
{
    struct epoll_event events[LOAD_EVENTS];
    struct sample sample;
    unsigned begun = 0, done = 0;

    for (size_t i = 0; i < load->n_clients; i++)
        client_connect(load, &load->clients[i]);
    sample_start(load, &sample);
    while (done < warm + calls) {
        int n = load_wait(load, events);

        for (int i = 0; i < n; i++) {
            struct client *client = events[i].data.ptr;
            bool greeted, whole = client_hear(load, client, &greeted);

            if (whole && ++done == warm) {
                load->n_times = 0;
                sample_start(load, &sample);
            }
            if ((whole || greeted) && begun < warm + calls) {
                begun++;
                client_send(load, client);
            }
        }
    }
    sample_end(load, &sample, calls);
    return sample;
}

/* count workers connect, call once and go, all clients at a time. */
static inline struct sample load_storm(struct load *load, unsigned count)
{
    struct epoll_event events[LOAD_EVENTS];
    struct sample sample;
    unsigned begun = 0, done = 0;

    sample_start(load, &sample);
    while (begun < load->n_clients && begun < count)
        client_connect(load, &load->clients[begun++]);
    while (done < count) {
        int n = load_wait(load, events);

        for (int i = 0; i < n; i++) {
            struct client *client = events[i].data.ptr;
            bool greeted, whole = client_hear(load, client, &greeted);

            if (greeted)
                client_send(load, client);
            if (!whole)
                continue;
            close(client->fd);
            client->fd = -1;
            done++;
            if (begun < count) {
                client_connect(load, client);
                begun++;
            }
        }
    }
    sample_end(load, &sample, count);
    return sample;
}

#endif
