/* SPDX-License-Identifier: Apache-2.0 */
/* The answer to a request, as the document that every client gets. */
#include "placement/verdict.h"

#include <stdlib.h>
#include <string.h>

#include "placement/explain.h"
#include "placement/verdict_writer.h"

void verdict_field(struct writer *w, struct tree *map, const char *key)
{
    make_string(w->maker, map, key, text_string(&w->text));
    if (w->text.failed)
        w->maker->failed = true;
    text_clear(&w->text);
}

/* ---- findings, warnings, unchecked --------------------------------------- */

/* A list of strings being written. */
struct sink {
    struct tree_maker *maker;
    struct tree *list;
};

static void add_fix(void *arg, const char *text)
{
    struct sink *fixes = arg;

    make_string(fixes->maker, fixes->list, NULL, text);
}

/* Which layer of the runtime a rule belongs to. */
static void write_layer(struct writer *w, struct tree *map,
                        const struct rule *rule)
{
    if (rule->layer != NULL)
        make_string(w->maker, map, "layer", rule->layer->name);
}

static void write_finding(struct writer *w, const struct finding *f,
                          struct tree *list, bool refusal)
{
    struct tree *map = make_map(w->maker, list, NULL);
    struct sink fixes = { .maker = w->maker };

    make_string(w->maker, map, "code", f->code);
    write_layer(w, map, f->rule);
    finding_subject(w->check, f, &w->text);
    verdict_field(w, map, "subject");
    finding_equation(w->check, f, &w->text);
    if (refusal || w->text.len > 0)
        verdict_field(w, map, "equation");
    finding_reason(w->check, f, &w->text);
    verdict_field(w, map, "reason");
    if (!refusal)
        return;
    fixes.list = make_list(w->maker, map, "fixes");
    finding_fixes(w->check, f, add_fix, &fixes);
}

static void write_findings(struct writer *w)
{
    const struct findings *refused = &w->check->refused;
    struct tree *list = make_list(w->maker, w->map, "findings");

    for (size_t i = 0; i < refused->n; i++)
        write_finding(w, &refused->items[i], list, true);
    if (refused->total > refused->n)
        make_int(w->maker, w->map, "findings_left_out",
                 (int64_t)(refused->total - refused->n));
}

static void write_warnings(struct writer *w)
{
    const struct findings *warnings = &w->check->warnings;
    struct tree *list = make_list(w->maker, w->map, "warnings");

    for (size_t i = 0; i < warnings->n; i++)
        write_finding(w, &warnings->items[i], list, false);
}

/* Adds text to a list of strings that has none equal. */
static void add_need(void *arg, const char *text)
{
    struct sink *needs = arg;

    for (const struct tree *t = tree_first(needs->list); t != NULL; t = t->next)
        if (strcmp(t->text, text) == 0)
            return;
    make_string(needs->maker, needs->list, NULL, text);
}

/* One entry for each code, with everything that its rules need. */
static void write_unchecked(struct writer *w)
{
    struct tree *list = make_list(w->maker, w->map, "unchecked");

    for (size_t i = 0; i < w->check->n_unchecked; i++) {
        const struct unchecked *u = &w->check->unchecked[i];
        struct sink needs = { .maker = w->maker };
        struct tree *map;

        for (const struct tree *t = tree_first(list); t != NULL; t = t->next)
            if (strcmp(tree_get(t, "code")->text, u->rule->code) == 0)
                needs.list = (struct tree *)tree_get(t, "needs");
        if (needs.list == NULL) {
            map = make_map(w->maker, list, NULL);
            make_string(w->maker, map, "code", u->rule->code);
            write_layer(w, map, u->rule);
            needs.list = make_list(w->maker, map, "needs");
        }
        if (w->maker->failed)
            return;
        unchecked_needs(w->check, u, add_need, &needs);
    }
}

/* ---- derived sizes ------------------------------------------------------- */

