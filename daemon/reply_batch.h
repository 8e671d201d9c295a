/* SPDX-License-Identifier: Apache-2.0 */
/* Replies of one turn of the loop, written together at its end. */
#ifndef SERRIED_DAEMON_REPLY_BATCH_H
#define SERRIED_DAEMON_REPLY_BATCH_H

#include <stddef.h>
#include <stdint.h>

struct listener;
struct peer;

/* A client that serves many connections and sleeps is woken by the first reply
 * and finds the others there; written one by one while requests are read, each
 * would wake it and be preempted by it. The first of 64 replies waits for the
 * calls behind it: some 0.1 ms. */
enum {
    BATCH_WRITES = 64,
    BATCH_BYTES = 64 << 10,
    BATCH_REPLY_BYTES = 4096, /* what copying costs less than its own write */
};

/* Framed replies one behind the other; those of a peer that follow each other
 * are one write. */
struct reply_batch {
    struct batch_write {
        struct peer *peer; /* NULL: it went */
        uint32_t len, replies;
    } writes[BATCH_WRITES];
    size_t n, len;
    uint8_t bytes[BATCH_BYTES];
};

/* Adds a reply of at most BATCH_REPLY_BYTES, frame and body. */
void reply_batch_add(struct peer *peer, const uint8_t *frame, size_t frame_len,
                     const void *body, size_t len);

/* Writes them, each as far as its socket takes it; the rest waits in the peer.
 */
void reply_batch_flush(struct listener *listener);

/* The peer goes: its replies are dropped, and counted so. */
void reply_batch_forget(struct peer *peer);

#endif
