/* SPDX-License-Identifier: Apache-2.0 */
/* Where the ranks of a view stand in an SVG picture. */
#ifndef SERRIED_CLIENT_LAYOUT_H
#define SERRIED_CLIENT_LAYOUT_H

#include "client/picture.h"

enum {
    /* ranks that are all drawn, and drawn of more than these; the first where
       lists are few, the second however many */
    LAYOUT_WHOLE_MAX = 512,
    LAYOUT_WHOLE_MIN = 64,
    LAYOUT_RANKS_MAX = 128,
    LAYOUT_RANKS_MIN = 48,
    LAYOUT_CELLS = 2048, /* of all lists of a picture together, about */
    LAYOUT_LEVELS_MAX = VIEW_AXES_MAX + 1,
    LAYOUT_NAME_MAX = 16, /* characters of an axis' name */
    /* pixels */
    LAYOUT_CELL_H = 28,
    LAYOUT_GAP = 3, /* between cells */
    LAYOUT_FRAME_GAP = 8,
    LAYOUT_FRAME_PAD = 8,
    LAYOUT_FRAME_TITLE = 20,
};

/* One axis above 1, or the instances. Of a long one the first coordinates are
 * drawn, an ellipsis, and the last one. */
struct level {
    const char *name;
    uint32_t size, stride; /* in positions over all instances */
    uint32_t drawn;        /* coordinates; below size: and an ellipsis */
    int columns;           /* of them that stand side by side in a line */
    int item_w, item_h;    /* pixels that one takes */
};

/* Whether an ellipsis is drawn; how many places its items take with it; the
 * coordinate in such a place, -1 of the ellipsis; and the lines that they fill.
 */
bool level_is_cut(const struct level *level);
int level_slots(const struct level *level);
int64_t level_coordinate(const struct level *level, int slot);
int level_lines(const struct level *level);

/* A view, outermost level first. The last two levels are a grid of rows and
 * columns, or the last one alone is a strip, wrapped where it is long; the
 * others are frames around them, each in the one before. */
struct layout {
    const struct picture *picture;
    struct level levels[LAYOUT_LEVELS_MAX];
    int n;
    int n_frames;       /* levels that are frames */
    bool names_columns; /* the coordinates over the columns have the axis' name
                           before them, else it has a line of its own */
    int label_w, header_h, cell_w;
    int width, height;
    uint32_t n_drawn; /* ranks */
};

/* Lays a view out, not wider than `width` where that can be.
 *   n_lists  how many are drawn of all views of the picture */
void layout_make(struct layout *layout, const struct picture *picture,
                 const struct picture_view *view, size_t n_lists, int width);

/* layout_draw.c: draws it with its upper left corner at x, y; cells have the
 * colours of the groups of a list. */
void layout_draw(const struct layout *layout, const struct picture_list *list,
                 int x, int y, struct text *out);

/* A tag for a group: a, b, ... z, aa, ... */
enum { LAYOUT_TAG = 8 };
const char *layout_tag(uint32_t group, char room[LAYOUT_TAG]);

#endif
