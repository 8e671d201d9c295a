/* SPDX-License-Identifier: Apache-2.0 */
/* The neutral form of a document: what was read, and where it stood. */
#include "base/tree.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const struct tree *tree_get(const struct tree *map, const char *key)
{
    if (map == NULL || map->type != TREE_MAP)
        return NULL;
    for (const struct tree *t = map->u.children.first; t != NULL; t = t->next)
        if (strcmp(t->key, key) == 0)
            return t->type == TREE_NULL ? NULL : t;
    return NULL;
}

const char *tree_string(const struct tree *tree)
{
    return tree != NULL && tree->text != NULL ? tree->text : "";
}

const char *tree_text(const struct tree *map, const char *key)
{
    return tree_string(tree_get(map, key));
}

int64_t tree_int(const struct tree *map, const char *key, int64_t otherwise)
{
    const struct tree *child = tree_get(map, key);

    return child != NULL && child->type == TREE_INT ? child->u.integer
                                                    : otherwise;
}

bool tree_true(const struct tree *map, const char *key)
{
    const struct tree *child = tree_get(map, key);

    return child != NULL && child->type == TREE_BOOL && child->u.boolean;
}

static bool has_children(const struct tree *tree)
{
    return tree != NULL && (tree->type == TREE_LIST || tree->type == TREE_MAP);
}

const struct tree *tree_first(const struct tree *tree)
{
    return has_children(tree) ? tree->u.children.first : NULL;
}

const struct tree *tree_entries(const struct tree *tree)
{
    return tree != NULL && tree->type == TREE_MAP ? tree_first(tree) : NULL;
}

size_t tree_count(const struct tree *tree)
{
    return has_children(tree) ? tree->u.children.count : 0;
}

const char *tree_type_name(enum tree_type type)
{
    static const char *const names[] = {
        [TREE_NULL] = "nothing",    [TREE_BOOL] = "true or false",
        [TREE_INT] = "an integer",  [TREE_DOUBLE] = "a number",
        [TREE_STRING] = "a string", [TREE_LIST] = "a list",
        [TREE_MAP] = "a map",
    };

    return names[type];
}

/* Position of a child in its list. */
static size_t index_of(const struct tree *child)
{
    size_t i = 0;

    for (const struct tree *t = child->parent->u.children.first; t != child;
         t = t->next)
        i++;
    return i;
}

void tree_path(const struct tree *tree, struct text *out)
{
    const struct tree *parent = tree->parent;

    if (parent == NULL)
        return;
    tree_path(parent, out);
    if (parent->type == TREE_LIST)
        text_printf(out, "[%zu]", index_of(tree));
    else if (parent->parent == NULL)
        text_put(out, tree->key);
    else
        text_printf(out, ".%s", tree->key);
}

/* "FILE: line L, column C: PATH: " as far as known. */
static void put_place(const struct tree *at, uint32_t line, uint32_t column,
                      struct text *out)
{
    size_t start;

    if (at->source != NULL)
        text_printf(out, "%s: ", at->source);
    if (line != 0)
        text_printf(out, "line %" PRIu32 ", column %" PRIu32 ": ", line,
                    column);
    start = out->len;
    tree_path(at, out);
    if (out->len > start)
        text_put(out, ": ");
}

__attribute__((format(printf, 6, 0))) static int
error_at(const struct tree *at, uint32_t line, uint32_t column,
         struct error *err, enum status status, const char *fmt, va_list args)
{
    struct text place = { 0 };
    char what[sizeof(err->text)];

    vsnprintf(what, sizeof(what), fmt, args);
    put_place(at, line, column, &place);
    error_set(err, status, "%s%s", text_string(&place), what);
    text_close(&place);
    return -1;
}

int tree_error(const struct tree *at, struct error *err, enum status status,
               const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    error_at(at, at->line, at->column, err, status, fmt, args);
    va_end(args);
    return -1;
}

int tree_error_key(const struct tree *at, struct error *err, enum status status,
                   const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    error_at(at, at->key_line, at->key_column, err, status, fmt, args);
    va_end(args);
    return -1;
}

int tree_error_at(const struct tree *at, uint32_t line, uint32_t column,
                  struct error *err, enum status status, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    error_at(at, line, column, err, status, fmt, args);
    va_end(args);
    return -1;
}

