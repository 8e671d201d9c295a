/* SPDX-License-Identifier: Apache-2.0 */
/* What a listener and its peers know of one another. */
#ifndef SERRIED_DAEMON_LISTENER_STATE_H
#define SERRIED_DAEMON_LISTENER_STATE_H

#include "daemon/listen_socket.h"
#include "daemon/listener.h"
#include "daemon/peer_list.h"
#include "daemon/reply_batch.h"
#include "daemon/sp.h"

/* What a peer owes, and by when. Every peer is in exactly one of these queues;
 * in each all wait equally long, so the first is always the next to be due. */
enum peer_wait {
    WAIT_GREETING,
    WAIT_MESSAGE, /* the rest of a message */
    WAIT_OUTPUT,  /* to read what is buffered for it */
    WAIT_IDLE,    /* any call */
    WAIT_LEAVE,   /* everything was sent: to close its side */
    WAIT_NOTHING, /* it is our turn: no deadline */
    WAIT_COUNT
};

enum listener_stage { STAGE_SERVING, STAGE_DRAINING, STAGE_CLOSING };

enum { READ_BYTES = 65536 };

struct call_handle {
    struct listener *listener;
    struct peer *peer; /* NULL: it went */
    struct call_handle *prev, *next;
    bool open;
    uint8_t trace_len;
    uint8_t trace[SP_TRACE_MAX];
};

struct listener {
    struct listener_options options;
    struct listen_socket socket;
    uv_loop_t *loop;
    uv_poll_t accepting; /* on socket.fd */
    uv_timer_t tick;     /* wakes the loop for deadlines, while there are any */
    uv_check_t due;      /* judges deadlines, after the reads of a turn */
    uv_prepare_t send;   /* batch, before the loop waits */
    uv_idle_t turns;     /* peers that may go on; closed last */
    int open_handles;    /* the five above and every peer */
    enum listener_stage stage;
    int reserve_fd;           /* given up to accept and refuse when none left */
    uint64_t accept_again_ms; /* 0: not paused */

    struct peer_list waits[WAIT_COUNT];
    uint32_t wait_ms[WAIT_COUNT];
    struct peer_list ready; /* to go on at the next turn */
    struct peer_list held;  /* by calls_max, first come first served */

    struct call_handle *free_calls;
    uint32_t nfree_calls;
    struct listener_counts counts;
    struct {
        uint64_t last_ms; /* told; 0: never */
        uint64_t kept_back;
    } events[LISTENER_EVENTS];

    void (*done)(void *arg);
    void *done_arg;
    struct reply_batch batch;
    uint8_t read_buffer[READ_BYTES]; /* shared: what is whole is never kept */
};

/* Tells on_event unless that kind was told lately. */
void listener_tell(struct listener *listener, enum listener_event event,
                   const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* Accepts from now on, or again after a pause. */
void listener_accept(struct listener *listener);

/* A deadline may have come to be: the tick runs. */
void listener_wake_tick(struct listener *listener);

/* The ready and the held get a turn. */
void listener_wake_turns(struct listener *listener);

/* A handle was closed or a call ended: goes on with closing if that is what
 * happens, and lets a held peer in. */
void listener_settle(struct listener *listener);

/* A call for peer with the trace copied, or NULL without memory. */
struct call_handle *call_handle_open(struct peer *peer, const uint8_t *trace,
                                     size_t trace_len);

/* The peer goes: its calls go on without it. */
void call_handle_orphan_all(struct peer *peer);

/* Frees what calls were kept for reuse. */
void call_handle_free_spare(struct listener *listener);

#endif
