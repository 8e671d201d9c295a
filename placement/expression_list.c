/* SPDX-License-Identifier: Apache-2.0 */
/* Checks types and makes the nodes of lists, functions and macros. */
#include "placement/expression_compiler.h"

#include <string.h>

int make_items(struct compiler *c, int first, unsigned count, uint16_t start)
{
    struct node n = node_leaf(NODE_ITEMS, (int)count);
    struct shape item = { 0 };
    int i = first;

    for (unsigned k = 0; k < count; k++, i = c->nodes[i].next)
        if (shape_join(c, &item, i) < 0)
            return -1;
    n.a = first >= 0 ? (uint16_t)first : NODE_NONE;
    return node_emit(c, n, start,
                     (struct shape){ .types = VALUE_LIST,
                                     .element_types = item.types,
                                     .element_kind = item.kind });
}

static int refuse_count(struct compiler *c, const struct function *f,
                        unsigned count, uint16_t start)
{
    const char *plural = f->min_args == 1 ? "" : "s";

    if (f->max_args == 0)
        return compiler_error(c, start,
                              "\"%s\" needs at least one argument, a number or "
                              "a list",
                              f->name);
    return compiler_error(c, start, "\"%s\" needs %d argument%s, %u given",
                          f->name, f->min_args, plural, count);
}

/* Types of the numbers that argument may be or hold. */
static unsigned numbers_in(struct shape shape)
{
    return (shape.types & VALUE_LIST) != 0
               ? shape_item(shape).types & VALUE_NUMBER
               : shape.types & VALUE_NUMBER;
}

int make_call(struct compiler *c, int function, int first, unsigned count,
              uint16_t start)
{
    const struct function *f = function_at(function);
    unsigned numbers = 0, types;
    struct shape shape;
    struct node n;
    int i = first;

    if (count < f->min_args || (f->max_args != 0 && count > f->max_args))
        return refuse_count(c, f, count, start);
    for (unsigned k = 0; k < count; k++, i = c->nodes[i].next) {
        types = k == 0 && (f->max_args != 0 || count == 1) ? f->first : f->rest;
        if (operand_need(c, i, types, f->name, f->needs) < 0)
            return -1;
        if (f->max_args == 0 && shape_of(c, i).types == VALUE_LIST &&
            (shape_item(shape_of(c, i)).types & f->rest) == 0)
            return operand_refuse(c, i, f->name, "a list of numbers");
        numbers |= numbers_in(shape_of(c, i));
    }
    n = node_parent(f->max_args == 0 ? NODE_FOLD : NODE_CALL, first,
                    count == 2 ? c->nodes[first].next : -1);
    n.number = function;
    shape = shape_types(f->result != 0 ? f->result : numbers);
    shape.element_types = f->element;
    return node_emit(c, n, start, shape);
}

int bind_local(struct compiler *c, const char *macro, const char *name,
               int list, uint16_t name_start)
{
    if (operand_need(c, list, VALUE_LIST, macro, "a list") < 0)
        return -1;
    for (int i = 0; i < c->n_locals; i++)
        if (strcmp(c->locals[i].name, name) == 0)
            return compiler_error(c, name_start,
                                  "the variable \"%.64s\" is bound already; "
                                  "take another name",
                                  name);
    if (strcmp(name, "true") == 0 || strcmp(name, "false") == 0)
        return compiler_error(c, name_start,
                              "\"%s\" cannot be a variable; take another name",
                              name);
    if (c->n_locals == EXPRESSION_LOCALS_MAX)
        return compiler_error(c, name_start,
                              "more than %d variables bound at one place; give "
                              "a part of it a name of its own",
                              EXPRESSION_LOCALS_MAX);
    c->locals[c->n_locals].name = name;
    c->locals[c->n_locals++].shape = shape_item(shape_of(c, list));
    return 0;
}

void unbind_local(struct compiler *c)
{
    c->n_locals--;
}

static const char *const macro_names[] = {
    [NODE_ALL] = "all",
    [NODE_EXISTS] = "exists",
    [NODE_MAP] = "map",
    [NODE_FILTER] = "filter",
};

int macro_named(const char *name)
{
    for (size_t op = 0; op < ARRAY_LEN(macro_names); op++)
        if (macro_names[op] != NULL && strcmp(macro_names[op], name) == 0)
            return (int)op;
    return -1;
}

int make_macro(struct compiler *c, enum node_op op, int list, int body,
               uint16_t start)
{
    struct node n = node_parent(op, list, body);
    struct shape of = shape_of(c, body), shape = shape_types(VALUE_BOOL);

    n.number = c->n_locals;
    n.length = (uint16_t)(body - c->spans[body].first + 1);
    if (op == NODE_MAP)
        shape = (struct shape){ .types = VALUE_LIST,
                                .element_types = of.types,
                                .element_kind = of.kind };
    else if (operand_need(c, body, VALUE_BOOL, macro_names[op],
                          "a boolean for each item") < 0)
        return -1;
    if (op == NODE_FILTER) {
        of = shape_item(shape_of(c, list));
        shape = (struct shape){ .types = VALUE_LIST,
                                .element_types = of.types,
                                .element_kind = of.kind };
    }
    return node_emit(c, n, start, shape);
}

static bool is_path(const struct compiler *c, int node)
{
    enum node_op op = (enum node_op)c->nodes[node].op;

    return op == NODE_SLOT || op == NODE_LOCAL || op == NODE_MEMBER ||
           op == NODE_INDEX;
}

int make_has(struct compiler *c, int a, uint16_t start)
{
    if (!is_path(c, a))
        return compiler_error(c, c->spans[a].start,
                              "\"has\" needs a name or a member, as in "
                              "has(node.name)");
    return node_emit(c, node_parent(NODE_HAS, a, -1), start,
                     shape_types(VALUE_BOOL));
}

int make_group_lists(struct compiler *c, int name, uint16_t start)
{
    const struct name_space *names = c->names;
    const struct value v = c->nodes[name].literal;
    uint16_t at = c->spans[name].start;
    struct shape shape = { 0 };
    int list;

    if (c->nodes[name].op != NODE_LITERAL || v.type != VALUE_STRING)
        return compiler_error(c, at,
                              "\"lists\" needs the name of a group list in "
                              "quotes, as in lists(\"view.axis\")");
    if (names->lists == NULL)
        return compiler_error(c, start, "\"lists\" has no meaning here");
    list = names->lists(names->arg, v.u.string, &shape);
    if (list < 0)
        return compiler_error(c, at,
                              "unknown group list \"%.64s\"; expected the name "
                              "of a view, a dot and its axes",
                              v.u.string);
    c->n_nodes = c->spans[name].first; /* the name is no operand */
    return node_emit(c, node_leaf(NODE_LISTS, list), start, shape);
}
