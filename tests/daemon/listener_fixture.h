/* SPDX-License-Identifier: Apache-2.0 */
/* A listener in a process of its own, and SP clients made by hand. */
#ifndef SERRIED_TESTS_LISTENER_FIXTURE_H
#define SERRIED_TESTS_LISTENER_FIXTURE_H

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "daemon/listener.h"
#include "tests/tap.h"

/* What the server shows of itself, written every 5 ms and at every event. */
struct board {
    struct listener_counts counts;
    unsigned told[LISTENER_EVENTS];
    char text[LISTENER_EVENTS][320]; /* the last one */
    char from[64];                   /* who made the last call */
    uint16_t port;
    char address[128];
    bool ready, failed;
    bool done; /* it has drained or closed */
    struct error err;
};

struct served {
    pid_t pid;
    struct board *board;
    bool local;
    char folder[32], path[64];
};

/* ---- the server --------------------------------------------------------- */

static inline void sleep_ms(long ms)
{
    const struct timespec t = { ms / 1000, ms % 1000 * 1000000 };

    nanosleep(&t, NULL);
}

enum { PARKED_MAX = 1024 };

struct server {
    struct board *board;
    struct listener *listener;
    struct call_handle *parked[PARKED_MAX];
    unsigned nparked;
    uint32_t ncalls;
    uv_timer_t show;
    uv_signal_t term, usr1;
};

struct late {
    uv_timer_t timer;
    struct call_handle *call;
    size_t len;
    char body[64];
};

static void free_late(uv_handle_t *timer)
{
    free(timer->data);
}

static void on_late(uv_timer_t *timer)
{
    struct late *late = timer->data;

    call_handle_reply(late->call, late->body, late->len);
    uv_close((uv_handle_t *)timer, free_late);
}

static void reply_late(struct server *server, struct call_handle *call,
                       const char *body, size_t len)
{
    struct late *late = calloc(1, sizeof(*late));

    late->call = call;
    late->len = len;
    memcpy(late->body, body, len);
    late->timer.data = late;
    uv_timer_init(server->show.loop, &late->timer);
    uv_timer_start(&late->timer, on_late, (uint64_t)atoi(body + 5), 0);
}

static void reply_sized(struct call_handle *call, size_t len)
{
    char *bytes = malloc(len);

    memset(bytes, 'r', len);
    call_handle_reply(call, bytes, len);
    free(bytes);
}

static void free_parked(struct server *server)
{
    for (unsigned i = 0; i < server->nparked; i++)
        call_handle_reply(server->parked[i], "freed", 5);
    server->nparked = 0;
}

/* "park" waits for "free"; "late MS" answers then; "busy MS" holds the loop as
 * long; "size N" gets N bytes; "nth" how many calls came so far; all else comes
 * back as it is. */
static void serve_call(void *arg, struct call_handle *call,
                       const struct peer_identity *from, const void *body,
                       size_t len)
{
    struct server *server = arg;
    char head[64] = "";

    memcpy(head, body, len < sizeof(head) - 1 ? len : sizeof(head) - 1);
    strcpy(server->board->from, from->address);
    server->ncalls++;
    if (strcmp(head, "park") == 0 && server->nparked < PARKED_MAX) {
        server->parked[server->nparked++] = call;
        return;
    }
    if (strncmp(head, "late ", 5) == 0) {
        reply_late(server, call, head, strlen(head));
        return;
    }
    if (strcmp(head, "free") == 0)
        free_parked(server);
    if (strncmp(head, "busy ", 5) == 0)
        sleep_ms(atol(head + 5));
    if (strncmp(head, "size ", 5) == 0)
        reply_sized(call, (size_t)atol(head + 5));
    else if (strcmp(head, "nth") == 0)
        call_handle_reply(call, &server->ncalls, sizeof(server->ncalls));
    else
        call_handle_reply(call, body, len);
}

static void serve_event(void *arg, enum listener_event event, const char *text)
{
    struct board *board = ((struct server *)arg)->board;

    board->told[event]++;
    snprintf(board->text[event], sizeof(board->text[event]), "%s", text);
}

static void show(uv_timer_t *timer)
{
    struct server *server = timer->data;

    listener_count(server->listener, &server->board->counts);
}

static void on_done(void *arg)
{
    struct server *server = arg;

    server->board->done = true;
    uv_close((uv_handle_t *)&server->show, NULL);
    uv_close((uv_handle_t *)&server->term, NULL);
    uv_close((uv_handle_t *)&server->usr1, NULL);
}

/* SIGTERM drains; SIGUSR1 closes at once, with calls still parked. */
static void on_signal(uv_signal_t *signal, int number)
{
    struct server *server = signal->data;

    uv_timer_stop(&server->show);
    if (number == SIGTERM) {
        listener_drain(server->listener, on_done, server);
        return;
    }
    listener_close(server->listener, on_done, server);
    free_parked(server);
}

