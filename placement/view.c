/* SPDX-License-Identifier: Apache-2.0 */
/* Views: row-major factorizations of a span of positions. */
#include "placement/view.h"

#include <inttypes.h>
#include <string.h>

static int check_axes(const char *const *names, const int64_t *sizes, int n,
                      struct error *err)
{
    int64_t span = 1;

    if (n > VIEW_AXES_MAX)
        return error_set(err, STATUS_INVALID,
                         "a view of %d axes is too deep: at most %d", n,
                         (int)VIEW_AXES_MAX);
    for (int a = 0; a < n; a++) {
        if (sizes[a] < 1)
            return error_set(err, STATUS_INVALID,
                             "axis %s has size %" PRId64
                             ": a size is at least 1",
                             names[a], sizes[a]);
        for (int b = 0; b < a; b++)
            if (strcmp(names[a], names[b]) == 0)
                return error_set(err, STATUS_INVALID,
                                 "axis %s stands twice in one view: name each "
                                 "axis once",
                                 names[a]);
    }
    for (int a = 0; a < n; a++) {
        if (sizes[a] > VIEW_SPAN_MAX / span)
            return error_set(err, STATUS_EXHAUSTED,
                             "the axes up to %s hold more than %d ranks, the "
                             "most one view may span",
                             names[a], (int)VIEW_SPAN_MAX);
        span *= sizes[a];
    }
    return 0;
}

int view_init(struct view *view, const char *const *names, const int64_t *sizes,
              int n, struct error *err)
{
    uint32_t span = 1;

    if (check_axes(names, sizes, n, err) < 0)
        return -1;
    *view = (struct view){ .n_axes = n };
    for (int a = n - 1; a >= 0; a--) {
        view->axes[a].name = names[a];
        view->axes[a].size = (uint32_t)sizes[a];
        view->axes[a].stride = span;
        span *= view->axes[a].size;
    }
    view->span = span;
    return 0;
}

uint32_t view_position(const struct view *view, const uint32_t *coordinates)
{
    uint32_t position = 0;

    for (int a = 0; a < view->n_axes; a++)
        position += coordinates[a] * view->axes[a].stride;
    return position;
}

int view_axis(const struct view *view, const char *name)
{
    for (int a = 0; a < view->n_axes; a++)
        if (strcmp(view->axes[a].name, name) == 0)
            return a;
    return -1;
}
