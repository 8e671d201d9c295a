/* SPDX-License-Identifier: Apache-2.0 */
/* Service Cluster: hosts and their devices. */
#include <inttypes.h>
#include <string.h>

#include "daemon/daemon.h"
#include "daemon/handlers.h"
#include "daemon/host_loss.h"
#include "daemon/reply.h"
#include "daemon/rpc_cluster_show.h"
#include "daemon/write.h"
#include "proto/document.h"

/* ---- ApplyHosts ---------------------------------------------------------- */

/* One call's work. */
struct applying {
    struct call *call;
    const Serried__V1__ApplyHostsRequest *request;
    struct state *state;
    struct arena *arena;
    const struct topology *fresh; /* the call's hosts alone */
    struct inventory_host *hosts; /* as they will be */
    uint64_t *seen;
    const char **events; /* of each; NULL: it stays as it is */
    bool *own;           /* which have a domain of their own */
    size_t n_changed;
    uint64_t n_bytes; /* of all documents */
    struct error *err;
};

/* What a host's own entry says of its state has its place in the record. */
static char *entry_text(struct applying *a, struct tree *entry)
{
    struct tree_maker maker = { .arena = a->arena };
    struct tree *map = make_map(&maker, NULL, NULL);
    struct text json = { 0 };
    char *text = NULL;

    for (const struct tree *t = tree_first(entry); t != NULL; t = t->next)
        if (strcmp(t->key, "state") != 0 && strcmp(t->key, "reason") != 0 &&
            strcmp(t->key, "by") != 0)
            make_copy(&maker, map, t->key, t);
    if (!maker.failed && document_write_json(map, false, &json) == 0)
        text = arena_strdup(a->arena, text_string(&json));
    if (text == NULL)
        error_exhausted(a->err);
    else if (json.len > HOST_RECORD_MAX)
        error_set(a->err, STATUS_EXHAUSTED,
                  "the entry of a host has more than %d bytes",
                  HOST_RECORD_MAX);
    text_close(&json);
    return text != NULL && strlen(text) <= HOST_RECORD_MAX ? text : NULL;
}

/* A state is said by the document, else stays; a new host is ready. */
static void set_state(struct applying *a, const struct tree *entry,
                      const struct host *fresh, struct inventory_host *host)
{
    const struct tree *said = tree_get(entry, "state");
    const char *why = fresh->reason != NULL ? fresh->reason : "";

    if (said == NULL || (host->declared && fresh->state == host->state &&
                         strcmp(why, host->why) == 0))
        return;
    host->state = fresh->state;
    host->why = (char *)why;
    host->who = (char *)(fresh->by != NULL ? fresh->by : call_who(a->call));
    host->since_ms = daemon_now_ms(call_daemon(a->call));
}

static int decide_host(struct applying *a, uint32_t h, struct tree *entry)
{
    struct inventory *inventory = state_inventory(a->state);
    struct inventory_host *host = &a->hosts[h];
    const char *name = a->fresh->hosts[h].name;
    const struct inventory_host *now = inventory_find(inventory, name, NULL);
    const struct tree *own = tree_get(entry, "own_domain");
    char *text = entry_text(a, entry);

    if (text == NULL)
        return -1;
    *host = (struct inventory_host){
        .name = name, .why = (char *)"", .who = (char *)"", .number = HOST_NONE
    };
    host->since_ms = daemon_now_ms(call_daemon(a->call));
    host->index = inventory_next_index(inventory) + h;
    if (now != NULL)
        *host = *now;
    if (a->request->has_first_index)
        host->index = a->request->first_index + h;
    host->document = text;
    a->n_bytes += strlen(text);
    a->own[h] = own != NULL && own->u.boolean;
    set_state(a, entry, &a->fresh->hosts[h], host);
    a->seen[h] = now != NULL ? now->rev : 0;
    if (now == NULL)
        a->events[h] = "host declared";
    else if (strcmp(now->document, text) != 0 || now->index != host->index)
        a->events[h] = "host declared anew";
    else if (now->state != host->state || strcmp(now->why, host->why) != 0)
        a->events[h] = host_event(host);
    a->n_changed += a->events[h] != NULL;
    return 0;
}

static int refuse_loss(const struct host_loss *loss, struct error *err)
{
    const char *host = loss->host->name, *holder = loss->holder;

    if (loss->uuid != NULL)
        return error_set(err, STATUS_REFUSED,
                         "device %" PRIu32 " of %s, %s, is held by %s and "
                         "would be another one; drain the host and place %s "
                         "anew first",
                         loss->index, host, loss->uuid, holder, holder);
    return error_set(err, STATUS_REFUSED,
                     "device %" PRIu32 " of %s is held by %s and would be "
                     "declared no more; drain the host and place %s anew first",
                     loss->index, host, holder, holder);
}

/* What placements hold may not vanish. */
static int check_held(struct applying *a)
{
    const struct topology *fresh = a->fresh;
    struct host_going *going =
        arena_array(a->arena, fresh->n_hosts + 1, sizeof(*going));
    struct host_loss loss;
    size_t n = 0;

    if (going == NULL)
        return error_exhausted(a->err);
    for (uint32_t h = 0; h < fresh->n_hosts; h++)
        if (a->seen[h] != 0 && a->events[h] != NULL)
            going[n++] = (struct host_going){
                inventory_find(state_inventory(a->state), a->hosts[h].name,
                               NULL),
                fresh->devices + fresh->hosts[h].first_device,
                fresh->hosts[h].n_devices,
            };
    return hosts_lose(a->state, going, n, &loss) ? refuse_loss(&loss, a->err)
                                                 : 0;
}

