/* SPDX-License-Identifier: Apache-2.0 */
/* Service Placement: checking, placing, releasing, watching. */
#include <stdlib.h>
#include <string.h>

#include "daemon/daemon.h"
#include "daemon/handlers.h"
#include "daemon/reply.h"
#include "daemon/watch.h"
#include "daemon/write.h"
#include "proto/document.h"

/* ---- Check --------------------------------------------------------------- */

/* The one document of a request, read into the call's arena; NULL on failure.
 */
static const struct tree *read_one(struct call *call,
                                   const Serried__V1__Document *document,
                                   struct error *err)
{
    struct tree *documents;

    if (document == NULL || document->text == NULL) {
        error_set(err, STATUS_INVALID, "the request has no document");
        return NULL;
    }
    if (document_read_yaml(call_arena(call), document->source, document->text,
                           strlen(document->text), &documents, err) < 0)
        return NULL;
    if (tree_count(documents) != 1) {
        error_set(err, STATUS_INVALID, "%zu documents; a call has one",
                  tree_count(documents));
        return NULL;
    }
    return tree_first(documents);
}

static int check_document(struct call *call,
                          const Serried__V1__CheckRequest *request,
                          struct answer *ret, struct error *err)
{
    struct catalog *catalog = state_catalog(daemon_state(call_daemon(call)));
    const struct verdict_wants wants = {
        .lists = (const char *const *)request->lists,
        .n_lists = request->n_lists,
        .per_rank = request->per_rank,
        .creation = request->creation,
        .assignment = request->has_rank,
        .rank = request->rank,
    };
    const struct tree *document = read_one(call, request->document, err);

    if (document == NULL)
        return -1;
    return answer_check(catalog, document, &wants, call_arena(call), NULL, ret,
                        err);
}

void rpc_check(Serried__V1__Placement_Service *service,
               const Serried__V1__CheckRequest *request,
               Serried__V1__CheckReply_Closure reply, void *closure_data)
{
    struct call *call = closure_data;
    Serried__V1__CheckReply out = SERRIED__V1__CHECK_REPLY__INIT;
    struct text json = { 0 };
    struct answer answer;
    struct error err;

    (void)service;
    (void)reply;
    if (check_document(call, request, &answer, &err) < 0) {
        call_refuse(call, &err, NULL);
        return;
    }
    if (document_write_json(answer.tree, false, &json) < 0) {
        error_exhausted(&err);
        call_refuse(call, &err, NULL);
    } else {
        out.verdict_json = json.data;
        out.has_accepts = out.has_unchecked = true;
        out.accepts = answer.accepts;
        out.unchecked = answer.unchecked;
        call_reply(call, &out.base);
    }
    text_close(&json);
}

void rpc_suggest(Serried__V1__Placement_Service *service,
                 const Serried__V1__SuggestRequest *request,
                 Serried__V1__SuggestReply_Closure reply, void *closure_data)
{
    struct error err;

    (void)service;
    (void)request;
    (void)reply;
    error_set(&err, STATUS_UNIMPLEMENTED,
              "this version suggests nothing; Check names what would run");
    call_refuse(closure_data, &err, NULL);
}

enum {
    /* The verdict comes with the answer, and is kept with it, up to here; ask
     * GetPlacement for that of a larger one. */
    PLACE_VERDICT_RANKS_MAX = 256,
};

/* ---- Place --------------------------------------------------------------- */

static void stamp_place(ProtobufCMessage *reply, struct store_pos pos,
                        Serried__V1__Generation *room)
{
    Serried__V1__PlaceReply *place = (void *)reply;

    place->generation = room;
    if (room != NULL)
        reply_generation(room, pos);
}

/* Whether the placement is where the caller believes. */
static int check_expected(const Serried__V1__Generation *expected,
                          const char *name, const struct live *live,
                          struct error *err)
{
    struct store_pos now = { 0 };

    if (expected == NULL)
        return 0;
    if (live != NULL)
        now = live->generation;
    if (expected->revision == now.rev &&
        (now.rev == 0 || expected->epoch == now.epoch))
        return 0;
    if (live == NULL)
        return error_set(err, STATUS_LOST, "%s does not exist any more", name);
    return error_set(err, STATUS_LOST,
                     "%s is at generation %llu.%llu, not %llu.%llu; read it "
                     "again and decide anew",
                     name, (unsigned long long)now.epoch,
                     (unsigned long long)now.rev,
                     (unsigned long long)expected->epoch,
                     (unsigned long long)expected->revision);
}

