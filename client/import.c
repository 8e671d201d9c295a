/* SPDX-License-Identifier: Apache-2.0 */
/* serry import: other programs' files and flags as documents of Serried's. */
#include <string.h>

#include "client/from.h"
#include "client/import_cluster.h"
#include "proto/document.h"

/* The format of the model hubs' config.json; all others are runtimes. */
static const char hub[] = "hf";

/* ---- printing ------------------------------------------------------------ */

/* "# key -> name" for each thing that was read, in front of the documents. */
static void print_read(struct output *out, const struct tree *read)
{
    for (const struct tree *t = tree_first(read); t != NULL; t = t->next) {
        struct text line = { 0 };

        text_printf(&line, "# %s: %s", tree_get(t, "as")->text,
                    tree_get(t, "key")->text);
        output_put(out, STYLE_DIM, text_string(&line));
        output_line(out);
        text_close(&line);
    }
}

static int print_one(struct output *out, const struct tree *tree,
                     struct error *err)
{
    struct text text = { 0 };
    int rc;

    if (tree == NULL)
        return 0;
    if (out->format != FORMAT_TABLE)
        return output_document(out, tree, err);
    if (out->wrote_first) {
        output_put(out, STYLE_PLAIN, "---");
        output_line(out);
    }
    out->wrote_first = true;
    rc = document_write_yaml(tree, &text);
    text_put(&out->text, text_string(&text));
    text_close(&text);
    return rc < 0 ? error_exhausted(err) : 0;
}

static int print_result(struct invocation *v, const char *name,
                        const struct import_result *result, struct error *err)
{
    from_complain(name, result->not_read);
    v->out.documents |= result->model != NULL && result->deployment != NULL;
    if (v->out.format == FORMAT_TABLE)
        print_read(&v->out, result->read);
    if (print_one(&v->out, result->model, err) < 0)
        return -1;
    return print_one(&v->out, result->deployment, err);
}

/* ---- reading ------------------------------------------------------------- */

static int import_file(struct invocation *v, struct catalog *catalog,
                       const struct runtime *rt, const struct tree *file,
                       struct error *err)
{
    struct tree_maker maker = { .arena = v->arena };
    const char *name = option_value(v, "name");
    struct import_result result;

    if (rt != NULL) {
        if (from_import(v, catalog, rt, file, &result, err) < 0)
            return -1;
        return print_result(v, file != NULL ? file->source : rt->name, &result,
                            err);
    }
    if (name == NULL && file->source != NULL)
        name = from_name(v->arena, file->source);
    if (name != NULL && strcmp(name, "config") == 0)
        name = NULL; /* says less than the file does */
    if (import_model(file, name, &maker, &result, err) < 0)
        return -1;
    return print_result(v, file->source, &result, err);
}

static int import_files(struct invocation *v, struct catalog *catalog,
                        const struct runtime *rt, struct error *err)
{
    struct tree *documents;

    v->out.documents = v->n_before_dashes > 2;
    for (size_t i = 1; i < v->n_before_dashes; i++) {
        const struct tree *t;

        if (document_read_file(v->arena, v->operands[i], &documents, err) < 0)
            return -1;
        for (t = tree_first(documents); t != NULL; t = t->next)
            if (import_file(v, catalog, rt, t, err) < 0)
                return -1;
    }
    if (v->n_before_dashes == 1)
        return import_file(v, catalog, rt, NULL, err);
    return 0;
}

/* ---- the command --------------------------------------------------------- */

static int check_options(const struct invocation *v, bool is_hub)
{
    if (v->n_before_dashes == 0)
        return command_misused(v, "the format is missing in front of --");
    if (is_hub && v->n_before_dashes != v->n_operands)
        return command_misused(v, "%s has no flags", hub);
    if (is_hub && v->n_before_dashes < 2)
        return command_misused(v, "FILE is missing");
    if (is_hub && (option_given(v, "world") || option_given(v, "model")))
        return command_misused(v,
                               "%s makes a model, which has neither --world "
                               "nor --model",
                               hub);
    if (option_given(v, "name") && v->n_before_dashes > 2)
        return command_misused(v, "--name is for one FILE");
    return EXIT_OK;
}

/* No runtime is called so, and nothing else that is imported. */
static int unknown_format(struct invocation *v, struct catalog *catalog,
                          struct error *err)
{
    const char *word = v->operands[0], *near = NULL;
    size_t n_runtimes = 0, n = 0;
    const char *const *runtimes = catalog_runtimes(catalog, &n_runtimes);
    const char **names = arena_array(
        v->arena, n_runtimes + inventory_n_formats + 1, sizeof(*names));
    struct text formats = { 0 };

    if (runtimes == NULL || names == NULL)
        return error_exhausted(err);
    names[n++] = hub;
    for (size_t i = 0; i < inventory_n_formats; i++) {
        names[n++] = inventory_formats[i].name;
        text_printf(&formats, "%s, ", inventory_formats[i].name);
    }
    for (size_t i = 0; i < n_runtimes; i++)
        names[n++] = runtimes[i];
    near = text_nearest(word, names, n);
    error_set(err, STATUS_UNKNOWN_NAME,
              "nothing is imported as %.64s; use %s (a model), %sor the name "
              "of a runtime%s%s",
              word, hub, text_string(&formats),
              near != NULL ? "; the nearest is " : "",
              near != NULL ? near : "");
    text_close(&formats);
    return -1;
}

/* The runtime whose framework's files are read; NULL in *ret: a model's. */
static int find_runtime(struct invocation *v, struct catalog *catalog,
                        const struct runtime **ret, struct error *err)
{
    *ret = NULL;
    if (strcmp(v->operands[0], hub) == 0)
        return 0;
    *ret = catalog_runtime(catalog, v->operands[0], err);
    if (*ret != NULL)
        return 0;
    return err->status == STATUS_UNKNOWN_NAME ? unknown_format(v, catalog, err)
                                              : -1;
}

static int run_import(struct invocation *v)
{
    const struct inventory_format *format = inventory_named(v->operands[0]);
    bool is_hub = strcmp(v->operands[0], hub) == 0;
    const struct runtime *rt = NULL;
    struct catalog *catalog;
    struct error err;
    int rc;

    if (format != NULL && v->n_before_dashes > 0)
        return import_cluster(v, format);
    rc = check_options(v, is_hub);
    if (rc != EXIT_OK)
        return rc;
    catalog = command_catalog(v, &err);
    if (catalog == NULL || find_runtime(v, catalog, &rt, &err) < 0 ||
        import_files(v, catalog, rt, &err) < 0)
        rc = command_failed(&err);
    catalog_free(catalog);
    return rc;
}

/* clang-format off */
static const struct option_row options[] = {
    { "name",  0, "NAME", "call what is printed so (of devices: the host), not "
                          "as its file is called" },
    { "world", 0, "N",    "number of ranks of the request" },
    { "model", 0, "NAME", "the request's model, where the file does not name "
                          "a declared one" },
};
/* clang-format on */

const struct command command_import = {
    .name = "import",
    .arguments = "hf|CLUSTER|RUNTIME FILE... [-- FLAG...]",
    .help = "print a model of a Hugging Face config.json, the cluster of "
            "hostfile, rankfile, slurm, nvidia-smi, rocm-smi, flux or hwloc "
            "files, or the request that a framework's own file and flags make",
    .options = options,
    .n_options = ARRAY_LEN(options),
    .min_operands = 1,
    .max_operands = -1,
    .run = run_import,
};
