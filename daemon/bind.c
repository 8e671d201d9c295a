/* SPDX-License-Identifier: Apache-2.0 */
/* Binds placements to devices. */
#include "daemon/bind.h"

#include <stdlib.h>
#include <string.h>

#include "daemon/bind_evict.h"
#include "daemon/bind_parts.h"

/* ---- what is asked for --------------------------------------------------- */

/* The ranks of a placement, ascending, in arena. */
static int list_ranks(const struct live *live, struct arena *arena,
                      struct place_ranks *ret, struct error *err)
{
    const struct assignment_common *common = &live->common;
    uint32_t *ranks = arena_array(arena, common->n_ranks + 1, sizeof(*ranks));
    uint32_t n = 0;

    if (ranks == NULL)
        return error_exhausted(err);
    for (uint32_t rank = 0; rank < common->bound && n < common->n_ranks; rank++)
        if (common->used[rank])
            ranks[n++] = rank;
    *ret = (struct place_ranks){ ranks, n, common->bound == n };
    return 0;
}

int bind_request(const struct live *live, struct arena *arena,
                 uint32_t n_spares, struct place_request *ret,
                 struct place_ranks *ret_ranks, struct error *err)
{
    struct place_axis *axes;
    size_t n_axes;

    if (list_ranks(live, arena, ret_ranks, err) < 0)
        return -1;
    if (n_spares > PLACE_RANKS_MAX - ret_ranks->n)
        return error_set(err, STATUS_EXHAUSTED,
                         "%u ranks and %u spares; at most %d devices can be "
                         "asked for",
                         ret_ranks->n, n_spares, PLACE_RANKS_MAX);
    if (place_axes_make(live->check, arena, ret_ranks, ret_ranks->n + n_spares,
                        &axes, &n_axes, err) < 0)
        return -1;
    *ret = (struct place_request){ .n_ranks = ret_ranks->n + n_spares,
                                   .axes = axes,
                                   .n_axes = n_axes };
    return 0;
}

/* ---- binding ------------------------------------------------------------- */

struct binding {
    struct state *state;
    struct live *live;
    const struct live *before;
    struct arena *arena; /* for the time of it */
    const struct topology *topology;
    struct place_ranks ranks;
    struct place_request request;
    struct occupancy occupancy;
    uint32_t *devices; /* by position */
    uint32_t n_spares;
    struct place_refusal refusal;
    struct error *err;
};

/* Devices of the same ranks before; spares keep theirs too. */
static int read_before(struct binding *b, uint32_t **ret_from,
                       uint32_t **ret_spares)
{
    const struct bound *was = b->before->bound;
    struct place_ranks ranks = { 0 };
    uint32_t *held =
        arena_array(b->arena, was->n_ranks + was->n_spares + 1, sizeof(*held));
    uint32_t *from =
        arena_array(b->arena, b->request.n_ranks + 1, sizeof(*from));

    if (held == NULL || from == NULL)
        return error_exhausted(b->err);
    bound_devices(was, b->topology, held);
    for (uint32_t p = 0; p < b->request.n_ranks; p++)
        from[p] = DEVICE_NONE;
    if (b->before->check != NULL &&
        list_ranks(b->before, b->arena, &ranks, b->err) < 0)
        return -1;
    for (uint32_t p = 0, i = 0; p < b->ranks.n && i < ranks.n;) {
        if (b->ranks.ranks[p] == ranks.ranks[i])
            from[p] = held[i];
        if (b->ranks.ranks[p] <= ranks.ranks[i])
            p++;
        else
            i++;
    }
    *ret_from = from;
    *ret_spares = held + was->n_ranks;
    return 0;
}

/* Everything taken but the placement's own devices and its spares. */
static int only_own(struct binding *b, const uint32_t *from,
                    const uint32_t *spares, struct occupancy *ret)
{
    static const char *const nobody[] = { "" };
    uint32_t n = b->topology->n_devices;
    uint32_t *holders = arena_array(b->arena, n + 1, sizeof(*holders));

    if (holders == NULL)
        return error_exhausted(b->err);
    memset(holders, 0, n * sizeof(*holders));
    for (uint32_t p = 0; p < b->ranks.n; p++)
        if (from[p] != DEVICE_NONE)
            holders[from[p]] = HOLDER_NONE;
    for (uint32_t i = 0; i < b->before->bound->n_spares; i++)
        if (spares[i] != DEVICE_NONE &&
            b->occupancy.holders[spares[i]] == HOLDER_NONE)
            holders[spares[i]] = HOLDER_NONE;
    *ret = (struct occupancy){ holders, nobody, 1 };
    return 0;
}

