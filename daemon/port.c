/* SPDX-License-Identifier: Apache-2.0 */
/* Ports that placements are given, each to one of a host. */
#include "daemon/port.h"

#include <inttypes.h>

#include "daemon/bound.h"
#include "daemon/daemon.h"

enum { PORTS = 1 << 16 };

struct marking {
    const struct inventory_host *host; /* NULL: not known, so any */
    uint8_t *used;
};

/* The host that has the port: that of the lowest rank. */
static const struct inventory_host *port_host(const struct live *live)
{
    return live->bound != NULL ? live->bound->runs[0].host : NULL;
}

static void mark(void *thing, void *arg)
{
    const struct live *live = thing;
    const struct marking *marking = arg;
    const struct inventory_host *host = port_host(live);
    uint8_t *used = marking->used;

    if (host != NULL && marking->host != NULL && host != marking->host)
        return;
    used[live->port / 8 % (PORTS / 8)] |= (uint8_t)(1u << live->port % 8);
}

int port_choose(struct daemon *daemon, struct live *live, struct error *err)
{
    const struct settings *settings = daemon_settings(daemon);
    struct state *state = daemon_state(daemon);
    uint32_t first = (uint32_t)settings->port_first;
    uint32_t n = settings->port_last < settings->port_first
                     ? 0
                     : (uint32_t)(settings->port_last + 1) - first;
    uint8_t used[PORTS / 8] = { 0 };
    struct marking marking = { port_host(live), used };

    state_live_walk(state, mark, &marking);
    state_prepared_walk(state, mark, &marking);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t port = first + (uint32_t)((state_position(state).rev + i) % n);

        if ((used[port / 8] >> port % 8 & 1) == 0) {
            live->port = port;
            return 0;
        }
    }
    return error_set(err, STATUS_EXHAUSTED,
                     "all %" PRIu32 " ports from %" PRIu32 " on are leased to "
                     "placements; release one, or widen port_first and "
                     "port_last",
                     n, first);
}
