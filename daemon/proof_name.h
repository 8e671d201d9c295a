/* SPDX-License-Identifier: Apache-2.0 */
/* Which groups of a worker are not those of its placement. */
#ifndef SERRIED_DAEMON_PROOF_NAME_H
#define SERRIED_DAEMON_PROOF_NAME_H

#include "base/arena.h"
#include "proto/span.h"

/* What is compared, all of it packed. */
struct proof_question {
    const char *placement;
    const void *common; /* struct assignment_common */
    size_t common_len;
    const void *request; /* JoinRequest */
    size_t request_len;
};

/* What the worker is told. */
struct proof_answer {
    struct error err;   /* status and sentence, always */
    const char *detail; /* SPAN_SAY, SPAN_GROUP; NULL: nothing of groups */
    bool whole_list;    /* SPAN_SAY of all groups of span.list */
    struct span span;
    /* The worker has said groups, so that it will say those asked for too: this
     * sentence is not the last. */
    bool more;
};

/* Names what differs, where the digests of all do. Works in arena, on any
 * thread. Statuses:
 *   STATUS_REFUSED    DIGEST_DIFFERS: names the first list whose groups are not
 *                     the same, and in it the first group or the part that it
 *                     is in, where the worker said digests of them, else this
 *                     rank's group; or the sequence
 *   STATUS_INVALID    the groups that the worker speaks of cannot be
 *   STATUS_EXHAUSTED  the arena is full */
void proof_name(const struct proof_question *question, struct arena *arena,
                struct proof_answer *ret);

#endif
