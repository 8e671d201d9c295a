/* SPDX-License-Identifier: Apache-2.0 */
/* Service Worker: what one rank gets. */
#include <string.h>

#include "daemon/daemon.h"
#include "daemon/handlers.h"
#include "daemon/reply.h"

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

/* What ranks share was packed when the placement was made; a message's fields
 * may come in any order, so the rank's own are packed and put behind. */
void rpc_get_assignment(Serried__V1__Worker_Service *service,
                        const Serried__V1__GetAssignmentRequest *request,
                        Serried__V1__Assignment_Closure reply,
                        void *closure_data)
{
    struct call *call = closure_data;
    Serried__V1__Assignment own = SERRIED__V1__ASSIGNMENT__INIT;
    Serried__V1__Generation generation = SERRIED__V1__GENERATION__INIT;
    struct error err;
    struct live *live = live_asked(call, request, &err);
    size_t len;
    uint8_t *packed;

    (void)service;
    (void)reply;
    if (live == NULL || codec_assignment_rank(live->check, call_arena(call),
                                              request->rank, &own, &err) < 0) {
        call_refuse(call, &err, NULL);
        return;
    }
    own.placement = reply_text(live->name);
    own.generation = &generation;
    reply_generation(&generation, live->generation);
    len = serried__v1__assignment__get_packed_size(&own);
    packed = arena_alloc(call_arena(call), live->common.len + len + 1);
    if (packed == NULL) {
        error_exhausted(&err);
        call_refuse(call, &err, NULL);
        return;
    }
    memcpy(packed, live->common.packed, live->common.len);
    serried__v1__assignment__pack(&own, packed + live->common.len);
    call_reply_packed(call, packed, live->common.len + len);
}
