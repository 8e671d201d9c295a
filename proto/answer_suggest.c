/* SPDX-License-Identifier: Apache-2.0 */
/* Suggestions for documents: from a request's text to the answer's. */
#include "placement/reader.h"
#include "proto/answer.h"

int answer_objective(const char *word, enum objective *ret, struct error *err)
{
    const char *words[OBJECTIVE_COUNT];
    const char *near;
    int objective;

    *ret = OBJECTIVE_MEMORY;
    if (word == NULL)
        return 0;
    objective = objective_named(word);
    if (objective >= 0) {
        *ret = (enum objective)objective;
        return 0;
    }
    for (int i = 0; i < OBJECTIVE_COUNT; i++)
        words[i] = objective_word((enum objective)i);
    near = text_nearest(word, words, OBJECTIVE_COUNT);
    return error_set(
        err, STATUS_UNKNOWN_NAME, "there is no objective %.64s; %s%s", word,
        near != NULL ? "the nearest is " : "use memory, latency or throughput",
        near != NULL ? near : "");
}

/* What the document asks about; its model and runtime must be known. */
static int read_question(struct catalog *catalog, const struct tree *document,
                         struct arena *arena, struct question *ret,
                         struct error *err)
{
    const char *runtime = deployment_runtime_name(document);
    const char *model = deployment_model_name(document);

    if (read_type(document, READ_MAP, err) < 0)
        return -1;
    if (model != NULL)
        ret->model = catalog_model(catalog, model, err);
    if (model != NULL && ret->model == NULL)
        return -1;
    if (runtime == NULL && ret->model != NULL)
        runtime = ret->model->runtime;
    if (runtime == NULL)
        return tree_error(document, err, STATUS_INVALID,
                          "the key runtime is missing, and the model names "
                          "none");
    ret->runtime = catalog_runtime(catalog, runtime, err);
    if (ret->runtime == NULL)
        return -1;
    ret->deployment = deployment_load(arena, ret->runtime, document, err);
    if (ret->deployment == NULL)
        return -1;
    ret->model_names = catalog_models(catalog, &ret->n_model_names);
    return 0;
}

int answer_suggest(struct catalog *catalog, const struct tree *document,
                   const struct suggest_wants *wants, struct arena *arena,
                   struct tree **ret, size_t *ret_valid, struct error *err)
{
    struct tree_maker maker = { .arena = arena };
    struct tree *map = make_map(&maker, NULL, NULL);
    struct question question = { 0 };
    struct suggestions found;

    if (read_question(catalog, document, arena, &question, err) < 0 ||
        suggest(&question, wants, arena, &found, err) < 0)
        return -1;
    suggest_write(&found, &maker, map);
    if (maker.failed)
        return error_exhausted(err);
    *ret = map;
    *ret_valid = found.n;
    return 0;
}
