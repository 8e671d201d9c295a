/* SPDX-License-Identifier: Apache-2.0 */
/* The layout part of a runtime: views, derived groups, creation sequence. */
#include "placement/runtime_load.h"

#include <string.h>

#include "placement/reader.h"

/* clang-format off */
static const struct read_key form_keys[] = {
    { "when", READ_SCALAR, false },
    { "axes", READ_LIST,   true },
};
static const struct read_key group_keys[] = {
    { "when", READ_SCALAR, false },
    { "of",   READ_STRING, true },
    { "cut",  READ_SCALAR, false },
};
static const struct read_key create_keys[] = {
    { "list",    READ_STRING,             false },
    { "union",   READ_LIST | READ_STRING, false },
    { "sort",    READ_STRING,             false },
    { "backend", READ_STRING,             false },
    { "when",    READ_SCALAR,             false },
};
/* clang-format on */

/* ---- views -------------------------------------------------------------- */

/* `tp` is a shared axis; `{dp: EXPR}` a size local to the view. */
static int load_part(struct loader *load, const struct tree *t,
                     struct view_part *part)
{
    const struct tree *size;

    part->axis = -1;
    if (t->type == TREE_STRING) {
        part->name = t->text;
        part->axis = runtime_axis(load->rt, t->text);
        if (part->axis < 0)
            return tree_error(t, load->err, STATUS_INVALID,
                              "\"%s\" is not an axis; a size local to the view "
                              "is written {%s: EXPRESSION}",
                              t->text, t->text);
        return 0;
    }
    if (t->type != TREE_MAP || tree_count(t) != 1)
        return tree_error(t, load->err, STATUS_INVALID,
                          "expected an axis or {name: EXPRESSION}");
    size = tree_first(t);
    part->name = size->key;
    if (!read_is_identifier(size->key))
        return tree_error_key(size, load->err, STATUS_INVALID,
                              "\"%s\" cannot be the name of an axis",
                              size->key);
    return compile_child(load, t, size->key, VALUE_INT, &part->size);
}

static int load_view_form(struct loader *load, const struct tree *list,
                          struct view_form *form)
{
    struct view_part *parts;

    if (tree_count(list) == 0 || tree_count(list) > VIEW_AXES_MAX)
        return tree_error(list, load->err, STATUS_INVALID,
                          "%zu axes; a view has from 1 to %d", tree_count(list),
                          VIEW_AXES_MAX);
    parts = load_array(load, tree_count(list), sizeof(*parts));
    if (parts == NULL)
        return -1;
    for (const struct tree *t = tree_first(list); t != NULL; t = t->next) {
        struct view_part *part = &parts[form->n_parts];

        if (load_part(load, t, part) < 0)
            return -1;
        for (size_t i = 0; i < form->n_parts; i++)
            if (strcmp(parts[i].name, part->name) == 0)
                return tree_error(t, load->err, STATUS_INVALID,
                                  "%s stands twice in this view", part->name);
        form->n_parts++;
    }
    form->parts = parts;
    return 0;
}

/* Whether a view's list holds alternatives, not axes. */
static bool is_alternatives(const struct tree *view)
{
    const struct tree *first = tree_first(view);

    return view->type == TREE_LIST && tree_get(first, "axes") != NULL;
}

static int load_view_map(struct loader *load, const struct tree *t,
                         struct view_form *form)
{
    if (read_keys(t, form_keys, ARRAY_LEN(form_keys), load->err) < 0 ||
        compile_child(load, t, "when", VALUE_BOOL, &form->when) < 0)
        return -1;
    return load_view_form(load, tree_get(t, "axes"), form);
}

static int load_view(struct loader *load, const struct tree *t,
                     struct view_rule *view)
{
    struct view_form *forms;

    if (read_type(t, READ_LIST | READ_MAP, load->err) < 0)
        return -1;
    forms = load_parts(load, t, sizeof(*forms));
    if (forms == NULL)
        return -1;
    view->name = t->key;
    view->forms = forms;
    view->n_forms = 1;
    if (t->type == TREE_MAP)
        return load_view_map(load, t, &forms[0]);
    if (!is_alternatives(t))
        return load_view_form(load, t, &forms[0]);
    view->n_forms = 0;
    for (const struct tree *a = tree_first(t); a != NULL; a = a->next)
        if (load_view_map(load, a, &forms[view->n_forms++]) < 0)
            return -1;
    return 0;
}

