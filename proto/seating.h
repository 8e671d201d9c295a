/* SPDX-License-Identifier: Apache-2.0 */
/* Which host each rank is on, by what launchers and schedulers read. */
#ifndef SERRIED_PROTO_SEATING_H
#define SERRIED_PROTO_SEATING_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"

/* By rank, in an arena. */
struct seating {
    uint32_t n;
    const char **hosts;
    uint32_t *slots; /* numbers on the hosts; NULL: the format has none */
};

/* Reads a text as the program that it is for does, strictly: all that is not
 * known is refused, so that nothing of it can mean something else there. */
typedef int seating_fn(struct arena *arena, char *text, struct seating *seats,
                       struct error *err);

seating_fn seating_hostfile;       /* HOST slots=N */
seating_fn seating_rankfile;       /* rank I=HOST slot=J */
seating_fn seating_torchrun;       /* # on HOST: ..., torchrun ... */
seating_fn seating_slurm_hostfile; /* HOST, a line each rank */
seating_fn seating_ray;            /* {"bundles": [...], "hosts": [...]} */

/* Reads a text of one of these, which seats n ranks, 0 to n - 1.
 *   STATUS_INVALID    another format; a rank has two hosts or none
 *   STATUS_EXHAUSTED  the arena is full */
int seating_read(struct arena *arena, seating_fn *read, const char *text,
                 size_t len, uint32_t n, struct seating *ret,
                 struct error *err);

#endif
