/* SPDX-License-Identifier: Apache-2.0 */
/* Draws a view that was laid out. */
#include <inttypes.h>
#include <stdio.h>

#include "client/layout.h"
#include "client/svg.h"

const char *layout_tag(uint32_t group, char room[LAYOUT_TAG])
{
    char *at = room + LAYOUT_TAG - 1;
    uint64_t n = (uint64_t)group + 1;

    *at = '\0';
    for (; n > 0 && at > room; n = (n - 1) / 26)
        *--at = (char)('a' + (n - 1) % 26);
    return at;
}

struct drawing {
    const struct layout *l;
    const struct picture_list *list;
    struct text *out;
};

static void put_label(const struct drawing *d, const char *style, int x, int y,
                      const struct level *level, int64_t from, int64_t to)
{
    struct text text = { 0 };

    svg_fit(&text, level->name, LAYOUT_NAME_MAX);
    text_printf(&text, " %" PRId64, from);
    if (to > from)
        text_printf(&text, "–%" PRId64, to);
    svg_words(d->out, style, x, y, text_string(&text));
    text_close(&text);
}

static void put_cell(const struct drawing *d, int x, int y, uint32_t position)
{
    uint32_t group =
        d->list != NULL ? picture_group(d->list, position) : LISTS_NONE;
    char tag[LAYOUT_TAG], rank[16];
    int width = d->l->cell_w;

    snprintf(rank, sizeof(rank), "%" PRIu32,
             picture_rank(d->l->picture, position));
    svg_cell(d->out, group, x, y, width, LAYOUT_CELL_H);
    svg_words(d->out, "rank", x + width / 2, y + 17, rank);
    if (group != LISTS_NONE)
        svg_words(d->out, "tag", x + width - 3, y + LAYOUT_CELL_H - 3,
                  layout_tag(group, tag));
}

/* A line of cells; from, to: slots of the innermost level. */
static void put_cells(const struct drawing *d, int x, int y, uint32_t position,
                      int from, int to)
{
    const struct level *level = &d->l->levels[d->l->n - 1];

    for (int s = from; s < to; s++, x += level->item_w + LAYOUT_GAP) {
        int64_t c = level_coordinate(level, s);

        if (c < 0)
            svg_words(d->out, "rank", x + level->item_w / 2, y + 17, "⋯");
        else
            put_cell(d, x, y, position + (uint32_t)c * level->stride);
    }
}

static void put_header(const struct drawing *d, int x, int y)
{
    const struct layout *l = d->l;
    const struct level *level = &l->levels[l->n - 1];

    if (!l->names_columns) {
        struct text text = { 0 };

        svg_fit(&text, level->name, LAYOUT_NAME_MAX);
        svg_words(d->out, "axis", x, y + 11, text_string(&text));
        text_close(&text);
    }
    for (int s = 0; s < level_slots(level); s++) {
        int64_t c = level_coordinate(level, s);
        int middle = x + s * (level->item_w + LAYOUT_GAP) + level->item_w / 2;
        char number[16];

        snprintf(number, sizeof(number), "%" PRId64, c);
        if (c >= 0 && l->names_columns)
            put_label(d, "col", middle, y + l->header_h - 5, level, c, c);
        else if (c >= 0)
            svg_words(d->out, "col", middle, y + l->header_h - 5, number);
    }
}

static void draw_grid(const struct drawing *d, int x, int y, uint32_t position)
{
    const struct layout *l = d->l;
    const struct level *rows = &l->levels[l->n - 2];
    const struct level *columns = &l->levels[l->n - 1];

    put_header(d, x + l->label_w, y);
    y += l->header_h;
    for (int s = 0; s < level_slots(rows);
         s++, y += LAYOUT_CELL_H + LAYOUT_GAP) {
        int64_t c = level_coordinate(rows, s);

        if (c < 0) {
            svg_words(d->out, "rank", x + l->label_w + columns->item_w / 2,
                      y + 17, "⋮");
            continue;
        }
        put_label(d, "row", x + l->label_w - 7, y + 18, rows, c, c);
        put_cells(d, x + l->label_w, y, position + (uint32_t)c * rows->stride,
                  0, level_slots(columns));
    }
}

/* The first coordinate in the slots from `from` on. */
static int64_t first_coordinate(const struct level *level, int from)
{
    int64_t c = level_coordinate(level, from);

    return c < 0 ? level_coordinate(level, from + 1) : c;
}

/* The last coordinate in the slots before `to`. */
static int64_t last_coordinate(const struct level *level, int from, int to)
{
    int64_t c = -1;

    while (c < 0 && to > from)
        c = level_coordinate(level, --to);
    return c;
}

static void draw_strip(const struct drawing *d, int x, int y, uint32_t position)
{
    const struct layout *l = d->l;
    const struct level *level = &l->levels[l->n - 1];

    if (level_lines(level) == 1)
        put_header(d, x, y);
    y += l->header_h;
    for (int s = 0; s < level_slots(level); s += level->columns) {
        int end = s + level->columns;

        if (end > level_slots(level))
            end = level_slots(level);
        if (level_lines(level) > 1)
            put_label(d, "row", x + l->label_w - 7, y + 18, level,
                      first_coordinate(level, s),
                      last_coordinate(level, s, end));
        put_cells(d, x + l->label_w, y, position, s, end);
        y += LAYOUT_CELL_H + LAYOUT_GAP;
    }
}

static void draw_level(const struct drawing *d, int depth, int x, int y,
                       uint32_t position);

static void draw_frame(const struct drawing *d, int depth, int slot, int x,
                       int y, uint32_t position)
{
    const struct level *level = &d->l->levels[depth];
    int64_t c = level_coordinate(level, slot);
    char words[32];

    if (c < 0) {
        svg_rect(d->out, "gap", x, y, level->item_w, level->item_h);
        snprintf(words, sizeof(words), "⋯ %" PRIu32 " more",
                 level->size - level->drawn);
        svg_words(d->out, "col", x + level->item_w / 2, y + level->item_h / 2,
                  words);
        return;
    }
    svg_rect(d->out, "frame", x, y, level->item_w, level->item_h);
    put_label(d, "axis", x + LAYOUT_FRAME_PAD, y + 15, level, c, c);
    draw_level(d, depth + 1, x + LAYOUT_FRAME_PAD, y + LAYOUT_FRAME_TITLE,
               position + (uint32_t)c * level->stride);
}

static void draw_level(const struct drawing *d, int depth, int x, int y,
                       uint32_t position)
{
    const struct layout *l = d->l;
    const struct level *level = &l->levels[depth];

    if (depth == l->n_frames) {
        if (l->n - l->n_frames == 2)
            draw_grid(d, x, y, position);
        else
            draw_strip(d, x, y, position);
        return;
    }
    for (int s = 0; s < level_slots(level); s++)
        draw_frame(d, depth, s,
                   x + s % level->columns * (level->item_w + LAYOUT_FRAME_GAP),
                   y + s / level->columns * (level->item_h + LAYOUT_FRAME_GAP),
                   position);
}

void layout_draw(const struct layout *l, const struct picture_list *list, int x,
                 int y, struct text *out)
{
    const struct drawing d = { .l = l, .list = list, .out = out };

    draw_level(&d, 0, x, y, 0);
}
