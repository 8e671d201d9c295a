/* SPDX-License-Identifier: Apache-2.0 */
/* An answer as an SVG document. */
#ifndef SERRIED_CLIENT_DRAWN_H
#define SERRIED_CLIENT_DRAWN_H

#include "client/command.h"
#include "proto/answer.h"

/* Writes the pictures of an accepted request to v->out. Of a refused one there
 * are none: its first finding is complained of, and *ret_exit is EXIT_REFUSED.
 *   name   of the deployment; NULL: it has none worth telling
 *   lists  as pictures_make(), whose errors it has */
int drawn_answer(struct invocation *v, const char *name,
                 const struct answer *answer, const char *const *lists,
                 size_t n_lists, int *ret_exit, struct error *err);

#endif
