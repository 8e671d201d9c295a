/* SPDX-License-Identifier: Apache-2.0 */
/* A grid of ranks over the axes of one view, for a terminal. */
#include <inttypes.h>
#include <stdio.h>

#include "client/picture.h"

/* What lines are made of. */
struct strokes {
    const char *across, *down;
    const char *corners[3][3]; /* top, middle, bottom; left, inner, right */
};

/* clang-format off */
static const struct strokes strokes_ascii = {
    "-", "|", { { "+", "+", "+" }, { "+", "+", "+" }, { "+", "+", "+" } },
};
static const struct strokes strokes_utf8 = {
    "─", "│", { { "┌", "┬", "┐" }, { "├", "┼", "┤" }, { "└", "┴", "┘" } },
};
/* clang-format on */

/* The axes of more than one rank, outermost first; the last n_columns of them
 * go across, the others down, below the instances. */
struct grid {
    struct output *out;
    const struct picture *p;
    const struct picture_view *v;
    const struct strokes *strokes;
    int axes[VIEW_AXES_MAX], n_axes, n_columns;
    uint32_t columns, rows; /* of the whole; what is drawn may be less */
    int cell, label;        /* widths */
    bool compact;
    bool folded; /* the only axis across takes several lines */
};

/* How many ranks are drawn. */
static uint32_t drawn_ranks(const struct picture *p)
{
    uint32_t n = picture_ranks(p);

    return n < PICTURE_RANKS_MAX ? n : PICTURE_RANKS_MAX;
}

/* ---- the grid ------------------------------------------------------------ */

static const struct view_axis *grid_axis(const struct grid *g, int i)
{
    return &g->v->view->axes[g->axes[i]];
}

/* Columns that a coordinate takes: the digits; with its axis' name before it
 * where that does not stand above. */
static int label_columns(const struct grid *g, const char *name, uint32_t size)
{
    int digits = picture_digits(size - 1), columns = output_columns(name);

    if (g->compact)
        return columns > digits ? columns : digits;
    return columns + 1 + digits;
}

/* Whether instances are told apart. */
static bool has_instances(const struct grid *g)
{
    return g->p->n_instances > 1;
}

/* Columns of "dp 0-7", the part of the folded axis that is on a line. */
static int part_columns(const struct grid *g)
{
    const struct view_axis *axis = grid_axis(g, g->n_axes - 1);

    return output_columns(axis->name) + 1 + 2 * picture_digits(axis->size - 1) +
           1;
}

/* Columns before the grid. */
static int all_labels(const struct grid *g)
{
    int gap = g->compact ? 1 : 2, columns = 0;

    if (has_instances(g))
        columns = label_columns(g, "instance", g->p->n_instances) + gap;
    for (int i = 0; i < g->n_axes - g->n_columns; i++)
        columns += gap + label_columns(g, grid_axis(g, i)->name,
                                       grid_axis(g, i)->size);
    for (int i = g->n_axes - g->n_columns; g->compact && i < g->n_axes; i++)
        if (output_columns(grid_axis(g, i)->name) + 1 > columns)
            columns = output_columns(grid_axis(g, i)->name) + 1;
    return columns;
}

/* Columns of a cell, without its borders. */
static int cell_columns(const struct grid *g)
{
    const struct view_axis *innermost = grid_axis(g, g->n_axes - 1);
    uint32_t highest = innermost->size - 1;
    int head;

    for (uint32_t i = 0; i < drawn_ranks(g->p); i++)
        if (picture_rank(g->p, i) > highest)
            highest = picture_rank(g->p, i);
    if (g->compact || g->folded)
        return picture_digits(highest) + 2;
    head = label_columns(g, innermost->name, innermost->size);
    return (picture_digits(highest) > head ? picture_digits(highest) : head) +
           2;
}

