/* SPDX-License-Identifier: Apache-2.0 */
/* Where the parts of a YAML text stand. */
#include "proto/document_place.h"

#include <string.h>

struct place place_of_mark(const yaml_mark_t *mark)
{
    return (struct place){ (uint32_t)mark->line + 1,
                           (uint32_t)mark->column + 1 };
}

static bool is_inside(char c)
{
    return (c & 0xc0) == 0x80; /* a byte of a character, but not its first */
}

/* The offset of a mark. Marks hardly ever go back, so that all the calls for a
 * text walk it about once. */
static size_t seek(const struct source *source, struct cursor *cursor,
                   const yaml_mark_t *mark)
{
    struct cursor c = *cursor;

    for (; c.index < mark->index && c.offset < source->len; c.index++)
        do
            c.offset++;
        while (c.offset < source->len && is_inside(source->text[c.offset]));
    for (; c.index > mark->index && c.offset > 0; c.index--)
        do
            c.offset--;
        while (c.offset > 0 && is_inside(source->text[c.offset]));
    *cursor = c;
    return c.offset;
}

static char byte_at(const struct source *source, size_t offset)
{
    return offset < source->len ? source->text[offset] : '\0';
}

char place_byte(const struct source *source, struct cursor *cursor,
                const yaml_mark_t *mark)
{
    return byte_at(source, seek(source, cursor, mark));
}

size_t place_line_end(const struct source *source, size_t offset)
{
    while (offset < source->len && source->text[offset] != '\n' &&
           source->text[offset] != '\r')
        offset++;
    return offset;
}

size_t place_next_line(const struct source *source, size_t offset)
{
    offset = place_line_end(source, offset);
    if (byte_at(source, offset) == '\r' && byte_at(source, offset + 1) == '\n')
        return offset + 2;
    return offset + 1;
}

static struct place place_of_block(const struct source *source,
                                   struct cursor *cursor,
                                   const yaml_event_t *event)
{
    const char *value = (const char *)event->data.scalar.value;
    size_t offset = seek(source, cursor, &event->start_mark);
    struct place place = place_of_mark(&event->start_mark);
    size_t own, spaces;

    value += strspn(value, "\n");
    own = strspn(value, " ");
    for (uint32_t line = place.line + 1; offset < source->len; line++) {
        offset = place_next_line(source, offset);
        for (spaces = 0; byte_at(source, offset) == ' '; spaces++)
            offset++;
        if (offset >= source->len)
            break;
        if (place_line_end(source, offset) == offset)
            continue;
        if (spaces >= own)
            place = (struct place){ line, (uint32_t)(spaces - own) + 1 };
        break;
    }
    return place;
}

struct place place_of_content(const struct source *source,
                              struct cursor *cursor, const yaml_event_t *event)
{
    struct place place = place_of_mark(&event->start_mark);

    switch (event->data.scalar.style) {
    case YAML_SINGLE_QUOTED_SCALAR_STYLE:
    case YAML_DOUBLE_QUOTED_SCALAR_STYLE:
        place.column++;
        return place;
    case YAML_LITERAL_SCALAR_STYLE:
    case YAML_FOLDED_SCALAR_STYLE:
        if (event->data.scalar.length > 0)
            return place_of_block(source, cursor, event);
        return place;
    case YAML_ANY_SCALAR_STYLE:
    case YAML_PLAIN_SCALAR_STYLE:
        break;
    }
    return place;
}
