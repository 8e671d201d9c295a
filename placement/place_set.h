/* SPDX-License-Identifier: Apache-2.0 */
/* Sets of numbers that are joined, each named by its lowest. Private to
 * place*.c. */
#ifndef SERRIED_PLACEMENT_PLACE_SET_H
#define SERRIED_PLACEMENT_PLACE_SET_H

#include <stdint.h>

/* The lowest number of i's set. parent: of each number, itself at first. */
static inline uint32_t set_lowest(uint32_t *parent, uint32_t i)
{
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

static inline void set_join(uint32_t *parent, uint32_t a, uint32_t b)
{
    a = set_lowest(parent, a);
    b = set_lowest(parent, b);
    if (a < b)
        parent[b] = a;
    else
        parent[a] = b;
}

#endif