/* Without `views` there is one, nameless, over all axes in order. */
static int load_only_view(struct loader *load)
{
    struct runtime *rt = load->rt;
    struct view_form *form = load_array(load, 1, sizeof(*form));
    struct view_part *parts = load_array(load, rt->n_axes, sizeof(*parts));

    rt->views = load_array(load, 1, sizeof(*rt->views));
    if (form == NULL || parts == NULL || rt->views == NULL)
        return -1;
    for (size_t i = 0; i < rt->n_axes; i++)
        parts[i] =
            (struct view_part){ .name = rt->axes[i].name, .axis = (int)i };
    form->parts = parts;
    form->n_parts = rt->n_axes;
    rt->views[0] =
        (struct view_rule){ .name = "", .forms = form, .n_forms = 1 };
    rt->n_views = 1;
    return 0;
}

static int load_all_views(struct loader *load)
{
    struct runtime *rt = load->rt;
    const struct tree *map = tree_get(rt->document, "views");

    if (tree_count(map) == 0)
        return load_only_view(load);
    rt->views = load_parts(load, map, sizeof(*rt->views));
    if (rt->views == NULL)
        return -1;
    for (const struct tree *t = tree_first(map); t != NULL; t = t->next) {
        if (!read_is_identifier(t->key))
            return tree_error_key(t, load->err, STATUS_INVALID,
                                  "\"%s\" cannot be the name of a view",
                                  t->key);
        if (load_view(load, t, &rt->views[rt->n_views]) < 0)
            return -1;
        rt->n_views++;
    }
    return 0;
}

/* ---- names of lists ------------------------------------------------------ */

/* Whether any form of the view has this axis. */
static bool view_has(const struct view_rule *view, const char *axis)
{
    for (size_t f = 0; f < view->n_forms; f++)
        for (size_t p = 0; p < view->forms[f].n_parts; p++)
            if (strcmp(view->forms[f].parts[p].name, axis) == 0)
                return true;
    return false;
}

/* Splits "a+b" into names. */
static int split_axes(struct arena *arena, const char *text, size_t len,
                      const char *const **ret, size_t *ret_n)
{
    const char **names = arena_array(arena, VIEW_AXES_MAX, sizeof(*names));
    const char *end = text + len;
    size_t n = 0;

    if (names == NULL)
        return -1;
    while (text <= end && n < VIEW_AXES_MAX) {
        const char *plus = memchr(text, '+', (size_t)(end - text));
        size_t part = (size_t)((plus != NULL ? plus : end) - text);

        names[n] = arena_strndup(arena, text, part);
        if (names[n++] == NULL)
            return -1;
        text += part + 1;
    }
    *ret = names;
    *ret_n = n;
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
            err, STATUS_UNKNOWN_NAME, "\"%s\": %s%s%s has no axis \"%s\"%s%s",
            list->text, view->name[0] != '\0' ? "the view " : "the runtime ",
            view->name[0] != '\0' ? view->name : rt->name, "", list->axes[i],
            nearest != NULL ? "; the nearest is " : "",
            nearest != NULL ? nearest : "");
    }
    return 0;
}

static int find_view(const struct runtime *rt, const char *name, size_t len)
{
    for (size_t i = 0; i < rt->n_views; i++)
        if (strlen(rt->views[i].name) == len &&
            memcmp(rt->views[i].name, name, len) == 0)
            return (int)i;
    return -1;
}

int runtime_list_name(const struct runtime *rt, struct arena *arena,
                      const char *text, struct list_name *ret,
                      struct error *err)
{
    struct list_name list = { .text = arena_strdup(arena, text),
                              .view = -1,
                              .group = -1 };
    const char *dot = strchr(text, '.');
    const char *axes = dot != NULL ? dot + 1 : text;

    if (list.text == NULL)
        return error_exhausted(err);
    for (size_t i = 0; i < rt->n_groups; i++)
        if (strcmp(rt->groups[i].name, text) == 0) {
            list.group = (int)i;
            *ret = list;
            return 0;
        }
    if (dot != NULL)
        list.view = find_view(rt, text, (size_t)(dot - text));
    else if (rt->n_views == 1)
        list.view = 0;
    if (list.view < 0)
        return error_set(err, STATUS_UNKNOWN_NAME,
                         "\"%s\" names no group and no view of the runtime %s",
                         text, rt->name);
    if (split_axes(arena, axes, strlen(axes), &list.axes, &list.n_axes) < 0)
        return error_exhausted(err);
    if (check_axes(rt, &list, err) < 0)
        return -1;
    *ret = list;
    return 0;
}

/* ---- derived groups ------------------------------------------------------ */

