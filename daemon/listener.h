/* SPDX-License-Identifier: Apache-2.0 */
/* Serves SP requests (nanomsg's REQ) on libuv streams, tcp and unix. */
#ifndef SERRIED_DAEMON_LISTENER_H
#define SERRIED_DAEMON_LISTENER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <uv.h>

#include "base/error.h"

/* One address that peers connect to. Everything here belongs to the loop's
 * thread. The program ignores SIGPIPE: libuv writes with plain writev(). */
struct listener;

/* One request that waits for its reply. */
struct call_handle;

/* What went wrong with a peer or the socket; each closes the peer it is about
 * except PAUSED and MALFORMED. */
/* clang-format off */
#define LISTENER_EVENT_LIST(X)                                               \
    X(FULL,        "full")        /* over connections_max: closed at once */ \
    X(DESCRIPTORS, "descriptors") /* none left; PAUSED follows */            \
    X(PAUSED,      "paused")      /* accepting stops for 100 ms */           \
    X(GARBAGE,     "garbage")     /* not SP, not REQ */                      \
    X(MALFORMED,   "malformed")   /* a message without request id: skipped */\
    X(TOO_LARGE,   "too large")   /* REQ will come back with it, and again */\
    X(SLOW,        "slow")        /* greeting, message or reply overdue */   \
    X(IDLE,        "idle")        /* no call for idle_ms */                  \
    X(MEMORY,      "memory")      /* buffers_bytes are in use, or none left */
/* clang-format on */

enum listener_event {
#define X(name, text) LISTENER_##name,
    LISTENER_EVENT_LIST(X)
#undef X
        LISTENER_EVENTS
};

const char *listener_event_name(enum listener_event event);

/* Who sent a request. */
struct peer_identity {
    char address[64]; /* "127.0.0.1:40112", "[::1]:40112", "uid 0 pid 12" */
    bool loopback;    /* tcp from this machine */
    bool local;       /* a unix socket: the kernel vouches for the rest */
    uid_t uid;
    gid_t gid;
    pid_t pid;
};

/* A request came. body is lent until this returns; the call is to be ended by
 * one call_handle_reply(), here or at any later time. */
typedef void (*listener_call_fn)(void *arg, struct call_handle *call,
                                 const struct peer_identity *from,
                                 const void *body, size_t len);

/* Something to log: text is one sentence. Each kind is told at most once in
 * event_ms; the text then says how many were kept back. */
typedef void (*listener_event_fn)(void *arg, enum listener_event event,
                                  const char *text);

#define LISTENER_NEVER UINT32_MAX

/* Where 0 is written, the default beside it holds. Bounds are this listener's;
 * a message or reply is counted as it is on the wire, trace included. */
struct listener_options {
    const char *address;        /* tcp://127.0.0.1:PORT, tcp://[::1]:PORT,
                                   ipc:///PATH or /PATH; port 0: any */
    uint32_t connections_max;   /* 20000 or the descriptor limit, less 64 */
    uint32_t calls_per_peer;    /* 64; at it the peer is not read */
    uint32_t calls_max;         /* 16384; at it no peer is read */
    uint32_t message_bytes_max; /* 1 MiB; one that announces more is closed */
    uint32_t greet_ms;          /* 1 s from accept to a whole greeting */
    uint32_t stall_ms;          /* 30 s for one message to come whole, and for
                                   what is buffered for a peer to go */
    uint32_t idle_ms;           /* 10 min without a call; LISTENER_NEVER */
    uint32_t backlog_bytes;     /* 4 MiB of replies; over it no reading */
    size_t buffers_bytes;       /* 256 MiB for all peers; who asks for more
                                   is closed */
    uint32_t event_ms;          /* 1 s */
    bool remote;                /* tcp addresses may be any of this machine */
    mode_t socket_mode;         /* 0600; of a unix socket */
    bool has_group;
    gid_t socket_group;
    listener_call_fn on_call;
    listener_event_fn on_event;
    void *arg;
};

/* What happened so far, and what is. */
struct listener_counts {
    uint32_t connections, in_flight; /* now */
    size_t buffered_bytes;           /* now, of all peers */
    uint64_t accepted, calls, replies;
    uint64_t refused; /* connections closed at a bound */
    uint64_t garbage; /* peers and messages that are not SP REQ */
    uint64_t dropped; /* replies whose peer had gone */
    uint64_t closed;  /* peers ended by us: too large, slow, idle, memory */
};

/* Binds and listens. A unix socket that nobody listens on is replaced; a live
 * one, and any other file, stays.
 *   STATUS_INVALID      the address is malformed, too long or not loopback
 *   STATUS_UNAVAILABLE  in use, a foreign file, or the system refuses it */
int listener_open(uv_loop_t *loop, const struct listener_options *options,
                  struct listener **ret_listener, struct error *err);

/* The tcp port, 0 for unix; the address with its real port. */
uint16_t listener_port(const struct listener *listener);
const char *listener_address(const struct listener *listener);

void listener_count(const struct listener *listener,
                    struct listener_counts *ret_counts);

/* Ends the call: sends bytes, which stay the caller's, to who asked. A peer
 * that has gone gets nothing. A nanomsg client takes up to 1 MiB unless told
 * otherwise, and repeats its request for ever when sent more: keep below. */
void call_handle_reply(struct call_handle *call, const void *bytes, size_t len);

/* Whether somebody still waits for the reply. */
bool call_handle_wanted(const struct call_handle *call);

/* Accepts and reads no more, lets calls in flight be answered and replies go
 * out, then closes. done (or NULL) is called from the loop when nothing is
 * left; listener is gone then. */
void listener_drain(struct listener *listener, void (*done)(void *arg),
                    void *arg);

/* The same at once: connections are cut. Calls in flight must still be ended,
 * before done. After listener_drain() it cuts that short; a NULL done leaves
 * the one given there. */
void listener_close(struct listener *listener, void (*done)(void *arg),
                    void *arg);

#endif
