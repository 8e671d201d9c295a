/* SPDX-License-Identifier: Apache-2.0 */
/* Says with numbers why an expression came out as it did. */
#include "placement/expression_explain.h"

static void explain(struct explanation *e, uint16_t i, uint16_t head);

static bool is_comparison(enum node_op op)
{
    return op == NODE_EQ || op == NODE_NE || op == NODE_LT || op == NODE_LE ||
           op == NODE_GT || op == NODE_GE || op == NODE_IN;
}

static bool is_literal(const struct explanation *e, uint16_t i)
{
    return explanation_node(e, i)->op == NODE_LITERAL;
}

/* Whether the value of a node says no more than its source and needs no
 * equation beside it. */
static bool is_leaf(const struct explanation *e, uint16_t i)
{
    return is_literal(e, i) || node_is_path(e->expr, i);
}

/* A condition for another one to matter: a name compared with a literal, a
 * bare name, has(name). */
static bool is_guard(const struct explanation *e, uint16_t i)
{
    const struct node *n = explanation_node(e, i);

    if (node_is_path(e->expr, i) || n->op == NODE_HAS)
        return true;
    return is_comparison((enum node_op)n->op) &&
           ((node_is_path(e->expr, n->a) && is_literal(e, n->b)) ||
            (is_literal(e, n->a) && node_is_path(e->expr, n->b)));
}

/* ---- leaves ------------------------------------------------------------- */

/* What is explained, and whether it is so. */
static void put_head(struct explanation *e, uint16_t head)
{
    struct value v = explanation_value(e, head);

    put_source(e, head);
    if (v.type == VALUE_BOOL && !v.u.boolean)
        text_put(e->out, " is false");
    text_put(e->out, ": ");
}

/* `4 % 3 = 1`, or `ep = 4` for a mere name. */
static void put_equation(struct explanation *e, uint16_t i)
{
    if (is_leaf(e, i))
        put_keys(e, i);
    else
        put_numbers(e, i);
    text_put(e->out, " = ");
    put_value(e, i);
}

static void explain_comparison(struct explanation *e, uint16_t i)
{
    const struct node *n = explanation_node(e, i);

    if (is_literal(e, n->a) || is_literal(e, n->b)) {
        put_equation(e, is_literal(e, n->a) ? n->b : n->a);
        return;
    }
    if (is_leaf(e, n->a))
        put_value(e, n->a);
    else
        put_equation(e, n->a);
    text_printf(e->out, " %s ", operator_at((enum node_op)n->op)->spelling);
    put_value(e, n->b);
    if (!is_leaf(e, n->b)) {
        text_put(e->out, " = ");
        put_numbers(e, n->b);
    }
}

static void explain_has(struct explanation *e, uint16_t i)
{
    uint16_t path = explanation_node(e, i)->a;

    if (explanation_value(e, path).state == VALUE_KNOWN) {
        put_equation(e, path);
        return;
    }
    put_keys(e, path);
    text_put(e->out, explanation_value(e, path).state == VALUE_UNKNOWN
                         ? " is not declared"
                         : " is undefined");
}

/* Whether writing a path with its values would only repeat its source. */
static bool is_plain_path(const struct explanation *e, uint16_t i)
{
    if (!node_is_path(e->expr, i))
        return false;
    for (uint16_t k = e->expr->spans[i].first; k <= i; k++)
        if (explanation_node(e, k)->op == NODE_INDEX)
            return false;
    return true;
}

static void explain_leaf(struct explanation *e, uint16_t i, uint16_t head)
{
    const struct node *n = explanation_node(e, i);

    put_head(e, head);
    if (is_comparison((enum node_op)n->op))
        explain_comparison(e, i);
    else if (n->op == NODE_HAS)
        explain_has(e, i);
    else if (n->op == NODE_LITERAL || (i == head && is_plain_path(e, i)))
        put_value(e, i);
    else
        put_equation(e, i);
}

/* ---- conjunctions, disjunctions, macros --------------------------------- */

/* Number of parts of a chain of one operator; with only_facts those that are
 * not guards. */
