/* SPDX-License-Identifier: Apache-2.0 */
/* All RPCs in progress: how they begin, wait, and end at their deadline. */
#include "daemon/calls.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "daemon/access.h"
#include "daemon/call_state.h"
#include "daemon/settings.h"

/* A sweep looks at all waiting calls: at 10 ns each and 16,384 of them, 50
 * sweeps a second are 1 % of a processor. Peers that went are noticed once a
 * second. */
enum { SWEEP_LEAST_MS = 20, SWEEP_MOST_MS = 1000 };

/* An arena that grew beyond this is not kept for the next call. */
enum { KEPT_BYTES_MAX = 64 << 10 };

static const struct error stopping = {
    .status = STATUS_UNAVAILABLE,
    .text = "the daemon is stopping; ask again, or ask another",
};

struct calls *calls_new(const struct calls_options *options, struct error *err)
{
    struct calls *calls = calloc(1, sizeof(*calls));

    if (calls == NULL) {
        error_set(err, STATUS_EXHAUSTED, "no memory for calls");
        return NULL;
    }
    calls->options = *options;
    uv_timer_init(options->loop, &calls->timer);
    uv_unref((uv_handle_t *)&calls->timer);
    calls->timer.data = calls;
    return calls;
}

void calls_trim(struct calls *calls)
{
    while (calls->n_kept > 0)
        arena_free(calls->kept[--calls->n_kept]);
}

uint32_t calls_in_progress(const struct calls *calls)
{
    return calls->in_progress;
}

uint32_t calls_waiting(const struct calls *calls)
{
    return calls->waiting;
}

/* ---- the list of calls that wait ------------------------------------------
 */

static void call_list(struct call *call)
{
    struct calls *calls = call->calls;

    call->previous = NULL;
    call->next = calls->first;
    if (call->next != NULL)
        call->next->previous = call;
    calls->first = call;
    call->listed = true;
}

static void call_unlist(struct call *call)
{
    if (!call->listed)
        return;
    if (call->previous != NULL)
        call->previous->next = call->next;
    else
        call->calls->first = call->next;
    if (call->next != NULL)
        call->next->previous = call->previous;
    call->listed = false;
}

/* ---- ending ---------------------------------------------------------------
 */

void call_count(struct call *call, enum status status)
{
    const struct calls_options *options = &call->calls->options;

    call->calls->waiting--;
    rpc_count(options->rpc, call->method, status);
    if (call->began_ns != 0)
        log_line(options->log, LOG_LEVEL_DEBUG,
                 "call ended method=%s who=%s status=%s us=%lu",
                 call_method(call), call->who, status_name(status),
                 (unsigned long)((uv_hrtime() - call->began_ns) / 1000));
}

static void call_free(struct call *call)
{
    struct calls *calls = call->calls;
    struct arena *arena = call->arena;

    call_unlist(call);
    calls->in_progress--;
    if (arena_used(arena) > KEPT_BYTES_MAX || calls->n_kept == CALLS_KEPT) {
        arena_free(arena);
        return;
    }
    arena_reset(arena);
    calls->kept[calls->n_kept++] = arena;
}

void call_release(struct call *call)
{
    assert(call->handle == NULL && call->ended);
    if (!call->beginning)
        call_free(call);
}

/* Ends a call over its handler's head. One that is parked is gone after this;
 * of others the answer only. */
static void call_end_early(struct call *call, const struct error *err)
{
    void (*on_end)(void *arg) = call->on_end;
    void *arg = call->on_end_arg;

    call_answer_early(call, err);
    if (on_end == NULL)
        return;
    call->on_end = NULL;
    call->ended = true;
    on_end(arg);
    call_release(call);
}

void call_on_end(struct call *call, void (*ended)(void *arg), void *arg)
{
    assert(!call->ended && (call->on_end == NULL || ended == NULL));
    call->on_end = ended;
    call->on_end_arg = arg;
}

void call_set_idle(struct call *call)
{
    assert(call->on_end != NULL);
    call->idle = true;
}

static void on_close(uv_handle_t *handle)
{
    free(handle->data);
}

void calls_close(struct calls *calls)
{
    if (calls == NULL)
        return;
    assert(calls->waiting == 0);
    while (calls->first != NULL)
        call_free(calls->first);
    calls_trim(calls);
    uv_close((uv_handle_t *)&calls->timer, on_close);
}

/* ---- deadlines ------------------------------------------------------------
 */

static void on_timer(uv_timer_t *timer);

static void timer_set(struct calls *calls, uint64_t due)
{
    const uint64_t now = uv_now(calls->options.loop);
    uint64_t ms = due > now ? due - now : 0;

    if (ms < SWEEP_LEAST_MS)
        ms = SWEEP_LEAST_MS;
    if (ms > SWEEP_MOST_MS)
        ms = SWEEP_MOST_MS;
    if (uv_is_active((uv_handle_t *)&calls->timer) &&
        calls->timer_due <= now + ms)
        return;
    calls->timer_due = now + ms;
    uv_timer_start(&calls->timer, on_timer, ms, 0);
}

/* Ends a waiting call if it must be; returns whether it is looked at again. */
static bool call_sweep(struct call *call)
{
    const struct calls_options *options = &call->calls->options;
    struct error err;

    if (call_left_ms(call) == 0) {
        error_set(&err, STATUS_DEADLINE,
                  "no answer to %s came before the deadline; ask again with "
                  "more time",
                  call_method(call));
        call_end_early(call, &err);
        return false;
    }
    if (call->on_end != NULL && !options->wanted(call->handle)) {
        error_set(&err, STATUS_UNAVAILABLE, "the peer has gone");
        call_end_early(call, &err);
        return false;
    }
    return true;
}

