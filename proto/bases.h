/* SPDX-License-Identifier: Apache-2.0 */
/* What examples for the rules of a runtime begin with. */
#ifndef SERRIED_PROTO_BASES_H
#define SERRIED_PROTO_BASES_H

#include "placement/example.h"
#include "proto/catalog.h"

/* Requests that say nothing but what they must: of a runtime with node groups
 * for each known model whose usual runtime it is, at most EXAMPLE_BASES_MAX;
 * else one, without a model.
 *   bases   room for EXAMPLE_BASES_MAX, in arena
 *   *ret_n  may be 0: no model is known for it
 *   STATUS_INVALID    a model cannot be loaded
 *   STATUS_EXHAUSTED  no memory */
int bases_make(struct catalog *catalog, const struct runtime *rt,
               struct arena *arena, struct example_base *bases, size_t *ret_n,
               struct error *err);

#endif
