/* SPDX-License-Identifier: Apache-2.0 */
/* Evaluates compiled expressions: one function for each kind of node. */
#include "placement/expression_node.h"

#include <inttypes.h>
#include <stdio.h>

/* One row for each kind, so that a kind without its function is an error of
 * the linker. */
eval_fn *const node_evaluators[] = {
#define X(name, function) [NODE_##name] = eval_##function,
    NODE_LIST(X)
#undef X
#define X(name, function, spelling, binds, types, needs)                       \
    [NODE_##name] = eval_##function,
        OPERATOR_LIST(X)
#undef X
};

/* Evaluates within what is left of a budget, and takes off what it took. */
static struct value eval_charged(struct evaluation *x,
                                 const struct expression *expr, int64_t *budget)
{
    struct value v;
    int64_t steps = *budget < x->steps ? *budget : x->steps;

    x->steps = steps > 0 ? steps : 0;
    steps = x->steps;
    v = operand(x, (uint16_t)(expr->n_nodes - 1));
    *budget -= steps - x->steps;
    return v;
}

struct value expression_eval(const struct expression *expr,
                             const struct environment *env)
{
    struct evaluation x;

    x.nodes = expr->nodes;
    x.env = env;
    x.steps = EXPRESSION_STEPS_MAX;
    if (env->budget == NULL)
        return operand(&x, (uint16_t)(expr->n_nodes - 1));
    return eval_charged(&x, expr, env->budget);
}

/* ---- leaves and paths --------------------------------------------------- */

struct value eval_literal(struct evaluation *x, const struct node *n)
{
    (void)x;
    return n->literal;
}

struct value eval_slot(struct evaluation *x, const struct node *n)
{
    return environment_slot(x->env, n->number);
}

struct value eval_local(struct evaluation *x, const struct node *n)
{
    return x->locals[n->number];
}

struct value eval_lists(struct evaluation *x, const struct node *n)
{
    return x->env->lists(x->env, n->number);
}

struct value eval_member(struct evaluation *x, const struct node *n)
{
    struct value a = operand(x, n->a);

    if (a.type == VALUE_OBJECT && a.kind == n->kind && n->number >= 0)
        return x->env->member(x->env, a, n->number);
    if (a.type == VALUE_MAP && evaluation_charge(x, tree_count(a.u.tree)))
        return value_of_tree(tree_get(a.u.tree, n->literal.u.string),
                             x->env->arena);
    return value_spread(a, a);
}

const struct tree *map_find(struct evaluation *x, struct value map,
                            struct value key)
{
    char digits[24];

    if (!evaluation_charge(x, tree_count(map.u.tree)))
        return NULL;
    if (key.type == VALUE_STRING)
        return tree_get(map.u.tree, key.u.string);
    snprintf(digits, sizeof(digits), "%" PRId64, key.u.integer);
    return tree_get(map.u.tree, digits);
}

struct value eval_index(struct evaluation *x, const struct node *n)
{
    struct value a = operand(x, n->a), key = operand(x, n->b);

    if (a.type == VALUE_LIST && key.type == VALUE_INT)
        return key.u.integer >= 0 && key.u.integer < a.count
                   ? a.u.items[key.u.integer]
                   : value_undefined();
    if (a.type == VALUE_MAP && (key.type & (VALUE_STRING | VALUE_INT)) != 0)
        return value_of_tree(map_find(x, a, key), x->env->arena);
    return value_spread(a, key);
}

struct value eval_has(struct evaluation *x, const struct node *n)
{
    struct value a = operand(x, n->a);

    if (a.state != VALUE_KNOWN && x->env->partial && !value_is_absent(a))
        return value_unknown();
    return value_bool(a.state == VALUE_KNOWN);
}

struct value *evaluation_new_items(struct evaluation *x, size_t count)
{
    if (x->env->arena == NULL || count > EXPRESSION_LIST_MAX)
        return NULL;
    return arena_array(x->env->arena, count, sizeof(struct value));
}

struct value eval_items(struct evaluation *x, const struct node *n)
{
    uint32_t count = (uint32_t)n->number, i = 0;
    struct value *items = evaluation_new_items(x, count);

    if (items == NULL)
        return value_undefined();
    for (uint16_t c = n->a; c != NODE_NONE; c = x->nodes[c].next)
        items[i++] = operand(x, c);
    return value_list(items, count);
}

/* ---- logic -------------------------------------------------------------- */

/* a && b (decides: false) or a || b (true), where an operand that decides does
 * so whatever the other is. */
static inline struct value connect(struct evaluation *x, const struct node *n,
                                   bool decides)
{
    struct value a = operand(x, n->a), b;

    if (a.type == VALUE_BOOL && a.u.boolean == decides)
        return a;
    b = operand(x, n->b);
    if (b.type == VALUE_BOOL && (b.u.boolean == decides || a.type == b.type))
        return b;
    if (b.type == VALUE_BOOL)
        return value_spread(a, a);
    if (a.type == VALUE_BOOL)
        return value_spread(b, b);
    return value_spread(a, b);
}

struct value eval_and(struct evaluation *x, const struct node *n)
{
    return connect(x, n, false);
}

struct value eval_or(struct evaluation *x, const struct node *n)
{
    return connect(x, n, true);
}

struct value eval_not(struct evaluation *x, const struct node *n)
{
    struct value a = operand(x, n->a);

    return a.type == VALUE_BOOL ? value_bool(!a.u.boolean) : value_spread(a, a);
}

struct value eval_cond(struct evaluation *x, const struct node *n)
{
    struct value a = operand(x, n->a);

    if (a.type != VALUE_BOOL)
        return value_spread(a, a);
    return operand(x, a.u.boolean ? n->b : n->c);
}

/* ---- functions and macros ----------------------------------------------- */

/* Whether a value may be an argument; a number also where a list may. */
static bool takes(unsigned types, struct value v)
{
    return (v.type & types) != 0 ||
           ((types & VALUE_LIST) != 0 && (v.type & VALUE_NUMBER) != 0);
}

struct value eval_call(struct evaluation *x, const struct node *n)
{
    const struct function *f = function_at(n->number);
    struct value a = operand(x, n->a);
    struct value b = n->b != NODE_NONE ? operand(x, n->b) : a;

    if (a.state != VALUE_KNOWN || b.state != VALUE_KNOWN)
        return value_spread(a, b);
    if (!takes(f->first, a) || (n->b != NODE_NONE && !takes(f->rest, b)))
        return value_undefined();
    return f->call(x, a, b);
}

/* Takes one item into a fold that has come so far: nothing yet has neither
 * type nor a state. An item that does not count is noted in skipped. */
static inline struct value fold_take(const struct function *f,
                                     struct value so_far, struct value item,
                                     unsigned *skipped)
{
    if ((item.type & f->rest) == 0) {
        *skipped |=
            item.state == VALUE_UNKNOWN ? VALUE_UNKNOWN : VALUE_UNDEFINED;
        return so_far;
    }
    if (so_far.type == 0 && so_far.state == VALUE_KNOWN)
        return item;
    return f->step(so_far, item);
}

static struct value fold_list(struct evaluation *x, const struct function *f,
                              struct value so_far, struct value list,
                              unsigned *skipped)
{
    const struct value *items;
    uint32_t count;

    if (!value_items(&list, &items, &count))
        return value_spread(list, list);
    if (!evaluation_charge(x, count))
        return value_undefined();
    for (uint32_t i = 0; i < count; i++)
        so_far = fold_take(f, so_far, items[i], skipped);
    return so_far;
}

struct value eval_fold(struct evaluation *x, const struct node *n)
{
    const struct function *f = function_at(n->number);
    struct value so_far = { 0 };
    unsigned skipped = 0;

    if (!f->needs_item)
        so_far = value_int(f->empty);
    if (x->nodes[n->a].next == NODE_NONE)
        so_far = fold_list(x, f, so_far, operand(x, n->a), &skipped);
    else
        for (uint16_t c = n->a; c != NODE_NONE; c = x->nodes[c].next)
            so_far = fold_take(f, so_far, operand(x, c), &skipped);
    if ((skipped & VALUE_UNDEFINED) != 0 || so_far.state == VALUE_UNDEFINED)
        return value_undefined();
    if (skipped != 0 || so_far.state == VALUE_UNKNOWN)
        return value_unknown();
    return so_far.type != 0 ? so_far : value_undefined();
}

/* The items that a macro walks; false: *ret is what the macro gives. */
static bool walk(struct evaluation *x, const struct node *n,
                 const struct value *list, const struct value **ret_items,
                 uint32_t *ret_count, struct value *ret)
{
    if (!value_items(list, ret_items, ret_count)) {
        *ret = value_spread(*list, *list);
        return false;
    }
    *ret = value_undefined();
    return *ret_count <= EXPRESSION_LIST_MAX &&
           evaluation_charge(x, (uint64_t)*ret_count * n->length);
}

static struct value quantify(struct evaluation *x, const struct node *n,
                             bool decides)
{
    struct value list = operand(x, n->a), v;
    bool unknown = false, undefined = false;
    const struct value *items;
    uint32_t count;

    if (!walk(x, n, &list, &items, &count, &v))
        return v;
    for (uint32_t i = 0; i < count; i++) {
        x->locals[n->number] = items[i];
        v = node_eval(x, n->b);
        if (v.type == VALUE_BOOL && v.u.boolean == decides)
            return v;
        unknown |= v.state == VALUE_UNKNOWN;
        undefined |= v.state != VALUE_UNKNOWN && v.type != VALUE_BOOL;
    }
    if (unknown)
        return value_unknown();
    return undefined ? value_undefined() : value_bool(!decides);
}

struct value eval_all(struct evaluation *x, const struct node *n)
{
    return quantify(x, n, false);
}

struct value eval_exists(struct evaluation *x, const struct node *n)
{
    return quantify(x, n, true);
}

struct value eval_map(struct evaluation *x, const struct node *n)
{
    struct value list = operand(x, n->a), v;
    const struct value *items;
    struct value *results;
    uint32_t count;

    if (!walk(x, n, &list, &items, &count, &v))
        return v;
    results = evaluation_new_items(x, count);
    if (results == NULL)
        return value_undefined();
    for (uint32_t i = 0; i < count; i++) {
        x->locals[n->number] = items[i];
        results[i] = node_eval(x, n->b);
    }
    return value_list(results, count);
}

/* The items for which the body holds; one that cannot be told leaves the whole
 * list as little known. */
struct value eval_filter(struct evaluation *x, const struct node *n)
{
    struct value list = operand(x, n->a), v;
    const struct value *items;
    struct value *kept;
    uint32_t count, n_kept = 0;

    if (!walk(x, n, &list, &items, &count, &v))
        return v;
    kept = evaluation_new_items(x, count);
    if (kept == NULL)
        return value_undefined();
    for (uint32_t i = 0; i < count; i++) {
        x->locals[n->number] = items[i];
        v = node_eval(x, n->b);
        if (v.type != VALUE_BOOL)
            return value_spread(v, v);
        if (v.u.boolean)
            kept[n_kept++] = items[i];
    }
    return value_list(kept, n_kept);
}
