/* SPDX-License-Identifier: Apache-2.0 */
/* The cases that are requests under shipped runtimes, ready to be checked. */
#include "tests/cases/rules.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "placement/reader.h"
#include "proto/document.h"
#include "tests/cases/defaults.h"

enum {
    SAMPLES_BYTES_MAX = 1 << 30, /* all cases as trees: 300 MB */
};

/* ---- reading ------------------------------------------------------------- */

/* The model of the request: one that the case declares, or a shipped one; NULL:
 * none, or one that nobody knows. False: the case declares what is no model. */
static bool find_model(struct catalog *catalog, struct arena *arena,
                       const struct tree *line, const char *name,
                       const struct model **ret)
{
    *ret = NULL;
    for (const struct tree *t = tree_first(tree_get(line, "declare"));
         t != NULL; t = t->next) {
        enum document_kind kind;
        const struct model *model;

        if (document_kind(t, &kind, NULL) < 0 || kind != DOCUMENT_MODEL)
            return false;
        model = model_load(arena, t, NULL);
        if (model != NULL && name != NULL && strcmp(model->name, name) == 0)
            *ret = model;
    }
    if (*ret == NULL && name != NULL)
        *ret = catalog_model(catalog, name, NULL);
    return true;
}

/* Fills the question of a request; false: it is under no shipped runtime, or it
 * cannot be loaded. */
static bool load_question(struct catalog *catalog, struct arena *arena,
                          const struct tree *line, struct question *question)
{
    struct tree *document = (struct tree *)tree_get(line, "deployment");
    const char *runtime = deployment_runtime_name(document);

    if (!find_model(catalog, arena, line, deployment_model_name(document),
                    &question->model))
        return false;
    if (runtime == NULL && question->model != NULL)
        runtime = question->model->runtime;
    if (runtime == NULL)
        return false;
    question->runtime = catalog_runtime(catalog, runtime, NULL);
    if (question->runtime == NULL)
        return false;
    document->parent = NULL;
    question->deployment =
        deployment_load(arena, question->runtime, document, NULL);
    return question->deployment != NULL;
}

static void *grow(struct samples *samples, void *items, size_t n, size_t *cap,
                  size_t size)
{
    void *more;

    if (n < *cap)
        return items;
    *cap = *cap == 0 ? 1024 : *cap * 2;
    more = arena_array(samples->arena, *cap, size);
    if (more != NULL && n > 0)
        memcpy(more, items, n * size);
    return more;
}

static bool is_word(const struct tree *t, const char *word)
{
    return t != NULL && t->type == TREE_STRING && strcmp(t->text, word) == 0;
}

static int add_line(struct samples *samples, struct catalog *catalog,
                    const char *file, const struct tree *line,
                    struct error *err)
{
    const struct tree *want = tree_get(line, "expect");
    struct sample sample = { .file = file, .want = want };

    if (tree_get(line, "deployment") != NULL &&
        is_word(tree_get(line, "op"), "check")) {
        sample.id = tree_get(line, "id")->text;
        sample.accepts = is_word(tree_get(want, "verdict"), "accept");
        sample.up_to = read_string(line, "up_to");
        if (!load_question(catalog, samples->arena, line, &sample.question))
            return 0;
        samples->items = grow(samples, samples->items, samples->n,
                              &samples->cap, sizeof(sample));
        if (samples->items == NULL)
            return error_exhausted(err);
        samples->items[samples->n++] = sample;
        return 0;
    }
    samples->others = grow(samples, samples->others, samples->n_others,
                           &samples->cap_others, sizeof(line));
    if (samples->others == NULL)
        return error_exhausted(err);
    samples->others[samples->n_others++] = line;
    return 0;
}

static int add_file(struct samples *samples, struct catalog *catalog,
                    const char *path, struct error *err)
{
    const char *file = arena_strdup(samples->arena, strrchr(path, '/') + 1);
    struct tree_maker maker = { .arena = samples->arena };
    const struct tree *defaults = NULL;
    FILE *in = fopen(path, "r");
    char *text = NULL;
    size_t cap = 0;
    ssize_t len;
    int rc = 0;

    if (in == NULL)
        return error_set(err, STATUS_INVALID, "%s: cannot be read", path);
    while (rc == 0 && (len = getline(&text, &cap, in)) > 0) {
        struct tree *line = NULL;

        rc = document_read_json(samples->arena, file, text, (size_t)len, &line,
                                err);
        if (rc == 0 && defaults_of(line) != NULL) {
            defaults = defaults_of(line);
        } else if (rc == 0) {
            defaults_add(&maker, line, defaults);
            rc = maker.failed ? error_exhausted(err)
                              : add_line(samples, catalog, file, line, err);
        }
    }
    free(text);
    fclose(in);
    return rc;
}

