/* SPDX-License-Identifier: Apache-2.0 */
/* From a request's document to a placement that is decided. */
#include "daemon/place_decide.h"

#include <string.h>

#include "daemon/daemon.h"

/* The declarations a deployment is decided on. *ret_model is NULL where it
 * names no model. */
static int find_declarations(struct call *call, const struct tree *document,
                             struct declared **ret_runtime,
                             struct declared **ret_model, struct error *err)
{
    struct state *state = daemon_state(call_daemon(call));
    const char *model = deployment_model_name(document);
    const char *runtime = deployment_runtime_name(document);
    const struct force *force;

    *ret_model = NULL;
    if (model != NULL) {
        force = state_force(state, DOCUMENT_MODEL, model, err);
        if (force == NULL)
            return -1;
        *ret_model = force->declared;
        if (runtime == NULL)
            runtime = ((const struct model *)force->declared->loaded)->runtime;
    }
    if (runtime == NULL)
        return tree_error(document, err, STATUS_INVALID,
                          "the key runtime is missing, and the model names "
                          "none");
    force = state_force(state, DOCUMENT_RUNTIME, runtime, err);
    if (force == NULL)
        return -1;
    *ret_runtime = force->declared;
    return 0;
}

/* A model or runtime is applied, not placed. */
static int check_kind(const struct tree *document, struct error *err)
{
    enum document_kind kind;
    struct error ignored;

    if (document_kind(document, &kind, &ignored) == 0 &&
        (kind == DOCUMENT_MODEL || kind == DOCUMENT_RUNTIME))
        return tree_error(document, err, STATUS_INVALID,
                          "this document declares a %s; apply it instead",
                          declared_kind_name(kind));
    return 0;
}

struct live *place_load(struct call *call,
                        const Serried__V1__Document *document,
                        struct error *err)
{
    struct daemon *daemon = call_daemon(call);
    struct live_request request = { .who = call_who(call),
                                    .time_ms = daemon_now_ms(daemon) };

    if (document == NULL || document->text == NULL) {
        error_set(err, STATUS_INVALID, "the request has no document");
        return NULL;
    }
    request.document = document->text;
    request.document_len = strlen(document->text);
    request.source = document->source;
    request.line = document->line;
    if (live_read(&request, (size_t)daemon_settings(daemon)->call_bytes, err) <
        0)
        return NULL;
    if (check_kind(request.tree, err) == 0 &&
        find_declarations(call, request.tree, &request.runtime, &request.model,
                          err) == 0)
        return live_load(state_declared(daemon_state(daemon)), &request, err);
    arena_free(request.arena);
    return NULL;
}

struct live *place_decide(struct call *call,
                          const Serried__V1__Document *document,
                          char **ret_findings, struct error *err)
{
    struct live *live = place_load(call, document, err);

    *ret_findings = NULL;
    if (live == NULL || live_judge(live, ret_findings, err) == 0)
        return live;
    live_free(state_declared(daemon_state(call_daemon(call))), live);
    return NULL;
}