static int load_hosts(struct applying *a, struct tree **ret_list)
{
    struct tree_maker maker = { .arena = a->arena };
    const struct tree *document =
        reply_read_document(a->call, a->request->document, a->err);

    if (document == NULL)
        return -1;
    if (!topology_is_document(document))
        return tree_error(document, a->err, STATUS_INVALID,
                          "the document has no hosts");
    a->fresh = topology_load(a->arena, document, a->err);
    if (a->fresh == NULL)
        return -1;
    if (a->fresh->n_hosts > HOSTS_A_CALL_MAX)
        return error_set(a->err, STATUS_EXHAUSTED,
                         "%" PRIu32 " hosts in one call; at most %d",
                         a->fresh->n_hosts, HOSTS_A_CALL_MAX);
    if (a->request->has_first_index &&
        a->request->first_index > CLUSTER_HOSTS_MAX)
        return error_set(a->err, STATUS_INVALID,
                         "an inventory has at most %d hosts",
                         CLUSTER_HOSTS_MAX);
    return topology_split(a->fresh, document, &maker, ret_list, a->err);
}

static int decide_hosts(struct applying *a)
{
    size_t n;
    struct tree *list, *entry;

    if (load_hosts(a, &list) < 0)
        return -1;
    n = a->fresh->n_hosts;
    a->hosts = arena_array(a->arena, n + 1, sizeof(*a->hosts));
    a->seen = arena_array(a->arena, n + 1, sizeof(*a->seen));
    a->events = arena_array(a->arena, n + 1, sizeof(*a->events));
    a->own = arena_array(a->arena, n + 1, sizeof(*a->own));
    if (a->hosts == NULL || a->seen == NULL || a->events == NULL ||
        a->own == NULL)
        return error_exhausted(a->err);
    entry = list->u.children.first;
    for (uint32_t h = 0; h < n; h++, entry = entry->next)
        if (decide_host(a, h, entry) < 0)
            return -1;
    if (inventory_check_fit(state_inventory(a->state), a->fresh, a->own,
                            a->n_bytes, a->err) < 0)
        return -1;
    return check_held(a);
}

static struct change *hosts_change(const struct applying *a)
{
    struct change *change = change_new();

    for (uint32_t h = 0; change != NULL && h < a->fresh->n_hosts; h++) {
        if (a->events[h] == NULL)
            continue;
        if (host_put(change, a->call, &a->hosts[h], a->seen[h], a->events[h],
                     a->err) < 0) {
            change_free(change);
            return NULL;
        }
    }
    return change;
}

/* Commits, or answers at once where there is nothing to keep. change is taken;
 * NULL: no memory. */
static void finish(struct call *call, const char *key, size_t n_changed,
                   struct change *change, const ProtobufCMessage *reply)
{
    struct write write = { .key = key, .change = change, .reply = reply };
    struct error err;

    if (change == NULL) {
        error_exhausted(&err);
        call_refuse(call, &err, NULL);
    } else if (n_changed == 0 && (key == NULL || key[0] == '\0')) {
        change_free(change);
        call_reply(call, reply);
    } else {
        write_commit(call, &write);
    }
}

void rpc_apply_hosts(Serried__V1__Cluster_Service *service,
                     const Serried__V1__ApplyHostsRequest *request,
                     Serried__V1__ApplyHostsReply_Closure reply,
                     void *closure_data)
{
    struct call *call = closure_data;
    Serried__V1__ApplyHostsReply out = SERRIED__V1__APPLY_HOSTS_REPLY__INIT;
    struct error err;
    struct applying a = { .call = call,
                          .request = request,
                          .state = daemon_state(call_daemon(call)),
                          .arena = call_arena(call),
                          .err = &err };

    (void)service;
    (void)reply;
    if (write_repeated(call, request->idempotency_key,
                       &serried__v1__apply_hosts_reply__descriptor, NULL))
        return;
    if (hosts_under_way(a.state)) {
        /* two that do not see each other might not fit together */
        error_set(&err, STATUS_LOST,
                  "another call is declaring hosts; ask again");
    } else if (decide_hosts(&a) == 0) {
        out.n_names = out.n_changed = a.fresh->n_hosts;
        out.names = arena_array(a.arena, out.n_names + 1, sizeof(char *));
        out.changed =
            arena_array(a.arena, out.n_names + 1, sizeof(*out.changed));
        if (out.names == NULL || out.changed == NULL)
            error_exhausted(&err);
    }
    if (out.names == NULL || out.changed == NULL) {
        call_refuse(call, &err, NULL);
        return;
    }
    for (size_t h = 0; h < out.n_names; h++) {
        out.names[h] = reply_text(a.hosts[h].name);
        out.changed[h] = a.events[h] != NULL;
    }
    finish(call, request->idempotency_key, a.n_changed, hosts_change(&a),
           &out.base);
}
