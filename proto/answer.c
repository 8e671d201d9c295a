/* SPDX-License-Identifier: Apache-2.0 */
/* Checking documents: from a request's text to the answer's. */
#include "proto/answer.h"

#include "placement/explain.h"
#include "placement/reader.h"
#include "proto/document.h"

/* The verdict on a request whose model, and with it whose runtime, is not
 * known. */
static void refuse_model(struct catalog *catalog, const char *model,
                         struct tree_maker *maker, struct answer *ret)
{
    size_t n;
    const char *const *names = catalog_models(catalog, &n);
    const char *nearest = text_nearest(model, names, n);
    struct tree *finding, *fixes;
    const struct fault_row *row = &fault_rows[FAULT_MODEL_UNKNOWN];
    const struct finding f = { .name = model, .near = nearest };
    struct text reason = { 0 };

    fault_fill(NULL, &f, row->reason, &reason);
    make_string(maker, ret->tree, "verdict", "refuse");
    finding = make_map(maker, make_list(maker, ret->tree, "findings"), NULL);
    make_string(maker, finding, "code", row->code);
    make_string(maker, finding, "subject", row->subject);
    make_string(maker, finding, "equation", "");
    make_string(maker, finding, "reason", text_string(&reason));
    fixes = make_list(maker, finding, "fixes");
    text_clear(&reason);
    fault_fill(NULL, &f, row->fix, &reason);
    make_string(maker, fixes, NULL, text_string(&reason));
    text_close(&reason);
    make_list(maker, ret->tree, "unchecked");
    make_list(maker, ret->tree, "warnings");
    make_map(maker, ret->tree, "derived");
    make_list(maker, ret->tree, "alternatives");
    make_list(maker, ret->tree, "node_groups");
}

/* The runtime a request is under: its own, else its model's. */
static const struct runtime *runtime_of(struct catalog *catalog,
                                        const struct tree *document,
                                        const struct model *model,
                                        struct error *err)
{
    const char *name = deployment_runtime_name(document);

    if (name == NULL && model != NULL)
        name = model->runtime;
    if (name == NULL) {
        tree_error(document, err, STATUS_INVALID,
                   "the key runtime is missing, and the model names none");
        return NULL;
    }
    return catalog_runtime(catalog, name, err);
}

int answer_question(const struct question *question,
                    const struct verdict_wants *wants, struct arena *arena,
                    struct tree *map, struct answer *ret, struct error *err)
{
    struct tree_maker maker = { .arena = arena };
    struct alternatives alternatives = { 0 };
    struct question asked = *question;
    struct list_name name;
    struct check *check;

    if (wants->up_to != NULL) {
        asked.up_to = runtime_layer(question->runtime, wants->up_to, err);
        if (asked.up_to == NULL)
            return -1;
    }
    for (size_t i = 0; i < wants->n_lists; i++)
        if (runtime_list_name(question->runtime, arena, wants->lists[i], &name,
                              err) < 0)
            return -1;
    check = check_run(&asked, arena, 0, err);
    if (check == NULL)
        return -1;
    if (map == NULL)
        map = make_map(&maker, NULL, NULL);
    if (!check_accepts(check) &&
        alternatives_find(check, &alternatives, err) < 0)
        return -1;
    if (verdict_write(check, &alternatives, wants, &maker, map, err) < 0)
        return -1;
    *ret = (struct answer){ .tree = map,
                            .check = check,
                            .deployment = question->deployment,
                            .accepts = check_accepts(check),
                            .unchecked = check->n_unchecked > 0 };
    return 0;
}

/* A name that was written must be one. */
static int check_name(const struct tree *document, const char *key,
                      struct error *err)
{
    const struct tree *name = tree_get(document, key);

    return name != NULL ? read_type(name, READ_STRING, err) : 0;
}

int answer_check(struct catalog *catalog, const struct tree *document,
                 const struct verdict_wants *wants, struct arena *arena,
                 struct tree *map, struct answer *ret, struct error *err)
{
    struct tree_maker maker = { .arena = arena };
    struct question question = { 0 };
    struct answer answer = { 0 };
    const char *model = deployment_model_name(document);
    struct error why = { 0 };

    if (read_type(document, READ_MAP, err) < 0 ||
        check_name(document, "model", err) < 0 ||
        check_name(document, "runtime", err) < 0)
        return -1;
    answer.tree = map != NULL ? map : make_map(&maker, NULL, NULL);
    if (model != NULL) {
        question.model = catalog_model(catalog, model, &why);
        if (question.model == NULL && why.status != STATUS_UNKNOWN_NAME) {
            *err = why;
            return -1;
        }
    }
    if (model != NULL && question.model == NULL &&
        deployment_runtime_name(document) == NULL) {
        refuse_model(catalog, model, &maker, &answer);
    } else {
        question.runtime = runtime_of(catalog, document, question.model, err);
        if (question.runtime == NULL)
            return -1;
        question.deployment =
            deployment_load(arena, question.runtime, document, err);
        if (question.deployment == NULL)
            return -1;
        question.model_names = catalog_models(catalog, &question.n_model_names);
        return answer_question(&question, wants, arena, answer.tree, ret, err);
    }
    if (maker.failed)
        return error_exhausted(err);
    *ret = answer;
    return 0;
}
