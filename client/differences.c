/* SPDX-License-Identifier: Apache-2.0 */
/* What differs between a placement and its deployment placed anew. */
#include "client/differences.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "proto/document.h"

static const char other_shards[] = "ranks hold other shards";

/* ---- the list ------------------------------------------------------------ */

void differences_begin(struct differences *d, struct arena *arena,
                       const char *name,
                       const struct serry_generation *generation)
{
    *d = (struct differences){ .maker = { .arena = arena },
                               .name = name,
                               .placed = generation != NULL };
    snprintf(d->shards, sizeof(d->shards), "%s", other_shards);
    d->top = make_map(&d->maker, NULL, NULL);
    make_string(&d->maker, d->top, "name", name);
    make_bool(&d->maker, d->top, "placed", d->placed);
    if (generation != NULL) {
        d->generation = *generation;
        live_make_generation(&d->maker, d->top, "generation", generation);
    }
    d->list = make_list(&d->maker, d->top, "differences");
}

static struct tree *add(struct differences *d, const char *path)
{
    struct tree *map = make_map(&d->maker, d->list, NULL);

    make_string(&d->maker, map, "path", path);
    d->n++;
    return map;
}

void differences_say(struct differences *d, const char *path, const char *from,
                     const char *to, const char *say)
{
    struct tree *map = add(d, path);

    if (from[0] != '\0')
        make_string(&d->maker, map, "from", from);
    if (to[0] != '\0')
        make_string(&d->maker, map, "to", to);
    if (say != NULL)
        make_string(&d->maker, map, "say", say);
}

void differences_of_text(struct differences *d, const char *path,
                         const char *from, const char *to)
{
    if (strcmp(from, to) != 0)
        differences_say(d, path, from, to, NULL);
}

/* NULL: it is not there. */
static void add_trees(struct differences *d, const char *path,
                      const struct tree *from, const struct tree *to,
                      const char *say)
{
    struct tree *map = add(d, path);

    if (from != NULL)
        make_copy(&d->maker, map, "from", from);
    if (to != NULL)
        make_copy(&d->maker, map, "to", to);
    if (say != NULL)
        make_string(&d->maker, map, "say", say);
}

/* ---- trees --------------------------------------------------------------- */

static bool is_equal(const struct tree *a, const struct tree *b)
{
    struct text x = { 0 }, y = { 0 };
    bool equal;

    if (a == NULL || b == NULL)
        return a == b;
    equal = document_write_json(a, false, &x) == 0 &&
            document_write_json(b, false, &y) == 0 &&
            strcmp(text_string(&x), text_string(&y)) == 0;
    text_close(&x);
    text_close(&y);
    return equal;
}

static void compare_at(struct differences *d, struct text *path,
                       const struct tree *from, const struct tree *to,
                       const char *say);

static void cut_path(struct text *path, size_t len)
{
    path->len = len;
    if (path->data != NULL)
        path->data[len] = '\0';
}

static void compare_child(struct differences *d, struct text *path,
                          const char *key, const struct tree *from,
                          const struct tree *to, const char *say)
{
    size_t len = path->len;

    text_printf(path, "%s%s", len > 0 ? "." : "", key);
    compare_at(d, path, from, to, say);
    cut_path(path, len);
}

/* Maps by their keys, everything else as a whole. Documents are 64 deep at
 * most. */
static void compare_at(struct differences *d, struct text *path,
                       const struct tree *from, const struct tree *to,
                       const char *say)
{
    const struct tree *t;

    if (is_equal(from, to))
        return;
    if (from == NULL || to == NULL || from->type != TREE_MAP ||
        to->type != TREE_MAP) {
        add_trees(d, text_string(path), from, to, say);
        return;
    }
    for (t = tree_entries(from); t != NULL; t = t->next)
        compare_child(d, path, t->key, t, tree_get(to, t->key), say);
    for (t = tree_entries(to); t != NULL; t = t->next)
        if (tree_get(from, t->key) == NULL)
            compare_child(d, path, t->key, NULL, t, say);
}

/* ---- requests ------------------------------------------------------------ */

static bool is_told_elsewhere(const char *key)
{
    static const char *const keys[] = { "deployment", "model", "runtime",
                                        "node_groups" };

    for (size_t i = 0; i < ARRAY_LEN(keys); i++)
        if (strcmp(keys[i], key) == 0)
            return true;
    return false;
}

void differences_of_requests(struct differences *d, const struct tree *before,
                             const struct tree *after)
{
    struct text path = { 0 };
    const struct tree *t;

    for (t = tree_entries(before); t != NULL; t = t->next)
        if (!is_told_elsewhere(t->key))
            compare_child(d, &path, t->key, t, tree_get(after, t->key), NULL);
    for (t = tree_entries(after); t != NULL; t = t->next)
        if (!is_told_elsewhere(t->key) && tree_get(before, t->key) == NULL)
            compare_child(d, &path, t->key, NULL, t, NULL);
    text_close(&path);
}

/* ---- layouts ------------------------------------------------------------- */

/* The ranks of a node group, over all its instances. */
static struct tree *ranks_of(struct differences *d, const struct tree *group)
{
    struct tree *list = make_list(&d->maker, NULL, NULL);
    const struct tree *i = tree_first(tree_get(group, "instances"));

    for (; i != NULL; i = i->next)
        for (const struct tree *t = tree_first(tree_get(i, "ranks")); t != NULL;
             t = t->next)
            make_int(&d->maker, list, NULL, t->u.integer);
    return list;
}

