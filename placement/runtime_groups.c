/* SPDX-License-Identifier: Apache-2.0 */
/* The group lists that a runtime derives from others, and its coordinates. */
#include "placement/runtime_load.h"

#include <string.h>

#include "placement/reader.h"

/* clang-format off */
static const struct read_key group_keys[] = {
    { "when",    READ_SCALAR, false },
    { "of",      READ_STRING, true },
    { "take",    READ_LIST,   false },
    { "each",    READ_MAP,    false },
    { "ordered", READ_BOOL,   false },
#define X(id, key, types) { key, READ_SCALAR, false },
    GROUP_OP_LIST(X)
#undef X
};
static const struct read_key coordinate_keys[] = {
    { "when",  READ_SCALAR,             false },
    { "of",    READ_STRING,             true },
    { "index", READ_LIST | READ_STRING, true },
};
static const struct operator {
    const char *key;
    unsigned types;
} operators[] = {
#define X(id, key, types) { key, types },
    GROUP_OP_LIST(X)
#undef X
};
/* clang-format on */

/* ---- derived groups ------------------------------------------------------ */

static int load_take(struct loader *load, const struct tree *list,
                     struct group_form *form)
{
    form->op = GROUP_TAKE;
    for (const struct tree *t = tree_first(list); t != NULL; t = t->next) {
        if (t->type == TREE_STRING && strcmp(t->text, "first") == 0)
            form->take |= TAKE_FIRST;
        else if (t->type == TREE_STRING && strcmp(t->text, "last") == 0)
            form->take |= TAKE_LAST;
        else
            return tree_error(t, load->err, STATUS_INVALID,
                              "expected first or last");
    }
    if (form->take == 0)
        return tree_error(list, load->err, STATUS_INVALID,
                          "no member to take; there are first and last");
    return 0;
}

/* `each: {N: LIST}`: N stands for the number in the operator. */
static int load_each(struct loader *load, const struct tree *each,
                     struct group_form *form)
{
    const struct tree *list = tree_first(each);

    if (each == NULL)
        return 0;
    if (tree_count(each) != 1)
        return tree_error(each, load->err, STATUS_INVALID,
                          "expected {NAME: LIST}");
    if (!read_is_identifier(list->key) || name_is_builtin(list->key) ||
        runtime_symbol(load->rt, list->key) != NULL)
        return tree_error_key(list, load->err, STATUS_INVALID,
                              "\"%s\" cannot be the name of a number: it has a "
                              "meaning already, or is no name",
                              list->key);
    if (compile_child(load, each, list->key, VALUE_LIST, &form->each) < 0)
        return -1;
    load->alias = list->key;
    load->alias_shape = (struct shape){ .types = VALUE_INT };
    return 0;
}

static int load_operand(struct loader *load, const struct tree *t, size_t op,
                        struct group_form *form)
{
    const struct tree *operand = tree_get(t, operators[op].key);

    if (form->op != GROUP_WHOLE)
        return tree_error(operand, load->err, STATUS_INVALID,
                          "a list is made of another in one way only");
    form->op = (enum group_op)op;
    return compile_child(load, t, operators[op].key, operators[op].types,
                         &form->operand);
}

/* Of runs and taken members nothing further is made. */
static bool is_final(const struct loader *load, const struct list_name *of)
{
    const struct group_rule *rule;

    if (of->group < 0)
        return false;
    rule = &load->rt->groups[of->group];
    for (size_t f = 0; f < rule->n_forms; f++)
        if (rule->forms[f].op == GROUP_RUNS ||
            rule->forms[f].op == GROUP_TAKE ||
            (rule->forms[f].op == GROUP_WHOLE &&
             is_final(load, &rule->forms[f].of)))
            return true;
    return false;
}

static int load_group_form(struct loader *load, const struct tree *t,
                           struct group_form *form)
{
    const struct tree *of, *take, *ordered;

