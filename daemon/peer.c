/* SPDX-License-Identifier: Apache-2.0 */
/* The way in: reading, holding back, deadlines, closing. */
#include "daemon/peer.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

/* Calls a peer gets in one turn. 64 of 5 us hold the others up for 0.3 ms. */
enum { TURN_CALLS = 64 };

static struct peer *of_handle(const uv_handle_t *handle)
{
    return handle->data;
}

/* ---- closing ------------------------------------------------------------ */

static void on_closed(uv_handle_t *handle)
{
    struct peer *peer = of_handle(handle);
    struct listener *listener = peer->listener;

    sp_reader_close(&peer->reader);
    free(peer->sending.data);
    free(peer->waiting.data);
    listener->counts.buffered_bytes -= peer->accounted_bytes;
    free(peer);
    listener->open_handles--;
    listener_settle(listener);
}

void peer_close(struct peer *peer)
{
    if (peer->closing)
        return;
    peer->closing = true;
    peer_list_remove(peer, LINK_WAIT);
    peer_list_remove(peer, LINK_TURN);
    reply_batch_forget(peer);
    call_handle_orphan_all(peer);
    peer->listener->counts.connections--;
    uv_close(&peer->uv.handle, on_closed);
}

void peer_refuse(struct peer *peer, enum listener_event event, const char *fmt,
                 ...)
{
    char text[256];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    if (event == LISTENER_GARBAGE)
        peer->listener->counts.garbage++;
    else
        peer->listener->counts.closed++;
    peer_close(peer);
    listener_tell(peer->listener, event, "%s", text);
}

/* Small buffers are always granted: they are bounded by the connections. */
void peer_account(struct peer *peer)
{
    struct listener *listener = peer->listener;
    size_t *total = &listener->counts.buffered_bytes;
    size_t now = peer->reader.cap + peer->sending.cap + peer->waiting.cap;
    bool more = now > peer->accounted_bytes && now > 3 * SP_KEEP_BYTES;

    *total += now - peer->accounted_bytes;
    peer->accounted_bytes = now;
    if (!more || *total <= listener->options.buffers_bytes || peer->closing)
        return;
    peer_refuse(peer, LISTENER_MEMORY,
                "peer %s: closed, as messages and replies under way already "
                "take %zu bytes; fewer or smaller ones at a time would fit",
                peer->identity.address, *total);
}

/* ---- deadlines ---------------------------------------------------------- */

static enum peer_wait owes(const struct peer *peer)
{
    if (peer->leaving)
        return WAIT_LEAVE;
    if (!peer->reader.greeted)
        return WAIT_GREETING;
    if (peer_backlog(peer) > 0)
        return WAIT_OUTPUT;
    if (peer->holds == 0 && sp_kept(&peer->reader) > 0)
        return WAIT_MESSAGE;
    return peer->ncalls == 0 && peer->holds == 0 ? WAIT_IDLE : WAIT_NOTHING;
}

void peer_watch(struct peer *peer, enum peer_wait progressed)
{
    struct listener *listener = peer->listener;
    enum peer_wait wait = owes(peer);

    if (wait == peer->wait && wait != progressed && wait != WAIT_IDLE)
        return;
    peer->wait = wait;
    peer->since_ms = uv_now(listener->loop);
    peer_list_remove(peer, LINK_WAIT);
    peer_list_add(&listener->waits[wait], peer);
}

void peer_expire(struct peer *peer)
{
    static const struct {
        enum listener_event event;
        const char *what;
    } overdue[WAIT_COUNT] = {
        [WAIT_GREETING] = { LISTENER_SLOW, "did not greet" },
        [WAIT_MESSAGE] = { LISTENER_SLOW, "did not finish its message" },
        [WAIT_OUTPUT] = { LISTENER_SLOW, "did not read its replies" },
        [WAIT_IDLE] = { LISTENER_IDLE, "made no call" },
    };
    struct listener *listener = peer->listener;
    enum peer_wait wait = peer->wait;

    if (overdue[wait].what == NULL) {
        peer_close(peer);
        return;
    }
    peer_refuse(peer, overdue[wait].event, "peer %s %s within %u ms; closed",
                peer->identity.address, overdue[wait].what,
                listener->wait_ms[wait]);
}

