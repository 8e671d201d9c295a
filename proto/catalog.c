/* SPDX-License-Identifier: Apache-2.0 */
/* The runtimes and models that are known, loaded when first asked for. */
#include "proto/catalog.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "proto/document.h"
#include "share/embedded.h"

enum {
    /* A model of 8 MiB of text takes about 250 MiB as a tree; the shipped
     * declarations take 2 MiB together. */
    CATALOG_BYTES_MAX = 512 << 20,
};

struct entry {
    enum document_kind kind; /* DOCUMENT_RUNTIME or DOCUMENT_MODEL */
    const char *name;
    const struct embedded_file *file; /* read when first asked for; or NULL */
    const struct tree *document;      /* NULL until read */
    const void *loaded; /* struct runtime or struct model; NULL until loaded */
    const void *set;    /* in force instead, by catalog_set(); NULL: none */
};

struct catalog {
    struct catalog *base; /* NULL: none */
    struct arena *arena;
    struct entry *entries; /* CATALOG_ENTRIES_MAX */
    size_t n_entries;
    const char **names; /* of the last catalog_models() or _runtimes() */
};

/* ---- kinds --------------------------------------------------------------- */

int document_kind(const struct tree *document, enum document_kind *ret,
                  struct error *err)
{
    /* clang-format off */
    static const struct {
        const char *key, *also;
        enum document_kind kind;
    } rows[] = {
        { "deployment",  NULL,          DOCUMENT_DEPLOYMENT },
        { "node_groups", NULL,          DOCUMENT_DEPLOYMENT },
        { "world",       NULL,          DOCUMENT_DEPLOYMENT },
        { "model",       "max_seq_len", DOCUMENT_DEPLOYMENT },
        { "axes",        NULL,          DOCUMENT_RUNTIME },
        { "rules",       NULL,          DOCUMENT_RUNTIME },
        { "views",       NULL,          DOCUMENT_RUNTIME },
        { "nodes",       NULL,          DOCUMENT_MODEL },
        { "walks",       NULL,          DOCUMENT_MODEL },
        { "facts",       NULL,          DOCUMENT_MODEL },
        { "hosts",       NULL,          DOCUMENT_CLUSTER },
    };
    /* clang-format on */

    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (tree_get(document, rows[i].key) != NULL &&
            (rows[i].also == NULL ||
             tree_get(document, rows[i].also) != NULL)) {
            *ret = rows[i].kind;
            return 0;
        }
    return tree_error(document, err, STATUS_INVALID,
                      "this is no deployment (node_groups or world), runtime "
                      "(axes), model (nodes) or cluster (hosts); a framework's "
                      "own file is read with --from RUNTIME");
}

/* ---- entries ------------------------------------------------------------- */

static struct entry *find(struct catalog *catalog, enum document_kind kind,
                          const char *name)
{
    for (size_t i = 0; i < catalog->n_entries; i++)
        if (catalog->entries[i].kind == kind &&
            strcmp(catalog->entries[i].name, name) == 0)
            return &catalog->entries[i];
    return NULL;
}

/* The entry of this name, made if there is none. */
static struct entry *entry_for(struct catalog *catalog, enum document_kind kind,
                               const char *name, struct error *err)
{
    struct entry *entry = find(catalog, kind, name);

    if (entry != NULL)
        return entry;
    if (catalog->n_entries == CATALOG_ENTRIES_MAX) {
        error_set(err, STATUS_EXHAUSTED, "more than %d declarations",
                  CATALOG_ENTRIES_MAX);
        return NULL;
    }
    entry = &catalog->entries[catalog->n_entries++];
    *entry = (struct entry){ .kind = kind, .name = name };
    return entry;
}

static int load(struct catalog *catalog, struct entry *entry, struct error *err)
{
    struct tree *documents;

    if (entry->loaded != NULL)
        return 0;
    if (entry->document == NULL) {
        if (document_read_yaml(catalog->arena, entry->file->name,
                               entry->file->text, entry->file->len, &documents,
                               err) < 0)
            return -1;
        entry->document = tree_first(documents);
    }
    if (entry->kind == DOCUMENT_RUNTIME)
        entry->loaded = runtime_load(catalog->arena, entry->document, err);
    else
        entry->loaded = model_load(catalog->arena, entry->document, err);
    return entry->loaded != NULL ? 0 : -1;
}

