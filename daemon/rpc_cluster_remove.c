/* SPDX-License-Identifier: Apache-2.0 */
/* Service Cluster: hosts that are no more. */
#include <inttypes.h>

#include "daemon/daemon.h"
#include "daemon/handlers.h"
#include "daemon/host_loss.h"
#include "daemon/reply.h"
#include "daemon/rpc_cluster_show.h"
#include "daemon/write.h"

struct removing {
    struct call *call;
    const Serried__V1__RemoveHostsRequest *request;
    struct state *state;
    struct host_going *going;
    struct change *change;
    struct error *err;
};

static int find_hosts(struct removing *r)
{
    const Serried__V1__RemoveHostsRequest *request = r->request;

    r->going = arena_array(call_arena(r->call), request->n_names + 1,
                           sizeof(*r->going));
    if (r->going == NULL)
        return error_exhausted(r->err);
    for (size_t i = 0; i < request->n_names; i++) {
        r->going[i].host = inventory_find(state_inventory(r->state),
                                          request->names[i], r->err);
        if (r->going[i].host == NULL)
            return -1;
    }
    return 0;
}

/* A placement is never left with ranks that are nowhere. */
static int check_free(struct removing *r)
{
    struct host_loss loss;

    if (!hosts_lose(r->state, r->going, r->request->n_names, &loss))
        return 0;
    return error_set(r->err, STATUS_REFUSED,
                     "%s cannot be removed: %s holds its device %" PRIu32
                     "; drain the host and place %s anew, or release it",
                     loss.host->name, loss.holder, loss.index, loss.holder);
}

static int remove_hosts(struct removing *r)
{
    struct store_event event = {
        .time_ms = daemon_now_ms(call_daemon(r->call)),
        .who = call_who(r->call),
        .what = "host removed",
    };

    if (host_names_check(r->request->names, r->request->n_names, r->err) < 0)
        return -1;
    if (hosts_under_way(r->state))
        return error_set(r->err, STATUS_LOST,
                         "another call is declaring hosts; ask again");
    if (find_hosts(r) < 0 || check_free(r) < 0)
        return -1;
    r->change = change_new();
    if (r->change == NULL)
        return error_exhausted(r->err);
    for (size_t i = 0; i < r->request->n_names; i++) {
        const struct inventory_host *host = r->going[i].host;

        event.subject = host->name;
        change_remove(r->change, STORE_HOST, host->name, host->rev);
        change_event(r->change, &event);
    }
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
