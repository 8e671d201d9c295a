/* SPDX-License-Identifier: Apache-2.0 */
/* The text of a document before it is parsed, and messages about its places. */
#ifndef SERRIED_PROTO_DOCUMENT_SOURCE_H
#define SERRIED_PROTO_DOCUMENT_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"

/* Borrows name and text. */
struct source {
    const char *name; /* for messages; may be NULL */
    const char *text;
    size_t len;
};

/* Which characters may stand in a text. */
enum source_rule {
    SOURCE_ANY,       /* every one but NUL */
    SOURCE_PRINTABLE, /* of the control characters only tab and line ends */
};

/* Makes *ret_source of a text: copies the name, passes over a byte order mark,
 * checks the size and every byte. Fails as the readers of document.h. */
int source_init(struct source *ret_source, struct arena *arena,
                const char *name, const char *text, size_t len,
                enum source_rule rule, struct error *err);

/* error_set(STATUS_INVALID) with "FILE: line L, column C: " in front; the place
 * is left out when line is 0. Returns -1. */
int source_error(const struct source *source, uint32_t line, uint32_t column,
                 struct error *err, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));

/* Line and column, from 1, of the character at offset (bytes). O(offset). */
void source_place(const struct source *source, size_t offset,
                  uint32_t *ret_line, uint32_t *ret_column);

/* Some bytes of a document made fit for a message: at most 40 of them, whole
 * characters, without control characters. */
struct excerpt {
    char text[48];
};

struct excerpt excerpt_of(const char *text, size_t len);

#endif