int catalog_add(struct catalog *catalog, const struct tree *document,
                struct error *err)
{
    struct entry fresh = { .document = document }, *entry;

    if (document_kind(document, &fresh.kind, err) < 0)
        return -1;
    if (fresh.kind != DOCUMENT_RUNTIME && fresh.kind != DOCUMENT_MODEL)
        return tree_error(document, err, STATUS_INVALID,
                          "only a runtime or a model can be declared");
    if (load(catalog, &fresh, err) < 0)
        return -1;
    fresh.name = fresh.kind == DOCUMENT_RUNTIME
                     ? ((const struct runtime *)fresh.loaded)->name
                     : ((const struct model *)fresh.loaded)->name;
    entry = entry_for(catalog, fresh.kind, fresh.name, err);
    if (entry == NULL)
        return -1;
    *entry = fresh;
    return 0;
}

int catalog_set(struct catalog *catalog, enum document_kind kind,
                const char *name, const void *loaded, struct error *err)
{
    struct entry *entry = find(catalog, kind, name);

    if (entry == NULL && loaded == NULL)
        return 0;
    if (entry == NULL) {
        const char *kept = arena_strdup(catalog->arena, name);

        if (kept == NULL)
            return error_exhausted(err);
        entry = entry_for(catalog, kind, kept, err);
    }
    if (entry == NULL)
        return -1;
    entry->set = loaded;
    return 0;
}

const char *catalog_shipped(const struct catalog *catalog,
                            enum document_kind kind, const char *name,
                            size_t *ret_len)
{
    const struct entry *entry = find((struct catalog *)catalog, kind, name);

    if (entry == NULL || entry->file == NULL)
        return NULL;
    *ret_len = entry->file->len;
    return entry->file->text;
}

/* Whether an entry stands for something now. */
static bool in_force(const struct entry *entry)
{
    return entry->set != NULL || entry->file != NULL || entry->document != NULL;
}

/* ---- making -------------------------------------------------------------- */

static struct catalog *catalog_empty(struct error *err)
{
    struct catalog *catalog = calloc(1, sizeof(*catalog));

    if (catalog == NULL) {
        error_exhausted(err);
        return NULL;
    }
    catalog->arena = arena_new(CATALOG_BYTES_MAX);
    catalog->entries = calloc(CATALOG_ENTRIES_MAX, sizeof(*catalog->entries));
    if (catalog->arena == NULL || catalog->entries == NULL) {
        catalog_free(catalog);
        error_exhausted(err);
        return NULL;
    }
    return catalog;
}

void catalog_free(struct catalog *catalog)
{
    if (catalog == NULL)
        return;
    arena_free(catalog->arena);
    free(catalog->entries);
    free(catalog->names);
    free(catalog);
}

static bool has_suffix(const char *name, const char *suffix)
{
    size_t n = strlen(name), k = strlen(suffix);

    return n > k && strcmp(name + n - k, suffix) == 0;
}

static int add_file(struct catalog *catalog, const char *path,
                    struct error *err)
{
    struct tree *documents;

    if (document_read_file(catalog->arena, path, &documents, err) < 0)
        return -1;
    for (const struct tree *t = tree_first(documents); t != NULL; t = t->next)
        if (catalog_add(catalog, t, err) < 0)
            return -1;
    return 0;
}

static int is_yaml(const struct dirent *file)
{
    return has_suffix(file->d_name, ".yaml");
}

/* Adds every .yaml file of folder/part, in the order of their names; a part
 * that is not there is empty. */
static int add_folder(struct catalog *catalog, const char *folder,
                      const char *part, struct error *err)
{
    char path[4096];
    struct dirent **files = NULL;
    int n, rc = 0;

    snprintf(path, sizeof(path), "%s/%s", folder, part);
    n = scandir(path, &files, is_yaml, alphasort);
    if (n < 0 && errno == ENOENT && access(folder, F_OK) == 0)
        return 0;
    if (n < 0)
        return error_set(err, STATUS_UNKNOWN_NAME, "%s: %s", path,
                         strerror(errno));
    for (int i = 0; i < n; i++) {
        char name[8192];

        snprintf(name, sizeof(name), "%s/%s", path, files[i]->d_name);
        if (rc == 0)
            rc = add_file(catalog, name, err);
        free(files[i]);
    }
    free(files);
    return rc;
}

