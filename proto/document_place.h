/* SPDX-License-Identifier: Apache-2.0 */
/* Where the parts of a YAML text stand. */
#ifndef SERRIED_PROTO_DOCUMENT_PLACE_H
#define SERRIED_PROTO_DOCUMENT_PLACE_H

#include <yaml.h>

#include "proto/document_source.h"

/* From 1; columns count characters. */
struct place {
    uint32_t line, column;
};

/* A character of the source, counted both ways: libyaml's marks count
 * characters, the text is bytes. Start from { 0 }. */
struct cursor {
    size_t index, offset;
};

struct place place_of_mark(const yaml_mark_t *mark);

/* The first character of a scalar's content: behind the opening quote; of a
 * block scalar the first line that is not blank, and there the column of the
 * indentation, before spaces that belong to the content. */
struct place place_of_content(const struct source *source,
                              struct cursor *cursor, const yaml_event_t *event);

/* The byte at a mark; NUL at the end. */
char place_byte(const struct source *source, struct cursor *cursor,
                const yaml_mark_t *mark);

/* Offset of the end of the line that offset is in, and of the next line. */
size_t place_line_end(const struct source *source, size_t offset);
size_t place_next_line(const struct source *source, size_t offset);

#endif
