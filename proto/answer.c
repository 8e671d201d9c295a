/* SPDX-License-Identifier: Apache-2.0 */
/* Checking documents: from a request's text to the answer's. */
#include "proto/answer.h"

#include <string.h>

#include "placement/explain.h"
#include "placement/reader.h"
#include "proto/document.h"

/* ---- one request --------------------------------------------------------- */

/* The verdict on a request whose model, and with it whose runtime, is not
 * known. */
static int refuse_model(struct catalog *catalog, const char *model,
                        struct tree_maker *maker, struct answer *ret)
{
    size_t n;
    const char *const *names = catalog_models(catalog, &n);
    const char *nearest = text_nearest(model, names, n);
    struct tree *finding, *fixes;
    const struct fault_row *row = &fault_rows[FAULT_MODEL_UNKNOWN];
    const struct finding f = { .name = model, .near = nearest };
    struct text reason = { 0 };

    fault_fill(NULL, &f, row->reason, &reason);
    make_string(maker, ret->tree, "verdict", "refuse");
    finding = make_map(maker, make_list(maker, ret->tree, "findings"), NULL);
    make_string(maker, finding, "code", row->code);
    make_string(maker, finding, "subject", row->subject);
    make_string(maker, finding, "equation", "");
    make_string(maker, finding, "reason", text_string(&reason));
    fixes = make_list(maker, finding, "fixes");
    text_clear(&reason);
    fault_fill(NULL, &f, row->fix, &reason);
    make_string(maker, fixes, NULL, text_string(&reason));
    text_close(&reason);
    for (int i = 0; i < 2; i++)
        make_list(maker, ret->tree, i == 0 ? "unchecked" : "warnings");
    make_map(maker, ret->tree, "derived");
    make_list(maker, ret->tree, "alternatives");
    make_list(maker, ret->tree, "node_groups");
    return 0;
}

/* The runtime a request is under: its own, else its model's. */
static const struct runtime *runtime_of(struct catalog *catalog,
                                        const struct tree *document,
                                        const struct model *model,
                                        struct error *err)
{
    const char *name = deployment_runtime_name(document);

    if (name == NULL && model != NULL)
        name = model->runtime;
    if (name == NULL) {
        tree_error(document, err, STATUS_INVALID,
                   "the key runtime is missing, and the model names none");
        return NULL;
    }
    return catalog_runtime(catalog, name, err);
}

int answer_question(const struct question *question,
                    const struct verdict_wants *wants, struct arena *arena,
                    struct tree *map, struct answer *ret, struct error *err)
{
    struct tree_maker maker = { .arena = arena };
    struct alternatives alternatives = { 0 };
    struct list_name name;
    struct check *check;

    for (size_t i = 0; i < wants->n_lists; i++)
        if (runtime_list_name(question->runtime, arena, wants->lists[i], &name,
                              err) < 0)
            return -1;
    check = check_run(question, arena, 0, err);
    if (check == NULL)
        return -1;
    if (map == NULL)
        map = make_map(&maker, NULL, NULL);
    if (!check_accepts(check) &&
        alternatives_find(check, &alternatives, err) < 0)
        return -1;
    if (verdict_write(check, &alternatives, wants, &maker, map, err) < 0)
        return -1;
    *ret = (struct answer){ .tree = map,
                            .check = check,
                            .deployment = question->deployment,
                            .accepts = check_accepts(check),
                            .unchecked = check->n_unchecked > 0 };
    return 0;
}

/* A name that was written must be one. */
static int check_name(const struct tree *document, const char *key,
                      struct error *err)
{
    const struct tree *name = tree_get(document, key);

    return name != NULL ? read_type(name, READ_STRING, err) : 0;
}

int answer_check(struct catalog *catalog, const struct tree *document,
                 const struct verdict_wants *wants, struct arena *arena,
                 struct tree *map, struct answer *ret, struct error *err)
{
    struct tree_maker maker = { .arena = arena };
    struct question question = { 0 };
    struct answer answer = { 0 };
    const char *model = deployment_model_name(document);
    struct error why = { 0 };

