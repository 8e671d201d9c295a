/* SPDX-License-Identifier: Apache-2.0 */
/* The pictures of an accepted request. */
#include "client/pictures.h"

#include <inttypes.h>
#include <string.h>

#include "placement/table.h"

/* What pictures are being made of. */
struct making {
    struct check *check;
    struct arena *arena;
    struct list_name *names; /* those that were asked for */
    size_t n_names;
    struct pictures *to;
};

/* ---- lists --------------------------------------------------------------- */

/* The view that a list is drawn in: its own, or that of the lists it was made
 * of; -1: none. */
static int view_of(struct making *m, struct scope *scope,
                   const struct list_name *name)
{
    for (int depth = 0; depth < RUNTIME_PARTS_MAX && name->view < 0; depth++) {
        const struct group_form *form =
            scope_group_form(m->check, scope, name->group);

        if (form == NULL)
            return -1;
        name = &form->of;
    }
    return name->view;
}

static void add_chosen(struct making *m, struct scope *scope, int view,
                       struct picture_view *to, struct picture_list *lists)
{
    for (size_t i = 0; i < m->n_names; i++) {
        struct picture_list *list = &lists[to->n_lists];

        if (view_of(m, scope, &m->names[i]) != view ||
            table_scope_lists(m->check, scope, &m->names[i], &list->lists) < 0)
            continue;
        list->name = m->names[i].text;
        to->n_lists++;
    }
}

static int add_axis(struct making *m, struct scope *scope, int view, int axis,
                    struct picture_view *to, struct picture_list *lists,
                    struct error *err)
{
    const struct view_axis *a = &to->view->axes[axis];
    struct list_name name = {
        .view = view, .axes = &a->name, .n_axes = 1, .group = -1
    };
    struct picture_list *list = &lists[to->n_lists];

    if (a->size < 2 ||
        table_scope_lists(m->check, scope, &name, &list->lists) < 0)
        return 0;
    list->name = arena_printf(m->arena, "%s%s%s", to->name,
                              to->name[0] != '\0' ? "." : "", a->name);
    if (list->name == NULL)
        return error_exhausted(err);
    to->n_lists++;
    return 0;
}

static int add_lists(struct making *m, struct scope *scope, int view,
                     struct picture_view *to, struct error *err)
{
    struct picture_list *lists =
        arena_array(m->arena, m->n_names + VIEW_AXES_MAX, sizeof(*lists));

    if (lists == NULL)
        return error_exhausted(err);
    to->lists = lists;
    if (m->n_names > 0)
        add_chosen(m, scope, view, to, lists);
    for (int a = to->view->n_axes; m->n_names == 0 && a > 0; a--)
        if (add_axis(m, scope, view, a - 1, to, lists, err) < 0)
            return -1;
    return 0;
}

/* ---- one picture --------------------------------------------------------- */

static void put_names(const struct scope *scope, struct text *out)
{
    const struct node_group *group = scope->group;

    for (size_t i = 0; i < group->n_node_names; i++)
        text_printf(out, "%s%s", i > 0 ? ", " : "", group->node_names[i]);
}

void pictures_sizes(const struct check *check, const struct scope *scope,
                    struct text *out)
{
    const char *joint = "";

    for (size_t a = 0; a < check->rt->n_axes; a++) {
        uint32_t size = scope_size(check, scope, (int)a);

        if (size < 2)
            continue;
        text_printf(out, "%s%s %" PRIu32, joint, check->rt->axes[a].field,
                    size);
        joint = ", ";
    }
}

static const char *make_title(struct making *m, const struct scope *scope)
{
    struct text text = { 0 };
    const char *title;

    if (!m->check->dep->spans) {
        put_names(scope, &text);
        text_put(&text, ": ");
        pictures_sizes(m->check, scope, &text);
    }
    title = arena_strdup(m->arena, text_string(&text));
    text_close(&text);
    return title;
}

/* "view a (ranks 4 to 7)" */
static void put_apart(const struct scope *scope, const struct picture_view *v,
                      struct text *out)
{
    uint32_t first = v->view->first + scope->offset;

    text_printf(out, "%sview %s (rank%s %" PRIu32, out->len > 0 ? ", " : "",
                v->name, v->view->span > 1 ? "s" : "", first);
    if (v->view->span > 1)
        text_printf(out, " to %" PRIu32, first + v->view->span - 1);
    text_put(out, ")");
}

