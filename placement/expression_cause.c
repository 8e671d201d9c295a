/* SPDX-License-Identifier: Apache-2.0 */
/* Finds why an expression is unknown or undefined. */
#include "placement/expression_explain.h"

#include <string.h>

/* Takes one operand of a node that has the state looked for; true: stop. */
typedef bool visit_fn(struct explanation *e, uint16_t i, void *arg);

/* Whether a node is in a state; not when that comes of the search's bound. */
static bool is_in(struct explanation *e, uint16_t i, enum value_state state)
{
    return explanation_value(e, i).state == state && e->steps > 0;
}

/* Visits the operands of node i that are in a state, in the order in which
 * they are evaluated; of a macro also its body, for each item in turn. */
static bool visit_operands(struct explanation *e, uint16_t i,
                           enum value_state state, visit_fn *visit, void *arg)
{
    const struct node *n = explanation_node(e, i);
    bool macro = node_is_macro((enum node_op)n->op);
    const struct value *items;
    struct value v;
    uint32_t count;

    if (n->op == NODE_COND) {
        v = explanation_value(e, n->a);
        i = v.type != VALUE_BOOL ? n->a : v.u.boolean ? n->b : n->c;
        return is_in(e, i, state) && visit(e, i, arg);
    }
    for (uint16_t k = n->a; k != NODE_NONE; k = explanation_node(e, k)->next) {
        if (macro && k == n->b)
            break;
        if (is_in(e, k, state) && visit(e, k, arg))
            return true;
    }
    if (!macro)
        return false;
    v = explanation_value(e, n->a);
    if (!value_items(&v, &items, &count) || count > EXPRESSION_LIST_MAX)
        return false;
    for (uint32_t k = 0; k < count; k++) {
        bool stop;

        explanation_bind(e, i, items[k]);
        stop = is_in(e, n->b, state) && visit(e, n->b, arg);
        explanation_unbind(e);
        if (stop)
            return true;
    }
    return false;
}

/* Visits the operands of node i that are known lists with an item in a state:
 * the item is what the node suffers from. */
static bool visit_lists(struct explanation *e, uint16_t i,
                        enum value_state state, visit_fn *visit, void *arg)
{
    const struct node *n = explanation_node(e, i);

    for (uint16_t k = n->a; k != NODE_NONE; k = explanation_node(e, k)->next) {
        struct value v = explanation_value(e, k);

        for (uint32_t m = 0; v.type == VALUE_LIST && m < v.count; m++) {
            if (v.u.items[m].state != state)
                continue;
            if (visit(e, k, arg))
                return true;
            break;
        }
    }
    return false;
}

/* What is wrong with an item is so in its list: for a variable that holds an
 * item, the list; else the node itself. */
static uint16_t item_source(const struct explanation *e, uint16_t i)
{
    const struct node *n = explanation_node(e, i);

    while (n->op == NODE_LOCAL && n->number < e->n_bound) {
        i = e->lists[n->number];
        n = explanation_node(e, i);
    }
    return i;
}

/* ---- unknown ------------------------------------------------------------ */

struct needs {
    void (*need)(void *arg, int slot, const char *path);
    void *arg;
    bool found;
};

/* Whether the same source was reported of the same name before. */
static bool reported(struct explanation *e, uint16_t i)
{
    const struct span *span = &e->expr->spans[i];

    for (int k = 0; k < e->n_seen; k++) {
        uint16_t seen = (uint16_t)e->seen[k];
        const struct span *other = &e->expr->spans[seen];
        int len = other->end - other->start;

        if (len == span->end - span->start &&
            memcmp(e->expr->source + other->start,
                   e->expr->source + span->start, (size_t)len) == 0 &&
            explanation_node(e, path_root(e, seen))->number ==
                explanation_node(e, path_root(e, i))->number)
            return true;
    }
    e->seen[e->n_seen++] = i;
    return false;
}

