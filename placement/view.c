/* SPDX-License-Identifier: Apache-2.0 */
/* Views: row-major factorizations of a span of positions. */
#include "placement/view.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

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

static int axis_named(const struct view *view, const char *name, size_t len)
{
    for (int a = 0; a < view->n_axes; a++)
        if (strlen(view->axes[a].name) == len &&
            memcmp(view->axes[a].name, name, len) == 0)
            return a;
    return -1;
}

int view_axis(const struct view *view, const char *name)
{
    return axis_named(view, name, strlen(name));
}

const char *axes_next(const char **rest, size_t *ret_len)
{
    const char *name = *rest;

    if (name == NULL)
        return NULL;
    *ret_len = strcspn(name, "+");
    *rest = name[*ret_len] == '+' ? name + *ret_len + 1 : NULL;
    return name;
}

int view_axes(const struct view *view, const char *text, uint32_t *ret_axes,
              struct error *err)
{
    const char *names[VIEW_AXES_MAX];
    const char *name, *nearest;
    uint32_t axes = 0;
    size_t len;

    while ((name = axes_next(&text, &len)) != NULL) {
        int axis = axis_named(view, name, len);
        char word[65]; /* nothing longer is near to any name */

        if (axis >= 0) {
            axes |= 1u << axis;
            continue;
        }
        for (int a = 0; a < view->n_axes; a++)
            names[a] = view->axes[a].name;
        snprintf(word, sizeof(word), "%.*s", (int)len, name);
        nearest = text_nearest(word, names, (size_t)view->n_axes);
        return error_set(err, STATUS_UNKNOWN_NAME,
                         "there is no axis called \"%s\"%s%s", word,
                         nearest != NULL ? "; the nearest is " : "",
                         nearest != NULL ? nearest : "");
    }
    *ret_axes = axes;
    return 0;
}
