/* SPDX-License-Identifier: Apache-2.0 */
/* Placement.Check: what a deployment would mean, without taking anything. */
#include <stdlib.h>
#include <string.h>

#include "daemon/aside.h"
#include "daemon/bind.h"
#include "daemon/bind_evict.h"
#include "daemon/daemon.h"
#include "daemon/handlers.h"
#include "daemon/place_decide.h"
#include "daemon/reply.h"
#include "proto/document.h"

static int check_document(struct call *call,
                          const Serried__V1__CheckRequest *request,
                          struct answer *ret, struct error *err)
{
    struct catalog *catalog = state_catalog(daemon_state(call_daemon(call)));
    const struct verdict_wants wants = {
        .lists = (const char *const *)request->lists,
        .n_lists = request->n_lists,
        .all_lists = request->all_lists,
        .views = request->views,
        .per_rank = request->per_rank,
        .creation = request->creation,
        .assignment = request->has_rank,
        .rank = request->rank,
        .up_to = request->up_to,
    };
    const struct tree *document =
        reply_read_document(call, request->document, err);

    if (document == NULL)
        return -1;
    if (request->bind && request->up_to != NULL)
        return error_set(err, STATUS_INVALID,
                         "devices are given to what all layers accept: ask for "
                         "bind or for up_to");
    return answer_check(catalog, document, &wants, call_arena(call), NULL, ret,
                        err);
}

/* ---- devices ------------------------------------------------------------- */

/* Says why there are no devices, by the verdict of a refusal. */
static int write_refused(const char *findings, const struct error *why,
                         struct tree_maker *maker, struct tree *map,
                         struct error *err)
{
    struct tree *binding = make_map(maker, map, "binding"), *refused, *verdict;
    const struct tree *t;

    refused = make_map(maker, binding, "refused");
    make_string(maker, refused, "reason", why->text);
    if (document_read_json(maker->arena, NULL, findings, strlen(findings),
                           &verdict, err) < 0)
        return -1;
    t = tree_get(tree_first(tree_get(verdict, "findings")), "code");
    if (t != NULL)
        make_copy(maker, refused, "code", t);
    t = tree_get(tree_first(tree_get(verdict, "findings")), "fixes");
    if (t != NULL)
        make_copy(maker, refused, "fixes", t);
    t = tree_first(tree_get(verdict, "binding"));
    for (; t != NULL; t = t->next)
        make_copy(maker, binding, t->key, t);
    return 0;
}

/* Adds on which devices the deployment would be placed now, or why on none. */
static int write_devices(struct call *call, const struct live *live, bool bound,
                         const char *findings, const struct error *why,
                         struct answer *answer, struct error *err)
{
    struct state *state = daemon_state(call_daemon(call));
    struct tree_maker maker = { .arena = call_arena(call) };
    int rc = 0;

    if (bound)
        bind_verdict(state_inventory(state), live, &maker, answer->tree);
    else
        rc = write_refused(findings, why, &maker, answer->tree, err);
    return rc == 0 && maker.failed ? error_exhausted(err) : rc;
}

static void answer_call(struct call *call, const struct answer *answer)
{
    Serried__V1__CheckReply out = SERRIED__V1__CHECK_REPLY__INIT;
    struct text json = { 0 };
    struct error err;

    if (document_write_json(answer->tree, false, &json) < 0) {
        error_exhausted(&err);
        call_refuse(call, &err, NULL);
    } else {
        out.verdict_json = json.data;
        out.has_accepts = out.has_unchecked = true;
        out.accepts = answer->accepts;
        out.unchecked = answer->unchecked;
        call_reply(call, &out.base);
    }
    text_close(&json);
}

/* ---- whom to release ----------------------------------------------------- */

struct searching {
    struct live *live;
    struct eviction *search; /* borrows from it */
    struct error why;        /* there are no devices */
    struct answer answer;    /* the call's */
};

static void run_search(void *arg)
{
    eviction_find(((struct searching *)arg)->search);
}

static void searched(struct daemon *daemon, struct call *call, void *arg)
{
    struct searching *s = arg;
    char *findings = NULL;
    struct error err;
    int rc = eviction_end(s->search, &findings, &err);

    if (call != NULL && rc == 0)
        rc = write_devices(call, s->live, false, findings, &s->why, &s->answer,
                           &err);
    if (call != NULL && rc == 0)
        answer_call(call, &s->answer);
    else if (call != NULL)
        call_refuse(call, &err, NULL);
    free(findings);
    live_free(state_declared(daemon_state(daemon)), s->live);
    free(s);
}

/* Takes live and the search, whatever becomes of it. */
static int search_elsewhere(struct call *call, struct live *live,
                            struct eviction *search, const struct error *why,
                            const struct answer *answer, struct error *err)
{
    struct declared_set *declared =
        state_declared(daemon_state(call_daemon(call)));
    struct searching *s = calloc(1, sizeof(*s));
    char *findings = NULL;
    struct error unsearched;

    if (s != NULL) {
        *s = (struct searching){ live, search, *why, *answer };
        if (aside(call, ASIDE_SEARCH, run_search, searched, s, err) == 0)
            return 0;
    } else {
        error_exhausted(err);
    }
    eviction_end(search, &findings, &unsearched);
    live_free(declared, live);
    free(s);
    return -1;
}

/* ---- the answer ---------------------------------------------------------- */

/* *ret_later: another thread searches, and the call is answered then. */
static int check_devices(struct call *call,
                         const Serried__V1__CheckRequest *request,
                         struct answer *answer, bool *ret_later,
                         struct error *err)
{
    struct state *state = daemon_state(call_daemon(call));
    struct eviction *search = NULL;
    const struct live *before;
    char *findings = NULL;
    struct error why;
    struct live *live = place_decide(call, request->document, &findings, err);
    int rc;

    if (live == NULL) {
        free(findings);
        return -1;
    }
    before = state_live(state, live->name, NULL);
    rc = request->evict
             ? bind_search(state, live, before, &search, &findings, &why)
             : bind_live(state, live, before, &findings, &why);
    *ret_later = search != NULL;
    if (search != NULL)
        return search_elsewhere(call, live, search, &why, answer, err);
    if (rc < 0 && findings == NULL)
        *err = why; /* not for want of devices: placing would fail too */
    else
        rc = write_devices(call, live, rc == 0, findings, &why, answer, err);
    free(findings);
    live_free(state_declared(state), live);
    return rc;
}

void rpc_check(Serried__V1__Placement_Service *service,
               const Serried__V1__CheckRequest *request,
               Serried__V1__CheckReply_Closure reply, void *closure_data)
{
    struct call *call = closure_data;
    struct answer answer;
    struct error err;
    bool later = false;

    (void)service;
    (void)reply;
    if (check_document(call, request, &answer, &err) < 0 ||
        (request->bind && answer.accepts &&
         check_devices(call, request, &answer, &later, &err) < 0))
        call_refuse(call, &err, NULL);
    else if (!later)
        answer_call(call, &answer);
}
