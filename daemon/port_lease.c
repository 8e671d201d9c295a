/* SPDX-License-Identifier: Apache-2.0 */
/* Leases of ports: whose they are, and how records keep them. */
#include <stdlib.h>
#include <string.h>

#include "daemon/bind.h"
#include "daemon/live.h"

/* ---- seats --------------------------------------------------------------- */

static uint32_t count_instances(const struct check *check)
{
    uint32_t n = 0;

    for (size_t g = 0; g < check->dep->n_groups; g++)
        n += (uint32_t)check->scopes[g].n_instances;
    return n;
}

static uint32_t count_seats(const struct live *live, enum port_on on)
{
    switch (on) {
    case PORT_ON_FIRST_RANK:
        return 1;
    case PORT_ON_EACH_HOST:
        return live->bound != NULL ? live->bound->n_hosts : 1;
    case PORT_ON_EACH_INSTANCE:
        return count_instances(live->check);
    case PORT_ON_EACH_RANK:
    case PORT_ON_COUNT:
        break;
    }
    return live->common.n_ranks;
}

static void find_by_run(const struct live *live, struct port_lease *lease)
{
    for (size_t i = 0; i < live->bound->n_runs; i++) {
        const struct device_run *run = &live->bound->runs[i];

        if (lease->on != PORT_ON_EACH_RANK) {
            if (run->node < lease->n)
                lease->hosts[run->node] = run->host;
            continue;
        }
        for (uint32_t k = 0; k < run->count && run->start + k < lease->n; k++)
            lease->hosts[run->start + k] = run->host;
    }
}

/* The first rank of an instance has its port. -1: no memory. */
static int find_by_instance(const struct live *live, struct port_lease *lease)
{
    uint32_t *positions = bind_positions(live), seat = 0;

    if (positions == NULL)
        return -1;
    for (size_t g = 0; g < live->check->dep->n_groups; g++) {
        const struct scope *scope = &live->check->scopes[g];

        for (size_t k = 0; k < scope->n_instances; k++)
            lease->hosts[seat++] = (struct inventory_host *)bound_host(
                live->bound, positions[scope_rank(scope, k * scope->instance)]);
    }
    free(positions);
    return 0;
}

/* An instance of a placement that cannot be read may be anywhere. */
static int find_hosts(const struct live *live, struct port_lease *lease)
{
    if (live->bound == NULL)
        return 0;
    if (lease->on == PORT_ON_EACH_INSTANCE)
        return live->check != NULL ? find_by_instance(live, lease) : 0;
    find_by_run(live, lease);
    return 0;
}

static int make_lease(struct live *live, struct port_lease *lease,
                      struct error *err)
{
    lease->hosts =
        arena_array(live->arena, lease->n + 1, sizeof(*lease->hosts));
    lease->ports =
        arena_array(live->arena, lease->n + 1, sizeof(*lease->ports));
    if (lease->hosts == NULL || lease->ports == NULL ||
        find_hosts(live, lease) < 0)
        return error_exhausted(err);
    return 0;
}

int port_leases_make(struct live *live, struct error *err)
{
    const struct port_wishes *wishes = live->check->dep->ports;
    struct port_lease *items =
        arena_array(live->arena, wishes->n, sizeof(*items));

    if (items == NULL)
        return error_exhausted(err);
    for (size_t i = 0; i < wishes->n; i++) {
        items[i].purpose = wishes->items[i].purpose;
        items[i].on = wishes->items[i].on;
        items[i].n = count_seats(live, items[i].on);
        if (make_lease(live, &items[i], err) < 0)
            return -1;
    }
    live->ports.items = items;
    live->ports.n = wishes->n;
    return 0;
}

/* ---- reading ------------------------------------------------------------- */

static int no_sense(const char *purpose, struct error *err)
{
    return error_set(err, STATUS_INTERNAL,
                     "the record's ports for %.32s make no sense", purpose);
}

static int read_run(struct port_lease *lease, const Serried__V1__PortRun *run,
                    uint32_t *at)
{
    int64_t port = run->first;
    int64_t stride = run->has_stride ? run->stride : 1;
    uint32_t count = run->has_count ? run->count : 1;

    if (count > lease->n - *at)
        return -1;
    for (uint32_t k = 0; k < count; k++, port += stride) {
        if (port < 1 || port > UINT16_MAX)
            return -1;
        lease->ports[(*at)++] = (uint16_t)port;
    }
    return 0;
}

static int read_lease(struct port_lease *lease,
                      const Serried__V1__PortLease *from, struct error *err)
{
    uint32_t at = 0;

    for (size_t i = 0; i < from->n_runs; i++)
        if (read_run(lease, from->runs[i], &at) < 0)
            return no_sense(lease->purpose, err);
    return at == lease->n ? 0 : no_sense(lease->purpose, err);
}

static const Serried__V1__PortLease *
find_lease(const Serried__V1__PlacementRecord *record, const char *purpose)
{
    for (size_t i = 0; i < record->n_ports; i++)
        if (record->ports[i]->purpose != NULL &&
            strcmp(record->ports[i]->purpose, purpose) == 0)
            return record->ports[i];
    return NULL;
}

static int read_leases(struct live *live,
                       const Serried__V1__PlacementRecord *record,
                       struct error *err)
{
    if (live->ports.items == NULL && port_leases_make(live, err) < 0)
        return -1;
    if (record->n_ports == 0) { /* from before there were purposes */
        live->ports.items[0].ports[0] = (uint16_t)record->port;
        live->ports.n = record->port != 0 ? 1 : 0;
        return 0;
    }
    for (size_t i = 0; i < live->ports.n; i++) {
        struct port_lease *lease = &live->ports.items[i];
        const Serried__V1__PortLease *from = find_lease(record, lease->purpose);

        if (from == NULL)
            return no_sense(lease->purpose, err);
        if (read_lease(lease, from, err) < 0)
            return -1;
    }
    return 0;
}