/* Whether a value is known, and if it is a list, all that is in it. */
static bool is_complete(struct value v)
{
    if (v.state != VALUE_KNOWN)
        return false;
    for (uint32_t i = 0; v.type == VALUE_LIST && i < v.count; i++)
        if (!is_complete(v.u.items[i]))
            return false;
    return true;
}

static void write_value(struct writer *w, struct tree *map, const char *key,
                        struct value v)
{
    if (!is_complete(v))
        return;
    switch ((enum value_type)v.type) {
    case VALUE_INT:
        make_int(w->maker, map, key, v.u.integer);
        break;
    case VALUE_DOUBLE:
        make_double(w->maker, map, key, v.u.number);
        break;
    case VALUE_BOOL:
        make_bool(w->maker, map, key, v.u.boolean);
        break;
    case VALUE_STRING:
        make_string(w->maker, map, key, v.u.string);
        break;
    case VALUE_LIST: {
        struct tree *list = make_list(w->maker, map, key);

        for (uint32_t i = 0; i < v.count; i++)
            write_value(w, list, NULL, v.u.items[i]);
        break;
    }
    case VALUE_OBJECT:
    case VALUE_MAP:
    case VALUE_NUMBER:
    case VALUE_ANY:
        break;
    }
}

/* Derived sizes of a scope, and its axes that were not given. */
static void write_derived(struct writer *w, const struct scope *scope,
                          struct tree *parent)
{
    const struct runtime *rt = w->check->rt;
    struct tree *map = make_map(w->maker, parent, "derived");

    if (scope == NULL)
        return;
    for (size_t a = 0; a < rt->n_axes; a++)
        if (w->check->dep->spans &&
            (!scope->group->sizes[a].has || rt->axes[a].fill != NULL))
            write_value(w, map, rt->axes[a].name,
                        scope->slots[rt->axes[a].slot]);
    for (size_t d = 0; d < rt->n_derived; d++)
        write_value(w, map, rt->derived[d].name,
                    scope->slots[rt->derived[d].slot]);
}

/* Which sizes of a scope have communicators of their own, by list. */
static void write_active(struct writer *w, const struct scope *scope,
                         struct tree *parent)
{
    const struct runtime *rt = w->check->rt;
    struct tree *map, *list;
    bool active;

    if (rt->n_active == 0)
        return;
    map = make_map(w->maker, parent, "active_axes");
    for (size_t i = 0; i < rt->n_active; i++) {
        list = make_list(w->maker, map, rt->active[i].name);
        for (size_t k = 0; k < rt->active[i].n_names; k++)
            if (scope_active(scope, &rt->active[i].names[k], &active) && active)
                make_string(w->maker, list, NULL, rt->active[i].names[k].name);
    }
}

/* ---- alternatives -------------------------------------------------------- */

/* By the numbers that the request has for them. */
static void write_ranks(struct writer *w, struct tree *map, const char *key,
                        const int64_t *ranks, size_t n)
{
    struct tree *list = make_list(w->maker, map, key);

    for (size_t i = 0; i < n; i++)
        make_int(w->maker, list, NULL,
                 deployment_listed(w->check->dep, ranks[i]));
}

static void write_edit(struct writer *w, struct tree *set,
                       const struct edit *edit)
{
    struct text path = { 0 };
    const char *key;

    edit_path(w->check, edit, &path);
    key = text_string(&path);
    switch (edit->kind) {
    case EDIT_SIZE:
    case EDIT_WORLD:
        make_int(w->maker, set, key, edit->value);
        break;
    case EDIT_OPTION:
        make_copy(w->maker, set, key, edit->tree);
        break;
    case EDIT_RANKS:
        if (w->check->dep->groups[edit->group].counted)
            make_int(w->maker, set, key, (int64_t)edit->n_ranks);
        else
            write_ranks(w, set, key, edit->ranks, edit->n_ranks);
        break;
    case EDIT_WALKS:
        if (!w->maker->failed &&
            tree_new(w->maker->arena, set, key, TREE_NULL) == NULL)
            w->maker->failed = true;
        break;
    case EDIT_SPARSE:
        make_string(w->maker, set, key, sparse_word(SPARSE_RENUMBER));
        break;
    }
    text_close(&path);
}

