/* SPDX-License-Identifier: Apache-2.0 */
/* Views and groups of bare axes, without a runtime. */
#include "placement/view.h"
#include "proto/answer.h"

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
        if (view_axes(&view, lists[i], &axes, err) < 0)
            return -1;
    make_int(maker, map, "world", view.span);
    make_map(maker, map, "derived");
    out = make_map(maker, map, "lists");
    for (int a = 0; n_lists == 0 && a < n; a++)
        write_axes_list(maker, out, names[a], &view, 1u << a);
    for (size_t i = 0; i < n_lists; i++) {
        if (view_axes(&view, lists[i], &axes, err) < 0)
            return -1;
        write_axes_list(maker, out, lists[i], &view, axes);
    }
    if (wants->per_rank)
        write_axes_ranks(maker, map, &view);
    return maker->failed ? error_exhausted(err) : 0;
}
