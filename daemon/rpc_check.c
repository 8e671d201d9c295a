/* SPDX-License-Identifier: Apache-2.0 */
/* Placement.Check: what a deployment would mean, without taking anything. */
#include <stdlib.h>
#include <string.h>

#include "daemon/bind.h"
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
    if (findings == NULL)
        return 0;
    if (document_read_json(maker->arena, NULL, findings, strlen(findings),
                           &verdict, err) < 0)
        return -1;
    t = tree_get(tree_first(tree_get(verdict, "findings")), "code");
    if (t != NULL)
        make_copy(maker, refused, "code", t);
    t = tree_first(tree_get(verdict, "binding"));
    for (; t != NULL; t = t->next)
        make_copy(maker, binding, t->key, t);
    return 0;
}

/* Adds on which devices the deployment would be placed now. */
static int check_devices(struct call *call,
                         const Serried__V1__CheckRequest *request,
                         struct answer *answer, struct error *err)
{
    struct state *state = daemon_state(call_daemon(call));
    struct tree_maker maker = { .arena = call_arena(call) };
    char *findings = NULL;
    struct error why;
    struct live *live = place_decide(call, request->document, &findings, err);
    int rc = 0;

    if (live == NULL) {
        free(findings);
        return -1;
    }
    if (bind_plan(state, live, state_live(state, live->name, NULL),
                  request->evict, &findings, &why) == 0)
        bind_verdict(state_inventory(state), live, &maker, answer->tree);
    else
        rc = write_refused(findings, &why, &maker, answer->tree, err);
    free(findings);
    live_free(state_declared(state), live);
    if (rc == 0 && maker.failed)
        rc = error_exhausted(err);
    return rc;
}

void rpc_check(Serried__V1__Placement_Service *service,
               const Serried__V1__CheckRequest *request,
               Serried__V1__CheckReply_Closure reply, void *closure_data)
{
    struct call *call = closure_data;
    Serried__V1__CheckReply out = SERRIED__V1__CHECK_REPLY__INIT;
    struct text json = { 0 };
    struct answer answer;
    struct error err;

    (void)service;
    (void)reply;
    if (check_document(call, request, &answer, &err) < 0 ||
        (request->bind && answer.accepts &&
         check_devices(call, request, &answer, &err) < 0)) {
        call_refuse(call, &err, NULL);
        return;
    }
    if (document_write_json(answer.tree, false, &json) < 0) {
        error_exhausted(&err);
        call_refuse(call, &err, NULL);
    } else {
        out.verdict_json = json.data;
        out.has_accepts = out.has_unchecked = true;
        out.accepts = answer.accepts;
        out.unchecked = answer.unchecked;
        call_reply(call, &out.base);
    }
    text_close(&json);
}
