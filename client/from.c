/* SPDX-License-Identifier: Apache-2.0 */
/* Requests out of frameworks' own files and flags: --from. */
#include "client/from.h"

#include <stdlib.h>
#include <string.h>

#include "placement/view.h"
#include "proto/document.h"

bool from_given(const struct invocation *v)
{
    return option_given(v, "from");
}

int from_named(const struct invocation *v)
{
    if (from_given(v) && !option_given(v, "file") && v->n_operands == 0)
        return command_misused(v, "-f FILE or -- FLAG... is missing");
    if (!from_given(v) && option_given(v, "world"))
        return command_misused(v, "--world is for --from; other requests say "
                                  "their ranks themselves");
    if (!from_given(v) && option_given(v, "model"))
        return command_misused(v, "--model is for --from; other requests name "
                                  "their model themselves");
    if (!from_given(v) && option_given(v, "name"))
        return command_misused(v, "--name is for --from; other requests say "
                                  "their name themselves");
    return from_given(v) ? EXIT_OK : pieces_named(v);
}

/* ---- names --------------------------------------------------------------- */

/* The part of a path in front of its ending. */
static const char *stem(struct arena *arena, const char *base, size_t len)
{
    const char *dot = memrchr(base, '.', len);

    return arena_strndup(
        arena, base, dot != NULL && dot > base ? (size_t)(dot - base) : len);
}

const char *from_name(struct arena *arena, const char *path)
{
    const char *slash = strrchr(path, '/'), *before;
    const char *base = slash != NULL ? slash + 1 : path;
    const char *name = stem(arena, base, strlen(base));

    if (name == NULL || slash == NULL || slash == path ||
        (strcmp(name, "config") != 0 && strcmp(name, "model_config") != 0))
        return name;
    before = memrchr(path, '/', (size_t)(slash - path));
    before = before != NULL ? before + 1 : path;
    return *before != '.' && *before != '/'
               ? arena_strndup(arena, before, (size_t)(slash - before))
               : name;
}

/* ---- what was not read --------------------------------------------------- */

static void put_one(const struct tree *one, bool reasons, struct text *out)
{
    const struct tree *near = tree_get(one, "nearest");

    text_printf(out, "%s%s", out->len > 0 ? ", " : "",
                tree_get(one, "key")->text);
    if (near != NULL)
        text_printf(out, " (the nearest is %s)", near->text);
    else if (reasons)
        text_printf(out, " (%s)", tree_get(one, "reason")->text);
}

void from_complain(const char *name, const struct tree *not_read)
{
    for (int kind = 0; kind < IMPORT_UNREAD_COUNT; kind++) {
        bool reasons =
            kind != IMPORT_UNREAD_UNKNOWN && kind != IMPORT_UNREAD_WORD;
        struct text keys = { 0 };

        for (const struct tree *t = tree_first(not_read); t != NULL;
             t = t->next)
            if (strcmp(tree_get(t, "kind")->text, import_kinds[kind]) == 0)
                put_one(t, reasons, &keys);
        if (keys.len > 0)
            output_complainf("%s: not read, %s: %s", name,
                             import_kind_about[kind], text_string(&keys));
        text_close(&keys);
    }
}

/* ---- importing ----------------------------------------------------------- */

static int read_world(const struct invocation *v, int64_t *ret,
                      struct error *err)
{
    const char *word = option_value(v, "world");
    char *end;

    *ret = 0;
    if (word == NULL)
        return 0;
    *ret = strtoll(word, &end, 10);
    if (*end == '\0' && *ret >= 1 && *ret <= VIEW_SPAN_MAX)
        return 0;
    return error_set(err, STATUS_INVALID,
                     "--world %.32s: expected a number of ranks from 1 to %d",
                     word, VIEW_SPAN_MAX);
}

int from_import(struct invocation *v, struct catalog *catalog,
                const struct runtime *rt, const struct tree *file,
                struct import_result *ret, struct error *err)
{
    struct import_source source = {
        .file = file,
        .words = v->operands + v->n_before_dashes,
        .n_words = v->n_operands - v->n_before_dashes,
        .name = rt->name,
        .model = option_value(v, "model"),
    };
    struct tree_maker maker = { .arena = v->arena };

