/* SPDX-License-Identifier: Apache-2.0 */
/* Which replica serves a request, and which signals then leave their host. */
#ifndef SERRIED_PLACEMENT_REPLICA_H
#define SERRIED_PLACEMENT_REPLICA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"

#define REPLICA_NONE UINT32_MAX
#define HOST_UNKNOWN UINT32_MAX

enum { REPLICA_GRAPHS_MAX = 65536, REPLICA_RANKS_MAX = 1 << 20 };

/* The ranks of one instance, by instance rank. */
struct replica {
    const uint32_t *ranks;
    uint32_t n_ranks;
};

/* A worker graph: a piece of a walk, run by the node group that it names. All
 * graphs of a group list the same replicas. */
struct replica_graph {
    uint32_t group;
    const struct replica *replicas;
    size_t n_replicas;
};

/* What is known of the ranks: of those below n_ranks. */
struct replica_world {
    uint32_t n_ranks;
    const bool *dead;      /* NULL: none is */
    const uint32_t *hosts; /* or HOST_UNKNOWN; NULL: none is known */
    uint32_t n_hosts;      /* hosts are below it */
};

/* Chooses a replica for each graph, the same for all graphs of a group. Groups
 * choose in the order of their first graph: the replica that a session kept
 * while it lives, else among the living ones those that add the fewest hosts to
 * what the request uses, else by a number drawn from draw and group, so that
 * the same draw gives the same answer.
 *   kept  replica of each graph's group before, or REPLICA_NONE; NULL: none
 *   ret   n_graphs entries: index of the replica; untouched on failure
 *   STATUS_INVALID      graphs of one group list different replicas, an empty
 *                       one, a group without a replica
 *   STATUS_UNAVAILABLE  every replica of a group has a dead rank; its graph in
 *                       *ret_graph (may be NULL)
 *   STATUS_EXHAUSTED    the arena is full, too many graphs */
int replica_choose(struct arena *arena, const struct replica_graph *graphs,
                   size_t n_graphs, const struct replica_world *world,
                   const uint32_t *kept, uint64_t draw, uint32_t *ret,
                   size_t *ret_graph, struct error *err);

/* ---- signals that leave their host -------------------------------------- */

/* Where a node runs. No ranks: outside of the model (the client). */
struct crossing_end {
    const uint32_t *ranks;
    size_t n_ranks;
};

struct crossing_edge {
    struct crossing_end from, to;
};

/* An edge whose ends are not on one and the same host. Hosts ascend. */
struct crossing {
    size_t edge; /* index */
    const uint32_t *from_hosts, *to_hosts;
    size_t n_from, n_to;
};

/* The edges that may leave a host, in the order of edges: an end stands on
 * another host than the other, or on several. Edges from or to what has no
 * ranks are left out. A rank whose host is not known counts as on HOST_UNKNOWN,
 * a host like any other, and last.
 *   STATUS_EXHAUSTED  the arena is full */
int crossing_find(struct arena *arena, const struct crossing_edge *edges,
                  size_t n_edges, const struct replica_world *world,
                  const struct crossing **ret, size_t *ret_n,
                  struct error *err);

#endif
