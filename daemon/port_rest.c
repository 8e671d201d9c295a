/* SPDX-License-Identifier: Apache-2.0 */
/* Ports that rest: what workers of an ended generation may have still. */
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "daemon/boot.h"
#include "daemon/daemon.h"
#include "daemon/inventory.h"
#include "daemon/live.h"
#include "daemon/state.h"

enum {
    PORTS = 1 << 16,
    TIDY_MAX = 100, /* records of one change */
    RECORD_BYTES_MAX = 64 << 20,
};

bool port_may_be_held(struct daemon *daemon, const struct live *live)
{
    return live->ports.n > 0 &&
           boots_may_hold(state_boots(daemon_state(daemon)), live);
}

/* ---- making -------------------------------------------------------------- */

/* Rests being made: of equal hosts and times, neighbours are one. */
struct resting {
    struct arena *arena;
    struct port_rest *items;
    size_t n, cap;
    int64_t until_ms;
    bool failed;
};

static void append(struct resting *r, const struct port_rest *rest)
{
    struct port_rest *last = r->n > 0 ? &r->items[r->n - 1] : NULL;
    struct port_rest *items;

    if (last != NULL && last->host == rest->host &&
        last->until_ms == rest->until_ms &&
        last->first + last->count == rest->first) {
        last->count += rest->count;
        return;
    }
    if (r->n == r->cap) {
        size_t cap = r->cap == 0 ? 8 : 2 * r->cap;

        items = arena_array(r->arena, cap, sizeof(*items));
        if (items == NULL) {
            r->failed = true;
            return;
        }
        if (r->n > 0)
            memcpy(items, r->items, r->n * sizeof(*items));
        r->items = items;
        r->cap = cap;
    }
    r->items[r->n++] = *rest;
}

static void rest_one(void *arg, struct inventory_host *host, uint32_t port)
{
    struct resting *r = arg;
    const struct port_rest rest = { host, port, 1, r->until_ms };

    if (!r->failed)
        append(r, &rest);
}

static void rest_again(struct resting *r, const struct port_leases *leases,
                       int64_t now_ms)
{
    for (size_t i = 0; i < leases->n_rests && !r->failed; i++)
        if (leases->rests[i].until_ms > now_ms)
            append(r, &leases->rests[i]);
}

/* What is too much to be kept host by host rests on all hosts, for as long as
 * any of it does. */
static void rest_everywhere(struct resting *r)
{
    uint8_t *rests = arena_array(r->arena, PORTS / 8, 1);
    struct resting all = { .arena = r->arena };

    if (rests == NULL) {
        r->failed = true;
        return;
    }
    for (size_t i = 0; i < r->n; i++) {
        for (uint32_t k = 0; k < r->items[i].count; k++) {
            uint32_t port = (r->items[i].first + k) % PORTS;

            rests[port / 8] |= (uint8_t)(1u << port % 8);
        }
        if (r->items[i].until_ms > all.until_ms)
            all.until_ms = r->items[i].until_ms;
    }
    for (uint32_t port = 0; port < PORTS; port++)
        if ((rests[port / 8] >> port % 8 & 1) != 0)
            rest_one(&all, NULL, port);
    *r = all;
}

/* Whether they are more than a record is to keep. */
static bool are_too_many(const struct resting *r)
{
    size_t bytes = 0;

    for (size_t i = 0; i < r->n && i < PORT_RESTS_MAX; i++)
        if (r->items[i].host != NULL)
            bytes += strlen(r->items[i].host->name);
    return r->n > PORT_RESTS_MAX || bytes > PORT_RESTS_BYTES_MAX;
}

static int finish(struct resting *r, struct port_leases *ret, struct error *err)
{
    if (!r->failed && are_too_many(r))
        rest_everywhere(r);
    if (r->failed)
        return error_exhausted(err);
    ret->rests = r->items;
    ret->n_rests = r->n;
    return 0;
}

int port_rests_after(struct daemon *daemon, const struct live *before,
                     const struct port_ended *ended, struct arena *arena,
                     struct port_leases *ret, struct error *err)
{
    int64_t now = daemon_now_ms(daemon);
    struct resting r = { .arena = arena,
                         .until_ms =
                             now + daemon_settings(daemon)->port_rest_ms };

    if (before != NULL) {
        struct port_leases had = before->ports;

        had.n_rests = 0;
        rest_again(&r, &before->ports, now);
        if (r.until_ms > now && port_may_be_held(daemon, before))
            port_walk(&had, now, rest_one, &r);
    }
    if (ended != NULL)
        rest_again(&r, &ended->leases, now);
    return finish(&r, ret, err);
}

int port_rest_add(struct daemon *daemon, struct arena *arena,
                  struct port_leases *leases, struct inventory_host *host,
                  uint32_t port, struct error *err)
{
    int64_t now = daemon_now_ms(daemon);
    struct resting r = { .arena = arena,
                         .until_ms =
                             now + daemon_settings(daemon)->port_rest_ms };

    rest_again(&r, leases, now);
    if (r.until_ms > now)
        rest_one(&r, host, port);
    return finish(&r, leases, err);
}

/* ---- records ------------------------------------------------------------- */

