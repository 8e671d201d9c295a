/* SPDX-License-Identifier: Apache-2.0 */
/* The models and runtimes in force. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "daemon/daemon.h"
#include "daemon/state_parts.h"
#include "proto/document.h"

static const char *force_key(enum document_kind kind, const char *name,
                             char *key, size_t size)
{
    snprintf(key, size, "%s %s", declared_kind_name(kind), name);
    return key;
}

/* Puts a held declaration in force; takes the hold over. */
static struct force *put_in_force(struct state *state,
                                  struct declared *declared, uint64_t rev)
{
    char key[STORE_NAME_BYTES + 16];
    struct force *force;

    force_key(declared->kind, declared->name, key, sizeof(key));
    force = index_find(&state->forces, key);
    if (force != NULL) {
        declared_drop(&state->declared, force->declared);
        force->declared = declared;
        force->rev = rev;
        return force;
    }
    force = calloc(1, sizeof(*force));
    if (force == NULL)
        return NULL;
    force->name = strdup(key);
    force->declared = declared;
    force->rev = rev;
    if (force->name != NULL && index_add(&state->forces, force) == 0)
        return force;
    free((char *)force->name);
    free(force);
    return NULL;
}

/* The text of a declaration that the catalog has without a declaration in the
 * store: shipped, or of the folder. To be freed by free(); NULL: no memory. */
static char *catalog_text(struct state *state, enum document_kind kind,
                          const char *name, const struct tree *document,
                          size_t *ret_len)
{
    const char *shipped = catalog_shipped(state->catalog, kind, name, ret_len);
    struct text json = { 0 };

    if (shipped != NULL)
        return strndup(shipped, *ret_len);
    if (document_write_json(document, false, &json) < 0) {
        text_close(&json);
        return NULL;
    }
    *ret_len = json.len;
    return json.data;
}

static const struct tree *catalog_document(struct state *state,
                                           enum document_kind kind,
                                           const char *name, struct error *err)
{
    const struct runtime *rt;
    const struct model *model;

    if (kind == DOCUMENT_RUNTIME) {
        rt = catalog_runtime(state->catalog, name, err);
        return rt != NULL ? rt->document : NULL;
    }
    model = catalog_model(state->catalog, name, err);
    return model != NULL ? model->document : NULL;
}

const struct force *state_force(struct state *state, enum document_kind kind,
                                const char *name, struct error *err)
{
    char key[STORE_NAME_BYTES + 16];
    const struct tree *document;
    struct declared *declared;
    struct force *force;
    size_t len = 0;
    char *text;

    force = index_find(&state->forces, force_key(kind, name, key, sizeof(key)));
    if (force != NULL)
        return force;
    document = catalog_document(state, kind, name, err);
    if (document == NULL)
        return NULL;
    text = catalog_text(state, kind, name, document, &len);
    if (text == NULL) {
        error_exhausted(err);
        return NULL;
    }
    declared = declared_hold(&state->declared, text, len, NULL, 1, err);
    free(text);
    if (declared == NULL)
        return NULL;
    force = put_in_force(state, declared, 0);
    if (force == NULL) {
        declared_drop(&state->declared, declared);
        error_exhausted(err);
    }
    return force;
}

size_t state_force_count(struct state *state, enum document_kind kind)
{
    size_t n;

    if (kind == DOCUMENT_RUNTIME)
        catalog_runtimes(state->catalog, &n);
    else
        catalog_models(state->catalog, &n);
    return n;
}

void state_follow_declaration(struct state *state,
                              const struct store_record *record)
{
    Serried__V1__DeclarationRecord *message =
        serried__v1__declaration_record__unpack(NULL, record->len,
                                                record->body);
    struct declared *declared = NULL;
    struct error err = { 0 };
    const char *text = message != NULL && message->document != NULL
                           ? message->document->text
                           : NULL;

    if (text != NULL)
        declared =
            declared_hold(&state->declared, text, strlen(text), NULL, 1, &err);
    if (message != NULL)
        serried__v1__declaration_record__free_unpacked(message, NULL);
    if (declared == NULL ||
        catalog_set(state->catalog, declared->kind, declared->name,
                    declared->loaded, &err) < 0 ||
        put_in_force(state, declared, record->rev) == NULL)
        log_line(daemon_log(state->daemon), LOG_LEVEL_ERROR,
                 "declaration unreadable kind=%s name=%s reason=%s",
                 store_kind_name(record->kind), record->id,
                 text != NULL ? err.text : "the record is not whole");
}

static void force_free(void *thing)
{
    struct force *force = thing;

    free((char *)force->name);
    free(force);
}

static void drop_force(void *thing, void *arg)
{
    struct state *state = arg;
    struct force *force = thing;

    catalog_set(state->catalog, force->declared->kind, force->declared->name,
                NULL, NULL);
    declared_drop(&state->declared, force->declared);
}

void state_forget_declarations(struct state *state)
{
    index_walk(&state->forces, drop_force, state);
    index_clear(&state->forces, force_free);
}
