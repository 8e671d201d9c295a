/* SPDX-License-Identifier: Apache-2.0 */
/* What a runtime says about its framework's own files and flags. */
#include "placement/import.h"

#include <string.h>

#include "placement/reader.h"
#include "placement/runtime_load.h"
#include "placement/value.h"

/* clang-format off */
static const struct read_key import_keys[] = {
    { "inside", READ_LIST | READ_STRING, false },
    { "fields", READ_BOOL | READ_STRING, false },
    { "keys",   READ_MAP,                false },
    { "ignore", READ_LIST | READ_STRING, false },
    { "same",   READ_MAP,                false },
};
static const struct read_key target_keys[] = {
    { "to",       READ_STRING, false },
    { "values",   READ_MAP,    false },
    { "not_read", READ_STRING, false },
};
/* Targets that are no names of the runtime. */
static const struct {
    const char *name;
    enum import_kind kind;
    unsigned types;
} fixed_targets[] = {
    { "world",      IMPORT_WORLD,      VALUE_INT },
    { "world_part", IMPORT_WORLD_PART, VALUE_INT },
    { "model",      IMPORT_MODEL,      VALUE_STRING },
};
static const enum import_kind kind_of_symbol[] = {
    [SYMBOL_AXIS]   = IMPORT_AXIS,
    [SYMBOL_OPTION] = IMPORT_OPTION,
    [SYMBOL_FACT]   = IMPORT_FACT,
    [SYMBOL_CARRY]  = IMPORT_CARRY,
};
/* clang-format on */

/* ---- names --------------------------------------------------------------- */

static char folded(char c)
{
    return c == '-' ? '_' : c;
}

static bool same_name(const char *a, const char *b)
{
    while (*a != '\0' && folded(*a) == folded(*b))
        a++, b++;
    return *a == '\0' && *b == '\0';
}

/* Of `a.*` and `a` all names that begin so; `a` alone only at a dot. */
static bool begins_with(const char *name, const char *pattern)
{
    while (*pattern != '\0' && folded(*name) == folded(*pattern))
        name++, pattern++;
    if (*pattern == '*' && pattern[1] == '\0')
        return true;
    return *pattern == '\0' && (*name == '\0' || *name == '.');
}

const struct import_key *import_find(const struct import_rules *rules,
                                     const char *name)
{
    for (size_t i = 0; i < rules->n_keys; i++)
        if (same_name(rules->keys[i].name, name))
            return &rules->keys[i];
    return NULL;
}

bool import_is_ignored(const struct import_rules *rules, const char *name)
{
    for (size_t i = 0; i < rules->n_ignore; i++)
        if (begins_with(name, rules->ignore[i]))
            return true;
    return false;
}

static const char *last_part(const char *name)
{
    const char *dot = strrchr(name, '.');

    return dot != NULL ? dot + 1 : name;
}

/* One with the same last part, else by the whole, else by the last parts. */
const char *import_nearest(const struct import_rules *rules, const char *name,
                           struct arena *arena)
{
    const char **names = arena_array(arena, rules->n_keys, sizeof(*names));
    const char *near;

    for (size_t i = 0; names != NULL && i < rules->n_keys; i++)
        names[i] = rules->keys[i].name;
    if (names == NULL)
        return NULL;
    for (size_t i = 0; i < rules->n_keys; i++)
        if (same_name(last_part(names[i]), last_part(name)))
            return names[i];
    for (size_t i = 0; i < rules->n_keys; i++)
        for (size_t k = 0; k < rules->keys[i].n_targets; k++)
            if (rules->keys[i].targets[k].name != NULL &&
                same_name(rules->keys[i].targets[k].name, name))
                return names[i];
    near = text_nearest(name, names, rules->n_keys);
    if (near != NULL)
        return near;
    for (size_t i = 0; i < rules->n_keys; i++)
        names[i] = last_part(rules->keys[i].name);
    near = text_nearest(last_part(name), names, rules->n_keys);
    for (size_t i = 0; near != NULL && i < rules->n_keys; i++)
        if (names[i] == near)
            return rules->keys[i].name;
    return NULL;
}

bool import_takes(const struct import_target *target, const struct tree *value)
{
    static const unsigned types[] = {
        [TREE_NULL] = 0,
        [TREE_BOOL] = VALUE_BOOL,
        [TREE_INT] = VALUE_INT,
        [TREE_DOUBLE] = VALUE_NUMBER & ~(unsigned)VALUE_INT,
        [TREE_STRING] = VALUE_STRING,
        [TREE_LIST] = VALUE_LIST,
        [TREE_MAP] = VALUE_MAP,
    };

    return (types[value->type] & target->types) != 0;
}

/* ---- loading ------------------------------------------------------------- */

