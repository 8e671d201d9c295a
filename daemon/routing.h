/* SPDX-License-Identifier: Apache-2.0 */
/* Where the nodes of a placement run, for those who send requests to them. */
#ifndef SERRIED_DAEMON_ROUTING_H
#define SERRIED_DAEMON_ROUTING_H

#include "daemon/live.h"

enum {
    ROUTING_ROUTES_MAX = 1 << 16, /* walks times their nodes */
    ROUTING_GONE_MAX = 32,        /* ranks that are named */
    ROUTING_HOSTS_MAX = 8,        /* of each end of a crossing */
};

/* The host of a rank, as routing_host(). */
typedef const char *routing_host_fn(const struct live *live, uint32_t rank);

/* Fills ret, which is initialized, but for generation and state. Made in arena;
 * strings are the placement's.
 *   gone  ranks without a worker, n_gone of them: their instances are masked
 *   STATUS_EXHAUSTED  over a bound, or the arena is full */
int routing_make(const struct live *live, routing_host_fn *host,
                 const uint32_t *gone, size_t n_gone, struct arena *arena,
                 Serried__V1__GetRoutingReply *ret, struct error *err);

/* The host that a rank of the placement is bound to; NULL: to none. A host has
 * one name in memory: names are compared by their addresses. */
const char *routing_host(const struct live *live, uint32_t rank);

#endif