static bool takes_spares(const struct topology *topology, uint32_t device)
{
    const struct host *host = &topology->hosts[topology->devices[device].host];

    return host->state == HOST_READY && !host->spare;
}

/* Fills the spares from what is left: those of before first, then in the order
 * of the inventory, as many as there are. */
static void fill_spares(struct binding *b, const uint32_t *spares, bool *taken)
{
    const struct topology *topology = b->topology;
    uint32_t want = b->live->check->dep->wish.spares, n = 0;

    for (uint32_t p = 0; p < b->ranks.n; p++)
        taken[b->devices[p]] = true;
    for (uint32_t i = 0;
         i < b->before->bound->n_spares + topology->n_devices && n < want;
         i++) {
        uint32_t device = i < b->before->bound->n_spares
                              ? spares[i]
                              : i - b->before->bound->n_spares;

        if (device == DEVICE_NONE || taken[device] ||
            b->occupancy.holders[device] != HOLDER_NONE ||
            !takes_spares(topology, device))
            continue;
        taken[device] = true;
        b->devices[b->ranks.n + n++] = device;
    }
    b->n_spares = n;
}

/* A device that others hold by now cannot be kept: only where a shared
 * placement becomes one that is not. */
static void let_go_of_held(const struct binding *b, uint32_t *from)
{
    for (uint32_t p = 0; p < b->ranks.n; p++)
        if (from[p] != DEVICE_NONE &&
            b->occupancy.holders[from[p]] != HOLDER_NONE)
            from[p] = DEVICE_NONE;
}

static int place_anew(struct binding *b)
{
    struct replace_from from = { 0 };
    struct replacement moved;
    struct occupancy own;
    uint32_t *devices = NULL, *spares = NULL;
    struct place_request request = b->request;
    bool *taken =
        arena_array(b->arena, b->topology->n_devices + 1, sizeof(*taken));

    if (read_before(b, &devices, &spares) < 0)
        return -1;
    let_go_of_held(b, devices);
    from.devices = devices;
    request.n_ranks = b->ranks.n;
    moved.rebuilt =
        arena_array(b->arena, request.n_axes + 1, sizeof(*moved.rebuilt));
    if (taken == NULL || moved.rebuilt == NULL)
        return error_exhausted(b->err);
    if (b->before->bound->n_spares > 0) {
        if (only_own(b, devices, spares, &own) < 0)
            return -1;
        if (replace(b->arena, b->topology, &own, &request, &from, b->devices,
                    NULL, &moved, &b->refusal, b->err) == 0 &&
            !moved.packed_anew)
            goto placed;
    }
    if (replace(b->arena, b->topology, &b->occupancy, &request, &from,
                b->devices, NULL, &moved, &b->refusal, b->err) < 0)
        return -1;
placed:
    fill_spares(b, spares, taken);
    b->live->moves = bind_moves(&request, &moved, b->live->arena);
    return b->live->moves != NULL ? 0 : error_exhausted(b->err);
}

static int prepare(struct binding *b)
{
    const struct binding_wish *wish = &b->live->check->dep->wish;

    b->n_spares = wish->spares;
    if (bind_request(b->live, b->arena, wish->spares, &b->request, &b->ranks,
                     b->err) < 0)
        return -1;
    b->devices =
        arena_array(b->arena, b->request.n_ranks + 1, sizeof(*b->devices));
    if (b->devices == NULL)
        return error_exhausted(b->err);
    return bind_occupancy(b->state, b->topology, b->arena, b->live->name,
                          wish->shared, &b->occupancy, b->err);
}

static int run(struct binding *b)
{
    struct live *live = b->live;
    int rc;

    if (prepare(b) < 0)
        return -1;
    if (b->before != NULL && b->before->bound != NULL)
        rc = place_anew(b);
    else
        rc = place(b->arena, b->topology, &b->occupancy, &b->request,
                   b->devices, NULL, &b->refusal, b->err);
    if (rc < 0)
        return -1;
    live->bound = bound_make(live->arena, state_inventory(b->state),
                             b->topology, b->devices, b->ranks.n, b->n_spares,
                             live->check->dep->wish.shared);
    return live->bound != NULL ? 0 : error_exhausted(b->err);
}

/* Whether the runtime's framework would start on these devices: it may not only
 * where the request wants less than that needs. */
static int judge(struct binding *b, char **ret_findings)
{
    struct place_request request = b->request;
    struct place_report *reports =
        arena_array(b->arena, request.n_axes + 1, sizeof(*reports));
    const struct place_axis *broken;

    request.n_ranks = b->ranks.n;
    if (reports == NULL)
        return error_exhausted(b->err);
    if (place_check(b->arena, b->topology, &request, b->devices, reports,
                    b->err) < 0)
        return -1;
    broken = place_broken(&request, reports);
    if (broken == NULL)
        return 0;
    *ret_findings = bind_broken(&request, reports, broken, b->err);
    return -1;
}

