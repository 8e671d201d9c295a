/* SPDX-License-Identifier: Apache-2.0 */
/* Hosts, as commands show and declare them. */
#ifndef SERRIED_CLIENT_HOST_H
#define SERRIED_CLIENT_HOST_H

#include "client/live.h"
#include "client/pieces.h"

/* Prints all hosts, or one (STATUS_UNKNOWN_NAME: there is none), in the format
 * asked for. */
int hosts_list(struct live *live, const char *name, struct error *err);

/* Declares the hosts of a cluster's document, in calls of as many as one may
 * hold, and says what changed. A rerun goes on where it stopped.
 *   first  place in the inventory of the first; -1: new ones go to the end */
int hosts_apply(struct live *live, const struct piece *piece, int64_t first,
                struct error *err);

#endif
