/* SPDX-License-Identifier: Apache-2.0 */
/* serry runtime list, show and lint: the declarations of frameworks. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "client/command.h"
#include "placement/lint.h"
#include "proto/document.h"
#include "share/embedded.h"

/* ---- list ---------------------------------------------------------------- */

/* Adds what up to which a request may be judged. */
static void make_layers(struct tree_maker *maker, struct tree *map,
                        const struct runtime *rt)
{
    struct tree *list;

    if (rt->n_layers == 0)
        return;
    list = make_list(maker, map, "layers");
    for (size_t i = 0; i < rt->n_layers; i++) {
        struct tree *layer = make_map(maker, list, NULL);

        make_string(maker, layer, "layer", rt->layers[i].name);
        make_string(maker, layer, "about", rt->layers[i].about);
    }
}

static int list_runtimes(struct invocation *v, struct catalog *catalog,
                         struct error *err)
{
    struct tree_maker maker = { .arena = v->arena };
    struct tree *list = make_list(&maker, NULL, NULL);
    size_t n;
    const char *const *names = catalog_runtimes(catalog, &n);
    struct cell *cells = arena_array(v->arena, (n + 1) * 3, sizeof(*cells));

    if (cells == NULL)
        return error_exhausted(err);
    cells[0] = (struct cell){ "runtime", STYLE_DIM };
    cells[1] = (struct cell){ "version", STYLE_DIM };
    cells[2] = (struct cell){ "about", STYLE_DIM };
    for (size_t i = 0; i < n; i++) {
        const struct runtime *rt = catalog_runtime(catalog, names[i], err);
        struct tree *map;

        if (rt == NULL)
            return -1;
        map = make_map(&maker, list, NULL);
        make_string(&maker, map, "runtime", rt->name);
        make_string(&maker, map, "version", rt->version ? rt->version : "");
        make_string(&maker, map, "about", rt->about ? rt->about : "");
        make_layers(&maker, map, rt);
        cells[3 * i + 3] = (struct cell){ rt->name, STYLE_NAME };
        cells[3 * i + 4] = (struct cell){ rt->version, STYLE_PLAIN };
        cells[3 * i + 5] = (struct cell){ rt->about, STYLE_PLAIN };
    }
    if (maker.failed)
        return error_exhausted(err);
    if (v->out.format != FORMAT_TABLE)
        return output_document(&v->out, list, err);
    output_table(&v->out, 0, cells, 3, n + 1, 0);
    return 0;
}

/* ---- show ---------------------------------------------------------------- */

/* The text that a runtime was built in with; NULL: it came from a folder. */
static const struct embedded_file *built_in(const struct runtime *rt)
{
    for (size_t i = 0; i < embedded_files_count; i++)
        if (strcmp(embedded_files[i].kind, "runtime") == 0 &&
            strcmp(embedded_files[i].name, rt->name) == 0)
            return &embedded_files[i];
    return NULL;
}

/* Copies a file to the output as it is. */
static int show_file(struct invocation *v, const char *path, struct error *err)
{
    FILE *file = fopen(path, "rb");
    char buffer[4096];
    size_t n;

    if (file == NULL)
        return error_set(err, STATUS_UNKNOWN_NAME, "%s: %s", path,
                         strerror(errno));
    while ((n = fread(buffer, 1, sizeof(buffer), file)) > 0)
        text_put_bytes(&v->out.text, buffer, n);
    fclose(file);
    return 0;
}

static int show_runtime(struct invocation *v, struct catalog *catalog,
                        struct error *err)
{
    const struct runtime *rt = catalog_runtime(catalog, v->operands[0], err);
    const struct embedded_file *file;
    const char *source;

    if (rt == NULL)
        return -1;
    if (v->out.format != FORMAT_TABLE)
        return output_document(&v->out, rt->document, err);
    source = rt->document->source;
    file = built_in(rt);
    if (source != NULL && strchr(source, '/') != NULL)
        return show_file(v, source, err);
    if (file == NULL)
        return error_set(err, STATUS_INTERNAL, "the text of %s is not at hand",
                         rt->name);
    text_put_bytes(&v->out.text, file->text, file->len);
    return 0;
}

/* ---- lint ---------------------------------------------------------------- */

/* The runtime of a file (a name with a dot or a slash, or a file that is
 * there), else the known one of this name. */
static const struct runtime *
find_runtime(struct invocation *v, struct catalog *catalog, struct error *err)
{
    const char *name = v->operands[0];
    struct tree *documents;
    enum document_kind kind;

    if (strpbrk(name, "./") == NULL && strcmp(name, "-") != 0 &&
        access(name, F_OK) != 0)
        return catalog_runtime(catalog, name, err);
    if (document_read_file(v->arena, name, &documents, err) < 0 ||
        document_kind(tree_first(documents), &kind, err) < 0)
        return NULL;
    if (kind != DOCUMENT_RUNTIME || tree_count(documents) != 1) {
        error_set(err, STATUS_INVALID,
                  "%s: a file with one runtime (axes, rules) is expected",
                  name);
        return NULL;
    }
    return runtime_load(v->arena, tree_first(documents), err);
}

