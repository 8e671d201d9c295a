/* SPDX-License-Identifier: Apache-2.0 */
/* Assignments of many ranks in a table for people. */
#include <inttypes.h>
#include <string.h>

#include "client/assignment_show.h"

enum {
    INDENT = 2,
    COLUMNS_MAX = 24,
};

/* A node group's nodes that hold the same parts: a table. */
struct assignment_section {
    struct assignment_section *next;
    uint32_t group;
    const char *names; /* of its nodes */
    int n_columns;
    struct cell *cells; /* the first row are the titles */
    size_t n_rows, room;
};

/* ---- what a node is shown by --------------------------------------------- */

/* "0-11"; of what has no number yet the part, "0 of 2". */
static void put_share(const struct serry_share *share, struct text *out)
{
    if (!share->has_range)
        text_printf(out, "%" PRIu32 " of %" PRIu32, share->part, share->parts);
    else if (share->end <= share->begin)
        text_put(out, "none");
    else if (share->end == share->begin + 1)
        text_printf(out, "%" PRIu64, share->begin);
    else
        text_printf(out, "%" PRIu64 "-%" PRIu64, share->begin, share->end - 1);
}

static const char *keep(struct text *text, struct arena *arena)
{
    const char *copy = arena_strdup(arena, text_string(text));

    text_close(text);
    return copy != NULL ? copy : "";
}

/* Fills a row of titles or of values; returns its columns. Axes of one rank and
 * what is not split are left out, for all ranks alike. */
static int fill_row(const struct serry_node *node,
                    const struct serry_assignment *a, bool titles,
                    struct cell *row, struct arena *arena)
{
    const struct serry_binding *b = serry_assignment_binding(a);
    enum style style = titles ? STYLE_DIM : STYLE_PLAIN;
    int n = 0;

    row[n++] = (struct cell){ titles ? "rank"
                                     : arena_printf(arena, "%" PRIu32,
                                                    serry_assignment_rank(a)),
                              style };
    if (b != NULL) {
        row[n++] =
            (struct cell){ titles ? "host" : arena_strdup(arena, b->host),
                           style };
        row[n++] = (struct cell){
            titles ? "device" : arena_printf(arena, "%" PRIu32, b->index), style
        };
    }
    row[n++] =
        (struct cell){ titles ? "instance"
                              : arena_printf(arena, "%" PRIu32, node->instance),
                       style };
    for (size_t i = 0; i < node->n_coordinates && n < COLUMNS_MAX; i++) {
        const struct serry_coordinate *c = node->coordinates[i];

        if (c->size > 1)
            row[n++] = (struct cell){ titles ? arena_strdup(arena, c->axis)
                                             : arena_printf(arena, "%" PRIu32,
                                                            c->coordinate),
                                      style };
    }
    for (size_t i = 0; i < node->n_shares && n < COLUMNS_MAX; i++) {
        const struct serry_share *share = node->shares[i];
        struct text text = { 0 };

        if (share->parts < 2 && !share->has_range)
            continue;
        if (!titles)
            put_share(share, &text);
        else if (share->resource != NULL)
            text_printf(&text, "%s of %s", share->what, share->resource);
        else
            text_put(&text, share->what);
        row[n++] = (struct cell){ keep(&text, arena), style };
    }
    return n;
}

/* ---- sections ------------------------------------------------------------ */

static int add_row(struct assignment_section *section,
                   const struct serry_node *node,
                   const struct serry_assignment *a, bool titles,
                   struct arena *arena, struct error *err)
{
    struct cell row[COLUMNS_MAX] = { { 0 } }, *cells;

    section->n_columns = fill_row(node, a, titles, row, arena);
    if (section->n_rows == section->room) {
        size_t room = section->room > 0 ? 2 * section->room : 8;

        cells = arena_array(arena, room * COLUMNS_MAX, sizeof(*cells));
        if (cells == NULL)
            return error_exhausted(err);
        if (section->n_rows > 0)
            memcpy(cells, section->cells,
                   section->n_rows * COLUMNS_MAX * sizeof(*cells));
        section->cells = cells;
        section->room = room;
    }
    cells = section->cells + section->n_rows++ * (size_t)section->n_columns;
    memcpy(cells, row, (size_t)section->n_columns * sizeof(*cells));
    return 0;
}

/* Whether two nodes of a rank are in one place and hold the same parts. */
static bool is_alike(const struct serry_node *a, const struct serry_node *b)
{
    if (a->group != b->group || a->n_shares != b->n_shares ||
        a->n_coordinates != b->n_coordinates)
        return false;
    for (size_t i = 0; i < a->n_shares; i++) {
        struct text x = { 0 }, y = { 0 };
        bool alike;

        put_share(a->shares[i], &x);
        put_share(b->shares[i], &y);
        alike = strcmp(text_string(&x), text_string(&y)) == 0 &&
                strcmp(a->shares[i]->what, b->shares[i]->what) == 0 &&
                a->shares[i]->parts == b->shares[i]->parts;
        text_close(&x);
        text_close(&y);
        if (!alike)
            return false;
    }
    return true;
}

