/* SPDX-License-Identifier: Apache-2.0 */
/* What is wrong with hosts: states, and whether they are who they should be. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/bound.h"
#include "daemon/boot.h"
#include "daemon/daemon.h"
#include "daemon/doctor.h"
#include "daemon/sighting.h"
#include "placement/topology_entry.h"

enum { NAMES_SHOWN = 4 };

/* ---- hosts --------------------------------------------------------------- */

static void tell_hosts(struct doctor *doctor, const uint32_t *by_state,
                       const struct inventory_host *const *named, uint32_t n)
{
    struct text what = { 0 };
    uint32_t shown = n < NAMES_SHOWN ? n : NAMES_SHOWN;

    if (n == 0)
        return;
    for (uint32_t i = 0; i < shown; i++)
        text_printf(&what, "%s%s is %s", i > 0 ? ", " : "", named[i]->name,
                    host_state_name(named[i]->state));
    if (n == 1 && named[0]->why[0] != '\0')
        text_printf(&what, " (%s)", named[0]->why);
    if (n > shown)
        text_printf(&what,
                    "; in all %" PRIu32 " cordoned, %" PRIu32
                    " drained, %" PRIu32 " down",
                    by_state[HOST_CORDONED], by_state[HOST_DRAINED],
                    by_state[HOST_DOWN]);
    doctor_add(doctor,
               (struct ailment){ .trouble = TROUBLE_HOSTS_AWAY,
                                 .host = n == 1 ? named[0]->name : NULL,
                                 .rank = -1 },
               &what);
}

/* They do not make a cluster. */
static void tell_unreadable(struct doctor *doctor, const struct error *why)
{
    struct text what = { 0 };

    text_put(&what, why->text);
    doctor_add(doctor,
               (struct ailment){ .trouble = TROUBLE_INVENTORY, .rank = -1 },
               &what);
}

/* How many there are in which state; those that are not ready. */
static void diagnose_states(struct doctor *doctor, struct tree *map)
{
    struct inventory *inventory = state_inventory(doctor->state);
    const struct inventory_host *named[NAMES_SHOWN] = { NULL };
    uint32_t by_state[HOST_STATE_COUNT] = { 0 }, n = 0;

    for (uint32_t h = 0; h < inventory_count(inventory); h++) {
        const struct inventory_host *host = inventory_host(inventory, h);

        by_state[host->state]++;
        if (host->state == HOST_READY)
            continue;
        if (n < NAMES_SHOWN)
            named[n] = host;
        n++;
    }
    for (int state = 0; state < HOST_STATE_COUNT; state++)
        make_int(doctor->maker, map, host_state_name((enum host_state)state),
                 by_state[state]);
    tell_hosts(doctor, by_state, named, n);
}

/* ---- who they are -------------------------------------------------------- */

static void tell(struct doctor *doctor, enum trouble trouble,
                 const struct inventory_host *host, struct text *what)
{
    doctor_add(
        doctor,
        (struct ailment){ .trouble = trouble, .host = host->name, .rank = -1 },
        what);
}

/* What was noticed of a host for as long as a boot may take. */
static void diagnose_sighting(struct doctor *doctor,
                              const struct inventory_host *host,
                              const struct sighting *sighting)
{
    int64_t now_ms = daemon_now_ms(doctor->daemon);
    int64_t since_ms = now_ms - daemon_settings(doctor->daemon)->boot_ms;
    struct text what = { 0 };

    if (sighting->swapped_ms > since_ms) {
        text_printf(&what, "%s is the machine %s now, and was %s before",
                    host->name, sighting->machine, sighting->before);
        tell(doctor, TROUBLE_SWAPPED, host, &what);
    }
}

/* A host and which machine it is. */
struct identity {
    const char *machine;
    const struct inventory_host *host;
    uint32_t at;
};

static int compare_identities(const void *va, const void *vb)
{
    const struct identity *a = va, *b = vb;
    int machines = strcmp(a->machine, b->machine);

    return machines != 0 ? machines : (a->at > b->at) - (a->at < b->at);
}

static void tell_twins(struct doctor *doctor, struct identity *identities,
                       uint32_t n)
{
    qsort(identities, n, sizeof(*identities), compare_identities);
    for (uint32_t i = 1; i < n; i++) {
        struct text what = { 0 };

        if (strcmp(identities[i - 1].machine, identities[i].machine) != 0)
            continue;
        text_printf(&what, "%s and %s are one machine, %s",
                    identities[i - 1].host->name, identities[i].host->name,
                    identities[i].machine);
        tell(doctor, TROUBLE_TWINS, identities[i].host, &what);
    }
}

/* ---- who was never seen -------------------------------------------------- */

/* Hosts of placements whose other hosts were heard of: one of which nothing was
 * heard yet may not have been started. */
struct unseen {
    const struct boots *boots;
    const struct inventory_host *first;
    bool any_seen; /* of the placement that is looked at */
    uint32_t n_runs;
};

static bool look_at_run(const struct device_run *run, void *arg)
{
    struct unseen *unseen = arg;

    if (boots_sighting(unseen->boots, run->host->name) != NULL) {
        unseen->any_seen = true;
        return true;
    }
    if (unseen->first == NULL)
        unseen->first = run->host;
    unseen->n_runs += unseen->first != run->host;
    return true;
}

static void look_at_live(void *thing, void *arg)
{
    const struct live *live = thing;
    struct unseen *all = arg, one = { .boots = all->boots };

    if (live->bound != NULL)
        bound_walk_ranks(live->bound, look_at_run, &one);
    if (one.first == NULL || !one.any_seen)
        return;
    all->n_runs += one.n_runs + (all->first != NULL && all->first != one.first);
    if (all->first == NULL)
        all->first = one.first;
}

/* Only where some workers say where they are: others may be of a kind that
 * does not. */
static void diagnose_unseen(struct doctor *doctor)
{
    struct unseen unseen = { .boots = state_boots(doctor->state) };
    struct text what = { 0 };

    state_live_walk(doctor->state, look_at_live, &unseen);
    if (unseen.first == NULL)
        return;
    text_printf(&what, "no worker was heard of on %s%s", unseen.first->name,
                unseen.n_runs > 0 ? " and other hosts" : "");
    tell(doctor, TROUBLE_UNSEEN, unseen.first, &what);
}

/* ---- the whole ----------------------------------------------------------- */

void doctor_hosts(struct doctor *doctor, struct tree *map)
{
    struct inventory *inventory = state_inventory(doctor->state);
    const struct boots *boots = state_boots(doctor->state);
    uint32_t n_hosts = inventory_count(inventory), n = 0;
    struct identity *identities =
        arena_array(doctor->maker->arena, n_hosts + 1, sizeof(*identities));
    struct error why;

    make_int(doctor->maker, map, "declared", n_hosts);
    doctor->maker->failed |= identities == NULL;
    if (n_hosts == 0 || identities == NULL)
        return;
    if (inventory_topology(inventory, &why) == NULL) {
        tell_unreadable(doctor, &why);
        return;
    }
    diagnose_states(doctor, map);
    for (uint32_t h = 0; h < n_hosts; h++) {
        const struct inventory_host *host = inventory_host(inventory, h);
        const struct sighting *sighting = boots_sighting(boots, host->name);
        const char *machine = host_machine(boots, host);

        if (sighting != NULL)
            diagnose_sighting(doctor, host, sighting);
        if (machine != NULL)
            identities[n++] = (struct identity){ machine, host, h };
    }
    tell_twins(doctor, identities, n);
    diagnose_unseen(doctor);
}
