/* SPDX-License-Identifier: Apache-2.0 */
/* A verdict as a person reads it. */
#ifndef SERRIED_CLIENT_REPORT_H
#define SERRIED_CLIENT_REPORT_H

#include "client/output.h"
#include "proto/answer.h"

/* Prints the verdict on one deployment: a headline with the dominant reason,
 * the findings with what would run instead, warnings, unchecked rules, then of
 * an accepted one its node groups, pictures, and what was asked for beside.
 *   name    of the deployment; may be NULL
 *   refuse  print it as refused: the answer's verdict, or a strict reader's
 *   arena   for texts while printing */
void report_print(struct output *out, const char *name,
                  const struct answer *answer, bool refuse,
                  struct arena *arena);

/* What users type for an axis or option by its name; any other word is itself.
 */
const char *report_typed(const struct runtime *rt, const char *key);

/* Draws the views of an accepted request: of each group of several ranks, or of
 * the world. lists, errors: as pictures_make(). */
int report_pictures(struct output *out, const struct answer *answer,
                    const char *const *lists, size_t n_lists,
                    struct arena *arena, struct error *err);

/* Prints the warnings and unchecked rules of a verdict. */
void report_doubts(struct output *out, const struct tree *verdict);

/* Prints the derived sizes of a verdict on one line, if there are any. */
void report_derived(struct output *out, const struct tree *verdict);

/* Prints the lists, values by rank and creation sequence that a verdict holds
 * because they were asked for. */
void report_wanted(struct output *out, const struct tree *verdict);

/* Prints what one rank would get, the `assignment` of a verdict. */
void report_rank(struct output *out, const struct tree *assignment);

/* Prints group lists, {"name": [[0, 1], ...]}. */
void report_lists(struct output *out, const struct tree *lists);

#endif
