/* SPDX-License-Identifier: Apache-2.0 */
/* Service Cluster: what is known of hosts, and what may be done with them. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/daemon.h"
#include "daemon/handlers.h"
#include "daemon/page.h"
#include "daemon/reply.h"
#include "daemon/rpc_cluster_show.h"
#include "daemon/write.h"
#include "placement/names.h"

/* ---- ListHosts ----------------------------------------------------------- */

/* A page of hosts while it is made. */
struct listing {
    struct call *call;
    const Serried__V1__ListHostsRequest *request;
    struct inventory *inventory;
    const struct host_uses *uses;
    struct page page;
    uint32_t next; /* number of a host, or of a name where hosts are named */
    uint32_t end;
    Serried__V1__ListHostsReply *out;
    struct error *err;
};

enum { PAGE_OF_ALL = 'h', PAGE_OF_NAMED = 'n' };

/* The number at the beginning of a text; returns what stands behind it. NULL:
 * there is none. */
static const char *take_number(const char *text, uint32_t *ret)
{
    unsigned long n;
    char *end;

    errno = 0;
    n = strtoul(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || errno != 0 || n > UINT32_MAX)
        return NULL;
    *ret = (uint32_t)n;
    return end;
}

/* "7 node7": the place of the last host in the inventory. */
static int read_place(struct listing *l)
{
    const char *name;
    uint32_t index;

    if (l->page.after == NULL)
        return 0;
    name = take_number(l->page.after, &index);
    if (name == NULL || name[0] != ' ' || !name_is_host(name + 1))
        return page_refuse(l->err);
    l->next = inventory_behind(l->inventory, index, name + 1);
    return 0;
}

/* "7": so many of the names are done. */
static int read_number(struct listing *l)
{
    const char *end;
    uint32_t n;

    if (l->page.after == NULL)
        return 0;
    end = take_number(l->page.after, &n);
    if (end == NULL || end[0] != '\0' || n > l->end)
        return page_refuse(l->err);
    l->next = n;
    return 0;
}

static int begin_list(struct listing *l)
{
    const Serried__V1__ListHostsRequest *request = l->request;
    const bool all = request->n_names == 0;

    if (page_open(&l->page, all ? PAGE_OF_ALL : PAGE_OF_NAMED,
                  request->page_size, request->page_token, l->err) < 0)
        return -1;
    l->end = all ? inventory_count(l->inventory) : (uint32_t)request->n_names;
    return all ? read_place(l) : read_number(l);
}

static int give_token(struct listing *l, const struct inventory_host *last)
{
    struct arena *arena = call_arena(l->call);
    const bool all = l->request->n_names == 0;
    const char *after =
        all ? arena_printf(arena, "%" PRIu32 " %s", last->index, last->name)
            : arena_printf(arena, "%" PRIu32, l->next);

    if (after != NULL)
        l->out->next_page_token =
            page_token(arena, all ? PAGE_OF_ALL : PAGE_OF_NAMED, after);
    return l->out->next_page_token != NULL ? 0 : error_exhausted(l->err);
}

/* The host that is next; named ones come with their documents. NULL: there is
 * none, or no memory. */
static Serried__V1__HostInfo *make_next(struct listing *l,
                                        const struct inventory_host **ret)
{
    const bool all = l->request->n_names == 0;
    Serried__V1__HostInfo *to = NULL;

    *ret =
        all ? inventory_host(l->inventory, l->next)
            : inventory_find(l->inventory, l->request->names[l->next], l->err);
    if (*ret == NULL)
        return NULL;
    to = host_message(l->uses, *ret, call_arena(l->call));
    if (to == NULL)
        error_exhausted(l->err);
    else if (!all)
        to->document = (*ret)->document;
    return to;
}

static int list_hosts(struct listing *l)
{
    const struct inventory_host *last = NULL, *host;

    if (begin_list(l) < 0)
        return -1;
    l->out->hosts = arena_array(call_arena(l->call), l->end - l->next + 1,
                                sizeof(*l->out->hosts));
    if (l->out->hosts == NULL)
        return error_exhausted(l->err);
    for (; l->next < l->end; l->next++, last = host) {
        Serried__V1__HostInfo *to = make_next(l, &host);

        if (to == NULL)
            return -1;
        if (!page_take(&l->page, serried__v1__host_info__get_packed_size(to)))
            return give_token(l, last);
        l->out->hosts[l->out->n_hosts++] = to;
    }
    return 0;
}

void rpc_list_hosts(Serried__V1__Cluster_Service *service,
                    const Serried__V1__ListHostsRequest *request,
                    Serried__V1__ListHostsReply_Closure reply,
                    void *closure_data)
{
    struct call *call = closure_data;
    struct state *state = daemon_state(call_daemon(call));
    Serried__V1__ListHostsReply out = SERRIED__V1__LIST_HOSTS_REPLY__INIT;
    struct error err;
    struct listing l = { .call = call,
                         .request = request,
                         .inventory = state_inventory(state),
                         .uses = host_uses_make(state, call_arena(call), &err),
                         .out = &out,
                         .err = &err };

    (void)service;
    (void)reply;
    if (l.uses != NULL && list_hosts(&l) == 0)
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
    if (host_names_check(request->names, request->n_names, s->err) < 0)
        return -1;
    if (request->why != NULL && strlen(request->why) > HOST_WHY_BYTES_MAX)
        return error_set(s->err, STATUS_INVALID,
                         "the reason has more than %d bytes",
                         HOST_WHY_BYTES_MAX);
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
