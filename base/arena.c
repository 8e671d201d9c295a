/* SPDX-License-Identifier: Apache-2.0 */
/* A capped region of memory that is freed whole. */
#include "base/arena.h"

#include <assert.h>
#include <stdalign.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_BYTES_MIN = 4096, ALIGN = alignof(max_align_t) };

struct block {
    struct block *next;
    size_t size, used;
    alignas(max_align_t) unsigned char data[];
};

struct arena {
    size_t cap_bytes, used_bytes;
    bool failed;
    struct block *blocks; /* the one being filled comes first */
};

struct arena *arena_new(size_t cap_bytes)
{
    struct arena *arena = calloc(1, sizeof(*arena));

    if (arena != NULL)
        arena->cap_bytes = cap_bytes;
    return arena;
}

void arena_raise_cap(struct arena *arena, size_t cap_bytes)
{
    assert(cap_bytes >= arena->cap_bytes);
    arena->cap_bytes = cap_bytes;
}

static void free_blocks(struct block *block)
{
    while (block != NULL) {
        struct block *next = block->next;

        free(block);
        block = next;
    }
}

void arena_free(struct arena *arena)
{
    if (arena == NULL)
        return;
    free_blocks(arena->blocks);
    free(arena);
}

void arena_reset(struct arena *arena)
{
    struct block *keep = arena->blocks;

    arena->used_bytes = 0;
    arena->failed = false;
    if (keep == NULL)
        return;
    free_blocks(keep->next);
    keep->next = NULL;
    keep->used = 0;
}

void arena_rest(struct arena *arena, size_t most_bytes)
{
    arena_reset(arena);
    if (arena->blocks == NULL || arena->blocks->size <= most_bytes)
        return;
    free_blocks(arena->blocks);
    arena->blocks = NULL;
}

struct arena_mark arena_mark(const struct arena *arena)
{
    struct block *block = arena->blocks;

    return (struct arena_mark){ .block = block,
                                .block_used = block != NULL ? block->used : 0,
                                .used_bytes = arena->used_bytes };
}

void arena_rewind(struct arena *arena, struct arena_mark mark)
{
    while (arena->blocks != mark.block) {
        struct block *next = arena->blocks->next;

        free(arena->blocks);
        arena->blocks = next;
    }
    if (arena->blocks != NULL)
        arena->blocks->used = mark.block_used;
    arena->used_bytes = mark.used_bytes;
}

/* A block for at least bytes; blocks double, so that their number stays small.
 */
static struct block *add_block(struct arena *arena, size_t bytes)
{
    size_t size = BLOCK_BYTES_MIN;
    struct block *block;

    if (arena->blocks != NULL)
        size = arena->blocks->size * 2;
    if (size > arena->cap_bytes)
        size = arena->cap_bytes;
    if (size < bytes)
        size = bytes;
    block = malloc(sizeof(*block) + size);
    if (block == NULL)
        return NULL;
    block->size = size;
    block->used = 0;
    block->next = arena->blocks;
    arena->blocks = block;
    return block;
}

static void *refuse(struct arena *arena)
{
    arena->failed = true;
    return NULL;
}

void *arena_room(struct arena *arena, size_t bytes)
{
    struct block *block = arena->blocks;
    void *data;

    if (bytes > SIZE_MAX - ALIGN)
        return refuse(arena);
    bytes = (bytes + ALIGN - 1) / ALIGN * ALIGN;
    if (bytes > arena->cap_bytes - arena->used_bytes)
        return refuse(arena);
    if (block == NULL || block->size - block->used < bytes)
        block = add_block(arena, bytes);
    if (block == NULL)
        return refuse(arena);
    data = block->data + block->used;
    block->used += bytes;
    arena->used_bytes += bytes;
    return data;
}

void *arena_alloc(struct arena *arena, size_t bytes)
{
    void *data = arena_room(arena, bytes);

    return data != NULL ? memset(data, 0, bytes) : NULL;
}

void *arena_array(struct arena *arena, size_t count, size_t size)
{
    if (size != 0 && count > SIZE_MAX / size)
        return refuse(arena);
    return arena_alloc(arena, count * size);
}

char *arena_strndup(struct arena *arena, const char *text, size_t len)
{
    char *copy = arena_alloc(arena, len + 1);

    if (copy != NULL)
        memcpy(copy, text, len);
    return copy;
}

char *arena_strdup(struct arena *arena, const char *text)
{
    return arena_strndup(arena, text, strlen(text));
}

char *arena_printf(struct arena *arena, const char *fmt, ...)
{
    va_list args, again;
    char *text = NULL;
    int n;

    va_start(args, fmt);
    va_copy(again, args);
    n = vsnprintf(NULL, 0, fmt, args);
    if (n >= 0)
        text = arena_alloc(arena, (size_t)n + 1);
    if (text != NULL)
        vsnprintf(text, (size_t)n + 1, fmt, again);
    va_end(again);
    va_end(args);
    return text;
}

bool arena_failed(const struct arena *arena)
{
    return arena->failed;
}

size_t arena_used(const struct arena *arena)
{
    return arena->used_bytes;
}
