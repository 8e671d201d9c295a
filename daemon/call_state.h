/* SPDX-License-Identifier: Apache-2.0 */
/* The insides of a call, shared by call.c and calls.c. */
#ifndef SERRIED_DAEMON_CALL_STATE_H
#define SERRIED_DAEMON_CALL_STATE_H

#include "daemon/call.h"
#include "daemon/calls.h"
#include "daemon/envelope.h"
#include "daemon/rpc.h"
#include "proto/serried.pb-c.h"

/* Lives in its own arena. handle is NULL once it is answered; ended is set once
 * its handler is done with it. It is released when both are so. */
struct call {
    struct calls *calls;
    struct arena *arena;
    struct call_handle *handle;
    struct envelope envelope;  /* empty: it could not be read */
    struct rpc_method *method; /* NULL: there is none */
    uint64_t deadline;         /* in the loop's milliseconds */
    uint64_t began_ns;         /* 0: it is not logged */
    void (*on_end)(void *arg);
    void *on_end_arg;
    bool idle;
    bool ended;
    bool beginning; /* calls_begin() is on the stack and releases it */
    bool listed;    /* in calls' list */
    struct call *next, *previous;
    const char *placement; /* the only one it may speak of; NULL: any */
    char who[CALL_WHO_BYTES];
};

/* Arenas of small calls are kept for the next ones. */
enum { CALLS_KEPT = 64 };

struct calls {
    struct calls_options options;
    uv_timer_t timer; /* runs while a call is listed; timer.data is this */
    uint64_t timer_due;
    struct call *first; /* calls that outlived calls_begin() */
    uint32_t in_progress, waiting;
    bool draining;
    struct arena *kept[CALLS_KEPT];
    size_t n_kept;
};

/* Counts and logs the answer of a call. */
void call_count(struct call *call, enum status status);

/* Takes the call out of the world, unless calls_begin() will. */
void call_release(struct call *call);

/* Answers a call over its handler's head; it goes on existing. */
void call_answer_early(struct call *call, const struct error *err);

#endif
