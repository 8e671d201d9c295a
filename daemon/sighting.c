/* SPDX-License-Identifier: Apache-2.0 */
/* Hosts as their workers show them. */
#include "daemon/sighting.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/bind.h"
#include "daemon/boot_table.h"
#include "daemon/journal.h"
#include "placement/topology_entry.h"

/* ---- ids ----------------------------------------------------------------- */

static bool is_boot_id(const char *text)
{
    static const char pattern[] = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";

    for (size_t i = 0; i < BOOT_ID_BYTES; i++)
        if (pattern[i] == '-' ? text[i] != '-'
                              : strchr("0123456789abcdef", text[i]) == NULL ||
                                    text[i] == '\0')
            return false;
    return text[BOOT_ID_BYTES] == '\0';
}

static int check_ids(const Serried__V1__JoinRequest *request, struct error *err)
{
    if (request->machine_id != NULL && !host_is_machine_id(request->machine_id))
        return error_set(err, STATUS_INVALID,
                         "\"%.64s\" is no machine_id; it is the %d lower-case "
                         "hex digits of /etc/machine-id",
                         request->machine_id, MACHINE_ID_BYTES);
    if (request->boot_id != NULL && !is_boot_id(request->boot_id))
        return error_set(err, STATUS_INVALID,
                         "\"%.64s\" is no boot_id; it is the UUID of "
                         "/proc/sys/kernel/random/boot_id, in lower case",
                         request->boot_id);
    return 0;
}

/* ---- the table ----------------------------------------------------------- */

static void drop(void *thing)
{
    struct sighting *sighting = thing;

    free((char *)sighting->name);
    free(sighting);
}

void sightings_clear(struct sightings *sightings)
{
    index_clear(&sightings->index, drop);
}

const struct sighting *sighting_find(const struct sightings *sightings,
                                     const char *host)
{
    return index_find(&sightings->index, host);
}

void sighting_forget(struct sightings *sightings, const char *host)
{
    struct sighting *sighting = index_find(&sightings->index, host);

    if (sighting == NULL)
        return;
    index_remove(&sightings->index, sighting);
    drop(sighting);
}

/* The sighting of a host, made when there is none; NULL: no memory. */
static struct sighting *sighting_of(struct sightings *sightings,
                                    const char *host)
{
    struct sighting *sighting = index_find(&sightings->index, host);

    if (sighting != NULL)
        return sighting;
    sighting = calloc(1, sizeof(*sighting));
    if (sighting == NULL)
        return NULL;
    sighting->name = strdup(host);
    if (sighting->name != NULL && index_add(&sightings->index, sighting) == 0)
        return sighting;
    drop(sighting);
    return NULL;
}

/* ---- whether it is the machine that it should be ------------------------- */

static const char *declared_machine(const struct inventory_host *host)
{
    return host->entry != NULL ? host->entry->host.machine_id : NULL;
}

const char *host_machine(const struct boots *boots,
                         const struct inventory_host *host)
{
    const struct sighting *sighting = boots_sighting(boots, host->name);
    const char *declared = declared_machine(host);

    if (declared != NULL)
        return declared;
    return sighting != NULL && sighting->machine[0] != '\0' ? sighting->machine
                                                            : NULL;
}

/* The name under which a machine is declared, or NULL. */
static const char *declared_name(struct inventory *inventory,
                                 const char *machine)
{
    struct error ignored;
    const struct topology *t = inventory_topology(inventory, &ignored);

    for (uint32_t h = 0; t != NULL && h < t->n_hosts; h++)
        if (t->hosts[h].machine_id != NULL &&
            strcmp(t->hosts[h].machine_id, machine) == 0)
            return t->hosts[h].name;
    return NULL;
}

int sighting_check(const struct boots *boots, const struct live *live,
                   const Serried__V1__JoinRequest *request, struct error *err)
{
    const struct inventory_host *host;
    const char *declared, *name;

    if (check_ids(request, err) < 0)
        return -1;
    host = request->machine_id != NULL ? bind_host(live, request->rank) : NULL;
    declared = host != NULL ? declared_machine(host) : NULL;
    if (declared == NULL || strcmp(declared, request->machine_id) == 0)
        return 0;
    name = declared_name(state_inventory(boots->of), request->machine_id);
    return error_set(err, STATUS_REFUSED,
                     "WRONG_MACHINE: rank %" PRIu32 " of %s is bound to %.64s, "
                     "the machine %s, and this worker runs on %.64s%s%s",
                     request->rank, live->name, host->name, declared,
                     name != NULL ? name : "", name != NULL ? ", " : "",
                     request->machine_id);
}

/* ---- what changed -------------------------------------------------------- */

/* Workers of a placement that joined from another boot of a host. */
struct losing {
    struct boot *boot;
    const char *host;
    uint32_t n_boots;
    uint32_t n_lost;
};