    if (file != NULL && file->source != NULL)
        source.name = from_name(v->arena, file->source);
    if (option_given(v, "name"))
        source.name = option_value(v, "name");
    if (source.name == NULL)
        return error_exhausted(err);
    if (read_world(v, &source.world, err) < 0)
        return -1;
    return import_request(catalog, rt, &source, &maker, ret, err);
}

/* ---- pieces -------------------------------------------------------------- */

/* Documents on their way into pieces. */
struct gathering {
    struct invocation *v;
    struct catalog *catalog;
    const char *from; /* name of the runtime */
    bool complain;
    struct pieces pieces;
    struct error *err;
};

static int add_piece(struct gathering *g, const struct tree *tree,
                     enum document_kind kind, const struct tree *not_read)
{
    struct pieces *all = &g->pieces;
    struct piece *items = arena_array(g->v->arena, all->n + 1, sizeof(*items));
    struct text text = { 0 };
    struct piece *piece;

    if (items == NULL)
        return error_exhausted(g->err);
    if (all->n > 0)
        memcpy(items, all->items, all->n * sizeof(*items));
    piece = &items[all->n];
    piece->tree = tree;
    piece->kind = kind;
    piece->not_read = not_read;
    piece->document.source = tree->source != NULL ? tree->source : g->from;
    piece->document.line = 1;
    if (document_write_yaml(tree, &text) == 0)
        piece->document.text = arena_strdup(g->v->arena, text_string(&text));
    text_close(&text);
    if (piece->document.text == NULL)
        return error_exhausted(g->err);
    *all = (struct pieces){ items, all->n + 1 };
    return 0;
}

/* Whether a document is a runtime's or a model's declaration, which may stand
 * beside the framework's files. */
static bool is_declaration(const struct tree *tree, enum document_kind *ret)
{
    const struct tree *name;
    struct error why;

    if (document_kind(tree, ret, &why) < 0)
        return false;
    name = tree_get(tree, *ret == DOCUMENT_RUNTIME ? "runtime" : "model");
    return (*ret == DOCUMENT_RUNTIME || *ret == DOCUMENT_MODEL) &&
           name != NULL && name->type == TREE_STRING;
}

/* file NULL: flags alone. */
static int add_request(struct gathering *g, const struct tree *file)
{
    const struct runtime *rt = catalog_runtime(g->catalog, g->from, g->err);
    struct import_result result;
    const char *source;

    if (rt == NULL ||
        from_import(g->v, g->catalog, rt, file, &result, g->err) < 0)
        return -1;
    source = file != NULL ? file->source : NULL;
    if (g->complain)
        from_complain(source != NULL ? source : g->from, result.not_read);
    result.deployment->source = source;
    if (result.model != NULL) {
        result.model->source = source;
        if (add_piece(g, result.model, DOCUMENT_MODEL, NULL) < 0)
            return -1;
    }
    return add_piece(g, result.deployment, DOCUMENT_DEPLOYMENT,
                     result.not_read);
}

/* Declarations first, so that requests may name them. */
static int add_files(struct gathering *g, const struct tree *const *files,
                     size_t n, bool declarations)
{
    for (size_t i = 0; i < n; i++) {
        const struct tree *t = tree_first(files[i]);

        for (; t != NULL; t = t->next) {
            enum document_kind kind;
            bool declares = is_declaration(t, &kind);

            if (declares != declarations)
                continue;
            if (declares ? catalog_add(g->catalog, t, g->err) < 0 ||
                               add_piece(g, t, kind, NULL) < 0
                         : add_request(g, t) < 0)
                return -1;
        }
    }
    return 0;
}

