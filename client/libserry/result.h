/* SPDX-License-Identifier: Apache-2.0 */
/* Results that are freed whole, and errors as callers see them. */
#ifndef SERRIED_CLIENT_RESULT_H
#define SERRIED_CLIENT_RESULT_H

#include "base/arena.h"
#include "base/error.h"
#include "client/libserry/serry.h"

/* The most that one result may take: an answer of 16 MiB unpacks to about 70
 * times as much at worst, which no honest daemon sends. */
enum { RESULT_BYTES_MAX = 512 << 20 };

/* size zeroed bytes in arena that serry_free() takes; it frees the arena, and
 * so all else made in it. NULL: the arena is full. */
void *result_new(struct arena *arena, size_t size);

/* Fills err (which may be NULL) and returns -1. */
int refuse(struct serry_error *err, int status, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* The same for memory that ran out. */
int refuse_exhausted(struct serry_error *err);

/* Hands on an error of the layers below. */
int refuse_from(struct serry_error *err, const struct error *from);

/* Hands on what the daemon says: its sentence, and the findings if there are
 * any (NULL: none). Both are copied. */
int refuse_answer(struct serry_error *err, int status, const char *message,
                  const char *findings_json);

#endif
