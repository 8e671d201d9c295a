/* SPDX-License-Identifier: Apache-2.0 */
/* Ports that placements are given, each to one of a host. */
#ifndef SERRIED_DAEMON_PORT_H
#define SERRIED_DAEMON_PORT_H

#include "daemon/state.h"

/* Leases live->port: a port of the settings' range that no placement has on the
 * host of its lowest rank (where it is not bound: on any), nor one whose commit
 * is under way. The search begins at another port with each commit, so that one
 * that was given back is not given again at once: connections to it may linger.
 * It is leased with the placement's commit, to that generation.
 *   STATUS_EXHAUSTED  all are leased, or the range is empty */
int port_choose(struct daemon *daemon, struct live *live, struct error *err);

#endif
