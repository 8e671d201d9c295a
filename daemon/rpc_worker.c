/* SPDX-License-Identifier: Apache-2.0 */
/* Service Worker: what one rank gets, and its boot. */
#include <stdlib.h>

#include "daemon/bind.h"
#include "daemon/boot.h"
#include "daemon/boot_refused.h"
#include "daemon/daemon.h"
#include "daemon/handlers.h"
#include "daemon/proof.h"
#include "daemon/state.h"
#include "daemon/write.h"

/* Keeps that a worker is refused; rank -1: it named none. */
static void keep_refusal(struct call *call, const char *placement, int64_t rank,
                         const struct error *why, bool more)
{
    struct state *state = daemon_state(call_daemon(call));
    const struct live *live =
        placement != NULL ? state_live(state, placement, NULL) : NULL;

    if (live != NULL)
        boots_refused(state_boots(state), live, call, rank, why, more);
}

/* Refuses a worker, and keeps that it was. */
static void refuse_worker(struct call *call, const char *placement,
                          int64_t rank, const struct error *why)
{
    keep_refusal(call, placement, rank, why, false);
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

/* The fields of an assignment that are neither all ranks' nor of its nodes. */
static int pack_more(struct inventory *inventory, const struct live *live,
                     struct arena *arena, uint32_t rank,
                     ProtobufCBinaryData *ret, struct error *err)
{
    Serried__V1__Assignment holder = SERRIED__V1__ASSIGNMENT__INIT;

    if (port_messages(inventory, live, arena, rank, &holder.ports,
                      &holder.n_ports, err) < 0)
        return -1;
    holder.has_listed_rank = live->deployment->listed != NULL;
    holder.listed_rank = (uint32_t)deployment_listed(live->deployment, rank);
    ret->len = serried__v1__assignment__get_packed_size(&holder);
    ret->data = arena_alloc(arena, ret->len + 1);
    if (ret->data == NULL)
        return error_exhausted(err);
    serried__v1__assignment__pack(&holder, ret->data);
    return 0;
}

void rpc_get_assignment(Serried__V1__Worker_Service *service,
                        const Serried__V1__GetAssignmentRequest *request,
                        Serried__V1__Assignment_Closure reply,
                        void *closure_data)
{
    struct call *call = closure_data;
    struct assignment_head head;
    struct inventory *inventory;
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
    inventory = state_inventory(daemon_state(call_daemon(call)));
    if (bind_assignment(inventory, live, call_arena(call), rank, &head.binding,
                        &err) < 0 ||
        pack_more(inventory, live, call_arena(call), rank, &head.more, &err) <
            0)
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

/* ---- ports --------------------------------------------------------------- */

/* The record of a placement in which one seat has the port that was found. */
static struct change *move_change(struct call *call, struct live *live,
                                  struct port_lease *lease, uint32_t seat,
                                  struct error *err)
{
    struct daemon *daemon = call_daemon(call);
    const struct port_leases before = live->ports;
    uint16_t was = lease->ports[seat];
    const struct inventory_host *host = lease->hosts[seat];
    struct store_record record = {
        .kind = STORE_PLACEMENT,
        .id = live->name,
        .state = "placed",
        .generation_epoch = live->generation.epoch,
        .generation_rev = live->generation.rev,
        .time_ms = live->time_ms,
    };
    struct store_event event = {
        .time_ms = daemon_now_ms(daemon),
        .who = call_who(call),
        .what = "port in use",
        .subject = live->name,
    };
    struct change *change = NULL;
    uint8_t *body = NULL;

    live->ports.moved++;
    lease->ports[seat] = (uint16_t)live->ports.moving;
    if (port_rest_add(daemon, call_arena(call), &live->ports,
                      lease->hosts[seat], was, err) == 0)
        body = live_record(live, &record.len);
    lease->ports[seat] = was;
    live->ports = before;
    event.detail = arena_printf(
        call_arena(call), "%s: %u of %s, now %u", lease->purpose, was,
        host != NULL ? host->name : "its host", live->ports.moving);
    if (body != NULL && event.detail != NULL)
        change = change_new();
    if (change == NULL) {
        error_exhausted(err);
    } else {
        record.body = body;
        change_put(change, &record, live->rev);
        change_event(change, &event);
    }
    free(body);
    return change;
}

/* Whether another port may be looked for: one at a time, so that what is found
 * is nobody else's while it is committed. */
static int may_move(struct call *call, const struct live *live,
                    struct error *err)
{
    struct daemon *daemon = call_daemon(call);

    if (live->ports.moved >= PORT_MOVES_MAX)
        return error_set(err, STATUS_EXHAUSTED,
                         "%d ports of %s were in use in this generation; other "
                         "programs use the range from port_first to port_last, "
                         "so choose another one and place it anew",
                         PORT_MOVES_MAX, live->name);
    if (write_under_way(state_writes(daemon_state(daemon)),
                        &serried__v1__report_port_reply__descriptor))
        return error_set(err, STATUS_LOST,
                         "another port is being replaced; report it again");
    return 0;
}

/* Answers with the port that a seat has, or is about to have. */
static int answer_port(struct call *call, struct live *live,
                       const Serried__V1__ReportPortRequest *request,
                       struct port_lease *lease, uint32_t seat, bool move,
                       struct error *err)
{
    Serried__V1__ReportPortReply reply = SERRIED__V1__REPORT_PORT_REPLY__INIT;
    Serried__V1__Port port = SERRIED__V1__PORT__INIT;
    struct write write = { .reply = &reply.base };
    struct inventory *inventory =
        state_inventory(daemon_state(call_daemon(call)));

    reply.port = &port;
    port.purpose = (char *)lease->purpose;
    port.on = (char *)port_on_name(lease->on);
    port.has_port = port.has_confirms = port.confirms = true;
    port.port = move ? live->ports.moving : lease->ports[seat];
    if (lease->hosts[seat] != NULL)
        port.address = (char *)bind_address(inventory, lease->hosts[seat]);
    if (lease->on == PORT_ON_EACH_INSTANCE) {
        port.has_group = port.has_instance = true;
        port.group = request->group;
        port.instance = request->instance;
    }
    if (!move) {
        call_reply(call, &reply.base);
        return 0;
    }
    write.change = move_change(call, live, lease, seat, err);
    if (write.change == NULL)
        return -1;
    write_commit(call, &write);
    return 0;
}

/* The seat whose port is reported, as port_seat_of(). */
static int seat_reported(const struct live *live,
                         const Serried__V1__ReportPortRequest *request,
                         struct port_lease **ret_lease, uint32_t *ret_seat,
                         struct error *err)
{
    Serried__V1__Port told = SERRIED__V1__PORT__INIT;

    if (!request->has_rank)
        return error_set(err, STATUS_INVALID, "the request has no rank");
    told.purpose = request->purpose;
    told.group = request->group;
    told.instance = request->instance;
    return port_seat_of(live, request->rank, &told, ret_lease, ret_seat, err);
}

void rpc_report_port(Serried__V1__Worker_Service *service,
                     const Serried__V1__ReportPortRequest *request,
                     Serried__V1__ReportPortReply_Closure reply,
                     void *closure_data)
{
    struct call *call = closure_data;
    struct port_lease *lease;
    uint32_t seat;
    bool move;
    struct error err;
    struct live *live =
        live_booting(call, request->placement, request->generation, &err);

    (void)service;
    (void)reply;
    if (live == NULL || seat_reported(live, request, &lease, &seat, &err) < 0)
        goto refuse;
    move = lease->ports[seat] == request->port; /* else it was moved already */
    if (move &&
        (may_move(call, live, &err) < 0 ||
         port_choose_other(call_daemon(call), live, lease, seat, &err) < 0))
        goto refuse;
    if (answer_port(call, live, request, lease, seat, move, &err) == 0)
        return;
    live->ports.moving = 0; /* nothing is being committed */
refuse:
    call_refuse(call, &err, NULL);
}

/* ---- boot ---------------------------------------------------------------- */

/* Refuses a worker with what was found of its groups, unless the placement was
 * placed anew meanwhile. arg: the request, in the call's arena. */
static void refuse_groups(struct call *call, void *arg,
                          const struct proof_answer *answer)
{
    const Serried__V1__JoinRequest *request = arg;
    Serried__V1__Detail detail = SERRIED__V1__DETAIL__INIT;
    Serried__V1__GroupSpan groups = SERRIED__V1__GROUP_SPAN__INIT;
    int64_t rank = request->has_rank ? (int64_t)request->rank : -1;
    struct error err;

    if (live_booting(call, request->placement, request->generation, &err) ==
        NULL) {
        refuse_worker(call, request->placement, rank, &err);
        return;
    }
    keep_refusal(call, request->placement, rank, &answer->err, answer->more);
    span_write(&answer->span, &groups);
    if (answer->whole_list)
        groups.has_first = groups.has_groups = groups.has_block = false;
    detail.type = (char *)(uintptr_t)answer->detail;
    detail.groups = &groups;
    call_refuse_detail(call, &answer->err,
                       answer->detail != NULL ? &detail : NULL);
}

void rpc_join(Serried__V1__Worker_Service *service,
              const Serried__V1__JoinRequest *request,
              Serried__V1__JoinReply_Closure reply, void *closure_data)
{
    struct call *call = closure_data;
    struct state *state = daemon_state(call_daemon(call));
    Serried__V1__JoinReply out = SERRIED__V1__JOIN_REPLY__INIT;
    bool holds;
    struct error err;
    struct live *live =
        live_booting(call, request->placement, request->generation, &err);

    (void)service;
    (void)reply;
    if (live == NULL || proof_check(live, request, &holds, &err) < 0)
        goto refuse;
    if (!holds) {
        proof_differs(call, live, refuse_groups, (void *)(uintptr_t)request);
        return;
    }
    if (boots_join(state_boots(state), live, request, call_only_placement(call),
                   &out, &err) < 0)
        goto refuse;
    call_reply(call, &out.base);
    return;
refuse:
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
