/* SPDX-License-Identifier: Apache-2.0 */
/* The proof that a worker has the same groups as everybody else. */
#include "daemon/proof.h"

#include <stdlib.h>
#include <string.h>

#include "daemon/aside.h"
#include "daemon/daemon.h"

int proof_check(const struct live *live,
                const Serried__V1__JoinRequest *request, bool *ret_holds,
                struct error *err)
{
    if (!request->has_digest || request->digest.len != DIGEST_BYTES)
        return error_set(err, STATUS_INVALID,
                         "the request has no digest of %d bytes: a worker "
                         "proves that it made the same groups",
                         DIGEST_BYTES);
    *ret_holds =
        memcmp(request->digest.data, live->common.digest, DIGEST_BYTES) == 0;
    return 0;
}

/* ---- in another thread --------------------------------------------------- */

/* All that run() looks at is in its arena: copies of what belongs to the
 * placement and to the call, at most 512 KiB and a message. */
struct comparing {
    struct arena *arena;
    struct proof_question question;
    struct proof_answer answer;
    proof_told_fn *told;
    void *arg;
};

static void run(void *arg)
{
    struct comparing *c = arg;

    proof_name(&c->question, c->arena, &c->answer);
}

static void comparing_free(struct comparing *c)
{
    arena_free(c->arena);
    free(c);
}

static void done(struct daemon *daemon, struct call *call, void *arg)
{
    struct comparing *c = arg;

    (void)daemon;
    if (call != NULL)
        c->told(call, c->arg, &c->answer);
    comparing_free(c);
}

static const void *copy(struct arena *arena, const void *bytes, size_t len)
{
    void *to = arena_room(arena, len);

    if (to != NULL)
        memcpy(to, bytes, len);
    return to;
}

static struct comparing *comparing_new(struct call *call,
                                       const struct proof_question *from,
                                       struct error *err)
{
    struct comparing *c = calloc(1, sizeof(*c));
    struct proof_question *to;

    error_exhausted(err);
    if (c == NULL)
        return NULL;
    to = &c->question;
    *to = *from;
    c->arena =
        arena_new((size_t)daemon_settings(call_daemon(call))->call_bytes);
    if (c->arena != NULL) {
        to->placement = arena_strdup(c->arena, from->placement);
        to->common = copy(c->arena, from->common, from->common_len);
        to->request = copy(c->arena, from->request, from->request_len);
        if (!arena_failed(c->arena))
            return c;
    }
    comparing_free(c);
    return NULL;
}

static int compare_elsewhere(struct call *call,
                             const struct proof_question *question,
                             proof_told_fn *told, void *arg, struct error *err)
{
    struct comparing *c = comparing_new(call, question, err);

    if (c == NULL)
        return -1;
    c->told = told;
    c->arg = arg;
    if (aside(call, ASIDE_PROOF, run, done, c, err) == 0)
        return 0;
    comparing_free(c);
    return -1;
}

/* ---- either way ---------------------------------------------------------- */

void proof_differs(struct call *call, const struct live *live,
                   proof_told_fn *told, void *arg)
{
    struct proof_question question = { .placement = live->name,
                                       .common = live->common.packed,
                                       .common_len = live->common.len };
    struct proof_answer answer = { 0 };
    struct error why;

    question.request = call_request(call, &question.request_len);
    if (live->common.n_ranks <= PROOF_RANKS_HERE) {
        proof_name(&question, call_arena(call), &answer);
    } else {
        if (compare_elsewhere(call, &question, told, arg, &why) == 0)
            return;
        error_set(&answer.err, STATUS_REFUSED,
                  "DIGEST_DIFFERS: this worker's groups are not those of %s; "
                  "which is not said: %s",
                  live->name, why.text);
    }
    told(call, arg, &answer);
}
