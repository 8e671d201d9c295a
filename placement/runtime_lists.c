/* SPDX-License-Identifier: Apache-2.0 */
/* Names of group lists: axes of a view, declared groups, families of them. */
#include "placement/runtime_load.h"

#include <string.h>

bool view_has(const struct view_rule *view, const char *axis)
{
    for (size_t f = 0; f < view->n_forms; f++)
        for (size_t p = 0; p < view->forms[f].n_parts; p++)
            if (strcmp(view->forms[f].parts[p].name, axis) == 0)
                return true;
    return false;
}

/* Splits "a+b" into the names of a list's axes. */
static int split_axes(struct arena *arena, const char *text,
                      struct list_name *list, struct error *err)
{
    const char **names = arena_array(arena, VIEW_AXES_MAX, sizeof(*names));
    const char *name;
    size_t len;

    if (names == NULL)
        return error_exhausted(err);
    list->axes = names;
    while ((name = axes_next(&text, &len)) != NULL) {
        if (list->n_axes == VIEW_AXES_MAX)
            return error_set(err, STATUS_UNKNOWN_NAME,
                             "\"%s\" names more than %d axes, the most that a "
                             "view has",
                             list->text, (int)VIEW_AXES_MAX);
        names[list->n_axes] = arena_strndup(arena, name, len);
        if (names[list->n_axes++] == NULL)
            return error_exhausted(err);
    }
    return 0;
}

static int check_axes(const struct runtime *rt, const struct list_name *list,
                      struct error *err)
{
    const struct view_rule *view = &rt->views[list->view];
    const char *names[VIEW_AXES_MAX];
    const char *nearest;
    size_t n = 0;

    for (size_t i = 0; i < list->n_axes; i++) {
        if (view_has(view, list->axes[i]))
            continue;
        for (size_t p = 0; p < view->forms[0].n_parts; p++)
            names[n++] = view->forms[0].parts[p].name;
        nearest = text_nearest(list->axes[i], names, n);
        return error_set(
            err, STATUS_UNKNOWN_NAME, "\"%s\": %s%s has no axis \"%s\"%s%s",
            list->text, view->name[0] != '\0' ? "the view " : "the runtime ",
            view->name[0] != '\0' ? view->name : rt->name, list->axes[i],
            nearest != NULL ? "; the nearest is " : "",
            nearest != NULL ? nearest : "");
    }
    return 0;
}

int view_named(const struct runtime *rt, const char *name, size_t len)
{
    if (len == 0)
        return rt->n_views == 1 ? 0 : -1;

    for (size_t i = 0; i < rt->n_views; i++)
        if (strlen(rt->views[i].name) == len &&
            memcmp(rt->views[i].name, name, len) == 0)
            return (int)i;
    return -1;
}

static bool has_axes(const struct view_rule *view, const struct list_name *list)
{
    for (size_t i = 0; i < list->n_axes; i++)
        if (!view_has(view, list->axes[i]))
            return false;
    return true;
}

/* The view that is meant where none is named: the only one with these axes. */
static int view_of_axes(const struct runtime *rt, const struct list_name *list)
{
    int found = -1;

    if (rt->n_views == 1)
        return 0;
    for (size_t i = 0; i < rt->n_views; i++) {
        if (!has_axes(&rt->views[i], list))
            continue;
        if (found >= 0)
            return -1;
        found = (int)i;
    }
    return found;
}

/* Whether text is the name of a declared group, or of one list of a family:
 * its name and a number. */
static bool is_group(const struct group_rule *rule, const char *text,
                     int64_t *ret_member)
{
    size_t len = strlen(rule->name);
    int64_t member = 0;

    *ret_member = -1;
    if (strcmp(rule->name, text) == 0)
        return true;
    if (!rule->family || strncmp(rule->name, text, len) != 0)
        return false;
    text += len;
    if (strlen(text) > 9 || (text[0] == '0' && text[1] != '\0'))
        return false; /* longer than any number of ranks, or not as written */
    for (; *text >= '0' && *text <= '9'; text++)
        member = member * 10 + *text - '0';
    *ret_member = member;
    return *text == '\0';
}

static bool find_group(const struct runtime *rt, const char *text,
                       struct list_name *ret)
{
    for (size_t i = 0; i < rt->n_groups; i++)
        if (is_group(&rt->groups[i], text, &ret->member)) {
            ret->group = (int)i;
            return true;
        }
    return false;
}

static int find_list(const struct runtime *rt, struct arena *arena,
                     const char *text, struct list_name *ret, struct error *err)
{
    struct list_name list = {
        .text = arena_strdup(arena, text), .view = -1, .group = -1, .member = -1
    };
    const char *dot = strchr(text, '.');

    if (list.text == NULL)
        return error_exhausted(err);
    *ret = list;
    if (find_group(rt, text, ret))
        return 0;
    if (split_axes(arena, dot != NULL ? dot + 1 : text, &list, err) < 0)
        return -1;
    list.view = dot != NULL ? view_named(rt, text, (size_t)(dot - text))
                            : view_of_axes(rt, &list);
    if (list.view < 0)
        return error_set(err, STATUS_UNKNOWN_NAME,
                         "\"%s\" names no group and no view of the runtime %s",
                         text, rt->name);
    if (check_axes(rt, &list, err) < 0)
        return -1;
    *ret = list;
    return 0;
}

int runtime_list_name(const struct runtime *rt, struct arena *arena,
                      const char *text, struct list_name *ret,
                      struct error *err)
{
    if (find_list(rt, arena, text, ret, err) < 0)
        return -1;
    if (ret->group >= 0 && ret->member < 0 && rt->groups[ret->group].family)
        return error_set(err, STATUS_UNKNOWN_NAME,
                         "\"%s\" is a family of lists; one of them is named "
                         "with its number, as in %s2",
                         text, text);
    return 0;
}

int load_list_name(struct loader *load, const struct tree *at, const char *text,
                   bool family, struct list_name *ret)
{
    struct error why;
    int rc = family ? find_list(load->rt, load->arena, text, ret, &why)
                    : runtime_list_name(load->rt, load->arena, text, ret, &why);

    if (rc < 0 && why.status == STATUS_EXHAUSTED)
        return error_exhausted(load->err);
    if (rc < 0)
        return tree_error(at, load->err, STATUS_INVALID, "%s", why.text);
    return 0;
}
