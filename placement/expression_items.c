/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of expressions that make or measure lists. */
#include "placement/expression_node.h"

#include <math.h>

/* Up to the root: no number below 2^40 has more than 6,720 divisors. */
enum { DIVISORS_SMALL_MAX = 3360 };

/* Divisors come in pairs d, n / d: the small ones are tried up to the root. A
 * division costs about two steps, so n from 2^40 on is over the budget. */
static struct value call_divisors(struct evaluation *x, struct value a,
                                  struct value b)
{
    uint32_t small[DIVISORS_SMALL_MAX];
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
    items = evaluation_charged_items(x, count);
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
        items = evaluation_charged_items(x, (size_t)a.u.integer);
    if (items == NULL)
        return value_undefined();
    for (int64_t i = 0; i < a.u.integer; i++)
        items[i] = value_int(i);
    return value_list(items, (uint32_t)a.u.integer);
}

static struct value call_keys(struct evaluation *x, struct value a,
                              struct value b)
{
    struct value *items = evaluation_charged_items(x, tree_count(a.u.tree));
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

/* clang-format off */
static const struct function rows[] = {
    { "divisors", 1, 1, VALUE_INT, 0, "an integer",
      VALUE_LIST, VALUE_INT, .call = call_divisors },
    { "range", 1, 1, VALUE_INT, 0, "an integer",
      VALUE_LIST, VALUE_INT, .call = call_range },
    { "keys", 1, 1, VALUE_MAP, 0, "a map",
      VALUE_LIST, VALUE_STRING, .call = call_keys },
    { "size", 1, 1, VALUE_LIST | VALUE_MAP | VALUE_STRING, 0,
      "a list, a map or a string",
      VALUE_INT, .call = call_size },
};
/* clang-format on */
_Static_assert(ARRAY_LEN(rows) <= FUNCTION_SET_MAX,
               "a set of functions is numbered from 0 to its bound");

const struct function_set list_functions = { rows, ARRAY_LEN(rows) };
