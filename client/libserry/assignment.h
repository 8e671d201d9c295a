/* SPDX-License-Identifier: Apache-2.0 */
/* An assignment behind its accessors. */
#ifndef SERRIED_CLIENT_ASSIGNMENT_H
#define SERRIED_CLIENT_ASSIGNMENT_H

#include "client/libserry/result.h"
#include "proto/expand.h"

/* Immutable. All in one arena, which serry_free() frees. */
struct serry_assignment {
    const Serried__V1__Assignment *message;
    const void *bytes; /* the message as it came */
    size_t len;
    struct expansion expansion;
    const struct serry_node *const *nodes;
    size_t n_nodes;
    const struct serry_binding *binding; /* NULL: none */
    const struct serry_port *ports;
};

/* Checks and converts the nodes of a message, in arena, into nodes of a.
 *   STATUS_INVALID    a number out of its bounds; a name is missing
 *   STATUS_EXHAUSTED  the arena is full */
int assignment_read_nodes(struct arena *arena, struct serry_assignment *a,
                          struct error *err);

/* The same for the binding, if there is one. */
int assignment_read_binding(struct arena *arena, struct serry_assignment *a,
                            struct error *err);

/* Checks and converts ports, in arena. NULL:
 *   STATUS_INVALID    a number that is no port, a purpose or word is missing
 *   STATUS_EXHAUSTED  the arena is full */
const struct serry_port *ports_read(struct arena *arena,
                                    Serried__V1__Port *const *from, size_t n,
                                    struct error *err);

#endif
