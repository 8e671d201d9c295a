/* SPDX-License-Identifier: Apache-2.0 */
/* The named values of a runtime: options, facts, carried keys, tables, derived
 * sizes. */
#include <string.h>

#include "placement/deployment.h"
#include "placement/reader.h"
#include "placement/runtime_load.h"

/* clang-format off */
static const struct read_key option_keys[] = {
    { "type",    READ_STRING,              true },
    { "default", READ_SCALAR | READ_LIST,  false },
    { "one_of",  READ_LIST,                false },
    { "field",   READ_STRING,              false },
};
static const struct read_key carry_keys[] = {
    { "type",     READ_STRING, false },
    { "required", READ_BOOL,   false },
    { "warn",     READ_STRING, false },
    { "code",     READ_STRING, false },
    { "merge",    READ_STRING, false },
    { "as",       READ_STRING, false },
};
/* Facts that every runtime knows: name and types. A fact is a number or a list
 * by layer. */
static const struct {
    const char *name;
    unsigned types;
} builtin_facts[] = {
    { "heads",             VALUE_INT | VALUE_LIST },
    { "kv_heads",          VALUE_INT | VALUE_LIST },
    { "head_dim",          VALUE_INT | VALUE_LIST },
    { "hidden",            VALUE_INT | VALUE_LIST },
    { "layers",            VALUE_INT },
    { "experts",           VALUE_INT | VALUE_LIST },
    { "experts_per_token", VALUE_INT | VALUE_LIST },
    { "expert_ffn",        VALUE_INT | VALUE_LIST },
    { "ffn",               VALUE_INT | VALUE_LIST },
    { "vocab",             VALUE_INT },
    { "context",           VALUE_INT },
    { "mla",               VALUE_BOOL },
};

/* The words for types in `type:`. */
static const struct type_word {
    const char *name;
    unsigned types, reads;
} type_words[] = {
    { "int",    VALUE_INT,    READ_INT },
    { "number", VALUE_NUMBER, READ_NUMBER },
    { "bool",   VALUE_BOOL,   READ_BOOL },
    { "string", VALUE_STRING, READ_STRING },
    { "list",   VALUE_LIST,   READ_LIST },
    { "map",    VALUE_MAP,    READ_MAP },
    { "any",    VALUE_ANY & ~VALUE_OBJECT, READ_ANY },
};
/* clang-format on */

static const struct type_word *type_word(struct loader *load,
                                         const struct tree *at)
{
    for (size_t i = 0; i < ARRAY_LEN(type_words); i++)
        if (strcmp(type_words[i].name, at->text) == 0)
            return &type_words[i];
    tree_error(at, load->err, STATUS_INVALID,
               "no type is called \"%s\"; there are int, number, bool, string, "
               "list, map, any",
               at->text);
    return NULL;
}

/* Allowed values have the option's type, and the default is among them. */
static int check_one_of(struct loader *load, const struct tree *t,
                        const struct type_word *word)
{
    const struct tree *one_of = tree_get(t, "one_of");
    const struct tree *initial = tree_get(t, "default");
    bool found = initial == NULL ||
                 (initial->type == TREE_STRING && word->types != VALUE_STRING);

    for (const struct tree *o = tree_first(one_of); o != NULL; o = o->next) {
        if (read_type(o, word->reads, load->err) < 0)
            return -1;
        found |= initial != NULL && initial->type == o->type &&
                 initial->len == o->len &&
                 memcmp(initial->text, o->text, o->len) == 0;
    }
    if (one_of != NULL && !found)
        return tree_error(initial, load->err, STATUS_INVALID,
                          "the default is not among one_of");
    return 0;
}

int runtime_option(const struct runtime *rt, const char *name)
{
    for (size_t i = 0; i < rt->n_options; i++)
        if (strcmp(rt->options[i].name, name) == 0 ||
            strcmp(rt->options[i].field, name) == 0)
            return (int)i;
    return -1;
}

/* The name users type, which no other option has. */
static int load_option_field(struct loader *load, const struct tree *t,
                             struct option *option)
{
    option->field = read_string(t, "field");
    if (option->field == NULL)
        option->field = option->name;
    if (runtime_option(load->rt, option->field) >= 0 ||
        runtime_option(load->rt, option->name) >= 0)
        return tree_error(t, load->err, STATUS_INVALID,
                          "an option called %s is there already",
                          option->field);
    return 0;
}

