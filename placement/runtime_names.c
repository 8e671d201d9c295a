/* SPDX-License-Identifier: Apache-2.0 */
/* What names mean while a runtime is loaded. */
#include "placement/runtime_load.h"

#include <string.h>

#include "placement/items.h"
#include "placement/reader.h"

/* clang-format off */
static const struct builtin {
    const char *name;
    int slot;
    struct shape shape;
    bool everywhere;
} builtins[] = {
#define X(id, name, types_, kind_, everywhere_)                              \
    { name, SLOT_##id,                                                       \
      { .types = types_,                                                     \
        .kind = (types_) == VALUE_OBJECT ? (kind_) : 0,                      \
        .element_types = (types_) == VALUE_LIST ? VALUE_OBJECT : 0,          \
        .element_kind = (types_) == VALUE_LIST ? (kind_) : 0 },              \
      everywhere_ },
    NAME_LIST(X)
#undef X
};
/* clang-format on */

void *load_array(struct loader *load, size_t n, size_t size)
{
    void *array = arena_array(load->arena, n + 1, size);

    if (array == NULL)
        error_exhausted(load->err);
    return array;
}

void *load_parts(struct loader *load, const struct tree *list, size_t size)
{
    if (tree_count(list) <= RUNTIME_PARTS_MAX)
        return load_array(load, tree_count(list), size);
    tree_error(list, load->err, STATUS_INVALID,
               "%zu entries; at most %d are read", tree_count(list),
               RUNTIME_PARTS_MAX);
    return NULL;
}

/* Where a name stands in the hash table of symbols, or the free place where it
 * would. The table is never more than half full. */
static uint16_t *symbol_place(const struct runtime *rt, const char *name)
{
    uint32_t hash = 2166136261u; /* FNV-1a */

    for (const char *p = name; *p != '\0'; p++)
        hash = (hash ^ (uint8_t)*p) * 16777619u;
    for (;; hash++) {
        uint16_t *place = &rt->symbol_index[hash % SYMBOL_INDEX_SIZE];

        if (*place == 0 || strcmp(rt->symbols[*place - 1].name, name) == 0)
            return place;
    }
}

const struct symbol *runtime_symbol(const struct runtime *rt, const char *name)
{
    uint16_t place = *symbol_place(rt, name);

    return place != 0 ? &rt->symbols[place - 1] : NULL;
}

const struct symbol *runtime_symbol_at(const struct runtime *rt, int slot)
{
    if (slot < SLOT_FIRST)
        return NULL;
    return &rt->symbols[slot - SLOT_FIRST];
}

static const struct builtin *builtin_named(const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(builtins); i++)
        if (strcmp(builtins[i].name, name) == 0)
            return &builtins[i];
    return NULL;
}

bool name_is_builtin(const char *name)
{
    return builtin_named(name) != NULL;
}

/* Words of the expression language. */
static bool is_reserved(const char *name)
{
    return strcmp(name, "true") == 0 || strcmp(name, "false") == 0 ||
           strcmp(name, "in") == 0;
}

int name_add(struct loader *load, const char *name, enum symbol_kind kind,
             int index, struct shape shape, const struct tree *at)
{
    struct runtime *rt = load->rt;
    struct symbol *symbol = &rt->symbols[rt->n_symbols];
    const struct builtin *builtin = builtin_named(name);

    if (!read_is_identifier(name) || is_reserved(name))
        return tree_error(at, load->err, STATUS_INVALID,
                          "\"%s\" cannot be a name: letters, digits and _, not "
                          "first a digit, at most 64, and no word of the "
                          "expression language",
                          name);
    if ((builtin != NULL && builtin->everywhere &&
         (!load->rt->spans || builtin->shape.types != VALUE_LIST)) ||
        runtime_symbol(rt, name) != NULL)
        return tree_error(at, load->err, STATUS_INVALID,
                          "the name %s has a meaning already; take another",
                          name);
    if (rt->n_symbols == RUNTIME_NAMES_MAX)
        return tree_error(at, load->err, STATUS_EXHAUSTED, "more than %d names",
                          RUNTIME_NAMES_MAX);
    *symbol = (struct symbol){ .name = name,
                               .kind = kind,
                               .index = index,
                               .slot = SLOT_FIRST + (int)rt->n_symbols,
                               .shape = shape,
                               .at = at };
    if (kind == SYMBOL_AXIS || kind == SYMBOL_OPTION || kind == SYMBOL_DERIVED)
        symbol->state = SYMBOL_WAITING;
    rt->n_symbols++;
    *symbol_place(rt, name) = (uint16_t)rt->n_symbols;
    rt->n_slots = symbol->slot + 1;
    return symbol->slot;
}

/* ---- the name space ----------------------------------------------------- */

/* Names whose value differs from group to group. */
static bool is_scoped(enum symbol_kind kind)
{
    return kind == SYMBOL_AXIS || kind == SYMBOL_DERIVED;
}