/* The axes of a node group above 1, here and in the other, outermost first. */
static void put_axes(const struct tree *sizes, const struct tree *other,
                     struct text *out)
{
    for (const struct tree *t = tree_entries(sizes); t != NULL; t = t->next)
        if (tree_int(sizes, t->key, 1) > 1 && tree_int(other, t->key, 1) > 1)
            text_printf(out, "%s%s", out->len > 0 ? "-" : "", t->key);
}

/* The same axes, in another order. */
static void compare_order(struct differences *d, const struct text *path,
                          const struct tree *sizes,
                          const struct tree *new_sizes)
{
    struct text from = { 0 }, to = { 0 }, at = { 0 }, say = { 0 };

    put_axes(sizes, new_sizes, &from);
    put_axes(new_sizes, sizes, &to);
    text_printf(&at, "%s.order", text_string(path));
    text_printf(&say, "outermost first: %s", d->shards);
    if (strcmp(text_string(&from), text_string(&to)) != 0)
        differences_say(d, text_string(&at), text_string(&from),
                        text_string(&to), text_string(&say));
    text_close(&from);
    text_close(&to);
    text_close(&at);
    text_close(&say);
}

/* Who forms groups with whom, where sizes and ranks are the same; whatever
 * brought that about. */
static void compare_members(struct differences *d, struct text *path,
                            const struct tree *before, const struct tree *after)
{
    const struct tree *a = tree_first(tree_get(before, "instances"));
    const struct tree *b = tree_first(tree_get(after, "instances"));
    size_t n = d->n;

    for (; a != NULL && b != NULL && d->n == n; a = a->next, b = b->next)
        compare_child(d, path, "groups", tree_get(a, "groups"),
                      tree_get(b, "groups"), other_shards);
}

static void compare_layout(struct differences *d, struct text *path,
                           const struct tree *before, const struct tree *after)
{
    const struct tree *sizes = tree_get(before, "sizes");
    const struct tree *new_sizes = tree_get(after, "sizes");
    size_t n = d->n;

    compare_order(d, path, sizes, new_sizes);
    compare_child(d, path, "sizes", sizes, new_sizes,
                  differences_same_sizes(sizes, new_sizes) ? NULL
                                                           : other_shards);
    compare_child(d, path, "ranks", ranks_of(d, before), ranks_of(d, after),
                  NULL);
    if (d->n == n)
        compare_members(d, path, before, after);
}

static void compare_groups(struct differences *d, const struct tree *before,
                           const struct tree *after)
{
    const struct tree *a = tree_first(before), *b = tree_first(after);
    struct text path = { 0 };

    for (int i = 0; a != NULL || b != NULL; i++) {
        cut_path(&path, 0);
        text_printf(&path, "node_groups[%d]", i);
        if (a == NULL || b == NULL) {
            add_trees(d, text_string(&path), tree_get(a, "node_names"),
                      tree_get(b, "node_names"), NULL);
        } else {
            compare_child(d, &path, "node_names", tree_get(a, "node_names"),
                          tree_get(b, "node_names"), NULL);
            compare_child(d, &path, "graph_walks", tree_get(a, "graph_walks"),
                          tree_get(b, "graph_walks"), NULL);
            compare_layout(d, &path, a, b);
        }
        a = a != NULL ? a->next : NULL;
        b = b != NULL ? b->next : NULL;
    }
    text_close(&path);
}

void differences_of_verdicts(struct differences *d, const struct tree *before,
                             const struct tree *after)
{
    struct text path = { 0 };

    compare_groups(d, tree_get(before, "node_groups"),
                   tree_get(after, "node_groups"));
    compare_child(d, &path, "derived", tree_get(before, "derived"),
                  tree_get(after, "derived"), NULL);
    text_close(&path);
}

/* ---- printing ------------------------------------------------------------ */

static void put_value(const struct tree *value, struct text *out)
{
    if (value->type == TREE_STRING)
        text_put(out, value->text);
    else if (document_write_json(value, false, out) < 0)
        text_put(out, "?");
}

static void print_one(struct output *out, const struct tree *difference)
{
    const struct tree *from = tree_get(difference, "from");
    const struct tree *to = tree_get(difference, "to");
    const struct tree *say = tree_get(difference, "say");
    struct text text = { 0 };

    text_printf(&text, "%s: ", tree_text(difference, "path"));
    if (from != NULL)
        put_value(from, &text);
    if (from != NULL && to != NULL)
        text_put(&text, " -> ");
    if (to != NULL)
        put_value(to, &text);
    if (say != NULL)
        text_printf(&text, " (%s)", say->text);
    output_paragraph(out, 2,
                     from == NULL ? STYLE_GOOD
                     : to == NULL ? STYLE_BAD
                                  : STYLE_WARN,
                     from == NULL ? "+ "
                     : to == NULL ? "- "
                                  : "~ ",
                     STYLE_PLAIN, text_string(&text));
    text_close(&text);
}

int differences_print(struct differences *d, struct live *live,
                      struct error *err)
{
    struct output *out = &live->v->out;
    char room[LIVE_WORD];

    if (out->format != FORMAT_TABLE)
        return live_document(live, &d->maker, d->top, err);
    output_put(out, STYLE_BOLD, d->name);
    if (!d->placed)
        output_put(out, STYLE_PLAIN, " is not in force: placing adds it");
    else if (d->n == 0)
        output_printf(out, STYLE_PLAIN, " is in force like this, generation %s",
                      live_generation(&d->generation, room));
    else
        output_printf(out, STYLE_PLAIN, " at generation %s, %zu difference%s:",
                      live_generation(&d->generation, room), d->n,
                      d->n == 1 ? "" : "s");
    output_line(out);
    for (const struct tree *t = tree_first(d->list); t != NULL; t = t->next)
        print_one(out, t);
    return 0;
}
