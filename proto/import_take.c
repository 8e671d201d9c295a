/* SPDX-License-Identifier: Apache-2.0 */
/* One key's value for what it stands for, or the reason why not. */
#include "proto/import_read.h"

#include <string.h>
#include <strings.h>

#include "placement/value.h"
#include "proto/document_scalar.h"

const char *const import_kinds[] = {
#define X(id, word, about) word,
    IMPORT_KIND_LIST(X)
#undef X
};

const char *const import_kind_about[] = {
#define X(id, word, about) about,
    IMPORT_KIND_LIST(X)
#undef X
};

/* ---- what is not read ---------------------------------------------------- */

void import_not_read(struct tree_maker *maker, struct tree *list,
                     const char *key, enum import_unread kind,
                     const char *reason, const char *nearest)
{
    struct tree *map = make_map(maker, list, NULL);

    make_string(maker, map, "key", key);
    make_string(maker, map, "kind", import_kinds[kind]);
    if (reason == NULL)
        maker->failed = true;
    else
        make_string(maker, map, "reason", reason);
    if (nearest != NULL)
        make_string(maker, map, "nearest", nearest);
}

/* The name as a flag is written, where one was: with dashes, unless the flag
 * had others, or names have dots. */
static const char *as_written(const struct importing *im, const char *near,
                              const char *written)
{
    char *flag;

    if (near == NULL || strncmp(written, "--", 2) != 0)
        return near;
    flag = arena_printf(im->maker->arena, "--%s", near);
    if (flag != NULL && strchr(written, '_') == NULL &&
        strchr(near, '.') == NULL)
        for (char *s = flag; *s != '\0'; s++)
            *s = *s == '_' ? '-' : *s;
    return flag;
}

void import_unknown(struct importing *im, const char *written, const char *name)
{
    const char *near = NULL;

    if (import_is_ignored(im->rules, name))
        return;
    if (im->n_nearest < IMPORT_NEAREST_MAX) {
        im->n_nearest++;
        near = as_written(im, import_nearest(im->rules, name, im->maker->arena),
                          written);
    }
    import_not_read(im->maker, im->not_read, written, IMPORT_UNREAD_UNKNOWN,
                    arena_printf(im->maker->arena,
                                 "%s is not told what it means", im->rt->name),
                    near);
}

int import_count(struct importing *im)
{
    if (++im->n_values <= IMPORT_VALUES_MAX)
        return 0;
    return error_set(im->err, STATUS_INVALID,
                     "more than %d settings, the most that are read",
                     IMPORT_VALUES_MAX);
}

/* ---- one value ----------------------------------------------------------- */

static const char *shown(const struct importing *im, const struct tree *value)
{
    if (value->text == NULL)
        return tree_type_name(value->type);
    return arena_printf(im->maker->arena, "\"%.64s\"", value->text);
}

/* A size that is left out would be another one, so that is no way out for it.
 */
static int cannot_take(struct importing *im, const struct import_target *target,
                       const char *written, const struct tree *value)
{
    struct text types = { 0 };
    const char *expected;

    value_types_print(target->types, &types);
    expected = arena_strdup(im->maker->arena, text_string(&types));
    text_close(&types);
    if (target->kind == IMPORT_AXIS || target->kind == IMPORT_WORLD ||
        target->kind == IMPORT_WORLD_PART)
        return error_set(
            im->err, STATUS_INVALID, "%s: %s must be %s, not %s%s", written,
            target->name, expected != NULL ? expected : "a number",
            shown(im, value),
            strncmp(written, "--", 2) != 0 ? "; give it behind --" : "");
    import_not_read(im->maker, im->not_read, written, IMPORT_UNREAD_VALUE,
                    arena_printf(im->maker->arena, "%s must be %s, not %s",
                                 target->name, expected, shown(im, value)),
                    NULL);
    return 0;
}

/* Types a text that was written as one: all of a command line is. NULL: out of
 * memory. */