    if (read_type(document, READ_MAP, err) < 0 ||
        check_name(document, "model", err) < 0 ||
        check_name(document, "runtime", err) < 0)
        return -1;
    answer.tree = map != NULL ? map : make_map(&maker, NULL, NULL);
    if (model != NULL) {
        question.model = catalog_model(catalog, model, &why);
        if (question.model == NULL && why.status != STATUS_UNKNOWN_NAME) {
            *err = why;
            return -1;
        }
    }
    if (model != NULL && question.model == NULL &&
        deployment_runtime_name(document) == NULL) {
        refuse_model(catalog, model, &maker, &answer);
    } else {
        question.runtime = runtime_of(catalog, document, question.model, err);
        if (question.runtime == NULL)
            return -1;
        question.deployment =
            deployment_load(arena, question.runtime, document, err);
        if (question.deployment == NULL)
            return -1;
        question.model_names = catalog_models(catalog, &question.n_model_names);
        return answer_question(&question, wants, arena, answer.tree, ret, err);
    }
    if (maker.failed)
        return error_exhausted(err);
    *ret = answer;
    return 0;
}

/* ---- bare axes ----------------------------------------------------------- */

/* "cfg+tp" as a mask of a view's axes. */
static int axes_named(const struct view *view, const char *text,
                      uint32_t *ret_axes, struct error *err)
{
    char name[128];

    *ret_axes = 0;
    while (text != NULL) {
        const char *plus = strchr(text, '+');
        size_t n = plus != NULL ? (size_t)(plus - text) : strlen(text);
        int axis = -1;

        if (n < sizeof(name)) {
            memcpy(name, text, n);
            name[n] = '\0';
            axis = view_axis(view, name);
        }
        if (axis < 0)
            return error_set(err, STATUS_UNKNOWN_NAME,
                             "there is no axis called \"%.*s\"", (int)n, text);
        *ret_axes |= 1u << axis;
        text = plus != NULL ? plus + 1 : NULL;
    }
    return 0;
}

static void write_axes_list(struct tree_maker *maker, struct tree *map,
                            const char *key, const struct view *view,
                            uint32_t axes)
{
    struct tree *all = make_list(maker, map, key);
    struct lists lists;

    lists_over(view, axes, &lists);
    for (uint32_t i = 0; i < lists_count(&lists); i++) {
        struct tree *one = make_list(maker, all, NULL);

        for (uint32_t j = 0; j < lists_length(&lists); j++)
            make_int(maker, one, NULL, lists_member(&lists, i, j));
        if (maker->failed)
            return;
    }
}

/* The coordinate of every rank on every axis. */
static void write_axes_ranks(struct tree_maker *maker, struct tree *map,
                             const struct view *view)
{
    map = make_map(maker, map, "per_rank");
    for (int a = 0; a < view->n_axes; a++) {
        struct tree *list = make_list(maker, map, view->axes[a].name);

        for (uint32_t r = 0; r < view->span && !maker->failed; r++)
            make_int(maker, list, NULL, view_coordinate(view, a, r));
    }
}

int answer_mesh_axes(const char *const *names, const int64_t *sizes, int n,
                     const struct verdict_wants *wants,
                     struct tree_maker *maker, struct tree *map,
                     struct error *err)
{
    const char *const *lists = wants->lists;
    size_t n_lists = wants->n_lists;
    struct view view;
    struct tree *out;
    uint32_t axes;

    if (view_init(&view, names, sizes, n, err) < 0)
        return -1;
    for (size_t i = 0; i < n_lists; i++)
        if (axes_named(&view, lists[i], &axes, err) < 0)
            return -1;
    make_int(maker, map, "world", view.span);
    make_map(maker, map, "derived");
    out = make_map(maker, map, "lists");
    for (int a = 0; n_lists == 0 && a < n; a++)
        write_axes_list(maker, out, names[a], &view, 1u << a);
    for (size_t i = 0; i < n_lists; i++) {
        if (axes_named(&view, lists[i], &axes, err) < 0)
            return -1;
        write_axes_list(maker, out, lists[i], &view, axes);
    }
    if (wants->per_rank)
        write_axes_ranks(maker, map, &view);
    return maker->failed ? error_exhausted(err) : 0;
}

/* ---- batch lines --------------------------------------------------------- */

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

static bool is_true(const struct tree *map, const char *key)
{
    const struct tree *child = tree_get(map, key);

    return child != NULL && child->u.boolean;
}

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
    if (wants->creation || wants->assignment)
        return tree_error(mesh, err, STATUS_INVALID,
                          "bare axes have neither a creation sequence nor "
                          "assignments: leave creation and rank out");
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
    wants.per_rank = is_true(line->tree, "per_rank");
    wants.creation = is_true(line->tree, "creation");
    rank = tree_get(line->tree, "rank");
    if (rank != NULL &&
        (rank->u.integer < 0 || rank->u.integer >= VIEW_SPAN_MAX))
        return tree_error(rank, err, STATUS_INVALID, "a rank is from 0 to %d",
                          VIEW_SPAN_MAX - 1);
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
