/* SPDX-License-Identifier: Apache-2.0 */
/* What the daemon knows, in memory, kept in step with the store. */
#include "daemon/state.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "daemon/audit.h"
#include "daemon/boot.h"
#include "daemon/bound.h"
#include "daemon/daemon.h"
#include "daemon/event_load.h"
#include "daemon/inventory.h"
#include "daemon/state_parts.h"
#include "daemon/watch.h"
#include "daemon/write.h"

struct writes *state_writes(struct state *state)
{
    return state->writes;
}

struct watches *state_watches(struct state *state)
{
    return state->watches;
}

const char *state_faults(const struct state *state)
{
    return audit_faults(state->audit);
}

struct boots *state_boots(struct state *state)
{
    return state->boots;
}

struct store_pos state_position(const struct state *state)
{
    return state->pos;
}

struct catalog *state_catalog(struct state *state)
{
    return state->catalog;
}

struct declared_set *state_declared(struct state *state)
{
    return &state->declared;
}

struct inventory *state_inventory(struct state *state)
{
    return state->inventory;
}

struct arena *state_scratch(struct state *state, size_t cap_bytes)
{
    if (state->scratch == NULL)
        state->scratch = arena_new(cap_bytes);
    return state->scratch;
}

/* ---- answers ------------------------------------------------------------- */

static void answer_free(void *thing)
{
    struct kept_answer *answer = thing;

    free((char *)answer->name);
    free(answer->body);
    free(answer);
}

const struct kept_answer *state_answer(const struct state *state,
                                       const char *key)
{
    return index_find(&state->answers, key);
}

static void follow_answer(struct state *state,
                          const struct store_record *record)
{
    struct kept_answer *answer = index_find(&state->answers, record->id);

    if (answer != NULL) {
        index_remove(&state->answers, answer);
        answer_free(answer);
    }
    if (record->gone)
        return;
    answer = calloc(1, sizeof(*answer));
    if (answer == NULL)
        return;
    answer->name = strdup(record->id);
    answer->body = malloc(record->len + 1);
    answer->rev = record->rev;
    answer->len = record->len;
    if (answer->name != NULL && answer->body != NULL) {
        memcpy(answer->body, record->body, record->len);
        if (index_add(&state->answers, answer) == 0)
            return;
    }
    answer_free(answer);
}

size_t state_events_after(const struct state *state, struct store_pos after,
                          size_t *ret_first, bool *ret_lost)
{
    return event_ring_after(&state->events, after, ret_first, ret_lost);
}

const struct kept_event *state_event(const struct state *state, size_t i)
{
    return event_ring_at(&state->events, i);
}

void state_on_change(struct state *state, void (*changed)(void *arg), void *arg)
{
    state->changed = changed;
    state->changed_arg = arg;
}

/* ---- following ----------------------------------------------------------- */

static void forget(void *arg)
{
    struct state *state = arg;

    state_forget_placements(state);
    state_forget_declarations(state);
    inventory_forget(state->inventory);
    index_clear(&state->answers, answer_free);
    event_ring_clear(&state->events);
}

/* Hosts that were removed are kept for placements and resting ports that point
 * to them; of very many, those that nothing points to go. */
enum { UNDECLARED_HOSTS_KEPT = 1024 };

static bool mark_host(const struct device_run *run, void *arg)
{
    (void)arg;
    run->host->mark = 1;
    return true;
}

static void mark_host_of_port(void *arg, struct inventory_host *host,
                              uint32_t port)
{
    (void)arg;
    (void)port;
    if (host != NULL)
        host->mark = 1;
}

/* Those that rest; all others are on hosts that the placement is bound to. */
static void mark_hosts_of_rests(const struct port_leases *leases)
{
    struct port_leases rests = *leases;

    rests.n = 0;
    port_walk(&rests, INT64_MIN, mark_host_of_port, NULL);
}

static void mark_hosts(void *thing, void *arg)
{
    const struct live *live = thing;

    if (live->bound != NULL)
        bound_walk(live->bound, mark_host, arg);
    mark_hosts_of_rests(&live->ports);
}

