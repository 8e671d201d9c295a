/* SPDX-License-Identifier: Apache-2.0 */
/* Serves SP requests (nanomsg's REQ) on libuv streams, tcp and unix. */
#include "daemon/listener.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/text.h"
#include "daemon/peer.h"

enum {
    CONNECTIONS_MAX = 20000,
    DESCRIPTOR_RESERVE = 64, /* database, log, other listeners, ... */
    LEAVE_MS = 1000,
    TICK_MIN_MS = 10,
    TICK_MAX_MS = 100,
    EVENT_TEXT = 320
};

static const char *const event_names[] = {
#define X(name, text) [LISTENER_##name] = text,
    LISTENER_EVENT_LIST(X)
#undef X
};

const char *listener_event_name(enum listener_event event)
{
    return event_names[event];
}

/* ---- events ------------------------------------------------------------- */

void listener_tell(struct listener *listener, enum listener_event event,
                   const char *fmt, ...)
{
    uint64_t now = uv_now(listener->loop) + 1; /* 0 is never */
    uint64_t last = listener->events[event].last_ms;
    uint64_t kept_back = listener->events[event].kept_back;
    char text[EVENT_TEXT];
    va_list args;
    int n;

    if (listener->options.on_event == NULL)
        return;
    if (last != 0 && now - last < listener->options.event_ms) {
        listener->events[event].kept_back++;
        return;
    }
    va_start(args, fmt);
    n = vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    if (kept_back > 0 && n >= 0 && (size_t)n < sizeof(text))
        snprintf(text + n, sizeof(text) - (size_t)n,
                 " (%llu more before this one)", (unsigned long long)kept_back);
    listener->events[event].last_ms = now;
    listener->events[event].kept_back = 0;
    listener->options.on_event(listener->options.arg, event, text);
}

/* ---- time and turns ----------------------------------------------------- */

static void expire(struct listener *listener, enum peer_wait wait, uint64_t now)
{
    struct peer_list *list = &listener->waits[wait];
    uint32_t ms = listener->wait_ms[wait];

    while (ms != LISTENER_NEVER && list->first != NULL &&
           now - list->first->since_ms >= ms)
        peer_expire(list->first);
}

/* Behind the reads of a turn, and at the time they began: what a peer sent
 * while the loop was busy has been taken, and counts. */
static void on_due(uv_check_t *due)
{
    struct listener *listener = due->data;
    uint64_t now = uv_now(listener->loop);

    for (int wait = 0; wait < WAIT_COUNT; wait++)
        expire(listener, (enum peer_wait)wait, now);
}

static void on_tick(uv_timer_t *tick)
{
    struct listener *listener = tick->data;
    uint64_t now = uv_now(listener->loop);

    if (listener->accept_again_ms != 0 && now >= listener->accept_again_ms)
        listener_accept(listener);
    if (listener->counts.connections == 0 && listener->accept_again_ms == 0 &&
        !uv_is_closing((uv_handle_t *)tick))
        uv_timer_stop(tick);
}

void listener_wake_tick(struct listener *listener)
{
    const uint32_t *ms = listener->wait_ms;
    uint32_t period = TICK_MAX_MS * 4;

    if (uv_is_active((uv_handle_t *)&listener->tick) ||
        uv_is_closing((uv_handle_t *)&listener->tick))
        return;
    for (int wait = 0; wait < WAIT_COUNT; wait++)
        period = ms[wait] < period ? ms[wait] : period;
    period = period / 4 > TICK_MIN_MS ? period / 4 : TICK_MIN_MS;
    uv_timer_start(&listener->tick, on_tick, period, period);
}

static bool may_let_in(const struct listener *listener)
{
    return listener->held.count > 0 &&
           listener->counts.in_flight < listener->options.calls_max;
}

static void let_in(struct listener *listener)
{
    struct peer *peer = listener->held.first;

    peer_list_remove(peer, LINK_TURN);
    peer->holds &= ~(unsigned)HOLD_ALL;
    peer_resume(peer);
}

