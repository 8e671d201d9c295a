/* SPDX-License-Identifier: Apache-2.0 */
/* A runtime with one part of a rule's expression left out, for each of them: a
 * term of `a || b`, a factor of `a && b` in a term, a condition of one part. */
#include "tests/cases/rules.h"

#include <string.h>

#include "base/text.h"
#include "proto/document.h"

enum {
    PARTS_MAX = 32, /* of an expression */
    PARTS_BYTES_MAX = 512 << 20,
};

struct piece {
    const char *text;
    size_t len;
};

/* ---- taking an expression apart ------------------------------------------ */

/* The end of a quoted string that begins at p. */
static const char *skip_string(const char *p)
{
    const char *end = strchr(p + 1, *p);

    return end != NULL ? end : p + strlen(p) - 1;
}

/* Splits at an operator of two characters outside of brackets. A choice `a ? b
 * : c` binds weaker than either operator, so it is one piece. */
static size_t split_at(struct piece whole, const char *by, struct piece *ret)
{
    const char *end = whole.text + whole.len, *from = whole.text;
    size_t n = 0;
    int depth = 0;

    for (const char *p = whole.text; p < end; p++) {
        if (*p == '"' || *p == '\'')
            p = skip_string(p);
        else if (strchr("([{", *p) != NULL)
            depth++;
        else if (strchr(")]}", *p) != NULL)
            depth--;
        else if (depth == 0 && *p == '?')
            return ret[0] = whole, 1;
        else if (depth == 0 && strncmp(p, by, 2) == 0 && n < PARTS_MAX - 1) {
            ret[n++] = (struct piece){ from, (size_t)(p - from) };
            from = ++p + 1;
        }
    }
    ret[n++] = (struct piece){ from, (size_t)(end - from) };
    return n;
}

/* The pieces without number `left_out`, joined again. */
static void put_others(const struct piece *pieces, size_t n, size_t left_out,
                       const char *by, struct text *out)
{
    bool first = true;

    for (size_t i = 0; i < n; i++) {
        if (i == left_out)
            continue;
        text_printf(out, "%s(%.*s)", first ? "" : by, (int)pieces[i].len,
                    pieces[i].text);
        first = false;
    }
}

/* ---- mutants ------------------------------------------------------------- */

/* A runtime of its own to be changed and loaded again. */
struct work {
    struct arena *arena;
    struct tree *document;
    const struct runtime *rt; /* as declared */
    const struct runtime *real;
    bool loads; /* every mutant, so far */
    mutant_fn *fn;
    void *arg;
};

/* Without blanks and line ends around it. */
static struct piece trim(struct piece piece)
{
    size_t blanks = strspn(piece.text, " \n");

    piece.text += blanks;
    piece.len -= blanks;
    while (piece.len > 0 && strchr(" \n", piece.text[piece.len - 1]) != NULL)
        piece.len--;
    return piece;
}

/* Hands out the runtime in which rule i says `text` in place of its own. */
static void emit_part(struct work *w, size_t i, struct tree *scalar,
                      struct piece part, const struct text *text)
{
    const struct rule *rule = &w->real->rules[i];
    struct arena_mark mark = arena_mark(w->arena);
    struct tree kept = *scalar;
    struct piece shown = trim(part);
    struct mutant mutant = { .what = rule->warns ? "warning" : "rule",
                             .code = rule->code,
                             .about = rule->about,
                             .at = rule->at,
                             .rule = rule,
                             .fault = -1 };

    mutant.part = arena_strndup(w->arena, shown.text, shown.len);
    scalar->type = TREE_STRING;
    scalar->text = text_string(text);
    scalar->len = text->len;
    mutant.never = runtime_load(w->arena, w->document, NULL);
    w->loads &= mutant.never != NULL;
    w->fn(w->arg, &mutant);
    *scalar = kept;
    arena_rewind(w->arena, mark);
}

/* The factors of one term; the other terms stay. */
static void emit_factors(struct work *w, size_t i, struct tree *scalar,
                         const struct piece *terms, size_t n_terms, size_t term)
{
    struct piece factors[PARTS_MAX];
    size_t n = split_at(terms[term], "&&", factors);

    for (size_t f = 0; n > 1 && f < n; f++) {
        struct text text = { 0 };

        put_others(terms, n_terms, term, " || ", &text);
        text_printf(&text, "%s(", n_terms > 1 ? " || " : "");
        put_others(factors, n, f, " && ", &text);
        text_put(&text, ")");
        emit_part(w, i, scalar, factors[f], &text);
        text_close(&text);
    }
}

static void emit_terms(struct work *w, size_t i, struct tree *scalar)
{
    struct piece terms[PARTS_MAX], whole;
    size_t n;

    if (scalar == NULL || scalar->type != TREE_STRING)
        return; /* none, or a constant */
    whole = (struct piece){ scalar->text, scalar->len };
    n = split_at(whole, "||", terms);
    for (size_t t = 0; t < n; t++) {
        struct text text = { 0 };

        put_others(terms, n, t, " || ", &text);
        if (n > 1)
            emit_part(w, i, scalar, terms[t], &text);
        text_close(&text);
        emit_factors(w, i, scalar, terms, n, t);
    }
}

/* A condition falls by its parts, and if it has but one, as a whole. */
static void emit_condition(struct work *w, size_t i, struct tree *scalar)
{
    struct piece whole, pieces[PARTS_MAX];
    struct text text = { 0 };

    if (scalar == NULL || scalar->type != TREE_STRING)
        return;
    whole = (struct piece){ scalar->text, scalar->len };
    if (split_at(whole, "||", pieces) + split_at(whole, "&&", pieces) > 2) {
        emit_terms(w, i, scalar);
        return;
    }
    text_put(&text, "true");
    emit_part(w, i, scalar, whole, &text);
    text_close(&text);
}

struct tree *read_shipped(struct catalog *catalog, const char *name,
                          struct arena *arena)
{
    struct tree *documents;
    size_t len;
    const char *text = catalog_shipped(catalog, DOCUMENT_RUNTIME, name, &len);

    if (text == NULL ||
        document_read_yaml(arena, name, text, len, &documents, NULL) < 0)
        return NULL;
    return documents->u.children.first;
}

static bool load_work(struct work *w, struct catalog *catalog)
{
    w->document = read_shipped(catalog, w->real->name, w->arena);
    if (w->document != NULL)
        w->rt = runtime_load(w->arena, w->document, NULL);
    return w->rt != NULL && w->rt->n_rules == w->real->n_rules;
}

bool parts_each(struct catalog *catalog, const struct runtime *rt,
                mutant_fn *fn, void *arg)
{
    struct work w = { .arena = arena_new(PARTS_BYTES_MAX),
                      .real = rt,
                      .loads = true,
                      .fn = fn,
                      .arg = arg };
    bool loaded = w.arena != NULL && load_work(&w, catalog);

    for (size_t i = 0; loaded && i < rt->n_rules; i++) {
        const struct tree *at = w.rt->rules[i].at;

        if (rt->rules[i].structure >= 0)
            continue;
        emit_condition(&w, i, (struct tree *)tree_get(at, "when"));
        emit_terms(&w, i,
                   (struct tree *)tree_get(at, rt->rules[i].warns ? "warn"
                                                                  : "refuse"));
    }
    arena_free(w.arena);
    return loaded && w.loads;
}
