/* SPDX-License-Identifier: Apache-2.0 */
/* Examples behind the explanation of a code. */
#ifndef SERRIED_CLIENT_EXEMPLAR_H
#define SERRIED_CLIENT_EXEMPLAR_H

#include "client/command.h"
#include "placement/example.h"

/* The search in one runtime at a time. Start from { catalog, arena }. */
struct exemplar {
    struct catalog *catalog;
    struct arena *arena;
    const struct runtime *rt; /* NULL: none yet */
    struct example_search *search;
};

void exemplar_close(struct exemplar *x);

/* Puts a map "example" into map: `settings`, `facts`, `model`, `equation` of a
 * request in which that is found, and `instead`
 * (settings, null: left out) with `say` of one that is accepted. Nothing, where
 * none is found; `no_example`, why, where none can be looked for.
 *   STATUS_EXHAUSTED  no memory */
int exemplar_write(struct exemplar *x, const struct runtime *rt,
                   const struct example_sought *sought,
                   struct tree_maker *maker, struct tree *map,
                   struct error *err);

/* Prints the example of a map, if it has one.
 *   of  the runtime, where several are told apart; NULL */
void exemplar_print(struct output *out, const struct tree *map, const char *of);

#endif
