/* SPDX-License-Identifier: Apache-2.0 */
/* The group table of an accepted request: its lists, creation and digests. */
#include "placement/table.h"

#include <inttypes.h>
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
    const struct view *view = scope_first_view(check, scope);

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

/* The lists of a declared group: itself, or those of its family. Returns how
 * many; names need FAMILY_MAX entries. */
static int group_names(struct check *check, const struct scope *scope,
                       int group, struct list_name *names)
{
    const struct group_rule *rule = &check->rt->groups[group];
    uint32_t members[FAMILY_MAX];
    int n;

    names[0] = (struct list_name){
        .text = rule->name, .view = -1, .group = group, .member = -1
    };
    if (!rule->family)
        return 1;
    n = scope_family(check, scope, group, members);
    for (int i = 0; i < n; i++) {
        names[i] = names[0];
        names[i].member = members[i];
        names[i].text =
            arena_printf(check->arena, "%s%" PRIu32, rule->name, members[i]);
        if (names[i].text == NULL) {
            check->exhausted = true;
            return 0;
        }
    }
    return n;
}

static void add_group(struct check *check, struct scope *scope,
                      const struct list_name *name, struct table *table)
{
    struct table_list *list = &table->lists[table->n_lists];

    if (table_scope_lists(check, scope, name, &list->lists) < 0)
        return;
    list->scope = scope;
    list->name = list_label(check, scope, "", name->text);
    table->n_lists++;
}

static void add_groups(struct check *check, struct scope *scope,
                       struct table *table)
{
    struct list_name names[FAMILY_MAX];

    for (size_t g = 0; g < check->rt->n_groups; g++) {
        int n = group_names(check, scope, (int)g, names);

        for (int i = 0; i < n; i++)
            add_group(check, scope, &names[i], table);
    }
}

/* Room for the lists of one scope. */
static size_t table_room(const struct runtime *rt)
{
    size_t room = rt->n_views * VIEW_AXES_MAX;

    for (size_t g = 0; g < rt->n_groups; g++)
        room += rt->groups[g].family ? FAMILY_MAX : 1;
    return room;
}

int table_make(struct check *check, struct table *ret, struct error *err)
{
    struct table table = { 0 };

    table.lists =
        check_alloc(check, table_room(check->rt) * check->dep->n_groups + 1,
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

static struct creation_source source_of(const struct scope *scope,
                                        const char *name,
                                        const struct lists *lists)
{
    return (struct creation_source){ .name = name,
                                     .lists = lists,
                                     .ranks = scope->ranks,
                                     .offset = scope->offset + lists->first };
}

/* The lists that one list of a step stands for: itself, or a family. */
static int step_names(struct check *check, const struct scope *scope,
                      const struct list_name *list, struct list_name *names)
{
    if (list->group >= 0 && list->member < 0)
        return group_names(check, scope, list->group, names);
    names[0] = *list;
    return 1;
}

/* Adds the sources of one step in one scope. Returns how many. */
static size_t add_sources(struct check *check, struct scope *scope,
                          const struct create_step *step,
                          struct creation_source *sources, struct lists *lists)
{
    struct list_name names[FAMILY_MAX];
    size_t n = 0;

    if (step->when != NULL) {
        struct value when = expression_eval(step->when, &scope->env);

        /* a group that only some create hangs them all */
        check->bad_creation |= when.state != VALUE_KNOWN;
        if (!value_is_true(when))
            return 0;
    }
    if (step->instance && whole_lists(check, scope, &lists[0]) == 0) {
        over_instances(scope, &lists[0]);
        sources[n++] = source_of(scope, step->lists[0].text, &lists[0]);
    }
    for (size_t i = 0; i < step->n_lists && !step->instance; i++) {
        int count = step_names(check, scope, &step->lists[i], names);

        for (int k = 0; k < count; k++)
            if (table_scope_lists(check, scope, &names[k], &lists[n]) == 0) {
                sources[n] = source_of(scope, names[k].text, &lists[n]);
                n++;
            }
    }
    return n;
}

/* Room for the sources of a step in one scope. */
static size_t step_room(const struct runtime *rt,
                        const struct create_step *step)
{
    size_t room = 0;

    for (size_t i = 0; i < step->n_lists; i++) {
        int group = step->instance ? -1 : step->lists[i].group;

        room += group >= 0 && rt->groups[group].family ? FAMILY_MAX : 1;
    }
    return room;
}

static int make_step(struct check *check, const struct create_step *create,
                     struct creation_step *ret)
{
    size_t room = step_room(check->rt, create) * check->dep->n_groups + 1;
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
                        table->lists[i].scope->offset +
                            table->lists[i].lists.first,
                        ret->lists[i]);
    digest_end(builder, creation, ret->sequence, ret->total);
    return 0;
}
