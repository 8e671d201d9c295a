/* SPDX-License-Identifier: Apache-2.0 */
/* Which of the expressions behind an undefined one could not be computed. */
#include "placement/explain.h"

/* A name that an expression reads and that is undefined; -1: none. */
struct undefined_name {
    const struct scope *scope;
    int slot;
};

static void note_undefined(void *arg, int slot)
{
    struct undefined_name *name = arg;

    if (name->slot < 0 && name->scope->slots[slot].state == VALUE_UNDEFINED)
        name->slot = slot;
}

/* Of several alternatives the one that counts, or the condition that decides
 * about it and cannot be computed. */
static const struct expression *counting(const struct derived *d,
                                         const struct scope *scope)
{
    for (size_t i = 0; i < d->n_alternatives; i++) {
        const struct alternative *a = &d->alternatives[i];
        struct value v = { .state = VALUE_KNOWN, .u.boolean = true };

        if (a->when != NULL)
            v = expression_eval(a->when, &scope->env);
        if (v.state != VALUE_KNOWN || v.u.boolean)
            return v.state != VALUE_KNOWN ? a->when : a->value;
    }
    return NULL;
}

/* What a name is computed from. */
static const struct expression *source_of(const struct check *check,
                                          const struct scope *scope, int slot)
{
    const struct symbol *symbol = runtime_symbol_at(check->rt, slot);
    const struct axis *axis;

    if (symbol == NULL)
        return NULL;
    if (symbol->kind == SYMBOL_AXIS) {
        axis = &check->rt->axes[symbol->index];
        return axis->fill != NULL ? axis->fill : axis->initial;
    }
    if (symbol->kind != SYMBOL_DERIVED)
        return NULL;
    return counting(&check->rt->derived[symbol->index], scope);
}

void explain_undefined(const struct check *check, const struct scope *scope,
                       const struct expression *part, struct text *out)
{
    struct undefined_name name = { .scope = scope };
    struct value v = expression_eval(part, &scope->env);
    int last = -1;

    if (v.state == VALUE_KNOWN) {
        text_printf(out, "%s = ", expression_source(part));
        value_print(v, out);
        return;
    }
    for (int depth = 0; depth < 8; depth++) {
        const struct expression *source;

        name.slot = -1;
        expression_slots(part, note_undefined, &name);
        source = name.slot >= 0 ? source_of(check, scope, name.slot) : NULL;
        if (source == NULL)
            break;
        last = name.slot;
        part = source;
    }
    if (last >= 0)
        text_printf(out, "%s = ", runtime_symbol_at(check->rt, last)->name);
    expression_explain_undefined(part, &scope->env, out);
}
