/* SPDX-License-Identifier: Apache-2.0 */
/* What the maps of a model's declaration may hold: axes, facts, dimensions. */
#include "placement/model.h"

#include <inttypes.h>
#include <string.h>

#include "placement/model_check.h"
#include "placement/reader.h"

static int check_count(const struct tree *t, struct error *err)
{
    if (t->type == TREE_INT && t->u.integer < 1)
        return tree_error(t, err, STATUS_INVALID,
                          "%" PRId64 " is no count; it is 1 or more",
                          t->u.integer);
    return 0;
}

int model_check_axes(const struct tree *axes, struct error *err)
{
    for (const struct tree *t = tree_first(axes); t != NULL; t = t->next) {
        if (read_type(t, READ_MAP, err) < 0)
            return -1;
        for (const struct tree *a = tree_first(t); a != NULL; a = a->next)
            if (read_type(a, READ_INT | READ_BOOL, err) < 0 ||
                check_count(a, err) < 0)
                return -1;
    }
    return 0;
}

/* Of which every model has one at least. Of experts there may be none: a dense
 * model, or a dense layer of a list; what a runtime's own facts count is not
 * known here. */
static const char *const never_zero[] = {
    "heads",  "kv_heads", "head_dim", "hidden",
    "layers", "ffn",      "vocab",    "context",
};

static bool may_be_zero(const char *fact)
{
    for (size_t i = 0; i < ARRAY_LEN(never_zero); i++)
        if (strcmp(fact, never_zero[i]) == 0)
            return false;
    return true;
}

static int check_fact(const struct tree *t, const char *fact, struct error *err)
{
    if (t->type == TREE_INT && t->u.integer == 0 && may_be_zero(fact))
        return 0;
    return check_count(t, err);
}

int model_check_facts(const struct tree *facts, struct error *err)
{
    for (const struct tree *t = tree_first(facts); t != NULL; t = t->next) {
        if (t->type == TREE_NULL)
            continue;
        if (read_type(t, READ_SCALAR | READ_LIST, err) < 0)
            return -1;
        if (check_fact(t, t->key, err) < 0)
            return -1;
        for (const struct tree *e = tree_first(t); e != NULL; e = e->next)
            if (read_type(e, READ_NUMBER, err) < 0 ||
                check_fact(e, t->key, err) < 0)
                return -1;
    }
    return 0;
}

int model_check_shard_dim(const struct tree *map, struct error *err)
{
    for (const struct tree *t = tree_first(map); t != NULL; t = t->next) {
        if (t->type == TREE_NULL)
            continue;
        if (read_type(t, READ_INT, err) < 0)
            return -1;
        if (t->u.integer < 0 || t->u.integer > 15)
            return tree_error(t, err, STATUS_INVALID,
                              "a dimension is from 0 to 15, or null");
    }
    return 0;
}