static bool wants_less(const struct place_request *request)
{
    for (size_t a = 0; a < request->n_axes; a++)
        if (request->axes[a].code != NULL &&
            request->axes[a].want > request->axes[a].least)
            return true;
    return false;
}

/* Who would have to let go is to be searched for. Ranks that are placed anew
 * ask for no spares. */
static struct eviction *plan_search(struct binding *b)
{
    struct place_request request = b->request;

    if (b->before != NULL && b->before->bound != NULL)
        request.n_ranks = b->ranks.n;
    return eviction_new(b->arena, state_inventory(b->state), b->topology,
                        &b->occupancy, &request, &b->refusal);
}

/* Why there are no devices. */
static void refuse(struct binding *b, struct eviction **ret_search,
                   char **ret_findings)
{
    bind_refused(b->topology, &b->refusal, b->err);
    if (ret_search != NULL && b->refusal.outcome == PLACE_NOT_NOW)
        *ret_search = plan_search(b);
    if (ret_search == NULL || *ret_search == NULL)
        *ret_findings =
            bind_refusal(&b->refusal, b->topology, &b->occupancy, NULL);
}

static int bind_in(struct arena *arena, struct state *state, struct live *live,
                   const struct live *before, struct eviction **ret_search,
                   char **ret_findings, struct error *err)
{
    struct binding b = { .state = state,
                         .live = live,
                         .before = before,
                         .arena = arena,
                         .err = err };
    int rc;

    if (arena == NULL)
        return error_exhausted(err);
    b.topology = inventory_topology(state_inventory(state), err);
    if (b.topology == NULL)
        return -1;
    rc = run(&b);
    if (rc < 0 && b.refusal.outcome != PLACE_DONE)
        refuse(&b, ret_search, ret_findings);
    if (rc == 0 && wants_less(&b.request))
        rc = judge(&b, ret_findings);
    return rc;
}

static bool wants_no_devices(struct state *state, const struct live *live)
{
    return inventory_count(state_inventory(state)) == 0 ||
           live->check->dep->wish.unbound;
}

int bind_live(struct state *state, struct live *live, const struct live *before,
              char **ret_findings, struct error *err)
{
    struct arena *arena;
    int rc;

    *ret_findings = NULL;
    if (wants_no_devices(state, live))
        return 0;
    arena = state_scratch(state, BIND_BYTES_MAX);
    rc = bind_in(arena, state, live, before, NULL, ret_findings, err);
    if (arena != NULL)
        arena_rest(arena, BIND_BYTES_KEPT);
    return rc;
}

int bind_search(struct state *state, struct live *live,
                const struct live *before, struct eviction **ret_search,
                char **ret_findings, struct error *err)
{
    struct arena *arena;
    int rc;

    *ret_findings = NULL;
    *ret_search = NULL;
    if (wants_no_devices(state, live))
        return 0;
    arena = arena_new(BIND_BYTES_MAX);
    rc = bind_in(arena, state, live, before, ret_search, ret_findings, err);
    if (*ret_search == NULL)
        arena_free(arena);
    return rc;
}

/* ---- asking -------------------------------------------------------------- */

bool bind_position(const struct live *live, uint32_t rank, uint32_t *ret)
{
    const struct assignment_common *common = &live->common;
    uint32_t position = 0;

    if (rank >= common->bound || !common->used[rank])
        return false;
    if (common->bound == common->n_ranks) {
        *ret = rank; /* nearly always */
        return true;
    }
    for (uint32_t r = 0; r < rank; r++)
        position += common->used[r];
    *ret = position;
    return true;
}

uint32_t *bind_positions(const struct live *live)
{
    const struct assignment_common *common = &live->common;
    uint32_t *positions = calloc((size_t)common->bound + 1, sizeof(*positions));
    uint32_t n = 0;

    for (uint32_t rank = 0; positions != NULL && rank < common->bound; rank++) {
        positions[rank] = n;
        n += common->used[rank];
    }
    return positions;
}

const struct inventory_host *bind_host(const struct live *live, uint32_t rank)
{
    uint32_t position;

    if (live->bound == NULL || live->check == NULL ||
        !bind_position(live, rank, &position))
        return NULL;
    return bound_host(live->bound, position);
}

const char *bind_address(struct inventory *inventory,
                         const struct inventory_host *host)
{
    struct error ignored;
    const struct topology *topology = inventory_topology(inventory, &ignored);

    if (topology == NULL || host->number == HOST_NONE ||
        topology->hosts[host->number].n_addresses == 0)
        return host->name;
    return topology->hosts[host->number].addresses[0];
}
