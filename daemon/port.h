/* SPDX-License-Identifier: Apache-2.0 */
/* Ports that placements are given: by host and purpose, with a generation. */
#ifndef SERRIED_DAEMON_PORT_H
#define SERRIED_DAEMON_PORT_H

#include "placement/port.h"
#include "proto/serried.pb-c.h"
#include "store/store.h"

struct boots;
struct daemon;
struct inventory;
struct inventory_host;
struct live;
struct state;

/* State of the record that stays of a placement while its ports rest. */
#define PORT_STATE_RELEASED "released"

enum {
    /* Reports that one generation may make: with more, what takes the ports
     * takes the whole range, which an operator has to move. */
    PORT_MOVES_MAX = 32,
    /* Runs of resting ports that a record names by host, and the bytes of these
     * names: 256 KiB in all. Where there are more, the ports rest on every
     * host: at most 65,536 of them. */
    PORT_RESTS_MAX = 4096,
    PORT_RESTS_BYTES_MAX = 128 << 10,
};

/* The ports of one purpose, by seat: the one of the lowest rank; the hosts of
 * the placement in the order of their lowest ranks; the instances, node group
 * by node group; or the ranks, ascending. */
struct port_lease {
    const char *purpose;
    enum port_on on;
    uint32_t n;                    /* seats */
    struct inventory_host **hosts; /* NULL: not bound, so any */
    uint16_t *ports;               /* 0: none yet */
};

/* Ports that nobody is given before a time: a worker of a generation that has
 * ended may have them still, or something else was seen to have them. */
struct port_rest {
    struct inventory_host *host; /* NULL: any */
    uint32_t first, count;
    int64_t until_ms;
};

/* What a placement has: from its record, and nowhere else. */
struct port_leases {
    struct port_lease *items; /* that of master first */
    size_t n;
    struct port_rest *rests;
    size_t n_rests;
    uint32_t moved; /* by reports */
    /* what a report is given, while that is being committed */
    struct inventory_host *moving_host;
    uint32_t moving; /* 0: nothing */
};

/* ---- leasing (port.c) ---------------------------------------------------- */

/* Leases a placement that is bound, or bound to nothing, all ports that it
 * wishes for: each from the settings' range, and one that on its host (where it
 * has none: on every host) no placement has, whether in force or being
 * committed, and that does not rest. before: the placement that it replaces, or
 * NULL: its ports are free for it only where no worker can have them. The
 * search begins at another port with each commit. -1, nothing is leased:
 *   STATUS_EXHAUSTED  a host has no port left: named with purpose, range and
 *                     holders */
int port_choose(struct daemon *daemon, struct live *live,
                const struct live *before, struct error *err);

/* Finds another port for one seat, which goes into moving. Fails as above. */
int port_choose_other(struct daemon *daemon, struct live *live,
                      struct port_lease *lease, uint32_t seat,
                      struct error *err);

/* ---- records (port_lease.c) ---------------------------------------------- */

/* Makes the leases of a placement that was decided and bound, without ports
 * yet, in its arena. STATUS_EXHAUSTED: it is full. */
int port_leases_make(struct live *live, struct error *err);

/* Takes over what a record says, also for a placement that has leases: into
 * these. A placement that cannot be read has them on the hosts that are known.
 *   STATUS_INTERNAL  it has no port for some seat */
int port_leases_read(struct live *live, struct inventory *inventory,
                     const Serried__V1__PlacementRecord *record,
                     struct error *err);

/* The messages of a record, in arena. -1: it is full. */
int port_leases_write(const struct port_leases *leases, struct arena *arena,
                      Serried__V1__PlacementRecord *record);

/* Calls visit() with every port that a placement keeps from others now. */
typedef void port_visit_fn(void *arg, struct inventory_host *host,
                           uint32_t port);
void port_walk(const struct port_leases *leases, int64_t now_ms,
               port_visit_fn *visit, void *arg);

/* ---- resting (port_rest.c) ----------------------------------------------- */

/* A placement that was released while its workers might have their ports. */
struct port_ended {
    const char *name; /* first, for the index */
    uint64_t rev;
    struct arena *arena;
    struct port_leases leases; /* rests only */
};

/* Whether a worker of the placement may have its ports now. */
bool port_may_be_held(struct daemon *daemon, const struct live *live);

/* The rests of the generation that comes after `before` (NULL: none) or, where
 * that was released, `ended` (likewise), in arena.
 *   STATUS_EXHAUSTED  the arena is full */
int port_rests_after(struct daemon *daemon, const struct live *before,
                     const struct port_ended *ended, struct arena *arena,
                     struct port_leases *ret, struct error *err);

/* Adds one port. STATUS_EXHAUSTED: the arena is full. */
int port_rest_add(struct daemon *daemon, struct arena *arena,
                  struct port_leases *leases, struct inventory_host *host,
                  uint32_t port, struct error *err);

/* What stays of a placement when it is released: a record to be freed by
 * free(), or *ret_len is 0 and nothing need stay. -1: no memory. */
int port_ended_record(struct daemon *daemon, const struct live *live,
                      uint8_t **ret, size_t *ret_len, struct error *err);

int port_rests_read(struct arena *arena, struct inventory *inventory,
                    const Serried__V1__PlacementRecord *record,
                    struct port_leases *ret, struct error *err);
int port_rests_write(const struct port_leases *leases, struct arena *arena,
                     Serried__V1__PlacementRecord *record);

/* Such a record; of one that cannot be read nothing rests, so that its name is
 * to be had again. NULL: no memory. */
struct port_ended *port_ended_read(struct inventory *inventory,
                                   const struct store_record *record);
void port_ended_free(void *ended); /* NULL is allowed */

/* Removes the records whose ports rest no longer. */
void port_tidy(struct daemon *daemon);

/* ---- telling (port_show.c) ----------------------------------------------- */

/* The ports that a rank is to know, in arena. STATUS_EXHAUSTED: it is full. */
int port_messages(struct inventory *inventory, const struct live *live,
                  struct arena *arena, uint32_t rank, Serried__V1__Port ***ret,
                  size_t *ret_n, struct error *err);

/* The seat that a rank confirms: what it says of it is `told`.
 *   STATUS_UNKNOWN_NAME  no such purpose or instance
 *   STATUS_REFUSED       another rank confirms it */
int port_seat_of(const struct live *live, uint32_t rank,
                 const Serried__V1__Port *told, struct port_lease **ret_lease,
                 uint32_t *ret_seat, struct error *err);

/* All leases with their hosts, in arena; NULL: it is full. */
Serried__V1__PortLease **port_list(const struct live *live,
                                   struct arena *arena);

#endif