int load_options(struct loader *load)
{
    struct runtime *rt = load->rt;
    const struct tree *map = tree_get(rt->document, "options");

    rt->options = load_array(load, tree_count(map), sizeof(*rt->options));
    if (rt->options == NULL)
        return -1;
    for (const struct tree *t = tree_first(map); t != NULL; t = t->next) {
        struct option *option = &rt->options[rt->n_options];
        const struct type_word *word;

        if (read_keys(t, option_keys, ARRAY_LEN(option_keys), load->err) < 0)
            return -1;
        word = type_word(load, tree_get(t, "type"));
        if (word == NULL)
            return -1;
        option->name = t->key;
        option->types = word->types;
        option->one_of = tree_get(t, "one_of");
        if (check_one_of(load, t, word) < 0 ||
            load_option_field(load, t, option) < 0)
            return -1;
        option->slot = name_add(
            load, t->key, SYMBOL_OPTION, (int)rt->n_options,
            (struct shape){ .types = (uint8_t)word->types,
                            .element_types = VALUE_ANY & ~VALUE_OBJECT },
            t);
        if (option->slot < 0)
            return -1;
        rt->n_options++;
    }
    return 0;
}

static int add_fact(struct loader *load, const char *name, unsigned types,
                    const struct tree *at)
{
    struct runtime *rt = load->rt;
    struct fact *fact = &rt->facts[rt->n_facts];

    fact->name = name;
    fact->slot = name_add(load, name, SYMBOL_FACT, (int)rt->n_facts,
                          (struct shape){ .types = (uint8_t)types,
                                          .element_types = VALUE_NUMBER },
                          at);
    if (fact->slot < 0)
        return -1;
    rt->n_facts++;
    return 0;
}

/* A built-in fact may be declared again, with a type it has. */
static bool is_builtin_fact(const char *name, unsigned types)
{
    for (size_t i = 0; i < ARRAY_LEN(builtin_facts); i++)
        if (strcmp(builtin_facts[i].name, name) == 0)
            return (types & ~builtin_facts[i].types) == 0;
    return false;
}

int load_facts(struct loader *load)
{
    struct runtime *rt = load->rt;
    const struct tree *map = tree_get(rt->document, "facts");

    rt->facts = load_array(load, tree_count(map) + ARRAY_LEN(builtin_facts),
                           sizeof(*rt->facts));
    if (rt->facts == NULL)
        return -1;
    for (size_t i = 0; i < ARRAY_LEN(builtin_facts); i++)
        if (add_fact(load, builtin_facts[i].name, builtin_facts[i].types,
                     rt->document) < 0)
            return -1;
    for (const struct tree *t = tree_first(map); t != NULL; t = t->next) {
        const struct type_word *word;

        if (read_type(t, READ_STRING, load->err) < 0)
            return -1;
        word = type_word(load, t);
        if (word == NULL)
            return -1;
        if (is_builtin_fact(t->key, word->types))
            continue;
        if (add_fact(load, t->key, word->types, t) < 0)
            return -1;
    }
    return 0;
}

static int load_carry(struct loader *load, const struct tree *t)
{
    static const char group_prefix[] = "node_groups.";
    struct runtime *rt = load->rt;
    struct carry *carry = &rt->carries[rt->n_carries];
    const struct tree *type, *merge;
    const struct type_word *word;

    if (read_keys(t, carry_keys, ARRAY_LEN(carry_keys), load->err) < 0)
        return -1;
    type = tree_get(t, "type");
    merge = tree_get(t, "merge");
    word = type != NULL ? type_word(load, type)
                        : &type_words[ARRAY_LEN(type_words) - 1];
    if (word == NULL)
        return -1;
    if (merge != NULL && strcmp(merge->text, "shard_dim") != 0)
        return tree_error(merge, load->err, STATUS_INVALID,
                          "only shard_dim can be merged");
    carry->in_group = strncmp(t->key, group_prefix, strlen(group_prefix)) == 0;
    carry->name = t->key + (carry->in_group ? strlen(group_prefix) : 0);
    if (deployment_has_key(carry->name, carry->in_group) ||
        (carry->in_group && runtime_axis_field(rt, carry->name) >= 0))
        return tree_error_key(t, load->err, STATUS_INVALID,
                              "the key %s has a meaning already", carry->name);
    carry->types = word->reads;
    carry->required = tree_true(t, "required");
    carry->warn = read_string(t, "warn");
    carry->code = read_string(t, "code");
    carry->merge_shard_dim = merge != NULL;
    carry->slot = -1;
    if (!carry->in_group) {
        const char *as = read_string(t, "as");

        carry->slot = name_add(
            load, as != NULL ? as : carry->name, SYMBOL_CARRY,
            (int)rt->n_carries,
            (struct shape){ .types = (uint8_t)word->types,
                            .element_types = VALUE_ANY & ~VALUE_OBJECT },
            t);
        if (carry->slot < 0)
            return -1;
    }
    rt->n_carries++;
    return 0;
}