/* ---- holding back ------------------------------------------------------- */

static void take_turn_later(struct peer *peer)
{
    peer_list_remove(peer, LINK_TURN);
    peer_list_add(&peer->listener->ready, peer);
    listener_wake_turns(peer->listener);
}

void peer_release(struct peer *peer, enum peer_hold why)
{
    if ((peer->holds & why) == 0)
        return;
    peer->holds &= ~(unsigned)why;
    if (peer->holds == 0 && !peer->taking)
        take_turn_later(peer);
}

/* Whether the next message may be taken; notes why not. */
static bool may_take(struct peer *peer)
{
    struct listener *listener = peer->listener;

    if (peer->closing)
        return false;
    if (peer->ncalls >= listener->options.calls_per_peer)
        peer->holds |= HOLD_CALLS;
    if (listener->counts.in_flight >= listener->options.calls_max &&
        (peer->holds & HOLD_ALL) == 0 && peer->reader.greeted) {
        peer->holds |= HOLD_ALL;
        peer_list_remove(peer, LINK_TURN);
        peer_list_add(&listener->held, peer);
    }
    return peer->holds == 0;
}

/* ---- taking messages ---------------------------------------------------- */

static void take_call(struct peer *peer, const struct sp_message *message)
{
    struct listener *listener = peer->listener;
    struct call_handle *call =
        call_handle_open(peer, message->trace, message->trace_len);

    if (call == NULL) {
        peer_refuse(peer, LISTENER_MEMORY,
                    "peer %s: no memory for its call; closed",
                    peer->identity.address);
        return;
    }
    listener->options.on_call(listener->options.arg, call, &peer->identity,
                              message->body, message->body_len);
}

static void take_fault(struct peer *peer, enum sp_event event)
{
    struct listener *listener = peer->listener;
    const char *address = peer->identity.address;

    if (event == SP_MALFORMED) {
        listener->counts.garbage++;
        listener_tell(listener, LISTENER_MALFORMED, "peer %s %s; skipped",
                      address, sp_event_text(event));
    } else if (event == SP_TOO_LARGE) {
        peer_refuse(peer, LISTENER_TOO_LARGE, "peer %s %s of %zu bytes; closed",
                    address, sp_event_text(event), peer->reader.message_max);
    } else if (event == SP_NO_MEMORY) {
        peer_refuse(peer, LISTENER_MEMORY, "peer %s %s; closed", address,
                    sp_event_text(event));
    } else {
        peer_refuse(peer, LISTENER_GARBAGE, "peer %s %s; closed", address,
                    sp_event_text(event));
    }
}

/* Takes messages until the input ends, which ret_all tells, or a bound or the
 * turn; returns how many came. */
static unsigned take_some(struct peer *peer, struct sp_input *input,
                          bool *ret_all)
{
    unsigned taken = 0;

    while (taken < TURN_CALLS && may_take(peer)) {
        struct sp_message message;
        enum sp_event event = sp_next(&peer->reader, input, &message);

        peer_account(peer);
        *ret_all = event == SP_MORE;
        if (*ret_all || peer->closing)
            break;
        if (event == SP_GREETED)
            continue;
        taken++;
        if (event == SP_MESSAGE)
            take_call(peer, &message);
        else
            take_fault(peer, event);
    }
    return taken;
}

static void on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *buf);
static void on_read(uv_stream_t *stream, ssize_t n, const uv_buf_t *buf);

/* Reads exactly while nothing holds it. */
void peer_set_reading(struct peer *peer)
{
    bool wanted = peer->leaving || peer->holds == 0;

    if (wanted == peer->reading)
        return;
    peer->reading = wanted;
    if (!wanted)
        uv_read_stop(&peer->uv.stream);
    else if (uv_read_start(&peer->uv.stream, on_alloc, on_read) < 0)
        peer_close(peer);
}

/* Who has more to take and nothing against it comes again at the next turn; a
 * hold brings it back by itself when it is released. */
