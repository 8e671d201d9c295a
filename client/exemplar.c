/* SPDX-License-Identifier: Apache-2.0 */
/* Examples behind the explanation of a code. */
#include "client/exemplar.h"

#include <string.h>

#include "client/report.h"
#include "placement/alternatives.h"
#include "placement/explain.h"
#include "placement/verdict.h"
#include "proto/bases.h"
#include "proto/document.h"

/* ---- finding ------------------------------------------------------------- */

void exemplar_close(struct exemplar *x)
{
    example_search_free(x->search);
    x->search = NULL;
    x->rt = NULL;
}

/* Makes ready for a runtime; search stays NULL where no model of it is known.
 */
static int open_for(struct exemplar *x, const struct runtime *rt,
                    struct error *err)
{
    struct example_base *bases =
        arena_array(x->arena, EXAMPLE_BASES_MAX, sizeof(*bases));
    size_t n;

    if (x->rt == rt)
        return 0;
    exemplar_close(x);
    if (bases == NULL)
        return error_exhausted(err);
    if (bases_make(x->catalog, rt, x->arena, bases, &n, err) < 0)
        return -1;
    x->rt = rt;
    if (n > 0)
        x->search = example_search_new(rt, bases, n, err);
    return n == 0 || x->search != NULL ? 0 : -1;
}

/* The name of a setting in an example, whose request has one group of nodes
 * that can be split: "ranks" for "node_groups[0].ranks". */
static const char *plain_key(const char *key)
{
    static const char group[] = "node_groups[0].";
    size_t len = sizeof(group) - 1;

    if (strncmp(key, group, len) != 0)
        return key;
    return strcmp(key + len, "count") == 0 ? "world" : key + len;
}

/* A copy of settings under what users type for them. */
static void copy_typed(const struct runtime *rt, struct tree_maker *maker,
                       struct tree *map, const char *key,
                       const struct tree *settings)
{
    struct tree *to = make_map(maker, map, key);

    for (const struct tree *t = tree_first(settings); t != NULL; t = t->next)
        make_copy(maker, to, report_typed(rt, plain_key(t->key)), t);
}

/* What would run instead: what `check` would offer first, else the accepted
 * request that the search began with. */
static int write_instead(struct exemplar *x, const struct example *e,
                         struct tree_maker *maker, struct tree *map,
                         struct error *err)
{
    static const struct verdict_wants none = { 0 };
    struct tree_maker own = { .arena = x->arena };
    struct tree *verdict = make_map(&own, NULL, NULL);
    struct alternatives found = { 0 };
    const struct tree *first = NULL;

    if (!check_accepts(e->check)) {
        if (alternatives_find(e->check, &found, err) < 0 ||
            verdict_write(e->check, &found, &none, &own, verdict, err) < 0)
            return -1;
        first = tree_first(tree_get(verdict, "alternatives"));
    }
    copy_typed(x->rt, maker, map, "instead",
               first != NULL ? tree_get(first, "set") : e->changes);
    make_string(maker, map, "say",
                first != NULL ? tree_get(first, "say")->text : "");
    return 0;
}

int exemplar_write(struct exemplar *x, const struct runtime *rt,
                   const struct example_sought *sought,
                   struct tree_maker *maker, struct tree *map,
                   struct error *err)
{
    struct text equation = { 0 };
    struct tree *one;
    struct example e;
    int rc;

    if (open_for(x, rt, err) < 0)
        return -1;
    if (x->search == NULL) {
        make_string(maker, map, "no_example",
                    "no model that names this runtime is known");
        return 0;
    }
    rc = example_find(x->search, sought, x->arena, &e, err);
    if (rc <= 0)
        return rc;
    one = make_map(maker, map, "example");
    copy_typed(rt, maker, one, "settings", e.settings);
    if (e.model != NULL)
        make_string(maker, one, "model", e.model->name);
    make_copy(maker, one, "facts", e.facts);
    finding_equation(e.check, e.finding, &equation);
    make_string(maker, one, "equation", text_string(&equation));
    text_close(&equation);
    return write_instead(x, &e, maker, one, err);
}

/* ---- for people ---------------------------------------------------------- */

/* "world 8, tp 3"; what is left out: "no order" */
static void put_settings(const struct tree *map, const char *before,
                         struct text *out)
{
    for (const struct tree *t = tree_first(map); t != NULL; t = t->next) {
        text_put(out, t == tree_first(map) ? before : ", ");
        if (t->type == TREE_NULL) {
            text_printf(out, "no %s", t->key);
            continue;
        }
        text_printf(out, "%s ", t->key);
        if (t->type == TREE_STRING)
            text_put(out, t->text);
        else
            document_write_json(t, false, out);
    }
}

void exemplar_print(struct output *out, const struct tree *map, const char *of)
{
    const struct tree *example = tree_get(map, "example");
    const struct tree *model = tree_get(example, "model");
    const struct tree *equation = tree_get(example, "equation");
    const struct tree *say = tree_get(example, "say");
    struct text text = { 0 };

    if (tree_get(map, "no_example") != NULL)
        output_paragraph(out, 4, STYLE_DIM, "example  ", STYLE_DIM,
                         tree_text(map, "no_example"));
    if (example == NULL)
        return;
    if (of != NULL)
        text_printf(&text, "%s: ", of);
    if (model != NULL)
        text_printf(&text, "%s with ", model->text);
    put_settings(tree_get(example, "settings"), "", &text);
    put_settings(tree_get(example, "facts"), ", of a model with ", &text);
    output_paragraph(out, 4, STYLE_BAD, "example  ", STYLE_PLAIN,
                     text_string(&text));
    if (equation != NULL && equation->len > 0)
        output_paragraph(out, 13, STYLE_PLAIN, "", STYLE_PLAIN, equation->text);
    text_clear(&text);
    put_settings(tree_get(example, "instead"), "", &text);
    if (say != NULL && say->len > 0)
        text_printf(&text, " (%s)", say->text);
    output_paragraph(out, 4, STYLE_GOOD, "accepted ", STYLE_PLAIN,
                     text_string(&text));
    text_close(&text);
}
