/* SPDX-License-Identifier: Apache-2.0 */
/* The functions behind the structure checks. Private to structure*.c. */
#ifndef SERRIED_PLACEMENT_STRUCTURE_CHECKS_H
#define SERRIED_PLACEMENT_STRUCTURE_CHECKS_H

#include "placement/check.h"

#define X(name, first)                                                         \
    void structure_##name(struct check *check, const struct rule *rule);
STRUCTURE_LIST(X)
#undef X

/* Whether the order that is asked for the axes of a view cannot be followed,
 * which is then a finding. */
bool structure_view_order(struct check *check, struct scope *scope, int view);

/* Whether two instances have the same ranks in the same order and every axis
 * the same size. */
bool same_instance(const struct check *check, const struct scope *a,
                   size_t instance_a, const struct scope *b, size_t instance_b);

/* Whether all axes have the same sizes. */
bool same_shape(const struct check *check, const struct scope *a,
                const struct scope *b);

/* Whether two groups list the same ranks in the same order. */
bool same_ranks(const struct scope *a, const struct scope *b);

#endif
