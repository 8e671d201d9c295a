/* SPDX-License-Identifier: Apache-2.0 */
/* Reading maps of a document by a table of their keys. */
#include "placement/reader.h"

#include <ctype.h>
#include <string.h>

/* "a map, a list or a string" */
static void put_types(unsigned types, struct text *out)
{
    bool first = true;

    if ((types & READ_NUMBER) == READ_NUMBER)
        types &= ~(unsigned)READ_INT;
    for (int t = TREE_BOOL; t <= TREE_MAP; t++) {
        if ((types & 1u << t) == 0)
            continue;
        types &= ~(1u << t);
        if (!first)
            text_put(out, types != 0 ? ", " : " or ");
        text_put(out, tree_type_name((enum tree_type)t));
        first = false;
    }
}

int read_type(const struct tree *tree, unsigned types, struct error *err)
{
    struct text expected = { 0 };

    if ((types & 1u << tree->type) != 0)
        return 0;
    put_types(types, &expected);
    tree_error(tree, err, STATUS_INVALID, "expected %s, found %s",
               text_string(&expected), tree_type_name(tree->type));
    text_close(&expected);
    return -1;
}

static const struct read_key *key_row(const struct read_key *keys, size_t n,
                                      const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(keys[i].name, name) == 0)
            return &keys[i];
    return NULL;
}

static int refuse_key(const struct tree *child, const struct read_key *keys,
                      size_t n, struct error *err)
{
    const char *names[64];
    const char *nearest;
    size_t count = n < ARRAY_LEN(names) ? n : ARRAY_LEN(names);

    for (size_t i = 0; i < count; i++)
        names[i] = keys[i].name;
    nearest = text_nearest(child->key, names, count);
    if (nearest != NULL)
        return tree_error_key(child, err, STATUS_INVALID,
                              "unknown key; the nearest known one is %s",
                              nearest);
    return tree_error_key(child, err, STATUS_INVALID,
                          "unknown key; known are %s, %s and %zu more",
                          keys[0].name, keys[n > 1].name, n > 2 ? n - 2 : 0);
}

int read_keys(const struct tree *tree, const struct read_key *keys, size_t n,
              struct error *err)
{
    if (read_type(tree, READ_MAP, err) < 0)
        return -1;
    for (const struct tree *t = tree_first(tree); t != NULL; t = t->next) {
        const struct read_key *row = key_row(keys, n, t->key);

        if (row == NULL)
            return refuse_key(t, keys, n, err);
        if (t->type != TREE_NULL && read_type(t, row->types, err) < 0)
            return -1;
        if (row->required && t->type == TREE_STRING && t->len == 0)
            return tree_error(t, err, STATUS_INVALID, "may not be empty");
    }
    for (size_t i = 0; i < n; i++)
        if (keys[i].required && tree_get(tree, keys[i].name) == NULL)
            return tree_error(tree, err, STATUS_INVALID,
                              "the key %s is missing", keys[i].name);
    return 0;
}

const char *read_string(const struct tree *map, const char *key)
{
    const struct tree *child = tree_get(map, key);

    return child != NULL ? child->text : NULL;
}

int read_names(struct arena *arena, const struct tree *tree,
               const char *const **ret_names, size_t *ret_n, struct error *err)
{
    bool one = tree->type == TREE_STRING;
    size_t n = one ? 1 : tree_count(tree), i = 0;
    const char **names = arena_array(arena, n + 1, sizeof(*names));

    if (read_type(tree, READ_LIST | READ_STRING, err) < 0)
        return -1;
    if (names == NULL)
        return error_exhausted(err);
    for (const struct tree *t = one ? tree : tree_first(tree); t != NULL;
         t = one ? NULL : t->next) {
        if (read_type(t, READ_STRING, err) < 0)
            return -1;
        if (t->len == 0)
            return tree_error(t, err, STATUS_INVALID,
                              "a name may not be empty");
        names[i++] = t->text;
    }
    *ret_names = names;
    *ret_n = n;
    return 0;
}

bool read_is_identifier(const char *text)
{
    size_t n = strlen(text);

    if (n == 0 || n > 64 || isdigit((unsigned char)text[0]))
        return false;
    for (size_t i = 0; i < n; i++)
        if (!isalnum((unsigned char)text[i]) && text[i] != '_')
            return false;
    return true;
}
