/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of the TOML reader share. Private to document_toml*.c. */
#ifndef SERRIED_PROTO_DOCUMENT_TOML_H
#define SERRIED_PROTO_DOCUMENT_TOML_H

#include "base/text.h"
#include "base/tree.h"
#include "proto/document_source.h"

enum {
    /* A key is looked for among its neighbours one by one: a text of 1 MiB has
     * at most 256 Ki keys, so 2^28 comparisons of short names, about a second.
     */
    TOML_BYTES_MAX = 1 << 20,
    TOML_KEYS_MAX = 1024, /* of one table */
};

/* Where a text is being read. */
struct toml {
    struct source source;
    struct arena *arena;
    struct error *err;
    const char *p, *end;
    const char *seen; /* line and column are those of this character */
    uint32_t line, column;
    int depth;
};

/* Line and column of the next character, in t->line and t->column. */
void toml_place(struct toml *t);

/* error_set() at the next character; returns -1. */
int toml_error(struct toml *t, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Whether the text goes on with this word. */
bool toml_is(const struct toml *t, const char *word);

void toml_skip_spaces(struct toml *t);
void toml_skip_lines(struct toml *t); /* spaces, comments and ends of lines */

/* Passes over what may stand behind a value or a header: spaces and a comment.
 * -1: something else follows in the line. */
int toml_end_line(struct toml *t);

/* Reads a string in any of its four spellings, or only one on a single line
 * (for keys), onto out. */
int toml_string(struct toml *t, bool one_line, struct text *out);

/* Reads a number, a boolean, or a date (kept as a string) into ret, whose place
 * is set. */
int toml_scalar(struct toml *t, struct tree *ret);

#endif
