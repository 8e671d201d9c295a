/* SPDX-License-Identifier: Apache-2.0 */
/* What users type for the names that stand in a rule. */
#include "client/explain_parts.h"

#include <string.h>

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9') || c == '_';
}

/* Whether a word stands in a text. */
static bool has_word(const char *text, const char *word)
{
    size_t len = strlen(word);

    for (const char *at = text; (at = strstr(at, word)) != NULL; at += len)
        if ((at == text || !is_word(at[-1])) && !is_word(at[len]))
            return true;
    return false;
}

/* Whether it stands in an expression of the tree, or is set there. */
static bool stands_in(const struct tree *tree, const char *word)
{
    static const char *const said[] = { "because", "say", "layer",  "runtime",
                                        "code",    "fix", "option", "one_of" };

    for (size_t i = 0; tree->key != NULL && i < ARRAY_LEN(said); i++)
        if (strcmp(tree->key, said[i]) == 0)
            return false;
    if (tree->key != NULL && strcmp(tree->key, word) == 0)
        return true;
    if (tree->type == TREE_STRING && has_word(tree->text, word))
        return true;
    for (const struct tree *t = tree_first(tree); t != NULL; t = t->next)
        if (stands_in(t, word))
            return true;
    return false;
}

static void add_name(struct explaining *e, struct tree *map, struct tree *names,
                     const char *name, const char *field)
{
    if (strcmp(name, field) != 0 && stands_in(map, name))
        make_string(&e->maker, names, name, field);
}

void explaining_names(struct explaining *e, const struct runtime *rt,
                      struct tree *map)
{
    struct tree_maker own = { .arena = e->maker.arena };
    struct tree *names = make_map(&own, NULL, NULL);

    for (size_t i = 0; i < rt->n_axes; i++)
        add_name(e, map, names, rt->axes[i].name, rt->axes[i].field);
    for (size_t i = 0; i < rt->n_options; i++)
        add_name(e, map, names, rt->options[i].name, rt->options[i].field);
    if (tree_count(names) > 0)
        make_copy(&e->maker, map, "names", names);
}
