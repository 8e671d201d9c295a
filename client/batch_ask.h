/* SPDX-License-Identifier: Apache-2.0 */
/* A line of a batch, answered by a daemon. */
#ifndef SERRIED_CLIENT_BATCH_ASK_H
#define SERRIED_CLIENT_BATCH_ASK_H

#include "client/live.h"

/* Answers a line as answer_line() does: by the daemon where it asks for nothing
 * but a check of a deployment, else here.
 *   catalog  to answer with here
 *   STATUS_UNAVAILABLE, STATUS_DEADLINE  no use in going on
 *   others as answer_line() */
int batch_ask(struct live *live, struct catalog *catalog, const char *line,
              size_t len, struct text *out, enum status *ret_status,
              struct error *err);

#endif
