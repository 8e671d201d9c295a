/* SPDX-License-Identifier: Apache-2.0 */
/* What a code means, for people. */
#ifndef SERRIED_CLIENT_EXPLAIN_H
#define SERRIED_CLIENT_EXPLAIN_H

#include "client/output.h"

/* The text of a member; "" where there is none. */
const char *explain_text(const struct tree *map, const char *key);

/* Prints the document that `serry explain` makes. */
void explain_print(struct output *out, const struct tree *map);

/* Puts some codes that hold a word, which is no code itself: "; codes with it
 * are a, b". Nothing, where none does. */
void explain_similar(const char *word, const char *const *codes, size_t n,
                     struct text *out);

#endif
