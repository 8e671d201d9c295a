/* SPDX-License-Identifier: Apache-2.0 */
/* Service Worker: what one rank gets. */
#include "daemon/daemon.h"
#include "daemon/handlers.h"
#include "daemon/state.h"

/* The placement a worker asks of, if its generation is not an older one. */
static struct live *live_asked(struct call *call,
                               const Serried__V1__GetAssignmentRequest *request,
                               struct error *err)
{
    struct state *state = daemon_state(call_daemon(call));
    const Serried__V1__Generation *asked = request->generation;
    struct live *live;

    if (request->placement == NULL || !request->has_rank) {
        error_set(err, STATUS_INVALID, "the request has no %s",
                  request->placement == NULL ? "placement" : "rank");
        return NULL;
    }
    live = state_live(state, request->placement, err);
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

void rpc_get_assignment(Serried__V1__Worker_Service *service,
                        const Serried__V1__GetAssignmentRequest *request,
                        Serried__V1__Assignment_Closure reply,
                        void *closure_data)
{
    struct call *call = closure_data;
    struct assignment_head head;
    ProtobufCBinaryData packed;
    struct error err;
    struct live *live = live_asked(call, request, &err);

    (void)service;
    (void)reply;
    if (live == NULL)
        goto refuse;
    head = (struct assignment_head){ live->name, live->generation.epoch,
                                     live->generation.rev };
    if (codec_assignment_pack(live->check, &live->common, &head,
                              call_arena(call), request->rank, &packed,
                              &err) < 0)
        goto refuse;
    call_reply_packed(call, packed.data, packed.len);
    return;
refuse:
    call_refuse(call, &err, NULL);
}
