/* SPDX-License-Identifier: Apache-2.0 */
/* Documents of the command line, each with the text it was written in. */
#include "client/pieces.h"

#include <string.h>

#include "proto/document.h"

/* ---- cutting it into documents ------------------------------------------- */

/* A line of a YAML text that begins or ends a document. */
static bool is_marker(const char *line, const char *end)
{
    return end - line >= 3 &&
           (memcmp(line, "---", 3) == 0 || memcmp(line, "...", 3) == 0) &&
           (end - line == 3 || line[3] == ' ' || line[3] == '\t' ||
            line[3] == '\r');
}

/* Whether nothing but a comment stands behind the marker. */
static bool is_bare(const char *line, const char *end)
{
    for (line += 3; line < end && *line != '#'; line++)
        if (*line != ' ' && *line != '\t' && *line != '\r')
            return false;
    return true;
}

/* Where a document is being cut out. */
struct cut {
    const char *begin; /* behind the last marker */
    uint32_t line;     /* of begin */
    struct piece *open;
};

static int close_piece(struct cut *cut, const char *end, struct arena *arena,
                       struct error *err)
{
    if (cut->open == NULL)
        return 0;
    cut->open->document.text =
        arena_strndup(arena, cut->begin, (size_t)(end - cut->begin));
    cut->open->document.line = cut->line;
    if (cut->open->document.text == NULL)
        return error_exhausted(err);
    cut->open = NULL;
    return 0;
}

/* Gives each piece the text between the markers around its first line. */
static int cut_text(const struct text *text, struct piece *pieces, size_t n,
                    struct arena *arena, struct error *err)
{
    const char *line = text_string(text), *end = line + text->len;
    struct cut cut = { .begin = line, .line = 1 };
    size_t next = 0;

    for (uint32_t number = 1; line < end; number++) {
        const char *eol = memchr(line, '\n', (size_t)(end - line));
        const char *after = eol != NULL ? eol + 1 : end;

        eol = eol != NULL ? eol : end;
        if (is_marker(line, eol)) {
            bool bare = is_bare(line, eol);

            if (close_piece(&cut, line, arena, err) < 0)
                return -1;
            cut.begin = bare ? after : line;
            cut.line = number + bare;
        }
        if (next < n && pieces[next].tree->line == number)
            cut.open = &pieces[next++];
        line = after;
    }
    if (close_piece(&cut, end, arena, err) < 0)
        return -1;
    for (size_t i = 0; i < n; i++)
        if (pieces[i].document.text == NULL)
            return tree_error(pieces[i].tree, err, STATUS_INVALID,
                              "its text cannot be told from that of its "
                              "neighbours; put it into a file of its own");
    return 0;
}

/* The daemon reads YAML, of which JSON is nearly a part; what is not is written
 * anew. */
static int whole_json(const struct text *text, struct piece *piece,
                      struct arena *arena, struct error *err)
{
    struct text again = { 0 };
    struct error why;
    struct tree *ignored;
    int rc = 0;

    piece->document.line = 1;
    if (document_read_yaml(arena, NULL, text_string(text), text->len, &ignored,
                           &why) == 0)
        piece->document.text = arena_strdup(arena, text_string(text));
    else if (document_write_json(piece->tree, false, &again) == 0)
        piece->document.text = arena_strdup(arena, text_string(&again));
    if (piece->document.text == NULL)
        rc = error_exhausted(err);
    text_close(&again);
    return rc;
}

/* ---- files --------------------------------------------------------------- */

static bool ends_in(const char *path, const char *ending)
{
    size_t len = strlen(path), n = strlen(ending);

    return len > n && strcmp(path + len - n, ending) == 0;
}

static bool is_json(const char *path)
{
    return ends_in(path, ".json");
}

/* The trees of a text: one of JSON, or the list of a YAML stream's. */
static int read_trees(struct arena *arena, const char *path, const char *name,
                      const struct text *text, const struct tree **ret_first,
                      size_t *ret_n, struct error *err)
{
    struct tree *tree;

    if (is_json(path)) {
        if (document_read_json(arena, name, text_string(text), text->len, &tree,
                               err) < 0)
            return -1;
        *ret_n = 1;
        *ret_first = tree;
        return 0;
    }
    if (document_read_yaml(arena, name, text_string(text), text->len, &tree,
                           err) < 0)
        return -1;
    *ret_n = tree_count(tree);
    *ret_first = tree_first(tree);
    return 0;
}

static int add_pieces(struct invocation *v, const char *path,
                      const struct text *text, struct pieces *all,
                      struct error *err)
{
    const char *name = document_source_name(path);
    const struct tree *tree;
    struct piece *items, *added;
    size_t n;

    if (ends_in(path, ".toml"))
        return error_set(err, STATUS_INVALID,
                         "%s: TOML is read of frameworks' own files; say whose "
                         "it is with --from RUNTIME",
                         path);
    if (read_trees(v->arena, path, name, text, &tree, &n, err) < 0)
        return -1;
    items = arena_array(v->arena, all->n + n, sizeof(*items));
    if (items == NULL)
        return error_exhausted(err);
    if (all->n > 0)
        memcpy(items, all->items, all->n * sizeof(*items));
    added = items + all->n;
    for (size_t i = 0; i < n; i++, tree = tree->next) {
        added[i].tree = tree;
        added[i].document.source = name;
        if (document_kind(tree, &added[i].kind, err) < 0)
            return -1;
    }
    *all = (struct pieces){ items, all->n + n };
    if (is_json(path))
        return whole_json(text, added, v->arena, err);
    return cut_text(text, added, n, v->arena, err);
}

static int read_file(struct invocation *v, const char *path,
                     struct pieces *pieces, struct error *err)
{
    struct text text = { 0 };
    int rc = document_read_bytes(path, &text, err);

    if (rc == 0)
        rc = add_pieces(v, path, &text, pieces, err);
    text_close(&text);
    return rc;
}

int pieces_named(const struct invocation *v)
{
    if (option_given(v, "file") || v->n_operands > 0)
        return EXIT_OK;
    return command_misused(v, "-f FILE is missing (- is standard input)");
}

int pieces_read(struct invocation *v, struct pieces *ret, struct error *err)
{
    struct pieces pieces = { 0 };
    const char *path;
    size_t at = 0;

    while ((path = option_next(v, "file", &at)) != NULL)
        if (read_file(v, path, &pieces, err) < 0)
            return -1;
    for (size_t i = 0; i < v->n_operands; i++)
        if (read_file(v, v->operands[i], &pieces, err) < 0)
            return -1;
    *ret = pieces;
    return 0;
}

const char *piece_name(const struct tree *deployment)
{
    const struct tree *name = tree_get(deployment, "deployment");

    if (name == NULL || name->type != TREE_STRING)
        name = tree_get(deployment, "model");
    return name != NULL && name->type == TREE_STRING ? name->text : NULL;
}
