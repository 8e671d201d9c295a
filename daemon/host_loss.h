/* SPDX-License-Identifier: Apache-2.0 */
/* What placements would lose when hosts are declared otherwise, or removed. */
#ifndef SERRIED_DAEMON_HOST_LOSS_H
#define SERRIED_DAEMON_HOST_LOSS_H

#include "daemon/state.h"

/* A declared host, and the devices that it will have. */
struct host_going {
    struct inventory_host *host;
    const struct device *devices;
    uint32_t n_devices; /* 0: the host goes, or its devices do */
};

struct host_loss {
    const struct inventory_host *host;
    uint32_t index;     /* of the device on it */
    const char *uuid;   /* that it has now, and another would have its index;
                         * NULL: the index would be gone */
    const char *holder; /* the placement */
};

/* Looks for a device that a placement in force, or one being committed, holds
 * and that would not be there any more. A UUID that is said for the first time,
 * or is said no more, may be the same device's. Each host is there once. Needs
 * no cluster that fits together, so that one that does not can be mended. */
bool hosts_lose(struct state *state, const struct host_going *going, size_t n,
                struct host_loss *ret);

#endif
