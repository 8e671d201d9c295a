/* SPDX-License-Identifier: Apache-2.0 */
/* Text that grows, and what is asked of names. */
#include "base/text.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_LEN_MAX = 64 };

void text_close(struct text *text)
{
    free(text->data);
    *text = (struct text){ 0 };
}

void text_clear(struct text *text)
{
    text->len = 0;
    text->failed = false;
    if (text->data != NULL)
        text->data[0] = '\0';
}

/* Room for len more bytes and the NUL. */
static bool reserve(struct text *text, size_t len)
{
    size_t cap = text->cap != 0 ? text->cap : 128;
    char *data;

    if (text->failed || len >= SIZE_MAX / 2 - text->len) {
        text->failed = true;
        return false;
    }
    while (cap < text->len + len + 1)
        cap *= 2;
    if (cap == text->cap)
        return true;
    data = realloc(text->data, cap);
    if (data == NULL) {
        text->failed = true;
        return false;
    }
    text->data = data;
    text->cap = cap;
    return true;
}

void text_put_bytes(struct text *text, const char *bytes, size_t len)
{
    if (!reserve(text, len))
        return;
    if (len > 0)
        memcpy(text->data + text->len, bytes, len);
    text->len += len;
    text->data[text->len] = '\0';
}

void text_put(struct text *text, const char *string)
{
    text_put_bytes(text, string, strlen(string));
}

void text_printf(struct text *text, const char *fmt, ...)
{
    va_list args, again;
    int n;

    va_start(args, fmt);
    va_copy(again, args);
    n = vsnprintf(NULL, 0, fmt, args);
    if (n >= 0 && reserve(text, (size_t)n)) {
        vsnprintf(text->data + text->len, (size_t)n + 1, fmt, again);
        text->len += (size_t)n;
    }
    va_end(again);
    va_end(args);
}

const char *text_string(const struct text *text)
{
    return text->data != NULL ? text->data : "";
}

/* Length of the sequence that starts with this byte; 0: none does. */
static size_t sequence_length(unsigned char first)
{
    if (first < 0x80)
        return 1;
    if (first >= 0xc2 && first <= 0xdf)
        return 2;
    if (first >= 0xe0 && first <= 0xef)
        return 3;
    if (first >= 0xf0 && first <= 0xf4)
        return 4;
    return 0;
}

/* Where the plain letters end, as far as eight at a time tell: nearly all text
 * is nothing else. */
static const unsigned char *skip_plain(const unsigned char *p,
                                       const unsigned char *end)
{
    const uint64_t ones = UINT64_MAX / 0xff, tops = ones << 7;
    uint64_t word;

    for (; end - p >= (ptrdiff_t)sizeof(word); p += sizeof(word)) {
        memcpy(&word, p, sizeof(word));
        if (((word | (word - ones)) & tops) != 0) /* a top bit, or a NUL */
            break;
    }
    return p;
}

/* Length of the letter that is whole at p; 0: none is. */
static size_t letter_length(const unsigned char *p, const unsigned char *end)
{
    const size_t n = sequence_length(*p);

    if (*p == 0 || n == 0 || (size_t)(end - p) < n)
        return 0;
    for (size_t i = 1; i < n; i++)
        if ((p[i] & 0xc0) != 0x80)
            return 0;
    /* over-long forms, surrogates, beyond U+10FFFF */
    if ((*p == 0xe0 && p[1] < 0xa0) || (*p == 0xed && p[1] > 0x9f) ||
        (*p == 0xf0 && p[1] < 0x90) || (*p == 0xf4 && p[1] > 0x8f))
        return 0;
    return n;
}

bool text_is_utf8(const char *bytes, size_t len)
{
    const unsigned char *end = (const unsigned char *)bytes + len;
    const unsigned char *p = skip_plain((const unsigned char *)bytes, end);

    while (p < end) {
        const size_t n = letter_length(p, end);

        if (n == 0)
            return false;
        p += n;
    }
    return true;
}

void text_mend(char *string)
{
    const size_t len = strlen(string);
    const unsigned char *p = (const unsigned char *)string, *end = p + len;
    char *to = string;

    if (text_is_utf8(string, len))
        return;
    while (p < end) {
        const size_t n = letter_length(p, end);

        if (n > 0) {
            memmove(to, p, n);
            to += n;
            p += n;
            continue;
        }
        *to++ = '?';
        do
            p++;
        while (p < end && (*p & 0xc0) == 0x80);
    }
    *to = '\0';
}

static bool same_letter(char a, char b)
{
    return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/* Optimal string alignment distance, three rows kept. */
static int distance(const char *a, size_t na, const char *b, size_t nb)
{
    int rows[3][NAME_LEN_MAX + 1];
    int *before = rows[0], *last = rows[1], *row = rows[2];

    for (size_t j = 0; j <= nb; j++)
        last[j] = (int)j;
    for (size_t i = 1; i <= na; i++) {
        int *spare = before;

        row[0] = (int)i;
        for (size_t j = 1; j <= nb; j++) {
            int best = last[j - 1] + !same_letter(a[i - 1], b[j - 1]);

            if (last[j] + 1 < best)
                best = last[j] + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            if (i > 1 && j > 1 && same_letter(a[i - 1], b[j - 2]) &&
                same_letter(a[i - 2], b[j - 1]) && before[j - 2] + 1 < best)
                best = before[j - 2] + 1;
            row[j] = best;
        }
        before = last;
        last = row;
        row = spare;
    }
    return last[nb];
}

const char *text_nearest(const char *name, const char *const *candidates,
                         size_t count)
{
    const char *nearest = NULL;
    size_t len = strlen(name);
    int best = (int)(len <= 3 ? 1 : len <= 6 ? 2 : 3) + 1;

    if (len > NAME_LEN_MAX)
        return NULL;
    for (size_t i = 0; i < count; i++) {
        size_t n;
        int d;

        if (candidates[i] == NULL)
            continue;
        n = strlen(candidates[i]);
        if (n > NAME_LEN_MAX)
            continue;
        d = distance(name, len, candidates[i], n);
        if (d < best && (size_t)d < n) {
            best = d;
            nearest = candidates[i];
        }
    }
    return nearest;
}
