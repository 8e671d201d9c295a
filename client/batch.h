/* SPDX-License-Identifier: Apache-2.0 */
/* serry check --batch: a line in, a line out. */
#ifndef SERRIED_CLIENT_BATCH_H
#define SERRIED_CLIENT_BATCH_H

#include "client/live.h"

enum {
    BATCH_LINE_MAX = 8 << 20, /* bytes; a longer line is answered as an error */
};

/* Answers every line of the files behind -f (none: of standard input), also
 * after one that cannot be read. An answer is never kept back while waiting for
 * more input. Returns the exit code: EXIT_OK whatever the verdicts,
 * EXIT_MALFORMED when a line was answered with an error.
 *   live     whom to ask; NULL: nobody. What cannot be asked of a daemon (lines
 *            with declarations, bare axes) is answered here with its
 *            declarations
 *   catalog  to answer with; NULL: the daemon's */
int batch_run(struct invocation *invocation, struct live *live,
              struct catalog *catalog);

#endif
