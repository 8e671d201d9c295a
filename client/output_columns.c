/* SPDX-License-Identifier: Apache-2.0 */
/* Text in the columns of a terminal: wrapped, side by side, in tables. */
#include <string.h>

#include "client/output.h"

enum {
    COLUMNS_MAX = 32,
    COLUMN_GAP = 2,
    BESIDE_MAX = 128, /* as many as a runtime has views */
};

/* Whether a byte goes on with a character of UTF-8 that began before. */
static bool is_continuation(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

static int columns_of(const char *s, size_t len)
{
    int columns = 0;

    for (size_t i = 0; i < len; i++)
        columns += !is_continuation(s[i]);
    return columns;
}

int output_columns(const char *string)
{
    return columns_of(string, strlen(string));
}

/* ---- wrapping ------------------------------------------------------------ */

/* Bytes of the first `columns` columns of s. */
static size_t bytes_of(const char *s, int columns)
{
    size_t i = 0;

    while (s[i] != '\0' && (columns > 0 || is_continuation(s[i])))
        columns -= !is_continuation(s[i++]);
    return i;
}

/* Length of the line that s starts with: as many words as fit into columns,
 * at least one, which is cut if it is longer. *ret_next: where the rest
 * begins. */
static size_t line_length(const char *s, int columns, size_t *ret_next)
{
    size_t room = bytes_of(s, columns), end = room;

    if (s[room] != '\0' && s[room] != ' ') {
        while (end > 0 && s[end - 1] != ' ')
            end--;
        if (end == 0)
            end = room;
    }
    *ret_next = end;
    while (s[*ret_next] == ' ')
        (*ret_next)++;
    while (end > 0 && s[end - 1] == ' ')
        end--;
    return end;
}

void output_paragraph(struct output *out, int indent, enum style label_style,
                      const char *label, enum style style, const char *text)
{
    int hang = indent + output_columns(label), columns;
    bool first = true;

    /* Behind a long label the further lines would be narrow strips. */
    if (hang > out->width / 2)
        hang = indent + 4;
    output_spaces(out, indent);
    output_put(out, label_style, label);
    columns = out->width - indent - output_columns(label);
    if (columns < 8) {
        output_line(out);
        first = false;
    }
    do {
        size_t next, len;

        if (!first) {
            output_spaces(out, hang);
            columns = out->width - hang;
        }
        len = line_length(text, columns, &next);
        output_bytes(out, style, text, len);
        output_line(out);
        text += next;
        first = false;
    } while (text[0] != '\0');
}

/* ---- side by side -------------------------------------------------------- */

/* Columns that a line of printed text takes, styles not counted. */
static int printed_columns(const char *s, size_t len)
{
    int columns = 0;

    for (size_t i = 0; i < len; i++) {
        if (s[i] == '\033') {
            while (i < len && s[i] != 'm')
                i++;
            continue;
        }
        columns += !is_continuation(s[i]);
    }
    return columns;
}

/* The line at *rest, which is moved behind it. */
static size_t take_line(const char **rest, const char **ret)
{
    size_t len = strcspn(*rest, "\n");

    *ret = *rest;
    *rest += len + ((*rest)[len] == '\n');
    return len;
}

int output_widest(const struct output *out)
{
    const char *text = text_string(&out->text);
    int widest = 0;

    while (text[0] != '\0') {
        const char *line;
        size_t len = take_line(&text, &line);
        int columns = printed_columns(line, len);

        if (columns > widest)
            widest = columns;
    }
    return widest;
}

void output_beside(struct output *out, int indent, const struct output *parts,
                   size_t n, int gap)
{
    const char *rest[BESIDE_MAX];
    int widths[BESIDE_MAX];
    bool more = false;

    if (n > BESIDE_MAX)
        n = BESIDE_MAX;
    for (size_t i = 0; i < n; i++) {
        rest[i] = text_string(&parts[i].text);
        widths[i] = output_widest(&parts[i]);
        more = more || rest[i][0] != '\0';
    }
    while (more) {
        more = false;
        output_spaces(out, indent);
        for (size_t i = 0; i < n; i++) {
            const char *line;
            size_t len = take_line(&rest[i], &line);

            text_put_bytes(&out->text, line, len);
            output_spaces(out, widths[i] + gap - printed_columns(line, len));
            more = more || rest[i][0] != '\0';
        }
        output_line(out);
    }
}

/* ---- tables -------------------------------------------------------------- */

static const char *cell_text(const struct cell *cell)
{
    return cell->text != NULL ? cell->text : "";
}

/* Takes columns off the widest until all fit. */
static void fit_columns(int *widths, int n, int room)
{
    int sum = (n - 1) * COLUMN_GAP;

    for (int c = 0; c < n; c++)
        sum += widths[c];
    while (sum > room) {
        int widest = 0;

        for (int c = 1; c < n; c++)
            if (widths[c] > widths[widest])
                widest = c;
        if (widths[widest] <= 4)
            return;
        widths[widest]--;
        sum--;
    }
}

/* Prints what fits of a row and moves each cell on; whether more is left. */
static bool row_line(struct output *out, const struct cell *row,
                     const char **rest, const int *widths, int n,
                     unsigned right)
{
    bool more = false;
    int owed = 0; /* spaces, printed only before something else */

    for (int c = 0; c < n; c++) {
        size_t next, len = line_length(rest[c], widths[c], &next);
        int pad = widths[c] - columns_of(rest[c], len);

        owed += (right & 1u << c) != 0 ? pad : 0;
        if (len > 0) {
            output_spaces(out, owed);
            output_bytes(out, row[c].style, rest[c], len);
            owed = 0;
        }
        owed += ((right & 1u << c) == 0 ? pad : 0) + COLUMN_GAP;
        rest[c] += next;
        more |= rest[c][0] != '\0';
    }
    output_line(out);
    return more;
}

void output_table(struct output *out, int indent, const struct cell *cells,
                  int n_columns, size_t n_rows, unsigned right)
{
    int widths[COLUMNS_MAX] = { 0 };
    int n = n_columns < COLUMNS_MAX ? n_columns : COLUMNS_MAX;

    for (size_t r = 0; r < n_rows; r++)
        for (int c = 0; c < n; c++) {
            const struct cell *cell = &cells[r * (size_t)n_columns + (size_t)c];
            int columns = output_columns(cell_text(cell));

            if (columns > widths[c])
                widths[c] = columns;
        }
    fit_columns(widths, n, out->width - indent);
    for (size_t r = 0; r < n_rows; r++) {
        const struct cell *row = &cells[r * (size_t)n_columns];
        const char *rest[COLUMNS_MAX];

        for (int c = 0; c < n; c++)
            rest[c] = cell_text(&row[c]);
        do
            output_spaces(out, indent);
        while (row_line(out, row, rest, widths, n, right));
    }
}
