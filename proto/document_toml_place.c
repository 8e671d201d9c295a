/* SPDX-License-Identifier: Apache-2.0 */
/* Where a TOML text is being read, and what is passed over in it. */
#include "proto/document_toml.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void toml_place(struct toml *t)
{
    for (; t->seen < t->p; t->seen++) {
        if (*t->seen == '\n') {
            t->line++;
            t->column = 1;
        } else if (((unsigned char)*t->seen & 0xc0) != 0x80) {
            t->column++;
        }
    }
}

int toml_error(struct toml *t, const char *fmt, ...)
{
    char what[sizeof(t->err->text)];
    va_list args;

    va_start(args, fmt);
    vsnprintf(what, sizeof(what), fmt, args);
    va_end(args);
    toml_place(t);
    return source_error(&t->source, t->line, t->column, t->err, "%s", what);
}

bool toml_is(const struct toml *t, const char *word)
{
    size_t len = strlen(word);

    return (size_t)(t->end - t->p) >= len && memcmp(t->p, word, len) == 0;
}

void toml_skip_spaces(struct toml *t)
{
    while (t->p < t->end && (*t->p == ' ' || *t->p == '\t'))
        t->p++;
}

static void skip_comment(struct toml *t)
{
    while (t->p < t->end && *t->p != '\n')
        t->p++;
}

void toml_skip_lines(struct toml *t)
{
    while (t->p < t->end && strchr(" \t\r\n#", *t->p) != NULL) {
        if (*t->p == '#')
            skip_comment(t);
        else
            t->p++;
    }
}

int toml_end_line(struct toml *t)
{
    toml_skip_spaces(t);
    if (toml_is(t, "\r"))
        t->p++;
    if (toml_is(t, "#"))
        skip_comment(t);
    if (t->p < t->end && *t->p != '\n')
        return toml_error(t, "nothing may follow here in this line");
    return 0;
}