static int read_files(struct invocation *v, const struct tree ***ret,
                      size_t *ret_n, struct error *err)
{
    const struct tree **files =
        arena_array(v->arena, v->n_options + v->n_operands + 1, sizeof(*files));
    struct tree *documents;
    const char *path;
    size_t at = 0, n = 0;

    if (files == NULL)
        return error_exhausted(err);
    while ((path = option_next(v, "file", &at)) != NULL) {
        if (document_read_file(v->arena, path, &documents, err) < 0)
            return -1;
        files[n++] = documents;
    }
    for (size_t i = 0; i < v->n_before_dashes; i++) {
        if (document_read_file(v->arena, v->operands[i], &documents, err) < 0)
            return -1;
        files[n++] = documents;
    }
    *ret = files;
    *ret_n = n;
    return 0;
}

/* Says so in a request, in place of what it may say itself. */
static int renumber(struct piece *piece, struct arena *arena, struct error *err)
{
    static const char key[] = "sparse";
    struct tree_maker maker = { .arena = arena };
    struct tree *map = make_map(&maker, NULL, NULL);
    struct text text = { 0 };

    for (const struct tree *t = tree_first(piece->tree); t != NULL; t = t->next)
        if (strcmp(t->key, key) != 0)
            make_copy(&maker, map, t->key, t);
    make_string(&maker, map, key, "renumber");
    piece->document.text = NULL;
    if (!maker.failed && document_write_yaml(map, &text) == 0)
        piece->document.text = arena_strdup(arena, text_string(&text));
    text_close(&text);
    piece->tree = map;
    return piece->document.text != NULL ? 0 : error_exhausted(err);
}

static int renumber_all(struct invocation *v, struct pieces *pieces,
                        struct error *err)
{
    for (size_t i = 0; option_given(v, "renumber") && i < pieces->n; i++)
        if (pieces->items[i].kind == DOCUMENT_DEPLOYMENT &&
            renumber(&pieces->items[i], v->arena, err) < 0)
            return -1;
    return 0;
}

static int read_all(struct invocation *v, struct catalog *catalog,
                    bool complain, struct pieces *ret, struct error *err)
{
    struct gathering g = { .v = v,
                           .catalog = catalog,
                           .from = option_value(v, "from"),
                           .complain = complain,
                           .err = err };
    const struct tree **files = NULL;
    bool requests = false;
    size_t n = 0;

    if (g.from == NULL)
        return pieces_read(v, ret, err);
    if (read_files(v, &files, &n, err) < 0 ||
        add_files(&g, files, n, true) < 0 || add_files(&g, files, n, false) < 0)
        return -1;
    for (size_t i = 0; i < g.pieces.n; i++)
        requests |= g.pieces.items[i].kind == DOCUMENT_DEPLOYMENT;
    if (!requests && add_request(&g, NULL) < 0)
        return -1;
    *ret = g.pieces;
    return 0;
}

int from_read(struct invocation *v, struct catalog *catalog, bool complain,
              struct pieces *ret, struct error *err)
{
    if (read_all(v, catalog, complain, ret, err) < 0)
        return -1;
    return renumber_all(v, ret, err);
}

int from_read_live(struct live *live, struct pieces *ret, struct error *err)
{
    struct catalog *catalog = NULL;

    if (from_given(live->v)) {
        catalog = live_catalog(live, err);
        if (catalog == NULL)
            return -1;
    }
    return from_read(live->v, catalog, true, ret, err);
}

int from_each_live(struct live *live, const char *only, from_each_fn *one,
                   int *ret_exit, struct error *err)
{
    struct pieces pieces;

    if (from_read_live(live, &pieces, err) < 0)
        return -1;
    for (size_t i = 0; i < pieces.n; i++)
        if (pieces.items[i].kind != DOCUMENT_DEPLOYMENT)
            return tree_error(pieces.items[i].tree, err, STATUS_INVALID,
                              "not a deployment; %s", only);
    live->v->out.documents = pieces.n > 1;
    for (size_t i = 0; i < pieces.n; i++) {
        int rc = EXIT_OK;

        if (one(live, &pieces.items[i], &rc, err) < 0)
            return -1;
        if (rc > *ret_exit)
            *ret_exit = rc;
    }
    return 0;
}