/* Lays n_columns axes across; whether the grid then fits. */
static bool try_columns(struct grid *g, int n_columns)
{
    g->n_columns = n_columns;
    g->columns = 1;
    for (int i = g->n_axes - n_columns; i < g->n_axes; i++)
        g->columns *= grid_axis(g, i)->size;
    g->rows = picture_ranks(g->p) / g->columns;
    g->label = all_labels(g);
    g->cell = cell_columns(g);
    return g->columns <= PICTURE_RANKS_MAX &&
           g->label + 1 + (g->cell + 1) * (int)g->columns <= g->out->width;
}

/* Cuts the innermost axis into lines of equal length; whether that helps. */
static bool try_folding(struct grid *g)
{
    const struct view_axis *axis;

    if (g->n_axes == 0)
        return false;
    g->folded = true;
    try_columns(g, 1);
    axis = grid_axis(g, g->n_axes - 1);
    g->label += part_columns(g) + 2;
    for (uint32_t n = 1; n < axis->size && n <= PICTURE_RANKS_MAX; n++)
        if (axis->size % n == 0 &&
            g->label + 1 + (g->cell + 1) * (int)n <= g->out->width)
            g->columns = n;
    g->rows = picture_ranks(g->p) / g->columns;
    return g->columns > 1 && g->columns < axis->size;
}

static void put_centred(struct output *out, enum style style, const char *text,
                        int width)
{
    int left = (width - output_columns(text)) / 2;

    output_spaces(out, left);
    output_put(out, style, text);
    output_spaces(out, width - left - output_columns(text));
}

/* One line for each axis that goes across, its coordinates over the cells. */
static void put_header(const struct grid *g, int i)
{
    const struct view_axis *axis = grid_axis(g, i);
    int width = (g->cell + 1) * (int)axis->stride - 1, label = 0;

    if (g->compact) {
        label = output_columns(axis->name) + 1;
        output_spaces(g->out, g->label - label);
        output_put(g->out, STYLE_NAME, axis->name);
        label = g->label - 1;
    }
    output_spaces(g->out, g->label + 1 - label);
    for (uint32_t c = 0; c < g->columns; c += axis->stride) {
        char text[96];

        snprintf(text, sizeof(text), "%.64s%s%" PRIu32,
                 g->compact ? "" : axis->name, g->compact ? "" : " ",
                 c / axis->stride % axis->size);
        put_centred(g->out, STYLE_NAME, text, width + 1);
    }
    output_line(g->out);
}

/* The names of the axes that go down, over their coordinates. */
static void put_row_names(const struct grid *g)
{
    struct text names = { 0 };
    int last = g->n_axes - g->n_columns;

    if (has_instances(g))
        text_put(&names, "instance ");
    for (int i = 0; i < last; i++)
        text_printf(
            &names, "%*s ",
            label_columns(g, grid_axis(g, i)->name, grid_axis(g, i)->size),
            grid_axis(g, i)->name);
    output_spaces(g->out, g->label - output_columns(text_string(&names)));
    output_put(g->out, STYLE_NAME, text_string(&names));
    text_close(&names);
}

/* A line across; where: 0 top, 1 between rows, 2 bottom. */
static void put_rule(const struct grid *g, int where)
{
    const char *const *corner = g->strokes->corners[where];
    struct text line = { 0 };

    text_put(&line, corner[0]);
    for (uint32_t c = 0; c < g->columns; c++) {
        for (int i = 0; i < g->cell; i++)
            text_put(&line, g->strokes->across);
        text_put(&line, corner[c + 1 < g->columns ? 1 : 2]);
    }
    if (where == 0 && g->compact)
        put_row_names(g);
    else
        output_spaces(g->out, g->label);
    output_put(g->out, STYLE_DIM, text_string(&line));
    output_line(g->out);
    text_close(&line);
}

static void put_coordinate(const struct grid *g, const char *name,
                           uint32_t size, uint32_t coordinate, struct text *out)
{
    if (g->compact)
        text_printf(out, "%*" PRIu32 " ", label_columns(g, name, size),
                    coordinate);
    else
        text_printf(out, "%s %-*" PRIu32 "  ", name, picture_digits(size - 1),
                    coordinate);
}