/* The declarations a deployment is decided on. *ret_model is NULL where it
 * names no model. */
static int find_declarations(struct call *call, const struct tree *document,
                             struct declared **ret_runtime,
                             struct declared **ret_model, struct error *err)
{
    struct state *state = daemon_state(call_daemon(call));
    const char *model = deployment_model_name(document);
    const char *runtime = deployment_runtime_name(document);
    const struct force *force;

    *ret_model = NULL;
    if (model != NULL) {
        force = state_force(state, DOCUMENT_MODEL, model, err);
        if (force == NULL)
            return -1;
        *ret_model = force->declared;
        if (runtime == NULL)
            runtime = ((const struct model *)force->declared->loaded)->runtime;
    }
    if (runtime == NULL)
        return tree_error(document, err, STATUS_INVALID,
                          "the key runtime is missing, and the model names "
                          "none");
    force = state_force(state, DOCUMENT_RUNTIME, runtime, err);
    if (force == NULL)
        return -1;
    *ret_runtime = force->declared;
    return 0;
}

static struct change *place_change(struct call *call, const struct live *live,
                                   uint64_t seen)
{
    struct change *change = change_new();
    struct store_record record = {
        .kind = STORE_PLACEMENT,
        .id = live->name,
        .state = "placed",
        .generation_rev = STORE_OWN_GENERATION,
        .time_ms = live->time_ms,
    };
    const struct store_event event = {
        .time_ms = live->time_ms,
        .who = call_who(call),
        .what = seen != 0 ? "placed anew" : "placed",
        .subject = live->name,
        .detail = live->check->dep->model,
    };
    uint8_t *body = live_record(live, &record.len);

    if (change != NULL && body != NULL) {
        record.body = body;
        change_put(change, &record, seen);
        change_event(change, &event);
    } else {
        change_free(change);
        change = NULL;
    }
    free(body);
    return change;
}

static void commit_place(struct call *call,
                         const Serried__V1__PlaceRequest *request,
                         struct live *live, uint64_t seen)
{
    struct state *state = daemon_state(call_daemon(call));
    Serried__V1__PlaceReply reply = SERRIED__V1__PLACE_REPLY__INIT;
    struct write write = { .key = request->idempotency_key,
                           .reply = &reply.base,
                           .stamp = stamp_place,
                           .prepared = live->name };
    char *verdict = NULL;
    struct error err;

    reply.name = reply_text(live->name);
    reply.has_digest = true;
    reply.digest = (ProtobufCBinaryData){ DIGEST_BYTES, live->common.digest };
    if (live->common.n_ranks <= PLACE_VERDICT_RANKS_MAX)
        reply.verdict_json = verdict = live_verdict(live);
    write.change = place_change(call, live, seen);
    if (write.change == NULL) {
        live_free(state_declared(state), live);
        free(verdict);
        error_exhausted(&err);
        call_refuse(call, &err, NULL);
        return;
    }
    state_prepare(state, live);
    write_commit(call, &write); /* packs the reply */
    free(verdict);
}

/* Decides the deployment; NULL when the call was refused. */
static struct live *decide(struct call *call,
                           const Serried__V1__Document *document)
{
    struct daemon *daemon = call_daemon(call);
    const struct tree *tree;
    struct live_request request = { .who = call_who(call),
                                    .time_ms = daemon_now_ms(daemon) };
    struct live *live = NULL;
    char *findings = NULL;
    struct error err;

    tree = read_one(call, document, &err);
    if (tree != NULL && find_declarations(call, tree, &request.runtime,
                                          &request.model, &err) == 0) {
        request.document = document->text;
        request.document_len = strlen(document->text);
        request.source = document->source;
        live = live_new(state_declared(daemon_state(daemon)), &request,
                        &findings, &err);
    }
    if (live == NULL)
        call_refuse(call, &err, findings);
    free(findings);
    return live;
}

