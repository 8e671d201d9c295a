/* SPDX-License-Identifier: Apache-2.0 */
/* The table of ranks below a picture: coordinates on all axes, and what else is
 * known of each rank. */
#include <inttypes.h>
#include <string.h>

#include "client/picture.h"

/* How many have a row in the table. */
static uint32_t drawn_ranks(const struct picture *p)
{
    uint32_t n = picture_ranks(p);

    return n < PICTURE_RANKS_MAX ? n : PICTURE_RANKS_MAX;
}

/* A column of coordinates. */
struct coordinate {
    const char *title;
    const struct view *view;
    int axis;
};

struct table {
    const struct picture *p;
    struct arena *arena;
    struct coordinate *coordinates;
    int n_coordinates;
    int n_extra; /* of the picture's, as many as fit */
};

/* Whether two axes number the ranks alike, as those that views share do. */
static bool is_alike(const struct coordinate *c, const struct view_axis *axis)
{
    const struct view_axis *a = &c->view->axes[c->axis];

    return a->size == axis->size && a->stride == axis->stride &&
           strcmp(a->name, axis->name) == 0;
}

static bool has_column(const struct table *t, const struct view_axis *axis)
{
    for (int i = 0; i < t->n_coordinates; i++)
        if (is_alike(&t->coordinates[i], axis))
            return true;
    return false;
}

/* Whether the name is that of different axes. */
static bool is_ambiguous(const struct picture *p, const struct view_axis *axis)
{
    for (size_t v = 0; v < p->n_views; v++) {
        const struct view *view = p->views[v].view;
        int other = view_axis(view, axis->name);

        if (other >= 0 && view->axes[other].size > 1 &&
            (view->axes[other].size != axis->size ||
             view->axes[other].stride != axis->stride))
            return true;
    }
    return false;
}

static void add_columns(struct table *t, const struct picture_view *v)
{
    for (int a = 0; a < v->view->n_axes; a++) {
        const struct view_axis *axis = &v->view->axes[a];
        const char *title = axis->name;

        if (axis->size < 2 || has_column(t, axis))
            continue;
        if (is_ambiguous(t->p, axis))
            title = arena_printf(t->arena, "%s.%s", v->name, axis->name);
        t->coordinates[t->n_coordinates++] =
            (struct coordinate){ title, v->view, a };
    }
}

static enum style coordinate_style(const struct coordinate *c,
                                   uint32_t position)
{
    const struct view_axis *a = &c->view->axes[c->axis];
    uint32_t block = a->size * a->stride;

    return picture_style(position / block * a->stride + position % a->stride);
}

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

static void fill_heading(const struct table *t, struct cell *row)
{
    const struct picture *p = t->p;
    int c = 0;

    row[c++].text = "rank";
    if (p->n_instances > 1)
        row[c++].text = "instance";
    for (int i = 0; i < t->n_coordinates; i++)
        row[c++].text = t->coordinates[i].title;
    for (int i = 0; i < t->n_extra; i++)
        row[c++].text = p->extra_titles[i];
    while (c > 0)
        row[--c].style = STYLE_DIM;
}

static void fill_row(const struct table *t, uint32_t position, struct cell *row)
{
    const struct picture *p = t->p;
    uint32_t span = p->views[0].view->span;
    int c = 0;

    row[c].style = STYLE_BOLD;
    row[c++].text = number_text(t->arena, picture_rank(p, position));
    if (p->n_instances > 1)
        row[c++].text = number_text(t->arena, position / span);
    for (int i = 0; i < t->n_coordinates; i++, c++) {
        const struct coordinate *column = &t->coordinates[i];

        row[c].text =
            number_text(t->arena, view_coordinate(column->view, column->axis,
                                                  position % span));
        row[c].style = coordinate_style(column, position);
    }
    for (int i = 0; i < t->n_extra; i++)
        row[c++].text = extra_text(p, position, i, t->arena);
}

static int number_columns(const struct table *t)
{
    return 1 + (t->p->n_instances > 1) + t->n_coordinates;
}

/* The heading and a row for each rank; NULL: no memory. */
static struct cell *fill_table(const struct table *t)
{
    size_t columns = (size_t)(number_columns(t) + t->n_extra);
    uint32_t n = drawn_ranks(t->p);
    struct cell *cells =
        arena_array(t->arena, (n + 1) * columns, sizeof(*cells));

    if (cells == NULL)
        return NULL;
    fill_heading(t, cells);
    for (uint32_t i = 0; i < n; i++)
        fill_row(t, i, cells + (i + 1) * columns);
    return cells;
}

/* How many of the further columns fit, so that none is a narrow strip. */
static int count_extra(const struct table *t, const struct cell *cells,
                       int width)
{
    int columns = number_columns(t) + t->n_extra, sum = 0, c;

    for (c = 0; c < columns; c++) {
        int widest = 0;

        for (uint32_t r = 0; r <= drawn_ranks(t->p); r++) {
            const char *text = cells[r * (uint32_t)columns + (uint32_t)c].text;
            int n = text != NULL ? output_columns(text) : 0;

            if (n > widest)
                widest = n;
        }
        sum += widest + (c > 0 ? 2 : 0);
        if (sum > width && c >= number_columns(t))
            break;
    }
    return c - number_columns(t);
}

static void put_rest(struct output *out, int indent, const struct table *t)
{
    uint32_t ranks = picture_ranks(t->p) - drawn_ranks(t->p);
    int columns = t->p->n_extra - t->n_extra;
    struct text text = { 0 };

    if (ranks > 0)
        text_printf(&text,
                    "... and %" PRIu32 " more ranks (mesh -o json lists them, "
                    "check --per-rank says all)",
                    ranks);
    if (columns > 0)
        text_printf(&text, "%s%d more column%s a wider terminal",
                    ranks > 0 ? "; " : "... and ", columns,
                    columns == 1 ? " needs" : "s need");
    if (text.len > 0)
        output_paragraph(out, indent, STYLE_DIM, "", STYLE_DIM,
                         text_string(&text));
    text_close(&text);
}

static void draw_ranks(struct output *out, int indent, struct table *t)
{
    struct cell *cells = fill_table(t);
    int numbers = number_columns(t), fit;

    if (cells == NULL)
        return;
    fit = count_extra(t, cells, out->width - indent);
    if (fit < t->n_extra) {
        t->n_extra = fit;
        cells = fill_table(t);
    }
    if (cells == NULL)
        return;
    output_table(out, indent, cells, numbers + t->n_extra,
                 drawn_ranks(t->p) + 1,
                 numbers < 32 ? (1u << numbers) - 1 : ~0u);
    put_rest(out, indent, t);
}

void picture_table(struct output *out, int indent, const struct picture *p,
                   struct arena *arena)
{
    struct table table = {
        .p = p,
        .arena = arena,
        .n_extra = p->n_extra,
        .coordinates = arena_array(arena, p->n_views * VIEW_AXES_MAX,
                                   sizeof(*table.coordinates)),
    };

    if (table.coordinates == NULL)
        return;
    for (size_t v = 0; v < p->n_views; v++)
        add_columns(&table, &p->views[v]);
    draw_ranks(out, indent, &table);
}
