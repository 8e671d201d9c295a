/* SPDX-License-Identifier: Apache-2.0 */
/* Reads saved output of other programs and compares each reading with the one
 * that a list beside the files says is right. The files are not part of this
 * tree: SERRIED_REAL_TOPOLOGY names their folder, if there is one. What they
 * look like is also in tests/proto/test_inventory.c. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "placement/names.h"
#include "placement/topology.h"
#include "proto/document.h"
#include "proto/inventory.h"
#include "tests/proto/inventory_fixture.h"

enum { ARENA_BYTES = 1 << 30, FILE_BYTES_MAX = 1 << 20, FILES_WANTED = 31 };

static const struct {
    const char *format;
    inventory_fn *read;
    const char *name; /* as a user calls the format */
} formats[] = {
    { "nvidia-smi-topo-m", inventory_nvidia_topo, "nvidia-smi" },
    { "nvidia-smi-query-gpu-csv", inventory_nvidia_query, "nvidia-smi" },
    { "rocm-smi-showtopo", inventory_rocm_topo, "rocm-smi" },
    { "slurm-show-node", inventory_slurm_nodes, "slurm" },
    { "slurm-topology-conf", inventory_slurm_switches, "slurm" },
    { "nodelist-expressions", inventory_nodelist, "slurm" },
    { "hostfile-openmpi", inventory_hostfile, "hostfile" },
    { "hostfile-mpich", inventory_hostfile, "hostfile" },
    { "hostfile-deepspeed", inventory_hostfile, "hostfile" },
    { "rankfile", inventory_rankfile, "rankfile" },
    { "flux-R", inventory_flux, "flux" },
    { "hwloc-xml", inventory_hwloc, "hwloc" },
};

static void complain(const struct tree *want, const struct tree *got)
{
    struct text a = { 0 }, b = { 0 };

    document_write_json(want, false, &a);
    if (got != NULL)
        document_write_json(got, false, &b);
    printf("# %s: want %.800s\n#   got %.800s\n", want->key, text_string(&a),
           text_string(&b));
    text_close(&a);
    text_close(&b);
}

/* Maps of samples, and expressions that must not be read. */
static bool says_special(struct arena *arena, const struct tree *want,
                         const struct inventory *got)
{
    const char *const *names;
    size_t n;

    if (strcmp(want->key, "leaf_of_sample") == 0)
        return says(want, child(got->reading, "leaf_of"));
    if (strcmp(want->key, "warnings") == 0)
        return says(want, got->warnings);
    if (strcmp(want->key, "refuse") != 0)
        return false;
    for (const struct tree *t = tree_first(want); t != NULL; t = t->next)
        if (nodelist_expand(arena, t->text, &names, &n, NULL) == 0)
            return false;
    return true;
}

static bool compare(struct arena *arena, const struct tree *expect,
                    const struct inventory *got)
{
    bool right = true;

    for (const struct tree *t = tree_first(expect); t != NULL; t = t->next) {
        const struct tree *other = child(got->reading, t->key);

        if ((other != NULL && says(t, other)) ||
            (other == NULL && says_special(arena, t, got)))
            continue;
        complain(t, other);
        right = false;
    }
    return right;
}

static char *read_file(const char *folder, const char *name, size_t *ret_len)
{
    char path[4096], *text = malloc(FILE_BYTES_MAX);
    FILE *in;

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    in = fopen(path, "r");
    *ret_len =
        in != NULL && text != NULL ? fread(text, 1, FILE_BYTES_MAX, in) : 0;
    if (in != NULL)
        fclose(in);
    return text;
}

/* What was read must also be a cluster, unless it is refused as one. */
static bool is_cluster(struct arena *arena, const struct tree *expect,
                       const struct inventory *got, const struct error *err)
{
    struct error why = { 0 };
    const char *missing;

    if (child(expect, "refuse_as_inventory") != NULL) {
        missing = child(expect, "refuse_as_inventory")->text;
        return got->document == NULL && strstr(err->text, missing) != NULL;
    }
    if (got->document != NULL &&
        topology_load(arena, got->document, &why) != NULL)
        return true;
    printf("# %s %s\n", err->text, why.text);
    return false;
}

static bool run(const char *folder, const struct tree *file)
{
    const char *format = child(file, "format")->text;
    struct tree_maker maker = { .arena = arena_new(ARENA_BYTES) };
    struct inventory_source source = { .name = child(file, "file")->text };
    struct inventory first = { 0 }, second = { 0 };
    struct error err = { .text = "" };
    bool right = false;
    size_t i = 0;
    char *text = read_file(folder, source.name, &source.len);

    source.text = text;
    while (i < ARRAY_LEN(formats) && strcmp(formats[i].format, format) != 0)
        i++;
    if (i < ARRAY_LEN(formats) && text != NULL) {
        formats[i].read(&source, &maker, &first, &err);
        right = compare(maker.arena, child(file, "expect"), &first) &&
                is_cluster(maker.arena, child(file, "expect"), &first, &err);
        /* the same by the name that users know */
        inventory_named(formats[i].name)->read(&source, &maker, &second, NULL);
        right = right && says(first.reading, second.reading);
    }
    free(text);
    arena_free(maker.arena);
    return right;
}

int main(void)
{
    const char *folder = getenv("SERRIED_REAL_TOPOLOGY");
    struct arena *arena = arena_new(ARENA_BYTES);
    struct tree *expected;
    struct error err;
    size_t len;
    char *text;
    int n = 0;

    if (folder == NULL || arena == NULL) {
        puts("1..0 # SKIP SERRIED_REAL_TOPOLOGY names no folder");
        arena_free(arena);
        return 0;
    }
    text = read_file(folder, "expected.json", &len);
    if (text == NULL ||
        document_read_json(arena, NULL, text, len, &expected, &err) < 0) {
        puts("Bail out! the list of right readings cannot be read");
        free(text);
        arena_free(arena);
        return 1;
    }
    free(text);
    for (const struct tree *t = tree_first(child(expected, "files")); t != NULL;
         t = t->next)
        printf("%s %d - %s\n", run(folder, t) ? "ok" : "not ok", ++n,
               child(t, "file")->text);
    n++;
    printf("%s %d - all %d are there\n", n > FILES_WANTED ? "ok" : "not ok", n,
           FILES_WANTED);
    printf("1..%d\n", n);
    arena_free(arena);
    return 0;
}
