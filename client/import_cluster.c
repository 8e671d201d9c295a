/* SPDX-License-Identifier: Apache-2.0 */
/* serry import of what other programs write about machines. */
#include "client/import_cluster.h"

#include <string.h>

#include "client/from.h"
#include "placement/topology.h"
#include "proto/document.h"

/* What the file leaves open, and whether launchers and Serried agree on which
 * ranks are where. */
static void tell_all(const char *file, const struct inventory *got)
{
    for (const struct tree *t = tree_first(got->warnings); t != NULL;
         t = t->next)
        output_complainf("%s: %s", file, t->text);
    if (got->order != NULL)
        output_complainf("%s: %s", file, got->order);
}

/* Reads one file; whose devices they are, --name or the file's name says. */
static int read_file(struct invocation *v,
                     const struct inventory_format *format, const char *path,
                     struct tree_maker *maker, const struct tree **ret,
                     struct error *err)
{
    struct inventory_source source = { .name = path,
                                       .host = option_value(v, "name") };
    struct inventory got;

    if (document_read_text(v->arena, path, &source.text, &source.len, err) < 0)
        return -1;
    if (strcmp(path, "-") != 0)
        source.host_else = from_name(v->arena, path);
    if (format->read(&source, maker, &got, err) < 0)
        return -1;
    tell_all(path, &got);
    *ret = got.document;
    return 0;
}

static int print(struct output *out, const struct tree *cluster,
                 struct error *err)
{
    if (out->format != FORMAT_TABLE)
        return output_document(out, cluster, err);
    return document_write_yaml(cluster, &out->text) < 0 ? error_exhausted(err)
                                                        : 0;
}

static int make_cluster(struct invocation *v,
                        const struct inventory_format *format,
                        struct error *err)
{
    struct tree_maker maker = { .arena = v->arena };
    size_t n = v->n_before_dashes - 1;
    const struct tree **documents =
        arena_array(v->arena, n, sizeof(*documents));
    struct tree *cluster;

    if (documents == NULL)
        return error_exhausted(err);
    for (size_t i = 0; i < n; i++)
        if (read_file(v, format, v->operands[i + 1], &maker, &documents[i],
                      err) < 0)
            return -1;
    if (inventory_merge(documents, n, &maker, &cluster, err) < 0)
        return -1;
    /* what is printed can be applied */
    if (topology_load(v->arena, cluster, err) == NULL)
        return -1;
    return print(&v->out, cluster, err);
}

int import_cluster(struct invocation *v, const struct inventory_format *format)
{
    struct error err;

    if (v->n_before_dashes != v->n_operands)
        return command_misused(v, "%s has no flags", format->name);
    if (v->n_before_dashes < 2)
        return command_misused(v, "FILE is missing");
    if (option_given(v, "world") || option_given(v, "model"))
        return command_misused(v,
                               "%s makes a cluster, which has neither --world "
                               "nor --model",
                               format->name);
    return make_cluster(v, format, &err) < 0 ? command_failed(&err) : EXIT_OK;
}
