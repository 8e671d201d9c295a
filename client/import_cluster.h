/* SPDX-License-Identifier: Apache-2.0 */
/* serry import of what other programs write about machines. */
#ifndef SERRIED_CLIENT_IMPORT_CLUSTER_H
#define SERRIED_CLIENT_IMPORT_CLUSTER_H

#include "client/command.h"
#include "proto/inventory.h"

/* Prints the cluster of the files behind the format, united, with warnings on
 * standard error. Returns the exit code. */
int import_cluster(struct invocation *v, const struct inventory_format *format);

#endif