static void make_report(struct tree_maker *maker, struct tree *list,
                        const struct lint_report *r)
{
    struct tree *map = make_map(maker, list, NULL);

    make_string(maker, map, "code", r->code);
    make_string(maker, map, "subject", r->subject);
    if (r->layer != NULL)
        make_string(maker, map, "layer", r->layer);
    make_string(maker, map, "reason", r->say);
    if (r->at != NULL && r->at->line > 0)
        make_int(maker, map, "line",
                 r->at->key_line > 0 ? r->at->key_line : r->at->line);
}

static int write_lint(struct invocation *v, const struct runtime *rt,
                      const struct lint *lint, struct error *err)
{
    struct tree_maker maker = { .arena = v->arena };
    struct tree *map = make_map(&maker, NULL, NULL), *reports, *notes;

    make_string(&maker, map, "runtime", rt->name);
    reports = make_list(&maker, map, "reports");
    notes = make_list(&maker, map, "notes");
    for (size_t i = 0; i < lint->n_reports; i++)
        make_report(&maker, lint->reports[i].note ? notes : reports,
                    &lint->reports[i]);
    make_int(&maker, map, "rules", (int64_t)lint->n_rules);
    make_int(&maker, map, "not_judged", (int64_t)lint->n_not_judged);
    make_int(&maker, map, "requests_tried", (int64_t)lint->n_samples);
    return maker.failed ? error_exhausted(err)
                        : output_document(&v->out, map, err);
}

static void print_report(struct output *out, const struct lint_report *r)
{
    struct text label = { 0 };

    if (r->at != NULL && r->at->line > 0)
        text_printf(&label, "line %u: ",
                    r->at->key_line > 0 ? r->at->key_line : r->at->line);
    output_put(out, r->note ? STYLE_DIM : STYLE_WARN,
               r->note ? "note: " : r->code);
    if (!r->note)
        output_put(out, STYLE_PLAIN, "  ");
    output_put(out, STYLE_NAME, r->subject);
    if (r->layer != NULL)
        output_printf(out, STYLE_DIM, "  layer %s", r->layer);
    output_line(out);
    output_paragraph(out, 4, STYLE_PLAIN, text_string(&label), STYLE_PLAIN,
                     r->say);
    text_close(&label);
}

static void print_lint(struct output *out, const struct runtime *rt,
                       const struct lint *lint, size_t n_mistakes)
{
    struct text text = { 0 };

    for (size_t i = 0; i < lint->n_reports; i++)
        print_report(out, &lint->reports[i]);
    if (n_mistakes == 0)
        text_put(&text, "nothing to report; ");
    text_printf(&text, "%zu of %zu rules were judged, on %zu requests",
                lint->n_rules - lint->n_not_judged, lint->n_rules,
                lint->n_samples);
    if (lint->n_not_judged == 1)
        text_put(&text,
                 "; the other one reads a model or a request's further keys");
    else if (lint->n_not_judged > 1)
        text_printf(&text,
                    "; the other %zu read a model or a request's further keys",
                    lint->n_not_judged);
    output_paragraph(out, 0, STYLE_BOLD, rt->name, STYLE_PLAIN, "");
    output_paragraph(out, 4, STYLE_PLAIN, "", STYLE_PLAIN, text_string(&text));
    text_close(&text);
}

static int lint_runtime(struct invocation *v, struct catalog *catalog, int *ret,
                        struct error *err)
{
    const struct runtime *rt = find_runtime(v, catalog, err);
    struct lint lint;
    size_t n_mistakes = 0;

    if (rt == NULL || lint_run(rt, v->arena, &lint, err) < 0)
        return -1;
    for (size_t i = 0; i < lint.n_reports; i++)
        n_mistakes += !lint.reports[i].note;
    *ret = n_mistakes > 0 ? EXIT_REPORTED : EXIT_OK;
    if (v->out.format != FORMAT_TABLE)
        return write_lint(v, rt, &lint, err);
    print_lint(&v->out, rt, &lint, n_mistakes);
    return 0;
}

/* ---- the commands -------------------------------------------------------- */

static int run_list(struct invocation *v)
{
    struct error err;
    struct catalog *catalog = command_catalog(v, &err);
    int rc = EXIT_OK;

    if (catalog == NULL || list_runtimes(v, catalog, &err) < 0)
        rc = command_failed(&err);
    catalog_free(catalog);
    return rc;
}

static int run_show(struct invocation *v)
{
    struct error err;
    struct catalog *catalog = command_catalog(v, &err);
    int rc = EXIT_OK;

    if (catalog == NULL || show_runtime(v, catalog, &err) < 0)
        rc = command_failed(&err);
    catalog_free(catalog);
    return rc;
}

static int run_lint(struct invocation *v)
{
    struct error err;
    struct catalog *catalog = command_catalog(v, &err);
    int rc = EXIT_OK;

    if (catalog == NULL || lint_runtime(v, catalog, &rc, &err) < 0)
        rc = command_failed(&err);
    catalog_free(catalog);
    return rc;
}

const struct command command_runtime_list = {
    .name = "runtime list",
    .arguments = "",
    .help = "list the runtimes that are known",
    .run = run_list,
};

const struct command command_runtime_show = {
    .name = "runtime show",
    .arguments = "NAME",
    .help = "print the declaration of a runtime",
    .min_operands = 1,
    .max_operands = 1,
    .run = run_show,
};

const struct command command_runtime_lint = {
    .name = "runtime lint",
    .arguments = "FILE|NAME",
    .help = "look for rules that never fire and names that nothing reads; "
            "exit code 1 when there are any",
    .min_operands = 1,
    .max_operands = 1,
    .run = run_lint,
};
