/* SPDX-License-Identifier: Apache-2.0 */
/* serry mesh: views and groups of a configuration, or of bare axes. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "client/drawn.h"
#include "client/live.h"
#include "client/mesh.h"
#include "client/report.h"
#include "client/setting.h"
#include "placement/synthetic.h"
#include "proto/answer.h"

/* ---- reading values ------------------------------------------------------ */

/* Calls take() with each part of a list that commas separate. */
static int each_part(struct mesh *m, const char *list,
                     int (*take)(struct mesh *m, const char *part,
                                 struct error *err),
                     struct error *err)
{
    char *rest = arena_strdup(m->v->arena, list), *part;

    if (rest == NULL)
        return error_exhausted(err);
    while ((part = strsep(&rest, ",")) != NULL)
        if (part[0] != '\0' && take(m, part, err) < 0)
            return -1;
    return 0;
}

static int take_group(struct mesh *m, const char *part, struct error *err)
{
    if (m->n_lists == GROUPS_MAX)
        return error_set(err, STATUS_INVALID, "more than %d lists", GROUPS_MAX);
    m->lists[m->n_lists++] = part;
    return 0;
}

static int take_axis(struct mesh *m, const char *part, struct error *err)
{
    const char *name, *value;
    int64_t size;

    if (m->n_axes == VIEW_AXES_MAX)
        return error_set(err, STATUS_INVALID, "more than %d axes",
                         VIEW_AXES_MAX);
    if (setting_pair(m->v->arena, part, &name, &value, err) < 0 ||
        setting_size(name, value, &size, err) < 0)
        return -1;
    m->names[m->n_axes] = name;
    m->sizes[m->n_axes++] = size;
    return 0;
}

/* ---- a runtime ----------------------------------------------------------- */

/* --world, or the product of the sizes that are set. */
static int read_world(struct mesh *m, struct error *err)
{
    const char *world = option_value(m->v, "world");

    if (world != NULL)
        return setting_world(world, &m->world, err);
    m->world = 1;
    for (const struct tree *t = tree_first(m->set_sizes); t != NULL;
         t = t->next)
        if (t->u.integer > 0 && t->u.integer <= VIEW_SPAN_MAX / m->world)
            m->world *= t->u.integer;
    return 0;
}

/* Checks the made-up request. Without --groups all lists are asked for, where
 * they are not drawn. */
static int check_request(struct mesh *m, struct answer *ret, struct error *err)
{
    enum format format = m->v->out.format;
    struct verdict_wants wants = {
        .lists = m->lists,
        .n_lists = m->n_lists,
        .all_lists =
            m->n_lists == 0 && format != FORMAT_TABLE && format != FORMAT_SVG,
    };
    struct tree *deployment, *model;

    if (synthetic_request(m->rt, m->world, m->set_sizes, m->set_options,
                          &m->maker, &deployment, &model, err) < 0 ||
        (model != NULL && catalog_add(m->catalog, model, err) < 0))
        return -1;
    return answer_check(m->catalog, deployment, &wants, m->v->arena, NULL, ret,
                        err);
}

static int write_mesh(struct mesh *m, const struct answer *answer,
                      struct error *err)
{
    struct output *out = &m->v->out;
    struct tree *map = make_map(&m->maker, NULL, NULL);

    make_int(&m->maker, map, "world", m->world);
    make_copy(&m->maker, map, "derived", tree_get(answer->tree, "derived"));
    if (tree_get(answer->tree, "lists") != NULL)
        make_copy(&m->maker, map, "lists", tree_get(answer->tree, "lists"));
    if (m->maker.failed)
        return error_exhausted(err);
    if (out->format != FORMAT_TABLE)
        return output_document(out, map, err);
    output_printf(out, STYLE_BOLD, "%" PRId64 " rank%s under %s", m->world,
                  m->world == 1 ? "" : "s", m->rt->name);
    output_line(out);
    report_derived(out, answer->tree);
    return report_pictures(out, answer, m->lists, m->n_lists, m->v->arena, err);
}

