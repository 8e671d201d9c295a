/* SPDX-License-Identifier: Apache-2.0 */
/* What an expression computes: a value that may be unknown or undefined. */
#include "placement/value.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum {
    PRINT_ITEMS_MAX = 8,
    PRINT_DEPTH_MAX = 3, /* lists within lists: at most 8^3 items are written */
};

static void print_tree(const struct tree *tree, int depth, struct text *out);

struct value value_string(const char *string)
{
    return (struct value){ .type = VALUE_STRING,
                           .count = (uint32_t)strlen(string),
                           .u.string = string };
}

static struct value list_of_tree(const struct tree *tree, struct arena *arena)
{
    size_t count = tree_count(tree), i = 0;
    struct value *items;

    if (arena == NULL || count > UINT32_MAX)
        return value_undefined();
    items = arena_array(arena, count, sizeof(*items));
    if (items == NULL)
        return value_undefined();
    for (const struct tree *t = tree_first(tree); t != NULL; t = t->next)
        items[i++] = value_of_tree(t, arena);
    return value_list(items, (uint32_t)count);
}

struct value value_of_tree(const struct tree *tree, struct arena *arena)
{
    if (tree == NULL)
        return value_unknown();
    switch (tree->type) {
    case TREE_NULL:
        return value_unknown();
    case TREE_BOOL:
        return value_bool(tree->u.boolean);
    case TREE_INT:
        return value_int(tree->u.integer);
    case TREE_DOUBLE:
        /* No infinity and no NaN comes in, so none is computed with. */
        return isfinite(tree->u.number) ? value_double(tree->u.number)
                                        : value_undefined();
    case TREE_STRING:
        return (struct value){ .type = VALUE_STRING,
                               .count = (uint32_t)tree->len,
                               .u.string = tree->text };
    case TREE_LIST:
        return list_of_tree(tree, arena);
    case TREE_MAP:
        return (struct value){ .type = VALUE_MAP, .u.tree = tree };
    }
    return value_undefined();
}

/* Order of an integer and a number, exact also beyond 2^53. */
static int order_mixed(int64_t a, double b)
{
    int64_t whole;

    if (b >= 0x1p63)
        return -1;
    if (b < -0x1p63)
        return 1;
    whole = (int64_t)b;
    if (a != whole)
        return a < whole ? -1 : 1;
    return ((double)whole > b) - ((double)whole < b);
}

static int order_strings(struct value a, struct value b)
{
    uint32_t len = a.count < b.count ? a.count : b.count;
    int order = memcmp(a.u.string, b.u.string, len);

    return order != 0 ? order : (a.count > b.count) - (a.count < b.count);
}

int value_order(struct value a, struct value b)
{
    if (a.type == VALUE_STRING)
        return order_strings(a, b);
    if (a.type == VALUE_INT && b.type == VALUE_INT)
        return (a.u.integer > b.u.integer) - (a.u.integer < b.u.integer);
    if (a.type == VALUE_INT)
        return order_mixed(a.u.integer, b.u.number);
    if (b.type == VALUE_INT)
        return -order_mixed(b.u.integer, a.u.number);
    return (a.u.number > b.u.number) - (a.u.number < b.u.number);
}

bool trees_equal(const struct tree *a, const struct tree *b)
{
    const struct tree *x = tree_first(a), *y = tree_first(b);

    if (a == b || (a->type == TREE_NULL && b->type == TREE_NULL))
        return true;
    if (a->type != TREE_LIST && a->type != TREE_MAP)
        return value_equal(value_of_tree(a, NULL), value_of_tree(b, NULL));
    if (a->type != b->type || tree_count(a) != tree_count(b))
        return false;
    for (; x != NULL && y != NULL; x = x->next, y = y->next)
        if ((a->type == TREE_MAP && strcmp(x->key, y->key) != 0) ||
            !trees_equal(x, y))
            return false;
    return true;
}

static bool lists_equal_items(struct value a, struct value b)
{
    if (a.count != b.count)
        return false;
    for (uint32_t i = 0; i < a.count; i++)
        if (!value_equal(a.u.items[i], b.u.items[i]))
            return false;
    return true;
}

