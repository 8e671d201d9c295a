/* SPDX-License-Identifier: Apache-2.0 */
/* The proof that a worker has the same groups as everybody else. */
#ifndef SERRIED_DAEMON_PROOF_H
#define SERRIED_DAEMON_PROOF_H

#include "daemon/call.h"
#include "daemon/live.h"
#include "daemon/proof_name.h"

enum {
    /* Naming what differs takes up to 20 ns a rank: so many hold the loop for a
     * third of a millisecond. */
    PROOF_RANKS_HERE = 1 << 14,
};

/* Compares the digest that a worker computed from its own expansion with the
 * placement's.
 *   STATUS_INVALID  there is no digest of 32 bytes */
int proof_check(const struct live *live,
                const Serried__V1__JoinRequest *request, bool *ret_holds,
                struct error *err);

/* arg: as given. */
typedef void proof_told_fn(struct call *call, void *arg,
                           const struct proof_answer *answer);

/* Finds what differs, in another thread where the placement is large, and tells
 * told(), at once or later; never, where the call ended before. The placement
 * may be another one then. */
void proof_differs(struct call *call, const struct live *live,
                   proof_told_fn *told, void *arg);

#endif
