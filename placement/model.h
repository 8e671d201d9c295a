/* SPDX-License-Identifier: Apache-2.0 */
/* A model's declaration: nodes, walks, signals, streams, resources, facts. */
#ifndef SERRIED_PLACEMENT_MODEL_H
#define SERRIED_PLACEMENT_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/tree.h"
#include "placement/estimate.h"

enum {
    MODEL_NODES_MAX = 1024, /* also of walks, resources, streams */
    MODEL_SIGNALS_MAX = 8192,
    /* Names in lists of nodes and walks. Each is compared with up to 1,024
     * names at 5 ns: 0.3 s. */
    MODEL_REFERENCES_MAX = 65536,
};

/* The smallest part of a model that can be placed. */
struct node {
    const char *name;
    int index;                /* in model.nodes; -1: the model lacks it */
    const struct tree *axes;  /* axis -> its attributes; NULL: none */
    const struct tree *facts; /* its own facts; NULL: none */
};

/* A named value that goes from one node to another in a walk. */
struct walk_signal {
    const char *name;
    int walk, from;      /* indexes */
    int to;              /* node index; -1: leaves the model (a client) */
    const char *to_name; /* as written; NULL: not written */
};

/* An execution plan: the nodes it runs. */
struct walk {
    const char *name;
    int index;
    const int *nodes; /* node indexes, in the order written */
    size_t n_nodes;
    const int *when_placed; /* served only if all of these are placed */
    size_t n_when_placed;
};

struct stream {
    const char *signal;
    int to; /* the node that consumes it */
};

/* Something that several nodes share: a cache, an attention, a pool. */
struct resource {
    const char *key, *kind; /* kind: "" when not written */
    const int *nodes;
    size_t n_nodes;
    const char *const *splits; /* axes that split its heads; */
    size_t n_splits;
    bool has_splits; /* false: all that split heads */
};

/* A joint walk that runs several walks of one node in one forward. */
struct combined {
    const char *name;
    int node;
    const int *walks;
    size_t n_walks;
};

/* A model's declaration. Immutable; lives in the arena it was loaded in and
 * borrows the document's strings. */
struct model {
    const char *name;
    const char *runtime; /* its usual runtime; NULL: none */
    const struct tree *document;
    const struct tree *facts;     /* of the whole model; NULL: none */
    const struct tree *shard_dim; /* signal -> dimension; NULL: none */
    struct node *nodes;
    size_t n_nodes;
    struct walk *walks;
    size_t n_walks;
    struct walk_signal *signals; /* of all walks, in their order */
    size_t n_signals;
    struct stream *streams;
    size_t n_streams;
    struct resource *resources;
    size_t n_resources;
    struct combined *combined;
    size_t n_combined;
    struct estimate estimate; /* of memory and speed; empty: none */
};

/* Loads a declaration. Returns NULL:
 *   STATUS_INVALID    an unknown key, a wrong type, a name that is not
 *                     declared, a name declared twice, over a bound
 *   STATUS_EXHAUSTED  the arena is full */
const struct model *model_load(struct arena *arena, const struct tree *document,
                               struct error *err);

/* Checks a map from signals to dimensions, 0 to 15 or null; NULL is allowed.
 *   STATUS_INVALID  something else stands there */
int model_check_shard_dim(const struct tree *map, struct error *err);

/* Index of the node, or -1. */
int model_node(const struct model *model, const char *name);

#endif
