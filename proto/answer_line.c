/* SPDX-License-Identifier: Apache-2.0 */
/* One line of a batch: JSON in, JSON out. */
#include "placement/reader.h"
#include "proto/answer.h"
#include "proto/document.h"

/* clang-format off */
static const struct read_key line_keys[] = {
    { "id",         READ_ANY,  false },
    { "declare",    READ_LIST, false },
    { "deployment", READ_MAP,  false },
    { "mesh",       READ_MAP,  false },
    { "lists",      READ_LIST, false },
    { "per_rank",   READ_BOOL, false },
    { "creation",   READ_BOOL, false },
    { "rank",       READ_INT,  false },
    { "up_to",      READ_STRING, false },
};
static const struct read_key mesh_keys[] = {
    { "axes", READ_LIST, true },
};
static const struct read_key mesh_axis_keys[] = {
    { "name", READ_STRING, true },
    { "size", READ_INT,    true },
};
/* clang-format on */

enum {
    LINE_SPARE_BYTES_MAX = 64 << 20, /* an id as long as a line, copied */
};

/* What the line asked for, or why it cannot be read. */
struct line {
    struct catalog *catalog;
    struct catalog *declared; /* over it, what the line declares; or NULL */
    struct arena *arena;
    struct arena *spare; /* for the answer when arena is full */
    const struct tree *tree;
    struct tree_maker maker;
    struct tree *out; /* the answer */
    bool accepts;
};

static int line_mesh(struct line *line, const struct tree *mesh,
                     const struct verdict_wants *wants, struct error *err)
{
    const char *names[VIEW_AXES_MAX];
    int64_t sizes[VIEW_AXES_MAX];
    const struct tree *axes;
    int n = 0;

    if (tree_get(line->tree, "deployment") != NULL)
        return tree_error(mesh, err, STATUS_INVALID,
                          "a line holds a deployment or a mesh, not both");
    if (wants->creation || wants->assignment || wants->up_to != NULL)
        return tree_error(mesh, err, STATUS_INVALID,
                          "bare axes have no creation sequence, no assignments "
                          "and no rules: leave creation, rank and up_to out");
    if (read_keys(mesh, mesh_keys, ARRAY_LEN(mesh_keys), err) < 0)
        return -1;
    axes = tree_get(mesh, "axes");
    if (tree_count(axes) == 0 || tree_count(axes) > VIEW_AXES_MAX)
        return tree_error(axes, err, STATUS_INVALID,
                          "%zu axes; a mesh has from 1 to %d", tree_count(axes),
                          VIEW_AXES_MAX);
    for (const struct tree *t = tree_first(axes); t != NULL; t = t->next) {
        if (read_keys(t, mesh_axis_keys, ARRAY_LEN(mesh_axis_keys), err) < 0)
            return -1;
        names[n] = read_string(t, "name");
        if (!read_is_identifier(names[n]))
            return tree_error(t, err, STATUS_INVALID,
                              "\"%s\" cannot be the name of an axis", names[n]);
        sizes[n++] = tree_get(t, "size")->u.integer;
    }
    line->accepts = true;
    return answer_mesh_axes(names, sizes, n, wants, &line->maker, line->out,
                            err);
}

static int line_deployment(struct line *line, const struct verdict_wants *wants,
                           struct error *err)
{
    struct tree *document = (struct tree *)tree_get(line->tree, "deployment");
    struct answer answer;

    if (document == NULL)
        return tree_error(line->tree, err, STATUS_INVALID,
                          "the key deployment is missing");
    document->parent = NULL; /* paths begin at the request, as in a file */
    if (answer_check(line->catalog, document, wants, line->arena, line->out,
                     &answer, err) < 0)
        return -1;
    line->accepts = answer.accepts;
    return 0;
}

/* Puts the line's own declarations in front of the catalog. */
static int line_declare(struct line *line, const struct tree *list,
                        struct error *err)
{
    if (tree_count(list) == 0)
        return 0;
    line->declared = catalog_over(line->catalog, err);
    if (line->declared == NULL)
        return -1;
    line->catalog = line->declared;
    for (const struct tree *t = tree_first(list); t != NULL; t = t->next)
        if (catalog_add(line->declared, t, err) < 0)
            return -1;
    return 0;
}

static int answer_tree(struct line *line, struct error *err)
{
    struct verdict_wants wants = { 0 };
    const struct tree *lists, *mesh, *rank;

    if (read_keys(line->tree, line_keys, ARRAY_LEN(line_keys), err) < 0)
        return -1;
    lists = tree_get(line->tree, "lists");
    mesh = tree_get(line->tree, "mesh");
    wants.per_rank = tree_true(line->tree, "per_rank");
    wants.creation = tree_true(line->tree, "creation");
    rank = tree_get(line->tree, "rank");
    if (rank != NULL &&
        (rank->u.integer < 0 || rank->u.integer >= VIEW_SPAN_MAX))
        return tree_error(rank, err, STATUS_INVALID, "a rank is from 0 to %d",
                          VIEW_SPAN_MAX - 1);
    wants.up_to = read_string(line->tree, "up_to");
    wants.assignment = rank != NULL;
    wants.rank = rank != NULL ? (uint32_t)rank->u.integer : 0;
    if (lists != NULL &&
        read_names(line->arena, lists, &wants.lists, &wants.n_lists, err) < 0)
        return -1;
    if (line_declare(line, tree_get(line->tree, "declare"), err) < 0)
        return -1;
    if (mesh != NULL)
        return line_mesh(line, mesh, &wants, err);
    return line_deployment(line, &wants, err);
}

static void begin(struct line *line, struct arena *arena)
{
    const struct tree *id = tree_get(line->tree, "id");

    line->maker = (struct tree_maker){ .arena = arena };
    line->out = make_map(&line->maker, NULL, NULL);
    if (id != NULL)
        make_copy(&line->maker, line->out, "id", id);
}

static void write_error(struct line *line, const struct error *why)
{
    struct tree *map;

    begin(line, line->spare); /* without what was written of the answer */
    map = make_map(&line->maker, line->out, "error");
    make_string(&line->maker, map, "status", status_name(why->status));
    make_string(&line->maker, map, "message", why->text);
}

int answer_line(struct catalog *catalog, const char *text, size_t len,
                struct text *out, enum status *ret_status, struct error *err)
{
    struct line line = { .catalog = catalog };
    struct tree *tree = NULL;
    struct error why;
    int rc = -1;

    line.arena = arena_new(ANSWER_BYTES_MAX);
    line.spare = arena_new(LINE_SPARE_BYTES_MAX);
    if (line.arena == NULL || line.spare == NULL) {
        error_exhausted(err);
        goto out;
    }
    *ret_status = STATUS_OK;
    if (document_read_json(line.arena, NULL, text, len, &tree, &why) < 0) {
        *ret_status = why.status;
        write_error(&line, &why);
    } else {
        line.tree = tree;
        begin(&line, line.arena);
        if (answer_tree(&line, &why) < 0) {
            *ret_status = why.status;
            write_error(&line, &why);
        } else if (!line.accepts) {
            *ret_status = STATUS_REFUSED;
        }
    }
    rc = line.maker.failed || document_write_json(line.out, false, out) < 0
             ? error_exhausted(err)
             : 0;
out:
    catalog_free(line.declared);
    arena_free(line.arena);
    arena_free(line.spare);
    return rc;
}
