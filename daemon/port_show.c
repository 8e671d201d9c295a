/* SPDX-License-Identifier: Apache-2.0 */
/* Ports, as workers and operators are told. */
#include <inttypes.h>
#include <string.h>

#include "daemon/bind.h"
#include "daemon/live.h"

enum {
    RUNS_SHOWN_MAX = 1024, /* of one purpose */
};

/* ---- of one rank --------------------------------------------------------- */

/* Where a rank is, and what it is the lowest or first of. */
struct standing {
    const struct live *live;
    struct inventory *inventory;
    struct arena *arena;
    uint32_t rank, position;
    struct bound_at at; /* where it is bound */
    Serried__V1__Port **ports;
    size_t n, room;
};

/* Whether the rank is in an instance of a node group; which, and its place. */
static bool find_instance(const struct standing *s, size_t group,
                          uint32_t *ret_instance, uint32_t *ret_place)
{
    struct check *check = s->live->check;
    int64_t position = -1;

    for (size_t i = 0; i < check->n_placed && position < 0; i++)
        if (check->placed[i].scope == &check->scopes[group])
            position = assignment_position(check, &check->placed[i], s->rank);
    if (position < 0)
        return false;
    *ret_instance = (uint32_t)position / check->scopes[group].instance;
    *ret_place = (uint32_t)position % check->scopes[group].instance;
    return true;
}

static Serried__V1__Port *add_port(struct standing *s,
                                   const struct port_lease *lease,
                                   uint32_t seat, bool confirms)
{
    Serried__V1__Port *port = arena_alloc(s->arena, sizeof(*port));
    const struct inventory_host *host = lease->hosts[seat];

    if (port == NULL || s->n == s->room)
        return NULL;
    serried__v1__port__init(port);
    port->purpose = (char *)lease->purpose;
    port->has_port = true;
    port->port = lease->ports[seat];
    port->on = (char *)port_on_name(lease->on);
    if (host != NULL)
        port->address = (char *)bind_address(s->inventory, host);
    port->has_confirms = confirms;
    port->confirms = confirms;
    s->ports[s->n++] = port;
    return port;
}

static int add_instances(struct standing *s, const struct port_lease *lease)
{
    uint32_t first = 0;

    for (size_t g = 0; g < s->live->check->dep->n_groups; g++) {
        uint32_t instance, place;

        if (find_instance(s, g, &instance, &place)) {
            Serried__V1__Port *port =
                add_port(s, lease, first + instance, place == 0);

            if (port == NULL)
                return -1;
            port->has_group = port->has_instance = true;
            port->group = (uint32_t)g;
            port->instance = instance;
        }
        first += (uint32_t)s->live->check->scopes[g].n_instances;
    }
    return 0;
}

static int add_lease(struct standing *s, const struct port_lease *lease)
{
    uint32_t seat = 0;
    bool confirms = s->position == 0;

    if (lease->on == PORT_ON_EACH_INSTANCE)
        return add_instances(s, lease);
    if (lease->on == PORT_ON_EACH_RANK) {
        seat = s->position;
        confirms = true;
    } else if (lease->on == PORT_ON_EACH_HOST && s->live->bound != NULL) {
        seat = s->at.node;
        confirms = s->at.local_rank == 0;
    }
    return add_port(s, lease, seat, confirms) != NULL ? 0 : -1;
}

static bool stand(struct standing *s)
{
    bool by_host = false;

    if (!bind_position(s->live, s->rank, &s->position))
        return false;
    for (size_t i = 0; i < s->live->ports.n; i++)
        by_host |= s->live->ports.items[i].on == PORT_ON_EACH_HOST;
    if (by_host && s->live->bound != NULL) /* it looks at every host */
        bound_find(s->live->bound, s->position, &s->at);
    return true;
}

int port_messages(struct inventory *inventory, const struct live *live,
                  struct arena *arena, uint32_t rank, Serried__V1__Port ***ret,
                  size_t *ret_n, struct error *err)
{
    struct standing s = {
        .live = live, .inventory = inventory, .arena = arena, .rank = rank
    };

    for (size_t i = 0; i < live->ports.n; i++)
        s.room += live->ports.items[i].on == PORT_ON_EACH_INSTANCE
                      ? live->check->dep->n_groups
                      : 1;
    s.ports = arena_array(arena, s.room + 1, sizeof(Serried__V1__Port *));
    if (s.ports == NULL)
        return error_exhausted(err);
    if (stand(&s))
        for (size_t i = 0; i < live->ports.n; i++)
            if (add_lease(&s, &live->ports.items[i]) < 0)
                return error_exhausted(err);
    *ret = s.ports;
    *ret_n = s.n;
    return 0;
}

/* ---- what a rank confirms ------------------------------------------------ */

