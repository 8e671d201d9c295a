/* SPDX-License-Identifier: Apache-2.0 */
/* The pictures of an accepted request. */
#ifndef SERRIED_CLIENT_PICTURES_H
#define SERRIED_CLIENT_PICTURES_H

#include "client/picture.h"
#include "client/shares.h"
#include "proto/answer.h"

struct pictures {
    struct picture *items;
    struct shares *shares; /* behind them; filled by pictures_share() */
    const struct scope **scopes;
    size_t n;
};

/* Makes a picture of the views of every node group of several ranks, or of the
 * world. Lives in arena and in the check's.
 *   lists  shown, in this order: each in its view; n_lists 0: of every view
 *          its axes above 1, innermost first
 *   STATUS_UNKNOWN_NAME  a list is not known to the runtime
 *   STATUS_EXHAUSTED     no memory */
int pictures_make(struct check *check, const char *const *lists, size_t n_lists,
                  struct arena *arena, struct pictures *ret, struct error *err);

/* Adds to the table of ranks what each rank holds. */
void pictures_share(struct pictures *pictures, struct check *check);

/* Draws them for a terminal. */
void pictures_draw(struct output *out, int indent,
                   const struct pictures *pictures, struct arena *arena);

/* "a 2, b 4": the sizes above 1 by the names users type. */
void pictures_sizes(const struct check *check, const struct scope *scope,
                    struct text *out);

#endif
