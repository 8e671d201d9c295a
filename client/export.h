/* SPDX-License-Identifier: Apache-2.0 */
/* What the formats of serry export are made of. */
#ifndef SERRIED_CLIENT_EXPORT_H
#define SERRIED_CLIENT_EXPORT_H

#include "client/command.h"
#include "placement/deployment.h"
#include "proto/catalog.h"
#include "proto/seating.h"

struct export_hosts;

/* An accepted request, checked here or in force at a daemon. Lives in the
 * invocation's arena and the catalog it was loaded with. */
struct exported {
    struct invocation *v;
    const char *name;            /* of the deployment; "": it has none */
    const char *generation;      /* in force; NULL: it was only checked */
    const struct runtime *rt;    /* as it is declared now */
    const char *runtime_version; /* that it was judged under; "": none */
    const char *model;           /* "": none */
    const struct tree *document; /* the request */
    const char *text;            /* as it was written */
    const struct tree *verdict;  /* with views, lists, per_rank, creation */
    bool *present;               /* by rank */
    uint32_t n_ranks;            /* the highest one + 1 */
    uint32_t master_port;        /* leased where rank 0 is; 0: none */
    struct export_hosts *given;  /* by export_hosts(), once it was asked */
};

/* ---- hosts (export_hosts.c) -----------------------------------------------
 */

enum { EXPORT_HOSTS_MAX = 1 << 16 };

struct export_host {
    const char *name;     /* letters, digits, . - _ */
    uint32_t slots;       /* ranks that it takes */
    uint32_t first, used; /* the ranks that it got: first.. first + used - 1 */
    uint32_t slot;        /* the number of the first among the host's ranks */
};

struct export_hosts {
    struct export_host *items;
    size_t n, n_used;  /* all; those that got a rank, which come first */
    const char *again; /* a host that stands twice, as other ranks lie between
                          its own; NULL: none */
};

/* Reads --hosts and --gpus-per-node and gives the ranks out, host after host;
 * without --hosts, they are where the placement has them.
 *   STATUS_INVALID       ranks are not 0 to N-1; a host's name; no --hosts, and
 *                        it is bound to none; how many ranks a host takes is
 *                        not said
 *   STATUS_UNKNOWN_NAME  there is no such file
 *   STATUS_EXHAUSTED     they do not fit, or no memory */
int export_hosts(const struct exported *e, struct export_hosts *ret,
                 struct error *err);

/* Reads what was written of ranks on hosts, as the program does that it is for,
 * and compares it with what was given (export_reread.c). STATUS_INTERNAL: it
 * says something else. */
int export_reread(const struct exported *e, seating_fn *read, const char *text,
                  size_t len, struct error *err);

/* Whether a name can stand in other programs' files and commands as it is. */
bool export_is_name(const char *name);

/* The hosts of a placement by the ranks that each has (export_bound.c). */
int export_bound(const struct exported *e, struct export_hosts *hosts,
                 struct error *err);

/* ---- formats ---------------------------------------------------------------
 *
 * Each writes to e->v->out. */

typedef int export_fn(const struct exported *e, struct error *err);

export_fn export_hostfile, export_rankfile, export_torchrun; /* of launchers */
export_fn export_slurm_hostfile, export_ray;                 /* of schedulers */
export_fn export_flags; /* the framework's own, by its declaration */

#endif
