/* SPDX-License-Identifier: Apache-2.0 */
/* Compiles what a name stands for when it is first met, which gives an order in
 * which names compute. */
#include "placement/runtime_load.h"

#include "placement/reader.h"

static void compute_next(struct runtime *rt, struct symbol *symbol)
{
    if (symbol->kind != SYMBOL_OPTION ||
        rt->options[symbol->index].initial != NULL)
        rt->computed[rt->n_computed++] = (struct computed){
            .kind = symbol->kind,
            .index = symbol->index,
        };
    symbol->state = SYMBOL_READY;
}

static int compile_axis(struct loader *load, struct symbol *symbol)
{
    struct axis *axis = &load->rt->axes[symbol->index];

    if (compile_child(load, symbol->at, "default", VALUE_INT, &axis->initial) <
            0 ||
        compile_child(load, symbol->at, "fill", VALUE_INT, &axis->fill) < 0 ||
        compile_child(load, symbol->at, "when", VALUE_BOOL, &axis->when) < 0)
        return -1;
    return 0;
}

static int compile_option(struct loader *load, struct symbol *symbol)
{
    struct option *option = &load->rt->options[symbol->index];
    const struct tree *initial = tree_get(symbol->at, "default");

    if (initial == NULL)
        return 0;
    if (initial->type != TREE_STRING || (option->types & VALUE_STRING) != 0) {
        option->literal = initial;
        return 0;
    }
    option->initial = compile(load, initial, option->types);
    return option->initial != NULL ? 0 : -1;
}

static void shape_join(struct shape *shape, struct shape other)
{
    shape->types |= other.types;
    shape->element_types |= other.element_types;
    if (shape->kind == 0)
        shape->kind = other.kind;
    if (shape->element_kind == 0)
        shape->element_kind = other.element_kind;
}

static int compile_alternative(struct loader *load, const struct tree *at,
                               struct alternative *ret)
{
    static const struct read_key keys[] = {
        { "when", READ_SCALAR, false },
        { "value", READ_SCALAR, true },
    };
    const struct tree *value = at;

    if (at->type == TREE_MAP) {
        if (read_keys(at, keys, ARRAY_LEN(keys), load->err) < 0 ||
            compile_child(load, at, "when", VALUE_BOOL, &ret->when) < 0)
            return -1;
        value = tree_get(at, "value");
    }
    if (read_type(value, READ_SCALAR, load->err) < 0)
        return -1;
    ret->value = compile(load, value, VALUE_ANY);
    return ret->value != NULL ? 0 : -1;
}

/* An expression, a map {when, value}, or a list of them. */
static int compile_derived(struct loader *load, struct symbol *symbol)
{
    struct derived *derived = &load->rt->derived[symbol->index];
    const struct tree *at = symbol->at;
    bool many = at->type == TREE_LIST;
    size_t n = many ? tree_count(at) : 1, i = 0;
    struct alternative *alternatives;

    alternatives = load_array(load, n, sizeof(*alternatives));
    if (alternatives == NULL)
        return -1;
    if (n == 0)
        return tree_error(at, load->err, STATUS_INVALID,
                          "no value; expected an expression");
    symbol->shape = (struct shape){ 0 };
    for (const struct tree *t = many ? tree_first(at) : at; t != NULL;
         t = many ? t->next : NULL) {
        if (compile_alternative(load, t, &alternatives[i]) < 0)
            return -1;
        shape_join(&symbol->shape, expression_shape(alternatives[i].value));
        i++;
    }
    derived->alternatives = alternatives;
    derived->n_alternatives = n;
    return 0;
}

int compile_symbol(struct loader *load, struct symbol *symbol)
{
    bool read_scope = load->read_scope;
    int rc = -1;

    if (symbol->state == SYMBOL_READY)
        return 0;
    if (symbol->state == SYMBOL_COMPILING)
        return tree_error(symbol->at, load->err, STATUS_INVALID,
                          "%s is computed from itself", symbol->name);
    if (load->depth == NAME_DEPTH_MAX)
        return tree_error(symbol->at, load->err, STATUS_INVALID,
                          "%s needs a chain of more than %d names",
                          symbol->name, NAME_DEPTH_MAX);
    load->depth++;
    symbol->state = SYMBOL_COMPILING;
    switch (symbol->kind) {
    case SYMBOL_AXIS:
        rc = compile_axis(load, symbol);
        break;
    case SYMBOL_OPTION:
        rc = compile_option(load, symbol);
        break;
    case SYMBOL_DERIVED:
        rc = compile_derived(load, symbol);
        break;
    case SYMBOL_BUILTIN:
    case SYMBOL_FACT:
    case SYMBOL_CARRY:
    case SYMBOL_TABLE:
        rc = 0;
        break;
    }
    load->depth--;
    load->read_scope = read_scope;
    if (rc == 0)
        compute_next(load->rt, symbol);
    return rc;
}

int compile_computed(struct loader *load)
{
    for (size_t i = 0; i < load->rt->n_symbols; i++)
        if (compile_symbol(load, &load->rt->symbols[i]) < 0)
            return -1;
    return 0;
}
