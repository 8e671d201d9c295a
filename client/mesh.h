/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of serry mesh share. */
#ifndef SERRIED_CLIENT_MESH_H
#define SERRIED_CLIENT_MESH_H

#include "client/command.h"
#include "placement/view.h"
#include "proto/catalog.h"

enum { GROUPS_MAX = 256 }; /* behind --groups */

/* What was asked for, and what is made on the way to the answer. */
struct mesh {
    struct invocation *v;
    struct tree_maker maker;
    const char *lists[GROUPS_MAX];
    size_t n_lists;
    /* --axes */
    const char *names[VIEW_AXES_MAX];
    int64_t sizes[VIEW_AXES_MAX];
    int n_axes;
    /* --runtime */
    const struct runtime *rt;
    struct catalog *catalog;
    struct tree *set_sizes, *set_options;
    int64_t world;
};

/* mesh_axes.c: answers for bare axes. */
int mesh_axes(struct mesh *mesh, struct error *err);

#endif
