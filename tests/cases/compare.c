/* SPDX-License-Identifier: Apache-2.0 */
/* Comparing answers with what cases expect. */
#include "tests/cases/compare.h"

#include <string.h>

/* ---- trees --------------------------------------------------------------- */

const struct tree *child(const struct tree *map, const char *key)
{
    for (const struct tree *t = tree_first(map); t != NULL; t = t->next)
        if (t->key != NULL && strcmp(t->key, key) == 0)
            return t;
    return NULL;
}

static bool same_children(const struct tree *a, const struct tree *b)
{
    const struct tree *other = tree_first(b);

    if (tree_count(a) != tree_count(b))
        return false;
    for (const struct tree *t = tree_first(a); t != NULL; t = t->next) {
        if (a->type == TREE_MAP)
            other = child(b, t->key);
        if (other == NULL || !same(t, other))
            return false;
        other = other->next;
    }
    return true;
}

bool same(const struct tree *a, const struct tree *b)
{
    if (a->type != b->type)
        return false;
    switch (a->type) {
    case TREE_NULL:
        return true;
    case TREE_BOOL:
        return a->u.boolean == b->u.boolean;
    case TREE_INT:
        return a->u.integer == b->u.integer;
    case TREE_DOUBLE:
        return a->u.number == b->u.number;
    case TREE_STRING:
        return strcmp(a->text, b->text) == 0;
    case TREE_LIST:
    case TREE_MAP:
        return same_children(a, b);
    }
    return false;
}

/* ---- advice -------------------------------------------------------------- */

/* The first alternatives, in order, by what each sets or says. */
static bool first_are(const struct tree *want, const struct tree *got,
                      const char *key)
{
    const struct tree *a = tree_first(got);

    for (const struct tree *t = tree_first(want); t != NULL; t = t->next) {
        if (a == NULL || !same(t, child(a, key)))
            return false;
        a = a->next;
    }
    return true;
}

static bool sets_are(const struct tree *want, const struct tree *got)
{
    return first_are(want, got, "set");
}

static bool says_are(const struct tree *want, const struct tree *got)
{
    return first_are(want, got, "say");
}

/* Changes that are not proposed. */
static bool none_sets(const struct tree *want, const struct tree *got)
{
    for (const struct tree *t = tree_first(want); t != NULL; t = t->next)
        for (const struct tree *a = tree_first(got); a != NULL; a = a->next)
            if (same(t, child(a, "set")))
                return false;
    return true;
}

static bool same_lists(const struct tree *want, const struct tree *got)
{
    return got != NULL && same(want, got);
}

/* Keys of `expect`, and how each compares with what of the answer. */
static const struct {
    const char *key;
    bool of_finding; /* the fixes of the first one; else the alternatives */
    bool (*agrees)(const struct tree *want, const struct tree *got);
} advice[] = {
    { "alternatives", false, sets_are },
    { "says", false, says_are },
    { "no_alternatives", false, none_sets },
    { "fixes", true, same_lists },
};

bool expects_advice(const struct tree *want)
{
    for (size_t i = 0; i < ARRAY_LEN(advice); i++)
        if (child(want, advice[i].key) != NULL)
            return true;
    return false;
}

const char *advice_differs(const struct tree *want, const struct tree *answer,
                           const struct tree **ret_got)
{
    const struct tree *first = tree_first(child(answer, "findings"));

    for (size_t i = 0; i < ARRAY_LEN(advice); i++) {
        const struct tree *expected = child(want, advice[i].key);
        const struct tree *got = advice[i].of_finding
                                     ? child(first, "fixes")
                                     : child(answer, "alternatives");

        if (expected == NULL || advice[i].agrees(expected, got))
            continue;
        *ret_got = got;
        return advice[i].key;
    }
    return NULL;
}
