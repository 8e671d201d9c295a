/* SPDX-License-Identifier: Apache-2.0 */
/* Checks types and makes the nodes of names, paths and operators. */
#include "placement/expression_compiler.h"

#include <string.h>

/* ---- leaves and paths --------------------------------------------------- */

int make_literal(struct compiler *c, struct value v, uint16_t start)
{
    struct node n = node_leaf(NODE_LITERAL, 0);

    n.literal = v;
    return node_emit(c, n, start, shape_types(v.type));
}

int make_name(struct compiler *c, const char *name, uint16_t start)
{
    const struct name_space *names = c->names;
    struct shape shape = { 0 };
    int slot;

    for (int i = 0; i < c->n_locals; i++)
        if (strcmp(c->locals[i].name, name) == 0)
            return node_emit(c, node_leaf(NODE_LOCAL, i), start,
                             c->locals[i].shape);
    slot = names->name(names->arg, name, &shape, c->err);
    if (slot == -1)
        return name_refuse(c, name, start, names->nearest(names->arg, 0, name));
    if (shape.types == 0)
        shape = shape_types(TYPES_FREE);
    return slot < 0 ? -1
                    : node_emit(c, node_leaf(NODE_SLOT, slot), start, shape);
}

int make_member(struct compiler *c, int a, const char *name, uint16_t start)
{
    const struct name_space *names = c->names;
    struct node n = node_parent(NODE_MEMBER, a, -1);
    struct shape of = shape_of(c, a), shape = { 0 };
    struct text is = { 0 };
    uint16_t name_start = (uint16_t)(c->last_end - strlen(name));

    n.literal = value_string(name);
    n.kind = of.kind;
    n.number = -1;
    if ((of.types & VALUE_OBJECT) != 0) {
        n.number = names->member(names->arg, of.kind, name, &shape);
        if (n.number < -1)
            return -1;
        if (n.number < 0 && (of.types & VALUE_MAP) == 0)
            return name_refuse(c, name, name_start,
                               names->nearest(names->arg, of.kind, name));
    }
    if ((of.types & (VALUE_OBJECT | VALUE_MAP)) == 0) {
        operand_print(c, a, &is);
        compiler_error(c, name_start, "no member \"%.64s\": %s", name,
                       text_string(&is));
        text_close(&is);
        return -1;
    }
    if ((of.types & VALUE_MAP) != 0) {
        shape.types |= TYPES_FREE;
        shape.element_types |= TYPES_FREE;
    }
    return node_emit(c, n, start, shape);
}

int make_index(struct compiler *c, int a, int key, uint16_t start)
{
    struct shape of = shape_of(c, a), item = { 0 };
    unsigned types = 0;

    if (operand_need(c, a, VALUE_LIST | VALUE_MAP, "[]", "a list or a map") < 0)
        return -1;
    if ((of.types & VALUE_LIST) != 0) {
        of.types &= (uint8_t)~VALUE_NUMBER; /* a number has no items to take */
        item = shape_item(of);
        types |= VALUE_INT;
    }
    if ((of.types & VALUE_MAP) != 0) {
        item.types |= TYPES_FREE;
        item.element_types = TYPES_FREE;
        types |= VALUE_INT | VALUE_STRING;
    }
    if (operand_need(c, key, types, "[]",
                     (types & VALUE_STRING) != 0
                         ? "a string or an integer as key"
                         : "an integer as position") < 0)
        return -1;
    return node_emit(c, node_parent(NODE_INDEX, a, key), start, item);
}

/* ---- operators ---------------------------------------------------------- */

int make_unary(struct compiler *c, enum node_op op, int a, uint16_t start)
{
    unsigned types = op == NODE_NOT ? VALUE_BOOL : VALUE_NUMBER;

    if (operand_need(c, a, types, op == NODE_NOT ? "!" : "-",
                     op == NODE_NOT ? "a boolean" : "a number") < 0)
        return -1;
    return node_emit(c, node_parent(op, a, -1), start,
                     shape_types(shape_of(c, a).types & types));
}

/* What numbers of these types compute to. */
static unsigned number_types(unsigned a, unsigned b)
{
    return (a & b & VALUE_INT) | ((a | b) & VALUE_DOUBLE);
}

static bool comparable(unsigned a, unsigned b)
{
    return (a & b) != 0 || ((a & VALUE_NUMBER) != 0 && (b & VALUE_NUMBER) != 0);
}

static int refuse_pair(struct compiler *c, int a, int b, const char *what)
{
    struct text left = { 0 }, right = { 0 };

    operand_print(c, a, &left);
    operand_print(c, b, &right);
    compiler_error(c, c->spans[a].start,
                   "\"%s\" needs values of one type, %s and %s", what,
                   text_string(&left), text_string(&right));
    text_close(&left);
    text_close(&right);
    return -1;
}

static int check_in(struct compiler *c, int a, int b)
{
    unsigned types = shape_of(c, a).types;
    struct shape of = shape_of(c, b), item = shape_item(of);

    if (of.types == VALUE_STRING)
        return operand_refuse(
            c, b, "in",
            "a list or a map on its right (parts of a string "
            "are not looked for; use ==, startsWith or endsWith)");
    if (operand_need(c, b, VALUE_LIST | VALUE_MAP, "in",
                     "a list or a map on its right") < 0)
        return -1;
    if ((of.types & VALUE_LIST) != 0 && comparable(types, item.types))
        return 0;
    if ((of.types & VALUE_MAP) != 0)
        return operand_need(c, a, VALUE_STRING | VALUE_INT, "in",
                            "a string or an integer as key of a map");
    return operand_refuse(c, a, "in",
                          "a value of the type of the list's items");
}

static int check_binary(struct compiler *c, const struct operator_row *row,
                        int a, int b)
{
    unsigned left = shape_of(c, a).types, right = shape_of(c, b).types;

    if (row->op == NODE_IN)
        return check_in(c, a, b);
    if (row->types == VALUE_ANY && left == VALUE_MAP && right == VALUE_MAP)
        return operand_refuse(c, a, row->spelling,
                              "numbers, strings, booleans, lists or items");
    if (operand_need(c, a, row->types, row->spelling, row->needs) < 0 ||
        operand_need(c, b, row->types, row->spelling, row->needs) < 0)
        return -1;
    if (!comparable(left & row->types, right & row->types))
        return refuse_pair(c, a, b, row->spelling);
    return 0;
}

int make_binary(struct compiler *c, const struct operator_row *row, int a,
                int b, uint16_t start)
{
    unsigned types = VALUE_BOOL;

    if (check_binary(c, row, a, b) < 0)
        return -1;
    if (row->types == VALUE_INT)
        types = VALUE_INT;
    else if (row->types == VALUE_NUMBER)
        types = number_types(shape_of(c, a).types, shape_of(c, b).types);
    return node_emit(c, node_parent(row->op, a, b), start, shape_types(types));
}

int make_cond(struct compiler *c, int a, int b, int d, uint16_t start)
{
    struct node n = node_parent(NODE_COND, a, b);
    struct shape shape = shape_of(c, b);

    n.c = (uint16_t)d;
    if (operand_need(c, a, VALUE_BOOL, "?", "a boolean before it") < 0 ||
        shape_join(c, &shape, d) < 0)
        return -1;
    return node_emit(c, n, start, shape);
}