struct samples *samples_read(struct catalog *catalog, const char *folder,
                             struct error *err)
{
    struct samples *samples = calloc(1, sizeof(*samples));
    char pattern[4096];
    glob_t files;
    int rc = 0;

    if (samples == NULL ||
        (samples->arena = arena_new(SAMPLES_BYTES_MAX)) == NULL) {
        free(samples);
        error_exhausted(err);
        return NULL;
    }
    snprintf(pattern, sizeof(pattern), "%s/*.jsonl", folder);
    if (glob(pattern, 0, NULL, &files) == 0) {
        for (size_t i = 0; rc == 0 && i < files.gl_pathc; i++)
            rc = add_file(samples, catalog, files.gl_pathv[i], err);
        globfree(&files);
    }
    if (rc == 0)
        return samples;
    samples_free(samples);
    return NULL;
}

void samples_free(struct samples *samples)
{
    if (samples == NULL)
        return;
    arena_free(samples->arena);
    free(samples);
}

/* ---- comparing ----------------------------------------------------------- */

static bool lists_word(const struct tree *list, const char *word)
{
    for (const struct tree *t = tree_first(list); t != NULL; t = t->next)
        if (is_word(t, word))
            return true;
    return false;
}

static bool has_code(const struct findings *findings, const char *code)
{
    for (size_t i = 0; i < findings->n; i++)
        if (strcmp(findings->items[i].code, code) == 0)
            return true;
    return false;
}

bool sample_names(const struct sample *sample, const char *code)
{
    return is_word(tree_get(sample->want, "code"), code) ||
           lists_word(tree_get(sample->want, "codes"), code) ||
           lists_word(tree_get(sample->want, "findings"), code) ||
           lists_word(tree_get(sample->want, "warnings"), code);
}

struct check *sample_check(const struct sample *sample,
                           const struct runtime *rt, struct arena *arena)
{
    struct question question = sample->question;

    question.runtime = rt;
    if (rt->document == sample->question.runtime->document &&
        rt->carries != sample->question.runtime->carries)
        question.deployment =
            deployment_load(arena, rt, question.deployment->document, NULL);
    if (question.deployment == NULL)
        return NULL;
    if (sample->up_to != NULL)
        question.up_to = runtime_layer(rt, sample->up_to, NULL);
    return check_run(&question, arena, 0, NULL);
}

static bool first_agrees(const struct sample *sample, const struct check *check)
{
    const struct tree *code = tree_get(sample->want, "code");
    const char *first =
        check->refused.n > 0 ? check->refused.items[0].code : "";

    return code == NULL || strcmp(code->text, first) == 0 ||
           lists_word(tree_get(sample->want, "codes_also_allowed"), first);
}

/* Exactly the warnings that the case lists, where it does. */
static bool warnings_agree(const struct sample *sample,
                           const struct check *check)
{
    const struct tree *want = tree_get(sample->want, "warnings");
    const struct tree *warned = tree_get(sample->want, "warned");

    if (warned != NULL && warned->u.boolean != (check->warnings.total > 0))
        return false;
    if (want == NULL)
        return true;
    for (size_t i = 0; i < check->warnings.n; i++)
        if (!lists_word(want, check->warnings.items[i].code))
            return false;
    for (const struct tree *t = tree_first(want); t != NULL; t = t->next)
        if (!has_code(&check->warnings, t->text))
            return false;
    return true;
}

static bool unchecked_agree(const struct sample *sample,
                            const struct check *check)
{
    const struct tree *all = tree_get(sample->want, "all_checked");

    if (all != NULL && all->u.boolean != (check->n_unchecked == 0))
        return false;
    for (const struct tree *t = tree_first(tree_get(sample->want, "unchecked"));
         t != NULL; t = t->next) {
        bool found = false;

        for (size_t i = 0; i < check->n_unchecked; i++)
            found |= is_word(t, check->unchecked[i].rule->code);
        if (!found)
            return false;
    }
    return true;
}

/* All findings in order, where the case lists them. */
static bool findings_agree(const struct sample *sample,
                           const struct check *check)
{
    const struct tree *want = tree_get(sample->want, "findings");
    size_t i = 0;

    if (want == NULL)
        return true;
    if (tree_count(want) != check->refused.total)
        return false;
    for (const struct tree *t = tree_first(want);
         t != NULL && i < check->refused.n; t = t->next)
        if (!is_word(t, check->refused.items[i++].code))
            return false;
    return true;
}

bool sample_agrees(const struct sample *sample, const struct check *check)
{
    if (sample->accepts != check_accepts(check) ||
        !first_agrees(sample, check) || !warnings_agree(sample, check))
        return false;
    for (const struct tree *t = tree_first(tree_get(sample->want, "codes"));
         t != NULL; t = t->next)
        if (!has_code(&check->refused, t->text))
            return false;
    return findings_agree(sample, check) && unchecked_agree(sample, check);
}
