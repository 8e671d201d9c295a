/* SPDX-License-Identifier: Apache-2.0 */
/* The way out: replies are written, or wait behind one another. */
#include "daemon/peer.h"

#include <stdlib.h>
#include <string.h>

size_t peer_backlog(const struct peer *peer)
{
    return peer->sending.len + peer->waiting.len;
}

/* Forgets the bytes; a large buffer goes back at once. */
static void outgoing_clear(struct outgoing *out)
{
    out->len = 0;
    if (out->cap <= SP_KEEP_BYTES)
        return;
    free(out->data);
    *out = (struct outgoing){ 0 };
}

static bool outgoing_add(struct outgoing *out, const void *bytes, size_t len)
{
    size_t cap = out->cap != 0 ? out->cap : SP_KEEP_BYTES;
    uint8_t *data;

    if (len == 0)
        return true;
    while (cap < out->len + len)
        cap *= 2;
    if (cap != out->cap) {
        data = realloc(out->data, cap);
        if (data == NULL)
            return false;
        out->data = data;
        out->cap = cap;
    }
    memcpy(out->data + out->len, bytes, len);
    out->len += len;
    return true;
}

static void on_written(uv_write_t *write, int status)
{
    struct peer *peer = write->data;

    outgoing_clear(&peer->sending);
    if (peer->closing)
        return;
    peer_account(peer);
    if (status < 0) {
        peer_close(peer);
        return;
    }
    peer_flush(peer);
    if (peer->closing)
        return;
    peer_watch(peer, WAIT_OUTPUT);
    peer_settle(peer);
}

/* Sends what waits, behind what is being sent. */
static void send_waiting(struct peer *peer)
{
    struct outgoing empty = peer->sending;
    uv_buf_t buf;
    int n;

    if (peer->sending.len > 0 || peer->waiting.len == 0)
        return;
    peer->sending = peer->waiting;
    peer->waiting = empty;
    buf = uv_buf_init((char *)peer->sending.data, (unsigned)peer->sending.len);
    n = uv_try_write(&peer->uv.stream, &buf, 1);
    if (n == (int)peer->sending.len) {
        outgoing_clear(&peer->sending);
        peer_account(peer);
        return;
    }
    if (n > 0) {
        buf.base += n;
        buf.len -= (size_t)n;
    }
    peer->write.data = peer;
    if ((n < 0 && n != UV_EAGAIN) ||
        uv_write(&peer->write, &peer->uv.stream, &buf, 1, on_written) < 0)
        peer_close(peer);
}

/* Reading stops above the bound and goes on at half of it, so that a peer on
 * the brink does not stop and go for every reply. */
void peer_flush(struct peer *peer)
{
    size_t bound = peer->listener->options.backlog_bytes;

    send_waiting(peer);
    if (peer->closing)
        return;
    if (peer_backlog(peer) > bound)
        peer->holds |= HOLD_BACKLOG;
    else if (peer_backlog(peer) <= bound / 2)
        peer_release(peer, HOLD_BACKLOG);
}

/* What of the pieces the socket did not take, from byte done on. */
static bool queue_rest(struct peer *peer, const uv_buf_t *bufs, unsigned n_bufs,
                       size_t done)
{
    for (unsigned i = 0; i < n_bufs; i++) {
        const size_t skip = done < bufs[i].len ? done : bufs[i].len;

        if (!outgoing_add(&peer->waiting, bufs[i].base + skip,
                          bufs[i].len - skip))
            return false;
        done -= skip;
    }
    return true;
}

void peer_write(struct peer *peer, const uv_buf_t *bufs, unsigned n_bufs)
{
    int n = UV_EAGAIN;

    if (peer_backlog(peer) == 0)
        n = uv_try_write(&peer->uv.stream, bufs, n_bufs);
    if (n < 0 && n != UV_EAGAIN) {
        peer_close(peer);
        return;
    }
    if (!queue_rest(peer, bufs, n_bufs, n > 0 ? (size_t)n : 0)) {
        peer_refuse(peer, LISTENER_MEMORY,
                    "peer %s: no memory for its replies; closed",
                    peer->identity.address);
        return;
    }
    if (peer->waiting.len == 0)
        return;
    peer_account(peer);
    if (!peer->closing)
        peer_flush(peer);
}

void peer_written(struct peer *peer)
{
    if (peer->taking)
        return;
    if (peer_backlog(peer) > 0) {
        peer_watch(peer, WAIT_COUNT);
        peer_set_reading(peer);
    }
    if (!peer->closing)
        peer_settle(peer);
}

void peer_reply(struct peer *peer, const struct call_handle *call,
                const void *bytes, size_t len)
{
    uint8_t frame[SP_FRAME_MAX];
    size_t frame_len = sp_frame(frame, peer->identity.local, call->trace,
                                call->trace_len, len);
    const uv_buf_t bufs[2] = {
        uv_buf_init((char *)frame, (unsigned)frame_len),
        uv_buf_init((char *)(uintptr_t)bytes, (unsigned)len),
    };

    if (frame_len + len <= BATCH_REPLY_BYTES) {
        reply_batch_add(peer, frame, frame_len, bytes, len);
        return;
    }
    if (peer->batched > 0) /* those go first */
        reply_batch_flush(peer->listener);
    if (!peer->closing)
        peer_write(peer, bufs, 2);
}
