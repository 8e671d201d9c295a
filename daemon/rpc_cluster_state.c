/* SPDX-License-Identifier: Apache-2.0 */
/* Service Cluster: what is known of hosts, and what may be done with them. */
#include <string.h>

#include "daemon/daemon.h"
#include "daemon/handlers.h"
#include "daemon/reply.h"
#include "daemon/rpc_cluster_show.h"
#include "daemon/write.h"

/* ---- ListHosts ----------------------------------------------------------- */

/* All hosts, or those that are named. */
static int list_hosts(struct call *call,
                      const Serried__V1__ListHostsRequest *request,
                      Serried__V1__ListHostsReply *out, struct error *err)
{
    struct arena *arena = call_arena(call);
    struct state *state = daemon_state(call_daemon(call));
    struct inventory *inventory = state_inventory(state);
    bool all = request->n_names == 0;
    size_t n = all ? inventory_count(inventory) : request->n_names;
    const struct host_uses *uses = host_uses_make(state, arena, err);

    if (uses == NULL)
        return -1;
    out->hosts = arena_array(arena, n + 1, sizeof(*out->hosts));
    if (out->hosts == NULL)
        return error_exhausted(err);
    for (; out->n_hosts < n; out->n_hosts++) {
        const struct inventory_host *host =
            all ? inventory_host(inventory, (uint32_t)out->n_hosts)
                : inventory_find(inventory, request->names[out->n_hosts], err);
        Serried__V1__HostInfo *to;

        if (host == NULL)
            return -1;
        to = host_message(uses, host, arena);
        if (to == NULL)
            return error_exhausted(err);
        if (!all)
            to->document = host->document;
        out->hosts[out->n_hosts] = to;
    }
    return 0;
}

void rpc_list_hosts(Serried__V1__Cluster_Service *service,
                    const Serried__V1__ListHostsRequest *request,
                    Serried__V1__ListHostsReply_Closure reply,
                    void *closure_data)
{
    struct call *call = closure_data;
    Serried__V1__ListHostsReply out = SERRIED__V1__LIST_HOSTS_REPLY__INIT;
    struct error err;

    (void)service;
    (void)reply;
    if (list_hosts(call, request, &out, &err) == 0)
        call_reply(call, &out.base);
    else
        call_refuse(call, &err, NULL);
}

/* ---- SetHostState -------------------------------------------------------- */

struct setting_state {
    struct call *call;
    const Serried__V1__SetHostStateRequest *request;
    struct state *state;
    int to; /* enum host_state */
    struct change *change;
    const struct host_uses *uses;
    Serried__V1__SetHostStateReply reply;
    size_t n_changed;
    struct error *err;
};

static int read_request(struct setting_state *s)
{
    const Serried__V1__SetHostStateRequest *request = s->request;

    s->to = inventory_state_named(request->state);
    if (s->to < 0)
        return error_set(s->err, STATUS_INVALID,
                         "\"%.32s\" is no state; there are ready, cordoned, "
                         "drained and down",
                         request->state != NULL ? request->state : "");
    if (request->n_names == 0 || request->n_names > HOSTS_A_CALL_MAX)
        return error_set(s->err, STATUS_INVALID,
                         "%zu hosts are named; from 1 to %d can be",
                         request->n_names, HOSTS_A_CALL_MAX);
    if (request->why != NULL && strlen(request->why) > HOST_WHY_BYTES_MAX)
        return error_set(s->err, STATUS_INVALID,
                         "the reason has more than %d bytes",
                         HOST_WHY_BYTES_MAX);
    for (size_t i = 0; i < request->n_names; i++)
        for (size_t k = 0; k < i; k++)
            if (strcmp(request->names[i], request->names[k]) == 0)
                return error_set(s->err, STATUS_INVALID,
                                 "the host %.253s is named twice",
                                 request->names[i]);
    return 0;
}

/* Gives the revision of the commit to the hosts that it changed. */
static void stamp_hosts(ProtobufCMessage *reply, struct store_pos pos,
                        Serried__V1__Generation *room)
{
    Serried__V1__SetHostStateReply *set = (void *)reply;

    for (size_t i = 0; room != NULL && i < set->n_hosts; i++) {
        if (set->hosts[i]->has_revision)
            continue;
        set->hosts[i]->has_revision = true;
        set->hosts[i]->revision = pos.rev;
    }
}

static int set_host(struct setting_state *s, const char *name)
{
    const struct inventory_host *now =
        inventory_find(state_inventory(s->state), name, s->err);
    const char *why = s->request->why != NULL ? s->request->why : "";
    Serried__V1__HostInfo *to;
    struct inventory_host host;
    bool changes;

    if (now == NULL)
        return -1;
    host = *now;
    changes = (int)now->state != s->to || strcmp(now->why, why) != 0;
    if (changes) {
        host.state = (enum host_state)s->to;
        host.why = (char *)why;
        host.who = (char *)call_who(s->call);
        host.since_ms = daemon_now_ms(call_daemon(s->call));
        if (host_put(s->change, s->call, &host, now->rev, host_event(&host),
                     s->err) < 0)
            return -1;
        s->n_changed++;
    }
    to = host_message(s->uses, &host, call_arena(s->call));
    if (to == NULL)
        return error_exhausted(s->err);
    if (changes)
        to->has_revision = false; /* the commit's: stamp_hosts() */
    s->reply.hosts[s->reply.n_hosts++] = to;
    return 0;
}

static int set_hosts(struct setting_state *s)
{
    struct arena *arena = call_arena(s->call);

    if (read_request(s) < 0)
        return -1;
    s->uses = host_uses_make(s->state, arena, s->err);
    if (s->uses == NULL)
        return -1;
    s->reply.hosts =
        arena_array(arena, s->request->n_names + 1, sizeof(*s->reply.hosts));
    s->change = change_new();
    if (s->reply.hosts == NULL || s->change == NULL)
        return error_exhausted(s->err);
    for (size_t i = 0; i < s->request->n_names; i++)
        if (set_host(s, s->request->names[i]) < 0)
            return -1;
    return 0;
}

void rpc_set_host_state(Serried__V1__Cluster_Service *service,
                        const Serried__V1__SetHostStateRequest *request,
                        Serried__V1__SetHostStateReply_Closure reply,
                        void *closure_data)
{
    struct call *call = closure_data;
    struct error err;
    struct setting_state s = { .call = call,
                               .request = request,
                               .state = daemon_state(call_daemon(call)),
                               .reply = SERRIED__V1__SET_HOST_STATE_REPLY__INIT,
                               .err = &err };
    struct write write = { .key = request->idempotency_key,
                           .reply = &s.reply.base,
                           .stamp = stamp_hosts };

    (void)service;
    (void)reply;
    if (write_repeated(call, request->idempotency_key,
                       &serried__v1__set_host_state_reply__descriptor,
                       stamp_hosts))
        return;
    if (set_hosts(&s) < 0) {
        change_free(s.change);
        call_refuse(call, &err, NULL);
        return;
    }
    write.change = s.change;
    if (s.n_changed > 0 || (write.key != NULL && write.key[0] != '\0')) {
        write_commit(call, &write);
        return;
    }
    change_free(s.change);
    call_reply(call, &s.reply.base);
}
