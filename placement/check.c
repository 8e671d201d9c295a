/* SPDX-License-Identifier: Apache-2.0 */
/* Running the rules of a runtime on a request. */
#include "placement/check.h"

#include <string.h>

#include "placement/structure_checks.h"

/* ---- findings ------------------------------------------------------------ */

bool check_done(const struct check *check)
{
    return (check->flags & CHECK_VERDICT_ONLY) != 0 && check->refused.total > 0;
}

/* Room for one more finding; the spare one when no more are kept. */
static struct finding *add_finding(struct check *check, struct findings *list)
{
    list->total++;
    if (list->n == CHECK_FINDINGS_MAX)
        return &check->spare;
    if (list->n == list->cap) {
        size_t cap = list->cap == 0 ? 4 : list->cap * 2;
        struct finding *items = check_alloc(check, cap, sizeof(*items));

        if (items == NULL)
            return &check->spare;
        if (list->n > 0)
            memcpy(items, list->items, list->n * sizeof(*items));
        list->items = items;
        list->cap = cap;
    }
    return &list->items[list->n++];
}

static struct finding *new_finding(struct check *check, struct findings *list)
{
    struct finding *f = add_finding(check, list);

    *f = (struct finding){ .rule = check->running,
                           .fault = FAULT_RULE,
                           .group = -1,
                           .other = -1,
                           .instance = -1,
                           .axis = -1,
                           .rank = -1 };
    return f;
}

const char *fault_code(const struct rule *rule, enum fault fault)
{
    const struct fault_row *row = &fault_rows[fault];

    for (size_t i = 0; i < rule->n_codes; i++)
        if (strcmp(rule->codes[i].key, row->word) == 0)
            return rule->codes[i].code;
    if (rule->code == NULL || row->warns || (int)row->check != rule->structure)
        return row->code;
    for (int f = 0; f < (int)fault; f++)
        if (fault_rows[f].check == row->check && !fault_rows[f].warns)
            return row->code;
    return rule->code;
}

struct finding *check_fault(struct check *check, enum fault fault)
{
    bool warns = fault_rows[fault].warns;
    struct finding *f =
        new_finding(check, warns ? &check->warnings : &check->refused);

    f->fault = (int)fault;
    f->code = fault_code(check->running, fault);
    return f;
}

/* ---- rules proper -------------------------------------------------------- */

static void add_unchecked(struct check *check, const struct rule *rule,
                          const struct scope *scope, struct value item)
{
    struct unchecked *more;

    if ((check->n_unchecked & (check->n_unchecked - 1)) == 0) {
        size_t cap = check->n_unchecked == 0 ? 1 : check->n_unchecked * 2;

        more = check_alloc(check, cap, sizeof(*more));
        if (more == NULL)
            return;
        if (check->n_unchecked > 0)
            memcpy(more, check->unchecked, check->n_unchecked * sizeof(*more));
        check->unchecked = more;
    }
    check->unchecked[check->n_unchecked++] = (struct unchecked){
        .rule = rule,
        .scope = scope,
        .item = item,
    };
}

/* The node group that a finding is about: the scope's; of a signal the end that
 * is split; -1: none. */
static int item_group(const struct scope *scope, struct value item)
{
    const struct signal_item *signal = item.u.object;

    if (item.type == VALUE_OBJECT && item.kind == KIND_SIGNAL) {
        const struct placed *source = signal->source.u.object;
        const struct placed *target = signal->target.u.object;

        if (signal->source.state == VALUE_KNOWN && source->scope->instance > 1)
            return source->scope->group->index;
        if (signal->target.state == VALUE_KNOWN)
            return target->scope->group->index;
    }
    return scope->group != NULL ? scope->group->index : -1;
}

static void add_refusal(struct check *check, const struct rule *rule,
                        const struct scope *scope, struct value item,
                        bool inexact)
{
    struct finding *f;

    f = new_finding(check, rule->warns ? &check->warnings : &check->refused);
    f->scope = scope;
    f->item = item;
    f->code = rule->code;
    f->group = item_group(scope, item);
    if (inexact) {
        f->fault = FAULT_INEXACT;
        f->code = fault_rows[FAULT_INEXACT].code;
    }
}

/* Whether the rule refuses; what keeps that from being known spreads from its
 * condition. */
static struct value evaluate(const struct rule *rule, const struct scope *scope)
{
    if (rule->when != NULL) {
        struct value when = expression_eval(rule->when, &scope->env);

        if (!value_is_true(when))
            return when;
    }
    return expression_eval(rule->refuse, &scope->env);
}

/* As above, and leaves nothing in the arena but values of slots. */
static struct value evaluate_clean(struct check *check, const struct rule *rule,
                                   const struct scope *scope)
{
    struct arena_mark mark = arena_mark(check->arena);
    size_t n_computed = check->n_computed;
    struct value v = evaluate(rule, scope);

    if (check->n_computed == n_computed)
        arena_rewind(check->arena, mark); /* v is no list */
    return v;
}

