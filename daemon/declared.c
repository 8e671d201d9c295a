/* SPDX-License-Identifier: Apache-2.0 */
/* Models and runtimes as they were declared, shared by their hash. */
#include "daemon/declared.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/document.h"

const char *declared_kind_name(enum document_kind kind)
{
    return kind == DOCUMENT_RUNTIME ? "runtime" : "model";
}

int declared_kind(const char *name, enum document_kind *ret)
{
    if (strcmp(name, "runtime") == 0)
        *ret = DOCUMENT_RUNTIME;
    else if (strcmp(name, "model") == 0)
        *ret = DOCUMENT_MODEL;
    else
        return -1;
    return 0;
}

static void declared_free(struct declared *declared)
{
    if (declared == NULL)
        return;
    arena_free(declared->arena);
    free(declared->text);
    free(declared);
}

/* Sets what a document is called in messages. */
static int load_document(struct declared *declared, const struct tree *document,
                         struct error *err)
{
    const struct runtime *rt;
    const struct model *model;

    if (document_kind(document, &declared->kind, err) < 0)
        return -1;
    if (declared->kind == DOCUMENT_RUNTIME) {
        rt = runtime_load(declared->arena, document, err);
        declared->loaded = rt;
        declared->name = rt != NULL ? rt->name : NULL;
    } else if (declared->kind == DOCUMENT_MODEL) {
        model = model_load(declared->arena, document, err);
        declared->loaded = model;
        declared->name = model != NULL ? model->name : NULL;
    } else {
        return tree_error(document, err, STATUS_INVALID,
                          "only a model or a runtime can be declared");
    }
    return declared->loaded != NULL ? 0 : -1;
}

static struct declared *declared_new(const char *text, size_t len,
                                     const char *source, uint32_t line,
                                     struct error *err)
{
    struct declared *declared = calloc(1, sizeof(*declared));
    const struct tree *document = NULL;

    if (declared != NULL) {
        declared->arena = arena_new(DECLARED_BYTES_MAX);
        declared->text = strndup(text, len);
        declared->len = len;
    }
    if (declared == NULL || declared->arena == NULL || declared->text == NULL) {
        error_exhausted(err);
        goto failed;
    }
    if (document_read_one(declared->arena, source, line, declared->text,
                          declared->len, &document, err) < 0 ||
        load_document(declared, document, err) < 0)
        goto failed;
    digest_hex(text, len, declared->hash);
    declared->key =
        arena_printf(declared->arena, "%s %s",
                     declared_kind_name(declared->kind), declared->hash);
    if (declared->key != NULL)
        return declared;
    error_exhausted(err);
failed:
    declared_free(declared);
    return NULL;
}

struct declared *declared_find(struct declared_set *set,
                               enum document_kind kind, const char *hash)
{
    char key[DIGEST_HEX + 16];
    struct declared *declared;

    snprintf(key, sizeof(key), "%s %.64s", declared_kind_name(kind), hash);
    declared = index_find(&set->index, key);
    if (declared != NULL)
        declared->holders++;
    return declared;
}

struct declared *declared_hold(struct declared_set *set, const char *text,
                               size_t len, const char *source, uint32_t line,
                               struct error *err)
{
    struct declared *declared = NULL;
    char hash[DIGEST_HEX];

    digest_hex(text, len, hash);
    declared = declared_find(set, DOCUMENT_RUNTIME, hash);
    if (declared == NULL)
        declared = declared_find(set, DOCUMENT_MODEL, hash);
    if (declared != NULL)
        return declared;
    declared = declared_new(text, len, source, line, err);
    if (declared == NULL)
        return NULL;
    declared->holders = 1;
    if (index_add(&set->index, declared) == 0)
        return declared;
    declared_free(declared);
    error_exhausted(err);
    return NULL;
}

void declared_drop(struct declared_set *set, struct declared *declared)
{
    if (declared == NULL || --declared->holders > 0)
        return;
    index_remove(&set->index, declared);
    declared_free(declared);
}