void rpc_place(Serried__V1__Placement_Service *service,
               const Serried__V1__PlaceRequest *request,
               Serried__V1__PlaceReply_Closure reply, void *closure_data)
{
    struct call *call = closure_data;
    struct state *state = daemon_state(call_daemon(call));
    struct live *live, *before;
    struct error err;

    (void)service;
    (void)reply;
    if (write_repeated(call, request->idempotency_key,
                       &serried__v1__place_reply__descriptor, stamp_place))
        return;
    live = decide(call, request->document);
    if (live == NULL)
        return;
    before = state_live(state, live->name, &err);
    if (check_expected(request->expected, live->name, before, &err) < 0) {
        call_refuse(call, &err, NULL);
        live_free(state_declared(state), live);
        return;
    }
    commit_place(call, request, live, before != NULL ? before->rev : 0);
}

/* ---- Release ------------------------------------------------------------- */

static void stamp_release(ProtobufCMessage *reply, struct store_pos pos,
                          Serried__V1__Generation *room)
{
    Serried__V1__ReleaseReply *release = (void *)reply;

    release->generation = room;
    if (room != NULL)
        reply_generation(room, pos);
}

static struct change *release_change(struct call *call, const struct live *live)
{
    struct change *change = change_new();
    const struct store_event event = {
        .time_ms = daemon_now_ms(call_daemon(call)),
        .who = call_who(call),
        .what = "released",
        .subject = live->name,
    };

    if (change == NULL)
        return NULL;
    change_remove(change, STORE_PLACEMENT, live->name, live->rev);
    change_event(change, &event);
    return change;
}

void rpc_release(Serried__V1__Placement_Service *service,
                 const Serried__V1__ReleaseRequest *request,
                 Serried__V1__ReleaseReply_Closure reply, void *closure_data)
{
    struct call *call = closure_data;
    struct state *state = daemon_state(call_daemon(call));
    Serried__V1__ReleaseReply out = SERRIED__V1__RELEASE_REPLY__INIT;
    struct write write = { .key = request->idempotency_key,
                           .reply = &out.base,
                           .stamp = stamp_release };
    struct live *live;
    struct error err;

    (void)service;
    (void)reply;
    if (write_repeated(call, request->idempotency_key,
                       &serried__v1__release_reply__descriptor, stamp_release))
        return;
    live = state_live(state, request->name != NULL ? request->name : "", &err);
    if (live == NULL ||
        check_expected(request->expected, live->name, live, &err) < 0) {
        call_refuse(call, &err, NULL);
        return;
    }
    out.name = reply_text(live->name);
    write.change = release_change(call, live);
    if (write.change == NULL) {
        error_exhausted(&err);
        call_refuse(call, &err, NULL);
        return;
    }
    write_commit(call, &write);
}

/* ---- reading ------------------------------------------------------------- */

static Serried__V1__PlacementInfo *info(struct arena *arena,
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
    to->state = reply_text(live->check != NULL ? "placed" : "unreadable");
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
        char *verdict = live_verdict(live);

        document->text = reply_text(live->document);
        to->document = document;
        to->verdict_json =
            verdict != NULL ? arena_strdup(arena, verdict) : NULL;
        free(verdict);
        if (to->verdict_json == NULL)
            return NULL;
    }
    return to;
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
        out = info(call_arena(call), live, true);
        if (out == NULL)
            error_exhausted(&err);
    }
    if (out == NULL)
        call_refuse(call, &err, NULL);
    else
        call_reply(call, &out->base);
}

/* A list being made. */
struct list {
    struct arena *arena;
    Serried__V1__ListPlacementsReply reply;
    bool full;
};

static void add_info(void *live, void *arg)
{
    struct list *list = arg;
    Serried__V1__PlacementInfo *one = info(list->arena, live, false);

    if (one == NULL)
        list->full = true;
    else
        list->reply.placements[list->reply.n_placements++] = one;
}

void rpc_list_placements(Serried__V1__Placement_Service *service,
                         const Serried__V1__ListPlacementsRequest *request,
                         Serried__V1__ListPlacementsReply_Closure reply,
                         void *closure_data)
{
    struct call *call = closure_data;
    struct state *state = daemon_state(call_daemon(call));
    struct list list = { .arena = call_arena(call),
                         .reply = SERRIED__V1__LIST_PLACEMENTS_REPLY__INIT };
    struct error err;

    (void)service;
    (void)request;
    (void)reply;
    list.reply.placements = arena_array(list.arena, state_live_count(state) + 1,
                                        sizeof(*list.reply.placements));
    list.full = list.reply.placements == NULL;
    if (!list.full)
        state_live_walk(state, add_info, &list);
    if (list.full) {
        error_exhausted(&err);
        call_refuse(call, &err, NULL);
        return;
    }
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
