/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of expressions on strings, and what makes strings of values. */
#include "placement/expression_node.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

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
        items = evaluation_charged_items(x, n);
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

/* clang-format off */
static const struct function rows[] = {
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
_Static_assert(ARRAY_LEN(rows) <= FUNCTION_SET_MAX,
               "a set of functions is numbered from 0 to its bound");

const struct function_set string_functions = { rows, ARRAY_LEN(rows) };