static bool lose_run(const struct device_run *run, void *arg)
{
    struct losing *losing = arg;
    struct boot *boot = losing->boot;

    if (strcmp(run->host->name, losing->host) != 0)
        return true;
    for (uint32_t k = 0; k < run->count && run->start + k < boot->world; k++) {
        struct member *member = &boot->members[run->start + k];
        struct error gone;

        if (member->state != MEMBER_HERE || member->host_boot == 0 ||
            member->host_boot == losing->n_boots)
            continue;
        error_set(&gone, STATUS_REFUSED,
                  "STALE_BOOT: %s was started anew since this worker joined",
                  losing->host);
        if (member->waiting != NULL)
            waiting_refuse(member->waiting, &gone);
        boot_set(boot, member, MEMBER_LOST);
        losing->n_lost++;
    }
    return true;
}

/* Nobody needs to wait for a lease of what cannot run any more. only: as
 * sighting_take(). */
static uint32_t lose_others(struct boots *boots,
                            const struct sighting *sighting, const char *only)
{
    uint32_t n_lost = 0;

    for (struct boot *boot = boots->first; boot != NULL; boot = boot->next) {
        const struct live *live = state_live(boots->of, boot->name, NULL);
        struct losing losing = { .boot = boot,
                                 .host = sighting->name,
                                 .n_boots = sighting->n_boots };

        if (live == NULL || live->bound == NULL ||
            boot_find(boots, live) != boot ||
            (only != NULL && strcmp(only, live->name) != 0))
            continue;
        bound_walk_ranks(live->bound, lose_run, &losing);
        if (losing.n_lost > 0)
            boot_tell(boot);
        n_lost += losing.n_lost;
    }
    return n_lost;
}

/* Keeps the event, or counts it for the next one. */
static void tell(struct boots *boots, struct sighting *sighting,
                 const char *what, struct text *detail)
{
    const int64_t now_ms = daemon_now_ms(boots->daemon);

    if (now_ms < sighting->telling_ms || /* the clock was set back */
        now_ms - sighting->telling_ms >= SIGHTING_EVENTS_MS) {
        sighting->telling_ms = now_ms;
        sighting->n_told = 0;
    }
    if (sighting->n_told == SIGHTING_EVENTS_MAX) {
        sighting->n_untold++;
    } else {
        if (sighting->n_untold > 0)
            text_printf(detail, "; %" PRIu32 " changes before are not told",
                        sighting->n_untold);
        sighting->n_untold = 0;
        sighting->n_told++;
        journal(boots->daemon, NULL, what, sighting->name, text_string(detail));
    }
    text_close(detail);
}

static void tell_rebooted(struct boots *boots, struct sighting *sighting,
                          const char *before, const char *only)
{
    uint32_t n_lost = lose_others(boots, sighting, only);
    struct text detail = { 0 };

    text_printf(&detail, "boot %s, before it %s", sighting->boot, before);
    if (n_lost > 0)
        text_printf(&detail, "; %" PRIu32 " workers of before are lost",
                    n_lost);
    sighting->rebooted_ms = daemon_now_ms(boots->daemon);
    tell(boots, sighting, "host rebooted", &detail);
}

static void tell_swapped(struct boots *boots, struct sighting *sighting)
{
    struct text detail = { 0 };

    text_printf(&detail, "machine %s, before it %s", sighting->machine,
                sighting->before);
    sighting->swapped_ms = daemon_now_ms(boots->daemon);
    tell(boots, sighting, "host is another machine", &detail);
}

/* Takes the machine's id; whether it is another one than before. */
static bool take_machine(struct boots *boots, struct sighting *sighting,
                         const char *machine)
{
    bool other;

    if (machine == NULL || strcmp(sighting->machine, machine) == 0)
        return false;
    other = sighting->machine[0] != '\0';
    memcpy(sighting->before, sighting->machine, sizeof(sighting->before));
    memcpy(sighting->machine, machine, sizeof(sighting->machine));
    if (other)
        tell_swapped(boots, sighting);
    return other;
}

uint32_t sighting_take(struct boots *boots, const struct live *live,
                       const Serried__V1__JoinRequest *request,
                       const char *only)
{
    const struct inventory_host *host = bind_host(live, request->rank);
    struct sighting *sighting;
    char before[BOOT_ID_BYTES + 1];
    bool swapped;

    if (host == NULL ||
        (request->machine_id == NULL && request->boot_id == NULL))
        return 0;
    sighting = sighting_of(&boots->sightings, host->name);
    if (sighting == NULL)
        return 0;
    sighting->seen_ms = daemon_now_ms(boots->daemon);
    swapped = take_machine(boots, sighting, request->machine_id);
    if (request->boot_id == NULL ||
        strcmp(sighting->boot, request->boot_id) == 0)
        return sighting->n_boots;
    memcpy(before, sighting->boot, sizeof(before));
    memcpy(sighting->boot, request->boot_id, sizeof(sighting->boot));
    sighting->n_boots++;
    if (before[0] != '\0' && !swapped)
        tell_rebooted(boots, sighting, before, only);
    return sighting->n_boots;
}

void sighting_touch(struct boots *boots, const struct live *live, uint32_t rank)
{
    const struct inventory_host *host = bind_host(live, rank);
    struct sighting *sighting =
        host != NULL ? index_find(&boots->sightings.index, host->name) : NULL;

    if (sighting != NULL)
        sighting->seen_ms = daemon_now_ms(boots->daemon);
}
