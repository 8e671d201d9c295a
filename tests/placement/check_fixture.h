/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations and requests as text, for the tests of checks. */
#ifndef SERRIED_TESTS_PLACEMENT_CHECK_FIXTURE_H
#define SERRIED_TESTS_PLACEMENT_CHECK_FIXTURE_H

#include <string.h>

#include "placement/verdict.h"
#include "proto/document.h"
#include "tests/tap.h"

/* A request and all that came of it. */
struct asked {
    struct arena *arena;
    struct error err; /* of the first part that could not be loaded */
    const struct runtime *runtime;
    const struct model *model;
    const struct deployment *deployment;
    struct question question;
    struct check *check; /* NULL: not loaded, see err */
    struct alternatives alternatives;
    struct tree *verdict;
};

/* The one document of a YAML text. */
static inline const struct tree *read_yaml(struct arena *arena,
                                           const char *name, const char *text,
                                           struct error *err)
{
    struct tree *documents = NULL;

    if (document_read_yaml(arena, name, text, strlen(text), &documents, err) <
        0)
        return NULL;
    return tree_first(documents);
}

static inline bool load_asked(struct asked *a, const char *runtime,
                              const char *model, const char *request)
{
    const struct tree *document =
        read_yaml(a->arena, "runtime", runtime, &a->err);

    if (document == NULL)
        return false;
    a->runtime = runtime_load(a->arena, document, &a->err);
    if (a->runtime == NULL)
        return false;
    if (model != NULL) {
        document = read_yaml(a->arena, "model", model, &a->err);
        if (document == NULL)
            return false;
        a->model = model_load(a->arena, document, &a->err);
        if (a->model == NULL)
            return false;
    }
    document = read_yaml(a->arena, "request", request, &a->err);
    if (document == NULL)
        return false;
    a->deployment = deployment_load(a->arena, a->runtime, document, &a->err);
    return a->deployment != NULL;
}

/* Loads, checks, looks for alternatives and writes the verdict. False: err. */
static inline bool ask(struct asked *a, const char *runtime, const char *model,
                       const char *request, const struct verdict_wants *wants)
{
    static const struct verdict_wants none = { 0 };
    struct tree_maker maker;

    *a = (struct asked){ .arena = arena_new(64 << 20) };
    if (!load_asked(a, runtime, model, request))
        return false;
    a->question = (struct question){ .runtime = a->runtime,
                                     .model = a->model,
                                     .deployment = a->deployment };
    if (wants != NULL && wants->up_to != NULL) {
        a->question.up_to = runtime_layer(a->runtime, wants->up_to, &a->err);
        if (a->question.up_to == NULL)
            return false;
    }
    a->check = check_run(&a->question, a->arena, 0, &a->err);
    if (a->check == NULL)
        return false;
    maker = (struct tree_maker){ .arena = a->arena };
    a->verdict = make_map(&maker, NULL, NULL);
    if (!check_accepts(a->check) &&
        alternatives_find(a->check, &a->alternatives, &a->err) < 0)
        return false;
    return verdict_write(a->check, &a->alternatives,
                         wants != NULL ? wants : &none, &maker, a->verdict,
                         &a->err) == 0;
}

static inline void asked_close(struct asked *a)
{
    arena_free(a->arena);
}

static inline const struct tree *asked_item(const struct asked *a,
                                            const char *list, size_t i)
{
    const struct tree *t = tree_first(tree_get(a->verdict, list));

    while (t != NULL && i-- > 0)
        t = t->next;
    return t;
}

/* A field of entry i of findings, warnings or unchecked; "" when there is none.
 */
static inline const char *asked_text(const struct asked *a, const char *list,
                                     size_t i, const char *key)
{
    const struct tree *t = tree_get(asked_item(a, list, i), key);

    return t != NULL && t->text != NULL ? t->text : "";
}

/* The whole verdict on one line, to be shown when a test fails. */
static inline const char *asked_json(struct asked *a)
{
    struct text out = { 0 };
    const char *copy;

    if (a->verdict == NULL)
        return a->err.text;
    document_write_json(a->verdict, false, &out);
    copy = arena_strdup(a->arena, text_string(&out));
    text_close(&out);
    return copy;
}

/* A text named "file" with a mistake: what it is, where it stands, and how the
 * sentence about it begins. */
struct malformed_text {
    const char *what, *text;
    const char *place, *sentence;
};

/* loaded: what was made of it, which must be nothing. */
static inline void ck_assert_malformed(const struct malformed_text *malformed,
                                       const void *loaded,
                                       const struct error *err)
{
    ck_assert_msg(loaded == NULL, "%s", malformed->what);
    ck_assert_int_eq(err->status, STATUS_INVALID);
    ck_assert_msg(strstr(err->text, malformed->place) != NULL &&
                      strstr(err->text, malformed->sentence) != NULL,
                  "%s: %s", malformed->what, err->text);
    ck_assert_msg(strncmp(err->text, "file: ", 6) == 0, "%s", err->text);
}

#define ck_assert_has(text, part)                                              \
    ck_assert_msg(strstr(text, part) != NULL, "no \"%s\" in \"%s\"", part, text)

#endif
