/* SPDX-License-Identifier: Apache-2.0 */
/* Statuses, and the one sentence that says why something failed. */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

/* Takes off the beginning of a letter that a cut at cap bytes left at the end.
 */
static void end_at_letter(char *text, size_t cap)
{
    size_t n = strlen(text), start = n;

    if (n + 1 < cap)
        return; /* it was not cut */
    while (start > 0 && ((unsigned char)text[start - 1] & 0xc0) == 0x80)
        start--;
    if (start > 0 && ((unsigned char)text[start - 1] & 0x80) != 0) {
        unsigned char first = (unsigned char)text[start - 1];
        size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;

        if (n - (start - 1) < length)
            text[start - 1] = '\0';
    }
}

int error_set(struct error *err, enum status status, const char *fmt, ...)
{
    va_list args;

    if (err == NULL)
        return -1;
    err->status = status;
    va_start(args, fmt);
    vsnprintf(err->text, sizeof(err->text), fmt, args);
    va_end(args);
    end_at_letter(err->text, sizeof(err->text));
    text_mend(err->text); /* "%.64s" may cut a letter too */
    return -1;
}

int error_wrap(struct error *err, const char *fmt, ...)
{
    char front[sizeof(err->text) / 2];
    size_t n, kept;
    va_list args;

    if (err == NULL)
        return -1;
    va_start(args, fmt);
    vsnprintf(front, sizeof(front) - 2, fmt, args);
    va_end(args);
    end_at_letter(front, sizeof(front) - 2);
    text_mend(front);
    strcat(front, ": ");
    n = strlen(front);
    kept = strlen(err->text);
    if (kept > sizeof(err->text) - 1 - n)
        kept = sizeof(err->text) - 1 - n;
    memmove(err->text + n, err->text, kept);
    memcpy(err->text, front, n);
    err->text[n + kept] = '\0';
    end_at_letter(err->text, sizeof(err->text));
    return -1;
}

int error_exhausted(struct error *err)
{
    return error_set(err, STATUS_EXHAUSTED,
                     "the request needs more memory than one request may use");
}

/* One row of STATUS_LIST by its number; unknown numbers read as INTERNAL. */
static const struct status_row {
    enum status status;
    const char *wire_name;
    int exit_code;
} rows[] = {
#define X(name, wire, wire_name, exit_code, retry)                             \
    { STATUS_##name, wire_name, exit_code },
    STATUS_LIST(X)
#undef X
};

static const struct status_row *row_of(enum status status)
{
    const struct status_row *internal = NULL;

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (rows[i].status == status)
            return &rows[i];
        if (rows[i].status == STATUS_INTERNAL)
            internal = &rows[i];
    }
    return internal;
}

const char *status_name(enum status status)
{
    return row_of(status)->wire_name;
}

int status_exit_code(enum status status)
{
    return row_of(status)->exit_code;
}
