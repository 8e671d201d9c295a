/* SPDX-License-Identifier: Apache-2.0 */
/* The proof that a worker has the same groups as everybody else. */
#ifndef SERRIED_DAEMON_PROOF_H
#define SERRIED_DAEMON_PROOF_H

#include "daemon/live.h"

/* Compares the digests that a worker computed from its own expansion with the
 * placement's. Works in arena.
 *   STATUS_INVALID    there is no digest of 32 bytes
 *   STATUS_REFUSED    DIGEST_DIFFERS: names the first list whose groups are not
 *                     the same, and in it the first group that is not, where
 *                     the worker said digests of them, else this rank's group;
 *                     or the sequence
 *   STATUS_EXHAUSTED  the arena is full */
int proof_check(const struct live *live,
                const Serried__V1__JoinRequest *request, struct arena *arena,
                struct error *err);

#endif
