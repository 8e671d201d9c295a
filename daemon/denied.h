/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that access refuses: all are told, and no flood fills the journal. */
#ifndef SERRIED_DAEMON_DENIED_H
#define SERRIED_DAEMON_DENIED_H

#include "daemon/daemon.h"

enum {
    DENIED_WINDOW_MS = 10000,
    DENIED_AT_ONCE_MAX =
        5,               /* events of a window that do not wait for its end */
    DENIED_ROWS_MAX = 8, /* of the others, how many kinds are told apart */
};

struct denied;

/* NULL: STATUS_EXHAUSTED, no memory. */
struct denied *denied_new(struct daemon *daemon, struct error *err);

/* Its memory goes when the loop has closed its timer. NULL is allowed. */
void denied_close(struct denied *denied);

/* One call was refused. Each is in an event: the first ones of a window have
 * one of their own at once; those beyond are counted by caller, method and
 * reason, and each count is one event when the window ends. Kinds that have no
 * row are counted together. A crash forgets what was only counted. */
void denied_add(struct denied *denied, const char *who, const char *method,
                const char *why);

/* Ends the window now, while the store still takes events. NULL is allowed. */
void denied_tell(struct denied *denied);

#endif