static struct assignment_section *find(struct assignment_table *table,
                                       const struct serry_assignment *a,
                                       const struct serry_node *node,
                                       const char *names, struct error *err)
{
    struct arena *arena = table->live->v->arena;
    struct assignment_section *section = table->first;

    while (section != NULL && (section->group != node->group ||
                               strcmp(section->names, names) != 0))
        section = section->next;
    if (section != NULL)
        return section;
    section = arena_alloc(arena, sizeof(*section));
    if (section == NULL) {
        error_exhausted(err);
        return NULL;
    }
    *section =
        (struct assignment_section){ .group = node->group, .names = names };
    if (add_row(section, node, a, true, arena, err) < 0)
        return NULL;
    if (table->last != NULL)
        table->last->next = section;
    else
        table->first = section;
    table->last = section;
    return section;
}

/* Names of node i and those behind it that are alike; *ret_next: the one
 * after. */
static const char *names_from(const struct serry_assignment *a, size_t i,
                              size_t *ret_next, struct arena *arena)
{
    const struct serry_node *node = serry_node_at(a, i);
    struct text names = { 0 };

    do {
        text_printf(&names, "%s%s", names.len > 0 ? ", " : "",
                    serry_node_at(a, i)->name);
        i++;
    } while (i < serry_node_count(a) && is_alike(node, serry_node_at(a, i)));
    *ret_next = i;
    return keep(&names, arena);
}

int assignment_table_add(struct assignment_table *table,
                         const struct serry_assignment *a, struct error *err)
{
    struct arena *arena = table->live->v->arena;
    size_t next;

    for (size_t i = 0; i < serry_node_count(a); i = next) {
        const struct serry_node *node = serry_node_at(a, i);
        const char *names = names_from(a, i, &next, arena);
        struct assignment_section *section = find(table, a, node, names, err);

        if (section == NULL || add_row(section, node, a, false, arena, err) < 0)
            return -1;
    }
    return 0;
}

/* The rank of a table with one row as a list of names and values, where that
 * row is too long for a line. Returns whether it was. */
static bool print_upright(struct output *out,
                          const struct assignment_section *s)
{
    struct cell cells[2 * COLUMNS_MAX];
    int width = INDENT;

    if (s->n_rows != 2)
        return false;
    for (int c = 0; c < s->n_columns; c++) {
        int title = output_columns(s->cells[c].text);
        int value = output_columns(s->cells[s->n_columns + c].text);

        cells[(size_t)2 * (size_t)c] = s->cells[c];
        cells[(size_t)2 * (size_t)c + 1] = s->cells[s->n_columns + c];
        width += (title > value ? title : value) + 2;
    }
    if (width - 2 <= out->width)
        return false;
    output_table(out, INDENT, cells, 2, (size_t)s->n_columns, 0);
    return true;
}

/* Columns that the cells of one take. */
static int column_width(const struct assignment_section *s, int column)
{
    int widest = 0;

    for (size_t r = 0; r < s->n_rows; r++) {
        size_t at = r * (size_t)s->n_columns + (size_t)column;
        int columns = output_columns(s->cells[at].text);

        widest = columns > widest ? columns : widest;
    }
    return widest;
}

/* The first column that does not fit on a line with that of the ranks and those
 * from `from` on, of which one always does. */
static int part_end(const struct output *out,
                    const struct assignment_section *s, int from)
{
    int width = INDENT + column_width(s, 0), to = from;

    do
        width += 2 + column_width(s, to++);
    while (to < s->n_columns && width + 2 + column_width(s, to) <= out->width);
    return to;
}

/* A table that is too wide in parts, one below the other, each with the ranks:
 * numbers are not broken. */
static int print_parts(struct output *out, const struct assignment_section *s,
                       struct arena *arena, struct error *err)
{
    struct cell *cells =
        arena_array(arena, s->n_rows * (size_t)s->n_columns, sizeof(*cells));

    if (cells == NULL)
        return error_exhausted(err);
    for (int from = 1, to; from < s->n_columns; from = to) {
        struct cell *cell = cells;

        to = part_end(out, s, from);
        for (size_t r = 0; r < s->n_rows; r++) {
            const struct cell *row = &s->cells[r * (size_t)s->n_columns];

            *cell++ = row[0];
            for (int c = from; c < to; c++)
                *cell++ = row[c];
        }
        if (from > 1)
            output_line(out);
        output_table(out, INDENT, cells, 1 + to - from, s->n_rows, ~0u);
    }
    return 0;
}

int assignment_table_end(struct assignment_table *table, struct error *err)
{
    struct output *out = &table->live->v->out;

    for (const struct assignment_section *s = table->first; s != NULL;
         s = s->next) {
        output_line(out);
        output_spaces(out, INDENT);
        output_put(out, STYLE_NAME, s->names);
        output_printf(out, STYLE_DIM, ", node group %" PRIu32, s->group);
        output_line(out);
        if (!print_upright(out, s) &&
            print_parts(out, s, table->live->v->arena, err) < 0)
            return -1;
    }
    return output_flush(out, err);
}
