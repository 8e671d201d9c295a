/* SPDX-License-Identifier: Apache-2.0 */
/* Lines, words and messages of texts that become a cluster. */
#include "proto/inventory_read.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Cuts out the sequences by which terminals are told to underline: ESC [ up to
 * a letter. Returns the length that is left. */
static size_t strip_escapes(char *text, size_t len)
{
    size_t n = 0;

    for (size_t i = 0; i < len; i++) {
        if (text[i] != '\033') {
            text[n++] = text[i];
            continue;
        }
        if (i + 1 < len && text[i + 1] == '[')
            i++;
        while (i + 1 < len && (text[i + 1] < '@' || text[i + 1] > '~') &&
               text[i + 1] != '\n')
            i++;
        if (i + 1 < len && text[i + 1] != '\n')
            i++;
    }
    text[n] = '\0';
    return n;
}

int import_begin(struct importing *im, const struct inventory_source *from,
                 struct tree_maker *maker, struct inventory *ret,
                 struct error *err)
{
    *im = (struct importing){
        .from = from,
        .arena = maker->arena,
        .maker = maker,
        .ret = ret,
        .err = err,
    };
    *ret = (struct inventory){
        .reading = make_map(maker, NULL, NULL),
        .warnings = make_list(maker, NULL, NULL),
    };
    if (source_init(&im->source, im->arena, from->name, from->text, from->len,
                    SOURCE_ANY, err) < 0)
        return -1;
    im->at = arena_strndup(im->arena, im->source.text, im->source.len);
    if (im->at == NULL || maker->failed)
        return error_exhausted(err);
    im->end = im->at + strip_escapes(im->at, im->source.len);
    im->hosts = make_list(maker, NULL, "hosts");
    return 0;
}

int import_end(struct importing *im)
{
    struct tree *document = make_map(im->maker, NULL, NULL);

    if (tree_count(im->hosts) == 0)
        return text_error(im, "there is no host in it");
    make_copy(im->maker, document, "hosts", im->hosts);
    if (im->maker->failed)
        return error_exhausted(im->err);
    im->ret->document = document;
    return 0;
}

char *next_line(struct importing *im)
{
    char *line = im->at, *end;

    if (line >= im->end)
        return NULL;
    end = memchr(line, '\n', (size_t)(im->end - line));
    if (end == NULL)
        end = im->end;
    im->at = end < im->end ? end + 1 : im->end;
    *end = '\0';
    if (end > line && end[-1] == '\r')
        end[-1] = '\0';
    im->line++;
    return line;
}

int line_error(struct importing *im, const char *fmt, ...)
{
    char what[sizeof(im->err->text)];
    va_list args;

    va_start(args, fmt);
    vsnprintf(what, sizeof(what), fmt, args);
    va_end(args);
    return error_set(im->err, STATUS_INVALID, "%s%sline %u: %s",
                     im->source.name != NULL ? im->source.name : "",
                     im->source.name != NULL ? ": " : "", im->line, what);
}

int text_error(struct importing *im, const char *fmt, ...)
{
    char what[sizeof(im->err->text)];
    va_list args;

    va_start(args, fmt);
    vsnprintf(what, sizeof(what), fmt, args);
    va_end(args);
    return source_error(&im->source, 0, 0, im->err, "%s", what);
}

void import_warn(struct importing *im, const char *fmt, ...)
{
    char what[256];
    va_list args;

    if (tree_count(im->ret->warnings) == INVENTORY_WARNINGS_MAX)
        return;
    va_start(args, fmt);
    vsnprintf(what, sizeof(what), fmt, args);
    va_end(args);
    make_string(im->maker, im->ret->warnings, NULL, what);
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

char *trimmed(char *text)
{
    size_t n;

    while (is_blank(*text))
        text++;
    n = strlen(text);
    while (n > 0 && is_blank(text[n - 1]))
        text[--n] = '\0';
    return text;
}

char *next_word(char **text)
{
    char *word;

    while (is_blank(**text))
        (*text)++;
    if (**text == '\0')
        return NULL;
    word = *text;
    while (**text != '\0' && !is_blank(**text))
        (*text)++;
    if (**text != '\0')
        *(*text)++ = '\0';
    return word;
}

bool read_count(const char *text, uint32_t *ret)
{
    size_t n = strlen(text);
    uint32_t value = 0;

    if (n == 0 || n > 9)
        return false;
    for (; *text != '\0'; text++) {
        if (*text < '0' || *text > '9')
            return false;
        value = value * 10 + (uint32_t)(*text - '0');
    }
    *ret = value;
    return true;
}

bool read_numbered(const char *text, const char *prefix, uint32_t *ret)
{
    size_t n = strlen(prefix);

    return strncmp(text, prefix, n) == 0 && read_count(text + n, ret);
}

void put_null(struct tree_maker *maker, struct tree *parent, const char *key)
{
    if (!maker->failed &&
        tree_new(maker->arena, parent, key, TREE_NULL) == NULL)
        maker->failed = true;
}

void put_text(struct tree_maker *maker, struct tree *parent, const char *key,
              const char *text)
{
    if (text == NULL)
        put_null(maker, parent, key);
    else
        make_string(maker, parent, key, text);
}

const char *import_host(const struct importing *im, const char *said)
{
    if (im->from->host != NULL)
        return im->from->host;
    if (said != NULL)
        return said;
    return im->from->host_else != NULL ? im->from->host_else : "localhost";
}

struct tree *add_host(struct importing *im, const char *name)
{
    struct tree *host = make_map(im->maker, im->hosts, NULL);

    make_string(im->maker, host, "name", name);
    return host;
}
