/* SPDX-License-Identifier: Apache-2.0 */
/* What a check's ranks want of the devices they are placed on. */
#ifndef SERRIED_PLACEMENT_PLACE_AXES_H
#define SERRIED_PLACEMENT_PLACE_AXES_H

#include "placement/check.h"
#include "placement/place.h"

/* Makes the groups of every axis above 1 of an accepted check, over positions
 * in ranks: a row for each axis, and more where node groups share ranks or
 * views cut them in another way; groups that several cut alike are there once.
 * An axis wants the link that the deployment says, else the one that the
 * runtime says, else any; one of a view that is an axis of the runtime by
 * another name ({a: b}) wants what that one wants. What its framework needs
 * stays what the runtime says. Behind the axes are the lists of groups that
 * want a link, likewise. Rows have n_positions entries, of which those behind
 * the ranks' are in no group.
 *   STATUS_EXHAUSTED  more than PLACE_AXES_MAX rows, the arena is full */
int place_axes_make(struct check *check, struct arena *arena,
                    const struct place_ranks *ranks, uint32_t n_positions,
                    struct place_axis **ret, size_t *ret_n, struct error *err);

#endif