static struct port_lease *find_lease(const struct live *live,
                                     const char *purpose, struct error *err)
{
    const char *names[PORT_PURPOSES_MAX];
    const char *near;

    for (size_t i = 0; i < live->ports.n; i++) {
        names[i] = live->ports.items[i].purpose;
        if (strcmp(names[i], purpose) == 0)
            return &live->ports.items[i];
    }
    near = text_nearest(purpose, names, live->ports.n);
    error_set(err, STATUS_UNKNOWN_NAME, "%s has no port for \"%.40s\"%s%s",
              live->name, purpose, near != NULL ? "; the nearest is " : "",
              near != NULL ? near : "");
    return NULL;
}

/* The seat of an instance, all groups counted; -1: there is none. */
static int64_t seat_of_instance(const struct standing *s,
                                const Serried__V1__Port *told, bool *confirms)
{
    const struct check *check = s->live->check;
    uint32_t instance, place;
    int64_t seat = 0;

    if (told->group >= check->dep->n_groups ||
        !find_instance(s, told->group, &instance, &place) ||
        instance != told->instance)
        return -1;
    for (uint32_t g = 0; g < told->group; g++)
        seat += (int64_t)check->scopes[g].n_instances;
    *confirms = place == 0;
    return seat + instance;
}

int port_seat_of(const struct live *live, uint32_t rank,
                 const Serried__V1__Port *told, struct port_lease **ret_lease,
                 uint32_t *ret_seat, struct error *err)
{
    struct standing s = { .live = live, .rank = rank };
    struct port_lease *lease =
        find_lease(live, told->purpose != NULL ? told->purpose : "", err);
    bool confirms = true;
    int64_t seat = 0;

    if (lease == NULL)
        return -1;
    if (!stand(&s))
        return error_set(err, STATUS_UNKNOWN_NAME, "%s has no rank %" PRIu32,
                         live->name, rank);
    if (lease->on == PORT_ON_EACH_INSTANCE) {
        seat = seat_of_instance(&s, told, &confirms);
    } else if (lease->on == PORT_ON_EACH_RANK) {
        seat = s.position;
    } else if (lease->on == PORT_ON_EACH_HOST && live->bound != NULL) {
        seat = s.at.node;
        confirms = s.at.local_rank == 0;
    } else {
        confirms = s.position == 0;
    }
    if (seat < 0)
        return error_set(err, STATUS_UNKNOWN_NAME,
                         "rank %" PRIu32 " of %s is not in instance %" PRIu32
                         " of node group %" PRIu32,
                         rank, live->name, told->instance, told->group);
    if (!confirms)
        return error_set(err, STATUS_REFUSED,
                         "the port for %s is reported by %s, not by rank "
                         "%" PRIu32,
                         lease->purpose, port_on_binder(lease->on), rank);
    *ret_lease = lease;
    *ret_seat = (uint32_t)seat;
    return 0;
}

/* ---- all of them --------------------------------------------------------- */

/* Neighbouring ports of one host are one run. */
static int list_runs(const struct port_lease *lease, struct arena *arena,
                     Serried__V1__PortLease *to)
{
    Serried__V1__PortRun *run = NULL;

    to->runs = arena_array(arena, RUNS_SHOWN_MAX, sizeof(*to->runs));
    if (to->runs == NULL)
        return -1;
    for (uint32_t seat = 0; seat < lease->n; seat++) {
        const struct inventory_host *host = lease->hosts[seat];

        if (run != NULL && lease->hosts[seat - 1] == host &&
            run->first + run->count == lease->ports[seat]) {
            run->count++;
            run->has_count = true;
            continue;
        }
        if (to->n_runs == RUNS_SHOWN_MAX)
            return 0;
        run = arena_alloc(arena, sizeof(*run));
        if (run == NULL)
            return -1;
        serried__v1__port_run__init(run);
        run->host = host != NULL ? (char *)host->name : NULL;
        run->has_first = true;
        run->first = lease->ports[seat];
        run->count = 1;
        to->runs[to->n_runs++] = run;
    }
    return 0;
}

Serried__V1__PortLease **port_list(const struct live *live, struct arena *arena)
{
    size_t n = live->ports.n;
    Serried__V1__PortLease **to = arena_array(arena, n + 1, sizeof(*to));

    for (size_t i = 0; to != NULL && i < n; i++) {
        const struct port_lease *lease = &live->ports.items[i];

        to[i] = arena_alloc(arena, sizeof(*to[i]));
        if (to[i] == NULL)
            return NULL;
        serried__v1__port_lease__init(to[i]);
        to[i]->purpose = (char *)lease->purpose;
        to[i]->on = (char *)port_on_name(lease->on);
        to[i]->has_seats = true;
        to[i]->seats = lease->n;
        if (list_runs(lease, arena, to[i]) < 0)
            return NULL;
    }
    return to;
}
