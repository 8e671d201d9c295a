/* SPDX-License-Identifier: Apache-2.0 */
/* Names and values for the tests of expressions. */
#ifndef SERRIED_TESTS_PLACEMENT_EXPRESSION_FIXTURE_H
#define SERRIED_TESTS_PLACEMENT_EXPRESSION_FIXTURE_H

#include <string.h>

#include "placement/expression.h"

enum { KIND_PLACED = 1, KIND_NODE, ARENA_BYTES = 4 << 20 };

/* One placed node; node is itself an object, with a free-form map. */
struct placed {
    int64_t cfg;
    bool heads_known;
    const struct tree *axes;
};

/* What every test of expressions has at hand. */
struct fixture {
    struct arena *arena;
    struct placed placed[2];
    struct value list[2], some[2], slots[40];
    const struct tree *trainers, *axes;
    struct environment env;
    struct name_space names;
};

/* clang-format off */
static const struct {
    const char *name;
    struct shape shape;
} fixture_names[] = {
    { "ep", { .types = VALUE_INT } },
    { "tp", { .types = VALUE_INT } },
    { "etp", { .types = VALUE_INT } },
    { "stage", { .types = VALUE_INT } },
    { "world", { .types = VALUE_INT } },
    { "zero", { .types = VALUE_INT } },
    { "most", { .types = VALUE_INT } },
    { "least", { .types = VALUE_INT } },
    { "half", { .types = VALUE_DOUBLE } },
    { "name", { .types = VALUE_STRING } },
    { "yes", { .types = VALUE_BOOL } },
    { "no", { .types = VALUE_BOOL } },
    { "what", { .types = VALUE_INT } },           /* unknown */
    { "whether", { .types = VALUE_BOOL } },       /* unknown */
    { "bad", { .types = VALUE_INT } },            /* undefined */
    { "worse", { .types = VALUE_BOOL } },         /* undefined */
    { "heads", { .types = VALUE_INT | VALUE_LIST,
                 .element_types = VALUE_INT } },  /* 28, 28 */
    { "layers", { .types = VALUE_INT | VALUE_LIST,
                  .element_types = VALUE_INT } }, /* 24 */
    { "experts", { .types = VALUE_INT | VALUE_LIST,
                   .element_types = VALUE_INT } }, /* unknown */
    { "some", { .types = VALUE_LIST, .element_types = VALUE_INT } },
    { "trainers", { .types = VALUE_MAP } },
    { "trainer", { .types = VALUE_STRING } },
    { "p", { .types = VALUE_OBJECT, .kind = KIND_PLACED } },
    { "placed", { .types = VALUE_LIST, .element_types = VALUE_OBJECT,
                  .element_kind = KIND_PLACED } },
    { "nodes", { .types = VALUE_LIST, .element_types = VALUE_OBJECT,
                 .element_kind = KIND_NODE } },
    { "any", { .types = VALUE_ANY & ~VALUE_OBJECT } }, /* the list 1, 2 */
};

/* Members by kind: index is the member's number. */
static const struct {
    uint16_t kind;
    const char *name;
    struct shape shape;
} fixture_members[] = {
    { KIND_PLACED, "cfg", { .types = VALUE_INT } },
    { KIND_PLACED, "node", { .types = VALUE_OBJECT, .kind = KIND_NODE } },
    { KIND_NODE, "axes", { .types = VALUE_MAP } },
    { KIND_NODE, "kv_heads", { .types = VALUE_INT } },
};
/* clang-format on */

static inline int fixture_slot(const char *name)
{
    for (int i = 0; i < (int)ARRAY_LEN(fixture_names); i++)
        if (strcmp(fixture_names[i].name, name) == 0)
            return i;
    return -1;
}

static inline int fixture_name(void *arg, const char *name,
                               struct shape *ret_shape, struct error *err)
{
    int slot = fixture_slot(name);

    (void)arg;
    if (strcmp(name, "cyclic") == 0) {
        error_set(err, STATUS_INVALID, "cyclic is computed from itself");
        return -2;
    }
    if (slot >= 0)
        *ret_shape = fixture_names[slot].shape;
    return slot;
}

static inline int fixture_member(void *arg, uint16_t kind, const char *name,
                                 struct shape *ret_shape)
{
    (void)arg;
    for (int i = 0; i < (int)ARRAY_LEN(fixture_members); i++)
        if (fixture_members[i].kind == kind &&
            strcmp(fixture_members[i].name, name) == 0) {
            *ret_shape = fixture_members[i].shape;
            return i;
        }
    return -1;
}

static inline const char *fixture_nearest(void *arg, uint16_t kind,
                                          const char *name)
{
    const char *names[ARRAY_LEN(fixture_names) + ARRAY_LEN(fixture_members)];
    size_t n = 0;

    (void)arg;
    for (size_t i = 0; kind == 0 && i < ARRAY_LEN(fixture_names); i++)
        names[n++] = fixture_names[i].name;
    for (size_t i = 0; i < ARRAY_LEN(fixture_members); i++)
        if (fixture_members[i].kind == kind)
            names[n++] = fixture_members[i].name;
    return text_nearest(name, names, n);
}

