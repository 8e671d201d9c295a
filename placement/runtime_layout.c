/* SPDX-License-Identifier: Apache-2.0 */
/* The layout part of a runtime: views and the creation sequence. */
#include "placement/runtime_load.h"

#include <string.h>

#include "placement/reader.h"

/* clang-format off */
static const struct read_key form_keys[] = {
    { "when",      READ_SCALAR, false },
    { "axes",      READ_LIST,   true },
    { "order",     READ_STRING, false },
    { "outermost", READ_STRING, false },
    { "span",      READ_SCALAR, false },
    { "first",     READ_SCALAR, false },
};
static const struct read_key create_keys[] = {
    { "list",    READ_STRING,             false },
    { "union",   READ_LIST | READ_STRING, false },
    { "sort",    READ_STRING,             false },
    { "backend", READ_STRING,             false },
    { "when",    READ_SCALAR,             false },
};
/* clang-format on */

/* Of a part whose `after` is read later. */
enum { AFTER_UNLINKED = -2 };

/* ---- views -------------------------------------------------------------- */

/* {dp: EXPRESSION}, or {dp: EXPRESSION, after: tp} */
static int load_local(struct loader *load, const struct tree *t,
                      struct view_part *part)
{
    const struct tree *size = NULL;

    for (const struct tree *c = tree_first(t); c != NULL; c = c->next)
        if (strcmp(c->key, "after") != 0)
            size = c;
    if (size == NULL || tree_count(t) > (tree_get(t, "after") != NULL ? 2 : 1))
        return tree_error(t, load->err, STATUS_INVALID,
                          "expected an axis, {name: EXPRESSION} or "
                          "{name: EXPRESSION, after: axis}");
    part->name = size->key;
    if (!read_is_identifier(size->key))
        return tree_error_key(size, load->err, STATUS_INVALID,
                              "\"%s\" cannot be the name of an axis",
                              size->key);
    if (tree_get(t, "after") != NULL)
        part->after = AFTER_UNLINKED;
    if (size->type == TREE_STRING)
        part->size_of = runtime_axis(load->rt, size->text);
    return compile_child(load, t, size->key, VALUE_INT, &part->size);
}

/* `tp` is a shared axis; a map is a size local to the view. */
static int load_part(struct loader *load, const struct tree *t,
                     struct view_part *part)
{
    part->axis = part->size_of = part->after = -1;
    if (t->type == TREE_MAP)
        return load_local(load, t, part);
    if (t->type != TREE_STRING)
        return tree_error(t, load->err, STATUS_INVALID,
                          "expected an axis or {name: EXPRESSION}");
    part->name = t->text;
    part->axis = part->size_of = runtime_axis(load->rt, t->text);
    if (part->axis < 0)
        return tree_error(t, load->err, STATUS_INVALID,
                          "\"%s\" is not an axis; a size local to the view "
                          "is written {%s: EXPRESSION}",
                          t->text, t->text);
    return 0;
}

/* Links the parts that stand behind others, which stand in the order
 * themselves. */
static int load_after(struct loader *load, const struct tree *list,
                      struct view_part *parts, size_t n)
{
    struct view_part *part = parts;

    for (const struct tree *t = tree_first(list); t != NULL;
         t = t->next, part++) {
        const struct tree *after =
            t->type == TREE_MAP ? tree_get(t, "after") : NULL;

        for (size_t i = 0; after != NULL && i < n; i++)
            if (after->type == TREE_STRING && parts[i].after == -1 &&
                strcmp(parts[i].name, after->text) == 0)
                part->after = (int)i;
        if (part->after == AFTER_UNLINKED)
            return tree_error(after, load->err, STATUS_INVALID,
                              "expected a part of this view that stands in "
                              "the order by its own name");
    }
    return 0;
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
    return load_after(load, list, parts, form->n_parts);
}

/* How the order of the parts is asked for. */
static int load_order(struct loader *load, const struct tree *t,
                      struct view_form *form)
{
    const struct tree *outermost = tree_get(t, "outermost");

    if (compile_child(load, t, "order", VALUE_STRING | VALUE_LIST,
                      &form->order) < 0)
        return -1;
    if (outermost == NULL)
        return 0;
    form->outermost_last = strcmp(outermost->text, "last") == 0;
    if (form->outermost_last || strcmp(outermost->text, "first") == 0)
        return 0;
    return tree_error(outermost, load->err, STATUS_INVALID,
                      "\"%s\" is no end of an order; there are first and last",
                      outermost->text);
}

/* Whether a view's list holds alternatives, not axes. */
static bool is_alternatives(const struct tree *view)
{
    const struct tree *first = tree_first(view);

    return view->type == TREE_LIST && tree_get(first, "axes") != NULL;
}

/* Which part of the world the view covers. */
static int load_extent(struct loader *load, const struct tree *t,
                       struct view_form *form)
{
    const struct tree *span = tree_get(t, "span"),
                      *first = tree_get(t, "first");

    if (first != NULL && span == NULL)
        return tree_error(first, load->err, STATUS_INVALID,
                          "a view that begins at another rank than 0 needs a "
                          "span");
    if (span != NULL && !load->rt->spans)
        return tree_error(span, load->err, STATUS_INVALID,
                          "only a world has parts; the views of a node group "
                          "cover its instances");
    if (compile_child(load, t, "span", VALUE_INT, &form->span) < 0)
        return -1;
    return compile_child(load, t, "first", VALUE_INT, &form->first);
}

static int load_view_map(struct loader *load, const struct tree *t,
                         struct view_form *form)
{
    if (read_keys(t, form_keys, ARRAY_LEN(form_keys), load->err) < 0 ||
        compile_child(load, t, "when", VALUE_BOOL, &form->when) < 0 ||
        load_order(load, t, form) < 0 || load_extent(load, t, form) < 0)
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
        parts[i] = (struct view_part){ .name = rt->axes[i].name,
                                       .axis = (int)i,
                                       .size_of = (int)i,
                                       .after = -1 };
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

int load_views(struct loader *load)
{
    int rc;

    load->in_layout = true;
    rc = load_all_views(load);
    load->in_layout = false;
    return rc;
}

/* ---- creation sequence --------------------------------------------------- */

static int load_create_lists(struct loader *load, const struct tree *lists,
                             struct create_step *step)
{
    const char *const *names;
    struct list_name *found;
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
        if (load_list_name(load, lists, names[i], true, &found[i]) < 0)
            return -1;
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