static void report(struct explanation *e, uint16_t i, struct needs *needs)
{
    const struct node *root = explanation_node(e, path_root(e, i));
    struct text path = { 0 };

    needs->found = true;
    if (reported(e, i))
        return;
    e->out = &path;
    put_source(e, i);
    needs->need(needs->arg, root->op == NODE_SLOT ? root->number : -1,
                text_string(&path));
    text_close(&path);
}

/* An unknown key of a path is what is needed, not the path. */
static bool key_needs(struct explanation *e, uint16_t i, struct needs *needs);

static bool find_needs(struct explanation *e, uint16_t i, void *arg)
{
    struct needs *needs = arg;
    bool outer = needs->found;

    i = item_source(e, i);
    if (node_is_path(e->expr, i)) {
        if (!key_needs(e, i, needs))
            report(e, i, needs);
        return false;
    }
    needs->found = false;
    visit_operands(e, i, VALUE_UNKNOWN, find_needs, needs);
    if (!needs->found)
        visit_lists(e, i, VALUE_UNKNOWN, find_needs, needs);
    needs->found |= outer;
    return false;
}

static bool key_needs(struct explanation *e, uint16_t i, struct needs *needs)
{
    const struct node *n = explanation_node(e, i);

    for (; n->op == NODE_MEMBER || n->op == NODE_INDEX;
         n = explanation_node(e, n->a)) {
        if (n->op == NODE_INDEX &&
            explanation_value(e, n->b).state == VALUE_UNKNOWN) {
            find_needs(e, n->b, needs);
            return true;
        }
    }
    return false;
}

void expression_needs(const struct expression *expr,
                      const struct environment *env,
                      void (*need)(void *arg, int slot, const char *path),
                      void *arg)
{
    uint16_t top = (uint16_t)(expr->n_nodes - 1);
    struct needs needs = { .need = need, .arg = arg };
    struct explanation e;

    explanation_init(&e, expr, env, NULL);
    if (explanation_value(&e, top).state == VALUE_UNKNOWN)
        find_needs(&e, top, &needs);
}

/* ---- undefined ---------------------------------------------------------- */

/* `item 9 of 4` for a position outside of a list. */
static void put_position(struct explanation *e, uint16_t i)
{
    const struct node *n = explanation_node(e, i);
    struct value list = explanation_value(e, n->a);

    text_put(e->out, "item ");
    put_value(e, n->b);
    text_printf(e->out, " of %u", list.type == VALUE_LIST ? list.count : 0);
}

/* Whether numbers say anything that the source does not. */
static bool has_path(const struct explanation *e, uint16_t i)
{
    for (uint16_t k = e->expr->spans[i].first; k <= i; k++)
        if (explanation_node(e, k)->op == NODE_SLOT ||
            explanation_node(e, k)->op == NODE_LOCAL)
            return true;
    return false;
}

static bool find_list_origin(struct explanation *e, uint16_t i, void *arg);

static bool find_origin(struct explanation *e, uint16_t i, void *arg)
{
    const struct node *n;

    i = item_source(e, i);
    n = explanation_node(e, i);
    if (visit_operands(e, i, VALUE_UNDEFINED, find_origin, arg) ||
        visit_lists(e, i, VALUE_UNDEFINED, find_list_origin, arg))
        return true;
    put_source(e, i);
    if (n->op == NODE_INDEX) {
        text_put(e->out, ": ");
        put_position(e, i);
    } else if (!node_is_path(e->expr, i) && has_path(e, i)) {
        text_put(e->out, ": ");
        put_numbers(e, i);
    }
    return true;
}

/* Into lists that are computed here; of others the items are written. */
static bool find_list_origin(struct explanation *e, uint16_t i, void *arg)
{
    return !node_is_path(e->expr, i) && find_origin(e, i, arg);
}

void expression_explain_undefined(const struct expression *expr,
                                  const struct environment *env,
                                  struct text *out)
{
    uint16_t top = (uint16_t)(expr->n_nodes - 1);
    struct explanation e;

    explanation_init(&e, expr, env, out);
    if (explanation_value(&e, top).state == VALUE_UNDEFINED)
        find_origin(&e, top, NULL);
}
