/* SPDX-License-Identifier: Apache-2.0 */
/* A deployment: the request to place a model under a runtime. */
#ifndef SERRIED_PLACEMENT_DEPLOYMENT_H
#define SERRIED_PLACEMENT_DEPLOYMENT_H

#include "placement/model.h"
#include "placement/runtime.h"

enum {
    DEPLOYMENT_GROUPS_MAX = 4096,
    DEPLOYMENT_RANKS_MAX = VIEW_SPAN_MAX, /* listed, over all groups */
    DEPLOYMENT_NAMES_MAX = 4096, /* of nodes and walks, over all groups; so
                                    that every list of them can be walked */
    DEPLOYMENT_UNKNOWN_MAX = 64, /* unknown keys that are kept */
};

/* A size as it was written, or nothing. */
struct given {
    bool has;
    int64_t value;
};

/* One entry of node_groups, or the whole world. Borrows the document. */
struct node_group {
    int index;
    const char *const *node_names;
    size_t n_node_names;
    const int64_t *ranks; /* as written; NULL: the positions themselves */
    size_t n_ranks;
    bool has_ranks; /* false: neither ranks nor count was written */
    bool counted;   /* count was written */
    const char *const *walks;
    size_t n_walks;
    bool all_walks;
    struct given sizes[RUNTIME_AXES_MAX];
    const struct tree *at; /* NULL: the world */
};

/* A key that nothing reads. */
struct unknown_key {
    const struct tree *at;
    const char *nearest; /* NULL: none */
};

/* What a request says of the devices that it wants. */
struct binding_wish {
    bool unbound;    /* bind: false */
    bool shared;     /* its devices may be others' too */
    uint32_t spares; /* devices kept beside those of its ranks */
};

/* Immutable; lives in the arena it was loaded in and borrows the document. */
struct deployment {
    const char *name;
    const char *model; /* NULL: none named */
    const struct runtime *runtime;
    struct node_group *groups;
    size_t n_groups;
    bool has_groups; /* node_groups was written */
    bool spans;      /* one group spans the world: groups[0] */
    struct given world;
    int links[RUNTIME_AXES_MAX];   /* enum link_level; -1: as the runtime */
    struct link_wishes list_links; /* those of its runtime among them */
    struct binding_wish wish;
    const struct port_wishes *ports; /* of its runtime, and its own */
    enum sparse sparse;
    /* where it was renumbered: by rank, the number that the request lists it
     * under, ascending; NULL: ranks have these numbers */
    const uint32_t *listed;
    uint32_t n_listed;
    const struct tree **options; /* by option; NULL: absent */
    const struct tree **carried; /* by carry; NULL: absent, or in groups */
    struct unknown_key *unknown;
    size_t n_unknown;
    const struct tree *document;
};

/* Fills what a request, or else its runtime, says of a sparse world, and where
 * that is to be renumbered does so.
 *   STATUS_INVALID    no such word, or the runtime does not allow it
 *   STATUS_EXHAUSTED  the arena is full */
int deployment_read_sparse(struct deployment *dep, struct arena *arena,
                           struct error *err);

/* Numbers the ranks of all groups from 0 on, keeping their order, if they have
 * gaps. What is no rank is left for rules to refuse. -1: the arena is full. */
int deployment_renumber(struct deployment *dep, struct arena *arena);

/* The number that the request lists a rank under; of ranks that it has not,
 * what would come next. */
static inline int64_t deployment_listed(const struct deployment *dep,
                                        int64_t rank)
{
    if (dep->listed == NULL || rank < 0)
        return rank;
    if (rank < dep->n_listed)
        return dep->listed[rank];
    return rank - dep->n_listed + dep->listed[dep->n_listed - 1] + 1;
}

/* How many ranks from `at` on were listed under numbers that rise by the same,
 * *ret_stride. */
size_t deployment_listed_run(const struct deployment *dep, uint32_t at,
                             uint32_t *ret_stride);

/* Whether every request knows this key, in a node group or at the top; axes and
 * carried keys must have other names. */
bool deployment_has_key(const char *name, bool in_group);

/* The runtime and the model that a deployment document names; NULL when it
 * names none, or is not a map. */
const char *deployment_runtime_name(const struct tree *document);
const char *deployment_model_name(const struct tree *document);

/* Loads a request under a runtime. What a rule can judge (absent or unknown
 * keys, sizes, ranks) is kept as it is; only what cannot be read is an error.
 * Returns NULL:
 *   STATUS_INVALID    a wrong type, a size given twice, over a bound
 *   STATUS_EXHAUSTED  the arena is full */
const struct deployment *deployment_load(struct arena *arena,
                                         const struct runtime *rt,
                                         const struct tree *document,
                                         struct error *err);

/* ---- changed copies, for alternatives ----------------------------------- */

enum edit_kind {
    EDIT_SIZE,   /* axis of a group: value */
    EDIT_OPTION, /* option: tree */
    EDIT_WORLD,  /* value */
    EDIT_RANKS,  /* of a group: ranks, n_ranks */
    EDIT_WALKS,  /* of a group: all walks */
    EDIT_SPARSE, /* the world is renumbered */
};

struct edit {
    enum edit_kind kind;
    int group; /* index; for EDIT_SIZE and EDIT_RANKS, EDIT_WALKS */
    int index; /* axis or option */
    int64_t value;
    const struct tree *tree;
    const int64_t *ranks;
    size_t n_ranks;
};

/* A copy of base with edits applied, sharing what is the same. NULL: the arena
 * is full. */
const struct deployment *deployment_edit(struct arena *arena,
                                         const struct deployment *base,
                                         const struct edit *edits, size_t n);

#endif
