/* SPDX-License-Identifier: Apache-2.0 */
/* Draws who stands where: ranks on their axes, and the groups along them. */
#ifndef SERRIED_CLIENT_PICTURE_H
#define SERRIED_CLIENT_PICTURE_H

#include <stdint.h>

#include "base/arena.h"
#include "client/output.h"
#include "placement/view.h"

enum {
    PICTURE_RANKS_MAX = 64, /* drawn; of the others there is only the number */
    PICTURE_EXTRA_MAX = 8,
};

/* What is drawn. All of it is borrowed. */
struct picture {
    const struct view *view; /* of one instance */
    uint32_t n_instances;
    const uint32_t *ranks; /* by position over all instances; NULL: the position
                              itself */
    uint32_t offset;       /* added to either */
    /* further columns of the table of ranks */
    int n_extra; /* at most PICTURE_EXTRA_MAX */
    const char *const *extra_titles;
    void (*extra)(void *arg, uint32_t position, int column, struct text *out);
    void *arg;
};

/* Draws a grid of the ranks over the axes (where it fits the width), the groups
 * along each axis, and a table with a row for each rank. Axes of one rank are
 * left out. arena: for texts while drawing. */
void picture_draw(struct output *out, int indent, const struct picture *picture,
                  struct arena *arena);

#endif
