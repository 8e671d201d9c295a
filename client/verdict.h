/* SPDX-License-Identifier: Apache-2.0 */
/* Verdicts on their way out, whoever judged: this program or a daemon. */
#ifndef SERRIED_CLIENT_VERDICT_H
#define SERRIED_CLIENT_VERDICT_H

#include "client/live.h"
#include "proto/answer.h"

/* Makes of a verdict that the daemon sent what a check made here would be. For
 * people the request is judged here too, with the daemon's declarations, for
 * what is drawn: where that gives the same verdict, ret->check is set.
 *   document  the request; NULL: nothing is judged here
 *   json      the daemon's verdict
 *   wants     what it was asked for beside; NULL: nothing
 *   arena     for all of ret
 *   STATUS_INTERNAL   json is no verdict
 *   STATUS_EXHAUSTED  the arena is full */
int verdict_take(struct live *live, const struct tree *document,
                 const char *json, const struct verdict_wants *wants,
                 struct arena *arena, struct answer *ret, struct error *err);

/* Prints a verdict in the format asked for.
 *   name    of the deployment, for people; may be NULL
 *   refuse  print it as refused, whatever it says */
int verdict_show(struct output *out, const char *name,
                 const struct answer *answer, bool refuse, struct arena *arena,
                 struct error *err);

/* Complains of the first finding of a refused request: "WHAT: code: reason". */
void verdict_complain(const struct answer *answer, const char *what);

#endif