static void write_alternatives(struct writer *w,
                               const struct alternatives *alternatives)
{
    struct tree *list = make_list(w->maker, w->map, "alternatives");

    if (alternatives == NULL)
        return;
    for (size_t i = 0; i < alternatives->n; i++) {
        const struct alternative_request *a = &alternatives->items[i];
        struct tree *map = make_map(w->maker, list, NULL);
        struct tree *set = make_map(w->maker, map, "set");

        for (size_t k = 0; k < a->n_edits; k++)
            write_edit(w, set, &a->edits[k]);
        make_int(w->maker, map, "changes", (int64_t)a->n_edits);
        make_string(w->maker, map, "say", a->say);
    }
    if (alternatives->cut)
        make_bool(w->maker, w->map, "alternatives_cut", true);
}

enum {
    /* Ranks that the request only counted are listed up to here: an answer has
     * no world's size unasked. */
    COUNTED_RANKS_MAX = 4096,
    RENUMBERED_RUNS_MAX = 1024,
};

/* ---- node groups --------------------------------------------------------- */

/* Lists of positions of one instance as lists of its ranks. */
static void write_lists(struct writer *w, struct tree *parent, const char *key,
                        const struct scope *scope, const struct lists *lists,
                        size_t first)
{
    struct tree *all = make_list(w->maker, parent, key);
    uint32_t n = lists_count(lists), length = lists_length(lists);

    for (uint32_t i = 0; i < n; i++) {
        struct tree *list = make_list(w->maker, all, NULL);

        for (uint32_t j = 0; j < length && !w->maker->failed; j++)
            make_int(w->maker, list, NULL,
                     scope_rank(scope, first + lists_member(lists, i, j)));
    }
}

static void write_instance(struct writer *w, struct tree *list,
                           struct scope *scope, size_t instance)
{
    const struct runtime *rt = w->check->rt;
    size_t first = instance * scope->instance;
    struct tree *map = make_map(w->maker, list, NULL);
    struct tree *ranks = make_list(w->maker, map, "ranks");
    struct tree *groups;

    for (uint32_t i = 0; i < scope->instance; i++)
        make_int(w->maker, ranks, NULL, scope_rank(scope, first + i));
    groups = make_map(w->maker, map, "groups");
    for (size_t v = 0; v < rt->n_views && scope->instance > 1; v++) {
        const struct view *view = scope_view(w->check, scope, (int)v);

        for (int a = 0; view != NULL && a < view->n_axes; a++) {
            struct lists lists;

            text_printf(&w->text, "%s%s%s", rt->views[v].name,
                        rt->views[v].name[0] != '\0' ? "." : "",
                        view->axes[a].name);
            lists_over(view, 1u << a, &lists);
            write_lists(w, groups, text_string(&w->text), scope, &lists, first);
            text_clear(&w->text);
        }
    }
}

static void write_strings(struct writer *w, struct tree *map, const char *key,
                          const char *const *names, size_t n)
{
    struct tree *list = make_list(w->maker, map, key);

    for (size_t i = 0; i < n; i++)
        make_string(w->maker, list, NULL, names[i]);
}

static void write_group(struct writer *w, struct tree *list,
                        struct scope *scope)
{
    const struct runtime *rt = w->check->rt;
    const struct node_group *group = scope->group;
    struct tree *map = make_map(w->maker, list, NULL), *sizes, *instances;

