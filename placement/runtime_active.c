/* SPDX-License-Identifier: Apache-2.0 */
/* Which sizes of a runtime have communicators of their own. */
#include <string.h>

#include "placement/check.h"
#include "placement/reader.h"
#include "placement/runtime_load.h"

/* active_when: {name: EXPR}; the conditions are found by name below. */
static int check_conditions(struct loader *load, const struct tree *map)
{
    for (const struct tree *t = tree_first(map); t != NULL; t = t->next) {
        bool listed = false;

        if (read_type(t, READ_SCALAR, load->err) < 0)
            return -1;
        for (size_t i = 0; i < load->rt->n_active; i++)
            for (size_t k = 0; k < load->rt->active[i].n_names; k++)
                listed |=
                    strcmp(load->rt->active[i].names[k].name, t->key) == 0;
        if (!listed)
            return tree_error_key(t, load->err, STATUS_INVALID,
                                  "%s stands in no list of active", t->key);
    }
    return 0;
}

static int load_name(struct loader *load, const struct tree *at,
                     const struct tree *conditions, struct active_name *name)
{
    const struct symbol *symbol = runtime_symbol(load->rt, name->name);

    if (symbol == NULL ||
        (symbol->kind != SYMBOL_AXIS && symbol->kind != SYMBOL_DERIVED) ||
        symbol->shape.types != VALUE_INT)
        return tree_error(at, load->err, STATUS_INVALID,
                          "\"%s\" is not a size of this runtime", name->name);
    name->slot = symbol->slot;
    return compile_child(load, conditions, name->name, VALUE_BOOL, &name->when);
}

static int load_list(struct loader *load, const struct tree *t,
                     const struct tree *conditions, struct active_list *list)
{
    const char *const *names;
    struct active_name *active;

    list->name = t->key;
    if (read_names(load->arena, t, &names, &list->n_names, load->err) < 0)
        return -1;
    active = load_array(load, list->n_names, sizeof(*active));
    if (active == NULL)
        return -1;
    list->names = active;
    for (size_t i = 0; i < list->n_names; i++) {
        active[i].name = names[i];
        if (load_name(load, t, conditions, &active[i]) < 0)
            return -1;
    }
    return 0;
}

int load_active(struct loader *load)
{
    struct runtime *rt = load->rt;
    const struct tree *map = tree_get(rt->document, "active");
    const struct tree *conditions = tree_get(rt->document, "active_when");

    rt->active = load_parts(load, map, sizeof(*rt->active));
    if (rt->active == NULL)
        return -1;
    for (const struct tree *t = tree_first(map); t != NULL; t = t->next)
        if (load_list(load, t, conditions, &rt->active[rt->n_active++]) < 0)
            return -1;
    return check_conditions(load, conditions);
}

bool scope_active(const struct scope *scope, const struct active_name *name,
                  bool *ret)
{
    struct value v = scope_value(scope, name->slot);
    int64_t size;

    if (name->when != NULL) {
        v = expression_eval(name->when, &scope->env);
        *ret = value_is_true(v);
        return v.state == VALUE_KNOWN;
    }
    if (!value_to_int(v, &size))
        return false;
    *ret = size > 1;
    return true;
}