static void put_part(const struct grid *g, uint32_t position, struct text *out)
{
    const struct view_axis *axis = grid_axis(g, g->n_axes - 1);
    uint32_t first =
        view_coordinate(g->v->view, g->axes[g->n_axes - 1], position);

    text_printf(out, "%s %" PRIu32 "-%" PRIu32, axis->name, first,
                first + g->columns - 1);
}

static void put_row_label(const struct grid *g, uint32_t position)
{
    const struct view *view = g->v->view;
    struct text label = { 0 };

    if (has_instances(g))
        put_coordinate(g, "instance", g->p->n_instances, position / view->span,
                       &label);
    for (int i = 0; i < g->n_axes - g->n_columns; i++)
        put_coordinate(g, grid_axis(g, i)->name, grid_axis(g, i)->size,
                       view_coordinate(view, g->axes[i], position), &label);
    if (g->folded)
        put_part(g, position, &label);
    if (g->compact)
        output_spaces(g->out, g->label - output_columns(text_string(&label)));
    output_put(g->out, STYLE_NAME, text_string(&label));
    if (!g->compact)
        output_spaces(g->out, g->label - output_columns(text_string(&label)));
    text_close(&label);
}

static enum style rank_style(const struct grid *g, uint32_t position)
{
    if (g->v->n_lists == 0)
        return STYLE_PLAIN;
    return picture_style(picture_group(&g->v->lists[0], position));
}

static void put_row(const struct grid *g, uint32_t row)
{
    uint32_t first = row * g->columns;

    put_row_label(g, first % picture_ranks(g->p));
    for (uint32_t c = 0; c < g->columns; c++) {
        char rank[16];

        output_put(g->out, STYLE_DIM, g->strokes->down);
        snprintf(rank, sizeof(rank), "%" PRIu32, picture_rank(g->p, first + c));
        put_centred(g->out, rank_style(g, first + c), rank, g->cell);
    }
    output_put(g->out, STYLE_DIM, g->strokes->down);
    output_line(g->out);
}

/* Rows that belong together: those of one coordinate on the outermost axis that
 * goes down, or of one instance. */
static uint32_t rows_together(const struct grid *g)
{
    uint32_t span = g->v->view->span;

    if (has_instances(g))
        return span / g->columns;
    if (g->n_axes - g->n_columns < (g->folded ? 1 : 2))
        return g->rows;
    return grid_axis(g, 0)->stride / g->columns;
}

static void draw_grid(struct grid *g)
{
    uint32_t rows = drawn_ranks(g->p) / g->columns, together = rows_together(g);

    for (int i = g->n_axes - g->n_columns; i < g->n_axes && !g->folded; i++)
        put_header(g, i);
    put_rule(g, 0);
    for (uint32_t r = 0; r < rows; r++) {
        if (r > 0 && together > 1 && r % together == 0)
            put_rule(g, 1);
        put_row(g, r);
    }
    put_rule(g, 2);
    if (rows == g->rows)
        return;
    output_spaces(g->out, g->label);
    output_put(g->out, STYLE_DIM, "...");
    output_line(g->out);
}

bool picture_grid(struct output *out, enum picture_room room,
                  const struct picture *p, const struct picture_view *view)
{
    struct grid g = {
        .out = out,
        .p = p,
        .v = view,
        .strokes = out->utf8 ? &strokes_utf8 : &strokes_ascii,
        .compact = room == PICTURE_COMPACT,
    };
    bool fits = false;

    for (int a = 0; a < view->view->n_axes; a++)
        if (view->view->axes[a].size > 1)
            g.axes[g.n_axes++] = a;
    for (int n = (g.n_axes + 1) / 2; n > 0 && !fits; n--)
        fits = try_columns(&g, n);
    if (!fits && room == PICTURE_FOLDED)
        fits = try_folding(&g);
    if (fits)
        draw_grid(&g);
    return fits;
}