    make_int(w->maker, map, "group", group->index);
    write_strings(w, map, "node_names", group->node_names, group->n_node_names);
    if (!group->all_walks)
        write_strings(w, map, "graph_walks", group->walks, group->n_walks);
    sizes = make_map(w->maker, map, "sizes");
    for (size_t a = 0; a < rt->n_axes; a++)
        make_int(w->maker, sizes, rt->axes[a].name,
                 scope_size(w->check, scope, (int)a));
    write_derived(w, scope, map);
    write_active(w, scope, map);
    make_int(w->maker, map, "instance_size", scope->instance);
    instances = make_list(w->maker, map, "instances");
    if (group->counted && group->n_ranks > COUNTED_RANKS_MAX) {
        make_int(w->maker, map, "instances_left_out",
                 (int64_t)scope->n_instances);
        return;
    }
    for (size_t i = 0; i < scope->n_instances; i++)
        write_instance(w, instances, scope, i);
}

static void write_groups(struct writer *w)
{
    const struct check *check = w->check;
    struct tree *list = make_list(w->maker, w->map, "node_groups");
    struct tree *resolution;

    if (!check_accepts(check) || check->dep->spans)
        return;
    for (size_t g = 0; g < check->dep->n_groups; g++)
        write_group(w, list, &check->scopes[g]);
    resolution = make_map(w->maker, w->map, "resolution");
    for (size_t i = 0; i < check->n_served; i++) {
        const struct served *served = &check->served[i];
        struct tree *walk = make_map(
            w->maker, resolution, served->name[0] != '\0' ? served->name : "*");

        for (size_t k = 0; k < served->n_nodes; k++)
            make_int(w->maker, walk, check->nodes[served->nodes[k]].name,
                     served->groups[k]);
    }
}

/* Which rank each number of the request became: runs of numbers that rise by
 * one step, and the ranks that rise by 1. */
static void write_renumbered(struct writer *w)
{
    const struct deployment *dep = w->check->dep;
    struct tree *map, *runs;
    uint32_t at = 0, stride;
    size_t n, n_runs = 0;

    if (dep->listed == NULL)
        return;
    map = make_map(w->maker, w->map, "renumbered");
    make_int(w->maker, map, "ranks", dep->n_listed);
    runs = make_list(w->maker, map, "runs");
    for (; at < dep->n_listed; at += (uint32_t)n, n_runs++) {
        struct tree *run;

        n = deployment_listed_run(dep, at, &stride);
        if (n_runs >= RENUMBERED_RUNS_MAX)
            continue;
        run = make_map(w->maker, runs, NULL);
        make_int(w->maker, run, "from", dep->listed[at]);
        make_int(w->maker, run, "to", at);
        make_int(w->maker, run, "count", (int64_t)n);
        if (stride != 1)
            make_int(w->maker, run, "stride", stride);
    }
    make_int(w->maker, map, "n_runs", (int64_t)n_runs);
}

int verdict_write(struct check *check, const struct alternatives *alternatives,
                  const struct verdict_wants *wants, struct tree_maker *maker,
                  struct tree *map, struct error *err)
{
    struct writer w = {
        .check = check, .maker = maker, .map = map, .err = err
    };
    int rc = 0;

    make_string(maker, map, "verdict",
                check_accepts(check) ? "accept" : "refuse");
    if (check->question.up_to != NULL)
        make_string(maker, map, "up_to", check->question.up_to->name);
    write_findings(&w);
    write_unchecked(&w);
    write_warnings(&w);
    write_derived(&w, check->dep->spans ? &check->scopes[0] : NULL, map);
    if (check_accepts(check) && check->dep->spans)
        write_active(&w, &check->scopes[0], map);
    write_alternatives(&w, check_accepts(check) ? NULL : alternatives);
    write_renumbered(&w);
    write_groups(&w);
    if (check_accepts(check))
        rc = verdict_wanted(&w, wants);
    text_close(&w.text);
    if (rc == 0 && maker->failed)
        return error_exhausted(err);
    return rc;
}
