/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of expressions that make numbers of numbers. */
#include "placement/expression_node.h"

#include <math.h>

/* ---- folds -------------------------------------------------------------- */

static struct value step_max(struct value so_far, struct value item)
{
    if ((so_far.type & item.type & VALUE_INT) != 0)
        return item.u.integer > so_far.u.integer ? item : so_far;
    return value_order(item, so_far) > 0 ? item : so_far;
}

static struct value step_min(struct value so_far, struct value item)
{
    if ((so_far.type & item.type & VALUE_INT) != 0)
        return item.u.integer < so_far.u.integer ? item : so_far;
    return value_order(item, so_far) < 0 ? item : so_far;
}

static struct value step_sum(struct value so_far, struct value item)
{
    int64_t r;

    if ((so_far.type & item.type & VALUE_INT) == 0)
        return double_compute(NODE_ADD, so_far, item);
    if (__builtin_add_overflow(so_far.u.integer, item.u.integer, &r))
        return value_undefined();
    return value_int(r);
}

static struct value step_product(struct value so_far, struct value item)
{
    int64_t r;

    if ((so_far.type & item.type & VALUE_INT) == 0)
        return double_compute(NODE_MUL, so_far, item);
    if (__builtin_mul_overflow(so_far.u.integer, item.u.integer, &r))
        return value_undefined();
    return value_int(r);
}

static struct value step_gcd(struct value so_far, struct value item)
{
    int64_t a = so_far.u.integer, b = item.u.integer;

    if (so_far.state != VALUE_KNOWN || b == INT64_MIN) /* has no absolute */
        return value_undefined();
    b = b < 0 ? -b : b;
    while (b != 0) {
        int64_t rest = a % b;

        a = b;
        b = rest;
    }
    return value_int(a);
}

/* ---- arithmetic --------------------------------------------------------- */

/* a / b rounded down, or with up: up. */
static inline struct value divide(int64_t a, int64_t b, bool up)
{
    int64_t rest;

    if (b == 0 || (b == -1 && a == INT64_MIN))
        return value_undefined();
    if (both_small(a, b)) {
        uint32_t p = (uint32_t)a, q = (uint32_t)b;

        return value_int((int64_t)(p / q) + (up && p % q != 0));
    }
    rest = a % b;
    return value_int(a / b - (rest != 0 && (a < 0) != (b < 0)) +
                     (rest != 0 && up));
}

static struct value call_div(struct evaluation *x, struct value a,
                             struct value b)
{
    (void)x;
    return divide(a.u.integer, b.u.integer, false);
}

static struct value call_ceil_div(struct evaluation *x, struct value a,
                                  struct value b)
{
    (void)x;
    return divide(a.u.integer, b.u.integer, true);
}

static struct value pow_int(int64_t base, int64_t exponent)
{
    int64_t r = 1;

    if (exponent < 0)
        return value_undefined();
    for (; exponent != 0; exponent >>= 1) {
        if ((exponent & 1) != 0 && __builtin_mul_overflow(r, base, &r))
            return value_undefined();
        /* The last square is not used and may overflow. */
        if (exponent > 1 && __builtin_mul_overflow(base, base, &base))
            return value_undefined();
    }
    return value_int(r);
}

static struct value call_pow(struct evaluation *x, struct value a,
                             struct value b)
{
    double r;

    (void)x;
    if ((a.type & b.type & VALUE_INT) != 0)
        return pow_int(a.u.integer, b.u.integer);
    r = pow(a.type == VALUE_INT ? (double)a.u.integer : a.u.number,
            b.type == VALUE_INT ? (double)b.u.integer : b.u.number);
    return isfinite(r) ? value_double(r) : value_undefined();
}

static struct value whole(double number)
{
    return number >= -0x1p63 && number < 0x1p63 ? value_int((int64_t)number)
                                                : value_undefined();
}

static struct value call_floor(struct evaluation *x, struct value a,
                               struct value b)
{
    (void)x, (void)b;
    return a.type == VALUE_INT ? a : whole(floor(a.u.number));
}

static struct value call_ceil(struct evaluation *x, struct value a,
                              struct value b)
{
    (void)x, (void)b;
    return a.type == VALUE_INT ? a : whole(ceil(a.u.number));
}

static struct value call_log2(struct evaluation *x, struct value a,
                              struct value b)
{
    double number = a.type == VALUE_INT ? (double)a.u.integer : a.u.number;

    (void)x, (void)b;
    return number > 0 ? value_double(log2(number)) : value_undefined();
}

/* clang-format off */
static const struct function rows[] = {
    { "max", 1, 0, VALUE_NUMBER | VALUE_LIST, VALUE_NUMBER, "numbers",
      .step = step_max, .needs_item = true },
    { "min", 1, 0, VALUE_NUMBER | VALUE_LIST, VALUE_NUMBER, "numbers",
      .step = step_min, .needs_item = true },
    { "sum", 1, 0, VALUE_NUMBER | VALUE_LIST, VALUE_NUMBER, "numbers",
      .step = step_sum, .empty = 0 },
    { "product", 1, 0, VALUE_NUMBER | VALUE_LIST, VALUE_NUMBER, "numbers",
      .step = step_product, .empty = 1 },
    { "gcd", 1, 0, VALUE_INT | VALUE_LIST, VALUE_INT, "integers",
      VALUE_INT, .step = step_gcd, .empty = 0 },
    { "ceil_div", 2, 2, VALUE_INT, VALUE_INT, "integers",
      VALUE_INT, .call = call_ceil_div },
    { "div", 2, 2, VALUE_INT, VALUE_INT, "integers",
      VALUE_INT, .call = call_div },
    { "pow", 2, 2, VALUE_NUMBER, VALUE_NUMBER, "numbers",
      .call = call_pow },
    { "floor", 1, 1, VALUE_NUMBER, 0, "a number",
      VALUE_INT, .call = call_floor },
    { "ceil", 1, 1, VALUE_NUMBER, 0, "a number",
      VALUE_INT, .call = call_ceil },
    { "log2", 1, 1, VALUE_NUMBER, 0, "a number",
      VALUE_DOUBLE, .call = call_log2 },
};
/* clang-format on */
_Static_assert(ARRAY_LEN(rows) <= FUNCTION_SET_MAX,
               "a set of functions is numbered from 0 to its bound");

const struct function_set number_functions = { rows, ARRAY_LEN(rows) };
