/* SPDX-License-Identifier: Apache-2.0 */
/* The creation sequence: every group that anyone creates, in one order. */
#ifndef SERRIED_PLACEMENT_CREATION_H
#define SERRIED_PLACEMENT_CREATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "placement/view.h"

enum {
    CREATION_STEPS_MAX = 256,
    CREATION_SOURCES_MAX = 1 << 20, /* of all steps */
    CREATION_GROUPS_MAX = 1 << 24,  /* before equal ones are dropped */
};

/* A list whose groups are created. A node group of many instances is one source
 * with an axis for the instances, not a source for each. */
struct creation_source {
    const char *name; /* of the list */
    const struct lists *lists;
    const uint32_t *ranks; /* as in lists_expand() */
    uint32_t offset;
};

/* Groups that are created with one backend: those of each source in turn, or
 * all of them sorted by their ranks (lexicographically, a shorter list before
 * one that it begins). */
struct creation_step {
    const char *backend;
    bool sorted;
    const struct creation_source *sources;
    size_t n_sources;
};

/* A group to create: list number `list` of a source. */
struct created {
    const struct creation_source *source; /* the first that has these ranks */
    const char *backend;
    uint32_t list;
};

/* Its number of ranks, at least 2, and the ranks themselves. */
uint32_t created_length(const struct created *created);
void created_ranks(const struct created *created, uint32_t *ret);

/* The whole sequence, in 8 bytes for each group. */
struct creation {
    const struct creation_step *steps; /* borrowed, with all below */
    const struct creation_part *parts; /* each source and its step */
    const struct creation_item *items;
    size_t count;
};

/* Works the sequence out. Groups of one rank are left out; equal rank lists are
 * created once for each backend, where they come first. Made in arena: at most
 * 56 bytes for each group.
 *   STATUS_INVALID    above one of the bounds
 *   STATUS_EXHAUSTED  the arena is full */
int creation_make(struct arena *arena, const struct creation_step *steps,
                  size_t n_steps, struct creation *ret, struct error *err);

/* Group i, i < creation->count. */
struct created creation_at(const struct creation *creation, size_t i);

#endif
