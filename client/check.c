/* SPDX-License-Identifier: Apache-2.0 */
/* serry check: may these deployments run? */
#include <string.h>

#include "client/batch.h"
#include "client/command.h"
#include "client/report.h"
#include "proto/answer.h"
#include "proto/document.h"

/* The deployments of all files, and what they are checked with. */
struct checking {
    struct invocation *v;
    struct catalog *catalog;
    const struct tree **deployments;
    size_t n_deployments;
    struct verdict_wants wants;
    struct arena *arena; /* of one answer */
};

/* ---- reading ------------------------------------------------------------- */

/* Declarations go into the catalog; deployments are kept for later, when all
 * declarations are known. */
static int take_document(struct checking *c, const struct tree *document,
                         struct error *err)
{
    enum document_kind kind;

    if (document_kind(document, &kind, err) < 0)
        return -1;
    switch (kind) {
    case DOCUMENT_DEPLOYMENT:
        c->deployments[c->n_deployments++] = document;
        return 0;
    case DOCUMENT_RUNTIME:
    case DOCUMENT_MODEL:
        return catalog_add(c->catalog, document, err);
    case DOCUMENT_CLUSTER:
        break;
    }
    return tree_error(document, err, STATUS_INVALID,
                      "a cluster cannot be checked; give deployments, runtimes "
                      "and models");
}

static int read_file(struct checking *c, const char *path, struct error *err)
{
    struct tree *documents;
    const struct tree **more;

    if (document_read_file(c->v->arena, path, &documents, err) < 0)
        return -1;
    more = arena_array(c->v->arena, c->n_deployments + tree_count(documents),
                       sizeof(*more));
    if (more == NULL)
        return error_exhausted(err);
    if (c->n_deployments > 0)
        memcpy(more, c->deployments, c->n_deployments * sizeof(*more));
    c->deployments = more;
    for (const struct tree *t = tree_first(documents); t != NULL; t = t->next)
        if (take_document(c, t, err) < 0)
            return -1;
    return 0;
}

/* Reads the files behind -f, then those named without it, as a shell leaves
 * them of -f *.yaml. */
static int read_files(struct checking *c, struct error *err)
{
    const char *path;
    size_t at = 0;

    while ((path = option_next(c->v, "file", &at)) != NULL)
        if (read_file(c, path, err) < 0)
            return -1;
    for (size_t i = 0; i < c->v->n_operands; i++)
        if (read_file(c, c->v->operands[i], err) < 0)
            return -1;
    if (c->n_deployments == 0)
        return error_set(err, STATUS_INVALID,
                         "there is nothing to check: no document is a "
                         "deployment (with node_groups or world)");
    return 0;
}

/* --lists a,b --lists c */
static int read_lists(struct checking *c, struct error *err)
{
    const char **names;
    const char *value;
    size_t at = 0, room = 1;

    while ((value = option_next(c->v, "lists", &at)) != NULL)
        for (room++; *value != '\0'; value++)
            room += *value == ',';
    names = arena_array(c->v->arena, room, sizeof(*names));
    if (names == NULL)
        return error_exhausted(err);
    for (at = 0; (value = option_next(c->v, "lists", &at)) != NULL;) {
        char *rest = arena_strdup(c->v->arena, value), *name;

        if (rest == NULL)
            return error_exhausted(err);
        while ((name = strsep(&rest, ",")) != NULL)
            if (name[0] != '\0')
                names[c->wants.n_lists++] = name;
    }
    c->wants.lists = names;
    return 0;
}

/* ---- answering ----------------------------------------------------------- */

/* A strict reader takes what could not be judged for refused. */
static bool is_refused(const struct checking *c, const struct answer *answer)
{
    return !answer->accepts ||
           (answer->unchecked && option_given(c->v, "strict"));
}

static void set_verdict(const struct answer *answer, const char *word)
{
    struct tree *verdict = (struct tree *)tree_get(answer->tree, "verdict");

    verdict->text = word;
    verdict->len = strlen(word);
}

/* A document in the place of an answer, so that there is one for each
 * deployment. */
static int write_error(struct checking *c, const struct error *why,
                       struct error *err)
{
    struct tree_maker maker = { .arena = c->arena };
    struct tree *top, *map;

    if (c->v->out.format == FORMAT_TABLE || c->n_deployments < 2)
        return 0;
    top = make_map(&maker, NULL, NULL);
    map = make_map(&maker, top, "error");
    make_string(&maker, map, "status", status_name(why->status));
    make_string(&maker, map, "message", why->text);
    return maker.failed ? error_exhausted(err)
                        : output_document(&c->v->out, top, err);
}