/* Of a placement whose documents cannot be read: as many as it says. */
static int read_unread(struct live *live,
                       const Serried__V1__PlacementRecord *record,
                       struct error *err)
{
    static const Serried__V1__PortLease old = SERRIED__V1__PORT_LEASE__INIT;
    size_t n = record->n_ports > 0 ? record->n_ports : record->port != 0;
    struct port_lease *items = arena_array(live->arena, n + 1, sizeof(*items));

    if (items == NULL)
        return error_exhausted(err);
    for (size_t i = 0; i < n; i++) {
        const Serried__V1__PortLease *from =
            record->n_ports > 0 ? record->ports[i] : &old;

        items[i].purpose = arena_strdup(
            live->arena, from->purpose != NULL ? from->purpose : port_master);
        items[i].on = PORT_ON_EACH_INSTANCE;
        for (int on = 0; on < PORT_ON_COUNT; on++)
            if (strcmp(from->on != NULL ? from->on : "first_rank",
                       port_on_name((enum port_on)on)) == 0)
                items[i].on = (enum port_on)on;
        items[i].n = from->has_seats ? from->seats : 1;
        if (items[i].purpose == NULL || items[i].n > PLACE_RANKS_MAX)
            return no_sense(port_master, err);
        if (make_lease(live, &items[i], err) < 0)
            return -1;
        if (record->n_ports == 0)
            items[i].ports[0] = (uint16_t)record->port;
        else if (read_lease(&items[i], from, err) < 0)
            return -1;
    }
    live->ports.items = items;
    live->ports.n = n;
    return 0;
}

int port_leases_read(struct live *live, struct inventory *inventory,
                     const Serried__V1__PlacementRecord *record,
                     struct error *err)
{
    int rc = live->check != NULL ? read_leases(live, record, err)
                                 : read_unread(live, record, err);

    if (rc < 0)
        return -1;
    live->ports.moved = record->ports_moved;
    live->ports.moving = 0;
    return port_rests_read(live->arena, inventory, record, &live->ports, err);
}

/* ---- writing ------------------------------------------------------------- */

/* The run that begins at a seat. */
static uint32_t run_at(const struct port_lease *lease, uint32_t at,
                       Serried__V1__PortRun *to)
{
    int32_t stride = 1;
    uint32_t n = 1;

    if (at + 1 < lease->n)
        stride = lease->ports[at + 1] - lease->ports[at];
    while (at + n < lease->n &&
           lease->ports[at + n] - lease->ports[at + n - 1] == stride)
        n++;
    if (n == 1)
        stride = 1;
    if (to != NULL) {
        serried__v1__port_run__init(to);
        to->has_first = true;
        to->first = lease->ports[at];
        to->has_count = n != 1;
        to->count = n;
        to->has_stride = stride != 1;
        to->stride = stride;
    }
    return n;
}

static Serried__V1__PortLease *write_lease(const struct port_lease *lease,
                                           struct arena *arena)
{
    Serried__V1__PortLease *to = arena_alloc(arena, sizeof(*to));
    Serried__V1__PortRun *runs;
    size_t n = 0;

    for (uint32_t at = 0; at < lease->n; n++)
        at += run_at(lease, at, NULL);
    runs = arena_array(arena, n + 1, sizeof(*runs));
    if (to == NULL || runs == NULL)
        return NULL;
    serried__v1__port_lease__init(to);
    to->purpose = (char *)lease->purpose;
    to->on = (char *)port_on_name(lease->on);
    to->has_seats = true;
    to->seats = lease->n;
    to->runs = arena_array(arena, n + 1, sizeof(*to->runs));
    if (to->runs == NULL)
        return NULL;
    for (uint32_t at = 0; at < lease->n;) {
        at += run_at(lease, at, &runs[to->n_runs]);
        to->runs[to->n_runs] = &runs[to->n_runs];
        to->n_runs++;
    }
    return to;
}

int port_leases_write(const struct port_leases *leases, struct arena *arena,
                      Serried__V1__PlacementRecord *record)
{
    record->ports = arena_array(arena, leases->n + 1, sizeof(*record->ports));
    if (record->ports == NULL)
        return -1;
    for (size_t i = 0; i < leases->n; i++) {
        record->ports[i] = write_lease(&leases->items[i], arena);
        if (record->ports[i] == NULL)
            return -1;
        record->n_ports++;
    }
    record->has_ports_moved = leases->moved != 0;
    record->ports_moved = leases->moved;
    return port_rests_write(leases, arena, record);
}

/* ---- who has what -------------------------------------------------------- */

void port_walk(const struct port_leases *leases, int64_t now_ms,
               port_visit_fn *visit, void *arg)
{
    for (size_t i = 0; i < leases->n; i++)
        for (uint32_t seat = 0; seat < leases->items[i].n; seat++)
            visit(arg, leases->items[i].hosts[seat],
                  leases->items[i].ports[seat]);
    for (size_t i = 0; i < leases->n_rests; i++) {
        const struct port_rest *rest = &leases->rests[i];

        for (uint32_t k = 0; rest->until_ms > now_ms && k < rest->count; k++)
            visit(arg, rest->host, rest->first + k);
    }
    if (leases->moving != 0)
        visit(arg, leases->moving_host, leases->moving);
}