/* Whether nothing else says why a rule came out undefined: no earlier finding,
 * and no size that the check of sizes refuses, wherever that stands. */
static bool is_unexplained(const struct check *check, const struct scope *scope)
{
    return check->refused.total == 0 && scope->bad_axes == 0;
}

/* Judges one rule in one scope, for one item. Undefined is passed over where
 * another finding explains it; else it is a finding of its own. */
static void judge(struct check *check, const struct rule *rule,
                  struct scope *scope, struct value item)
{
    struct value v;

    if (spare_holds(&rule->spare, scope->at_rest))
        return;
    scope->slots[SLOT_ITEM] = item;
    v = rule->allocates ? evaluate_clean(check, rule, scope)
                        : evaluate(rule, scope);
    if (check->budget <= 0)
        check->exhausted = true;
    if (v.state == VALUE_UNKNOWN)
        add_unchecked(check, rule, scope, item);
    else if (v.state == VALUE_UNDEFINED && is_unexplained(check, scope))
        add_refusal(check, rule, scope, item, true);
    else if (value_is_true(v))
        add_refusal(check, rule, scope, item, false);
}

/* The scope whose sizes an item's rule reads. */
static struct scope *item_scope(struct check *check, struct value item)
{
    const struct placed *placed = item.u.object;
    const struct instance_item *instance = item.u.object;

    if (item.type == VALUE_OBJECT) {
        if (item.kind == KIND_GROUP)
            return (struct scope *)item.u.object;
        if (item.kind == KIND_PLACED)
            return placed->scope;
        if (item.kind == KIND_INSTANCE)
            return (struct scope *)instance->scope;
    }
    return check->dep->spans ? &check->scopes[0] : &check->global;
}

static void judge_items(struct check *check, const struct rule *rule,
                        struct scope *scope)
{
    struct value list = expression_eval(rule->items, &scope->env);

    if (list.state == VALUE_UNKNOWN) {
        add_unchecked(check, rule, scope, value_unknown());
        return;
    }
    if (list.state != VALUE_KNOWN) {
        if (is_unexplained(check, scope))
            add_refusal(check, rule, scope, value_unknown(), true);
        return;
    }
    for (uint32_t i = 0;
         i < list.count && !check_done(check) && !check->exhausted; i++) {
        struct value item = list.u.items[i];
        struct scope *where = item_scope(check, item);

        judge(check, rule, where, item);
    }
}

static void run_rule(struct check *check, const struct rule *rule)
{
    struct scope *only = check->dep->spans ? &check->scopes[0] : &check->global;

    if (rule->items == NULL && spare_holds(&rule->spare, check->at_rest))
        return;
    check->running = rule;
    if (rule->structure >= 0) {
        structure_run(check, rule);
        return;
    }
    if (rule->items != NULL) {
        judge_items(check, rule, only);
        return;
    }
    if (!rule->in_scope || check->dep->spans) {
        judge(check, rule, only, value_unknown());
        return;
    }
    for (size_t g = 0; g < check->dep->n_groups && !check_done(check); g++)
        judge(check, rule, &check->scopes[g], value_unknown());
}

/* ---- the layout ---------------------------------------------------------- */

static void undefined_layout(struct check *check, const struct scope *scope,
                             const char *what, const struct expression *expr)
{
    struct finding *f = check_fault(check, FAULT_LAYOUT_UNDEFINED);

    f->group = scope->group->index;
    f->scope = scope;
    f->name = what;
    f->expr = expr;
}

static void check_axis_sizes(struct check *check, const struct scope *scope)
{
    for (size_t a = 0; a < check->rt->n_axes; a++) {
        const struct axis *axis = &check->rt->axes[a];

        if (scope_size(check, scope, (int)a) == 0)
            undefined_layout(check, scope, axis->field,
                             axis->fill != NULL ? axis->fill : axis->initial);
    }
}

static void check_views(struct check *check, struct scope *scope)
{
    if (scope_first_view(check, scope) == NULL &&
        scope->views[check->rt->n_views - 1].state == VIEW_ABSENT)
        undefined_layout(check, scope, check->rt->views[0].name, NULL);
    for (size_t v = 0; v < check->rt->n_views; v++) {
        struct finding *f;

        if (scope_view(check, scope, (int)v) != NULL ||
            scope->views[v].state == VIEW_ABSENT ||
            structure_view_order(check, scope, (int)v))
            continue;
        if (scope->views[v].product == 0) {
            undefined_layout(check, scope, check->rt->views[v].name,
                             scope->views[v].bad);
            continue;
        }
        f = check_fault(check, FAULT_PRODUCT_DIFFERS);
        f->name = check->rt->views[v].name;
        f->a = scope->views[v].product;
        f->b = scope->views[v].wanted;
    }
}

