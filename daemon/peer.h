/* SPDX-License-Identifier: Apache-2.0 */
/* One connection: what is read from it, held back, and sent to it. */
#ifndef SERRIED_DAEMON_PEER_H
#define SERRIED_DAEMON_PEER_H

#include "daemon/listener_state.h"

/* Why a peer is not read; it is when there is no reason left. */
enum peer_hold {
    HOLD_CALLS = 1,   /* calls_per_peer are in flight */
    HOLD_ALL = 2,     /* calls_max are; it is in listener.held */
    HOLD_BACKLOG = 4, /* it does not read its replies */
    HOLD_TURN = 8,    /* it had its turn; it is in listener.ready */
    HOLD_DRAIN = 16,  /* for good */
};

/* Bytes on their way out. */
struct outgoing {
    uint8_t *data;
    size_t len, cap;
};

struct peer {
    union {
        uv_handle_t handle;
        uv_stream_t stream;
        uv_tcp_t tcp;
        uv_pipe_t pipe;
    } uv; /* .data is this */
    struct listener *listener;
    struct peer_identity identity;
    struct peer_link links[LINK_KINDS];
    enum peer_wait wait;
    uint64_t since_ms; /* in that wait */
    unsigned holds;    /* of enum peer_hold */
    bool reading;      /* uv_read_start() holds */
    bool taking;       /* peer_take() is on the stack */
    bool leaving;      /* all was sent: input is thrown away until it closes */
    bool closing;

    struct sp_reader reader;
    struct call_handle *calls;
    uint32_t ncalls;
    uint32_t batched;        /* writes in listener.batch */
    struct outgoing sending; /* in write; untouched until it is done */
    struct outgoing waiting; /* gathers behind it */
    uv_write_t write;
    size_t accounted_bytes; /* of the above in counts.buffered_bytes */
};

/* Takes a connected socket and greets; on failure fd is closed. */
void peer_open(struct listener *listener, int fd,
               const struct peer_identity *identity);

/* Ends it now. Its memory goes when the loop has closed it. */
void peer_close(struct peer *peer);

/* Goes on with what was kept, then with reading. */
void peer_resume(struct peer *peer);

/* What it owed is overdue. */
void peer_expire(struct peer *peer);

/* No more input; it goes when its calls are answered and sent. */
void peer_drain(struct peer *peer);

/* One of its calls ended, its reply sent or waiting. */
void peer_call_ended(struct peer *peer);

/* The reply to call: written at the end of the turn, a large one at once; what
 * the socket does not take waits. */
void peer_reply(struct peer *peer, const struct call_handle *call,
                const void *bytes, size_t len);

/* ---- between the files of a peer ----------------------------------------- */

/* Tells, counts and closes. */
void peer_refuse(struct peer *peer, enum listener_event event, const char *fmt,
                 ...) __attribute__((format(printf, 3, 4)));

/* Counts its buffers; closes it when it is one too many. */
void peer_account(struct peer *peer);

/* Puts it in the queue of what it owes now. progressed: that wait begins anew
 * though it is the same. */
void peer_watch(struct peer *peer, enum peer_wait progressed);

void peer_release(struct peer *peer, enum peer_hold why);

/* Reads from it, or not, as what holds it says. */
void peer_set_reading(struct peer *peer);

/* Leaves a drained peer that has nothing left to get. */
void peer_settle(struct peer *peer);

size_t peer_backlog(const struct peer *peer); /* bytes not yet taken */

/* Writes the pieces behind what waits; what is not taken waits too. */
void peer_write(struct peer *peer, const uv_buf_t *bufs, unsigned n_bufs);

/* Its batch was written: goes on as that ended. */
void peer_written(struct peer *peer);

/* Sends what waits. */
void peer_flush(struct peer *peer);

#endif
