/* SPDX-License-Identifier: Apache-2.0 */
/* Placements as documents. */
#ifndef SERRIED_CLIENT_GET_H
#define SERRIED_CLIENT_GET_H

#include "client/live.h"

/* Prints a placement in the format asked for, which is not for people: its
 * verdict, and what is known of it beside. */
int placement_write(struct live *live, const struct serry_placement *placement,
                    struct error *err);

#endif
