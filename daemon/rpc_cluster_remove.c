/* SPDX-License-Identifier: Apache-2.0 */
/* Service Cluster: hosts that are no more. */
#include <inttypes.h>

#include "daemon/daemon.h"
#include "daemon/handlers.h"
#include "daemon/reply.h"
#include "daemon/rpc_cluster_show.h"
#include "daemon/write.h"

struct removing {
    struct call *call;
    const Serried__V1__RemoveHostsRequest *request;
    struct state *state;
    const struct host_uses *uses;
    struct change *change;
    struct error *err;
};

/* A placement is never left with ranks that are nowhere. */
static int remove_host(struct removing *r, const char *name)
{
    const struct inventory_host *host =
        inventory_find(state_inventory(r->state), name, r->err);
    const struct store_event event = {
        .time_ms = daemon_now_ms(call_daemon(r->call)),
        .who = call_who(r->call),
        .what = "host removed",
        .subject = name,
    };
    struct host_loss loss;

    if (host == NULL)
        return -1;
    if (host_uses_lost(r->uses, host, NULL, &loss))
        return error_set(
            r->err, STATUS_REFUSED,
            "%.253s cannot be removed: %s holds its device %" PRIu32
            "; drain the host and place %s anew, or release it",
            name, loss.holder, loss.index, loss.holder);
    change_remove(r->change, STORE_HOST, name, host->rev);
    change_event(r->change, &event);
    return 0;
}

static int remove_hosts(struct removing *r)
{
    const Serried__V1__RemoveHostsRequest *request = r->request;

    if (host_names_check(request->names, request->n_names, r->err) < 0)
        return -1;
    if (hosts_under_way(r->state))
        return error_set(r->err, STATUS_LOST,
                         "another call is declaring hosts; ask again");
    r->uses = host_uses_make(r->state, call_arena(r->call), r->err);
    if (r->uses == NULL)
        return -1;
    r->change = change_new();
    if (r->change == NULL)
        return error_exhausted(r->err);
    for (size_t i = 0; i < request->n_names; i++)
        if (remove_host(r, request->names[i]) < 0)
            return -1;
    return 0;
}

void rpc_remove_hosts(Serried__V1__Cluster_Service *service,
                      const Serried__V1__RemoveHostsRequest *request,
                      Serried__V1__RemoveHostsReply_Closure reply,
                      void *closure_data)
{
    struct call *call = closure_data;
    Serried__V1__RemoveHostsReply out = SERRIED__V1__REMOVE_HOSTS_REPLY__INIT;
    struct write write = { .key = request->idempotency_key,
                           .reply = &out.base };
    struct error err;
    struct removing r = { .call = call,
                          .request = request,
                          .state = daemon_state(call_daemon(call)),
                          .err = &err };

    (void)service;
    (void)reply;
    if (write_repeated(call, request->idempotency_key,
                       &serried__v1__remove_hosts_reply__descriptor, NULL))
        return;
    if (remove_hosts(&r) < 0) {
        change_free(r.change);
        call_refuse(call, &err, NULL);
        return;
    }
    out.n_names = request->n_names;
    out.names = request->names;
    write.change = r.change;
    write_commit(call, &write);
}
