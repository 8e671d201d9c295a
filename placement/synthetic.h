/* SPDX-License-Identifier: Apache-2.0 */
/* A request made up from a runtime and sizes alone, with no model behind it. */
#ifndef SERRIED_PLACEMENT_SYNTHETIC_H
#define SERRIED_PLACEMENT_SYNTHETIC_H

#include "base/tree.h"
#include "placement/model.h"
#include "placement/runtime.h"

/* Makes the documents of a request for `world` ranks: of a runtime with node
 * groups one group over ranks 0..world-1, and the model it names, whose one
 * node may be split on every axis and has no facts.
 *   sizes    map of axes to sizes
 *   options  map of options
 *   ret_model NULL where no model is needed
 *   STATUS_EXHAUSTED  no memory */
int synthetic_request(const struct runtime *rt, int64_t world,
                      const struct tree *sizes, const struct tree *options,
                      struct tree_maker *maker, struct tree **ret_deployment,
                      struct tree **ret_model, struct error *err);

/* Makes the document of a request that runs a model on `world` ranks: of a
 * runtime with node groups the nodes that may be split on some axis in one
 * group over all ranks, the others on rank 0.
 *   STATUS_EXHAUSTED  no memory */
int synthetic_placing(const struct runtime *rt, const struct model *model,
                      int64_t world, const struct tree *sizes,
                      const struct tree *options, struct tree_maker *maker,
                      struct tree **ret, struct error *err);

#endif