static int mesh_runtime(struct mesh *m, int *ret, struct error *err)
{
    const char *name = option_value(m->v, "runtime");
    struct settings set;
    struct answer answer;

    m->rt = catalog_runtime(m->catalog, name, err);
    if (m->rt == NULL)
        return -1;
    if (settings_read(&set, m->v, m->rt, &m->maker, err) < 0)
        return -1;
    m->set_sizes = set.sizes;
    m->set_options = set.options;
    if (read_world(m, err) < 0 || check_request(m, &answer, err) < 0)
        return -1;
    if (m->v->out.format == FORMAT_SVG)
        return drawn_answer(m->v, NULL, &answer, m->lists, m->n_lists, ret,
                            err);
    if (answer.accepts)
        return write_mesh(m, &answer, err);
    *ret = EXIT_REFUSED;
    if (m->v->out.format != FORMAT_TABLE)
        return output_document(&m->v->out, answer.tree, err);
    report_print(&m->v->out, "the mesh", &answer, true, m->v->arena);
    return 0;
}

/* ---- the command --------------------------------------------------------- */

static int check_options(const struct invocation *v)
{
    bool axes = option_given(v, "axes");

    if (axes == option_given(v, "runtime"))
        return command_misused(v, "either --axes or --runtime says what the "
                                  "mesh is of");
    if (axes && (option_given(v, "world") || option_given(v, "set") ||
                 option_given(v, "address")))
        return command_misused(v, "--world, --set and --address go with "
                                  "--runtime");
    return live_options(v);
}

static int answer_mesh(struct mesh *m, int *ret, struct error *err)
{
    const char *value;
    size_t at = 0;

    while ((value = option_next(m->v, "groups", &at)) != NULL)
        if (each_part(m, value, take_group, err) < 0)
            return -1;
    if (option_given(m->v, "runtime"))
        return mesh_runtime(m, ret, err);
    for (at = 0; (value = option_next(m->v, "axes", &at)) != NULL;)
        if (each_part(m, value, take_axis, err) < 0)
            return -1;
    return mesh_axes(m, err);
}

static int mesh_with(struct invocation *v, struct catalog *catalog, int *ret,
                     struct error *err)
{
    struct mesh mesh = {
        .v = v,
        .maker = { .arena = v->arena },
        .catalog = catalog,
    };

    return answer_mesh(&mesh, ret, err);
}

static int run_mesh(struct invocation *v)
{
    struct error err;
    int rc = check_options(v);

    if (rc != EXIT_OK)
        return rc;
    if (option_given(v, "runtime"))
        return live_with_catalog(v, true, mesh_with);
    return mesh_with(v, NULL, &rc, &err) < 0 ? command_failed(&err) : rc;
}

/* clang-format off */
static const struct option_row options[] = {
    { "axes",    0, "AXES",   "axes and their sizes, outermost first: "
                              "a=2,b=4" },
    { "runtime", 0, "NAME",   "the views of this runtime" },
    { "world",   0, "N",      "number of ranks; default: the product of the "
                              "sizes that are set" },
    { "set",     0, "NAME=VALUE", "an axis' size or an option of the runtime; "
                              "may be repeated" },
    { "groups",  0, "NAMES",  "show these group lists, separated by commas "
                              "(b, a+b, view.a); the first one of a view "
                              "colours its ranks" },
    LIVE_OPTION_OFFLINE,
    LIVE_OPTION_ADDRESS,
};
/* clang-format on */

const struct command command_mesh = {
    .name = "mesh",
    .arguments = "(--axes AXES | --runtime NAME)",
    .help = "draw which rank stands where, and list groups",
    .options = options,
    .n_options = ARRAY_LEN(options),
    .draws = true,
    .run = run_mesh,
};
