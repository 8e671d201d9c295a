/* SPDX-License-Identifier: Apache-2.0 */
/* Binds placements to devices: who holds which, and which are to be had. */
#ifndef SERRIED_DAEMON_BIND_H
#define SERRIED_DAEMON_BIND_H

#include "daemon/bound.h"
#include "daemon/state.h"

struct eviction;

/* Binds a placement that was decided, in place of the one of its name that is
 * in force (before; NULL: none), whose ranks keep their devices where they can.
 * Devices of placements that are in force or being committed are taken, unless
 * both are shared. Nothing is bound where no host is declared, or the request
 * says `bind: false`. -1:
 *   STATUS_REFUSED    never, or not declared; *ret_findings is a verdict's
 *                     JSON that says why, to be freed by free(), or NULL
 *   STATUS_EXHAUSTED  not now, likewise; or no memory */
int bind_live(struct state *state, struct live *live, const struct live *before,
              char **ret_findings, struct error *err);

/* The same where it is to be said whose release would make room: where there is
 * none now, *ret_search (daemon/bind_evict.h) is what finds it, and the
 * findings with it; it borrows from live. NULL: that is not the question. */
int bind_search(struct state *state, struct live *live,
                const struct live *before, struct eviction **ret_search,
                char **ret_findings, struct error *err);

/* Adds to a verdict what it says of devices: `binding`; nothing where the
 * placement is not bound. */
void bind_verdict(struct inventory *inventory, const struct live *live,
                  struct tree_maker *maker, struct tree *map);

/* The packed Binding of one rank, in arena; empty where it is not bound.
 * STATUS_EXHAUSTED: the arena is full. */
int bind_assignment(struct inventory *inventory, const struct live *live,
                    struct arena *arena, uint32_t rank,
                    ProtobufCBinaryData *ret, struct error *err);

/* The position of a rank among the placement's ranks, ascending. false: it has
 * no such rank. */
bool bind_position(const struct live *live, uint32_t rank, uint32_t *ret);

/* The positions of all ranks, by rank: for who asks for many, as each question
 * counts anew where ranks are missing. Freed by free(); NULL: no memory. */
uint32_t *bind_positions(const struct live *live);

/* The rank that has a number among the placement's ranks of a host.
 * STATUS_UNKNOWN_NAME: there is none, or the placement is bound to no hosts. */
int bind_rank(const struct live *live, const char *host, uint32_t local,
              struct arena *arena, uint32_t *ret, struct error *err);

/* The host that a bound placement's rank is on, or NULL. */
const struct inventory_host *bind_host(const struct live *live, uint32_t rank);

/* The first address of a host, or its name. */
const char *bind_address(struct inventory *inventory,
                         const struct inventory_host *host);

/* Who holds what of a cluster, in arena: of all placements, but the one called
 * `except` (NULL: none) and, for a shared one, the shared ones. */
int bind_occupancy(struct state *state, const struct topology *topology,
                   struct arena *arena, const char *except, bool shared,
                   struct occupancy *ret, struct error *err);

#endif
