/* SPDX-License-Identifier: Apache-2.0 */
/* Draws who stands where: ranks on their axes, and the groups along them. */
#include "client/picture.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { MEMBERS_MAX = 8 }; /* of a group that is written out */

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
    const struct strokes *strokes;
    int axes[VIEW_AXES_MAX], n_axes, n_columns;
    uint32_t columns, rows; /* of the whole; what is drawn may be less */
    int cell, label;        /* widths */
    int indent;
};

/* ---- ranks --------------------------------------------------------------- */

static uint32_t rank_at(const struct picture *p, uint32_t position)
{
    return (p->ranks != NULL ? p->ranks[position] : position) + p->offset;
}

static uint32_t total_ranks(const struct picture *p)
{
    return p->view->span * p->n_instances;
}

/* How many are drawn. */
static uint32_t drawn_ranks(const struct picture *p)
{
    uint32_t n = total_ranks(p);

    return n < PICTURE_RANKS_MAX ? n : PICTURE_RANKS_MAX;
}

/* Number of the group that position is in along an axis, over all instances. */
static uint32_t group_of(const struct picture *p, int axis, uint32_t position)
{
    const struct view_axis *a = &p->view->axes[axis];
    uint32_t block = a->size * a->stride;

    return position / block * a->stride + position % a->stride;
}

static enum style group_style(const struct picture *p, int axis,
                              uint32_t position)
{
    uint32_t group = group_of(p, axis, position) % STYLE_GROUPS;

    return (enum style)(STYLE_GROUP + (int)group);
}

static int digits(uint32_t n)
{
    int count = 1;

    while (n >= 10) {
        n /= 10;
        count++;
    }
    return count;
}

/* Columns of "NAME COORDINATE" at its longest. */
static int label_columns(const struct view_axis *axis)
{
    return output_columns(axis->name) + 1 + digits(axis->size - 1);
}

/* ---- the grid ------------------------------------------------------------ */

static const struct view_axis *grid_axis(const struct grid *g, int i)
{
    return &g->p->view->axes[g->axes[i]];
}

/* Lays n_columns axes across; whether the grid then fits. */
static bool try_columns(struct grid *g, int n_columns)
{
    uint32_t highest = 0;
    int innermost = label_columns(grid_axis(g, g->n_axes - 1));

    g->n_columns = n_columns;
    g->columns = 1;
    g->label = g->p->n_instances > 1 ? 10 + digits(g->p->n_instances - 1) : 0;
    for (int i = 0; i < g->n_axes; i++)
        if (i < g->n_axes - n_columns)
            g->label += label_columns(grid_axis(g, i)) + 2;
        else
            g->columns *= grid_axis(g, i)->size;
    g->rows = total_ranks(g->p) / g->columns;
    for (uint32_t i = 0; i < drawn_ranks(g->p); i++)
        if (rank_at(g->p, i) > highest)
            highest = rank_at(g->p, i);
    g->cell = digits(highest) + 2;
    if (g->cell < innermost + 2)
        g->cell = innermost + 2;
    return g->columns <= PICTURE_RANKS_MAX &&
           g->indent + g->label + 1 + (g->cell + 1) * (int)g->columns <=
               g->out->width;
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
    int width = (g->cell + 1) * (int)axis->stride - 1;

    output_spaces(g->out, g->indent + g->label + 1);
    for (uint32_t c = 0; c < g->columns; c += axis->stride) {
        char text[96];

        snprintf(text, sizeof(text), "%.64s %" PRIu32, axis->name,
                 c / axis->stride % axis->size);
        put_centred(g->out, STYLE_NAME, text, width + 1);
    }
    output_line(g->out);
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
    output_spaces(g->out, g->indent + g->label);
    output_put(g->out, STYLE_DIM, text_string(&line));
    output_line(g->out);
    text_close(&line);
}