    form->op = GROUP_WHOLE;
    if (read_keys(t, group_keys, ARRAY_LEN(group_keys), load->err) < 0)
        return -1;
    of = tree_get(t, "of");
    take = tree_get(t, "take");
    ordered = tree_get(t, "ordered");
    if (load_list_name(load, of, of->text, false, &form->of) < 0 ||
        compile_child(load, t, "when", VALUE_BOOL, &form->when) < 0 ||
        (take != NULL && load_take(load, take, form) < 0) ||
        load_each(load, tree_get(t, "each"), form) < 0)
        return -1;
    for (size_t op = 0; op < ARRAY_LEN(operators); op++)
        if (tree_get(t, operators[op].key) != NULL &&
            load_operand(load, t, op, form) < 0)
            return -1;
    load->alias = NULL;
    form->ordered = ordered != NULL && ordered->u.boolean;
    if (form->op != GROUP_WHOLE && is_final(load, &form->of))
        return tree_error(of, load->err, STATUS_INVALID,
                          "%s is made by runs or take, of which nothing "
                          "further is made",
                          of->text);
    return 0;
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
         f = many ? f->next : NULL) {
        struct group_form *form = &forms[group->n_forms++];
        bool family;

        if (load_group_form(load, f, form) < 0)
            return -1;
        family = form->op == GROUP_LEVELS || form->each != NULL;
        if (family != group->family && form != forms)
            return tree_error(f, load->err, STATUS_INVALID,
                              "%s is a family of lists in some of its forms "
                              "only",
                              t->key);
        group->family = family;
    }
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

int load_groups(struct loader *load)
{
    int rc;

    load->in_layout = true;
    rc = load_all_groups(load);
    load->in_layout = false;
    return rc;
}

/* ---- coordinates --------------------------------------------------------- */

static int load_coordinate_form(struct loader *load, const struct tree *t,
                                struct coordinate_form *form)
{
    const struct tree *of;

    if (read_keys(t, coordinate_keys, ARRAY_LEN(coordinate_keys), load->err) <
            0 ||
        compile_child(load, t, "when", VALUE_BOOL, &form->when) < 0)
        return -1;
    of = tree_get(t, "of");
    form->view = view_named(load->rt, of->text, strlen(of->text));
    if (form->view < 0)
        return tree_error(of, load->err, STATUS_INVALID,
                          "\"%s\" is no view of this runtime", of->text);
    if (read_names(load->arena, tree_get(t, "index"), &form->axes,
                   &form->n_axes, load->err) < 0)
        return -1;
    for (size_t i = 0; i < form->n_axes; i++) {
        bool twice = false;

        for (size_t k = 0; k < i; k++)
            twice |= strcmp(form->axes[i], form->axes[k]) == 0;
        if (twice || !view_has(&load->rt->views[form->view], form->axes[i]))
            return tree_error(tree_get(t, "index"), load->err, STATUS_INVALID,
                              "\"%s\" %s", form->axes[i],
                              twice ? "stands twice in this index"
                                    : "is no axis of this view");
    }
    return 0;
}

static int load_coordinate(struct loader *load, const struct tree *t,
                           struct coordinate_rule *rule)
{
    bool many = t->type == TREE_LIST;
    struct coordinate_form *forms;

    if (!read_is_identifier(t->key))
        return tree_error_key(t, load->err, STATUS_INVALID,
                              "\"%s\" cannot be the name of a coordinate",
                              t->key);
    forms = many ? load_parts(load, t, sizeof(*forms))
                 : load_array(load, 1, sizeof(*forms));
    if (forms == NULL)
        return -1;
    rule->name = t->key;
    rule->forms = forms;
    for (const struct tree *f = many ? tree_first(t) : t; f != NULL;
         f = many ? f->next : NULL)
        if (load_coordinate_form(load, f, &forms[rule->n_forms++]) < 0)
            return -1;
    return 0;
}

int load_coordinates(struct loader *load)
{
    struct runtime *rt = load->rt;
    const struct tree *map = tree_get(rt->document, "coordinates");

    rt->coordinates = load_parts(load, map, sizeof(*rt->coordinates));
    if (rt->coordinates == NULL)
        return -1;
    load->in_layout = true;
    for (const struct tree *t = tree_first(map); t != NULL; t = t->next)
        if (load_coordinate(load, t, &rt->coordinates[rt->n_coordinates++]) < 0)
            return -1;
    load->in_layout = false;
    return 0;
}
