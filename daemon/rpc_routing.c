/* SPDX-License-Identifier: Apache-2.0 */
/* Placement.GetRouting: which workers run which node, for who sends requests.
 */
#include "daemon/boot.h"
#include "daemon/daemon.h"
#include "daemon/handlers.h"
#include "daemon/reply.h"
#include "daemon/routing.h"

static const struct live *find_live(struct state *state, const char *name,
                                    struct error *err)
{
    const struct live *live;

    if (name == NULL) {
        error_set(err, STATUS_INVALID, "the request has no placement");
        return NULL;
    }
    live = state_live(state, name, err);
    if (live == NULL || live->check != NULL)
        return live;
    error_set(err, STATUS_INTERNAL,
              "the record of %s cannot be read; place it again", live->name);
    return NULL;
}

void rpc_get_routing(Serried__V1__Placement_Service *service,
                     const Serried__V1__GetRoutingRequest *request,
                     Serried__V1__GetRoutingReply_Closure reply,
                     void *closure_data)
{
    struct call *call = closure_data;
    struct state *state = daemon_state(call_daemon(call));
    const struct boots *boots = state_boots(state);
    Serried__V1__GetRoutingReply out = SERRIED__V1__GET_ROUTING_REPLY__INIT;
    Serried__V1__Generation generation = SERRIED__V1__GENERATION__INIT;
    const uint32_t *gone;
    size_t n_gone;
    struct error err;
    const struct live *live = find_live(state, request->placement, &err);

    (void)service;
    (void)reply;
    if (live == NULL ||
        boots_gone(boots, live, call_arena(call), &gone, &n_gone, &err) < 0 ||
        routing_make(live, routing_host, gone, n_gone, call_arena(call), &out,
                     &err) < 0) {
        call_refuse(call, &err, NULL);
        return;
    }
    reply_generation(&generation, live->generation);
    out.generation = &generation;
    out.state = reply_text(boot_state_name(boots_state(boots, live)));
    call_reply(call, &out.base);
}
