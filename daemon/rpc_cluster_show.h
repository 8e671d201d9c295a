/* SPDX-License-Identifier: Apache-2.0 */
/* Hosts as messages. */
#ifndef SERRIED_DAEMON_RPC_CLUSTER_SHOW_H
#define SERRIED_DAEMON_RPC_CLUSTER_SHOW_H

#include "daemon/bound.h"
#include "daemon/call.h"
#include "daemon/state.h"

/* Who uses the hosts, worked out once for an answer; by number of the host. */
struct host_uses;

/* Made in arena, of placements in force or being committed. NULL:
 * STATUS_EXHAUSTED, or as inventory_topology(). */
const struct host_uses *host_uses_make(struct state *state, struct arena *arena,
                                       struct error *err);

/* Whether hosts are being declared or removed by a call that is not committed:
 * what is decided meanwhile does not see them. */
bool hosts_under_way(struct state *state);

/* Puts a host as it will be into a change, with an event; seen: the revision
 * that it was decided on. STATUS_EXHAUSTED: no memory. */
int host_put(struct change *change, struct call *call,
             const struct inventory_host *host, uint64_t seen, const char *what,
             struct error *err);

/* The names of a write: from 1 to HOSTS_A_CALL_MAX, each once. STATUS_INVALID
 */
int host_names_check(char *const *names, size_t n, struct error *err);

/* "host cordoned": what happens to a host that gets its state. */
const char *host_event(const struct inventory_host *host);

/* One host, in arena; NULL: it is full. */
Serried__V1__HostInfo *host_message(const struct host_uses *uses,
                                    const struct inventory_host *host,
                                    struct arena *arena);

#endif
