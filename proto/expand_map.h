/* SPDX-License-Identifier: Apache-2.0 */
/* The rank maps of an assignment that was received. */
#ifndef SERRIED_PROTO_EXPAND_MAP_H
#define SERRIED_PROTO_EXPAND_MAP_H

#include "proto/expand.h"

/* Fills maps, n_maps and world of ret for expand_assignment(), with its errors.
 */
int expand_maps(struct arena *arena, const Serried__V1__Assignment *message,
                struct expansion *ret, struct error *err);

#endif
