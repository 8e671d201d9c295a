/* SPDX-License-Identifier: Apache-2.0 */
/* What one rank gets: its place on every axis and its share of everything. */
#ifndef SERRIED_PLACEMENT_ASSIGNMENT_H
#define SERRIED_PLACEMENT_ASSIGNMENT_H

#include "placement/check.h"
#include "placement/split.h"

/* Quantities that a shard template speaks of: name, what must be split for
 * them, the fact that says how much there is (NULL: not known before a request
 * comes), the rule of splitting. */
/* clang-format off */
#define SHARE_LIST(X)                                           \
    X(rows,        ROWS,    NULL,       "even")                 \
    X(tokens,      TOKENS,  NULL,       "first_longer")         \
    X(query_heads, HEADS,   "heads",    "query_heads")          \
    X(kv_heads,    HEADS,   "kv_heads", "kv_heads")             \
    X(vocab,       WEIGHTS, "vocab",    "vocab")                \
    X(weights,     WEIGHTS, NULL,       "even")                 \
    X(layers,      LAYERS,  "layers",   "even")                 \
    X(experts,     EXPERTS, "experts",  "even")
/* clang-format on */

/* The part of one quantity that a rank holds of a node. */
struct share {
    const char *what;     /* a name of SHARE_LIST, or "expert_ffn" */
    const char *rule;     /* a name of split_rules() */
    const char *resource; /* holds for this resource only; NULL: for the node */
    uint32_t parts, part; /* part number `part` of `parts` */
    bool has_range;       /* the total is known */
    uint64_t total;
    struct range range;
};

/* A slice of a signal, in units of 1 / (sources * targets) of the whole. */
struct send {
    uint32_t to_rank; /* instance rank of the receiver */
    bool whole;
    uint64_t begin, end, local_begin;
};

/* A signal that the rank sends or receives. */
struct transfer {
    const struct walk_signal *signal;
    const char *walk;
    bool sharded, sends, receives;
    int64_t dim;                 /* -1: replicated */
    uint32_t from_size, to_size; /* ranks of an instance at each end */
    int from_group, to_group;    /* node groups; -1: outside the model */
    const struct send *targets;  /* what it sends */
    size_t n_targets;
    uint32_t fan_in; /* from how many ranks it receives */
};

/* Where the rank stands on one axis of a view, or a coordinate of the runtime.
 * An axis that views share is there once, by its name; a size that is local to
 * one of several views as "view.name". */
struct shard_coordinate {
    const char *name;
    uint32_t coordinate, size;
    int axis; /* of the runtime; -1: none */
};

/* One node that the rank hosts. */
struct node_shard {
    const struct node *node;
    const struct scope *scope;
    uint32_t instance, instance_rank;
    const struct shard_coordinate *coordinates;
    size_t n_coordinates;
    const struct share *shares;
    size_t n_shares;
    const struct transfer *transfers;
    size_t n_transfers;
};

struct assignment {
    uint32_t rank;
    const struct node_shard *nodes; /* in the order of the node groups */
    size_t n_nodes;
};

/* Works out what a rank gets under an accepted check; made in arena, which
 * must not outlive the check. A rank that no group lists hosts
 * no node; where a world has no model, one node called "world" stands for it.
 *   STATUS_EXHAUSTED  the arena is full */
int assignment_make(struct check *check, struct arena *arena, uint32_t rank,
                    struct assignment *ret, struct error *err);

/* Position of a rank over all instances of a placed node; -1: it does not host
 * the node, or the node's layout is not known. */
int64_t assignment_position(struct check *check, const struct placed *placed,
                            uint32_t rank);

/* One node of assignment_make(), at a position that is not -1. All of it but
 * `instance` is the same at each position with the same instance_rank. */
int assignment_node(struct check *check, struct arena *arena,
                    const struct placed *placed, int64_t position,
                    struct node_shard *ret, struct error *err);

/* Works out the transfers of a node on the rank that shard is about; for
 * assignment_node(). STATUS_EXHAUSTED as there. */
int transfers_make(struct check *check, struct arena *arena,
                   const struct placed *placed, struct node_shard *shard,
                   struct error *err);

/* Writes it as the document that a worker gets. */
void assignment_write(struct check *check, const struct assignment *assignment,
                      struct tree_maker *maker, struct tree *map);

#endif
