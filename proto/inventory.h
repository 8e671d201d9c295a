/* SPDX-License-Identifier: Apache-2.0 */
/* Clusters out of what other programs write about machines: lists of hosts,
 * schedulers' node records, the tools of device vendors. */
#ifndef SERRIED_PROTO_INVENTORY_H
#define SERRIED_PROTO_INVENTORY_H

#include <stddef.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/tree.h"

enum { INVENTORY_WARNINGS_MAX = 64 };

/* One text as it was saved. */
struct inventory_source {
    const char *name; /* of the file, for messages; may be NULL */
    const char *text;
    size_t len;
    const char *host;      /* whose devices these are; NULL: as the text says */
    const char *host_else; /* where it does not say; NULL: "localhost" */
};

/* What was read, in the maker's arena. */
struct inventory {
    struct tree *document; /* a cluster (docs/cluster.md); NULL: refused */
    struct tree *reading;  /* map: all that the text says, in its own terms;
                              after a failure what was read before it */
    struct tree *warnings; /* list of sentences */
    const char *order; /* of a list of hosts: whether it was kept; or NULL */
};

/* Reads one text. On failure ret->document is NULL.
 *   STATUS_INVALID    not of this format, or it does not say which hosts there
 *                     are; with the line
 *   STATUS_EXHAUSTED  a bound, the arena is full */
typedef int inventory_fn(const struct inventory_source *source,
                         struct tree_maker *maker, struct inventory *ret,
                         struct error *err);

/* What the user can name: some read several formats, told apart by the text. */
struct inventory_format {
    const char *name;
    inventory_fn *read;
    const char *help;
};

extern const struct inventory_format inventory_formats[];
extern const size_t inventory_n_formats;

/* The row of this name, or NULL. */
const struct inventory_format *inventory_named(const char *name);

/* Unites clusters: hosts by name in the order they are first met, their devices
 * by index, each key from the first that has it.
 *   STATUS_INVALID    two say different things about one host or device
 *   STATUS_EXHAUSTED  the arena is full */
int inventory_merge(const struct tree *const *documents, size_t n,
                    struct tree_maker *maker, struct tree **ret,
                    struct error *err);

/* The single formats. */
inventory_fn inventory_hostfile;       /* host, host slots=N, host:N */
inventory_fn inventory_rankfile;       /* rank N=host slot=... */
inventory_fn inventory_nodelist;       /* node[01-04],login */
inventory_fn inventory_slurm_nodes;    /* scontrol show node, -o too */
inventory_fn inventory_slurm_switches; /* topology.conf: tree, block */
inventory_fn inventory_nvidia_topo;    /* nvidia-smi topo -m */
inventory_fn inventory_nvidia_query;   /* nvidia-smi --query-gpu --format=csv */
inventory_fn inventory_rocm_topo;      /* rocm-smi --showtopo */
inventory_fn inventory_flux;           /* flux R */
inventory_fn inventory_hwloc;          /* lstopo --of xml */

#endif
