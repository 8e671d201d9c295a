/* SPDX-License-Identifier: Apache-2.0 */
/* Results that are freed whole, and errors as callers see them. */
#include "client/libserry/result.h"

#include <stdalign.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The public numbers are those of base, which are those of the wire. */
#define X(name, wire, wire_name, exit_code, retry)                             \
    _Static_assert((int)SERRY_##name == wire, "SERRY_" #name);
STATUS_LIST(X)
#undef X

/* Stands in front of each result. */
struct holder {
    alignas(max_align_t) struct arena *arena;
};

void *result_new(struct arena *arena, size_t size)
{
    struct holder *holder = arena_alloc(arena, sizeof(*holder) + size);

    if (holder == NULL)
        return NULL;
    holder->arena = arena;
    return holder + 1;
}

void serry_free(void *result)
{
    if (result != NULL)
        arena_free(((struct holder *)result - 1)->arena);
}

void serry_error_clear(struct serry_error *err)
{
    free(err->findings_json);
    *err = (struct serry_error)SERRY_ERROR_INIT;
}

static const char *known_name(int status)
{
    switch ((enum status)status) {
#define X(name, wire, wire_name, exit_code, retry)                             \
    case STATUS_##name:                                                        \
        return wire_name;
        STATUS_LIST(X)
#undef X
    }
    return NULL;
}

const char *serry_status_name(int status)
{
    const char *name = known_name(status);

    return name != NULL ? name : "UNKNOWN";
}

int serry_status_exit_code(int status)
{
    return status_exit_code(known_name(status) != NULL ? (enum status)status
                                                       : STATUS_INTERNAL);
}

int refuse(struct serry_error *err, int status, const char *fmt, ...)
{
    va_list args;

    if (err == NULL)
        return -1;
    serry_error_clear(err);
    err->status = status;
    va_start(args, fmt);
    vsnprintf(err->text, sizeof(err->text), fmt, args);
    va_end(args);
    return -1;
}

int refuse_exhausted(struct serry_error *err)
{
    struct error from;

    error_exhausted(&from);
    return refuse_from(err, &from);
}

int refuse_from(struct serry_error *err, const struct error *from)
{
    return refuse(err, (int)from->status, "%s", from->text);
}

int refuse_answer(struct serry_error *err, int status, const char *message,
                  const char *findings_json)
{
    if (message != NULL && message[0] != '\0')
        refuse(err, status, "%s", message);
    else
        refuse(err, status, "the daemon answers %s (%d) and does not say why",
               serry_status_name(status), status);
    if (err != NULL && findings_json != NULL)
        err->findings_json = strdup(findings_json);
    return -1;
}
