/* SPDX-License-Identifier: Apache-2.0 */
/* What differs between the views and lists of two verdicts. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "client/differences.h"

static const char *name_of(const struct tree *axis)
{
    return tree_text(axis, "axis");
}

static const char *view_name(const struct tree *view)
{
    return tree_text(view, "name");
}

static int64_t size_of(const struct tree *axis)
{
    return tree_int(axis, "size", 1);
}

/* The axes of a view by its name; NULL: there is none. */
static const struct tree *axes_of(const struct tree *views, const char *name)
{
    const struct tree *v = tree_first(views);

    while (v != NULL && strcmp(view_name(v), name) != 0)
        v = v->next;
    return tree_get(v, "axes");
}

/* ---- the axes of a view -------------------------------------------------- */

static void put_order(const struct tree *axes, struct text *out)
{
    const char *joint = "";

    for (const struct tree *a = tree_first(axes); a != NULL; a = a->next)
        if (size_of(a) > 1) {
            text_printf(out, "%s%s", joint, name_of(a));
            joint = "-";
        }
}

/* The size of an axis in a view; 1: it is not there. */
static int64_t size_in(const struct tree *axes, const char *name)
{
    for (const struct tree *a = tree_first(axes); a != NULL; a = a->next)
        if (strcmp(name_of(a), name) == 0)
            return size_of(a);
    return 1;
}

/* Of the axes that are above 1 here or in the other. */
static void put_sizes(const struct tree *axes, const struct tree *other,
                      struct text *out)
{
    const char *joint = "";

    for (const struct tree *a = tree_first(axes); a != NULL; a = a->next)
        if (size_of(a) > 1 || size_in(other, name_of(a)) > 1) {
            text_printf(out, "%s%s %" PRId64, joint, name_of(a), size_of(a));
            joint = ", ";
        }
}

/* Whether every axis above 1 of one is in the other, as long. */
static bool covers(const struct tree *axes, const struct tree *other)
{
    for (const struct tree *a = tree_first(axes); a != NULL; a = a->next)
        if (size_of(a) > 1 && size_of(a) != size_in(other, name_of(a)))
            return false;
    return true;
}

static bool same_sizes(const struct tree *before, const struct tree *after)
{
    return covers(before, after) && covers(after, before);
}

/* ---- ranks that hold other shards ---------------------------------------- */

/* Moves *at to the next rank; a coordinate that is not there is 0. */
static int64_t next_value(const struct tree **at)
{
    const struct tree *value = *at;

    if (value == NULL)
        return 0;
    *at = value->next;
    return value->type == TREE_INT ? value->u.integer : 0;
}

/* Marks the ranks that differ in one coordinate. */
static void mark(const struct tree *before, const struct tree *after,
                 bool *marks, size_t n)
{
    const struct tree *a = tree_first(before), *b = tree_first(after);

    for (size_t i = 0; i < n; i++)
        if (next_value(&a) != next_value(&b))
            marks[i] = true;
}

static size_t longest(const struct tree *per_rank)
{
    size_t n = 0;

    for (const struct tree *t = tree_first(per_rank); t != NULL; t = t->next)
        if (tree_count(t) > n)
            n = tree_count(t);
    return n;
}

/* Whether no size of one map is another one in the other. */
static bool has_sizes(const struct tree *sizes, const struct tree *other)
{
    for (const struct tree *t = tree_entries(sizes); t != NULL; t = t->next)
        if (tree_int(sizes, t->key, 1) != tree_int(other, t->key, 1))
            return false;
    return true;
}

bool differences_same_sizes(const struct tree *before, const struct tree *after)
{
    return has_sizes(before, after) && has_sizes(after, before);
}

static bool same_group_sizes(const struct tree *before,
                             const struct tree *after)
{
    const struct tree *a = tree_first(before), *b = tree_first(after);

    for (; a != NULL && b != NULL; a = a->next, b = b->next)
        if (!differences_same_sizes(tree_get(a, "sizes"), tree_get(b, "sizes")))
            return false;
    return a == NULL && b == NULL;
}

/* Whether the sizes of all views and node groups are the same. */
static bool same_shape(const struct tree *before, const struct tree *after)
{
    const struct tree *views = tree_get(before, "views");
    const struct tree *new_views = tree_get(after, "views");

    for (const struct tree *v = tree_first(views); v != NULL; v = v->next)
        if (!same_sizes(tree_get(v, "axes"), axes_of(new_views, view_name(v))))
            return false;
    return tree_count(views) == tree_count(new_views) &&
           same_group_sizes(tree_get(before, "node_groups"),
                            tree_get(after, "node_groups"));
}