int port_rests_write(const struct port_leases *leases, struct arena *arena,
                     Serried__V1__PlacementRecord *record)
{
    size_t n = leases->n_rests;
    Serried__V1__PortRun *runs = arena_array(arena, n + 1, sizeof(*runs));

    record->resting = arena_array(arena, n + 1, sizeof(*record->resting));
    if (runs == NULL || record->resting == NULL)
        return -1;
    for (size_t i = 0; i < n; i++) {
        const struct port_rest *rest = &leases->rests[i];

        serried__v1__port_run__init(&runs[i]);
        if (rest->host != NULL)
            runs[i].host = (char *)rest->host->name;
        runs[i].has_first = runs[i].has_until_ms = true;
        runs[i].first = rest->first;
        runs[i].has_count = rest->count != 1;
        runs[i].count = rest->count;
        runs[i].until_ms = rest->until_ms;
        record->resting[i] = &runs[i];
    }
    record->n_resting = n;
    return 0;
}

int port_rests_read(struct arena *arena, struct inventory *inventory,
                    const Serried__V1__PlacementRecord *record,
                    struct port_leases *ret, struct error *err)
{
    size_t n = record->n_resting;
    struct port_rest *rests = arena_array(arena, n + 1, sizeof(*rests));

    if (rests == NULL)
        return error_exhausted(err);
    for (size_t i = 0; i < n; i++) {
        const Serried__V1__PortRun *run = record->resting[i];

        rests[i] = (struct port_rest){ .first = run->first,
                                       .count = run->has_count ? run->count : 1,
                                       .until_ms = run->until_ms };
        if (run->first >= PORTS || rests[i].count > PORTS - run->first)
            return error_set(err, STATUS_INTERNAL,
                             "the record's resting ports make no sense");
        if (run->host == NULL)
            continue;
        rests[i].host = inventory_intern(inventory, run->host);
        if (rests[i].host == NULL)
            return error_exhausted(err);
    }
    ret->rests = rests;
    ret->n_rests = n;
    return 0;
}

int port_ended_record(struct daemon *daemon, const struct live *live,
                      uint8_t **ret, size_t *ret_len, struct error *err)
{
    Serried__V1__PlacementRecord record = SERRIED__V1__PLACEMENT_RECORD__INIT;
    struct arena *arena = arena_new(RECORD_BYTES_MAX);
    struct port_leases rests = { 0 };
    int rc = -1;

    *ret_len = 0;
    *ret = NULL;
    if (arena == NULL ||
        port_rests_after(daemon, live, NULL, arena, &rests, err) < 0)
        goto out;
    record.has_released = record.released = true;
    if (port_rests_write(&rests, arena, &record) < 0)
        goto out;
    rc = 0;
    if (rests.n_rests == 0)
        goto out;
    *ret = malloc(serried__v1__placement_record__get_packed_size(&record));
    if (*ret != NULL)
        *ret_len = serried__v1__placement_record__pack(&record, *ret);
    else
        rc = -1;
out:
    arena_free(arena);
    return rc == 0 ? 0 : error_exhausted(err);
}

/* ---- placements that were released --------------------------------------- */

void port_ended_free(void *thing)
{
    struct port_ended *ended = thing;

    if (ended != NULL)
        arena_free(ended->arena);
    free(ended);
}

struct port_ended *port_ended_read(struct inventory *inventory,
                                   const struct store_record *record)
{
    Serried__V1__PlacementRecord *message =
        serried__v1__placement_record__unpack(NULL, record->len, record->body);
    struct port_ended *ended = calloc(1, sizeof(*ended));
    struct error ignored;

    if (ended != NULL)
        ended->arena = arena_new(RECORD_BYTES_MAX);
    if (ended != NULL && ended->arena != NULL) {
        ended->name = arena_strdup(ended->arena, record->id);
        ended->rev = record->rev;
        if (message != NULL)
            port_rests_read(ended->arena, inventory, message, &ended->leases,
                            &ignored);
    }
    if (message != NULL)
        serried__v1__placement_record__free_unpacked(message, NULL);
    if (ended != NULL && ended->name != NULL)
        return ended;
    port_ended_free(ended);
    return NULL;
}

/* ---- tidying ------------------------------------------------------------- */

struct tidying {
    int64_t now_ms;
    struct change *change;
    size_t n;
};

static void remove_rested(void *thing, void *arg)
{
    const struct port_ended *ended = thing;
    struct tidying *tidying = arg;

    for (size_t i = 0; i < ended->leases.n_rests; i++)
        if (ended->leases.rests[i].until_ms > tidying->now_ms)
            return;
    if (tidying->n == TIDY_MAX)
        return;
    if (tidying->change == NULL)
        tidying->change = change_new();
    if (tidying->change == NULL)
        return;
    tidying->n++;
    change_remove(tidying->change, STORE_PLACEMENT, ended->name, ended->rev);
}

/* There may be more than one change holds. A name that was placed again
 * meanwhile is no fault: it is looked at the next time. */
static void tidied(void *arg, enum store_result result, struct store_pos pos)
{
    struct daemon *daemon = arg;
    struct error why;

    (void)pos;
    if (result == STORE_OK)
        port_tidy(daemon);
    if (result == STORE_OK || result == STORE_CONFLICT)
        return;
    store_result_error(result, &why);
    log_line(daemon_log(daemon), LOG_LEVEL_WARN,
             "ports that rested are kept reason=%s", why.text);
}

void port_tidy(struct daemon *daemon)
{
    struct tidying tidying = { .now_ms = daemon_now_ms(daemon) };

    if (!daemon_commits(daemon))
        return;
    state_ended_walk(daemon_state(daemon), remove_rested, &tidying);
    if (tidying.change != NULL)
        store_commit(daemon_store(daemon), tidying.change, tidied, daemon);
}