static int run_server(struct board *board, struct listener_options options)
{
    struct server server = { .board = board };
    uv_loop_t loop;

    signal(SIGPIPE, SIG_IGN);
    uv_loop_init(&loop);
    options.arg = &server;
    options.on_call = serve_call;
    options.on_event = serve_event;
    if (listener_open(&loop, &options, &server.listener, &board->err) < 0) {
        board->failed = true;
        uv_loop_close(&loop);
        return 1;
    }
    board->port = listener_port(server.listener);
    strcpy(board->address, listener_address(server.listener));
    uv_timer_init(&loop, &server.show);
    uv_signal_init(&loop, &server.term);
    uv_signal_init(&loop, &server.usr1);
    server.show.data = server.term.data = server.usr1.data = &server;
    uv_timer_start(&server.show, show, 0, 5);
    uv_signal_start(&server.term, on_signal, SIGTERM);
    uv_signal_start(&server.usr1, on_signal, SIGUSR1);
    board->ready = true;
    uv_run(&loop, UV_RUN_DEFAULT);
    return uv_loop_close(&loop) == 0 ? 0 : 2;
}

/* ---- starting and stopping it ------------------------------------------- */

static inline double now_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Waits until a condition on the board holds, 5 s at most. */
#define EVENTUALLY(condition)                                                  \
    do {                                                                       \
        double until_s = now_s() + 5;                                          \
                                                                               \
        __sync_synchronize();                                                  \
        while (!(condition) && now_s() < until_s) {                            \
            sleep_ms(5);                                                       \
            __sync_synchronize();                                              \
        }                                                                      \
        ck_assert_msg((condition), "never came: %s", #condition);              \
    } while (0)

/* Runs a listener with options; nofile: its limit of descriptors, 0: as it is.
 * False: it could not open, see board->err. */
static inline bool serve(struct served *served,
                         const struct listener_options *options, rlim_t nofile)
{
    served->board = mmap(NULL, sizeof(*served->board), PROT_READ | PROT_WRITE,
                         MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(served->board, MAP_FAILED);
    served->pid = fork();
    ck_assert_int_ge(served->pid, 0);
    if (served->pid == 0) {
        struct rlimit limit = { nofile, nofile };

        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (nofile != 0)
            setrlimit(RLIMIT_NOFILE, &limit);
        exit(run_server(served->board, *options));
    }
    EVENTUALLY(served->board->ready || served->board->failed);
    if (served->board->failed)
        waitpid(served->pid, NULL, 0);
    return served->board->ready;
}

/* The same at an address of its own, tcp or unix; fails the test if it cannot.
 */
static inline void serve_at(struct served *served, bool local,
                            struct listener_options options)
{
    served->local = local;
    strcpy(served->folder, "/tmp/serried-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(served->folder));
    snprintf(served->path, sizeof(served->path), "%s/socket", served->folder);
    options.address = local ? served->path : "tcp://127.0.0.1:0";
    ck_assert_msg(serve(served, &options, 0), "%s", served->board->err.text);
}

/* Waits for its end, which must be a success. */
static inline void await_end(struct served *served, bool killed)
{
    int status;

    ck_assert_int_eq(waitpid(served->pid, &status, 0), served->pid);
    if (!killed)
        ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0,
                      "server ended with %d", status);
    if (served->folder[0] != '\0') {
        unlink(served->path);
        rmdir(served->folder);
    }
    munmap(served->board, sizeof(*served->board));
}

static inline void stop(struct served *served, int number)
{
    kill(served->pid, number);
    await_end(served, number == SIGKILL);
}

/* ---- clients ------------------------------------------------------------ */

enum { WAIT_S = 10, ID = (int)0x80000000u };

/* Connects; reads give up after WAIT_S. */
static inline int dial(const struct served *served)
{
    const struct timeval wait = { .tv_sec = WAIT_S };
    struct sockaddr_in tcp = { .sin_family = AF_INET,
                               .sin_port = htons(served->board->port) };
    struct sockaddr_un local = { .sun_family = AF_UNIX };
    int fd = socket(served->local ? AF_UNIX : AF_INET, SOCK_STREAM, 0);
    int one = 1, rc;

    ck_assert_int_ge(fd, 0);
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait));
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof(wait));
    tcp.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    strcpy(local.sun_path, served->path);
    if (served->local) {
        rc = connect(fd, (struct sockaddr *)&local, sizeof(local));
    } else {
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
        rc = connect(fd, (struct sockaddr *)&tcp, sizeof(tcp));
    }
    ck_assert_msg(rc == 0, "connect: %s", strerror(errno));
    return fd;
}

static inline void put_all(int fd, const void *bytes, size_t len)
{
    ck_assert_int_eq(send(fd, bytes, len, MSG_NOSIGNAL), (ssize_t)len);
}

