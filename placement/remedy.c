/* SPDX-License-Identifier: Apache-2.0 */
/* Changes that would mend a finding: the rule's own, and of structure checks.
 */
#include "placement/remedy.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "placement/alternatives.h"
#include "placement/explain.h"

enum {
    /* Longer lists of ranks, or of other items, are not proposed: nobody reads
     * them, and an answer has no world's size unasked. */
    RANKS_PROPOSED_MAX = 1024,
    ITEMS_PROPOSED_MAX = RANKS_PROPOSED_MAX,
};

/* ---- the rule's own ------------------------------------------------------ */

/* A number or a truth that is told apart by its text as well. */
static struct tree *add_printed(struct check *check, struct tree *parent,
                                struct value v)
{
    struct text text = { 0 };
    struct tree *tree;

    value_print(v, &text);
    tree = tree_new_string(check->arena, parent, NULL, text_string(&text));
    text_close(&text);
    if (tree == NULL)
        return NULL;
    tree->type = v.type == VALUE_BOOL ? TREE_BOOL : TREE_DOUBLE;
    if (v.type == VALUE_BOOL)
        tree->u.boolean = v.u.boolean;
    else
        tree->u.number = v.u.number;
    return tree;
}

/* A tree with this value, for an option; NULL: it has none, or is too long.
 *   parent  NULL, or a list that it goes into */
static struct tree *add_value(struct check *check, struct tree *parent,
                              struct value v)
{
    struct tree *list;

    if (v.state != VALUE_KNOWN)
        return NULL;
    if (v.type == 0)
        return tree_new(check->arena, parent, NULL, TREE_NULL);
    if (v.type == VALUE_INT)
        return tree_new_int(check->arena, parent, NULL, v.u.integer);
    if (v.type == VALUE_STRING)
        return tree_new_string(check->arena, parent, NULL, v.u.string);
    if (v.type == VALUE_BOOL || v.type == VALUE_DOUBLE)
        return add_printed(check, parent, v);
    if (v.type != VALUE_LIST || v.count > ITEMS_PROPOSED_MAX)
        return NULL;
    list = tree_new(check->arena, parent, NULL, TREE_LIST);
    for (uint32_t i = 0; list != NULL && i < v.count; i++)
        if (add_value(check, list, v.u.items[i]) == NULL)
            return NULL;
    return list;
}

/* The group's ranks cut or continued to ret->value; what is new follows the
 * highest rank in use. */
static bool count_edit(struct check *check, const struct scope *scope,
                       struct edit *ret)
{
    const struct node_group *group = scope->group;
    int64_t *ranks, next = 0;

    if (group == NULL || check->dep->spans || ret->value < 1 ||
        ret->value > VIEW_SPAN_MAX || (size_t)ret->value == group->n_ranks ||
        (!group->counted && ret->value > RANKS_PROPOSED_MAX))
        return false;
    ranks = arena_array(check->arena, (size_t)ret->value, sizeof(*ranks));
    if (ranks == NULL)
        return false;
    for (size_t g = 0; g < check->dep->n_groups; g++)
        for (size_t i = 0; i < check->dep->groups[g].n_ranks; i++)
            if (check->dep->groups[g].ranks[i] >= next)
                next = check->dep->groups[g].ranks[i] + 1;
    for (int64_t i = 0; i < ret->value; i++)
        ranks[i] = (size_t)i < group->n_ranks ? group->ranks[i] : next++;
    ret->kind = EDIT_RANKS;
    ret->ranks = ranks;
    ret->n_ranks = (size_t)ret->value;
    return true;
}

/* The edit that gives an option a value which it does not have already. */
static bool option_edit(struct check *check, const struct scope *scope,
                        struct value v, struct edit *ret)
{
    const struct option *option = &check->rt->options[ret->index];

    if (v.type == 0 ? check->dep->options[ret->index] == NULL
                    : value_equal(v, scope_value(scope, option->slot)))
        return false;
    ret->kind = EDIT_OPTION;
    ret->tree = add_value(check, NULL, v);
    return ret->tree != NULL;
}

