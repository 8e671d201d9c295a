/* SPDX-License-Identifier: Apache-2.0 */
/* The reads of service Placement: listing, watching. */
#include <stdlib.h>
#include <string.h>

#include "daemon/boot.h"
#include "daemon/daemon.h"
#include "daemon/handlers.h"
#include "daemon/page.h"
#include "daemon/reply.h"
#include "daemon/watch.h"
#include "proto/document.h"

/* ---- Suggest ------------------------------------------------------------- */

static int suggest_for(struct call *call,
                       const Serried__V1__SuggestRequest *request,
                       struct tree **ret, size_t *ret_valid, struct error *err)
{
    struct catalog *catalog = state_catalog(daemon_state(call_daemon(call)));
    struct suggest_wants wants = {
        .most = request->most,
        .memory_gib = (double)request->memory_bytes / (1 << 30),
    };
    const struct tree *document =
        reply_read_document(call, request->document, err);

    if (document == NULL ||
        answer_objective(request->objective, &wants.objective, err) < 0)
        return -1;
    if (request->has_memory_bytes && request->memory_bytes == 0)
        return error_set(err, STATUS_INVALID,
                         "memory_bytes is 0; it is above 0, or absent where "
                         "memory does not matter");
    return answer_suggest(catalog, document, &wants, call_arena(call), ret,
                          ret_valid, err);
}

void rpc_suggest(Serried__V1__Placement_Service *service,
                 const Serried__V1__SuggestRequest *request,
                 Serried__V1__SuggestReply_Closure reply, void *closure_data)
{
    struct call *call = closure_data;
    Serried__V1__SuggestReply out = SERRIED__V1__SUGGEST_REPLY__INIT;
    struct text json = { 0 };
    struct tree *found;
    struct error err;
    size_t valid;

    (void)service;
    (void)reply;
    if (suggest_for(call, request, &found, &valid, &err) < 0) {
        call_refuse(call, &err, NULL);
        return;
    }
    if (document_write_json(found, false, &json) < 0) {
        error_exhausted(&err);
        call_refuse(call, &err, NULL);
    } else {
        out.suggestions_json = json.data;
        out.has_valid = true;
        out.valid = (uint32_t)valid;
        call_reply(call, &out.base);
    }
    text_close(&json);
}

/* ---- reading ------------------------------------------------------------- */

static Serried__V1__PlacementInfo *info(struct arena *arena,
                                        struct state *state,
                                        const struct live *live, bool whole)
{
    Serried__V1__PlacementInfo *to = arena_alloc(arena, sizeof(*to));
    Serried__V1__Generation *generation =
        arena_alloc(arena, sizeof(*generation));
    Serried__V1__Document *document = arena_alloc(arena, sizeof(*document));

    if (to == NULL || generation == NULL || document == NULL)
        return NULL;
    serried__v1__placement_info__init(to);
    serried__v1__generation__init(generation);
    serried__v1__document__init(document);
    reply_generation(generation, live->generation);
    to->name = reply_text(live->name);
    to->generation = generation;
    to->state =
        reply_text(live->check != NULL
                       ? boot_state_name(boots_state(state_boots(state), live))
                       : "unreadable");
    to->has_time_ms = true;
    to->time_ms = live->time_ms;
    to->who = reply_text(live->who);
    if (live->check == NULL)
        return to;
    to->model = reply_text(live->check->dep->model);
    to->runtime = reply_text(live->check->rt->name);
    to->runtime_version = reply_text(live->check->rt->version);
    to->has_ranks = to->has_digest = true;
    to->ranks = live->common.n_ranks;
    to->digest =
        (ProtobufCBinaryData){ DIGEST_BYTES, (uint8_t *)live->common.digest };
    if (whole) {
        char *verdict = live_verdict(live, state_inventory(state));

        document->text = reply_text(live->document);
        to->document = document;
        to->n_ports = live->ports.n;
        to->ports = port_list(live, arena);
        to->verdict_json =
            verdict != NULL ? arena_strdup(arena, verdict) : NULL;
        free(verdict);
        if (to->verdict_json == NULL || to->ports == NULL)
            return NULL;
    }
    return to;
}

static bool asks_more(const Serried__V1__GetPlacementRequest *request)
{
    return request->n_lists > 0 || request->all_lists || request->views ||
           request->per_rank || request->creation;
}

