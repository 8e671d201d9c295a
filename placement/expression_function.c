/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of expressions: a row and a C function for each. */
#include "placement/expression_node.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

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

/* ---- lists -------------------------------------------------------------- */

static struct value *new_items(struct evaluation *x, size_t count)
{
    if (x->env->arena == NULL || count > EXPRESSION_LIST_MAX ||
        !evaluation_charge(x, count))
        return NULL;
    return arena_array(x->env->arena, count, sizeof(struct value));
}

/* Divisors come in pairs d, n / d: the small ones are tried up to the root. A
 * division costs about two steps, so n from 2^38 on is over the budget. */
static struct value call_divisors(struct evaluation *x, struct value a,
                                  struct value b)
{
    uint32_t small[EXPRESSION_LIST_MAX / 2];
    int64_t n = a.u.integer;
    uint64_t root = n > 0 ? (uint64_t)sqrt((double)n) + 1 : 0;
    size_t half = 0, count;
    struct value *items;

    (void)b;
    if (n < 1 || !evaluation_charge(x, 2 * (root - 1)))
        return value_undefined();
    for (uint64_t d = 1; d <= root && d * d <= (uint64_t)n; d++) {
        if ((uint64_t)n % d != 0)
            continue;
        if (half == ARRAY_LEN(small))
            return value_undefined();
        small[half++] = (uint32_t)d;
    }
    count = 2 * half - ((int64_t)small[half - 1] * small[half - 1] == n);
    items = new_items(x, count);
    if (items == NULL)
        return value_undefined();
    for (size_t i = 0; i < half; i++) {
        items[i] = value_int(small[i]);
        items[count - 1 - i] = value_int(n / small[i]);
    }
    return value_list(items, (uint32_t)count);
}

static struct value call_range(struct evaluation *x, struct value a,
                               struct value b)
{
    struct value *items = NULL;

    (void)b;
    if (a.u.integer >= 0)
        items = new_items(x, (size_t)a.u.integer);
    if (items == NULL)
        return value_undefined();
    for (int64_t i = 0; i < a.u.integer; i++)
        items[i] = value_int(i);
    return value_list(items, (uint32_t)a.u.integer);
}

static struct value call_keys(struct evaluation *x, struct value a,
                              struct value b)
{
    struct value *items = new_items(x, tree_count(a.u.tree));
    uint32_t n = 0;

    (void)b;
    if (items == NULL)
        return value_undefined();
    for (const struct tree *t = tree_first(a.u.tree); t != NULL; t = t->next)
        items[n++] = value_string(t->key);
    return value_list(items, n);
}

/* Characters of UTF-8 text. */
static int64_t count_characters(struct value string)
{
    int64_t n = 0;

    for (uint32_t i = 0; i < string.count; i++)
        n += (string.u.string[i] & 0xc0) != 0x80;
    return n;
}

static struct value call_size(struct evaluation *x, struct value a,
                              struct value b)
{
    (void)b;
    if (a.type == VALUE_STRING)
        return evaluation_charge(x, a.count) ? value_int(count_characters(a))
                                             : value_undefined();
    if (a.type == VALUE_MAP)
        return value_int((int64_t)tree_count(a.u.tree));
    return value_int(a.type == VALUE_LIST ? a.count : 1);
}

/* ---- strings ------------------------------------------------------------ */

/* A string of len bytes copied into the arena. */
static struct value new_string(struct evaluation *x, const char *text,
                               size_t len)
{
    char *copy = NULL;

    if (x->env->arena != NULL && evaluation_charge(x, len))
        copy = arena_strndup(x->env->arena, text, len);
    if (copy == NULL)
        return value_undefined();
    return (struct value){ .type = VALUE_STRING,
                           .count = (uint32_t)len,
                           .u.string = copy };
}

static struct value call_string(struct evaluation *x, struct value a,
                                struct value b)
{
    char text[40];

    (void)b;
    if (a.type == VALUE_STRING)
        return a;
    if (a.type == VALUE_BOOL)
        return value_string(a.u.boolean ? "true" : "false");
    if (a.type == VALUE_INT)
        snprintf(text, sizeof(text), "%" PRId64, a.u.integer);
    else
        snprintf(text, sizeof(text), "%.15g", a.u.number);
    return new_string(x, text, strlen(text));
}

static struct value call_lower(struct evaluation *x, struct value a,
                               struct value b)
{
    struct value copy = new_string(x, a.u.string, a.count);
    char *text = (char *)copy.u.string; /* ours: just made */

    (void)b;
    for (uint32_t i = 0; i < copy.count; i++)
        if (text[i] >= 'A' && text[i] <= 'Z')
            text[i] = (char)(text[i] - 'A' + 'a');
    return copy;
}

static struct value call_ends_with(struct evaluation *x, struct value a,
                                   struct value b)
{
    if (!evaluation_charge(x, b.count))
        return value_undefined();
    return value_bool(
        a.count >= b.count &&
        memcmp(a.u.string + (a.count - b.count), b.u.string, b.count) == 0);
}

static struct value call_starts_with(struct evaluation *x, struct value a,
                                     struct value b)
{
    if (!evaluation_charge(x, b.count))
        return value_undefined();
    return value_bool(a.count >= b.count &&
                      memcmp(a.u.string, b.u.string, b.count) == 0);
}

