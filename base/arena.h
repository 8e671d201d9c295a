/* SPDX-License-Identifier: Apache-2.0 */
/* A capped region of memory that is freed whole. */
#ifndef SERRIED_BASE_ARENA_H
#define SERRIED_BASE_ARENA_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

/* Hands out memory until a cap; nothing is freed alone. Not thread-safe. */
struct arena;

/* Makes an arena of at most cap_bytes. NULL: no memory. Freed by arena_free().
 */
struct arena *arena_new(size_t cap_bytes);
void arena_free(struct arena *arena); /* NULL is allowed */

/* From now on it holds at most cap_bytes, which is no less than before. */
void arena_raise_cap(struct arena *arena, size_t cap_bytes);

/* Forgets everything handed out; keeps the first block for the next use. */
void arena_reset(struct arena *arena);

/* The same, but keeps nothing where that block is larger than most_bytes: for
 * an arena that waits for its next use. */
void arena_rest(struct arena *arena, size_t most_bytes);

/* bytes of zeroed memory, aligned for any type, or NULL when the cap is
 * reached or memory ran out. A size of 0 gives a pointer that is not NULL. */
void *arena_alloc(struct arena *arena, size_t bytes);

/* The same not zeroed, for who fills it all. */
void *arena_room(struct arena *arena, size_t bytes);

/* count * size bytes, zeroed; NULL also when the product overflows. */
void *arena_array(struct arena *arena, size_t count, size_t size);

/* Copies, ended by a NUL; NULL as arena_alloc(). */
char *arena_strndup(struct arena *arena, const char *text, size_t len);
char *arena_strdup(struct arena *arena, const char *text);
char *arena_printf(struct arena *arena, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* A point to go back to: what was handed out after it is forgotten. Marks nest;
 * one is void after arena_reset() or a rewind to an earlier one. */
struct arena_mark {
    void *block;
    size_t block_used, used_bytes;
};

struct arena_mark arena_mark(const struct arena *arena);
void arena_rewind(struct arena *arena, struct arena_mark mark);

/* Whether anything was asked for and not given since arena_new() or
 * arena_reset(): for those who take NULL for an answer. */
bool arena_failed(const struct arena *arena);

/* Bytes handed out since arena_new() or arena_reset(). */
size_t arena_used(const struct arena *arena);

#endif