static void put_row_label(const struct grid *g, uint32_t position)
{
    const struct picture *p = g->p;
    struct text label = { 0 };

    if (p->n_instances > 1)
        text_printf(&label, "instance %-*" PRIu32 " ",
                    digits(p->n_instances - 1), position / p->view->span);
    for (int i = 0; i < g->n_axes - g->n_columns; i++)
        text_printf(&label, "%s %-*" PRIu32 "  ", grid_axis(g, i)->name,
                    digits(grid_axis(g, i)->size - 1),
                    view_coordinate(p->view, g->axes[i], position));
    output_spaces(g->out, g->indent);
    output_put(g->out, STYLE_NAME, text_string(&label));
    output_spaces(g->out, g->label - output_columns(text_string(&label)));
    text_close(&label);
}

static void put_row(const struct grid *g, uint32_t row)
{
    uint32_t first = row * g->columns;

    put_row_label(g, first % total_ranks(g->p));
    for (uint32_t c = 0; c < g->columns; c++) {
        char rank[16];

        output_put(g->out, STYLE_DIM, g->strokes->down);
        snprintf(rank, sizeof(rank), "%" PRIu32, rank_at(g->p, first + c));
        put_centred(g->out,
                    group_style(g->p, g->axes[g->n_axes - 1], first + c), rank,
                    g->cell);
    }
    output_put(g->out, STYLE_DIM, g->strokes->down);
    output_line(g->out);
}

/* Rows that belong together: those of one coordinate on the outermost axis that
 * goes down, or of one instance. */
static uint32_t rows_together(const struct grid *g)
{
    uint32_t span = g->p->view->span;

    if (g->p->n_instances > 1)
        return span / g->columns;
    if (g->n_axes - g->n_columns < 2)
        return g->rows;
    return grid_axis(g, 0)->stride / g->columns;
}

static void draw_grid(struct grid *g)
{
    uint32_t rows = drawn_ranks(g->p) / g->columns, together = rows_together(g);

    for (int i = g->n_axes - g->n_columns; i < g->n_axes; i++)
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
    output_spaces(g->out, g->indent + g->label);
    output_put(g->out, STYLE_DIM, "...");
    output_line(g->out);
}

/* ---- groups along the axes ----------------------------------------------- */

/* Writes a group as {0,1}; a long one as {0,1,...,63}. */
static void print_group(const struct picture *p, int axis, uint32_t first,
                        struct text *out)
{
    const struct view_axis *a = &p->view->axes[axis];
    bool cut = a->size > MEMBERS_MAX;
    uint32_t n = cut ? 2 : a->size;

    for (uint32_t j = 0; j < n; j++)
        text_printf(out, "%s%" PRIu32, j == 0 ? "{" : ",",
                    rank_at(p, first + j * a->stride));
    if (cut)
        text_printf(out, ",...,%" PRIu32,
                    rank_at(p, first + (a->size - 1) * a->stride));
    text_put(out, "}");
}

/* The groups along an axis, by their first member, wrapped; as many ranks as
 * are drawn. */
static void put_groups(const struct grid *g, int axis, int label_width)
{
    const struct picture *p = g->p;
    const struct view_axis *a = &p->view->axes[axis];
    int start = g->indent + label_width, column = start;
    uint32_t shown = 0;

    output_spaces(g->out, g->indent);
    output_put(g->out, STYLE_NAME, a->name);
    output_put(g->out, STYLE_DIM, " groups");
    output_spaces(g->out, label_width - output_columns(a->name) - 7);
    for (uint32_t i = 0; i < total_ranks(p) && shown < PICTURE_RANKS_MAX; i++) {
        struct text group = { 0 };

        if (view_coordinate(p->view, axis, i % p->view->span) != 0)
            continue;
        print_group(p, axis, i, &group);
        if (column + (int)group.len > g->out->width && column > start) {
            output_line(g->out);
            output_spaces(g->out, start);
            column = start;
        }
        output_put(g->out, group_style(p, axis, i), text_string(&group));
        output_put(g->out, STYLE_PLAIN, " ");
        column += (int)group.len + 1;
        shown += a->size;
        text_close(&group);
    }
    if (shown < total_ranks(p))
        output_put(g->out, STYLE_DIM, "...");
    output_line(g->out);
}