static const char *deployment_title(const struct tree *document)
{
    const struct tree *name = tree_get(document, "deployment");

    if (name == NULL || name->type != TREE_STRING)
        name = tree_get(document, "model");
    return name != NULL && name->type == TREE_STRING ? name->text : NULL;
}

/* Checks and prints one deployment. *ret: its exit code. -1: it could not be
 * printed. */
static int check_one(struct checking *c, const struct tree *document, int *ret,
                     struct error *err)
{
    struct output *out = &c->v->out;
    struct answer answer;
    struct error why;
    bool refused;

    if (answer_check(c->catalog, document, &c->wants, c->arena, NULL, &answer,
                     &why) < 0) {
        *ret = command_failed(&why);
        return write_error(c, &why, err);
    }
    refused = is_refused(c, &answer);
    *ret = refused ? EXIT_REFUSED : EXIT_OK;
    if (refused)
        set_verdict(&answer, "refuse");
    if (out->format != FORMAT_TABLE)
        return output_document(out, answer.tree, err);
    if (out->wrote_first)
        output_line(out);
    out->wrote_first = true;
    report_print(out, deployment_title(document), &answer, refused, c->arena);
    return 0;
}

/* In order; the worst exit code counts. */
static int check_all(struct checking *c, int *ret, struct error *err)
{
    *ret = EXIT_OK;
    c->v->out.documents = c->n_deployments > 1;
    for (size_t i = 0; i < c->n_deployments; i++) {
        int rc;

        arena_reset(c->arena);
        if (check_one(c, c->deployments[i], &rc, err) < 0 ||
            output_flush(&c->v->out, err) < 0)
            return -1;
        if (rc > *ret)
            *ret = rc;
    }
    return 0;
}

/* ---- the command --------------------------------------------------------- */

static int run_files(struct invocation *v, struct catalog *catalog)
{
    struct checking c = {
        .v = v,
        .catalog = catalog,
        .wants = { .per_rank = option_given(v, "per-rank"),
                   .creation = option_given(v, "creation") },
        .arena = arena_new(ANSWER_BYTES_MAX),
    };
    struct error err;
    int rc = EXIT_OK;

    if (c.arena == NULL)
        error_exhausted(&err);
    if (c.arena == NULL || read_files(&c, &err) < 0 ||
        read_lists(&c, &err) < 0 || check_all(&c, &rc, &err) < 0)
        rc = command_failed(&err);
    arena_free(c.arena);
    return rc;
}

/* What makes no sense together. */
static int check_options(const struct invocation *v)
{
    static const char *const by_line[] = { "lists", "per-rank", "creation",
                                           "strict" };
    bool batch = option_given(v, "batch");
    const char *format = option_value(v, "output");

    if (!batch && !option_given(v, "file") && v->n_operands == 0)
        return command_misused(v, "-f FILE is missing (- is standard input)");
    for (size_t i = 0; batch && i < ARRAY_LEN(by_line); i++)
        if (option_given(v, by_line[i]))
            return command_misused(v,
                                   "with --batch each line asks for itself, "
                                   "so there is no --%s",
                                   by_line[i]);
    if (batch && format != NULL && strcmp(format, "json") != 0)
        return command_misused(v, "--batch answers with lines of JSON, not %s",
                               format);
    return EXIT_OK;
}

static int run_check(struct invocation *v)
{
    struct catalog *catalog;
    struct error err;
    int rc = check_options(v);

    if (rc != EXIT_OK)
        return rc;
    catalog = command_catalog(v, &err);
    if (catalog == NULL)
        return command_failed(&err);
    rc = option_given(v, "batch") ? batch_run(v, catalog)
                                  : run_files(v, catalog);
    catalog_free(catalog);
    return rc;
}

/* clang-format off */
static const struct option_row options[] = {
    { "file",     'f', "FILE",  "read documents from FILE, - for standard "
                                "input; may be repeated" },
    { "offline",  0,   NULL,    "check without a daemon; at present the only "
                                "way" },
    { "strict",   0,   NULL,    "refuse also when a rule could not be judged "
                                "for want of a fact" },
    { "lists",    0,   "NAMES", "show these group lists too, separated by "
                                "commas (attn.dp+cp)" },
    { "per-rank", 0,   NULL,    "show the coordinates of every rank" },
    { "creation", 0,   NULL,    "show the groups to create, in order, and "
                                "their digests" },
    { "batch",    0,   NULL,    "answer each line, a request in JSON, with "
                                "one line of JSON" },
};
/* clang-format on */

const struct command command_check = {
    .name = "check",
    .arguments = "-f FILE...",
    .help = "say whether deployments may run, why not, and what would",
    .options = options,
    .n_options = ARRAY_LEN(options),
    .max_operands = -1,
    .run = run_check,
};
