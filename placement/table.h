/* SPDX-License-Identifier: Apache-2.0 */
/* The group table of an accepted request: its lists, creation and digests. */
#ifndef SERRIED_PLACEMENT_TABLE_H
#define SERRIED_PLACEMENT_TABLE_H

#include "placement/check.h"
#include "placement/creation.h"
#include "placement/digest.h"

/* One group list over all instances of a node group (or over the world). */
struct table_list {
    const char *name; /* "node_groups[1].tp"; of a world "attn.dp" or "dp" */
    struct scope *scope;
    struct lists lists; /* over positions of all instances */
};

/* Every list in the order of the node groups; in each, of the views in their
 * order every axis, outermost first, then the declared groups. */
struct table {
    struct table_list *lists;
    size_t n_lists;
};

/* The table of an accepted check, made in its arena.
 *   STATUS_EXHAUSTED  the arena is full */
int table_make(struct check *check, struct table *ret, struct error *err);

/* A list over all instances of a scope; -1: not defined there. */
int table_scope_lists(struct check *check, struct scope *scope,
                      const struct list_name *name, struct lists *ret);

/* The creation sequence of an accepted check, made in its arena.
 *   STATUS_INVALID    over the bounds of creation_make()
 *   STATUS_EXHAUSTED  the arena is full */
int table_creation(struct check *check, struct creation *ret,
                   struct error *err);

/* Digests of a table and its creation sequence, as docs/protocol.md says. */
struct table_digests {
    uint8_t (*lists)[DIGEST_SHORT_BYTES]; /* one for each list of the table */
    uint8_t sequence[DIGEST_SHORT_BYTES];
    uint8_t total[DIGEST_BYTES];
};

/*   STATUS_EXHAUSTED  the arena is full */
int table_digest(struct check *check, const struct table *table,
                 const struct creation *creation, struct table_digests *ret,
                 struct error *err);

#endif
