/* SPDX-License-Identifier: Apache-2.0 */
/* The group table of an accepted request: its lists, creation and digests. */
#include "placement/table.h"

#include <string.h>

#include "placement/explain.h"

/* Puts the instances of a node group in front of the dims of one instance. */
static void over_instances(const struct scope *scope, struct lists *lists)
{
    if (scope->n_instances < 2 || scope->instance == 0)
        return;
    memmove(&lists->outer[1], &lists->outer[0],
            (size_t)lists->n_outer * sizeof(lists->outer[0]));
    lists->outer[0] = (struct dim){ .size = (uint32_t)scope->n_instances,
                                    .stride = scope->instance };
    lists->n_outer++;
}

/* Whole instances: the axes of the first view all together. */
static int whole_lists(struct check *check, struct scope *scope,
                       struct lists *ret)
{
    const struct view *view = scope_view(check, scope, 0);

    if (view == NULL)
        return -1;
    lists_over(view, (1u << view->n_axes) - 1, ret);
    return 0;
}

int table_scope_lists(struct check *check, struct scope *scope,
                      const struct list_name *name, struct lists *ret)
{
    if (scope_lists(check, scope, name, ret) < 0)
        return -1;
    over_instances(scope, ret);
    return 0;
}

/* ---- the table ----------------------------------------------------------- */

static const char *list_label(struct check *check, const struct scope *scope,
                              const char *view, const char *axis)
{
    struct text text = { 0 };
    const char *label;

    if (!check->dep->spans) {
        group_path(scope->group->index, &text);
        text_put(&text, ".");
    }
    if (view[0] != '\0')
        text_printf(&text, "%s.", view);
    text_put(&text, axis);
    label = arena_strdup(check->arena, text_string(&text));
    if (label == NULL)
        check->exhausted = true;
    text_close(&text);
    return label;
}

static void add_view(struct check *check, struct scope *scope, size_t v,
                     struct table *table)
{
    const struct view *view = scope_view(check, scope, (int)v);

    for (int a = 0; view != NULL && a < view->n_axes; a++) {
        struct table_list *list = &table->lists[table->n_lists++];

        list->scope = scope;
        list->name = list_label(check, scope, check->rt->views[v].name,
                                view->axes[a].name);
        lists_over(view, 1u << a, &list->lists);
        over_instances(scope, &list->lists);
    }
}

static void add_groups(struct check *check, struct scope *scope,
                       struct table *table)
{
    for (size_t g = 0; g < check->rt->n_groups; g++) {
        const struct list_name name = { .view = -1, .group = (int)g };
        struct table_list *list = &table->lists[table->n_lists];

        if (table_scope_lists(check, scope, &name, &list->lists) < 0)
            continue;
        list->scope = scope;
        list->name = list_label(check, scope, "", check->rt->groups[g].name);
        table->n_lists++;
    }
}

int table_make(struct check *check, struct table *ret, struct error *err)
{
    size_t each = check->rt->n_views * VIEW_AXES_MAX + check->rt->n_groups;
    struct table table = { 0 };

    table.lists = check_alloc(check, each * check->dep->n_groups + 1,
                              sizeof(*table.lists));
    if (table.lists == NULL)
        return error_exhausted(err);
    for (size_t g = 0; g < check->dep->n_groups; g++) {
        for (size_t v = 0; v < check->rt->n_views; v++)
            add_view(check, &check->scopes[g], v, &table);
        add_groups(check, &check->scopes[g], &table);
    }
    if (check->exhausted)
        return error_exhausted(err);
    *ret = table;
    return 0;
}

/* ---- creation ------------------------------------------------------------ */

/* Adds the sources of one step in one scope. Returns how many. */
static size_t add_sources(struct check *check, struct scope *scope,
                          const struct create_step *step,
                          struct creation_source *sources, struct lists *lists)
{
    size_t n = 0;

    if (step->when != NULL) {
        struct value when = expression_eval(step->when, &scope->env);

        /* a group that only some create hangs them all */
        check->bad_creation |= when.state != VALUE_KNOWN;
        if (!value_is_true(when))
            return 0;
    }
    for (size_t i = 0; i < step->n_lists; i++) {
        int rc;

        if (step->instance) {
            rc = whole_lists(check, scope, &lists[n]);
            if (rc == 0)
                over_instances(scope, &lists[n]);
        } else {
            rc = table_scope_lists(check, scope, &step->lists[i], &lists[n]);
        }
        if (rc < 0)
            continue;
        sources[n] = (struct creation_source){ .name = step->lists[i].text,
                                               .lists = &lists[n],
                                               .ranks = scope->ranks,
                                               .offset = scope->offset };
        n++;
    }
    return n;
}

static int make_step(struct check *check, const struct create_step *create,
                     struct creation_step *ret)
{
    size_t room = create->n_lists * check->dep->n_groups + 1;
    struct creation_source *sources =
        check_alloc(check, room, sizeof(*sources));
    struct lists *lists = check_alloc(check, room, sizeof(*lists));

    if (sources == NULL || lists == NULL)
        return -1;
    *ret = (struct creation_step){ .backend = create->backend,
                                   .sorted = create->sorted,
                                   .sources = sources };
    for (size_t g = 0; g < check->dep->n_groups; g++)
        ret->n_sources +=
            add_sources(check, &check->scopes[g], create,
                        sources + ret->n_sources, lists + ret->n_sources);
    return 0;
}

int table_creation(struct check *check, struct creation *ret, struct error *err)
{
    struct creation_step *steps =
        check_alloc(check, check->rt->n_create + 1, sizeof(*steps));

    if (steps == NULL)
        return error_exhausted(err);
    for (size_t i = 0; i < check->rt->n_create; i++)
        if (make_step(check, &check->rt->create[i], &steps[i]) < 0)
            return error_exhausted(err);
    if (check->bad_creation)
        return error_set(err, STATUS_REFUSED,
                         "the runtime %s cannot say which groups are created: "
                         "a condition of `create` is not known",
                         check->rt->name);
    return creation_make(check->arena, steps, check->rt->n_create, ret, err);
}

/* ---- digests ------------------------------------------------------------- */

int table_digest(struct check *check, const struct table *table,
                 const struct creation *creation, struct table_digests *ret,
                 struct error *err)
{
    struct digest_builder *builder =
        digest_begin(check->arena, (uint32_t)table->n_lists, err);

    if (builder == NULL)
        return -1;
    ret->lists = check_alloc(check, table->n_lists + 1, DIGEST_SHORT_BYTES);
    if (ret->lists == NULL)
        return error_exhausted(err);
    for (size_t i = 0; i < table->n_lists; i++)
        digest_add_list(builder, table->lists[i].name, &table->lists[i].lists,
                        table->lists[i].scope->ranks,
                        table->lists[i].scope->offset, ret->lists[i]);
    digest_end(builder, creation, ret->sequence, ret->total);
    return 0;
}
