/* SPDX-License-Identifier: Apache-2.0 */
/* Dims and entries of group lists. Private to lists*.c and digest.c. */
#ifndef SERRIED_PLACEMENT_LISTS_H
#define SERRIED_PLACEMENT_LISTS_H

#include "placement/view.h"

enum { LISTS_DIMS_MAX = VIEW_AXES_MAX + 1 };

/* Drops dims of size 1 and merges neighbours. Returns how many are left. */
int dims_merge(struct dim *dims, int n);

/* The same after sorting by falling stride. */
int dims_canonical(struct dim *dims, int n);

uint32_t dims_product(const struct dim *dims, int n);

/* The list that an entry of lists_expand() is in, and as which member. */
uint32_t lists_at_entry(const struct lists *lists, uint32_t entry,
                        uint32_t *ret_member);

/* The inverse: the entry that list i begins with; that behind the last one, of
 * as many lists as there are. */
uint32_t lists_entry_of(const struct lists *lists, uint32_t i);

static inline uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

#endif