/* Axes in the order written, so that what counts them comes after all. */
static int compile_axes(struct loader *load)
{
    for (size_t i = 0; i < load->rt->n_symbols; i++)
        if (load->rt->symbols[i].kind == SYMBOL_AXIS &&
            compile_symbol(load, &load->rt->symbols[i]) < 0)
            return -1;
    return 0;
}

static int look_up_builtin(struct loader *load, const struct builtin *builtin,
                           struct shape *ret_shape)
{
    if (!builtin->everywhere && !load->in_check)
        return -1;
    if (load->depth > 0 && builtin->shape.types == VALUE_LIST) {
        tree_error(load->at, load->err, STATUS_INVALID,
                   "%s cannot be read by a size: sizes are computed first",
                   builtin->name);
        return -2;
    }
    if (builtin->slot == SLOT_AXES_ABOVE_ONE && compile_axes(load) < 0)
        return -2;
    if (builtin->slot == SLOT_WORLD || builtin->slot == SLOT_GIVEN ||
        builtin->slot == SLOT_AXES_ABOVE_ONE)
        load->read_scope = true;
    if (builtin->shape.types == VALUE_LIST)
        load->rt->reads |= 1u << builtin->slot;
    *ret_shape = builtin->shape;
    return builtin->slot;
}

static int look_up(void *arg, const char *name, struct shape *ret_shape,
                   struct error *err)
{
    struct loader *load = arg;
    struct error *outer = load->err;
    const struct builtin *builtin = builtin_named(name);
    struct symbol *symbol;
    int rc;

    if (load->alias != NULL && strcmp(load->alias, name) == 0) {
        *ret_shape = load->alias_shape;
        return SLOT_ITEM;
    }
    symbol = (struct symbol *)runtime_symbol(load->rt, name);
    if (symbol == NULL && builtin != NULL)
        return look_up_builtin(load, builtin, ret_shape);
    if (symbol == NULL)
        return -1;
    load->err = err;
    rc = compile_symbol(load, symbol);
    load->err = outer;
    if (rc < 0)
        return -2;
    load->read_scope |= is_scoped(symbol->kind);
    *ret_shape = symbol->shape;
    return symbol->slot;
}

static int look_up_member(void *arg, uint16_t kind, const char *name,
                          struct shape *ret_shape)
{
    struct loader *load = arg;
    const struct symbol *symbol = runtime_symbol(load->rt, name);

    if (item_has_own(kind, name))
        symbol = NULL;
    /* p.head_shards needs to know what head_shards is */
    if (symbol != NULL && kind != KIND_GIVEN &&
        compile_symbol(load, (struct symbol *)symbol) < 0)
        return -2;
    return item_member(load->rt, kind, name, ret_shape);
}

static const char *nearest(void *arg, uint16_t kind, const char *name)
{
    const struct loader *load = arg;
    const char *names[RUNTIME_NAMES_MAX + ARRAY_LEN(builtins) + 1];
    size_t n = 0;

    if (kind != 0)
        return item_nearest(load->rt, kind, name);
    names[n++] = load->alias;
    for (size_t i = 0; i < load->rt->n_symbols; i++)
        names[n++] = load->rt->symbols[i].name;
    for (size_t i = 0; i < ARRAY_LEN(builtins); i++)
        if (builtins[i].everywhere || load->in_check)
            names[n++] = builtins[i].name;
    return text_nearest(name, names, n);
}

static int look_up_lists(void *arg, const char *name, struct shape *ret_shape)
{
    struct loader *load = arg;
    struct runtime *rt = load->rt;
    struct error ignored;

    if (load->depth > 0 || load->in_layout)
        return -1; /* lists are laid out by sizes */
    if (rt->n_lists == RUNTIME_LISTS_MAX ||
        runtime_list_name(rt, load->arena, name, &rt->lists[rt->n_lists],
                          &ignored) < 0)
        return -1;
    load->read_scope = true;
    *ret_shape = (struct shape){ .types = VALUE_LIST,
                                 .element_types = VALUE_OBJECT,
                                 .element_kind = KIND_LIST };
    return (int)rt->n_lists++;
}

const struct expression *compile(struct loader *load, const struct tree *at,
                                 unsigned want)
{
    const struct name_space names = { .name = look_up,
                                      .member = look_up_member,
                                      .nearest = nearest,
                                      .lists = look_up_lists,
                                      .arg = load };
    const struct tree *outer = load->at;
    const struct expression *compiled;

    load->at = at;
    compiled = expression_compile(load->arena, at, &names, want, load->err);
    load->at = outer;
    return compiled;
}

int compile_child(struct loader *load, const struct tree *map, const char *key,
                  unsigned want, const struct expression **ret)
{
    const struct tree *child = tree_get(map, key);

    *ret = NULL;
    if (child == NULL)
        return 0;
    if (read_type(child, READ_SCALAR, load->err) < 0)
        return -1;
    *ret = compile(load, child, want);
    return *ret != NULL ? 0 : -1;
}