static void on_timer(uv_timer_t *timer)
{
    struct calls *calls = timer->data;
    uint64_t due = UINT64_MAX;
    struct call *next;

    /* next stays: an ended() forgets its own call and ends no other. */
    for (struct call *call = calls->first; call != NULL; call = next) {
        next = call->next;
        if (call->handle != NULL && call_sweep(call) && call->deadline < due)
            due = call->deadline;
    }
    if (calls->waiting > 0)
        timer_set(calls, due);
}

void calls_drain(struct calls *calls)
{
    struct call *next;

    calls->draining = true;
    for (struct call *call = calls->first; call != NULL; call = next) {
        next = call->next;
        if (call->idle)
            call_end_early(call, &stopping);
    }
}

void calls_cut(struct calls *calls)
{
    struct call *next;

    calls->draining = true;
    for (struct call *call = calls->first; call != NULL; call = next) {
        next = call->next;
        call_end_early(call, &stopping);
    }
}

/* ---- beginning ------------------------------------------------------------
 */

static struct arena *arena_take(struct calls *calls)
{
    if (calls->n_kept > 0)
        return calls->kept[--calls->n_kept];
    return arena_new((size_t)calls->options.settings->call_bytes);
}

static struct call *call_new(struct calls *calls, struct call_handle *handle,
                             const char *who)
{
    const int64_t most = calls->options.settings->deadline_ms;
    struct arena *arena = arena_take(calls);
    struct call *call =
        arena == NULL ? NULL : arena_alloc(arena, sizeof(*call));

    if (call == NULL) {
        arena_free(arena);
        return NULL;
    }
    call->calls = calls;
    call->arena = arena;
    call->handle = handle;
    call->beginning = true;
    if (calls->options.log->level >= LOG_LEVEL_DEBUG)
        call->began_ns = uv_hrtime();
    call->deadline = uv_now(calls->options.loop) + (uint64_t)most;
    memcpy(call->who, who, strnlen(who, sizeof(call->who) - 1));
    calls->in_progress++;
    calls->waiting++;
    return call;
}

/* Whether the caller may call the method; who it is if a token says. */
static int call_admit(struct call *call, const struct origin *from,
                      struct error *err)
{
    const struct calls_options *options = &call->calls->options;
    struct caller caller = { .role = ROLE_NONE };

    if (options->access == NULL)
        return 0;
    if (access_identify(*options->access, from,
                        call_metadata(call, "authorization"), &caller,
                        err) == 0) {
        if (caller.name != NULL)
            snprintf(call->who, sizeof(call->who), "token %s", caller.name);
        if (caller.placement != NULL) /* the tokens may be read again */
            call->placement = arena_strdup(call->arena, caller.placement);
        if (caller.placement != NULL && call->placement == NULL)
            return error_exhausted(err);
        if (caller.role >= call->method->least)
            return 0;
        error_set(err, STATUS_DENIED, "%s may not call %s", call->who,
                  call->method->path);
    }
    return -1;
}

/* Who keeps the door is to know. */
static void tell_denied(const struct call *call, const struct error *err)
{
    const struct calls_options *options = &call->calls->options;

    if (err->status == STATUS_DENIED && call->method != NULL &&
        options->denied != NULL)
        options->denied(options->daemon, call->who, call->method->path,
                        err->text);
}

/* Reads the envelope and hands the call to its handler. -1: refused, nobody
 * has it. */
static int call_start(struct call *call, const struct origin *from,
                      const void *body, size_t len, struct error *err)
{
    struct calls *calls = call->calls;
    const int64_t most = calls->options.settings->deadline_ms;
    const struct envelope *envelope = &call->envelope;

    if (envelope_read(body, len, call->arena, &call->envelope, err) < 0)
        return -1;
    if (envelope->deadline_ms > 0 && envelope->deadline_ms < most)
        call->deadline -= (uint64_t)most - envelope->deadline_ms;
    if (envelope->method == NULL)
        return error_set(err, STATUS_INVALID,
                         "the call names no method, such as "
                         "/serried.v1.Admin/Status");
    if (calls->draining) {
        *err = stopping;
        return -1;
    }
    call->method = rpc_find(calls->options.rpc, envelope->method, err);
    if (call->method == NULL || call_admit(call, from, err) < 0)
        return -1;
    return rpc_invoke(call->method, call, envelope->request,
                      envelope->request_len, err);
}

/* Without memory for a call there is still an answer, without its id. */
static void refuse_without_call(struct calls *calls, struct call_handle *handle)
{
    /* status (field 2) = RESOURCE_EXHAUSTED */
    static const uint8_t answer[] = { 2 << 3, STATUS_EXHAUSTED };

    rpc_count(calls->options.rpc, NULL, STATUS_EXHAUSTED);
    calls->options.send(handle, answer, sizeof(answer));
}

void calls_begin(struct calls *calls, struct call_handle *handle,
                 const struct origin *from, const void *body, size_t len)
{
    struct call *call = call_new(calls, handle, from->who);
    struct error err;

    if (call == NULL) {
        refuse_without_call(calls, handle);
        return;
    }
    if (call_start(call, from, body, len, &err) < 0) {
        tell_denied(call, &err);
        call_refuse(call, &err, NULL);
    }
    call->beginning = false;
    if (call->ended) {
        call_release(call);
        return;
    }
    call_list(call);
    timer_set(calls, call->deadline);
}
