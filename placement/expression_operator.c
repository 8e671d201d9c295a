/* SPDX-License-Identifier: Apache-2.0 */
/* Comparisons and arithmetic of expressions, integers first. */
#include "placement/expression_node.h"

#include <math.h>

static const struct operator_row rows[] = {
#define X(name, function, spelling, binds, types, needs)                       \
    { NODE_##name, spelling, binds, types, needs },
    OPERATOR_LIST(X)
#undef X
};

const struct operator_row *operator_at(enum node_op op)
{
    return &rows[op - rows[0].op];
}

static inline bool both_ints(struct value a, struct value b)
{
    /* what is not known has no type */
    return (a.type & b.type & VALUE_INT) != 0;
}

static inline bool both_numbers(struct value a, struct value b)
{
    return (a.type & VALUE_NUMBER) != 0 && (b.type & VALUE_NUMBER) != 0;
}

/* Strings that differ at first sight, as words of an option mostly do. */
static inline bool unlike_strings(struct value a, struct value b)
{
    return (a.type & b.type & VALUE_STRING) != 0 &&
           (a.count != b.count ||
            (a.count > 0 && a.u.string[0] != b.u.string[0]));
}

/* ---- comparisons -------------------------------------------------------- */

static struct value equal(struct evaluation *x, struct value a, struct value b);

/* Equal in all items; unknown when what is known does not differ. */
static struct value equal_lists(struct evaluation *x, struct value a,
                                struct value b)
{
    struct value so_far = value_bool(a.count == b.count);

    if (!so_far.u.boolean)
        return so_far;
    if (!evaluation_charge(x, a.count))
        return value_undefined();
    for (uint32_t i = 0; i < a.count; i++) {
        struct value same = equal(x, a.u.items[i], b.u.items[i]);

        if (same.type == VALUE_BOOL && !same.u.boolean)
            return same;
        if (same.type != VALUE_BOOL && so_far.state != VALUE_UNDEFINED)
            so_far = same;
    }
    return so_far;
}

static struct value equal(struct evaluation *x, struct value a, struct value b)
{
    if (a.state != VALUE_KNOWN || b.state != VALUE_KNOWN)
        return value_spread(a, b);
    if (a.type == VALUE_LIST && b.type == VALUE_LIST)
        return equal_lists(x, a, b);
    if (a.type == VALUE_MAP && b.type == VALUE_MAP && a.u.tree != b.u.tree)
        return value_undefined();
    if (a.type == VALUE_STRING && !evaluation_charge(x, a.count / 16))
        return value_undefined();
    return value_bool(value_equal(a, b));
}

struct value eval_eq(struct evaluation *x, const struct node *n)
{
    struct value a = operand(x, n->a), b = operand(x, n->b);

    if (both_ints(a, b))
        return value_bool(a.u.integer == b.u.integer);
    if (unlike_strings(a, b))
        return value_bool(false);
    return equal(x, a, b);
}

struct value eval_ne(struct evaluation *x, const struct node *n)
{
    struct value a = operand(x, n->a), b = operand(x, n->b), same;

    if (both_ints(a, b))
        return value_bool(a.u.integer != b.u.integer);
    if (unlike_strings(a, b))
        return value_bool(true);
    same = equal(x, a, b);
    return same.type == VALUE_BOOL ? value_bool(!same.u.boolean) : same;
}

enum { BELOW = 1, EQUAL = 2, ABOVE = 4 };

/* Whether a's order to b is one of those wanted. */
static struct value order_is(struct evaluation *x, struct value a,
                             struct value b, int wanted)
{
    int order;

    if (!both_numbers(a, b) && (a.type & b.type & VALUE_STRING) == 0)
        return value_spread(a, b);
    if (!evaluation_charge(x, a.count / 16))
        return value_undefined();
    order = value_order(a, b);
    return value_bool((wanted & (order < 0   ? BELOW
                                 : order > 0 ? ABOVE
                                             : EQUAL)) != 0);
}

struct value eval_lt(struct evaluation *x, const struct node *n)
{
    struct value a = operand(x, n->a), b = operand(x, n->b);

    if (both_ints(a, b))
        return value_bool(a.u.integer < b.u.integer);
    return order_is(x, a, b, BELOW);
}

struct value eval_le(struct evaluation *x, const struct node *n)
{
    struct value a = operand(x, n->a), b = operand(x, n->b);

    if (both_ints(a, b))
        return value_bool(a.u.integer <= b.u.integer);
    return order_is(x, a, b, BELOW | EQUAL);
}

struct value eval_gt(struct evaluation *x, const struct node *n)
{
    struct value a = operand(x, n->a), b = operand(x, n->b);

    if (both_ints(a, b))
        return value_bool(a.u.integer > b.u.integer);
    return order_is(x, a, b, ABOVE);
}

struct value eval_ge(struct evaluation *x, const struct node *n)
{
    struct value a = operand(x, n->a), b = operand(x, n->b);

    if (both_ints(a, b))
        return value_bool(a.u.integer >= b.u.integer);
    return order_is(x, a, b, ABOVE | EQUAL);
}

struct value eval_in(struct evaluation *x, const struct node *n)
{
    struct value a = operand(x, n->a), b = operand(x, n->b);
    struct value so_far = value_bool(false);
    const struct value *items;
    uint32_t count;

    if (a.state != VALUE_KNOWN || b.state != VALUE_KNOWN)
        return value_spread(a, b);
    if (b.type == VALUE_MAP && (a.type & (VALUE_STRING | VALUE_INT)) != 0)
        return value_bool(map_find(x, b, a) != NULL);
    if (!value_items(&b, &items, &count) || !evaluation_charge(x, count))
        return value_undefined();
    for (uint32_t i = 0; i < count; i++) {
        struct value same = equal(x, a, items[i]);

        if (value_is_true(same))
            return same;
        if (same.type != VALUE_BOOL && so_far.state != VALUE_UNKNOWN)
            so_far = same;
    }
    return so_far;
}

/* ---- arithmetic --------------------------------------------------------- */

static double to_double(struct value v)
{
    return v.type == VALUE_INT ? (double)v.u.integer : v.u.number;
}

struct value double_compute(enum node_op op, struct value a, struct value b)
{
    double x, y, r;

    if (!both_numbers(a, b))
        return value_spread(a, b);
    x = to_double(a);
    y = to_double(b);
    if (op == NODE_ADD)
        r = x + y;
    else if (op == NODE_SUB)
        r = x - y;
    else if (op == NODE_MUL)
        r = x * y;
    else
        r = y != 0 ? x / y : HUGE_VAL;
    return isfinite(r) ? value_double(r) : value_undefined();
}

struct value eval_add(struct evaluation *x, const struct node *n)
{
    struct value a = operand(x, n->a), b = operand(x, n->b);
    int64_t r;

    if (!both_ints(a, b))
        return double_compute(NODE_ADD, a, b);
    if (__builtin_add_overflow(a.u.integer, b.u.integer, &r))
        return value_undefined();
    return value_int(r);
}

struct value eval_sub(struct evaluation *x, const struct node *n)
{
    struct value a = operand(x, n->a), b = operand(x, n->b);
    int64_t r;

    if (!both_ints(a, b))
        return double_compute(NODE_SUB, a, b);
    if (__builtin_sub_overflow(a.u.integer, b.u.integer, &r))
        return value_undefined();
    return value_int(r);
}

struct value eval_mul(struct evaluation *x, const struct node *n)
{
    struct value a = operand(x, n->a), b = operand(x, n->b);
    int64_t r;

    if (!both_ints(a, b))
        return double_compute(NODE_MUL, a, b);
    if (__builtin_mul_overflow(a.u.integer, b.u.integer, &r))
        return value_undefined();
    return value_int(r);
}

struct value eval_div(struct evaluation *x, const struct node *n)
{
    struct value a = operand(x, n->a), b = operand(x, n->b);
    int64_t p = a.u.integer, q = b.u.integer;

    if (!both_ints(a, b))
        return double_compute(NODE_DIV, a, b);
    if (q == 0 || (q == -1 && p == INT64_MIN))
        return value_undefined();
    if (both_small(p, q)) {
        uint32_t whole = (uint32_t)p / (uint32_t)q;

        return whole * (uint32_t)q == (uint32_t)p ? value_int(whole)
                                                  : value_undefined();
    }
    return p % q == 0 ? value_int(p / q) : value_undefined();
}

struct value eval_mod(struct evaluation *x, const struct node *n)
{
    struct value a = operand(x, n->a), b = operand(x, n->b);
    int64_t p = a.u.integer, q = b.u.integer, r;

    if (!both_ints(a, b))
        return value_spread(a, b);
    if (q == 0)
        return value_undefined();
    if (both_small(p, q))
        return value_int((uint32_t)p % (uint32_t)q);
    r = q == -1 ? 0 : p % q;
    return value_int(r != 0 && (r < 0) != (q < 0) ? r + q : r);
}

struct value eval_negate(struct evaluation *x, const struct node *n)
{
    struct value a = operand(x, n->a);

    if (a.type == VALUE_DOUBLE)
        return value_double(-a.u.number);
    if (a.type != VALUE_INT)
        return value_spread(a, a);
    return a.u.integer == INT64_MIN ? value_undefined()
                                    : value_int(-a.u.integer);
}
