/* SPDX-License-Identifier: Apache-2.0 */
/* What a verdict says of devices, for people. */
#ifndef SERRIED_CLIENT_BOUND_H
#define SERRIED_CLIENT_BOUND_H

#include "client/output.h"

/* Prints on how many hosts a placement is, how the groups of each axis lie, and
 * what placing it anew moved; nothing where the verdict has no binding. */
void bound_show(struct output *out, const struct tree *verdict);

#endif
