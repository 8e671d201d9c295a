/* SPDX-License-Identifier: Apache-2.0 */
/* Whether any port is leased twice. */
#ifndef SERRIED_DAEMON_AUDIT_PORTS_H
#define SERRIED_DAEMON_AUDIT_PORTS_H

#include "daemon/state.h"

/* Calls fault() for each port that two placements have, or one has for two
 * purposes, on one host; one that is leased on no known host counts on all. */
void audit_ports(struct state *state,
                 void (*fault)(void *arg, const struct live *live,
                               const char *what),
                 void *arg);

#endif