/* Puts the verdict with all that is wanted in the place of the short one. */
static int answer_more(struct call *call, const struct live *live,
                       const Serried__V1__GetPlacementRequest *request,
                       Serried__V1__PlacementInfo *out, struct error *err)
{
    const struct verdict_wants wants = {
        .lists = (const char *const *)request->lists,
        .n_lists = request->n_lists,
        .all_lists = request->all_lists,
        .views = request->views,
        .per_rank = request->per_rank,
        .creation = request->creation,
    };
    struct state *state = daemon_state(call_daemon(call));
    char *verdict =
        live_verdict_with(live, state_inventory(state), &wants, err);

    if (verdict == NULL)
        return -1;
    out->verdict_json = arena_strdup(call_arena(call), verdict);
    free(verdict);
    return out->verdict_json != NULL ? 0 : error_exhausted(err);
}

void rpc_get_placement(Serried__V1__Placement_Service *service,
                       const Serried__V1__GetPlacementRequest *request,
                       Serried__V1__PlacementInfo_Closure reply,
                       void *closure_data)
{
    struct call *call = closure_data;
    struct state *state = daemon_state(call_daemon(call));
    Serried__V1__PlacementInfo *out = NULL;
    struct error err;
    const struct live *live =
        state_live(state, request->name != NULL ? request->name : "", &err);

    (void)service;
    (void)reply;
    if (live != NULL) {
        out = info(call_arena(call), state, live, true);
        if (out == NULL)
            error_exhausted(&err);
        else if (live->check != NULL && asks_more(request) &&
                 answer_more(call, live, request, out, &err) < 0)
            out = NULL;
    }
    if (out == NULL)
        call_refuse(call, &err, NULL);
    else
        call_reply(call, &out->base);
}

/* A page of placements while it is made; they come by name. */
struct list {
    struct arena *arena;
    struct state *state;
    struct page page;
    Serried__V1__ListPlacementsReply reply;
    bool is_full, failed;
};

enum { PAGE_OF_PLACEMENTS = 'p' };

static void add_info(void *thing, void *arg)
{
    const struct live *live = thing;
    struct list *list = arg;
    Serried__V1__ListPlacementsReply *reply = &list->reply;
    Serried__V1__PlacementInfo *one;

    if (list->is_full || list->failed ||
        (list->page.after != NULL && strcmp(live->name, list->page.after) <= 0))
        return;
    one = info(list->arena, list->state, live, false);
    if (one == NULL) {
        list->failed = true;
    } else if (page_take(&list->page,
                         serried__v1__placement_info__get_packed_size(one))) {
        reply->placements[reply->n_placements++] = one;
    } else {
        list->is_full = true;
        reply->next_page_token =
            page_token(list->arena, PAGE_OF_PLACEMENTS,
                       reply->placements[reply->n_placements - 1]->name);
        list->failed = reply->next_page_token == NULL;
    }
}

static int list_placements(struct list *list,
                           const Serried__V1__ListPlacementsRequest *request,
                           struct error *err)
{
    if (page_open(&list->page, PAGE_OF_PLACEMENTS, request->page_size,
                  request->page_token, err) < 0)
        return -1;
    list->reply.placements =
        arena_array(list->arena, state_live_count(list->state) + 1,
                    sizeof(*list->reply.placements));
    if (list->reply.placements == NULL)
        return error_exhausted(err);
    state_live_walk(list->state, add_info, list);
    return list->failed ? error_exhausted(err) : 0;
}

void rpc_list_placements(Serried__V1__Placement_Service *service,
                         const Serried__V1__ListPlacementsRequest *request,
                         Serried__V1__ListPlacementsReply_Closure reply,
                         void *closure_data)
{
    struct call *call = closure_data;
    struct list list = { .arena = call_arena(call),
                         .state = daemon_state(call_daemon(call)),
                         .reply = SERRIED__V1__LIST_PLACEMENTS_REPLY__INIT };
    struct error err;

    (void)service;
    (void)reply;
    if (list_placements(&list, request, &err) < 0)
        call_refuse(call, &err, NULL);
    else
        call_reply(call, &list.reply.base);
}

void rpc_watch(Serried__V1__Placement_Service *service,
               const Serried__V1__WatchRequest *request,
               Serried__V1__WatchReply_Closure reply, void *closure_data)
{
    struct call *call = closure_data;
    struct state *state = daemon_state(call_daemon(call));
    struct error err;

    (void)service;
    (void)reply;
    if (watch_call(state_watches(state), call, request, &err) < 0)
        call_refuse(call, &err, NULL);
}
