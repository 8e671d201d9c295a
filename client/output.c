/* SPDX-License-Identifier: Apache-2.0 */
/* What is printed: documents for programs, text and tables for people. */
#include "client/output.h"

#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "proto/document.h"

enum {
    WIDTH_DEFAULT = 80,
    WIDTH_MIN = 40,
    WIDTH_MAX = 120, /* longer lines are hard to read */
    COLUMNS_MAX = 32,
    COLUMN_GAP = 2,
    BESIDE_MAX = 128, /* as many as a runtime has views */
};

/* ---- start and end ------------------------------------------------------- */

static int terminal_width(void)
{
    struct winsize size;

    if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0 ||
        size.ws_col == 0)
        return WIDTH_DEFAULT;
    if (size.ws_col < WIDTH_MIN)
        return WIDTH_MIN;
    return size.ws_col > WIDTH_MAX ? WIDTH_MAX : size.ws_col;
}

static bool wants_colour(void)
{
    const char *off = getenv("NO_COLOR"), *term = getenv("TERM");

    if (off != NULL && off[0] != '\0')
        return false;
    return isatty(STDOUT_FILENO) && term != NULL && strcmp(term, "dumb") != 0;
}

void output_init(struct output *out, enum format format)
{
    *out = (struct output){
        .format = format,
        .colour = wants_colour(),
        .width = terminal_width(),
    };
    setlocale(LC_CTYPE, "");
    out->utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

void output_close(struct output *out)
{
    text_close(&out->text);
}

int output_flush(struct output *out, struct error *err)
{
    size_t len = out->text.len;
    bool failed = out->text.failed;

    if (!failed && len > 0 &&
        (fwrite(out->text.data, 1, len, stdout) != len || fflush(stdout) != 0))
        return error_set(err, STATUS_INTERNAL, "standard output: %s",
                         strerror(errno));
    text_clear(&out->text);
    return failed ? error_exhausted(err) : 0;
}

/* ---- for programs -------------------------------------------------------- */

int output_document(struct output *out, const struct tree *tree,
                    struct error *err)
{
    bool first = !out->wrote_first;
    int rc;

    out->wrote_first = true;
    if (out->format == FORMAT_YAML && !first)
        text_put(&out->text, "---\n");
    if (out->format == FORMAT_YAML)
        rc = document_write_yaml(tree, &out->text);
    else
        rc = document_write_json(tree, !out->documents, &out->text);
    if (rc < 0)
        return error_set(err, STATUS_EXHAUSTED,
                         "the answer is too large to be written");
    if (out->text.len > 0 && out->text.data[out->text.len - 1] != '\n')
        text_put(&out->text, "\n");
    return 0;
}

/* ---- pieces of text ------------------------------------------------------ */

static const char *style_code(enum style style)
{
    static const char *const codes[] = {
        [STYLE_PLAIN] = "",         [STYLE_BOLD] = "\033[1m",
        [STYLE_DIM] = "\033[2m",    [STYLE_GOOD] = "\033[1;32m",
        [STYLE_BAD] = "\033[1;31m", [STYLE_WARN] = "\033[33m",
        [STYLE_NAME] = "\033[36m",
    };
    /* Pairs that stand beside each other differ the most. */
    static const char *const groups[STYLE_GROUPS] = {
        "\033[36m", "\033[33m", "\033[35m", "\033[32m",
        "\033[34m", "\033[31m", "\033[96m", "\033[95m",
    };

    if (style >= STYLE_GROUP)
        return groups[(style - STYLE_GROUP) % STYLE_GROUPS];
    return codes[style];
}

/* Whether the character at s is a control character that a terminal might act
 * on: below a space, DEL, or one of the 32 after it (two bytes in UTF-8). */
static size_t control_length(const char *s)
{
    const unsigned char *u = (const unsigned char *)s;

    if (u[0] < 0x20 || u[0] == 0x7f)
        return 1;
    return u[0] == 0xc2 && u[1] >= 0x80 && u[1] < 0xa0 ? 2 : 0;
}

static void put_clean(struct text *text, const char *s, size_t len)
{
    size_t start = 0, i = 0;

    while (i < len) {
        size_t n = control_length(s + i);

        if (n == 0) {
            i++;
            continue;
        }
        text_put_bytes(text, s + start, i - start);
        text_put(text, "?");
        i += n;
        start = i;
    }
    text_put_bytes(text, s + start, len - start);
}

static void put_styled(struct output *out, enum style style, const char *s,
                       size_t len)
{
    bool colour = out->colour && style != STYLE_PLAIN && len > 0;

    if (colour)
        text_put(&out->text, style_code(style));
    put_clean(&out->text, s, len);
    if (colour)
        text_put(&out->text, "\033[0m");
}

void output_put(struct output *out, enum style style, const char *string)
{
    put_styled(out, style, string, strlen(string));
}

void output_printf(struct output *out, enum style style, const char *fmt, ...)
{
    char small[1024];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(small, sizeof(small), fmt, ap);
    va_end(ap);
    output_put(out, style, small);
}

void output_spaces(struct output *out, int count)
{
    for (; count > 0; count--)
        text_put(&out->text, " ");
}

void output_line(struct output *out)
{
    struct text *text = &out->text;

    while (text->len > 0 && text->data[text->len - 1] == ' ')
        text->data[--text->len] = '\0';
    text_put(text, "\n");
}

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
        put_styled(out, style, text, len);
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
            put_styled(out, row[c].style, rest[c], len);
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

/* ---- errors -------------------------------------------------------------- */

void output_complain(const char *text)
{
    struct text clean = { 0 };

    put_clean(&clean, text, strlen(text));
    fprintf(stderr, "serry: %s\n", text_string(&clean));
    text_close(&clean);
}
