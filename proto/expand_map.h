/* SPDX-License-Identifier: Apache-2.0 */
/* The rank maps of an assignment that was received. */
#ifndef SERRIED_PROTO_EXPAND_MAP_H
#define SERRIED_PROTO_EXPAND_MAP_H

#include "proto/expand.h"

/* Reads one rank map; *ret_bound: highest rank and one. Errors as of
 * expand_assignment(). */
int expand_map(struct arena *arena, const Serried__V1__RankMap *from,
               uint32_t *ret_bound, struct expand_map *ret, struct error *err);

/* Reads n runs of numbers, which may come twice.
 *   STATUS_INVALID    as of runs_check()
 *   STATUS_EXHAUSTED  the arena is full */
int expand_runs(struct arena *arena, Serried__V1__Run *const *from, size_t n,
                const uint32_t **ret, uint32_t *ret_n, struct error *err);

/* Fills maps, n_maps and world of ret for expand_assignment(), with its errors.
 */
int expand_maps(struct arena *arena, const Serried__V1__Assignment *message,
                struct expansion *ret, struct error *err);

#endif
