/* SPDX-License-Identifier: Apache-2.0 */
/* Tags of XML, as far as lstopo writes it. */
#include "proto/inventory_xml.h"

#include <string.h>

/* ---- tags --------------------------------------------------------------- */

const char *tag_attribute(const struct tag *tag, const char *key)
{
    for (size_t i = 0; i < tag->n; i++)
        if (strcmp(tag->attributes[i].key, key) == 0)
            return tag->attributes[i].value;
    return "";
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Replaces the named characters in place. */
static void decode(char *text)
{
    static const struct {
        const char *name;
        char c;
    } named[] = { { "&amp;", '&' },
                  { "&lt;", '<' },
                  { "&gt;", '>' },
                  { "&quot;", '"' },
                  { "&apos;", '\'' } };
    char *to = text;

    while (*text != '\0') {
        size_t i = 0;

        while (i < ARRAY_LEN(named) &&
               strncmp(text, named[i].name, strlen(named[i].name)) != 0)
            i++;
        *to++ = i < ARRAY_LEN(named) ? named[i].c : *text;
        text += i < ARRAY_LEN(named) ? strlen(named[i].name) : 1;
    }
    *to = '\0';
}

static int read_attributes(struct importing *im, struct tag *tag, char *c)
{
    for (;;) {
        char *key, *value;

        while (is_space(*c) || *c == '?')
            c++;
        if (*c == '\0')
            return 0;
        key = c;
        c += strcspn(c, "=");
        if (c[0] != '=' || c[1] != '"' || tag->n == ATTRIBUTES_MAX)
            return text_error(im, "a tag <%.40s> cannot be read", tag->name);
        *c = '\0';
        value = c + 2;
        c = value + strcspn(value, "\"");
        if (*c == '\0')
            return text_error(im, "a tag <%.40s> cannot be read", tag->name);
        *c++ = '\0';
        decode(value);
        tag->attributes[tag->n++] = (struct attribute){ key, value };
    }
}

/* The next tag with the text in front of it. 0: there is none. */
int tag_next(struct importing *im, struct tag *tag)
{
    char *open = memchr(im->at, '<', (size_t)(im->end - im->at)), *close;

    if (open == NULL)
        return 0;
    close = memchr(open, '>', (size_t)(im->end - open));
    if (close == NULL)
        return text_error(im, "the last tag has no end");
    *tag = (struct tag){ .text = im->at, .name = open + 1 };
    *open = *close = '\0';
    im->at = close + 1;
    if (*tag->name == '!' || *tag->name == '?')
        return 1; /* the document type, a comment without tags */
    if (*tag->name == '/') {
        tag->name++;
        tag->closes = true;
    }
    if (close[-1] == '/') {
        close[-1] = '\0';
        tag->empty = true;
    }
    close = tag->name;
    while (*close != '\0' && !is_space(*close))
        close++;
    if (*close != '\0')
        *close++ = '\0';
    return read_attributes(im, tag, close) < 0 ? -1 : 1;
}
