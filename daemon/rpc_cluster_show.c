/* SPDX-License-Identifier: Apache-2.0 */
/* Hosts as messages. */
#include "daemon/rpc_cluster_show.h"

#include <stdlib.h>
#include <string.h>

#include "daemon/boot.h"
#include "daemon/daemon.h"
#include "daemon/reply.h"
#include "daemon/sighting.h"
#include "daemon/write.h"

enum {
    DOMAINS_SHOWN_MAX = 8,
    /* Of a host: a call that names HOSTS_A_CALL_MAX has 210 kB of these at
     * most, of 64 bytes a name. */
    PLACEMENTS_SHOWN_MAX = 32,
};

/* One placement on one host. */
struct use {
    struct use *next;
    const struct live *live;
};

struct host_uses {
    struct state *state;
    const struct topology *topology;
    struct use **uses; /* by host */
    bool *held;        /* by device */
    struct arena *arena;
    const struct live *live; /* while they are gathered */
    bool full;
};

/* ---- gathering ----------------------------------------------------------- */

static bool add_run(const struct device_run *run, void *arg)
{
    struct host_uses *uses = arg;
    struct use **at, *use;

    if (run->host->number == HOST_NONE)
        return true;
    for (uint32_t k = 0; k < run->count; k++) {
        uint32_t device = inventory_device(uses->topology, run->host,
                                           run->first + k * run->stride);

        if (device != DEVICE_NONE)
            uses->held[device] = true;
    }
    at = &uses->uses[run->host->number];
    if (*at != NULL && (*at)->live == uses->live)
        return true;
    use = arena_alloc(uses->arena, sizeof(*use));
    if (use == NULL) {
        uses->full = true;
        return false;
    }
    *use = (struct use){ *at, uses->live };
    *at = use;
    return true;
}

static void add_live(void *thing, void *arg)
{
    struct host_uses *uses = arg;

    uses->live = thing;
    if (uses->live->bound != NULL)
        bound_walk(uses->live->bound, add_run, uses);
}

const struct host_uses *host_uses_make(struct state *state, struct arena *arena,
                                       struct error *err)
{
    struct host_uses *uses = arena_alloc(arena, sizeof(*uses));
    const struct topology *topology =
        inventory_topology(state_inventory(state), err);

    if (topology == NULL)
        return NULL;
    if (uses != NULL) {
        uses->topology = topology;
        uses->state = state;
        uses->arena = arena;
        uses->uses =
            arena_array(arena, topology->n_hosts + 1, sizeof(struct use *));
        uses->held = arena_array(arena, topology->n_devices + 1, sizeof(bool));
        uses->full = uses->uses == NULL || uses->held == NULL;
    }
    if (uses != NULL && !uses->full) {
        state_live_walk(state, add_live, uses);
        state_prepared_walk(state, add_live, uses);
    }
    if (uses != NULL && !uses->full)
        return uses;
    error_exhausted(err);
    return NULL;
}

/* ---- messages ------------------------------------------------------------ */

/* The domains of a host's devices, "a, b". */
static const char *domains_of(const struct topology *topology,
                              const struct host *host, struct arena *arena)
{
    uint32_t shown[DOMAINS_SHOWN_MAX], n = 0;
    const char *text = "";

    for (uint32_t i = 0; i < host->n_devices && n < DOMAINS_SHOWN_MAX; i++) {
        uint32_t domain = topology->devices[host->first_device + i].domain;
        uint32_t k = 0;

        while (k < n && shown[k] != domain)
            k++;
        if (domain == DOMAIN_NONE || k < n)
            continue;
        shown[n++] = domain;
        text = arena_printf(arena, "%s%s%s", text, n > 1 ? ", " : "",
                            topology->domains[domain]);
        if (text == NULL)
            return NULL;
    }
    return text;
}

static bool describe(const struct host_uses *uses, uint32_t number,
                     struct arena *arena, Serried__V1__HostInfo *to)
{
    const struct host *host = &uses->topology->hosts[number];
    size_t n = 0;

