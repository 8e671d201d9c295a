/* SPDX-License-Identifier: Apache-2.0 */
/* What is printed: documents for programs, text and tables for people. */
#ifndef SERRIED_CLIENT_OUTPUT_H
#define SERRIED_CLIENT_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/text.h"
#include "base/tree.h"

/* Forms of an answer, by the word behind -o. FORMAT_SVG is for commands that
 * draw alone. */
/* clang-format off */
#define FORMAT_LIST(X) \
    X(TABLE, "table") X(JSON, "json") X(YAML, "yaml") X(SVG, "svg")
/* clang-format on */

enum format {
#define X(id, name) FORMAT_##id,
    FORMAT_LIST(X)
#undef X
        FORMAT_COUNT
};

/* How a piece of text looks where colours are shown. */
enum style {
    STYLE_PLAIN,
    STYLE_BOLD,
    STYLE_DIM,
    STYLE_GOOD,
    STYLE_BAD,
    STYLE_WARN,
    STYLE_NAME,
    STYLE_GROUP, /* this + n: members of group n of some list */
    STYLE_GROUPS = 8,
};

/* Collects what is printed. Text that came from a document is put through here
 * alone, so that none of it reaches a terminal as a control character. */
struct output {
    struct text text;
    enum format format;
    bool colour, utf8;
    int width;        /* columns */
    bool documents;   /* several are coming: JSON is one line each */
    bool wrote_first; /* of the documents */
};

/* Looks at standard output and the environment (NO_COLOR, TERM, the locale). */
void output_init(struct output *out, enum format format);
void output_close(struct output *out);

/* Writes what was collected to standard output and forgets it.
 * STATUS_INTERNAL: it could not be written. */
int output_flush(struct output *out, struct error *err);

/* ---- for programs -------------------------------------------------------- */

/* One document in the format asked for, which is not FORMAT_TABLE. */
int output_document(struct output *out, const struct tree *tree,
                    struct error *err);

/* ---- for people ---------------------------------------------------------- */

void output_put(struct output *out, enum style style, const char *string);
void output_bytes(struct output *out, enum style style, const char *bytes,
                  size_t len);
void output_printf(struct output *out, enum style style, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void output_spaces(struct output *out, int count);

/* Ends a line, without spaces before its end. */
void output_line(struct output *out);

/* ---- in columns (output_columns.c) -------------------------------------- */

/* label at the indent, behind it text wrapped to the width, its further lines
 * below its first; "" for no label. Ends the line. */
void output_paragraph(struct output *out, int indent, enum style label_style,
                      const char *label, enum style style, const char *text);

/* Columns that a string takes, counted in code points. */
int output_columns(const char *string);

/* Columns of the widest line that was collected. */
int output_widest(const struct output *out);

/* What was collected in n others, side by side, `gap` columns apart; they keep
 * what they hold. Only their text is read. */
void output_beside(struct output *out, int indent, const struct output *parts,
                   size_t n, int gap);

/* A cell of a table. */
struct cell {
    const char *text; /* NULL: empty */
    enum style style;
};

/* Rows of n_columns cells each, the first row being the heading. Columns are as
 * wide as their content; the widest are narrowed until all fit, and cells wrap.
 * right: mask of columns that are aligned to the right. */
void output_table(struct output *out, int indent, const struct cell *cells,
                  int n_columns, size_t n_rows, unsigned right);

/* ---- errors -------------------------------------------------------------- */

/* Prints "serry: TEXT" to standard error, without control characters. */
void output_complain(const char *text);
void output_complainf(const char *fmt, ...)
    __attribute__((format(printf, 1, 2)));

#endif
