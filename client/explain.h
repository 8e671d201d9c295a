/* SPDX-License-Identifier: Apache-2.0 */
/* What a code means, for people. */
#ifndef SERRIED_CLIENT_EXPLAIN_H
#define SERRIED_CLIENT_EXPLAIN_H

#include "client/output.h"

/* The text of a member; "" where there is none. */
const char *explain_text(const struct tree *map, const char *key);

/* Prints the document that `serry explain` makes. */
void explain_print(struct output *out, const struct tree *map);

#endif
