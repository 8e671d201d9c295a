/* SPDX-License-Identifier: Apache-2.0 */
/* Replies of one turn of the loop, written together at its end. */
#include "daemon/reply_batch.h"

#include <string.h>

#include "daemon/peer.h"

/* The write that a reply of peer is added to. */
static struct batch_write *write_for(struct peer *peer)
{
    struct reply_batch *batch = &peer->listener->batch;
    struct batch_write *last = batch->writes + batch->n;

    if (batch->n > 0 && last[-1].peer == peer)
        return last - 1;
    *last = (struct batch_write){ .peer = peer };
    batch->n++;
    peer->batched++;
    return last;
}

void reply_batch_add(struct peer *peer, const uint8_t *frame, size_t frame_len,
                     const void *body, size_t len)
{
    struct reply_batch *batch = &peer->listener->batch;
    struct batch_write *write;
    uint8_t *to;

    if (batch->n == BATCH_WRITES || BATCH_BYTES - batch->len < frame_len + len)
        reply_batch_flush(peer->listener);
    if (peer->closing) /* it went meanwhile */
        return;
    write = write_for(peer);
    write->len += (uint32_t)(frame_len + len);
    write->replies++;
    to = batch->bytes + batch->len;
    memcpy(to, frame, frame_len);
    if (len > 0)
        memcpy(to + frame_len, body, len);
    batch->len += frame_len + len;
}

void reply_batch_flush(struct listener *listener)
{
    struct reply_batch *batch = &listener->batch;
    size_t at = 0;

    for (size_t i = 0; i < batch->n; i++) {
        struct batch_write *write = &batch->writes[i];
        struct peer *peer = write->peer;
        uv_buf_t buf =
            uv_buf_init((char *)batch->bytes + at, (unsigned)write->len);

        at += write->len;
        if (peer == NULL)
            continue;
        peer_write(peer, &buf, 1);
        if (peer->closing)
            continue;
        write->peer = NULL;
        peer->batched--;
        peer_written(peer);
    }
    batch->n = batch->len = 0;
}

void reply_batch_forget(struct peer *peer)
{
    struct listener *listener = peer->listener;
    struct reply_batch *batch = &listener->batch;

    if (peer->batched == 0)
        return;
    for (size_t i = 0; i < batch->n; i++) {
        struct batch_write *write = &batch->writes[i];

        if (write->peer != peer)
            continue;
        listener->counts.replies -= write->replies;
        listener->counts.dropped += write->replies;
        write->peer = NULL;
    }
    peer->batched = 0;
}
