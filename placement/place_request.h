/* SPDX-License-Identifier: Apache-2.0 */
/* What a request that was accepted asks of a cluster. */
#ifndef SERRIED_PLACEMENT_PLACE_REQUEST_H
#define SERRIED_PLACEMENT_PLACE_REQUEST_H

#include "placement/check.h"
#include "placement/place.h"

/* Makes the request of a check that accepts: its ranks, each once, and the
 * groups of every axis above 1 of every view, in every node group. An axis
 * wants the link that the deployment says, else the one that the runtime says,
 * else any. The size of an axis that is local to a view ({a: b}) wants what b
 * wants. Rows are called by axis, or VIEW.AXIS where the runtime has several
 * views; those of node groups that share no rank are one row, and equal groups
 * of several node groups are there once. STATUS_INVALID    the layout is not
 * known, so there are no groups STATUS_EXHAUSTED  too many ranks or rows, the
 * arena is full */
int place_request_make(struct arena *arena, struct check *check,
                       struct place_request *ret, struct place_ranks *ret_ranks,
                       struct error *err);

#endif
