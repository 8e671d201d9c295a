/* SPDX-License-Identifier: Apache-2.0 */
/* Placement.GetRouting: which workers run which node. */
#include "client/libserry/convert.h"
#include "proto/expand_map.h"

static const ProtobufCServiceDescriptor *const service =
    &serried__v1__placement__descriptor;

/* Ranks of one answer over all its replicas: 16 MiB. */
enum { POSITIONS_MAX = EXPAND_POSITIONS_MAX };

/* ---- replicas ------------------------------------------------------------ */

static int read_ranks(struct arena *arena, const Serried__V1__ReplicaSet *from,
                      size_t *positions, struct serry_replicas *to,
                      struct error *err)
{
    struct expand_map map = { 0 };
    uint32_t bound, *ranks;

    if (from->workers == NULL)
        return error_set(err, STATUS_INVALID, "there are no workers");
    if (expand_map(arena, from->workers, &bound, &map, err) < 0)
        return -1;
    if (to->size == 0 || map.positions % to->size != 0 ||
        map.positions / to->size != to->instances)
        return error_set(err, STATUS_INVALID,
                         "%u workers are no %u instances of %u ranks",
                         (unsigned)map.positions, (unsigned)to->instances,
                         (unsigned)to->size);
    *positions += map.positions;
    if (*positions > POSITIONS_MAX)
        return error_set(err, STATUS_INVALID, "there are more than %d workers",
                         (int)POSITIONS_MAX);
    ranks = arena_array(arena, map.positions, sizeof(*ranks));
    if (ranks == NULL)
        return error_exhausted(err);
    for (uint32_t i = 0; i < map.positions; i++)
        ranks[i] = (map.ranks != NULL ? map.ranks[i] : i) + map.offset;
    to->ranks = ranks;
    return 0;
}

static int read_masked(struct arena *arena, const Serried__V1__ReplicaSet *from,
                       struct serry_replicas *to, struct error *err)
{
    bool *masked = arena_array(arena, to->instances, sizeof(*masked));
    const uint32_t *numbers = NULL;
    uint32_t n = 0;

    if (masked == NULL)
        return error_exhausted(err);
    if (from->n_masked > 0 &&
        expand_runs(arena, from->masked, from->n_masked, &numbers, &n, err) < 0)
        return -1;
    to->usable = to->instances;
    for (uint32_t i = 0; i < n; i++) {
        if (numbers[i] >= to->instances || masked[numbers[i]])
            return error_set(err, STATUS_INVALID,
                             "the masked instance %u is out of range",
                             (unsigned)numbers[i]);
        masked[numbers[i]] = true;
        to->usable--;
    }
    to->masked = masked;
    return 0;
}

static int read_replicas(struct arena *arena,
                         const Serried__V1__GetRoutingReply *from,
                         struct serry_routing *to, struct error *err)
{
    struct serry_replicas *all =
        arena_array(arena, from->n_replicas + 1, sizeof(*all));
    size_t positions = 0;

    if (all == NULL)
        return error_exhausted(err);
    for (size_t i = 0; i < from->n_replicas; i++) {
        const Serried__V1__ReplicaSet *set = from->replicas[i];

        all[i].group = set->group;
        all[i].size = set->size;
        all[i].instances = set->instances;
        if (read_ranks(arena, set, &positions, &all[i], err) < 0 ||
            read_masked(arena, set, &all[i], err) < 0)
            return error_wrap(err, "replicas %zu", i);
    }
    to->replicas = all;
    to->n_replicas = from->n_replicas;
    return 0;
}

/* ---- routes and crossings ------------------------------------------------ */

static int read_routes(struct arena *arena,
                       const Serried__V1__GetRoutingReply *from,
                       struct serry_routing *to, struct error *err)
{
    struct serry_route *all =
        arena_array(arena, from->n_routes + 1, sizeof(*all));

    if (all == NULL)
        return error_exhausted(err);
    for (size_t i = 0; i < from->n_routes; i++) {
        const Serried__V1__Route *route = from->routes[i];

        if (route->replicas >= to->n_replicas)
            return error_set(err, STATUS_INVALID,
                             "route %zu goes to replicas that are not there",
                             i);
        all[i] = (struct serry_route){ convert_text(route->walk),
                                       convert_text(route->node),
                                       &to->replicas[route->replicas] };
    }
    to->routes = all;
    to->n_routes = from->n_routes;
    return 0;
}

static int read_crossings(struct arena *arena,
                          const Serried__V1__GetRoutingReply *from,
                          struct serry_routing *to, struct error *err)
{
    struct serry_crossing *all =
        arena_array(arena, from->n_crossings + 1, sizeof(*all));

    if (all == NULL)
        return error_exhausted(err);
    for (size_t i = 0; i < from->n_crossings; i++) {
        const Serried__V1__Crossing *c = from->crossings[i];

        all[i] = (struct serry_crossing){
            .walk = convert_text(c->walk),
            .from = convert_text(c->from),
            .to = convert_text(c->to),
            .signal = convert_text(c->signal),
            .n_from_hosts = c->n_from_hosts,
            .from_hosts = (const char *const *)c->from_hosts,
            .n_to_hosts = c->n_to_hosts,
            .to_hosts = (const char *const *)c->to_hosts,
        };
    }
    to->crossings = all;
    to->n_crossings = from->n_crossings;
    return 0;
}

/* ---- the whole ----------------------------------------------------------- */

static int read_routing(struct arena *arena,
                        const Serried__V1__GetRoutingReply *from,
                        struct serry_routing *to, struct error *err)
{
    to->generation = convert_generation(from->generation);
    to->state = convert_text(from->state);
    to->n_gone = from->all_gone;
    to->gone = from->gone;
    to->n_gone_named = from->n_gone;
    if (read_replicas(arena, from, to, err) < 0 ||
        read_routes(arena, from, to, err) < 0)
        return -1;
    return read_crossings(arena, from, to, err);
}

int serry_get_routing(struct serry_client *client, const char *name,
                      struct serry_routing **ret_routing,
                      struct serry_error *err)
{
    Serried__V1__GetRoutingRequest request =
        SERRIED__V1__GET_ROUTING_REQUEST__INIT;
    struct serry_routing *result;
    struct call_reply reply;
    struct error inner;

    request.placement = (char *)name;
    if (call_method(client, service, "GetRouting", &request.base, 0, false,
                    &reply, err) < 0)
        return -1;
    result = result_new(reply.arena, sizeof(*result));
    if (result != NULL &&
        read_routing(reply.arena, reply.message, result, &inner) < 0) {
        if (inner.status == STATUS_INVALID)
            inner.status = STATUS_INTERNAL; /* the daemon's fault */
        arena_free(reply.arena);
        return refuse_from(err, &inner);
    }
    if (convert_done(reply.arena, result, err) < 0)
        return -1;
    *ret_routing = result;
    return 0;
}
