/* SPDX-License-Identifier: Apache-2.0 */
/* The answer to a request, as the document that every client gets. */
#ifndef SERRIED_PLACEMENT_VERDICT_H
#define SERRIED_PLACEMENT_VERDICT_H

#include "placement/alternatives.h"
#include "placement/check.h"

/* What of a world's size is asked for beside the verdict. */
struct verdict_wants {
    const char *const *lists; /* names, "attn.dp+cp" */
    size_t n_lists;
    bool all_lists; /* every axis of every view, and the declared groups */
    bool views;     /* the axes of every view, outermost first */
    bool per_rank, creation;
    bool assignment; /* what rank `rank` gets */
    uint32_t rank;
    const char *up_to; /* the layer behind which no rule is judged; NULL: all
                          are. Who runs the check resolves it. */
};

/* Writes the verdict into map: verdict, up_to (if not all was judged),
 * findings, unchecked, warnings, derived, alternatives, node_groups, and what
 * is wanted of lists, views, per_rank, creation.
 *   check         finished
 *   alternatives  of a refused check; NULL: none
 *   maker         memory of the answer
 * Returns -1:
 *   STATUS_UNKNOWN_NAME  a wanted list is not known to the runtime
 *   STATUS_EXHAUSTED     the arena is full */
int verdict_write(struct check *check, const struct alternatives *alternatives,
                  const struct verdict_wants *wants, struct tree_maker *maker,
                  struct tree *map, struct error *err);

#endif