static void check_group_rules(struct check *check, struct scope *scope)
{
    for (size_t g = 0; g < check->rt->n_groups; g++) {
        const struct group_rule *rule = &check->rt->groups[g];
        const struct group_form *form = scope_group_form(check, scope, (int)g);
        struct list_name name = { .view = -1, .group = (int)g, .member = -1 };
        uint32_t members[FAMILY_MAX];
        int n = rule->family ? scope_family(check, scope, (int)g, members) : 1;
        struct lists lists;
        bool bad = n < 0;

        for (int i = 0; form != NULL && i < n; i++) {
            if (rule->family)
                name.member = members[i];
            bad |= scope_lists(check, scope, &name, &lists) < 0;
        }
        if (bad)
            undefined_layout(check, scope, rule->name, form->operand);
    }
}

static void check_coordinates(struct check *check, struct scope *scope)
{
    struct coordinate coordinate;

    for (size_t i = 0; i < check->rt->n_coordinates; i++)
        if (scope_coordinate(check, scope, (int)i, &coordinate) < 0)
            undefined_layout(check, scope, check->rt->coordinates[i].name,
                             NULL);
}

static void check_active(struct check *check, struct scope *scope)
{
    for (size_t i = 0; i < check->rt->n_active; i++)
        for (size_t k = 0; k < check->rt->active[i].n_names; k++) {
            const struct active_name *name = &check->rt->active[i].names[k];
            bool active;

            if (!scope_active(scope, name, &active))
                undefined_layout(check, scope, name->name, name->when);
        }
}

/* What no rule refused must have a layout: every size, view and list known. */
static void check_layout(struct check *check)
{
    static const struct rule layout = { .structure = STRUCTURE_product,
                                        .axis = -1 };
    static const struct rule shared = { .structure = STRUCTURE_same_groups,
                                        .axis = -1 };

    check->running = &layout;
    if (check->dep->spans && check->scopes[0].group->n_ranks == 0) {
        check_fault(check, FAULT_WORLD_MISSING);
        return;
    }
    for (size_t g = 0; g < check->dep->n_groups && !check_done(check); g++) {
        struct scope *scope = &check->scopes[g];

        check_axis_sizes(check, scope);
        if (check->refused.total > 0)
            continue;
        check_views(check, scope);
        check_group_rules(check, scope);
        check_coordinates(check, scope);
        check_active(check, scope);
        if (scope->bad_offset)
            undefined_layout(check, scope, "offset", check->rt->offset);
    }
    if (check->refused.total == 0 && check->rt->n_views > 1)
        structure_run(check, &shared);
}

/* A world with gaps that is to be refused, under rules that do not look at it.
 */
static void check_sparse(struct check *check)
{
    static const struct rule sparse = { .structure = STRUCTURE_dense_ranks,
                                        .axis = -1 };

    if (check->dep->sparse != SPARSE_REFUSE || check->dep->spans)
        return;
    for (size_t i = 0; i < check->rt->n_rules; i++)
        if (check->rt->rules[i].structure == STRUCTURE_dense_ranks)
            return;
    check->running = &sparse;
    structure_run(check, &sparse);
}

/* ---- the whole ----------------------------------------------------------- */

/* The rules up to the layer that is asked for; behind it only checks that run
 * although nobody placed them, since everything builds on what these find. */
static void run_rules(struct check *check)
{
    const struct layer *up_to = check->question.up_to;
    size_t n = check->rt->n_rules, end = up_to != NULL ? up_to->end : n;

    for (size_t i = 0; i < n && !check_done(check) && !check->exhausted; i++) {
        const struct rule *rule = &check->rt->rules[i];

        if (i < end ||
            (rule->structure >= 0 && structure_runs_first(rule->structure)))
            run_rule(check, rule);
    }
}

struct check *check_run(const struct question *question, struct arena *arena,
                        unsigned flags, struct error *err)
{
    struct check *check = arena_alloc(arena, sizeof(*check));

    if (check == NULL) {
        error_exhausted(err);
        return NULL;
    }
    check->rt = question->runtime;
    check->model = question->model;
    check->dep = question->deployment;
    check->question = *question;
    check->arena = arena;
    check->flags = flags;
    check->budget = CHECK_STEPS_MAX;
    if (scopes_init(check) < 0 || resolve_nodes(check) < 0 ||
        resolve_walks(check) < 0 || build_lists(check) < 0) {
        error_exhausted(err);
        return NULL;
    }
    run_rules(check);
    if (!check_done(check) && !check->exhausted)
        check_sparse(check);
    if (check_accepts(check))
        check_layout(check);
    if (check->exhausted || arena_failed(arena)) {
        error_exhausted(err);
        return NULL;
    }
    return check;
}
