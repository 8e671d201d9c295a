/* SPDX-License-Identifier: Apache-2.0 */
/* Draws for a terminal who stands where: grids, groups, and a table of ranks.
 */
#include "client/picture.h"

#include <inttypes.h>
#include <limits.h>
#include <string.h>

enum {
    MEMBERS_MAX = 8,  /* of a group that is written out */
    CHOSEN_MAX = 256, /* of a list that was asked for: groups, and members of
                         each */
    GAP = 4,          /* between pictures side by side */
};

int picture_digits(uint32_t n)
{
    int count = 1;

    while (n >= 10) {
        n /= 10;
        count++;
    }
    return count;
}

/* How many have a row in the table. */
static uint32_t drawn_ranks(const struct picture *p)
{
    uint32_t n = picture_ranks(p);

    return n < PICTURE_RANKS_MAX ? n : PICTURE_RANKS_MAX;
}

/* ---- grids --------------------------------------------------------------- */

static bool draw_view(struct output *out, enum picture_room how,
                      const struct picture *p, const struct picture_view *view)
{
    if (p->n_views > 1) {
        output_printf(out, STYLE_BOLD, "view %.64s", view->name);
        output_line(out);
        output_line(out);
    }
    return picture_grid(out, how, p, view);
}

static bool draw_part(const struct output *out, int width,
                      enum picture_room how, const struct picture *p, size_t v,
                      struct output *ret)
{
    output_close(ret);
    *ret = (struct output){ .colour = out->colour,
                            .utf8 = out->utf8,
                            .width = width };
    return draw_view(ret, how, p, &p->views[v]);
}

/* Draws every view, each at most `width` columns wide. Returns the columns that
 * they take side by side; INT_MAX: one does not fit. */
static int draw_parts(const struct output *out, int width,
                      enum picture_room how, const struct picture *p,
                      struct output *parts)
{
    int sum = -GAP;
    bool fit = true;

    for (size_t v = 0; v < p->n_views; v++) {
        fit = draw_part(out, width, how, p, v, &parts[v]) && fit;
        sum += GAP + output_widest(&parts[v]);
    }
    return fit ? sum : INT_MAX;
}

/* As wide as they like, else of one width, else the same with less words. */
static bool fit_parts(const struct output *out, int room,
                      const struct picture *p, struct output *parts)
{
    int n = (int)p->n_views, share = (room - (n - 1) * GAP) / n;

    for (int how = PICTURE_WIDE; how <= PICTURE_COMPACT; how++)
        if (draw_parts(out, room, (enum picture_room)how, p, parts) <= room ||
            draw_parts(out, share, (enum picture_room)how, p, parts) <= room)
            return true;
    return false;
}

/* Side by side if they fit, else one below the other. */
static void draw_grids(struct output *out, int indent, const struct picture *p,
                       struct arena *arena)
{
    struct output *parts = arena_array(arena, p->n_views, sizeof(*parts));
    int room = out->width - indent;

    if (parts == NULL)
        return;
    if (fit_parts(out, room, p, parts)) {
        output_beside(out, indent, parts, p->n_views, GAP);
        output_line(out);
    } else {
        for (size_t v = 0; v < p->n_views; v++) {
            bool fits = false;

            for (int how = 0; how < PICTURE_ROOMS && !fits; how++)
                fits = draw_part(out, room, (enum picture_room)how, p, v,
                                 &parts[v]);
            if (!fits) {
                output_put(&parts[v], STYLE_DIM, "(too wide to draw)");
                output_line(&parts[v]);
            }
            output_beside(out, indent, &parts[v], 1, 0);
            output_line(out);
        }
    }
    for (size_t v = 0; v < p->n_views; v++)
        output_close(&parts[v]);
}

/* ---- groups -------------------------------------------------------------- */

/* Writes a group as {0,1}; a long one as {0,1,...,63}. */
static void print_group(const struct picture *p, const struct lists *lists,
                        uint32_t i, struct text *out)
{
    uint32_t length = lists_length_of(lists, i);
    bool cut = length > (p->chosen ? CHOSEN_MAX : MEMBERS_MAX);
    uint32_t n = cut ? 2 : length;

    for (uint32_t j = 0; j < n; j++)
        text_printf(out, "%s%" PRIu32, j == 0 ? "{" : ",",
                    picture_rank(p, lists_member(lists, i, j)));
    if (cut)
        text_printf(out, ",...,%" PRIu32,
                    picture_rank(p, lists_member(lists, i, length - 1)));
    text_put(out, "}");
}

/* The groups of a list, wrapped; as many ranks as are drawn. */
static void put_groups(struct output *out, int indent, const struct picture *p,
                       const struct picture_list *list, int label_width)
{
    const struct lists *lists = &list->lists;
    int start = indent + label_width, column = start;
    uint32_t count = lists_count(lists), shown = 0, i;
    uint32_t most =
        p->chosen ? CHOSEN_MAX * lists_length(lists) : PICTURE_RANKS_MAX;

    output_spaces(out, indent);
    output_put(out, STYLE_NAME, list->name);
    if (!p->chosen)
        output_put(out, STYLE_DIM, " groups");
    output_spaces(out, label_width - output_columns(list->name) -
                           (p->chosen ? 0 : 7));
    for (i = 0; i < count && shown < most; i++) {
        struct text group = { 0 };

        print_group(p, lists, i, &group);
        if (column + (int)group.len > out->width && column > start) {
            output_line(out);
            output_spaces(out, start);
            column = start;
        }
        output_put(out, picture_style(i), text_string(&group));
        output_put(out, STYLE_PLAIN, " ");
        column += (int)group.len + 1;
        shown += lists_length(lists);
        text_close(&group);
    }
    if (i < count)
        output_put(out, STYLE_DIM, "...");
    output_line(out);
}

static void draw_groups(struct output *out, int indent, const struct picture *p)
{
    int width = 0;

    for (size_t v = 0; v < p->n_views; v++)
        for (size_t i = 0; i < p->views[v].n_lists; i++) {
            int columns = output_columns(p->views[v].lists[i].name);

            if (columns > width)
                width = columns;
        }
    width += p->chosen ? 2 : 9;
    for (size_t v = 0; v < p->n_views; v++)
        for (size_t i = 0; i < p->views[v].n_lists; i++)
            put_groups(out, indent, p, &p->views[v].lists[i],
                       width < out->width / 2 ? width : 0);
}

/* ---- the table of ranks -------------------------------------------------- */

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
                    "... and %" PRIu32 " more ranks (use -o json --per-rank)",
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

/* ---- the whole ----------------------------------------------------------- */

void picture_draw(struct output *out, int indent, const struct picture *p,
                  struct arena *arena)
{
    struct table table = {
        .p = p,
        .arena = arena,
        .n_extra = p->n_extra,
        .coordinates = arena_array(arena, p->n_views * VIEW_AXES_MAX,
                                   sizeof(*table.coordinates)),
    };

    if (picture_ranks(p) < 2 || table.coordinates == NULL)
        return;
    for (size_t v = 0; v < p->n_views; v++)
        add_columns(&table, &p->views[v]);
    draw_grids(out, indent, p, arena);
    draw_groups(out, indent, p);
    output_line(out);
    draw_ranks(out, indent, &table);
}
