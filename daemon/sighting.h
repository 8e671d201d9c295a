/* SPDX-License-Identifier: Apache-2.0 */
/* Hosts as their workers show them: which machine it is, since which boot, and
 * when it was heard of. In memory: after a restart of the daemon workers join
 * again and say it again. */
#ifndef SERRIED_DAEMON_SIGHTING_H
#define SERRIED_DAEMON_SIGHTING_H

#include "daemon/index.h"
#include "daemon/live.h"
#include "proto/serried.pb-c.h"

struct boots;
struct inventory_host;

enum {
    MACHINE_ID_BYTES = 32, /* of /etc/machine-id: hex digits */
    BOOT_ID_BYTES = 36,    /* of the kernel's boot_id: a UUID */
    /* Events of one host: where its workers say different things of it, each
     * that joins would be one more. */
    SIGHTING_EVENTS_MAX = 8,
    SIGHTING_EVENTS_MS = 60000,
};

/* What is known of one host that a worker joined from. */
struct sighting {
    const char *name; /* of the host; first, for the index; a copy */
    char machine[MACHINE_ID_BYTES + 1], boot[BOOT_ID_BYTES + 1];
    uint32_t n_boots;    /* that were seen: the number of this one, from 1 */
    int64_t seen_ms;     /* since 1970: the last sign of a worker there */
    int64_t rebooted_ms; /* it was noticed that it had been; 0: never */
    int64_t swapped_ms;  /* that another machine has its name; 0: never */
    char before[MACHINE_ID_BYTES + 1]; /* the machine that had it then */
    int64_t telling_ms; /* when the first event of those counted was kept */
    uint32_t n_told, n_untold;
};

/* Start from { 0 }. */
struct sightings {
    struct index index; /* struct sighting */
};

void sightings_clear(struct sightings *sightings);

/* The sighting of a host, NULL: nobody was seen there. */
const struct sighting *sighting_find(const struct sightings *sightings,
                                     const char *host);

/* Forgets the sighting of a host, if there is one. */
void sighting_forget(struct sightings *sightings, const char *host);

/* Which machine a host is: as declared, else as its workers said. NULL: not
 * known. */
const char *host_machine(const struct boots *boots,
                         const struct inventory_host *host);

/* Whether a worker may join from where it says that it is.
 *   STATUS_INVALID  an id is none
 *   STATUS_REFUSED  WRONG_MACHINE: its host is declared to be another machine
 */
int sighting_check(const struct boots *boots, const struct live *live,
                   const Serried__V1__JoinRequest *request, struct error *err);

/* Takes what a worker that joins says of its host: a boot of before, or another
 * machine, is an event, of which so many are kept in a time, and workers of
 * that boot are lost at once. Returns the number of the boot; 0: it says
 * nothing, or is bound to no host.
 *   only  the placement whose workers may be lost, as whoever calls may speak
 *         of no other; NULL: those of all on the host */
uint32_t sighting_take(struct boots *boots, const struct live *live,
                       const Serried__V1__JoinRequest *request,
                       const char *only);

/* A sign of life of a worker that joined with a number of a boot. */
void sighting_touch(struct boots *boots, const struct live *live,
                    uint32_t rank);

#endif
