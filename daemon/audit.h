/* SPDX-License-Identifier: Apache-2.0 */
/* Looks now and then whether what must always hold does. */
#ifndef SERRIED_DAEMON_AUDIT_H
#define SERRIED_DAEMON_AUDIT_H

#include "daemon/state.h"

struct audit;

/* Runs every audit_ms. NULL: STATUS_EXHAUSTED, no memory. */
struct audit *audit_new(struct daemon *daemon, struct state *state,
                        struct error *err);

/* Its memory goes when the loop has closed its timer. NULL is allowed. */
void audit_close(struct audit *audit);

/* Looks now: no device is bound to two placements unless both share it, none
 * is bound twice within one, and every one that is bound is declared. What does
 * not hold is an error in the log, and an event when it was found first. */
void audit_run(struct audit *audit);

/* What the last look found; "": nothing. */
const char *audit_faults(const struct audit *audit);

#endif
