/* SPDX-License-Identifier: Apache-2.0 */
/* Comparing what was read of another program's text with what it says. */
#ifndef SERRIED_TESTS_PROTO_INVENTORY_FIXTURE_H
#define SERRIED_TESTS_PROTO_INVENTORY_FIXTURE_H

#include <string.h>

#include "base/tree.h"

/* Also a child that is null, unlike tree_get(). */
static inline const struct tree *child(const struct tree *map, const char *key)
{
    for (const struct tree *t = tree_first(map); t != NULL; t = t->next)
        if (t->key != NULL && strcmp(t->key, key) == 0)
            return t;
    return NULL;
}

/* Whether got says all that want says: maps may hold more keys. */
static inline bool says(const struct tree *want, const struct tree *got)
{
    const struct tree *other = tree_first(got);

    if (got == NULL || want->type != got->type)
        return false;
    if (want->type == TREE_LIST && tree_count(want) != tree_count(got))
        return false;
    if (want->type == TREE_INT)
        return want->u.integer == got->u.integer;
    if (want->type == TREE_BOOL)
        return want->u.boolean == got->u.boolean;
    if (want->type == TREE_STRING)
        return strcmp(want->text, got->text) == 0;
    for (const struct tree *t = tree_first(want); t != NULL; t = t->next) {
        if (!says(t, want->type == TREE_MAP ? child(got, t->key) : other))
            return false;
        other = other != NULL ? other->next : NULL;
    }
    return true;
}

#endif