static int unknown_target(struct loader *load, const struct tree *at)
{
    const struct runtime *rt = load->rt;
    const char **names =
        arena_array(load->arena, rt->n_symbols + 1, sizeof(*names));
    const char *near = NULL;

    for (size_t i = 0; names != NULL && i < rt->n_symbols; i++)
        names[i] = rt->symbols[i].name;
    if (names != NULL)
        near = text_nearest(at->text, names, rt->n_symbols);
    return tree_error(at, load->err, STATUS_INVALID,
                      "\"%s\" is no axis, option, fact or carried key of this "
                      "runtime, nor world, world_part or model%s%s",
                      at->text, near != NULL ? "; the nearest is " : "",
                      near != NULL ? near : "");
}

static int load_name(struct loader *load, const struct tree *at,
                     struct import_target *target)
{
    const struct symbol *symbol;

    target->name = at->text;
    for (size_t i = 0; i < ARRAY_LEN(fixed_targets); i++)
        if (strcmp(fixed_targets[i].name, at->text) == 0) {
            target->kind = fixed_targets[i].kind;
            target->types = fixed_targets[i].types;
            return 0;
        }
    symbol = runtime_symbol(load->rt, at->text);
    if (symbol == NULL || (size_t)symbol->kind >= ARRAY_LEN(kind_of_symbol) ||
        kind_of_symbol[symbol->kind] == IMPORT_NOTHING)
        return unknown_target(load, at);
    target->kind = kind_of_symbol[symbol->kind];
    target->index = symbol->index;
    target->types = symbol->shape.types;
    return 0;
}

static int check_values(struct loader *load, const struct import_target *target)
{
    const struct tree *v = tree_first(target->values);

    for (; v != NULL; v = v->next)
        if (v->type != TREE_NULL && !import_takes(target, v))
            return tree_error(v, load->err, STATUS_INVALID, "%s cannot be %s",
                              target->name, tree_type_name(v->type));
    return 0;
}

/* `name`, or {to: name, values: {...}}, or {not_read: why}. */
static int load_target(struct loader *load, const struct tree *t,
                       struct import_target *target)
{
    const struct tree *to;

    if (t->type == TREE_STRING)
        return load_name(load, t, target);
    if (read_keys(t, target_keys, ARRAY_LEN(target_keys), load->err) < 0)
        return -1;
    to = tree_get(t, "to");
    target->because = read_string(t, "not_read");
    target->values = tree_get(t, "values");
    if ((to == NULL) == (target->because == NULL) ||
        (to == NULL && target->values != NULL))
        return tree_error(t, load->err, STATUS_INVALID,
                          "expected {to: NAME}, with values where they differ, "
                          "or {not_read: WHY}");
    if (to == NULL)
        return 0;
    if (load_name(load, to, target) < 0)
        return -1;
    return check_values(load, target);
}

static int load_key(struct loader *load, const struct tree *t,
                    struct import_rules *rules, struct import_key *key)
{
    bool several = t->type == TREE_LIST;
    const struct tree *first = several ? tree_first(t) : t;
    struct import_target *targets;
    size_t n = several ? tree_count(t) : 1;

    if (t->key[0] == '-' || strlen(t->key) > IMPORT_KEY_BYTES_MAX)
        return tree_error_key(t, load->err, STATUS_INVALID,
                              "a key is written without leading dashes, in at "
                              "most %d bytes; it stands for the flag too",
                              IMPORT_KEY_BYTES_MAX);
    if (import_find(rules, t->key) != NULL)
        return tree_error_key(t, load->err, STATUS_INVALID,
                              "%s is here already (- and _ are the same)",
                              t->key);
    if (n == 0 || n > IMPORT_TARGETS_MAX)
        return tree_error(t, load->err, STATUS_INVALID,
                          "a key stands for 1 to %d things",
                          IMPORT_TARGETS_MAX);
    targets = load_array(load, n, sizeof(*targets));
    if (targets == NULL)
        return -1;
    key->name = t->key;
    key->targets = targets;
    key->n_targets = n;
    for (; n > 0; n--, first = first->next)
        if (load_target(load, first, targets++) < 0)
            return -1;
    return 0;
}

/* A key under the field of an axis or option, if none of that name is there. */
static int add_field(struct loader *load, struct import_rules *rules,
                     struct import_key *key, const char *prefix,
                     const char *field, const struct import_target *as)
{
    const char *name = arena_printf(load->arena, "%s%s", prefix, field);
    struct import_target *target = load_array(load, 1, sizeof(*target));

    if (name == NULL || target == NULL)
        return error_exhausted(load->err);
    if (import_find(rules, name) != NULL)
        return 0;
    *target = *as;
    *key = (struct import_key){ name, target, 1 };
    rules->n_keys++;
    return 0;
}

