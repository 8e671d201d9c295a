/* SPDX-License-Identifier: Apache-2.0 */
/* Cuts a walk into the pieces that one node group runs without leaving it. */
#ifndef SERRIED_PLACEMENT_GRAPH_H
#define SERRIED_PLACEMENT_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"

enum {
    GRAPH_DEPTH_MAX = 64,      /* sections inside sections */
    GRAPH_SECTIONS_MAX = 4096, /* of one walk, nodes included */
};

enum section_kind {
    SECTION_NODE,
    SECTION_SEQUENCE,
    SECTION_PARALLEL,
    SECTION_LOOP, /* exactly one child */
};

/* A walk is a tree of sections with nodes at its ends. */
struct section {
    enum section_kind kind;
    uint32_t node;                /* SECTION_NODE: index into the nodes */
    struct section *first, *last; /* children in order; others have some */
    struct section *next;         /* of the same parent */
};

struct graph_node {
    uint32_t group; /* the node group that serves it in this walk */
    bool streams;   /* takes in a stream: nothing before it joins it */
};

/* A piece: neighbours of one node group. */
struct worker_graph {
    uint32_t group;
    bool streams;            /* one of its nodes does */
    struct section *section; /* its part of the walk, loops kept */
    const uint32_t *nodes;   /* indexes, in the order of section */
    uint32_t n_nodes;
};

struct worker_graphs {
    const struct worker_graph *items;
    size_t count;
};

/* Appends child to parent's children. */
void section_add(struct section *parent, struct section *child);

/* Cuts walk, which is not changed; what is made lives in arena.
 *   node      one piece
 *   sequence  the pieces of its children in order; the first piece of a child
 *             joins the last one before it when both have one group and it does
 *             not take in a stream
 *   parallel  children that are one piece without a stream join by group, in
 *             the order in which the groups appear; the pieces of the other
 *             children follow
 *   loop      each piece of its child in a loop of its own
 *   STATUS_INVALID    too deep, too many sections, a section without a child, a
 *                     loop of several, a node that is not there
 *   STATUS_EXHAUSTED  the arena is full */
int graph_cut(struct arena *arena, const struct section *walk,
              const struct graph_node *nodes, uint32_t n_nodes,
              struct worker_graphs *ret, struct error *err);

#endif