    to->has_devices = to->has_free = host->devices_known;
    to->devices = to->free = host->n_devices;
    for (uint32_t i = 0; i < host->n_devices; i++)
        to->free -= uses->held[host->first_device + i];
    to->domain = reply_text(domains_of(uses->topology, host, arena));
    if (host->block != BLOCK_NONE)
        to->rack = reply_text(uses->topology->blocks[host->block]);
    for (const struct use *use = uses->uses[number]; use; use = use->next)
        n++;
    to->has_all_placements = true;
    to->all_placements = (uint32_t)n;
    to->n_placements = n < PLACEMENTS_SHOWN_MAX ? n : PLACEMENTS_SHOWN_MAX;
    to->placements = arena_array(arena, to->n_placements + 1, sizeof(char *));
    if (to->placements == NULL || to->domain == NULL)
        return false;
    /* the last that was found is the first of the list */
    for (const struct use *use = uses->uses[number]; use; use = use->next)
        if (--n < to->n_placements)
            to->placements[n] = reply_text(use->live->name);
    return true;
}

/* What its workers showed, and what is declared of that. */
static void identify(const struct host_uses *uses,
                     const struct inventory_host *host,
                     Serried__V1__HostInfo *to)
{
    const struct boots *boots = state_boots(uses->state);
    const struct sighting *sighting = boots_sighting(boots, host->name);

    to->machine_id = reply_text(host_machine(boots, host));
    if (sighting == NULL)
        return;
    if (sighting->boot[0] != '\0')
        to->boot_id = reply_text(sighting->boot);
    to->has_seen_ms = true;
    to->seen_ms = sighting->seen_ms;
}

Serried__V1__HostInfo *host_message(const struct host_uses *uses,
                                    const struct inventory_host *host,
                                    struct arena *arena)
{
    Serried__V1__HostInfo *to = arena_alloc(arena, sizeof(*to));

    if (to == NULL)
        return NULL;
    serried__v1__host_info__init(to);
    to->name = reply_text(host->name);
    to->has_index = to->has_since_ms = to->has_revision = true;
    to->index = host->index;
    to->state = reply_text(host_state_name(host->state));
    to->why = host->why;
    to->who = host->who;
    to->since_ms = host->since_ms;
    to->revision = host->rev;
    identify(uses, host, to);
    if (host->number != HOST_NONE && !describe(uses, host->number, arena, to))
        return NULL;
    return to;
}

int host_names_check(char *const *names, size_t n, struct error *err)
{
    if (n == 0 || n > HOSTS_A_CALL_MAX)
        return error_set(err, STATUS_INVALID,
                         "%zu hosts are named; from 1 to %d can be", n,
                         HOSTS_A_CALL_MAX);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < i; k++)
            if (strcmp(names[i], names[k]) == 0)
                return error_set(err, STATUS_INVALID,
                                 "the host %.253s is named twice", names[i]);
    return 0;
}

/* ---- changes ------------------------------------------------------------- */

bool hosts_under_way(struct state *state)
{
    const struct writes *writes = state_writes(state);

    return write_under_way(writes,
                           &serried__v1__apply_hosts_reply__descriptor) ||
           write_under_way(writes,
                           &serried__v1__remove_hosts_reply__descriptor);
}

const char *host_event(const struct inventory_host *host)
{
    static const char *const words[] = {
        [HOST_READY] = "host ready",
        [HOST_CORDONED] = "host cordoned",
        [HOST_DRAINED] = "host drained",
        [HOST_DOWN] = "host down",
    };

    return words[host->state];
}

int host_put(struct change *change, struct call *call,
             const struct inventory_host *host, uint64_t seen, const char *what,
             struct error *err)
{
    const int64_t now_ms = daemon_now_ms(call_daemon(call));
    struct store_record record = {
        .kind = STORE_HOST,
        .id = host->name,
        .state = host_state_name(host->state),
        .generation_rev = STORE_OWN_GENERATION,
        .time_ms = now_ms,
    };
    const struct store_event event = {
        .time_ms = now_ms,
        .who = call_who(call),
        .what = what,
        .subject = host->name,
        .detail = host->why,
    };
    uint8_t *body = inventory_record(host, &record.len);

    if (body == NULL)
        return error_exhausted(err);
    record.body = body;
    change_put(change, &record, seen);
    change_event(change, &event);
    free(body);
    return 0;
}