bool differences_count(struct differences *d, const struct tree *before,
                       const struct tree *after, size_t *ret_moved)
{
    const struct tree *a = tree_get(before, "per_rank");
    const struct tree *b = tree_get(after, "per_rank");
    size_t n = longest(a), moved = 0;
    bool *marks = arena_array(d->maker.arena, n + 1, sizeof(*marks));

    if (a == NULL || b == NULL || marks == NULL || longest(b) != n ||
        !same_shape(before, after))
        return false;
    for (const struct tree *t = tree_entries(a); t != NULL; t = t->next)
        mark(t, tree_get(b, t->key), marks, n);
    for (const struct tree *t = tree_entries(b); t != NULL; t = t->next)
        if (tree_get(a, t->key) == NULL)
            mark(NULL, t, marks, n);
    for (size_t i = 0; i < n; i++)
        moved += marks[i];
    snprintf(d->shards, sizeof(d->shards), "%zu of %zu ranks hold other shards",
             moved, n);
    make_int(&d->maker, d->top, "ranks_moved", (int64_t)moved);
    *ret_moved = moved;
    return true;
}

/* ---- views --------------------------------------------------------------- */

static void say(struct differences *d, const char *view, const char *what,
                struct text *from, struct text *to, const char *means)
{
    struct text path = { 0 };

    text_put(&path, view[0] != '\0' ? "views." : "");
    text_printf(&path, "%s%s%s", view, view[0] != '\0' ? "." : "", what);
    differences_say(d, text_string(&path), text_string(from), text_string(to),
                    means);
    text_close(&path);
}

static void compare_view(struct differences *d, const char *name,
                         const struct tree *before, const struct tree *after)
{
    bool same = same_sizes(before, after);
    struct text from = { 0 }, to = { 0 }, means = { 0 };

    if (same) {
        put_order(before, &from);
        put_order(after, &to);
        text_printf(&means, "outermost first: %s", d->shards);
    } else {
        put_sizes(before, after, &from);
        put_sizes(after, before, &to);
        text_put(&means, "ranks hold other shards");
    }
    if (!same || strcmp(text_string(&from), text_string(&to)) != 0)
        say(d, name, same ? "order" : "sizes", &from, &to, text_string(&means));
    text_close(&from);
    text_close(&to);
    text_close(&means);
}

void differences_of_views(struct differences *d, const struct tree *before,
                          const struct tree *after)
{
    const struct tree *a = tree_get(before, "views");
    const struct tree *b = tree_get(after, "views");

    for (const struct tree *v = tree_first(a); v != NULL; v = v->next)
        compare_view(d, view_name(v), tree_get(v, "axes"),
                     axes_of(b, view_name(v)));
    for (const struct tree *v = tree_first(b); v != NULL; v = v->next)
        if (axes_of(a, view_name(v)) == NULL)
            compare_view(d, view_name(v), NULL, tree_get(v, "axes"));
}

/* ---- lists --------------------------------------------------------------- */

static bool same_groups(const struct tree *a, const struct tree *b)
{
    const struct tree *g = tree_first(a), *h = tree_first(b);

    for (; g != NULL && h != NULL; g = g->next, h = h->next) {
        const struct tree *x = tree_first(g), *y = tree_first(h);

        while (x != NULL && y != NULL && x->u.integer == y->u.integer) {
            x = x->next;
            y = y->next;
        }
        if (x != NULL || y != NULL)
            return false;
    }
    return g == NULL && h == NULL;
}

static void put_groups(const struct tree *list, struct text *out)
{
    size_t n = tree_count(list);

    if (list != NULL)
        text_printf(out, "%zu group%s", n, n == 1 ? "" : "s");
}

static void compare_list(struct differences *d, const char *name,
                         const struct tree *before, const struct tree *after)
{
    struct text path = { 0 }, from = { 0 }, to = { 0 };

    text_printf(&path, "lists.%s", name);
    put_groups(before, &from);
    put_groups(after, &to);
    differences_say(d, text_string(&path), text_string(&from), text_string(&to),
                    "ranks form other groups");
    text_close(&path);
    text_close(&from);
    text_close(&to);
}

void differences_of_lists(struct differences *d, const struct tree *before,
                          const struct tree *after)
{
    const struct tree *a = tree_get(before, "lists");
    const struct tree *b = tree_get(after, "lists");

    if (a == NULL || b == NULL)
        return;
    for (const struct tree *t = tree_entries(a); t != NULL; t = t->next)
        if (!same_groups(t, tree_get(b, t->key)))
            compare_list(d, t->key, t, tree_get(b, t->key));
    for (const struct tree *t = tree_entries(b); t != NULL; t = t->next)
        if (tree_get(a, t->key) == NULL && tree_first(t) != NULL)
            compare_list(d, t->key, NULL, t);
}
