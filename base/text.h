/* SPDX-License-Identifier: Apache-2.0 */
/* Text that grows, and what is asked of names. */
#ifndef SERRIED_BASE_TEXT_H
#define SERRIED_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

/* A string that grows on the heap. Start from { 0 }; end with text_close().
 * When memory runs out, failed is set, what came before stays, and further
 * writes do nothing. */
struct text {
    char *data; /* ended by a NUL; NULL until the first write */
    size_t len, cap;
    bool failed;
};

void text_close(struct text *text);
void text_clear(struct text *text); /* empty again, memory kept */
void text_put(struct text *text, const char *string);
void text_put_bytes(struct text *text, const char *bytes, size_t len);
void text_printf(struct text *text, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* The string so far; "" when nothing was written. Owned by text. */
const char *text_string(const struct text *text);

/* Whether bytes are well-formed UTF-8 (RFC 3629) without a NUL. */
bool text_is_utf8(const char *bytes, size_t len);

/* Makes string UTF-8: what is none of it, such as the beginning of a letter
 * that a cut left, becomes a question mark. */
void text_mend(char *string);

/* The candidate nearest to name by edit distance (insert, delete, replace,
 * swap of neighbours), case ignored, if it is near enough to be meant; NULL
 * otherwise. The first of equals wins. candidates: count strings, NULL ones are
 * passed over. Names over 64 bytes are near to nothing. */
const char *text_nearest(const char *name, const char *const *candidates,
                         size_t count);

#endif
