/* SPDX-License-Identifier: Apache-2.0 */
/* The writes of service Placement: placing and releasing. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/bind.h"
#include "daemon/daemon.h"
#include "daemon/handlers.h"
#include "daemon/judge.h"
#include "daemon/place_decide.h"
#include "daemon/port.h"
#include "daemon/reply.h"
#include "daemon/rpc_cluster_show.h"
#include "daemon/write.h"

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

static int refuse_record(const struct live *live, size_t len, struct error *err)
{
    uint64_t n_ports = 0;

    for (size_t i = 0; i < live->ports.n; i++)
        n_ports += live->ports.items[i].n;
    return error_set(err, STATUS_EXHAUSTED,
                     "the record of %s, with its documents and %" PRIu64
                     " ports, has %zu bytes and may have %d; write a shorter "
                     "document, or want ports for fewer purposes",
                     live->name, n_ports, len, STORE_CHANGE_BYTES);
}

/* The change that records a placement, and the record's body, which the caller
 * frees. */
static struct change *place_change(struct call *call, const struct live *live,
                                   const struct live *before,
                                   uint8_t **ret_body, size_t *ret_len,
                                   struct error *err)
{
    const struct port_ended *ended =
        state_ended(daemon_state(call_daemon(call)), live->name);
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
        .what = before != NULL ? "placed anew" : "placed",
        .subject = live->name,
        .detail = live->check->dep->model,
    };
    uint8_t *body = live_record(live, &record.len);

    if (change == NULL || body == NULL) {
        error_exhausted(err);
    } else if (record.len > STORE_CHANGE_BYTES) {
        refuse_record(live, record.len, err);
    } else {
        record.body = body;
        *ret_body = body;
        *ret_len = record.len;
        change_put(change, &record,
                   before != NULL  ? before->rev
                   : ended != NULL ? ended->rev
                                   : 0);
        change_event(change, &event);
        return change;
    }
    change_free(change);
    free(body);
    return NULL;
}

/* Commits a placement that was decided. live is taken. */
static void commit_place(struct call *call,
                         const Serried__V1__PlaceRequest *request,
                         struct live *live, const struct live *before)
{
    struct state *state = daemon_state(call_daemon(call));
    Serried__V1__PlaceReply reply = SERRIED__V1__PLACE_REPLY__INIT;
    struct write write = { .key = request->idempotency_key,
                           .reply = &reply.base,
                           .stamp = stamp_place };
    uint8_t *body = NULL;
    size_t len = 0;
    char *verdict = NULL;
    struct error err;

    reply.name = reply_text(live->name);
    reply.has_digest = true;
    reply.digest = (ProtobufCBinaryData){ DIGEST_BYTES, live->common.digest };
    if (live->common.n_ranks <= PLACE_VERDICT_RANKS_MAX)
        reply.verdict_json = verdict =
            live_verdict(live, state_inventory(state));
    write.change = place_change(call, live, before, &body, &len, &err);
    if (write.change == NULL) {
        call_refuse(call, &err, NULL);
        live_free(state_declared(state), live);
    } else {
        write.prepared = state_prepare(state, live, body, len);
        write_commit(call, &write); /* packs the reply */
        if (write.prepared == 0)    /* the commit decides it again */
            live_free(state_declared(state), live);
    }
    free(verdict);
}

/* What is being written of hosts is not seen yet: a device may be declared no
 * more, or its host be drained, a moment before the placement takes it. */
static int check_hosts_still(struct state *state, const struct live *live,
                             struct error *err)
{
    if (live->bound == NULL ||
        (!hosts_under_way(state) &&
         !write_under_way(state_writes(state),
                          &serried__v1__set_host_state_reply__descriptor)))
        return 0;
    return error_set(err, STATUS_LOST,
                     "hosts are being changed by another call; ask again");
}

/* Places what was decided; arg is the request. */
static void judged(struct call *call, void *arg, struct live *live,
                   const char *refused, const struct error *why)
{
    const Serried__V1__PlaceRequest *request = arg;
    struct state *state = daemon_state(call_daemon(call));
    struct live *before;
    char *findings = NULL;
    struct error err;

    if (live == NULL) {
        call_refuse(call, why, refused);
        return;
    }
    if (write_repeated(call, request->idempotency_key,
                       &serried__v1__place_reply__descriptor, stamp_place)) {
        live_free(state_declared(state), live); /* sent again meanwhile */
        return;
    }
    before = state_live(state, live->name, NULL);
    if (check_expected(request->expected, live->name, before, &err) < 0 ||
        bind_live(state, live, before, &findings, &err) < 0 ||
        check_hosts_still(state, live, &err) < 0 ||
        port_choose(call_daemon(call), live, before, &err) < 0) {
        call_refuse(call, &err, findings);
        free(findings);
        live_free(state_declared(state), live);
        return;
    }
    commit_place(call, request, live, before);
}

void rpc_place(Serried__V1__Placement_Service *service,
               const Serried__V1__PlaceRequest *request,
               Serried__V1__PlaceReply_Closure reply, void *closure_data)
{
    struct call *call = closure_data;
    struct live *live;
    struct error err;

    (void)service;
    (void)reply;
    if (write_repeated(call, request->idempotency_key,
                       &serried__v1__place_reply__descriptor, stamp_place))
        return;
    live = place_load(call, request->document, &err);
    if (live == NULL)
        call_refuse(call, &err, NULL);
    else
        judge(call, live, judged, (void *)request);
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

/* Ports that workers may have still stay with the name until they have rested.
 */
static struct change *release_change(struct call *call, const struct live *live,
                                     struct error *err)
{
    struct store_record record = { .kind = STORE_PLACEMENT,
                                   .id = live->name,
                                   .state = PORT_STATE_RELEASED };
    uint8_t *body;
    struct change *change = change_new();
    const struct store_event event = {
        .time_ms = daemon_now_ms(call_daemon(call)),
        .who = call_who(call),
        .what = "released",
        .subject = live->name,
    };

    if (change == NULL) {
        error_exhausted(err);
        return NULL;
    }
    if (port_ended_record(call_daemon(call), live, &body, &record.len, err) <
        0) {
        change_free(change);
        return NULL;
    }
    record.body = body;
    record.time_ms = event.time_ms;
    if (record.len > 0)
        change_put(change, &record, live->rev);
    else
        change_remove(change, STORE_PLACEMENT, live->name, live->rev);
    change_event(change, &event);
    free(body);
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
    write.change = release_change(call, live, &err);
    if (write.change == NULL) {
        call_refuse(call, &err, NULL);
        return;
    }
    write_commit(call, &write);
}