/* Each list as long as it was at first: who comes back in has had its turn. */
static void on_turns(uv_idle_t *turns)
{
    struct listener *listener = turns->data;
    size_t nready = listener->ready.count, nheld = listener->held.count;

    while (nready-- > 0 && listener->ready.first != NULL) {
        struct peer *peer = listener->ready.first;

        peer_list_remove(peer, LINK_TURN);
        peer_resume(peer);
    }
    while (nheld-- > 0 && may_let_in(listener))
        let_in(listener);
    if (listener->ready.count == 0 && !may_let_in(listener))
        uv_idle_stop(turns);
}

void listener_wake_turns(struct listener *listener)
{
    if (!uv_is_closing((uv_handle_t *)&listener->turns))
        uv_idle_start(&listener->turns, on_turns);
}

static void on_send(uv_prepare_t *send)
{
    reply_batch_flush(send->data);
}

/* ---- opening ------------------------------------------------------------ */

static uint32_t or_default(uint32_t given, uint32_t otherwise)
{
    return given != 0 ? given : otherwise;
}

static uint32_t connections_default(void)
{
    struct rlimit limit;
    rlim_t most = CONNECTIONS_MAX;

    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < most)
        most = limit.rlim_cur;
    return (uint32_t)(most > 2 * DESCRIPTOR_RESERVE ? most - DESCRIPTOR_RESERVE
                                                    : most / 2);
}

static void set_options(struct listener *listener,
                        const struct listener_options *given)
{
    struct listener_options *o = &listener->options;

    *o = *given;
    o->address = NULL; /* the caller's; listener->socket has its own */
    o->connections_max =
        or_default(given->connections_max, connections_default());
    o->calls_per_peer = or_default(given->calls_per_peer, 64);
    o->calls_max = or_default(given->calls_max, 16384);
    o->message_bytes_max = or_default(given->message_bytes_max, 1 << 20);
    o->greet_ms = or_default(given->greet_ms, 1000);
    o->stall_ms = or_default(given->stall_ms, 30000);
    o->idle_ms = or_default(given->idle_ms, 600000);
    o->backlog_bytes = or_default(given->backlog_bytes, 4 << 20);
    o->event_ms = or_default(given->event_ms, 1000);
    if (o->buffers_bytes == 0)
        o->buffers_bytes = 256 << 20;
    if (o->socket_mode == 0)
        o->socket_mode = 0600;
    listener->wait_ms[WAIT_GREETING] = o->greet_ms;
    listener->wait_ms[WAIT_MESSAGE] = o->stall_ms;
    listener->wait_ms[WAIT_OUTPUT] = o->stall_ms;
    listener->wait_ms[WAIT_IDLE] = o->idle_ms;
    listener->wait_ms[WAIT_LEAVE] = LEAVE_MS;
    listener->wait_ms[WAIT_NOTHING] = LISTENER_NEVER;
}

static struct listener *listener_new(uv_loop_t *loop,
                                     const struct listener_options *options)
{
    struct listener *listener = calloc(1, sizeof(*listener));

    if (listener == NULL)
        return NULL;
    listener->loop = loop;
    set_options(listener, options);
    for (int wait = 0; wait < WAIT_COUNT; wait++)
        listener->waits[wait].kind = LINK_WAIT;
    listener->ready.kind = listener->held.kind = LINK_TURN;
    return listener;
}

int listener_open(uv_loop_t *loop, const struct listener_options *options,
                  struct listener **ret_listener, struct error *err)
{
    struct listener *listener = listener_new(loop, options);
    struct listen_access access;