/* Views of the ranks that the first one has make one picture; those of other
 * ranks are only named. With lists that were asked for, views without one are
 * left out. */
static int add_views(struct making *m, struct scope *scope,
                     struct picture *picture, struct error *err)
{
    const struct runtime *rt = m->check->rt;
    struct picture_view *views =
        arena_array(m->arena, rt->n_views + 1, sizeof(*views));
    struct text apart = { 0 };

    if (views == NULL)
        return error_exhausted(err);
    picture->views = views;
    for (size_t v = 0; v < rt->n_views; v++) {
        struct picture_view *to = &views[picture->n_views];

        *to = (struct picture_view){
            .name = rt->views[v].name,
            .view = scope_view(m->check, scope, (int)v),
        };
        if (to->view == NULL)
            continue;
        if (to->view->first != views[0].view->first)
            put_apart(scope, to, &apart);
        if (to->view->span < 2 || to->view->span != views[0].view->span ||
            to->view->first != views[0].view->first)
            continue;
        if (add_lists(m, scope, (int)v, to, err) < 0) {
            text_close(&apart);
            return -1;
        }
        picture->n_views += m->n_names == 0 || to->n_lists > 0;
    }
    picture->apart = arena_strdup(m->arena, text_string(&apart));
    text_close(&apart);
    return picture->apart != NULL ? 0 : error_exhausted(err);
}

static int add_picture(struct making *m, struct scope *scope, struct error *err)
{
    bool spans = m->check->dep->spans;
    struct picture *picture = &m->to->items[m->to->n];

    *picture = (struct picture){
        .title = make_title(m, scope),
        .n_instances = spans ? 1 : (uint32_t)scope->n_instances,
        .ranks = scope->ranks,
        .offset = scope->offset,
        .chosen = m->n_names > 0,
    };
    if (picture->title == NULL)
        return error_exhausted(err);
    if (add_views(m, scope, picture, err) < 0)
        return -1;
    if (picture->n_views > 0)
        m->to->scopes[m->to->n++] = scope;
    return 0;
}

/* ---- all of them --------------------------------------------------------- */

static int read_names(struct making *m, const char *const *lists, size_t n,
                      struct error *err)
{
    m->names = arena_array(m->arena, n + 1, sizeof(*m->names));
    if (m->names == NULL)
        return error_exhausted(err);
    for (size_t i = 0; i < n; i++)
        if (runtime_list_name(m->check->rt, m->arena, lists[i], &m->names[i],
                              err) < 0)
            return -1;
    m->n_names = n;
    return 0;
}

int pictures_make(struct check *check, const char *const *lists, size_t n_lists,
                  struct arena *arena, struct pictures *ret, struct error *err)
{
    size_t n = check->dep->n_groups;
    struct pictures all = {
        .items = arena_array(arena, n + 1, sizeof(*all.items)),
        .shares = arena_array(arena, n + 1, sizeof(*all.shares)),
        .scopes = arena_array(arena, n + 1, sizeof(*all.scopes)),
    };
    struct making m = { .check = check, .arena = arena, .to = &all };

    if (all.items == NULL || all.shares == NULL || all.scopes == NULL)
        return error_exhausted(err);
    if (read_names(&m, lists, n_lists, err) < 0)
        return -1;
    for (size_t g = 0; g < n; g++)
        if (add_picture(&m, &check->scopes[g], err) < 0)
            return -1;
    *ret = all;
    return 0;
}

void pictures_share(struct pictures *pictures, struct check *check)
{
    for (size_t i = 0; i < pictures->n; i++)
        shares_init(&pictures->shares[i], check, pictures->scopes[i],
                    &pictures->items[i]);
}

void pictures_draw(struct output *out, int indent,
                   const struct pictures *pictures, struct arena *arena)
{
    for (size_t i = 0; i < pictures->n; i++) {
        const struct picture *picture = &pictures->items[i];

        output_line(out);
        output_paragraph(out, indent, STYLE_PLAIN, "", STYLE_BOLD,
                         picture->title[0] != '\0' ? picture->title
                                                   : "the world");
        output_line(out);
        picture_draw(out, indent, picture, arena);
        if (picture->apart != NULL && picture->apart[0] != '\0') {
            output_line(out);
            output_paragraph(out, indent, STYLE_DIM, "not drawn: ", STYLE_PLAIN,
                             picture->apart);
        }
    }
}
