/* SPDX-License-Identifier: Apache-2.0 */
/* Documents of the command line, each with the text it was written in. */
#ifndef SERRIED_CLIENT_PIECES_H
#define SERRIED_CLIENT_PIECES_H

#include "client/command.h"
#include "client/libserry/serry.h"

struct piece {
    const struct tree *tree;
    enum document_kind kind;
    struct serry_document document; /* its own text, file and first line */
    const struct tree *not_read;    /* of an import: list of what was not; or
                                       NULL */
};

struct pieces {
    struct piece *items;
    size_t n;
};

/* Whether there is a file: behind -f, or named without it, as a shell leaves
 * them of -f *.yaml. Returns EXIT_OK, or EXIT_USAGE after saying so. */
int pieces_named(const struct invocation *v);

/* Reads the files behind -f, then those named without it, in v->arena.
 *   STATUS_UNKNOWN_NAME  there is no such file
 *   STATUS_INVALID       one cannot be read, or is of no known kind
 *   STATUS_EXHAUSTED     the arena is full */
int pieces_read(struct invocation *v, struct pieces *ret, struct error *err);

/* What a deployment will be called: its name, else its model's; NULL: neither
 * is there. */
const char *piece_name(const struct tree *deployment);

#endif