/* The edit a setting makes; false: its value is not known or changes nothing.
 */
static bool setting_edit(struct check *check, const struct scope *scope,
                         const struct setting *setting, struct edit *ret)
{
    struct value v = setting_value(setting, scope);
    int group = scope->group != NULL ? scope->group->index : 0;
    int64_t now = 0;

    if (scope->group == NULL && setting->kind != SYMBOL_OPTION)
        return false; /* of no group in particular */

    if (v.state != VALUE_KNOWN)
        return false;
    *ret = (struct edit){ .group = group, .index = setting->index };
    if (setting->kind == SYMBOL_OPTION)
        return option_edit(check, scope, v, ret);
    if (!value_to_int(v, &ret->value) || check->dep->n_groups == 0)
        return false;
    if (setting->kind == SYMBOL_BUILTIN && setting->index == SLOT_WORLD) {
        ret->kind = EDIT_WORLD;
        return check->dep->spans && (!check->dep->world.has ||
                                     check->dep->world.value != ret->value);
    }
    if (setting->kind == SYMBOL_BUILTIN)
        return count_edit(check, scope, ret);
    ret->kind = EDIT_SIZE;
    return !value_to_int(scope->slots[check->rt->axes[setting->index].slot],
                         &now) ||
           now != ret->value;
}

static void try_rule_remedy(struct check *check, const struct scope *scope,
                            const struct remedy *remedy, try_fn *try, void *arg)
{
    struct edit edits[ALTERNATIVE_EDITS_MAX];
    size_t n = 0;

    if (!remedy_applies(check, scope, remedy) ||
        remedy->n_settings > ALTERNATIVE_EDITS_MAX)
        return;
    for (size_t i = 0; i < remedy->n_settings; i++)
        if (setting_edit(check, scope, &remedy->settings[i], &edits[n]))
            n++;
    if (n > 0)
        try(arg, edits, n, remedy->say != NULL ? remedy->say : "");
}

/* ---- of structure checks ------------------------------------------------- */

static int compare_ranks(const void *va, const void *vb)
{
    int64_t a = *(const int64_t *)va, b = *(const int64_t *)vb;

    return a < b ? -1 : a > b;
}

static int64_t *copy_ranks(struct check *check, const struct node_group *group)
{
    int64_t *ranks =
        arena_array(check->arena, group->n_ranks + 1, sizeof(*ranks));

    if (ranks != NULL && group->n_ranks > 0)
        memcpy(ranks, group->ranks, group->n_ranks * sizeof(*ranks));
    return ranks;
}

static void try_ranks(const struct node_group *group, const int64_t *ranks,
                      size_t n, const char *say, try_fn *try, void *arg)
{
    const struct edit edit = {
        .kind = EDIT_RANKS, .group = group->index, .ranks = ranks, .n_ranks = n
    };

    try(arg, &edit, 1, say);
}

/* Each instance's ranks in ascending order. */
static void sort_instances(struct check *check, const struct scope *scope,
                           try_fn *try, void *arg)
{
    int64_t *ranks = copy_ranks(check, scope->group);

    if (ranks == NULL || scope->instance == 0)
        return;
    for (size_t k = 0; k < scope->n_instances; k++)
        qsort(ranks + k * scope->instance, scope->instance, sizeof(*ranks),
              compare_ranks);
    try_ranks(scope->group, ranks, scope->group->n_ranks,
              "the ranks of every instance in ascending order", try, arg);
}

/* As many whole instances as the list has. */
static void cut_ranks(struct check *check, const struct scope *scope,
                      try_fn *try, void *arg)
{
    size_t n = scope->group->n_ranks;

    (void)check;
    if (scope->instance == 0 || n < scope->instance)
        return;
    try_ranks(scope->group, scope->group->ranks, n - n % scope->instance,
              "without the ranks that fill no instance", try, arg);
}

