/* SPDX-License-Identifier: Apache-2.0 */
/* Pieces of an SVG picture. */
#ifndef SERRIED_CLIENT_SVG_H
#define SERRIED_CLIENT_SVG_H

#include <stdint.h>

#include "base/text.h"
#include "placement/view.h"

/* Colours of cells, which are readable below dark text and can be told apart
 * by those who are colour-blind; then the same with a pattern. */
enum { SVG_COLOURS = 8, SVG_PATTERNS = 4 };

/* Writes what comes before the body: size, title for readers of the screen,
 * styles, patterns, and a background of its own. */
void svg_begin(struct text *out, int width, int height, const char *title);
void svg_end(struct text *out);

/* A rectangle of a style: "canvas", "band", "frame", "gap" or "bare". */
void svg_rect(struct text *out, const char *style, int x, int y, int width,
              int height);
/* One filled as the cells of a group are, by its number; LISTS_NONE: not. */
void svg_cell(struct text *out, uint32_t group, int x, int y, int width,
              int height);

/* Words whose baseline is at y, of a style: "title", "sub", "head", "axes",
 * "list", "note", "axis", "row" (ends at x), "col", "rank" (both around x),
 * "tag" (ends at x), "mark" (around x), "key". What XML does not allow is
 * escaped or replaced. */
void svg_words(struct text *out, const char *style, int x, int y,
               const char *words);

/* Writes at most `columns` characters of words, the last one an ellipsis where
 * there are more. */
void svg_fit(struct text *out, const char *words, int columns);

#endif
