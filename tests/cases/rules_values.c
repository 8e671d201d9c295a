/* SPDX-License-Identifier: Apache-2.0 */
/* A runtime with one of its written values changed, for each of them: a value
 * that an option takes, what it is when it is not given, a cell of a table. */
#include "tests/cases/rules.h"

#include <string.h>

enum {
    VALUES_BYTES_MAX = 512 << 20,
};

/* A declaration of its own to be changed and loaded again. */
struct work {
    struct arena *arena;
    struct tree *document;
    bool loads; /* every mutant, so far */
    mutant_fn *fn;
    void *arg;
};

/* Hands out the runtime as the document is now. */
static void emit_value(struct work *w, const char *what, const struct tree *at,
                       const char *value, const char *about)
{
    struct arena_mark mark = arena_mark(w->arena);
    struct mutant mutant = {
        .what = what, .code = value, .about = about, .at = at, .fault = -1
    };

    mutant.never = runtime_load(w->arena, w->document, NULL);
    w->loads &= mutant.never != NULL;
    w->fn(w->arg, &mutant);
    arena_rewind(w->arena, mark);
}

/* ---- options ------------------------------------------------------------- */

/* Takes each value but the default out of one_of, and puts it back. */
static void emit_allowed(struct work *w, struct tree *option)
{
    const struct tree *literal = tree_get(option, "default");
    struct tree *list = (struct tree *)tree_get(option, "one_of");
    struct tree *before = NULL;

    for (struct tree *t = (struct tree *)tree_first(list); t != NULL;
         before = t, t = t->next) {
        struct tree kept = *list;

        if (literal != NULL && strcmp(literal->text, t->text) == 0)
            continue;
        *(before != NULL ? &before->next : &list->u.children.first) = t->next;
        list->u.children.count--;
        emit_value(w, "value", t, t->text, option->key);
        *list = kept;
        if (before != NULL)
            before->next = t;
    }
}

/* Another value of the same type, the last that is allowed, or a number that
 * divides differently; false: there is none to think of. */
static bool change(struct tree *scalar, const struct tree *one_of)
{
    const struct tree *other = NULL;

    switch (scalar->type) {
    case TREE_BOOL:
        scalar->u.boolean = !scalar->u.boolean;
        scalar->text = scalar->u.boolean ? "true" : "false";
        scalar->len = strlen(scalar->text);
        return true;
    case TREE_INT:
        scalar->u.integer =
            scalar->u.integer == -1 ? 0 : 2 * scalar->u.integer + 1;
        scalar->text = NULL;
        return true;
    case TREE_STRING:
        for (const struct tree *t = tree_first(one_of); t != NULL; t = t->next)
            if (strcmp(t->text, scalar->text) != 0)
                other = t;
        if (other == NULL)
            return false;
        scalar->text = other->text;
        scalar->len = other->len;
        return true;
    case TREE_NULL:
    case TREE_DOUBLE:
    case TREE_LIST:
    case TREE_MAP:
        return false;
    }
    return false;
}

static void emit_changed(struct work *w, const char *what, struct tree *scalar,
                         const struct tree *one_of, const char *about)
{
    struct tree kept = *scalar;

    if (change(scalar, one_of))
        emit_value(w, what, scalar, kept.text, about);
    *scalar = kept;
}

static void emit_options(struct work *w)
{
    for (const struct tree *t = tree_first(tree_get(w->document, "options"));
         t != NULL; t = t->next) {
        struct tree *literal = (struct tree *)tree_get(t, "default");

        emit_allowed(w, (struct tree *)t);
        if (literal != NULL)
            emit_changed(w, "default", literal, tree_get(t, "one_of"), t->key);
    }
}

/* ---- tables -------------------------------------------------------------- */

static void emit_tables(struct work *w)
{
    for (const struct tree *table = tree_first(tree_get(w->document, "tables"));
         table != NULL; table = table->next)
        for (const struct tree *row = tree_first(table); row != NULL;
             row = row->next)
            for (const struct tree *cell = tree_first(row); cell != NULL;
                 cell = cell->next)
                emit_changed(w, "cell", (struct tree *)cell, NULL,
                             arena_printf(w->arena, "%s[%s].%s", table->key,
                                          row->key, cell->key));
}

bool values_each(struct catalog *catalog, const struct runtime *rt,
                 mutant_fn *fn, void *arg)
{
    struct work w = { .arena = arena_new(VALUES_BYTES_MAX),
                      .loads = true,
                      .fn = fn,
                      .arg = arg };

    if (w.arena != NULL)
        w.document = read_shipped(catalog, rt->name, w.arena);
    if (w.document != NULL) {
        emit_options(&w);
        emit_tables(&w);
    }
    arena_free(w.arena);
    return w.document != NULL && w.loads;
}
