/* SPDX-License-Identifier: Apache-2.0 */
/* Where the nodes of a placement run, for those who send requests to them. */
#include "daemon/routing.h"

#include <string.h>

#include "daemon/bind.h"
#include "daemon/reply.h"
#include "placement/runs.h"

/* The hosts of a node group's ranks. */
struct hosts {
    bool known;
    const char *names[ROUTING_HOSTS_MAX];
    size_t n; /* all of them, or the first ones */
};

struct routing {
    struct check *check;
    const struct live *live;
    routing_host_fn *host;
    struct arena *arena;
    bool *is_gone;       /* by rank; NULL: none is */
    int *set_of;         /* node group -> index of its replicas; -1 */
    struct hosts *hosts; /* by node group */
    Serried__V1__GetRoutingReply *reply;
};

static void *new_message(const struct routing *r,
                         const ProtobufCMessageDescriptor *type)
{
    void *message = arena_alloc(r->arena, type->sizeof_message);

    if (message != NULL)
        protobuf_c_message_init(type, message);
    return message;
}

/* ---- hosts --------------------------------------------------------------- */

const char *routing_host(const struct live *live, uint32_t rank)
{
    const struct inventory_host *host = bind_host(live, rank);

    return host != NULL ? host->name : NULL;
}

static void add_host(struct hosts *hosts, const char *name)
{
    for (size_t i = hosts->n; i > 0; i--)
        if (hosts->names[i - 1] == name)
            return;
    hosts->names[hosts->n++] = name;
}

static const struct hosts *hosts_of(struct routing *r,
                                    const struct scope *scope)
{
    struct hosts *hosts = &r->hosts[scope->group->index];

    for (size_t p = 0; !hosts->known && p < scope->group->n_ranks &&
                       hosts->n < ROUTING_HOSTS_MAX;
         p++) {
        const char *name = r->host(r->live, scope_rank(scope, p));

        if (name == NULL)
            break; /* all are bound, or none */
        add_host(hosts, name);
    }
    hosts->known = true;
    return hosts;
}

static char **host_names(const struct routing *r, const struct hosts *hosts)
{
    char **names = arena_array(r->arena, hosts->n + 1, sizeof(*names));

    for (size_t i = 0; names != NULL && i < hosts->n; i++)
        names[i] = reply_text(hosts->names[i]);
    return names;
}

/* Each instance of one group may send to each of the other. Within a group a
 * signal stays in its instance, where it is sliced as it is held. */
static bool crosses(const struct hosts *from, const struct hosts *to)
{
    if (from->n == 0 || to->n == 0)
        return false;
    return from->n > 1 || to->n > 1 || from->names[0] != to->names[0];
}

static int add_crossing(struct routing *r, const struct walk_signal *signal,
                        const struct placed *source,
                        const struct placed *target, struct error *err)
{
    const struct hosts *from, *to;
    Serried__V1__Crossing *c;

    if (source->scope == target->scope)
        return 0;
    from = hosts_of(r, source->scope);
    to = hosts_of(r, target->scope);
    if (!crosses(from, to))
        return 0;
    c = new_message(r, &serried__v1__crossing__descriptor);
    if (c == NULL)
        return error_exhausted(err);
    c->walk = reply_text(r->check->model->walks[signal->walk].name);
    c->from = reply_text(source->node->name);
    c->to = reply_text(target->node->name);
    c->signal = reply_text(signal->name);
    c->from_hosts = host_names(r, from);
    c->to_hosts = host_names(r, to);
    c->n_from_hosts = from->n;
    c->n_to_hosts = to->n;
    if (c->from_hosts == NULL || c->to_hosts == NULL)
        return error_exhausted(err);
    r->reply->crossings[r->reply->n_crossings++] = c;
    return 0;
}

/* The end of a signal, where it is in the model. */
static const struct placed *placed_end(struct value end)
{
    const struct placed *placed =
        end.state == VALUE_KNOWN ? end.u.object : NULL;

    return placed != NULL && placed->scope->group->index >= 0 ? placed : NULL;
}

static int add_crossings(struct routing *r, struct error *err)
{
    struct value signals = check_signals(r->check);

    if (signals.type != VALUE_LIST)
        return error_exhausted(err);
    r->reply->crossings =
        arena_array(r->arena, signals.count + 1, sizeof(*r->reply->crossings));
    if (r->reply->crossings == NULL)
        return error_exhausted(err);
    for (uint32_t i = 0; i < signals.count; i++) {
        const struct signal_item *item = signals.u.items[i].u.object;
        const struct placed *from = placed_end(item->source);
        const struct placed *to = placed_end(item->target);

        if (from != NULL && to != NULL &&
            add_crossing(r, item->signal, from, to, err) < 0)
            return -1;
    }
    return 0;
}

/* ---- instances ----------------------------------------------------------- */

static bool is_masked(const struct routing *r, const struct scope *scope,
                      uint32_t instance)
{
    size_t first = (size_t)instance * scope->instance;

    for (size_t i = 0; i < scope->instance; i++)
        if (r->is_gone[scope_rank(scope, first + i)])
            return true;
    return false;
}

