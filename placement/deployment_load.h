/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of the reader of requests share. Private to deployment*.c. */
#ifndef SERRIED_PLACEMENT_DEPLOYMENT_LOAD_H
#define SERRIED_PLACEMENT_DEPLOYMENT_LOAD_H

#include "placement/deployment.h"
#include "placement/reader.h"

struct deployment_loader {
    struct arena *arena;
    const struct runtime *rt;
    struct deployment *dep;
    size_t n_ranks; /* listed so far, over all groups */
    size_t n_names; /* of nodes and walks, likewise */
    int64_t next;   /* the rank that `count` goes on with */
    struct error *err;
};

/* Maps of a request, each with keys of its own. */
enum key_place {
    KEYS_TOP,
    KEYS_GROUP, /* an entry of node_groups */
    KEYS_SIZES,
    KEYS_OPTIONS,
};

/* ---- keys (deployment_keys.c) ------------------------------------------- */

/* The row of a key that every runtime knows at this place, or NULL. */
const struct read_key *deployment_key(enum key_place place, const char *name);

/* Index of the carried key with this name, or -1. */
int deployment_carry(const struct runtime *rt, const char *name, bool in_group);

/* Keeps a key that nothing reads, with the nearest name that is read there, or
 * where else what is called so belongs. -1: the arena is full. */
int deployment_unknown(struct deployment_loader *load, const struct tree *at,
                       enum key_place place);

/* Sets the size of an axis. STATUS_INVALID: no integer, or set before. */
int deployment_set_size(struct deployment_loader *load, struct given *sizes,
                        int axis, const struct tree *t);

/* Reads {axis: size}; the names of fields are understood too. */
int deployment_read_sizes(struct deployment_loader *load,
                          const struct tree *map, struct given *sizes);

/* ---- groups (deployment_groups.c) --------------------------------------- */

/* Reads node_groups, NULL counting as empty. */
int deployment_read_groups(struct deployment_loader *load,
                           const struct tree *list);

/* Makes the one group of a request that says how large its world is. */
int deployment_read_world(struct deployment_loader *load);

#endif