struct catalog *catalog_new(const char *folder, struct error *err)
{
    struct catalog *catalog = catalog_empty(err);

    if (catalog == NULL)
        return NULL;
    for (size_t i = 0; i < embedded_files_count; i++) {
        const struct embedded_file *file = &embedded_files[i];
        bool runtime = strcmp(file->kind, "runtime") == 0;
        struct entry *entry =
            entry_for(catalog, runtime ? DOCUMENT_RUNTIME : DOCUMENT_MODEL,
                      file->name, err);

        if (entry == NULL)
            goto failed;
        entry->file = file;
    }
    if (folder != NULL && (add_folder(catalog, folder, "runtimes", err) < 0 ||
                           add_folder(catalog, folder, "models", err) < 0))
        goto failed;
    return catalog;
failed:
    catalog_free(catalog);
    return NULL;
}

struct catalog *catalog_over(struct catalog *base, struct error *err)
{
    struct catalog *catalog = catalog_empty(err);

    if (catalog != NULL)
        catalog->base = base;
    return catalog;
}

/* ---- asking -------------------------------------------------------------- */

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Sorted names of a kind, of this catalog and those below, each once. */
static const char *const *names_of(struct catalog *catalog,
                                   enum document_kind kind, size_t *ret_n)
{
    size_t n = 0, kept = 0, room = 1;

    for (struct catalog *c = catalog; c != NULL; c = c->base)
        room += c->n_entries;
    free(catalog->names);
    catalog->names = calloc(room, sizeof(*catalog->names));
    *ret_n = 0;
    if (catalog->names == NULL)
        return NULL;
    for (struct catalog *c = catalog; c != NULL; c = c->base)
        for (size_t i = 0; i < c->n_entries; i++)
            if (c->entries[i].kind == kind && in_force(&c->entries[i]))
                catalog->names[n++] = c->entries[i].name;
    qsort(catalog->names, n, sizeof(*catalog->names), compare_names);
    for (size_t i = 0; i < n; i++)
        if (kept == 0 ||
            strcmp(catalog->names[kept - 1], catalog->names[i]) != 0)
            catalog->names[kept++] = catalog->names[i];
    *ret_n = kept;
    return catalog->names;
}

enum { KNOWN_TOLD = 4 }; /* names, to who asks for one that nothing is like */

/* "; the nearest name is a", "; known are a, b and 3 more" */
static void put_known(const char *name, const char *const *names, size_t n,
                      struct text *out)
{
    const char *nearest = text_nearest(name, names, n);
    size_t told = n < KNOWN_TOLD ? n : KNOWN_TOLD;

    if (nearest != NULL) {
        text_printf(out, "; the nearest name is %s", nearest);
        return;
    }
    for (size_t i = 0; i < told; i++)
        text_printf(out, "%s%s", i == 0 ? "; known are " : ", ", names[i]);
    if (n > told)
        text_printf(out, " and %zu more", n - told);
}

static const void *get(struct catalog *catalog, enum document_kind kind,
                       const char *name, struct error *err)
{
    const char *const *names;
    struct text known = { 0 };
    size_t n;

    for (struct catalog *c = catalog; c != NULL; c = c->base) {
        struct entry *entry = find(c, kind, name);

        if (entry != NULL && entry->set != NULL)
            return entry->set;
        if (entry != NULL && in_force(entry))
            return load(c, entry, err) < 0 ? NULL : entry->loaded;
    }
    names = names_of(catalog, kind, &n);
    put_known(name, names, n, &known);
    error_set(err, STATUS_UNKNOWN_NAME, "no %s is called %s%s",
              kind == DOCUMENT_RUNTIME ? "runtime" : "model", name,
              text_string(&known));
    text_close(&known);
    return NULL;
}

const struct runtime *catalog_runtime(struct catalog *catalog, const char *name,
                                      struct error *err)
{
    return get(catalog, DOCUMENT_RUNTIME, name, err);
}

const struct model *catalog_model(struct catalog *catalog, const char *name,
                                  struct error *err)
{
    return get(catalog, DOCUMENT_MODEL, name, err);
}

const char *const *catalog_models(struct catalog *catalog, size_t *ret_n)
{
    return names_of(catalog, DOCUMENT_MODEL, ret_n);
}

const char *const *catalog_runtimes(struct catalog *catalog, size_t *ret_n)
{
    return names_of(catalog, DOCUMENT_RUNTIME, ret_n);
}
