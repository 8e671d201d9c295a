/* SPDX-License-Identifier: Apache-2.0 */
/* The group lists of a node group as a request resolves them, and coordinates.
 */
#include "placement/check.h"

/* Whether a form holds: 1, or 0; -1: that is not known. */
static int holds(const struct expression *when, const struct scope *scope)
{
    struct value v;

    if (when == NULL)
        return 1;
    v = expression_eval(when, &scope->env);
    return v.state != VALUE_KNOWN ? -1 : value_is_true(v);
}

const struct group_form *scope_group_form(const struct check *check,
                                          const struct scope *scope, int group)
{
    const struct group_rule *rule = &check->rt->groups[group];

    for (size_t i = 0; i < rule->n_forms; i++)
        if (holds(rule->forms[i].when, scope) != 0)
            return &rule->forms[i];
    return NULL;
}

/* ---- families ------------------------------------------------------------ */

/* A number of an operator: of ranks, so at least 1. */
static bool to_number(struct value v, uint32_t *ret)
{
    int64_t number;

    if (!value_to_int(v, &number) || number < 1 || number > VIEW_SPAN_MAX)
        return false;
    *ret = (uint32_t)number;
    return true;
}

/* A list of numbers; -1: it is no such list, or longer than FAMILY_MAX. */
static int read_numbers(const struct scope *scope,
                        const struct expression *expr, uint32_t *ret)
{
    struct value v = expression_eval(expr, &scope->env);

    if (v.state != VALUE_KNOWN || v.type != VALUE_LIST || v.count > FAMILY_MAX)
        return -1;
    for (uint32_t i = 0; i < v.count; i++)
        if (!to_number(v.u.items[i], &ret[i]))
            return -1;
    return (int)v.count;
}

int scope_family(const struct check *check, const struct scope *scope,
                 int group, uint32_t *ret)
{
    const struct group_form *form = scope_group_form(check, scope, group);
    int n;

    if (form == NULL)
        return 0;
    if (holds(form->when, scope) < 0)
        return -1;
    if (form->each != NULL)
        return read_numbers(scope, form->each, ret);
    n = read_numbers(scope, form->operand, ret);
    for (int i = 0; i < n; i++)
        ret[i] = (uint32_t)i;
    return n;
}

/* Whether the family has a list of this number. */
static bool in_family(const struct check *check, const struct scope *scope,
                      const struct list_name *name)
{
    uint32_t members[FAMILY_MAX];
    int n = scope_family(check, scope, name->group, members);

    for (int i = 0; i < n; i++)
        if (members[i] == name->member)
            return true;
    return false;
}

/* ---- derived lists ------------------------------------------------------- */

/* The levels of a list have its whole length as their product. */
static int make_level(const struct scope *scope, const struct group_form *form,
                      int64_t level, const struct lists *of, struct lists *ret)
{
    uint32_t sizes[FAMILY_MAX], step = 1;
    uint64_t product = 1;
    int n = read_numbers(scope, form->operand, sizes);

    for (int i = 0; i < n; i++) {
        if (i < level)
            step *= sizes[i];
        product *= sizes[i];
        if (product > lists_length(of))
            return -1;
    }
    if (level >= n || product != lists_length(of))
        return -1;
    return lists_level(of, step, sizes[level], ret, NULL);
}

static int make_lists(const struct scope *scope, const struct group_form *form,
                      int64_t member, const struct lists *of, struct lists *ret)
{
    uint32_t n = 0;

    if (form->op == GROUP_LEVELS)
        return make_level(scope, form, member, of, ret);
    if (form->operand != NULL &&
        !to_number(expression_eval(form->operand, &scope->env), &n))
        return -1;
    switch (form->op) {
    case GROUP_CUT:
        return lists_cut(of, n, ret, NULL);
    case GROUP_RUNS:
        return lists_runs(of, n, ret, NULL);
    case GROUP_STRIDE:
        return lists_stride(of, n, ret, NULL);
    case GROUP_JOIN:
        return lists_join(of, n, form->ordered, ret, NULL);
    case GROUP_TAKE:
        return lists_take(of, form->take, ret, NULL);
    case GROUP_LEVELS:
    case GROUP_WHOLE:
        break;
    }
    *ret = *of;
    return 0;
}

static int lists_of_group(struct check *check, struct scope *scope,
                          const struct list_name *name, struct lists *ret)
{
    const struct group_form *form = scope_group_form(check, scope, name->group);
    struct value outer_item = scope->slots[SLOT_ITEM];
    struct lists of;
    int rc;

    if (form == NULL || holds(form->when, scope) < 1)
        return -1; /* there is none, or it is not known whether */
    if (check->rt->groups[name->group].family && !in_family(check, scope, name))
        return -1;
    if (scope_lists(check, scope, &form->of, &of) < 0)
        return -1;
    scope->slots[SLOT_ITEM] = value_int(name->member);
    rc = make_lists(scope, form, name->member, &of, ret);
    ret->first = of.first;
    scope->slots[SLOT_ITEM] = outer_item;
    return rc;
}

int scope_lists(struct check *check, struct scope *scope,
                const struct list_name *name, struct lists *ret)
{
    const struct view *view;
    uint32_t axes = 0;

    if (name->group >= 0)
        return lists_of_group(check, scope, name, ret);
    view = scope_view(check, scope, name->view);
    if (view == NULL)
        return -1;
    for (size_t i = 0; i < name->n_axes; i++) {
        int axis = view_axis(view, name->axes[i]);

        if (axis < 0)
            return -1;
        axes |= 1u << axis;
    }
    lists_over(view, axes, ret);
    return 0;
}

/* ---- coordinates --------------------------------------------------------- */

int scope_coordinate(struct check *check, struct scope *scope, int coordinate,
                     struct coordinate *ret)
{
    const struct coordinate_rule *rule = &check->rt->coordinates[coordinate];
    const struct coordinate_form *form = NULL;

    *ret = (struct coordinate){ .size = 1 };
    for (size_t i = 0; i < rule->n_forms && form == NULL; i++) {
        int held = holds(rule->forms[i].when, scope);

        if (held < 0)
            return -1;
        if (held > 0)
            form = &rule->forms[i];
    }
    if (form == NULL)
        return 0;
    ret->view = scope_view(check, scope, form->view);
    for (size_t i = 0; ret->view != NULL && i < form->n_axes; i++) {
        ret->axes[i] = view_axis(ret->view, form->axes[i]);
        if (ret->axes[i] < 0)
            return -1;
        ret->size *= ret->view->axes[ret->axes[i]].size;
        ret->n_axes++;
    }
    return ret->view != NULL ? 0 : -1;
}

uint32_t coordinate_at(const struct coordinate *coordinate, uint32_t position)
{
    uint32_t number = 0;

    for (size_t i = 0; i < coordinate->n_axes; i++)
        number =
            number * coordinate->view->axes[coordinate->axes[i]].size +
            view_coordinate(coordinate->view, coordinate->axes[i], position);
    return number;
}