static void draw_groups(const struct grid *g)
{
    int width = 0;

    for (int i = 0; i < g->n_axes; i++) {
        int columns = output_columns(grid_axis(g, i)->name);

        if (columns > width)
            width = columns;
    }
    for (int i = g->n_axes; i > 0; i--)
        put_groups(g, g->axes[i - 1], width + 9);
}

/* ---- the table of ranks -------------------------------------------------- */

static const char *number_text(struct arena *arena, uint32_t n)
{
    return arena_printf(arena, "%" PRIu32, n);
}

static const char *extra_text(const struct picture *p, uint32_t position,
                              int column, struct arena *arena)
{
    struct text text = { 0 };
    const char *copy;

    p->extra(p->arg, position, column, &text);
    copy = arena_strdup(arena, text_string(&text));
    text_close(&text);
    return copy;
}

static void fill_heading(const struct grid *g, struct cell *row)
{
    const struct picture *p = g->p;
    int c = 0;

    row[c++].text = "rank";
    if (p->n_instances > 1)
        row[c++].text = "instance";
    for (int i = 0; i < g->n_axes; i++)
        row[c++].text = grid_axis(g, i)->name;
    for (int i = 0; i < p->n_extra; i++)
        row[c++].text = p->extra_titles[i];
    while (c > 0)
        row[--c].style = STYLE_DIM;
}

static void fill_row(const struct grid *g, uint32_t position, struct cell *row,
                     struct arena *arena)
{
    const struct picture *p = g->p;
    uint32_t inside = position % p->view->span;
    int c = 0;

    row[c].style = STYLE_BOLD;
    row[c++].text = number_text(arena, rank_at(p, position));
    if (p->n_instances > 1)
        row[c++].text = number_text(arena, position / p->view->span);
    for (int i = 0; i < g->n_axes; i++, c++) {
        row[c].text =
            number_text(arena, view_coordinate(p->view, g->axes[i], inside));
        row[c].style = group_style(p, g->axes[i], position);
    }
    for (int i = 0; i < p->n_extra; i++)
        row[c++].text = extra_text(p, position, i, arena);
}

static void draw_ranks(const struct grid *g, struct arena *arena)
{
    const struct picture *p = g->p;
    uint32_t n = drawn_ranks(p), left = total_ranks(p) - n;
    int numbers = 1 + (p->n_instances > 1) + g->n_axes;
    int columns = numbers + p->n_extra;
    struct cell *cells =
        arena_array(arena, (n + 1) * (size_t)columns, sizeof(*cells));

    if (cells == NULL)
        return;
    fill_heading(g, cells);
    for (uint32_t i = 0; i < n; i++)
        fill_row(g, i, cells + (i + 1) * (size_t)columns, arena);
    output_table(g->out, g->indent, cells, columns, n + 1, (1u << numbers) - 1);
    if (left == 0)
        return;
    output_spaces(g->out, g->indent);
    output_printf(g->out, STYLE_DIM,
                  "... and %" PRIu32 " more ranks (use -o json --per-rank)",
                  left);
    output_line(g->out);
}

/* ---- the whole ----------------------------------------------------------- */

void picture_draw(struct output *out, int indent, const struct picture *p,
                  struct arena *arena)
{
    struct grid g = {
        .out = out,
        .p = p,
        .strokes = out->utf8 ? &strokes_utf8 : &strokes_ascii,
        .indent = indent,
    };
    int n;

    for (int a = 0; a < p->view->n_axes; a++)
        if (p->view->axes[a].size > 1)
            g.axes[g.n_axes++] = a;
    if (g.n_axes == 0)
        return;
    for (n = (g.n_axes + 1) / 2; n > 0 && !try_columns(&g, n); n--)
        ;
    if (n > 0) {
        draw_grid(&g);
        output_line(out);
    }
    draw_groups(&g);
    output_line(out);
    draw_ranks(&g, arena);
}