/* The instances that lack a worker. */
static int mask(const struct routing *r, const struct scope *scope,
                Serried__V1__ReplicaSet *set, struct error *err)
{
    uint32_t *masked, n = 0;
    struct runs runs;

    set->has_usable = true;
    set->usable = set->instances;
    if (r->is_gone == NULL)
        return 0;
    masked = arena_array(r->arena, set->instances + 1u, sizeof(*masked));
    if (masked == NULL)
        return error_exhausted(err);
    for (uint32_t k = 0; k < set->instances; k++)
        if (is_masked(r, scope, k))
            masked[n++] = k;
    set->usable -= n;
    if (runs_encode(r->arena, masked, n, &runs, err) < 0)
        return -1;
    set->masked = arena_array(r->arena, runs.count + 1, sizeof(*set->masked));
    for (size_t i = 0; set->masked != NULL && i < runs.count; i++) {
        set->masked[i] = codec_run(r->arena, &runs.items[i]);
        if (set->masked[i] == NULL)
            return error_exhausted(err);
        set->n_masked++;
    }
    return set->masked != NULL ? 0 : error_exhausted(err);
}

static int add_set(struct routing *r, const struct scope *scope,
                   struct error *err)
{
    Serried__V1__ReplicaSet *set =
        new_message(r, &serried__v1__replica_set__descriptor);

    if (set == NULL)
        return error_exhausted(err);
    set->has_group = set->has_size = set->has_instances = true;
    set->group = (uint32_t)scope->group->index;
    set->size = scope->instance;
    set->instances = (uint32_t)(scope->group->n_ranks / scope->instance);
    set->workers = codec_rank_map(r->arena, scope, err);
    if (set->workers == NULL || mask(r, scope, set, err) < 0)
        return -1;
    r->set_of[set->group] = (int)r->reply->n_replicas;
    r->reply->replicas[r->reply->n_replicas++] = set;
    return 0;
}

/* ---- routes -------------------------------------------------------------- */

static int add_route(struct routing *r, const struct served *served, size_t i,
                     struct error *err)
{
    const struct scope *scope = &r->check->scopes[served->groups[i]];
    Serried__V1__Route *route;

    if (scope->instance == 0)
        return 0; /* it has no layout */
    if (r->set_of[served->groups[i]] < 0 && add_set(r, scope, err) < 0)
        return -1;
    route = new_message(r, &serried__v1__route__descriptor);
    if (route == NULL)
        return error_exhausted(err);
    route->walk = reply_text(served->name);
    route->node = reply_text(r->check->nodes[served->nodes[i]].name);
    route->has_replicas = true;
    route->replicas = (uint32_t)r->set_of[served->groups[i]];
    r->reply->routes[r->reply->n_routes++] = route;
    return 0;
}

static int add_routes(struct routing *r, struct error *err)
{
    const struct check *check = r->check;
    size_t n = 0;

    for (size_t w = 0; w < check->n_served; w++)
        n += check->served[w].n_nodes;
    if (n > ROUTING_ROUTES_MAX)
        return error_set(err, STATUS_EXHAUSTED,
                         "%s has %zu nodes over all its walks, more than %d",
                         r->live->name, n, ROUTING_ROUTES_MAX);
    r->reply->routes = arena_array(r->arena, n + 1, sizeof(*r->reply->routes));
    r->reply->replicas = arena_array(r->arena, check->dep->n_groups + 1,
                                     sizeof(*r->reply->replicas));
    if (r->reply->routes == NULL || r->reply->replicas == NULL)
        return error_exhausted(err);
    for (size_t w = 0; w < check->n_served; w++)
        for (size_t i = 0; i < check->served[w].n_nodes; i++)
            if (check->served[w].groups[i] >= 0 &&
                add_route(r, &check->served[w], i, err) < 0)
                return -1;
    return 0;
}

/* ---- the whole ----------------------------------------------------------- */

/* gone: ascending ranks of the placement. */
static int note_gone(struct routing *r, const uint32_t *gone, size_t n_gone,
                     struct error *err)
{
    Serried__V1__GetRoutingReply *reply = r->reply;

    reply->has_all_gone = true;
    reply->all_gone = (uint32_t)n_gone;
    if (n_gone == 0)
        return 0;
    r->is_gone = arena_array(r->arena, r->live->common.bound, sizeof(bool));
    reply->gone = arena_array(r->arena, ROUTING_GONE_MAX, sizeof(*reply->gone));
    if (r->is_gone == NULL || reply->gone == NULL)
        return error_exhausted(err);
    for (size_t i = 0; i < n_gone; i++)
        r->is_gone[gone[i]] = true;
    for (size_t i = 0; i < n_gone && i < ROUTING_GONE_MAX; i++)
        reply->gone[reply->n_gone++] = gone[i];
    return 0;
}

int routing_make(const struct live *live, routing_host_fn *host,
                 const uint32_t *gone, size_t n_gone, struct arena *arena,
                 Serried__V1__GetRoutingReply *ret, struct error *err)
{
    size_t n_groups = live->check->dep->n_groups;
    struct routing r = {
        .check = live->check,
        .live = live,
        .host = host,
        .arena = arena,
        .set_of = arena_array(arena, n_groups + 1, sizeof(*r.set_of)),
        .hosts = arena_array(arena, n_groups + 1, sizeof(*r.hosts)),
        .reply = ret,
    };

    if (r.set_of == NULL || r.hosts == NULL)
        return error_exhausted(err);
    for (size_t g = 0; g < n_groups; g++)
        r.set_of[g] = -1;
    if (note_gone(&r, gone, n_gone, err) < 0 || add_routes(&r, err) < 0)
        return -1;
    return add_crossings(&r, err);
}