static void mark_hosts_of_ended(void *thing, void *arg)
{
    const struct port_ended *ended = thing;

    (void)arg;
    mark_hosts_of_rests(&ended->leases);
}

static void sweep_hosts(struct state *state)
{
    const struct inventory *inventory = state->inventory;

    if (inventory_undeclared(inventory) <=
        UNDECLARED_HOSTS_KEPT + inventory_count(inventory))
        return;
    state_live_walk(state, mark_hosts, NULL);
    state_prepared_walk(state, mark_hosts, NULL);
    state_ended_walk(state, mark_hosts_of_ended, NULL);
    inventory_sweep(state->inventory);
}

static void follow_batch(void *arg, struct store_pos pos,
                         const struct store_record *records, size_t n_records,
                         const struct store_event *events, size_t n_events)
{
    struct state *state = arg;

    for (size_t i = 0; i < n_records; i++)
        switch (records[i].kind) {
        case STORE_MODEL:
        case STORE_RUNTIME:
            state_follow_declaration(state, &records[i]);
            break;
        case STORE_PLACEMENT:
            state_follow_placement(state, &records[i]);
            break;
        case STORE_ANSWER:
            follow_answer(state, &records[i]);
            break;
        case STORE_HOST:
            inventory_follow(state->inventory, &records[i]);
            if (records[i].gone && state->boots != NULL)
                boots_forget_host(state->boots, records[i].id);
            break;
        case STORE_TOKEN:
            break;
        }
    for (size_t i = 0; i < n_events; i++)
        event_ring_add(&state->events, pos, &events[i]);
    state->pos = pos;
    sweep_hosts(state);
    if (state->boots != NULL && n_records > 0)
        boots_follow(state->boots);
    if (state->changed != NULL)
        state->changed(state->changed_arg);
}

static void be_ready(void *arg)
{
    struct state *state = arg;

    log_line(daemon_log(state->daemon), LOG_LEVEL_INFO,
             "state loaded placements=%zu events=%zu revision=%llu",
             state->lives.count, state->events.n,
             (unsigned long long)state->pos.rev);
    audit_run(state->audit);
    state->ready(state->ready_arg, NULL);
    state->ready = NULL;
}

static void follow_current(void *arg, struct store_pos pos)
{
    struct state *state = arg;

    state->pos = pos;
    state->events.from = pos;
    if (state->ready == NULL)
        return;
    state->load =
        event_load(state->daemon, &state->events, pos, be_ready, state);
    if (state->load == NULL)
        be_ready(state); /* without what was before */
}

static const struct store_follower follower = {
    .reset = forget,
    .batch = follow_batch,
    .current = follow_current,
};

int state_open(struct daemon *daemon, const char *share,
               void (*ready)(void *arg, const struct error *err), void *arg,
               struct state **ret_state, struct error *err)
{
    struct state *state = calloc(1, sizeof(*state));

    if (state == NULL)
        return error_exhausted(err);
    state->daemon = daemon;
    state->ready = ready;
    state->ready_arg = arg;
    state->writes = writes_new(daemon);
    state->inventory = inventory_new(daemon);
    state->catalog = catalog_new(share, err);
    if (state->writes == NULL || state->inventory == NULL)
        error_exhausted(err);
    if (state->writes != NULL && state->inventory != NULL &&
        state->catalog != NULL)
        state->watches = watches_new(daemon, state, err);
    if (state->watches != NULL)
        state->boots = boots_new(daemon, state, err);
    if (state->boots != NULL)
        state->audit = audit_new(daemon, state, err);
    if (state->audit == NULL ||
        store_follow(daemon_store(daemon), &follower, state, err) < 0) {
        state_close(state);
        return -1;
    }
    *ret_state = state;
    return 0;
}

void state_close(struct state *state)
{
    if (state == NULL)
        return;
    audit_close(state->audit);
    boots_close(state->boots);
    watches_close(state->watches);
    writes_free(state->writes);
    event_load_free(state->load);
    forget(state);
    inventory_free(state->inventory);
    catalog_free(state->catalog);
    arena_free(state->scratch);
    free(state);
}
