/* SPDX-License-Identifier: Apache-2.0 */
/* Service Admin: how the daemon is, and what happened. */
#include <stdlib.h>

#include "daemon/daemon.h"
#include "daemon/handlers.h"
#include "daemon/reply.h"

void rpc_status(Serried__V1__Admin_Service *service,
                const Serried__V1__StatusRequest *request,
                Serried__V1__StatusReply_Closure reply, void *closure_data)
{
    struct call *call = closure_data;
    struct daemon *daemon = call_daemon(call);
    struct state *state = daemon_state(daemon);
    Serried__V1__StatusReply out = SERRIED__V1__STATUS_REPLY__INIT;
    Serried__V1__Generation position = SERRIED__V1__GENERATION__INIT;
    struct daemon_status status;

    (void)service;
    (void)request;
    (void)reply;
    daemon_get_status(daemon, &status);
    out.version = reply_text(PACKAGE_VERSION);
    out.position = &position;
    reply_generation(&position, state_position(state));
    out.has_started_ms = out.has_models = out.has_runtimes = true;
    out.has_placements = out.has_connections = out.has_calls = true;
    out.has_refused_calls = out.has_calls_in_flight = true;
    out.has_descriptors = out.has_draining = true;
    out.started_ms = status.started_ms;
    out.address = reply_text(status.address);
    out.models = (uint32_t)state_force_count(state, DOCUMENT_MODEL);
    out.runtimes = (uint32_t)state_force_count(state, DOCUMENT_RUNTIME);
    out.placements = (uint32_t)state_live_count(state);
    out.connections = status.connections;
    out.calls = status.calls;
    out.refused_calls = status.refused_calls;
    out.calls_in_flight = status.calls_in_flight;
    out.descriptors = (uint32_t)status.descriptors;
    out.draining = status.draining;
    call_reply(call, &out.base);
}

/* ---- events -------------------------------------------------------------- */

/* A call that waits for the store's history. */
struct history {
    struct call *call; /* NULL: ended over our head */
    struct store_pos pos;
};

static void ended(void *arg)
{
    struct history *history = arg;

    history->call = NULL;
}

static int fill_events(struct arena *arena, const struct store_event *events,
                       size_t n, uint64_t epoch, Serried__V1__EventsReply *out)
{
    out->events = arena_array(arena, n + 1, sizeof(*out->events));
    for (size_t i = 0; out->events != NULL && i < n; i++) {
        Serried__V1__Event *e = arena_alloc(arena, sizeof(*e));
        Serried__V1__Generation *pos = arena_alloc(arena, sizeof(*pos));

        if (e == NULL || pos == NULL)
            return -1;
        serried__v1__event__init(e);
        serried__v1__generation__init(pos);
        reply_generation(pos, (struct store_pos){ epoch, events[i].rev });
        e->position = pos;
        e->has_sequence = e->has_time_ms = true;
        e->sequence = events[i].seq;
        e->time_ms = events[i].time_ms;
        e->who = reply_text(events[i].who);
        e->what = reply_text(events[i].what);
        e->subject = reply_text(events[i].subject);
        e->detail = reply_text(events[i].detail);
        out->events[out->n_events++] = e;
    }
    return out->events != NULL ? 0 : -1;
}

static void got_history(void *arg, enum store_result result,
                        const struct store_event *events, size_t n)
{
    struct history *history = arg;
    Serried__V1__EventsReply out = SERRIED__V1__EVENTS_REPLY__INIT;
    struct error err;

    if (history->call != NULL) {
        if (result != STORE_OK)
            store_result_error(result, &err);
        else if (fill_events(call_arena(history->call), events, n,
                             history->pos.epoch, &out) < 0)
            error_exhausted(&err);
        if (result != STORE_OK || out.n_events < n)
            call_refuse(history->call, &err, NULL);
        else
            call_reply(history->call, &out.base);
    }
    free(history);
}

void rpc_events(Serried__V1__Admin_Service *service,
                const Serried__V1__EventsRequest *request,
                Serried__V1__EventsReply_Closure reply, void *closure_data)
{
    struct call *call = closure_data;
    struct daemon *daemon = call_daemon(call);
    struct history *history = calloc(1, sizeof(*history));
    size_t limit = request->has_limit ? request->limit : 100;
    struct error err;

    (void)service;
    (void)reply;
    if (limit > STORE_HISTORY_MAX)
        limit = STORE_HISTORY_MAX;
    if (history == NULL) {
        error_exhausted(&err);
        call_refuse(call, &err, NULL);
        return;
    }
    history->call = call;
    history->pos = state_position(daemon_state(daemon));
    if (store_history(daemon_store(daemon), request->before, NULL, limit,
                      got_history, history, &err) < 0) {
        free(history);
        call_refuse(call, &err, NULL);
        return;
    }
    call_on_end(call, ended, history);
}