static int count_parts(const struct explanation *e, uint16_t i, enum node_op op,
                       bool only_facts)
{
    const struct node *n = explanation_node(e, i);

    if (n->op == op)
        return count_parts(e, n->a, op, only_facts) +
               count_parts(e, n->b, op, only_facts);
    return !only_facts || !is_guard(e, i);
}

static void explain_parts(struct explanation *e, uint16_t i, enum node_op op,
                          bool only_facts, size_t start)
{
    const struct node *n = explanation_node(e, i);

    if (n->op == op) {
        explain_parts(e, n->a, op, only_facts, start);
        explain_parts(e, n->b, op, only_facts, start);
        return;
    }
    if (only_facts && is_guard(e, i))
        return;
    if (e->out->len > start)
        text_put(e->out, " and ");
    explain(e, i, i);
}

/* The first part of a chain that is what decides the chain. */
static uint16_t deciding_part(struct explanation *e, uint16_t i,
                              enum node_op op)
{
    const struct node *n = explanation_node(e, i);
    struct value v;

    if (n->op != op)
        return i;
    v = explanation_value(e, n->a);
    return deciding_part(
        e, v.type == VALUE_BOOL && v.u.boolean == (op == NODE_OR) ? n->a : n->b,
        op);
}

static void explain_chain(struct explanation *e, uint16_t i, bool is_true)
{
    enum node_op op = (enum node_op)explanation_node(e, i)->op;
    uint16_t part;

    if (is_true == (op == NODE_AND)) { /* all parts are needed for this */
        bool only_facts = op == NODE_AND && count_parts(e, i, op, true) > 0;

        explain_parts(e, i, op, only_facts, e->out->len);
        return;
    }
    part = deciding_part(e, i, op);
    explain(e, part, part);
}

/* exists() that is true and all() that is false: the item that decides. */
static bool explain_item(struct explanation *e, uint16_t i)
{
    const struct node *n = explanation_node(e, i);
    struct value list = explanation_value(e, n->a);
    const struct value *items;
    uint32_t count;

    if (!value_items(&list, &items, &count))
        return false;
    for (uint32_t k = 0; k < count; k++) {
        struct value v;

        explanation_bind(e, i, items[k]);
        v = explanation_value(e, n->b);
        if (v.type == VALUE_BOOL && v.u.boolean == (n->op == NODE_EXISTS)) {
            explain(e, n->b, n->b);
            explanation_unbind(e);
            return true;
        }
        explanation_unbind(e);
    }
    return false;
}

/* The list that none or all of the items of decide. */
static void put_list(struct explanation *e, uint16_t i)
{
    struct value list = explanation_value(e, i);

    if (list.type != VALUE_LIST || list.count == 0 ||
        list.u.items[0].type != VALUE_OBJECT) {
        put_equation(e, i);
        return;
    }
    put_keys(e, i);
    text_printf(e->out, " has %u item%s", list.count,
                list.count == 1 ? "" : "s");
}

/* Explains node i, written as head: itself or its negations. */
static void explain(struct explanation *e, uint16_t i, uint16_t head)
{
    const struct node *n = explanation_node(e, i);
    struct value v = explanation_value(e, i);
    uint16_t branch;

    switch (v.type == VALUE_BOOL ? (int)n->op : NODE_LITERAL) {
    case NODE_NOT:
        explain(e, n->a, head);
        return;
    case NODE_AND:
    case NODE_OR:
        explain_chain(e, i, v.u.boolean);
        return;
    case NODE_COND:
        branch = value_is_true(explanation_value(e, n->a)) ? n->b : n->c;
        explain(e, branch, branch);
        return;
    case NODE_EXISTS:
    case NODE_ALL:
        if (v.u.boolean == (n->op == NODE_EXISTS) && explain_item(e, i))
            return;
        put_head(e, head);
        put_list(e, n->a);
        return;
    default: /* what has no conditions inside */
        explain_leaf(e, i, head);
    }
}

void expression_explain(const struct expression *expr,
                        const struct environment *env, struct text *out,
                        void (*used)(void *arg, int slot), void *arg)
{
    uint16_t top = (uint16_t)(expr->n_nodes - 1);
    struct explanation e;

    explanation_init(&e, expr, env, out);
    e.used = used;
    e.arg = arg;
    explain(&e, top, top);
}
