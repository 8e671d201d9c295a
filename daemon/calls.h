/* SPDX-License-Identifier: Apache-2.0 */
/* All RPCs in progress: from the bytes of a request to those of its answer. */
#ifndef SERRIED_DAEMON_CALLS_H
#define SERRIED_DAEMON_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <uv.h>

#include "base/error.h"

struct access;
struct daemon;
struct log;
struct origin;
struct rpc;
struct settings;
struct call_handle; /* the transport's name for a call */

/* Everything is borrowed and outlives the calls. */
struct calls_options {
    uv_loop_t *loop;
    struct daemon *daemon; /* handed to handlers; not looked at */
    struct rpc *rpc;
    const struct settings *settings; /* call_bytes, deadline_ms */
    const struct log *log;
    /* Who may call what, as it is now; NULL: everybody may call everything. */
    struct access *const *access;
    /* A call was refused by it; NULL: not told. */
    void (*denied)(struct daemon *daemon, const char *who, const char *method,
                   const char *why);
    /* Sends an answer; called exactly once for each handle. */
    void (*send)(struct call_handle *handle, const void *bytes, size_t len);
    /* Whether somebody still waits for it. */
    bool (*wanted)(const struct call_handle *handle);
};

enum {
    /* A nanomsg client takes messages of 1 MiB with their frame, and asks
     * again for ever when it gets a larger one. */
    CALL_ANSWER_BYTES = (1 << 20) - 64,
    CALL_WHO_BYTES = 80,
};

struct calls;

struct calls *calls_new(const struct calls_options *options, struct error *err);

/* Frees calls, and those that their handlers have not ended; its timer ends on
 * the loop. No answer may be wanted any more. NULL is allowed. */
void calls_close(struct calls *calls);

/* A request came: body is a packed serried.v1.Call, lent until this returns. */
void calls_begin(struct calls *calls, struct call_handle *handle,
                 const struct origin *from, const void *body, size_t len);

/* From now on new calls are refused UNAVAILABLE, and those that are idle
 * (call_set_idle()) end so at once; others go on. */
void calls_drain(struct calls *calls);

/* Answers UNAVAILABLE to every call that has no answer yet; their handlers may
 * still end them. */
void calls_cut(struct calls *calls);

/* Calls whose handler has not ended them. */
uint32_t calls_in_progress(const struct calls *calls);

/* Calls waiting for their answer. */
uint32_t calls_waiting(const struct calls *calls);

/* Forgets memory kept for reuse: after call_bytes changed. */
void calls_trim(struct calls *calls);

#endif
