/* SPDX-License-Identifier: Apache-2.0 */
/* The legend of a list in an SVG picture: which colour is which group. */
#ifndef SERRIED_CLIENT_LEGEND_H
#define SERRIED_CLIENT_LEGEND_H

#include "client/picture.h"

/* Pixels that a column of it takes, and that it takes in height within a
 * width. */
int legend_width(const struct picture *picture,
                 const struct picture_list *list);
int legend_height(const struct picture *picture,
                  const struct picture_list *list, int width);

/* Draws it with its upper left corner at x, y: the first groups, and how many
 * more there are. */
void legend_draw(struct text *out, const struct picture *picture,
                 const struct picture_list *list, int x, int y, int width);

#endif
