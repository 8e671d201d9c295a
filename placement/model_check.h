/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of maps in a model's declaration. Private to model*.c. */
#ifndef SERRIED_PLACEMENT_MODEL_CHECK_H
#define SERRIED_PLACEMENT_MODEL_CHECK_H

#include "base/error.h"
#include "base/tree.h"

/* What a node may be split on: axis -> {attribute: integer or boolean}. An axis
 * with nothing to say may be null. NULL is allowed.
 *   STATUS_INVALID  something else stands there, or a count below 1 */
int model_check_axes(const struct tree *axes, struct error *err);

/* Facts: scalars, or a list of numbers by layer; an integer is a count, which
 * may be 0 but for what every model has (heads, layers). NULL is allowed.
 *   STATUS_INVALID  something else stands there */
int model_check_facts(const struct tree *facts, struct error *err);

#endif
