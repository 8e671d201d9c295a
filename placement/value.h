/* SPDX-License-Identifier: Apache-2.0 */
/* What an expression computes: a value that may be unknown or undefined. */
#ifndef SERRIED_PLACEMENT_VALUE_H
#define SERRIED_PLACEMENT_VALUE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "base/tree.h"

enum value_state {
    VALUE_KNOWN,
    VALUE_UNKNOWN,     /* a fact that nobody declared */
    VALUE_UNDEFINED,   /* inexact or impossible arithmetic */
    VALUE_PENDING = 4, /* of a slot: computed when it is first read */
};

/* One bit each, so that "one of these" is a mask. */
enum value_type {
    VALUE_INT = 1,
    VALUE_DOUBLE = 2,
    VALUE_BOOL = 4,
    VALUE_STRING = 8,
    VALUE_LIST = 16,
    VALUE_OBJECT = 32, /* an item of the request or the model: kind says which
                        */
    VALUE_MAP = 64,    /* a free-form map of a document */
    VALUE_NUMBER = VALUE_INT | VALUE_DOUBLE,
    VALUE_ANY = 127,
};

/* 16 bytes, passed by value. Strings, lists and trees are borrowed: they live
 * in the arena of the check or in what is checked. */
struct value {
    uint8_t state;  /* enum value_state; when not known the rest is 0 */
    uint8_t type;   /* enum value_type, one bit */
    uint16_t kind;  /* VALUE_OBJECT: what it is, a number of the environment */
    uint32_t count; /* VALUE_LIST: items; VALUE_STRING: bytes */
    union {
        int64_t integer;
        double number;
        bool boolean;
        const char *string; /* ended by a NUL */
        const struct value *items;
        const struct tree *tree; /* VALUE_MAP */
        const void *object;
    } u;
};

static inline struct value value_int(int64_t integer)
{
    return (struct value){ .type = VALUE_INT, .u.integer = integer };
}

static inline struct value value_double(double number)
{
    return (struct value){ .type = VALUE_DOUBLE, .u.number = number };
}

static inline struct value value_bool(bool boolean)
{
    return (struct value){ .type = VALUE_BOOL, .u.boolean = boolean };
}

static inline struct value value_unknown(void)
{
    return (struct value){ .state = VALUE_UNKNOWN };
}

/* Unknown, and in a partial evaluation, where what is unknown stands for any
 * value, known to be so. */
static inline struct value value_absent(void)
{
    return (struct value){ .state = VALUE_UNKNOWN, .kind = 1 };
}

static inline bool value_is_absent(struct value v)
{
    return v.state == VALUE_UNKNOWN && v.kind == 1;
}

static inline struct value value_undefined(void)
{
    return (struct value){ .state = VALUE_UNDEFINED };
}

struct value value_string(const char *string); /* borrowed */

static inline struct value value_list(const struct value *items, uint32_t count)
{
    return (
        struct value){ .type = VALUE_LIST, .count = count, .u.items = items };
}

static inline struct value value_object(uint16_t kind, const void *object)
{
    return (
        struct value){ .type = VALUE_OBJECT, .kind = kind, .u.object = object };
}

static inline bool value_is_true(struct value v)
{
    return v.state == VALUE_KNOWN && v.type == VALUE_BOOL && v.u.boolean;
}

/* Whether the value is a known integer; then *ret is it. */
static inline bool value_to_int(struct value v, int64_t *ret)
{
    if (v.state != VALUE_KNOWN || v.type != VALUE_INT)
        return false;
    *ret = v.u.integer;
    return true;
}

/* The value that a scalar or map of a document stands for. NULL and TREE_NULL
 * are unknown, infinity and NaN undefined; a list is copied into arena
 * (undefined when that is full or NULL). */
struct value value_of_tree(const struct tree *tree, struct arena *arena);

/* Known values of one type with the same content; int and double compare as
 * numbers. Objects are equal when they are the same object; maps when they hold
 * equal values under the same keys in the same order. */
bool value_equal(struct value a, struct value b);

/* The same of trees, whose nulls are equal, too. */
bool trees_equal(const struct tree *a, const struct tree *b);

/* Order of two known numbers, or of two strings by their bytes: below, equal to
 * or above 0. int and double compare exactly. */
int value_order(struct value a, struct value b);

/* Writes it as a reader expects it: 4, 2.5, true, neuron, [4, 8], ["a"],
 * unknown. Long lists are cut after eight items. */
void value_print(struct value v, struct text *out);

/* "integer", "number", "integer or list", "integer, string or list": names of a
 * mask of types. */
void value_types_print(unsigned types, struct text *out);

#endif
