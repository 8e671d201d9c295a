/* SPDX-License-Identifier: Apache-2.0 */
/* serry mesh --axes: views and groups of bare axes. */
#include <inttypes.h>

#include "client/figure.h"
#include "client/mesh.h"
#include "proto/answer.h"

/* The lists that were asked for, else every axis above 1, innermost first. */
static struct picture_list *axes_lists(struct mesh *m, const struct view *view,
                                       size_t *ret_n, struct error *err)
{
    struct picture_list *lists =
        arena_array(m->v->arena, m->n_lists + VIEW_AXES_MAX, sizeof(*lists));
    uint32_t axes;
    size_t n = 0;

    if (lists == NULL) {
        error_exhausted(err);
        return NULL;
    }
    for (size_t i = 0; i < m->n_lists; i++) {
        if (view_axes(view, m->lists[i], &axes, err) < 0)
            return NULL;
        lists_over(view, axes, &lists[n].lists);
        lists[n++].name = m->lists[i];
    }
    for (int a = view->n_axes; m->n_lists == 0 && a > 0; a--)
        if (view->axes[a - 1].size > 1) {
            lists_over(view, 1u << (a - 1), &lists[n].lists);
            lists[n++].name = view->axes[a - 1].name;
        }
    *ret_n = n;
    return lists;
}

static int draw_axes(struct mesh *m, const struct view *view, struct error *err)
{
    struct output *out = &m->v->out;
    const char *title = arena_printf(m->v->arena, "%" PRIu32 " rank%s",
                                     view->span, view->span == 1 ? "" : "s");
    struct picture_view shown = { .name = "", .view = view };
    struct picture picture = { .title = "",
                               .views = &shown,
                               .n_views = 1,
                               .n_instances = 1,
                               .chosen = m->n_lists > 0 };

    shown.lists = axes_lists(m, view, &shown.n_lists, err);
    if (shown.lists == NULL)
        return -1;
    if (title == NULL)
        return error_exhausted(err);
    if (out->format == FORMAT_SVG)
        return figure_write(&out->text, title, "", &picture, 1, err);
    output_put(out, STYLE_BOLD, title);
    output_line(out);
    output_line(out);
    picture_draw(out, 2, &picture, m->v->arena);
    return 0;
}

int mesh_axes(struct mesh *m, struct error *err)
{
    enum format format = m->v->out.format;
    struct tree *map = make_map(&m->maker, NULL, NULL);
    const struct verdict_wants wants = { .lists = m->lists,
                                         .n_lists = m->n_lists };
    struct view view;

    if (m->n_axes == 0)
        return error_set(err, STATUS_INVALID,
                         "--axes names no axis; write a=2,b=4");
    if (answer_mesh_axes(m->names, m->sizes, m->n_axes, &wants, &m->maker, map,
                         err) < 0)
        return -1;
    if (format != FORMAT_TABLE && format != FORMAT_SVG)
        return output_document(&m->v->out, map, err);
    if (view_init(&view, m->names, m->sizes, m->n_axes, err) < 0)
        return -1;
    return draw_axes(m, &view, err);
}
