/* SPDX-License-Identifier: Apache-2.0 */
/* Which ranks a sparse world was renumbered to, for people. */
#ifndef SERRIED_CLIENT_RENUMBERED_H
#define SERRIED_CLIENT_RENUMBERED_H

#include "base/tree.h"
#include "client/output.h"

/* Prints what a verdict says of it; nothing where ranks kept their numbers. */
void renumbered_show(struct output *out, const struct tree *verdict);

#endif