static inline int fixture_lists(void *arg, const char *name,
                                struct shape *ret_shape)
{
    (void)arg;
    *ret_shape = (struct shape){ .types = VALUE_LIST,
                                 .element_types = VALUE_OBJECT,
                                 .element_kind = KIND_PLACED };
    return strcmp(name, "mesh.a") == 0 ? 7 : -1;
}

static inline struct value fixture_value(const struct environment *env,
                                         struct value object, int member)
{
    const struct placed *placed = object.u.object;

    (void)env;
    switch (member) {
    case 0:
        return value_int(placed->cfg);
    case 1:
        return value_object(KIND_NODE, placed);
    case 2:
        return (struct value){ .type = VALUE_MAP, .u.tree = placed->axes };
    default:
        return placed->heads_known ? value_int(8) : value_unknown();
    }
}

static inline struct value fixture_list_value(const struct environment *env,
                                              int list)
{
    const struct fixture *f = env->arg;

    return list == 7 ? value_list(f->list, 2) : value_undefined();
}

static inline struct tree *fixture_row(struct fixture *f, struct tree *map,
                                       const char *key, bool cp, int64_t rows)
{
    struct tree_maker maker = { .arena = f->arena };
    struct tree *row = make_map(&maker, map, key);

    make_bool(&maker, row, "cp", cp);
    make_int(&maker, row, "rows", rows);
    return row;
}

static inline void fixture_set(struct fixture *f, const char *name,
                               struct value v)
{
    f->slots[fixture_slot(name)] = v;
}

static inline void fixture_maps(struct fixture *f)
{
    struct tree *trainers = tree_new(f->arena, NULL, NULL, TREE_MAP);
    struct tree *axes = tree_new(f->arena, NULL, NULL, TREE_MAP);
    struct tree_maker maker = { .arena = f->arena };

    fixture_row(f, trainers, "sft", true, 1);
    fixture_row(f, trainers, "dpo", false, 2);
    make_int(&maker, trainers, "8", 80);
    make_int(&maker, make_map(&maker, axes, "cfg"), "branches", 2);
    f->trainers = trainers;
    f->axes = axes;
}

static inline void fixture_values(struct fixture *f)
{
    static const struct value pair[] = {
        { .type = VALUE_INT, .u.integer = 28 },
        { .type = VALUE_INT, .u.integer = 28 },
    };

    fixture_set(f, "ep", value_int(4));
    fixture_set(f, "tp", value_int(3));
    fixture_set(f, "etp", value_int(4));
    fixture_set(f, "stage", value_int(8));
    fixture_set(f, "world", value_int(8));
    fixture_set(f, "zero", value_int(0));
    fixture_set(f, "most", value_int(INT64_MAX));
    fixture_set(f, "least", value_int(INT64_MIN));
    fixture_set(f, "half", value_double(0.5));
    fixture_set(f, "name", value_string("wan"));
    fixture_set(f, "yes", value_bool(true));
    fixture_set(f, "no", value_bool(false));
    fixture_set(f, "what", value_unknown());
    fixture_set(f, "whether", value_unknown());
    fixture_set(f, "bad", value_undefined());
    fixture_set(f, "worse", value_undefined());
    fixture_set(f, "heads", value_list(pair, 2));
    fixture_set(f, "layers", value_int(24));
    fixture_set(f, "experts", value_unknown());
    fixture_set(f, "some", value_list(f->some, 2));
    fixture_set(f, "trainer", value_string("dpo"));
    fixture_set(f, "trainers",
                (struct value){ .type = VALUE_MAP, .u.tree = f->trainers });
    fixture_set(f, "p", f->list[0]);
    fixture_set(f, "placed", value_list(f->list, 2));
    fixture_set(f, "nodes", value_list(NULL, 0));
    fixture_set(f, "any", value_list(pair, 2));
}

static inline void fixture_open(struct fixture *f)
{
    *f = (struct fixture){ .arena = arena_new(ARENA_BYTES) };
    fixture_maps(f);
    f->placed[0] = (struct placed){ 3, false, f->axes };
    f->placed[1] = (struct placed){ 1, true, f->axes };
    for (int i = 0; i < 2; i++)
        f->list[i] = value_object(KIND_PLACED, &f->placed[i]);
    f->some[0] = value_int(8);
    f->some[1] = value_unknown();
    fixture_values(f);
    f->names = (struct name_space){ .name = fixture_name,
                                    .member = fixture_member,
                                    .nearest = fixture_nearest,
                                    .lists = fixture_lists,
                                    .arg = f };
    f->env = (struct environment){ .slots = f->slots,
                                   .member = fixture_value,
                                   .lists = fixture_list_value,
                                   .arena = f->arena,
                                   .arg = f };
}

static inline void fixture_close(struct fixture *f)
{
    arena_free(f->arena);
}

/* Compiles a source that stands at line 12, column 8 of rules[0].refuse. */
static inline const struct expression *fixture_compile(struct fixture *f,
                                                       const char *source,
                                                       unsigned want,
                                                       struct error *err)
{
    struct tree *top = tree_new(f->arena, NULL, NULL, TREE_MAP);
    struct tree *rules = tree_new(f->arena, top, "rules", TREE_LIST);
    struct tree *rule = tree_new(f->arena, rules, NULL, TREE_MAP);
    struct tree *at = tree_new_string(f->arena, rule, "refuse", source);

    at->line = 12;
    at->column = 8;
    return expression_compile(f->arena, at, &f->names, want, err);
}

#endif
