/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of serry doctor share. */
#ifndef SERRIED_CLIENT_DOCTOR_H
#define SERRIED_CLIENT_DOCTOR_H

#include "client/live.h"

/* Whether a call failed for want of a daemon that may be asked: then the report
 * is on that. */
bool doctor_is_away(const struct live *live);

/* The report on a daemon that did not answer: what was tried, what came of it,
 * and the next step. Tries the address once more, for at most 2 seconds.
 * *ret_status: what to exit by. */
struct tree *doctor_away(struct live *live, struct tree_maker *maker,
                         enum status *ret_status);

#endif