static int load_group_form(struct loader *load, const struct tree *t,
                           struct group_form *form)
{
    const struct tree *of;
    struct error why;

    if (read_keys(t, group_keys, ARRAY_LEN(group_keys), load->err) < 0)
        return -1;
    of = tree_get(t, "of");
    if (runtime_list_name(load->rt, load->arena, of->text, &form->of, &why) < 0)
        return tree_error(of, load->err, STATUS_INVALID, "%s", why.text);
    if (compile_child(load, t, "when", VALUE_BOOL, &form->when) < 0)
        return -1;
    return compile_child(load, t, "cut", VALUE_INT, &form->cut);
}

static int load_group(struct loader *load, const struct tree *t,
                      struct group_rule *group)
{
    bool many = t->type == TREE_LIST;
    struct group_form *forms;

    forms = many ? load_parts(load, t, sizeof(*forms))
                 : load_array(load, 1, sizeof(*forms));
    if (forms == NULL)
        return -1;
    group->name = t->key;
    group->forms = forms;
    for (const struct tree *f = many ? tree_first(t) : t; f != NULL;
         f = many ? f->next : NULL)
        if (load_group_form(load, f, &forms[group->n_forms++]) < 0)
            return -1;
    return 0;
}

static int load_all_groups(struct loader *load)
{
    struct runtime *rt = load->rt;
    const struct tree *map = tree_get(rt->document, "groups");

    rt->groups = load_parts(load, map, sizeof(*rt->groups));
    if (rt->groups == NULL)
        return -1;
    for (const struct tree *t = tree_first(map); t != NULL; t = t->next) {
        struct group_rule group = { 0 };

        if (load_group(load, t, &group) < 0)
            return -1;
        rt->groups[rt->n_groups++] = group;
    }
    return 0;
}

int load_views(struct loader *load)
{
    int rc;

    load->in_layout = true;
    rc = load_all_views(load);
    load->in_layout = false;
    return rc;
}

int load_groups(struct loader *load)
{
    int rc;

    load->in_layout = true;
    rc = load_all_groups(load);
    load->in_layout = false;
    return rc;
}

/* ---- creation sequence --------------------------------------------------- */

static int load_create_lists(struct loader *load, const struct tree *lists,
                             struct create_step *step)
{
    const char *const *names;
    struct list_name *found;
    struct error why;
    size_t n;

    if (read_names(load->arena, lists, &names, &n, load->err) < 0)
        return -1;
    if (n == 0)
        return tree_error(lists, load->err, STATUS_INVALID,
                          "no list to create groups of");
    found = load_array(load, n, sizeof(*found));
    if (found == NULL)
        return -1;
    step->lists = found;
    step->n_lists = n;
    if (n == 1 && strcmp(names[0], "instance") == 0) {
        step->instance = true;
        found[0].text = names[0];
        return 0;
    }
    for (size_t i = 0; i < n; i++)
        if (runtime_list_name(load->rt, load->arena, names[i], &found[i],
                              &why) < 0)
            return tree_error(lists, load->err, STATUS_INVALID, "%s", why.text);
    return 0;
}

static int load_step(struct loader *load, const struct tree *t,
                     struct create_step *step)
{
    const struct tree *list, *sort;

    if (read_keys(t, create_keys, ARRAY_LEN(create_keys), load->err) < 0)
        return -1;
    list = tree_get(t, "list");
    sort = tree_get(t, "sort");
    if ((list == NULL) == (tree_get(t, "union") == NULL))
        return tree_error(t, load->err, STATUS_INVALID,
                          "expected either list or union");
    if (sort != NULL && strcmp(sort->text, "lexicographic") != 0)
        return tree_error(sort, load->err, STATUS_INVALID,
                          "\"%s\" is no order; there is lexicographic",
                          sort->text);
    step->sorted = sort != NULL;
    step->backend = read_string(t, "backend");
    if (step->backend == NULL)
        step->backend = "device";
    if (load_create_lists(load, list != NULL ? list : tree_get(t, "union"),
                          step) < 0)
        return -1;
    return compile_child(load, t, "when", VALUE_BOOL, &step->when);
}

int load_create(struct loader *load)
{
    struct runtime *rt = load->rt;
    const struct tree *list = tree_get(rt->document, "create");

    rt->create = load_parts(load, list, sizeof(*rt->create));
    if (rt->create == NULL)
        return -1;
    for (const struct tree *t = tree_first(list); t != NULL; t = t->next)
        if (load_step(load, t, &rt->create[rt->n_create++]) < 0)
            return -1;
    return 0;
}
