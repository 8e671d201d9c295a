/* SPDX-License-Identifier: Apache-2.0 */
/* The text of a document before it is parsed, and messages about its places. */
#include "proto/document_source.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "proto/document.h"

enum { EXCERPT_MAX = 40 };

/* Decodes the character at p: its length in bytes, 0 if it is malformed. */
static size_t decode(const unsigned char *p, size_t left, uint32_t *ret_char)
{
    static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
    uint32_t c = p[0];
    size_t n = c < 0x80 ? 1 : c < 0xc0 ? 0 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;

    if (n == 0 || c > 0xf4 || n > left)
        return 0;
    if (n > 1)
        c &= 0x7fU >> n;
    for (size_t i = 1; i < n; i++) {
        if ((p[i] & 0xc0) != 0x80)
            return 0;
        c = c << 6 | (p[i] & 0x3fU);
    }
    if (c < least[n] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
        return 0;
    *ret_char = c;
    return n;
}

static bool is_control(uint32_t c)
{
    if (c == '\t' || c == '\n' || c == '\r' || c == 0x85)
        return false;
    return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0xfffe || c == 0xffff;
}

void source_place(const struct source *source, size_t offset,
                  uint32_t *ret_line, uint32_t *ret_column)
{
    const char *text = source->text;
    uint32_t line = 1, column = 1;

    for (size_t i = 0; i < offset && i < source->len; i++) {
        bool cr =
            text[i] == '\r' && !(i + 1 < source->len && text[i + 1] == '\n');

        if (text[i] == '\n' || cr) {
            line++;
            column = 1;
        } else if ((text[i] & 0xc0) != 0x80) {
            column++;
        }
    }
    *ret_line = line;
    *ret_column = column;
}

static int check_bytes(const struct source *source, enum source_rule rule,
                       struct error *err)
{
    const unsigned char *p = (const unsigned char *)source->text;
    uint32_t line, column, c = 0;
    size_t n;

    for (size_t i = 0; i < source->len; i += n) {
        n = decode(p + i, source->len - i, &c);
        if (n == 1 && c >= 0x20 && c < 0x7f)
            continue;
        if (n != 0 && c != 0 && !(rule == SOURCE_PRINTABLE && is_control(c)))
            continue;
        source_place(source, i, &line, &column);
        if (n == 0)
            return source_error(source, line, column, err,
                                "byte 0x%02x is not UTF-8; documents are "
                                "UTF-8 text",
                                p[i]);
        if (c == 0)
            return source_error(source, line, column, err,
                                "a NUL byte; documents are UTF-8 text");
        if (memchr(source->text, '\0', source->len) != NULL)
            return source_error(source, line, column, err,
                                "byte 0x%02x, and NUL bytes follow: these are "
                                "no words; documents are UTF-8 text",
                                p[i]);
        return source_error(source, line, column, err,
                            "control character U+%04" PRIX32 "; write it as an "
                            "escape in double quotes, \"\\u%04" PRIx32 "\"",
                            c, c);
    }
    return 0;
}

/* UTF-16 by its byte order mark, which the check of bytes would only call a
 * bad byte. */
static bool is_utf16(const char *text, size_t len)
{
    return len >= 2 && (memcmp(text, "\xff\xfe", 2) == 0 ||
                        memcmp(text, "\xfe\xff", 2) == 0);
}

int source_init(struct source *ret_source, struct arena *arena,
                const char *name, const char *text, size_t len,
                enum source_rule rule, struct error *err)
{
    struct source source = { .text = text, .len = len };

    if (name != NULL) {
        source.name = arena_strdup(arena, name);
        if (source.name == NULL)
            return error_exhausted(err);
    }
    if (len > DOCUMENT_BYTES_MAX)
        return source_error(&source, 0, 0, err,
                            "larger than %d MiB, the most that is read",
                            DOCUMENT_BYTES_MAX >> 20);
    if (is_utf16(text, len))
        return source_error(&source, 1, 1, err,
                            "UTF-16 text; documents are UTF-8 text");
    if (len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
        source.text += 3;
        source.len -= 3;
    }
    if (check_bytes(&source, rule, err) < 0)
        return -1;
    *ret_source = source;
    return 0;
}

int source_error(const struct source *source, uint32_t line, uint32_t column,
                 struct error *err, const char *fmt, ...)
{
    char what[sizeof(err->text)], place[64] = "";
    va_list args;

    va_start(args, fmt);
    vsnprintf(what, sizeof(what), fmt, args);
    va_end(args);
    if (line != 0)
        snprintf(place, sizeof(place), "line %" PRIu32 ", column %" PRIu32 ": ",
                 line, column);
    return error_set(err, STATUS_INVALID, "%s%s%s%s",
                     source->name != NULL ? source->name : "",
                     source->name != NULL ? ": " : "", place, what);
}

struct excerpt excerpt_of(const char *text, size_t len)
{
    struct excerpt excerpt = { "" };
    size_t n = len <= EXCERPT_MAX ? len : EXCERPT_MAX;

    while (n < len && n > 0 && (text[n] & 0xc0) == 0x80)
        n--;
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)text[i];

        excerpt.text[i] = c < 0x20 || c == 0x7f ? '?' : text[i];
    }
    strcpy(excerpt.text + n, n < len ? "..." : "");
    return excerpt;
}
