/* SPDX-License-Identifier: Apache-2.0 */
/* Service Worker: what one rank gets, and its boot. */
#include "daemon/bind.h"
#include "daemon/boot.h"
#include "daemon/boot_refused.h"
#include "daemon/daemon.h"
#include "daemon/handlers.h"
#include "daemon/proof.h"
#include "daemon/state.h"

/* Refuses a worker, and keeps that it was; rank -1: it named none. */
static void refuse_worker(struct call *call, const char *placement,
                          int64_t rank, const struct error *why)
{
    struct state *state = daemon_state(call_daemon(call));
    const struct live *live =
        placement != NULL ? state_live(state, placement, NULL) : NULL;

    if (live != NULL)
        boots_refused(state_boots(state), live, call, rank, why);
    call_refuse(call, why, NULL);
}

/* The placement a worker asks of, if its generation is not an older one. */
static struct live *live_asked(struct call *call, const char *name,
                               const Serried__V1__Generation *asked,
                               struct error *err)
{
    struct state *state = daemon_state(call_daemon(call));
    struct live *live;

    if (name == NULL) {
        error_set(err, STATUS_INVALID, "the request has no placement");
        return NULL;
    }
    live = state_live(state, name, err);
    if (live == NULL)
        return NULL;
    if (asked != NULL && (asked->epoch != live->generation.epoch ||
                          asked->revision != live->generation.rev)) {
        error_set(err, STATUS_REFUSED,
                  "STALE_GENERATION: %s is at generation %llu.%llu, not "
                  "%llu.%llu; fetch the assignment anew",
                  live->name, (unsigned long long)live->generation.epoch,
                  (unsigned long long)live->generation.rev,
                  (unsigned long long)asked->epoch,
                  (unsigned long long)asked->revision);
        return NULL;
    }
    if (live->check == NULL) {
        error_set(err, STATUS_INTERNAL,
                  "the record of %s cannot be read; place it again",
                  live->name);
        return NULL;
    }
    return live;
}

/* The same for a call of a worker that boots, which names its generation. */
static struct live *live_booting(struct call *call, const char *name,
                                 const Serried__V1__Generation *generation,
                                 struct error *err)
{
    if (generation != NULL)
        return live_asked(call, name, generation, err);
    error_set(err, STATUS_INVALID,
              "the request has no generation; it is in the assignment");
    return NULL;
}

/* The rank that an assignment is asked for: by number, or by where it is. */
static int rank_asked(const struct live *live,
                      const Serried__V1__GetAssignmentRequest *request,
                      struct arena *arena, uint32_t *ret, struct error *err)
{
    if (request->has_rank) {
        *ret = request->rank;
        return 0;
    }
    if (request->host == NULL)
        return error_set(err, STATUS_INVALID, "the request has no rank");
    if (!request->has_local_rank)
        return error_set(err, STATUS_INVALID,
                         "the request has a host and no local_rank");
    return bind_rank(live, request->host, request->local_rank, arena, ret, err);
}

void rpc_get_assignment(Serried__V1__Worker_Service *service,
                        const Serried__V1__GetAssignmentRequest *request,
                        Serried__V1__Assignment_Closure reply,
                        void *closure_data)
{
    struct call *call = closure_data;
    struct assignment_head head;
    ProtobufCBinaryData packed;
    uint32_t rank;
    struct error err;
    struct live *live =
        live_asked(call, request->placement, request->generation, &err);

    (void)service;
    (void)reply;
    if (live == NULL)
        goto refuse;
    if (rank_asked(live, request, call_arena(call), &rank, &err) < 0)
        goto refuse;
    head = (struct assignment_head){ .placement = live->name,
                                     .epoch = live->generation.epoch,
                                     .revision = live->generation.rev };
    if (bind_assignment(state_inventory(daemon_state(call_daemon(call))), live,
                        call_arena(call), rank, &head.binding, &err) < 0)
        goto refuse;
    if (codec_assignment_pack(live->check, &live->common, &head,
                              call_arena(call), rank, &packed, &err) < 0)
        goto refuse;
    call_reply_packed(call, packed.data, packed.len);
    return;
refuse:
    refuse_worker(call, request->placement,
                  request->has_rank ? (int64_t)request->rank : -1, &err);
}

/* ---- boot ---------------------------------------------------------------- */

void rpc_join(Serried__V1__Worker_Service *service,
              const Serried__V1__JoinRequest *request,
              Serried__V1__JoinReply_Closure reply, void *closure_data)
{
    struct call *call = closure_data;
    struct state *state = daemon_state(call_daemon(call));
    Serried__V1__JoinReply out = SERRIED__V1__JOIN_REPLY__INIT;
    struct error err;
    struct live *live =
        live_booting(call, request->placement, request->generation, &err);

    (void)service;
    (void)reply;
    if (live != NULL &&
        proof_check(live, request, call_arena(call), &err) == 0 &&
        boots_join(state_boots(state), live, request, &out, &err) == 0)
        call_reply(call, &out.base);
    else
        refuse_worker(call, request->placement,
                      request->has_rank ? (int64_t)request->rank : -1, &err);
}

void rpc_await(Serried__V1__Worker_Service *service,
               const Serried__V1__AwaitRequest *request,
               Serried__V1__AwaitReply_Closure reply, void *closure_data)
{
    struct call *call = closure_data;
    struct state *state = daemon_state(call_daemon(call));
    struct error err;
    struct live *live =
        live_booting(call, request->placement, request->generation, &err);

    (void)service;
    (void)reply;
    if (live == NULL ||
        boots_await(state_boots(state), call, live, request, &err) < 0)
        refuse_worker(call, request->placement,
                      request->has_rank ? (int64_t)request->rank : -1, &err);
}

void rpc_leave(Serried__V1__Worker_Service *service,
               const Serried__V1__LeaveRequest *request,
               Serried__V1__LeaveReply_Closure reply, void *closure_data)
{
    struct call *call = closure_data;
    struct state *state = daemon_state(call_daemon(call));
    Serried__V1__LeaveReply out = SERRIED__V1__LEAVE_REPLY__INIT;
    struct error err;
    struct live *live =
        live_booting(call, request->placement, request->generation, &err);

    (void)service;
    (void)reply;
    if (live != NULL &&
        boots_leave(state_boots(state), live, request, &err) == 0)
        call_reply(call, &out.base);
    else
        refuse_worker(call, request->placement,
                      request->has_rank ? (int64_t)request->rank : -1, &err);
}