/* Fills items (NULL: counts only) with the parts of a between separators. */
static size_t split(struct evaluation *x, struct value a, struct value b,
                    struct value *items)
{
    const char *from = a.u.string, *end = from + a.count, *to;
    size_t n = 0;

    do {
        to = memmem(from, (size_t)(end - from), b.u.string, b.count);
        if (items != NULL)
            items[n] =
                new_string(x, from, (size_t)((to != NULL ? to : end) - from));
        n++;
        from = to != NULL ? to + b.count : end;
    } while (to != NULL);
    return n;
}

static struct value call_split(struct evaluation *x, struct value a,
                               struct value b)
{
    struct value *items = NULL;
    size_t n = 0;

    if (b.count > 0 && evaluation_charge(x, a.count)) {
        n = split(x, a, b, NULL);
        items = new_items(x, n);
    }
    if (items == NULL)
        return value_undefined();
    split(x, a, b, items);
    if (items[n - 1].state != VALUE_KNOWN) /* the arena is full */
        return value_undefined();
    return value_list(items, (uint32_t)n);
}

/* What a value is, in the words of option types. */
static struct value call_type(struct evaluation *x, struct value a,
                              struct value b)
{
    (void)x, (void)b;
    switch ((enum value_type)a.type) {
    case VALUE_INT:
        return value_string("int");
    case VALUE_DOUBLE:
        return value_string("number");
    case VALUE_BOOL:
        return value_string("bool");
    case VALUE_STRING:
        return value_string("string");
    case VALUE_LIST:
        return value_string("list");
    case VALUE_MAP:
        return value_string("map");
    case VALUE_OBJECT:
    case VALUE_NUMBER:
    case VALUE_ANY:
        break;
    }
    return value_undefined();
}

/* The items of a list as one string, with a separator between them. */
static struct value call_join(struct evaluation *x, struct value a,
                              struct value b)
{
    unsigned text_types = VALUE_NUMBER | VALUE_BOOL | VALUE_STRING;
    struct value joined = value_string("");
    struct text text = { 0 };
    const struct value *items;
    uint32_t count;

    if (!value_items(&a, &items, &count))
        return value_undefined();
    for (uint32_t i = 0; i < count && joined.state == VALUE_KNOWN; i++) {
        joined = items[i];
        if ((items[i].type & text_types) != 0)
            joined = call_string(x, items[i], items[i]);
        else if (items[i].state == VALUE_KNOWN)
            joined = value_undefined();
        if (i > 0)
            text_put_bytes(&text, b.u.string, b.count);
        if (joined.state == VALUE_KNOWN)
            text_put_bytes(&text, joined.u.string, joined.count);
        if (text.failed || !evaluation_charge(x, text.len / 16))
            joined = value_undefined();
    }
    if (joined.state == VALUE_KNOWN)
        joined = new_string(x, text_string(&text), text.len);
    text_close(&text);
    return joined;
}

/* ---- the table ---------------------------------------------------------- */

/* clang-format off */
static const struct function functions[] = {
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
    { "divisors", 1, 1, VALUE_INT, 0, "an integer",
      VALUE_LIST, VALUE_INT, .call = call_divisors },
    { "range", 1, 1, VALUE_INT, 0, "an integer",
      VALUE_LIST, VALUE_INT, .call = call_range },
    { "keys", 1, 1, VALUE_MAP, 0, "a map",
      VALUE_LIST, VALUE_STRING, .call = call_keys },
    { "size", 1, 1, VALUE_LIST | VALUE_MAP | VALUE_STRING, 0,
      "a list, a map or a string",
      VALUE_INT, .call = call_size },
    { "string", 1, 1, VALUE_NUMBER | VALUE_BOOL | VALUE_STRING, 0,
      "a number, a boolean or a string",
      VALUE_STRING, .call = call_string },
    { "split", 2, 2, VALUE_STRING, VALUE_STRING, "strings",
      VALUE_LIST, VALUE_STRING, .call = call_split },
    { "join", 2, 2, VALUE_LIST, VALUE_STRING, "a list and a string",
      VALUE_STRING, .call = call_join },
    { "type", 1, 1, VALUE_ANY & ~VALUE_OBJECT, 0, "a value of a document",
      VALUE_STRING, .call = call_type },
    { "lower", 1, 1, VALUE_STRING, 0, "a string",
      VALUE_STRING, .call = call_lower },
    { "endsWith", 2, 2, VALUE_STRING, VALUE_STRING, "strings",
      VALUE_BOOL, .call = call_ends_with },
    { "startsWith", 2, 2, VALUE_STRING, VALUE_STRING, "strings",
      VALUE_BOOL, .call = call_starts_with },
};
/* clang-format on */

int function_find(const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(functions); i++)
        if (strcmp(functions[i].name, name) == 0)
            return (int)i;
    return -1;
}

const struct function *function_at(int number)
{
    return &functions[number];
}

size_t function_names(const char **ret, size_t max)
{
    size_t n = ARRAY_LEN(functions) < max ? ARRAY_LEN(functions) : max;

    for (size_t i = 0; i < n; i++)
        ret[i] = functions[i].name;
    return n;
}