/* fields: true, or the name of the map that they stand in. */
static int load_fields(struct loader *load, const struct tree *fields,
                       struct import_rules *rules, struct import_key *keys)
{
    const struct runtime *rt = load->rt;
    const struct tree *options = tree_get(rt->document, "options");
    const char *prefix = "";

    if (fields == NULL || (fields->type == TREE_BOOL && !fields->u.boolean))
        return 0;
    if (fields->type == TREE_STRING)
        prefix = arena_printf(load->arena, "%s.", fields->text);
    if (prefix == NULL)
        return error_exhausted(load->err);
    for (size_t i = 0; i < rt->n_axes; i++) {
        const struct import_target target = { .kind = IMPORT_AXIS,
                                              .index = (int)i,
                                              .name = rt->axes[i].name,
                                              .types = VALUE_INT };

        if (add_field(load, rules, &keys[rules->n_keys], prefix,
                      rt->axes[i].field, &target) < 0)
            return -1;
    }
    for (size_t i = 0; i < rt->n_options; i++) {
        const char *name = rt->options[i].name;
        const char *field = read_string(tree_get(options, name), "field");
        const struct import_target target = { .kind = IMPORT_OPTION,
                                              .index = (int)i,
                                              .name = name,
                                              .types = rt->options[i].types };

        if (add_field(load, rules, &keys[rules->n_keys], prefix,
                      field != NULL ? field : name, &target) < 0)
            return -1;
    }
    return 0;
}

static int load_keys(struct loader *load, const struct tree *map,
                     const struct tree *fields, struct import_rules *rules)
{
    const struct runtime *rt = load->rt;
    struct import_key *keys;

    if (tree_count(map) > IMPORT_KEYS_MAX)
        return tree_error(map, load->err, STATUS_INVALID,
                          "%zu keys; at most %d are read", tree_count(map),
                          IMPORT_KEYS_MAX);
    keys = load_array(load, tree_count(map) + rt->n_axes + rt->n_options,
                      sizeof(*keys));
    if (keys == NULL)
        return -1;
    rules->keys = keys;
    for (const struct tree *t = tree_first(map); t != NULL; t = t->next) {
        if (load_key(load, t, rules, &keys[rules->n_keys]) < 0)
            return -1;
        rules->n_keys++;
    }
    return load_fields(load, fields, rules, keys);
}

static bool is_fact(struct loader *load, const char *name)
{
    const struct symbol *symbol = runtime_symbol(load->rt, name);

    return symbol != NULL && symbol->kind == SYMBOL_FACT;
}

static int load_same(struct loader *load, const struct tree *map,
                     struct import_rules *rules)
{
    struct import_same *same = load_parts(load, map, sizeof(*same));

    if (same == NULL)
        return -1;
    rules->same = same;
    for (const struct tree *t = tree_first(map); t != NULL; t = t->next) {
        if (read_type(t, READ_STRING, load->err) < 0)
            return -1;
        if (!is_fact(load, t->key) || !is_fact(load, t->text))
            return tree_error(t, load->err, STATUS_INVALID,
                              "\"%s\" is not a fact that this runtime reads",
                              is_fact(load, t->key) ? t->text : t->key);
        same[rules->n_same++] = (struct import_same){ t->key, t->text };
    }
    return 0;
}

static int load_names(struct loader *load, const struct tree *list,
                      const char *const **ret, size_t *ret_n)
{
    if (list == NULL)
        return 0;
    if (tree_count(list) > IMPORT_KEYS_MAX)
        return tree_error(list, load->err, STATUS_INVALID,
                          "%zu names; at most %d are read", tree_count(list),
                          IMPORT_KEYS_MAX);
    return read_names(load->arena, list, ret, ret_n, load->err);
}

int load_import(struct loader *load)
{
    const struct tree *map = tree_get(load->rt->document, "import");
    struct import_rules *rules;

    if (map == NULL)
        return 0;
    if (read_keys(map, import_keys, ARRAY_LEN(import_keys), load->err) < 0)
        return -1;
    if (!load->rt->spans)
        return tree_error_key(map, load->err, STATUS_INVALID,
                              "requests of this runtime have node groups, so "
                              "its files are read as they are");
    rules = load_array(load, 1, sizeof(*rules));
    if (rules == NULL)
        return -1;
    load->rt->import = rules;
    if (load_names(load, tree_get(map, "inside"), &rules->inside,
                   &rules->n_inside) < 0 ||
        load_names(load, tree_get(map, "ignore"), &rules->ignore,
                   &rules->n_ignore) < 0 ||
        load_keys(load, tree_get(map, "keys"), tree_get(map, "fields"), rules) <
            0)
        return -1;
    return load_same(load, tree_get(map, "same"), rules);
}