    if (listener == NULL)
        return error_exhausted(err);
    access =
        (struct listen_access){ options->remote, listener->options.socket_mode,
                                options->has_group, options->socket_group };
    if (listen_socket_open(options->address, &access, &listener->socket, err) <
        0) {
        free(listener);
        return -1;
    }
    if (uv_poll_init(loop, &listener->accepting, listener->socket.fd) < 0) {
        error_set(err, STATUS_UNAVAILABLE, "%s: the loop cannot watch it",
                  listener->socket.address);
        listen_socket_close(&listener->socket);
        free(listener);
        return -1;
    }
    uv_timer_init(loop, &listener->tick);
    uv_check_init(loop, &listener->due);
    uv_prepare_init(loop, &listener->send);
    uv_idle_init(loop, &listener->turns);
    listener->accepting.data = listener;
    listener->tick.data = listener;
    listener->due.data = listener;
    listener->send.data = listener;
    listener->turns.data = listener;
    listener->open_handles = 5;
    listener->reserve_fd = -1;
    uv_check_start(&listener->due, on_due);
    uv_prepare_start(&listener->send, on_send);
    listener_accept(listener);
    *ret_listener = listener;
    return 0;
}

uint16_t listener_port(const struct listener *listener)
{
    return listener->socket.port;
}

const char *listener_address(const struct listener *listener)
{
    return listener->socket.address;
}

void listener_count(const struct listener *listener,
                    struct listener_counts *ret_counts)
{
    *ret_counts = listener->counts;
}

/* ---- closing ------------------------------------------------------------ */

static void on_turns_closed(uv_handle_t *handle)
{
    struct listener *listener = handle->data;
    void (*done)(void *) = listener->done;
    void *arg = listener->done_arg;

    call_handle_free_spare(listener);
    free(listener);
    if (done != NULL)
        done(arg);
}

static void on_handle_closed(uv_handle_t *handle)
{
    struct listener *listener = handle->data;

    listener->open_handles--;
    listener_settle(listener);
}

static void stop_accepting(struct listener *listener)
{
    if (listener->socket.fd < 0)
        return;
    uv_close((uv_handle_t *)&listener->accepting, on_handle_closed);
    listen_socket_close(&listener->socket);
    if (listener->reserve_fd >= 0)
        close(listener->reserve_fd);
    listener->accept_again_ms = 0;
}

void listener_settle(struct listener *listener)
{
    uv_handle_t *turns = (uv_handle_t *)&listener->turns;
    uv_handle_t *others[] = { (uv_handle_t *)&listener->tick,
                              (uv_handle_t *)&listener->due,
                              (uv_handle_t *)&listener->send };

    if (may_let_in(listener))
        listener_wake_turns(listener);
    if (listener->stage == STAGE_SERVING || listener->counts.connections > 0)
        return;
    for (size_t i = 0; i < ARRAY_LEN(others); i++)
        if (!uv_is_closing(others[i]))
            uv_close(others[i], on_handle_closed);
    /* The last handle waits for calls too, as they point here. */
    if (listener->open_handles == 1 && listener->counts.in_flight == 0 &&
        !uv_is_closing(turns))
        uv_close(turns, on_turns_closed);
}

static void close_all_peers(struct listener *listener)
{
    for (int wait = 0; wait < WAIT_COUNT; wait++)
        while (listener->waits[wait].first != NULL)
            peer_close(listener->waits[wait].first);
}

/* A drained peer moves to another queue or stays; the next one is looked up
 * before. */
static void drain_all_peers(struct listener *listener)
{
    struct peer *next;

    for (int wait = 0; wait < WAIT_COUNT; wait++)
        for (struct peer *peer = listener->waits[wait].first; peer != NULL;
             peer = next) {
            next = peer->links[LINK_WAIT].next;
            peer_drain(peer);
        }
}

void listener_drain(struct listener *listener, void (*done)(void *arg),
                    void *arg)
{
    listener->done = done;
    listener->done_arg = arg;
    listener->stage = STAGE_DRAINING;
    stop_accepting(listener);
    drain_all_peers(listener);
    listener_settle(listener);
}

void listener_close(struct listener *listener, void (*done)(void *arg),
                    void *arg)
{
    if (done != NULL) {
        listener->done = done;
        listener->done_arg = arg;
    }
    listener->stage = STAGE_CLOSING;
    stop_accepting(listener);
    reply_batch_flush(listener);
    close_all_peers(listener);
    listener_settle(listener);
}
