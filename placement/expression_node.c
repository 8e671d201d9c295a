/* SPDX-License-Identifier: Apache-2.0 */
/* Makes nodes: their place, depth and shape, constants folded. */
#include "placement/expression_compiler.h"

struct shape shape_of(const struct compiler *c, int node)
{
    return c->notes[node].shape;
}

struct shape shape_types(unsigned types)
{
    return (struct shape){ .types = (uint8_t)types,
                           .element_types = TYPES_FREE };
}

struct shape shape_item(struct shape list)
{
    struct shape item = shape_types(0);

    if ((list.types & VALUE_LIST) != 0) {
        item.types = list.element_types != 0 ? list.element_types : TYPES_FREE;
        item.kind = list.element_kind;
    }
    item.types |= list.types & VALUE_NUMBER;
    return item;
}

int shape_join(struct compiler *c, struct shape *shape, int node)
{
    struct shape other = shape_of(c, node);

    if ((shape->types & other.types & VALUE_OBJECT) != 0 &&
        shape->kind != other.kind)
        return compiler_error(c, c->spans[node].start,
                              "items of different kinds stand for one value; "
                              "write a condition for each kind");
    if ((shape->types & other.types & VALUE_LIST) != 0 &&
        (shape->element_types & other.element_types & VALUE_OBJECT) != 0 &&
        shape->element_kind != other.element_kind)
        return compiler_error(c, c->spans[node].start,
                              "lists of different kinds of items stand for one "
                              "value; write a condition for each kind");
    if ((other.types & VALUE_OBJECT) != 0)
        shape->kind = other.kind;
    if ((other.types & VALUE_LIST) != 0) {
        /* of an empty list nothing is said */
        shape->element_types = (shape->types & VALUE_LIST) != 0
                                   ? shape->element_types | other.element_types
                                   : other.element_types;
        if ((other.element_types & VALUE_OBJECT) != 0)
            shape->element_kind = other.element_kind;
    }
    shape->types |= other.types;
    return 0;
}

void operand_print(const struct compiler *c, int node, struct text *out)
{
    const char *source = c->source + c->spans[node].start;
    int len = c->spans[node].end - c->spans[node].start;
    bool quoted = *source == '"' || *source == '\'';
    struct text types = { 0 };

    value_types_print(shape_of(c, node).types, &types);
    if (!quoted)
        text_put(out, "\"");
    text_printf(out, "%.*s", len < 40 ? len : 37, source);
    if (len >= 40)
        text_put(out, "...");
    if (!quoted || len >= 40)
        text_put_bytes(out, quoted ? source : "\"", 1);
    text_printf(out, " is %s %s", text_string(&types)[0] == 'i' ? "an" : "a",
                text_string(&types));
    text_close(&types);
}

int operand_refuse(struct compiler *c, int node, const char *what,
                   const char *needs)
{
    struct text is = { 0 };

    operand_print(c, node, &is);
    compiler_error(c, c->spans[node].start, "\"%s\" needs %s, %s", what, needs,
                   text_string(&is));
    text_close(&is);
    return -1;
}

int operand_need(struct compiler *c, int node, unsigned types, const char *what,
                 const char *needs)
{
    if ((shape_of(c, node).types & types) != 0)
        return 0;
    return operand_refuse(c, node, what, needs);
}

int name_refuse(struct compiler *c, const char *name, uint16_t start,
                const char *nearest)
{
    return compiler_error(c, start, "unknown name \"%.64s\"%s%s%s", name,
                          nearest != NULL ? "; the nearest is \"" : "",
                          nearest != NULL ? nearest : "",
                          nearest != NULL ? "\"" : "");
}

/* ---- making a node ------------------------------------------------------ */

/* Whether the nodes from first to last are literals and op may be computed
 * from them now. Lists that are computed stay: they could be long. */
static bool can_fold(const struct compiler *c, const struct node *n,
                     unsigned first, struct shape shape)
{
    if (first == c->n_nodes || n->op == NODE_HAS || n->op == NODE_LISTS ||
        node_is_macro((enum node_op)n->op) ||
        ((shape.types & VALUE_LIST) != 0 && n->op != NODE_ITEMS))
        return false;
    for (unsigned i = first; i < c->n_nodes; i++)
        if (c->nodes[i].op != NODE_LITERAL)
            return false;
    return true;
}

/* The literal that n computes to, if it is known. */
static bool fold(struct compiler *c, const struct node *n, struct value *ret)
{
    const struct environment env = { .arena = c->arena };
    struct evaluation x = { .nodes = c->nodes,
                            .env = &env,
                            .steps = EXPRESSION_STEPS_MAX };

    c->nodes[c->n_nodes] = *n;
    *ret = node_eval(&x, (uint16_t)c->n_nodes);
    return ret->state == VALUE_KNOWN;
}

static int refuse_size(struct compiler *c, uint16_t start)
{
    return compiler_error(c, start,
                          "more than %d names, values and operations; give a "
                          "part of it a name of its own",
                          EXPRESSION_NODES_MAX);
}

int node_emit(struct compiler *c, struct node n, uint16_t start,
              struct shape shape)
{
    unsigned first = n.a != NODE_NONE ? c->spans[n.a].first : c->n_nodes;
    uint8_t depth = 0;

    if (c->n_nodes == c->max_nodes)
        return refuse_size(c, start);
    n.next = NODE_NONE;
    if (n.b != NODE_NONE)
        c->nodes[n.a].next = n.b;
    if (n.c != NODE_NONE)
        c->nodes[n.b].next = n.c;
    for (uint16_t i = n.a; i != NODE_NONE; i = c->nodes[i].next)
        if (c->notes[i].depth >= depth)
            depth = (uint8_t)(c->notes[i].depth + 1);
    if (depth > EXPRESSION_DEPTH_MAX)
        return compiler_error(c, start,
                              "more than %d operations nested; give a part of "
                              "it a name of its own",
                              EXPRESSION_DEPTH_MAX);
    if (can_fold(c, &n, first, shape) && fold(c, &n, &n.literal)) {
        n.op = NODE_LITERAL;
        n.a = n.b = n.c = NODE_NONE;
        shape.types = n.literal.type;
        depth = 0;
        c->n_nodes = first;
    }
    c->nodes[c->n_nodes] = n;
    c->spans[c->n_nodes] = (struct span){ .start = start,
                                          .end = c->last_end,
                                          .first = (uint16_t)first };
    c->notes[c->n_nodes] = (struct note){ .shape = shape, .depth = depth };
    return (int)c->n_nodes++;
}

struct node node_leaf(enum node_op op, int number)
{
    return (struct node){ .op = (uint8_t)op,
                          .a = NODE_NONE,
                          .b = NODE_NONE,
                          .c = NODE_NONE,
                          .number = number };
}

struct node node_parent(enum node_op op, int a, int b)
{
    struct node n = node_leaf(op, 0);

    n.a = (uint16_t)a;
    n.b = b >= 0 ? (uint16_t)b : NODE_NONE;
    return n;
}