/* Bytes that came before the end of the stream, at most len. */
static inline size_t get_some(int fd, void *bytes, size_t len)
{
    size_t got = 0;

    while (got < len) {
        ssize_t n = recv(fd, (char *)bytes + got, len - got, 0);

        if (n < 0)
            ck_assert_msg(errno == ECONNRESET || errno == EPIPE, "recv: %s",
                          strerror(errno));
        if (n <= 0)
            break;
        got += (size_t)n;
    }
    return got;
}

static inline void greet(int fd)
{
    static const uint8_t hello[] = { 0, 'S', 'P', 0, 0, 0x30, 0, 0 };
    static const uint8_t answer[] = { 0, 'S', 'P', 0, 0, 0x31, 0, 0 };
    uint8_t got[8];

    put_all(fd, hello, sizeof(hello));
    ck_assert_uint_eq(get_some(fd, got, sizeof(got)), sizeof(got));
    ck_assert_mem_eq(got, answer, sizeof(got));
}

static inline int dial_and_greet(const struct served *served)
{
    int fd = dial(served);

    greet(fd);
    return fd;
}

/* Writes header and id of a request; returns their length. */
static inline size_t frame(const struct served *served, uint8_t *to,
                           uint32_t id, size_t body_len)
{
    size_t len = 0;

    if (served->local)
        to[len++] = 1;
    for (int shift = 56; shift >= 0; shift -= 8)
        to[len++] = (uint8_t)((uint64_t)(body_len + 4) >> shift);
    for (int shift = 24; shift >= 0; shift -= 8)
        to[len++] = (uint8_t)((id | (uint32_t)ID) >> shift);
    return len;
}

static inline void ask(const struct served *served, int fd, uint32_t id,
                       const void *body, size_t len)
{
    uint8_t head[13 + 64];
    size_t head_len = frame(served, head, id, len);

    /* Short ones in one piece: a unix socket holds some 250 pieces. */
    if (len <= 64) {
        memcpy(head + head_len, body, len);
        put_all(fd, head, head_len + len);
        return;
    }
    put_all(fd, head, head_len);
    put_all(fd, body, len);
}

/* Reads one reply; -1 at the end of the stream. The body must fit. */
static inline ssize_t hear(const struct served *served, int fd,
                           uint32_t *ret_id, void *body, size_t cap)
{
    size_t head_len = served->local ? 13 : 12, len = 0;
    uint8_t head[13], *at = head + head_len;

    if (get_some(fd, head, head_len) < head_len)
        return -1;
    for (int i = 12; i > 4; i--)
        len = len << 8 | at[-i];
    ck_assert_uint_le(len - 4, cap);
    *ret_id = (uint32_t)at[-3] << 16 | (uint32_t)at[-2] << 8 | at[-1];
    ck_assert_uint_eq(get_some(fd, body, len - 4), len - 4);
    return (ssize_t)len - 4;
}

/* One call whose reply must be what was sent. */
static inline void echo(const struct served *served, int fd, const char *text)
{
    char body[256];
    uint32_t id;

    ask(served, fd, 7, text, strlen(text));
    ck_assert_int_eq(hear(served, fd, &id, body, sizeof(body)),
                     (ssize_t)strlen(text));
    ck_assert_uint_eq(id, 7);
    ck_assert_mem_eq(body, text, strlen(text));
}

/* Whether the server closes fd within ms. Sent bytes are thrown away. */
static inline bool closed_within(int fd, long ms)
{
    const struct timeval wait = { ms / 1000, ms % 1000 * 1000 };
    char bytes[4096];
    ssize_t n;

    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait));
    do
        n = recv(fd, bytes, sizeof(bytes), 0);
    while (n > 0);
    return n == 0 || errno == ECONNRESET || errno == EPIPE;
}

/* ---- what the server uses ------------------------------------------------ */

static inline long descriptors_of(pid_t pid)
{
    char path[64];
    long count = 0;
    DIR *folder;

    snprintf(path, sizeof(path), "/proc/%ld/fd", (long)pid);
    folder = opendir(path);
    ck_assert_ptr_nonnull(folder);
    while (readdir(folder) != NULL)
        count++;
    closedir(folder);
    return count;
}

static inline long resident_kib(pid_t pid)
{
    char path[64];
    long size = 0, resident = 0;
    FILE *file;

    snprintf(path, sizeof(path), "/proc/%ld/statm", (long)pid);
    file = fopen(path, "r");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_eq(fscanf(file, "%ld %ld", &size, &resident), 2);
    fclose(file);
    return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

static inline double cpu_s(pid_t pid)
{
    struct timespec t = { 0 };
    clockid_t clock;

    ck_assert_int_eq(clock_getcpuclockid(pid, &clock), 0);
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

#endif
