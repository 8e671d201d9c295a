/* SPDX-License-Identifier: Apache-2.0 */
/* Hosts, as commands show and declare them. */
#ifndef SERRIED_CLIENT_HOST_H
#define SERRIED_CLIENT_HOST_H

#include "client/live.h"
#include "client/pieces.h"

enum { HOSTS_A_CALL = 100 }; /* changed by one */

/* The hosts that operands name: names, or lists of them as in a cluster's
 * document, node[1-8,12]. */
struct host_names {
    const char **names;
    size_t n;
};

/* In the invocation's arena. STATUS_INVALID: one cannot be read. */
int hosts_named(struct live *live, struct host_names *ret, struct error *err);

/* Prints all hosts, or one (STATUS_UNKNOWN_NAME: there is none), in the format
 * asked for. */
int hosts_list(struct live *live, const char *name, struct error *err);

/* Declares the hosts of a cluster's document, in calls of as many as one may
 * hold, and says what changed. A rerun goes on where it stopped.
 *   first  place in the inventory of the first; -1: new ones go to the end */
int hosts_apply(struct live *live, const struct piece *piece, int64_t first,
                struct error *err);

#endif
