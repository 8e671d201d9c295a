/* SPDX-License-Identifier: Apache-2.0 */
/* Binds the instances of a deployment to the workers that one request got. */
#ifndef SERRIED_PLACEMENT_BINDING_H
#define SERRIED_PLACEMENT_BINDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "placement/signal.h"

/* Rows of one binding; names of all templates. Every name is compared with
 * every row: 1024 * 1024 at a few ns is some milliseconds. */
enum { BINDING_ROWS_MAX = 1024, BINDING_NAMES_MAX = 1024 };

/* A node group as every worker knows it from its start, without workers. */
struct group_template {
    const char *const *nodes;
    size_t n_nodes;
    const char *const *walks; /* NULL: all walks */
    size_t n_walks;
    uint32_t size; /* ranks of an instance */
    uint32_t rank; /* of this worker in its instance, or RANK_UNSET */
};

/* Who runs a node in a walk for this request, by instance rank. */
struct binding_row {
    const char *node, *walk;
    const uint32_t *workers;
    uint32_t n_workers;
};

struct bound_group {
    const struct group_template *from; /* NULL: not configured, one worker */
    const uint32_t *workers;
    uint32_t size, rank; /* rank: of this worker, or RANK_UNSET */
};

/* Groups, and which of them serves each row (by index). Names and workers are
 * borrowed from what was bound. */
struct binding {
    const struct group_template *templates;
    size_t n_templates;
    const struct binding_row *rows;
    size_t n_rows;
    const struct bound_group *groups;
    size_t n_groups;
    const uint32_t *row_groups; /* n_rows indexes into groups */
};

/* Why a binding was refused. */
struct binding_refusal {
    const char *code;   /* stable, or NULL */
    uint32_t got, want; /* `template.worker_count`: workers; else 0 */
};

/* Binds rows: a template claims the rows of its nodes in its walks, and they
 * must all have one worker list of the template's size; rows that no template
 * claims become groups of one, shared by the rows of one node and worker.
 *   STATUS_INVALID    with a code in *ret_refusal (which may be NULL):
 *     template.worker_count               a list has not the group's size
 *     template.worker_lists               rows of one group on different lists
 *     template.duplicate_streaming_group  two templates claim a node in all
 *                                         walks
 *     template.duplicate_claim            two templates claim a row
 *     or NULL: a row twice, a size of 0, a rank out of range, too many names
 *   STATUS_EXHAUSTED  the arena is full */
int binding_make(struct arena *arena, const struct group_template *templates,
                 size_t n_templates, const struct binding_row *rows,
                 size_t n_rows, struct binding *ret,
                 struct binding_refusal *ret_refusal, struct error *err);

/* The group of a node in a walk, or NULL. */
const struct bound_group *binding_find(const struct binding *binding,
                                       const char *node, const char *walk);

/* The group that takes streams for a node, whose walk the sender cannot know:
 * that of a template for all walks, or of a node in no template whose rows
 * have one worker all; else NULL. */
const struct bound_group *binding_find_stream(const struct binding *binding,
                                              const char *node);

#endif