static const struct tree *typed(struct importing *im, const struct tree *value,
                                const struct import_target *target)
{
    struct scalar scalar = { .type = TREE_STRING };
    struct tree *copy;

    if (value->type != TREE_STRING || (target->types & VALUE_STRING) != 0 ||
        scalar_resolve(value->text, &scalar) != NULL ||
        scalar.type == TREE_STRING)
        return value;
    copy = arena_alloc(im->maker->arena, sizeof(*copy));
    if (copy == NULL)
        return NULL;
    *copy = *value;
    copy->type = scalar.type;
    if (scalar.type == TREE_INT)
        copy->u.integer = scalar.u.integer;
    else if (scalar.type == TREE_BOOL)
        copy->u.boolean = scalar.u.boolean;
    else if (scalar.type == TREE_DOUBLE)
        copy->u.number = scalar.u.number;
    return copy;
}

/* A list whose items are typed, or a list of one. NULL: out of memory. */
static const struct tree *listed(struct importing *im, const struct tree *value)
{
    static const struct import_target number = { .types = VALUE_NUMBER |
                                                          VALUE_BOOL };
    struct tree *list = make_list(im->maker, NULL, NULL);
    const struct tree *item =
        value->type == TREE_LIST ? tree_first(value) : value;

    for (; item != NULL; item = item->next) {
        const struct tree *one = typed(im, item, &number);

        if (one == NULL)
            return NULL;
        make_copy(im->maker, list, NULL, one);
        if (value->type != TREE_LIST)
            break;
    }
    return im->maker->failed ? NULL : list;
}

/* The child of `values` that says what is meant: that of the word, else that of
 * "*"; NULL: none. */
static const struct tree *meaning(const struct import_target *target,
                                  const struct tree *value)
{
    const struct tree *any = NULL, *v = tree_first(target->values);

    for (; v != NULL; v = v->next) {
        if (value->text != NULL && strcasecmp(v->key, value->text) == 0)
            return v;
        if (strcmp(v->key, "*") == 0)
            any = v;
    }
    return any;
}

/* Keeps the value in the place of an earlier one for the same. NULL: takes that
 * away. */
static void keep(struct importing *im, const struct import_target *target,
                 const char *written, const struct tree *value)
{
    struct taken *taken = im->taken;

    for (; taken < im->taken + im->n_taken; taken++)
        if (taken->target->kind == target->kind &&
            taken->target->index == target->index &&
            (target->kind != IMPORT_WORLD_PART || taken->target == target))
            break;
    if (taken == im->taken + im->n_taken)
        im->n_taken++;
    *taken = (struct taken){ target, written, value };
}

static int take_one(struct importing *im, const struct import_target *target,
                    const char *written, const struct tree *value)
{
    const struct tree *given = value;

    if (target->kind == IMPORT_NOTHING) {
        import_not_read(im->maker, im->not_read, written, IMPORT_UNREAD_MEANING,
                        target->because, NULL);
        return 0;
    }
    if (target->values != NULL) {
        value = meaning(target, value);
        if (value == NULL)
            return cannot_take(im, target, written, given);
    } else if (value->type != TREE_NULL) {
        value = typed(im, value, target);
        if (value != NULL && (target->types & VALUE_LIST) != 0 &&
            (value->type == TREE_LIST ||
             (target->types & (VALUE_INT | VALUE_STRING)) == 0))
            value = listed(im, value);
    }
    if (value == NULL)
        return error_exhausted(im->err);
    if (value->type != TREE_NULL && !import_takes(target, value))
        return cannot_take(im, target, written, value);
    keep(im, target, written, value->type == TREE_NULL ? NULL : value);
    return 0;
}

int import_take(struct importing *im, const struct import_key *key,
                const char *written, const struct tree *value)
{
    for (size_t i = 0; i < key->n_targets; i++)
        if (take_one(im, &key->targets[i], written, value) < 0)
            return -1;
    return 0;
}

int import_check_known(const struct importing *im, const char *name)
{
    const char *unknown = import_kinds[IMPORT_UNREAD_UNKNOWN];
    const struct tree *t = tree_first(im->not_read);

    for (size_t i = 0; i < im->n_taken; i++)
        if (im->taken[i].value != NULL)
            return 0;
    while (t != NULL && strcmp(tree_get(t, "kind")->text, unknown) != 0)
        t = t->next;
    if (t == NULL)
        return 0;
    return error_set(im->err, STATUS_INVALID,
                     "%.64s: none of its keys says anything to %s, and %.64s "
                     "and others are not known; is it another framework's "
                     "file?",
                     name, im->rt->name, tree_get(t, "key")->text);
}
