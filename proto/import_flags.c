/* SPDX-License-Identifier: Apache-2.0 */
/* Flags of a command line: --name value, --name=value, --name. */
#include "proto/import_read.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "placement/value.h"

static bool is_flag(const char *word)
{
    return word[0] == '-' && word[1] != '\0' &&
           !isdigit((unsigned char)word[1]) && word[1] != '.';
}

static bool is_truth(const char *word)
{
    return strcasecmp(word, "true") == 0 || strcasecmp(word, "false") == 0;
}

/* Whether true and false are all that a target can be told. */
static bool is_switch_target(const struct import_target *target)
{
    if (target->values == NULL)
        return target->types == VALUE_BOOL;
    for (const struct tree *v = tree_first(target->values); v != NULL;
         v = v->next)
        if (!is_truth(v->key))
            return false;
    return true;
}

static bool is_switch(const struct import_key *key)
{
    for (size_t i = 0; i < key->n_targets; i++)
        if (!is_switch_target(&key->targets[i]))
            return false;
    return true;
}

static bool is_list(const struct import_key *key)
{
    for (size_t i = 0; i < key->n_targets; i++)
        if (key->targets[i].values != NULL ||
            (key->targets[i].types & (VALUE_LIST | VALUE_INT)) != VALUE_LIST)
            return false;
    return true;
}

static const struct tree *made(struct importing *im, const char *word)
{
    struct tree_maker *maker = im->maker;
    struct tree *tree = tree_new_string(maker->arena, NULL, NULL, word);

    if (tree == NULL) {
        maker->failed = true;
        return &maker->spare;
    }
    return tree;
}

/* The words up to the next flag, as a list. */
static const struct tree *made_list(struct importing *im,
                                    const char *const *words, size_t n)
{
    struct tree *list = make_list(im->maker, NULL, NULL);

    for (size_t i = 0; i < n; i++)
        make_string(im->maker, list, NULL, words[i]);
    return list;
}

/* A flag taken apart. */
struct flag {
    const char *name;  /* without dashes */
    const char *value; /* behind =; NULL: none */
    const struct import_key *key;
    bool negated; /* --no-NAME of a switch */
};

static int read_flag(struct importing *im, const char *word, struct flag *ret)
{
    const char *equals = strchr(word, '=');
    const char *begin = word + strspn(word, "-");
    char *name =
        equals != NULL && equals > begin
            ? arena_strndup(im->maker->arena, begin, (size_t)(equals - begin))
            : arena_strdup(im->maker->arena, begin);

    if (name == NULL)
        return error_exhausted(im->err);
    *ret = (struct flag){ .name = name,
                          .value = equals != NULL ? equals + 1 : NULL,
                          .key = import_find(im->rules, name) };
    if (ret->key == NULL &&
        (strncmp(name, "no-", 3) == 0 || strncmp(name, "no_", 3) == 0)) {
        ret->key = import_find(im->rules, name + 3);
        if (ret->key != NULL && !is_switch(ret->key))
            ret->key = NULL;
        ret->negated = ret->key != NULL;
    }
    return 0;
}

/* How many of the words behind a flag belong to it. */
static size_t words_of(const struct flag *flag, const char *const *words,
                       size_t n)
{
    size_t k = 0;

    if (flag->value != NULL || flag->negated)
        return 0;
    while (k < n && !is_flag(words[k]))
        k++;
    if (flag->key != NULL && is_list(flag->key))
        return k;
    if (flag->key != NULL && is_switch(flag->key) && k > 0)
        return is_truth(words[0]);
    return k > 0;
}

static int take_flag(struct importing *im, const struct flag *flag,
                     const char *word, const char *const *values, size_t n)
{
    const struct tree *value;
    const char *equals = strchr(word, '=');
    const char *written =
        equals == NULL
            ? word
            : arena_strndup(im->maker->arena, word, (size_t)(equals - word));

    if (written == NULL)
        return error_exhausted(im->err);
    if (flag->key == NULL) {
        import_unknown(im, written, flag->name);
        return 0;
    }
    if (flag->value != NULL)
        value = made(im, flag->value);
    else if (n == 0)
        value = made(im, flag->negated ? "false" : "true");
    else if (is_list(flag->key))
        value = made_list(im, values, n);
    else
        value = made(im, values[0]);
    if (im->maker->failed)
        return error_exhausted(im->err);
    return import_take(im, flag->key, written, value);
}

int import_flags(struct importing *im, const char *const *words, size_t n)
{
    for (size_t i = 0; i < n;) {
        const char *word = words[i++];
        struct flag flag = { 0 };
        size_t own;

        if (import_count(im) < 0)
            return -1;
        if (strcmp(word, "--") == 0)
            continue;
        if (!is_flag(word)) {
            import_not_read(im->maker, im->not_read, word, IMPORT_UNREAD_WORD,
                            "it stands behind no flag", NULL);
            continue;
        }
        if (read_flag(im, word, &flag) < 0)
            return -1;
        own = words_of(&flag, words + i, n - i);
        if (take_flag(im, &flag, word, words + i, own) < 0)
            return -1;
        i += own;
    }
    return 0;
}