/* Every rank once. */
static void drop_duplicates(struct check *check, const struct scope *scope,
                            try_fn *try, void *arg)
{
    int64_t *ranks = copy_ranks(check, scope->group);
    size_t n = 0;

    if (ranks == NULL || scope->group->n_ranks > RANKS_PROPOSED_MAX)
        return;
    for (size_t i = 0; i < scope->group->n_ranks; i++) {
        size_t k = 0;

        while (k < n && ranks[k] != scope->group->ranks[i])
            k++;
        if (k == n)
            ranks[n++] = scope->group->ranks[i];
    }
    try_ranks(scope->group, ranks, n, "every rank once", try, arg);
}

static void drop_walks(const struct finding *f, try_fn *try, void *arg)
{
    const struct edit edit = { .kind = EDIT_WALKS, .group = f->group };

    try(arg, &edit, 1, "for all walks");
}

/* Whether a request can be shown with its new numbers written out. */
static bool are_few(const struct deployment *dep)
{
    size_t n = 0;

    for (size_t g = 0; g < dep->n_groups; g++)
        n += dep->groups[g].n_ranks;
    return dep->n_groups <= ALTERNATIVE_EDITS_MAX && n <= RANKS_PROPOSED_MAX;
}

/* Numbers the ranks that are used 0, 1, ..., keeping their order: written out,
 * or where they are many by asking for it, if the runtime allows that. */
static void renumber(struct check *check, try_fn *try, void *arg)
{
    static const char say[] = "the ranks numbered from 0 on";
    const struct edit asked = { .kind = EDIT_SPARSE };
    struct edit edits[ALTERNATIVE_EDITS_MAX];
    const struct deployment *to;
    size_t n_edits = 0;

    if (!are_few(check->dep)) {
        if ((check->rt->sparse.allowed & 1u << SPARSE_RENUMBER) != 0)
            try(arg, &asked, 1, say);
        return;
    }
    to = deployment_edit(check->arena, check->dep, &asked, 1);
    if (to == NULL)
        return;
    for (size_t g = 0; g < to->n_groups; g++) {
        const struct node_group *was = &check->dep->groups[g];
        const struct node_group *now = &to->groups[g];

        if (now->n_ranks > 0 && memcmp(was->ranks, now->ranks,
                                       now->n_ranks * sizeof(*now->ranks)) != 0)
            edits[n_edits++] = (struct edit){ .kind = EDIT_RANKS,
                                              .group = (int)g,
                                              .ranks = now->ranks,
                                              .n_ranks = now->n_ranks };
    }
    try(arg, edits, n_edits, say);
}

static void try_structure(struct check *check, const struct finding *f,
                          try_fn *try, void *arg)
{
    const struct scope *scope = f->group >= 0 ? &check->scopes[f->group] : NULL;

    if (check->dep->spans)
        return;
    if (f->fault == FAULT_RANKS_OUT_OF_ORDER)
        sort_instances(check, scope, try, arg);
    else if (f->fault == FAULT_RANKS_NOT_MULTIPLE)
        cut_ranks(check, scope, try, arg);
    else if (f->fault == FAULT_RANKS_DUPLICATE)
        drop_duplicates(check, scope, try, arg);
    else if (f->fault == FAULT_RANKS_NOT_DENSE ||
             f->fault == FAULT_RANKS_SPARSE)
        renumber(check, try, arg);
    else if (f->fault == FAULT_STREAM_WALK_SCOPED)
        drop_walks(f, try, arg);
}

void remedies_of(struct check *check, const struct finding *f, try_fn *try,
                 void *arg)
{
    const struct scope *scope = remedy_bind(check, f);
    const struct remedy *remedy;

    for (size_t i = 0; (remedy = finding_remedy(f, i)) != NULL; i++)
        try_rule_remedy(check, scope, remedy, try, arg);
    try_structure(check, f, try, arg);
}