int load_carries(struct loader *load)
{
    struct runtime *rt = load->rt;
    const struct tree *map = tree_get(rt->document, "carry");

    if (tree_count(map) > RUNTIME_PARTS_MAX)
        return tree_error(map, load->err, STATUS_INVALID,
                          "%zu carried keys; at most %d are read",
                          tree_count(map), RUNTIME_PARTS_MAX);
    rt->carries = load_array(load, tree_count(map), sizeof(*rt->carries));
    if (rt->carries == NULL)
        return -1;
    for (const struct tree *t = tree_first(map); t != NULL; t = t->next)
        if (load_carry(load, t) < 0)
            return -1;
    return 0;
}

int load_tables(struct loader *load)
{
    struct runtime *rt = load->rt;
    const struct tree *map = tree_get(rt->document, "tables");
    const struct tree **tables;

    tables = load_array(load, tree_count(map), sizeof(*tables));
    if (tables == NULL)
        return -1;
    rt->tables = tables;
    for (const struct tree *t = tree_first(map); t != NULL; t = t->next) {
        for (const struct tree *row = tree_first(t); row != NULL;
             row = row->next)
            if (read_type(row, READ_MAP, load->err) < 0)
                return -1;
        if (read_type(t, READ_MAP, load->err) < 0 ||
            name_add(load, t->key, SYMBOL_TABLE, (int)rt->n_tables,
                     (struct shape){ .types = VALUE_MAP }, t) < 0)
            return -1;
        tables[rt->n_tables++] = t;
    }
    return 0;
}

int load_derived(struct loader *load)
{
    struct runtime *rt = load->rt;
    const struct tree *map = tree_get(rt->document, "derive");

    rt->derived = load_array(load, tree_count(map), sizeof(*rt->derived));
    if (rt->derived == NULL)
        return -1;
    for (const struct tree *t = tree_first(map); t != NULL; t = t->next) {
        struct derived *derived = &rt->derived[rt->n_derived];

        derived->name = t->key;
        derived->slot = name_add(load, t->key, SYMBOL_DERIVED,
                                 (int)rt->n_derived, (struct shape){ 0 }, t);
        if (derived->slot < 0)
            return -1;
        rt->n_derived++;
    }
    return 0;
}

/* Values by slot of a request that says nothing. What is computed is pending.
 */
int load_initial(struct loader *load)
{
    static const struct tree empty = { .type = TREE_MAP };
    struct runtime *rt = load->rt;
    struct value *initial =
        load_array(load, (size_t)rt->n_slots, sizeof(*initial));

    if (initial == NULL)
        return -1;
    for (int i = 0; i < rt->n_slots; i++)
        initial[i] = value_unknown();
    for (size_t i = 0; i < rt->n_options; i++) {
        const struct option *option = &rt->options[i];

        initial[option->slot] = value_of_tree(option->literal, load->arena);
        if (option->initial != NULL)
            initial[option->slot].state = VALUE_PENDING;
    }
    for (size_t i = 0; i < rt->n_derived; i++)
        initial[rt->derived[i].slot].state = VALUE_PENDING;
    for (size_t i = 0; i < rt->n_carries; i++)
        if (rt->carries[i].slot >= 0 && rt->carries[i].types == 1u << TREE_MAP)
            initial[rt->carries[i].slot] = value_of_tree(&empty, load->arena);
    for (size_t i = 0; i < rt->n_symbols; i++)
        if (rt->symbols[i].kind == SYMBOL_TABLE)
            initial[rt->symbols[i].slot] =
                value_of_tree(rt->tables[rt->symbols[i].index], load->arena);
    rt->initial = initial;
    return arena_failed(load->arena) ? error_exhausted(load->err) : 0;
}
