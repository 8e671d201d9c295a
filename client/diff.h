/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a deployment is in force as a file says it. */
#ifndef SERRIED_CLIENT_DIFF_H
#define SERRIED_CLIENT_DIFF_H

#include "client/live.h"
#include "client/pieces.h"

/* Looks whether placing the deployment anew would change nothing: the request,
 * its layout, its devices, and the runtime it is under are those in force.
 *   ret            the generation in force, where *ret_like_this
 *   ret_like_this  false too where there is none or the request is refused
 * Fails as serry_check() and serry_get_placement(). */
int diff_in_force(struct live *live, const struct piece *piece,
                  struct arena *arena, struct serry_generation *ret,
                  bool *ret_like_this, struct error *err);

#endif
