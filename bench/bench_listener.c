/* SPDX-License-Identifier: Apache-2.0 */
/* Measures the listener alone against a bare SP echo on libuv: CPU of a call, a
 * storm of connections, one-shot workers. Both serve in a process of their own.
 */
#include "base/text.h"
#include "bench/bench_floor.h"
#include "daemon/listener.h"

enum {
    PAIRS = 5,
    CLIENTS = 64,
    BODY = 200,
    CALLS = 100000,
    CONNECTS = 1000,
    ONE_SHOTS = 9000,
    WIDTH = 512, /* of them at a time */
    IDLE_S = 2,
};

static void echo(void *arg, struct call_handle *call,
                 const struct peer_identity *from, const void *body, size_t len)
{
    (void)arg;
    (void)from;
    call_handle_reply(call, body, len);
}

static void serve_listener(const struct target *target, const void *arg,
                           int ready)
{
    struct listener_options options = { .address = target->path != NULL
                                                       ? target->path
                                                       : "tcp://127.0.0.1:0",
                                        .on_call = echo };
    struct listener *listener;
    struct error err;
    uv_loop_t loop;

    (void)arg;
    uv_loop_init(&loop);
    if (listener_open(&loop, &options, &listener, &err) < 0) {
        errno = 0;
        die(err.text);
    }
    serve_ready(ready, listener_port(listener));
    uv_run(&loop, UV_RUN_DEFAULT);
}

/* ---- rows ---------------------------------------------------------------- */

/* Microseconds of CPU a call. */
static double measure_calls(struct load *load)
{
    return load_calls(load, CALLS / 10, CALLS).cpu_s * 1e6;
}

/* Milliseconds of all. */
static double measure_connects(struct load *load)
{
    return load_storm(load, CONNECTS).wall_s * CONNECTS * 1e3;
}

static double measure_one_shots(struct load *load)
{
    return load_storm(load, ONE_SHOTS).wall_s * ONE_SHOTS * 1e3;
}

/* clang-format off */
static const struct contest {
    struct row row;
    bool over_tcp;
    size_t clients;
    double (*measure)(struct load *load);
} contests[] = {
    { { "listener's echo / libuv echo, unix", "us of CPU a call", 1.3, false },
      false, CLIENTS, measure_calls },
    { { "listener's echo / libuv echo, tcp", "us of CPU a call", 1.3, false },
      true, CLIENTS, measure_calls },
    { { "1,000 connect, one reply / libuv, unix", "ms", 2, false },
      false, CONNECTS, measure_connects },
    { { "1,000 connect, one reply / libuv, tcp", "ms", 2, false },
      true, CONNECTS, measure_connects },
    { { "9,000 one-shot workers / libuv, unix", "ms", 1.3, false },
      false, WIDTH, measure_one_shots },
    { { "9,000 one-shot workers / libuv, tcp", "ms", 1.3, false },
      true, WIDTH, measure_one_shots },
};
/* clang-format on */

static double measure(const struct contest *contest, const char *path,
                      serve_fn *serve)
{
    static const char body[BODY];
    const size_t len = BODY;
    struct target target = { .path = contest->over_tcp ? NULL : path };
    struct request request = request_frame(&target, body, len);
    struct load load;
    double figure;

    target_start(&target, serve, &len);
    load_init(&load, &target, contest->clients, &request, 1);
    figure = contest->measure(&load);
    load_close(&load);
    target_stop(&target);
    free(request.bytes);
    return figure;
}

static bool hold_contest(const struct contest *contest, const char *path)
{
    struct pairs pairs = { 0 };

    for (int i = 0; i < PAIRS; i++) {
        double floor = measure(contest, path, serve_floor);

        pairs_add(&pairs, measure(contest, path, serve_listener), floor);
    }
    return pairs_print(&contest->row, &pairs);
}

static bool measure_idle(void)
{
    static const struct row row = { "listener with 1,000 idle peers",
                                    "% of a core", 1, false };
    struct target target = { .path = NULL };
    struct request none = { 0 };
    struct load load;
    double cpu;

    target_start(&target, serve_listener, NULL);
    load_init(&load, &target, CONNECTS, &none, 1);
    for (size_t i = 0; i < load.n_clients; i++)
        client_connect(&load, &load.clients[i]);
    sleep(1);
    cpu = now_s(target.cpu);
    sleep(IDLE_S);
    cpu = (now_s(target.cpu) - cpu) / IDLE_S * 100;
    load_close(&load);
    target_stop(&target);
    return figure_print(&row, cpu);
}

int main(void)
{
    char folder[] = "/tmp/serried-XXXXXX", path[64];
    bool held = true;

    signal(SIGPIPE, SIG_IGN);
    if (mkdtemp(folder) == NULL)
        die("mkdtemp");
    snprintf(path, sizeof(path), "%s/socket", folder);
    table_head();
    for (size_t i = 0; i < ARRAY_LEN(contests); i++)
        held &= hold_contest(&contests[i], path);
    held &= measure_idle();
    rmdir(folder);
    return held ? 0 : 1;
}