bool value_equal(struct value a, struct value b)
{
    if (a.state != VALUE_KNOWN || b.state != VALUE_KNOWN)
        return false;
    if ((a.type & VALUE_NUMBER) && (b.type & VALUE_NUMBER))
        return value_order(a, b) == 0;
    if (a.type != b.type)
        return false;
    switch ((enum value_type)a.type) {
    case VALUE_BOOL:
        return a.u.boolean == b.u.boolean;
    case VALUE_STRING:
        return order_strings(a, b) == 0;
    case VALUE_LIST:
        return lists_equal_items(a, b);
    case VALUE_OBJECT:
        return a.kind == b.kind && a.u.object == b.u.object;
    case VALUE_MAP:
        return trees_equal(a.u.tree, b.u.tree);
    case VALUE_INT:
    case VALUE_DOUBLE:
    case VALUE_NUMBER:
    case VALUE_ANY:
        break;
    }
    return false;
}

static void print_value(struct value v, int depth, struct text *out)
{
    if (v.state != VALUE_KNOWN) {
        text_put(out, v.state == VALUE_UNKNOWN ? "unknown" : "undefined");
        return;
    }
    switch ((enum value_type)v.type) {
    case VALUE_INT:
        text_printf(out, "%" PRId64, v.u.integer);
        return;
    case VALUE_DOUBLE:
        text_printf(out, "%.15g", v.u.number);
        return;
    case VALUE_BOOL:
        text_put(out, v.u.boolean ? "true" : "false");
        return;
    case VALUE_STRING:
        text_put(out, depth > 0 ? "\"" : "");
        text_put_bytes(out, v.u.string, v.count);
        text_put(out, depth > 0 ? "\"" : "");
        return;
    case VALUE_MAP:
        print_tree(v.u.tree, depth, out);
        return;
    case VALUE_LIST:
        break;
    case VALUE_OBJECT:
    case VALUE_NUMBER:
    case VALUE_ANY:
        text_put(out, "an item");
        return;
    }
    text_put(out, depth < PRINT_DEPTH_MAX || v.count == 0 ? "[" : "[...");
    for (uint32_t i = 0; depth < PRINT_DEPTH_MAX && i < v.count; i++) {
        text_put(out, i > 0 ? ", " : "");
        if (i == PRINT_ITEMS_MAX) {
            text_put(out, "...");
            break;
        }
        print_value(v.u.items[i], depth + 1, out);
    }
    text_put(out, "]");
}

static void print_tree(const struct tree *tree, int depth, struct text *out)
{
    bool map = tree->type == TREE_MAP;
    int n = 0;

    if (!map && tree->type != TREE_LIST) {
        print_value(value_of_tree(tree, NULL), depth, out);
        return;
    }
    text_put(out, map ? "{" : "[");
    for (const struct tree *t = tree_first(tree); t != NULL; t = t->next) {
        text_put(out, n > 0 ? ", " : "");
        if (n++ == PRINT_ITEMS_MAX || depth >= PRINT_DEPTH_MAX) {
            text_put(out, "...");
            break;
        }
        if (map)
            text_printf(out, "%s: ", t->key);
        print_tree(t, depth + 1, out);
    }
    text_put(out, map ? "}" : "]");
}

void value_print(struct value v, struct text *out)
{
    print_value(v, 0, out);
}

void value_types_print(unsigned types, struct text *out)
{
    static const struct {
        unsigned mask;
        const char *name;
    } rows[] = {
        { VALUE_NUMBER, "number" },  { VALUE_INT, "integer" },
        { VALUE_DOUBLE, "decimal" }, { VALUE_BOOL, "boolean" },
        { VALUE_STRING, "string" },  { VALUE_LIST, "list" },
        { VALUE_MAP, "map" },        { VALUE_OBJECT, "item" },
    };
    const char *before = "";

    if ((types & VALUE_ANY) == VALUE_ANY) {
        text_put(out, "value of any type");
        return;
    }
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        if ((types & rows[i].mask) != rows[i].mask)
            continue;
        types &= ~rows[i].mask;
        text_printf(out, "%s%s", before, rows[i].name);
        /* The last one is joined by a word. */
        before = (types & (types - 1) & VALUE_ANY) != 0 &&
                         (types & VALUE_NUMBER) != types
                     ? ", "
                     : " or ";
    }
}