void tree_adopt(struct tree *parent, struct tree *child)
{
    child->next = NULL;
    child->parent = parent;
    child->source = parent->source;
    if (parent->u.children.last == NULL)
        parent->u.children.first = child;
    else
        parent->u.children.last->next = child;
    parent->u.children.last = child;
    parent->u.children.count++;
}

struct tree *tree_new(struct arena *arena, struct tree *parent, const char *key,
                      enum tree_type type)
{
    struct tree *tree = arena_alloc(arena, sizeof(*tree));

    if (tree == NULL)
        return NULL;
    tree->type = type;
    if (key != NULL) {
        tree->key = arena_strdup(arena, key);
        if (tree->key == NULL)
            return NULL;
    }
    if (parent != NULL)
        tree_adopt(parent, tree);
    return tree;
}

/* Sets the characters written of a scalar. */
static struct tree *with_text(struct arena *arena, struct tree *tree,
                              const char *text)
{
    if (tree == NULL)
        return NULL;
    tree->text = arena_strdup(arena, text);
    if (tree->text == NULL)
        return NULL;
    tree->len = strlen(text);
    return tree;
}

struct tree *tree_new_string(struct arena *arena, struct tree *parent,
                             const char *key, const char *text)
{
    return with_text(arena, tree_new(arena, parent, key, TREE_STRING), text);
}

struct tree *tree_new_int(struct arena *arena, struct tree *parent,
                          const char *key, int64_t integer)
{
    struct tree *tree = tree_new(arena, parent, key, TREE_INT);

    if (tree != NULL)
        tree->u.integer = integer;
    return tree;
}

/* What a maker hands on: the child, or its spare node after a failure. */
static struct tree *made(struct tree_maker *maker, struct tree *tree)
{
    if (tree != NULL)
        return tree;
    maker->failed = true;
    maker->spare = (struct tree){ .type = TREE_MAP };
    return &maker->spare;
}

struct tree *make_map(struct tree_maker *maker, struct tree *parent,
                      const char *key)
{
    if (maker->failed)
        return made(maker, NULL);
    return made(maker, tree_new(maker->arena, parent, key, TREE_MAP));
}

struct tree *make_list(struct tree_maker *maker, struct tree *parent,
                       const char *key)
{
    if (maker->failed)
        return made(maker, NULL);
    return made(maker, tree_new(maker->arena, parent, key, TREE_LIST));
}

void make_string(struct tree_maker *maker, struct tree *parent, const char *key,
                 const char *text)
{
    if (!maker->failed)
        made(maker, tree_new_string(maker->arena, parent, key, text));
}

void make_int(struct tree_maker *maker, struct tree *parent, const char *key,
              int64_t integer)
{
    if (!maker->failed)
        made(maker, tree_new_int(maker->arena, parent, key, integer));
}

void make_bool(struct tree_maker *maker, struct tree *parent, const char *key,
               bool boolean)
{
    struct tree *tree;

    if (maker->failed)
        return;
    tree = tree_new(maker->arena, parent, key, TREE_BOOL);
    tree = with_text(maker->arena, tree, boolean ? "true" : "false");
    made(maker, tree)->u.boolean = boolean;
}

void make_double(struct tree_maker *maker, struct tree *parent, const char *key,
                 double number)
{
    char digits[32];
    struct tree *tree;

    if (maker->failed)
        return;
    snprintf(digits, sizeof(digits), "%.17g", number);
    tree = tree_new(maker->arena, parent, key, TREE_DOUBLE);
    made(maker, with_text(maker->arena, tree, digits))->u.number = number;
}

void make_copy(struct tree_maker *maker, struct tree *parent, const char *key,
               const struct tree *tree)
{
    struct tree *copy;

    if (maker->failed)
        return;
    copy = made(maker, tree_new(maker->arena, parent, key, tree->type));
    if (has_children(tree)) {
        for (const struct tree *t = tree_first(tree); t != NULL; t = t->next)
            make_copy(maker, copy, t->key, t);
        return;
    }
    copy->u = tree->u;
    copy->text =
        arena_strndup(maker->arena, tree->text ? tree->text : "", tree->len);
    copy->len = tree->len;
    if (copy->text == NULL)
        made(maker, NULL);
}