static void end_turn(struct peer *peer, bool all)
{
    if (peer->holds != 0 || all)
        return;
    peer->holds = HOLD_TURN;
    take_turn_later(peer);
}

/* All that follows from input, or from being let go on without any. */
static void take(struct peer *peer, struct sp_input *input)
{
    unsigned taken;
    bool all = false;

    peer->taking = true;
    taken = take_some(peer, input, &all);
    peer->taking = false;
    if (!peer->closing && !sp_keep(&peer->reader, input))
        take_fault(peer, SP_NO_MEMORY);
    if (!peer->closing)
        peer_account(peer);
    if (peer->closing)
        return;
    end_turn(peer, all);
    peer_watch(peer, taken > 0 ? WAIT_MESSAGE : WAIT_COUNT);
    peer_settle(peer);
    if (!peer->closing)
        peer_set_reading(peer);
}

void peer_resume(struct peer *peer)
{
    struct sp_input none = { 0 };

    peer->holds &= ~(unsigned)HOLD_TURN;
    if (peer->holds == 0)
        take(peer, &none);
}

void peer_call_ended(struct peer *peer)
{
    if (peer->ncalls < peer->listener->options.calls_per_peer)
        peer_release(peer, HOLD_CALLS);
    if (peer->taking)
        return;
    peer_watch(peer, WAIT_COUNT);
    if (peer->holds != 0)
        peer_set_reading(peer);
    if (!peer->closing)
        peer_settle(peer);
}

/* ---- the stream --------------------------------------------------------- */

/* At calls_max nothing is read, rather than read and kept. */
static void on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *buf)
{
    struct peer *peer = of_handle(handle);
    struct listener *listener = peer->listener;

    (void)suggested;
    *buf = uv_buf_init((char *)listener->read_buffer, READ_BYTES);
    if (!peer->leaving && !may_take(peer))
        buf->len = 0;
}

static void on_read(uv_stream_t *stream, ssize_t n, const uv_buf_t *buf)
{
    struct peer *peer = of_handle((const uv_handle_t *)stream);
    struct sp_input input;

    if (n == UV_ENOBUFS && !peer->closing && peer->holds != 0) {
        peer_watch(peer, WAIT_COUNT);
        peer_set_reading(peer);
        return;
    }
    if (n < 0) {
        peer_close(peer);
        return;
    }
    if (n == 0 || peer->leaving)
        return;
    input = (struct sp_input){ (const uint8_t *)buf->base, (size_t)n };
    take(peer, &input);
}

/* ---- beginning and end -------------------------------------------------- */

static int adopt_socket(struct peer *peer, int fd)
{
    uv_loop_t *loop = peer->listener->loop;
    int rc;

    if (peer->identity.local) {
        rc = uv_pipe_init(loop, &peer->uv.pipe, 0);
        return rc < 0 ? rc : uv_pipe_open(&peer->uv.pipe, fd);
    }
    rc = uv_tcp_init(loop, &peer->uv.tcp);
    return rc < 0 ? rc : uv_tcp_open(&peer->uv.tcp, fd);
}

void peer_open(struct listener *listener, int fd,
               const struct peer_identity *identity)
{
    struct peer *peer = calloc(1, sizeof(*peer));
    uv_buf_t greeting =
        uv_buf_init((char *)(uintptr_t)sp_greeting, SP_GREETING_BYTES);
    int rc;

    if (peer == NULL) {
        close(fd);
        return;
    }
    peer->listener = listener;
    peer->identity = *identity;
    peer->wait = WAIT_COUNT;
    sp_reader_init(&peer->reader, identity->local,
                   listener->options.message_bytes_max);
    rc = adopt_socket(peer, fd);
    peer->uv.handle.data = peer;
    listener->open_handles++;
    listener->counts.connections++;
    listener->counts.accepted++;
    if (rc < 0)
        close(fd);
    if (rc < 0 ||
        uv_try_write(&peer->uv.stream, &greeting, 1) != SP_GREETING_BYTES) {
        peer_close(peer);
        return;
    }
    peer_watch(peer, WAIT_GREETING);
    listener_wake_tick(listener);
    peer_set_reading(peer);
}
