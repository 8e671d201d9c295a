/* SPDX-License-Identifier: Apache-2.0 */
/* Names that expressions of a runtime use, the slots of their values, and when
 * those are at rest. */
#ifndef SERRIED_PLACEMENT_RUNTIME_NAMES_H
#define SERRIED_PLACEMENT_RUNTIME_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/tree.h"
#include "placement/expression.h"

/* Kinds of objects that expressions see. The members each has are rows of the
 * table in items.c. */
enum kind {
    KIND_GIVEN = 1, /* the raw request */
    KIND_NODE,
    KIND_GROUP,
    KIND_PLACED, /* a node in a group */
    KIND_INSTANCE,
    KIND_SIGNAL,
    KIND_RESOURCE,
    KIND_STREAM,
    KIND_WALK,
    KIND_COMBINED,
    KIND_LIST, /* one list of lists("v.a") */
};

/* Names that every runtime has: slot, name, types, kind of its items, and
 * where it can be seen: everywhere, or in the `try` of a structure check, where
 * it stands for what the finding is about. */
/* clang-format off */
#define NAME_LIST(X)                                                         \
    X(WORLD,           "world",           VALUE_INT,    0,              true)  \
    X(AXES_ABOVE_ONE,  "axes_above_one",  VALUE_INT,    0,              true)  \
    X(MODEL,           "model",           VALUE_STRING, 0,              true)  \
    X(GIVEN,           "given",           VALUE_OBJECT, KIND_GIVEN,     true)  \
    X(NODES,           "nodes",           VALUE_LIST,   KIND_NODE,      true)  \
    X(GROUPS,          "groups",          VALUE_LIST,   KIND_GROUP,     true)  \
    X(PLACED,          "placed",          VALUE_LIST,   KIND_PLACED,    true)  \
    X(INSTANCES,       "instances",       VALUE_LIST,   KIND_INSTANCE,  true)  \
    X(SIGNALS,         "signals",         VALUE_LIST,   KIND_SIGNAL,    true)  \
    X(RESOURCES,       "resources",       VALUE_LIST,   KIND_RESOURCE,  true)  \
    X(STREAMS,         "streams",         VALUE_LIST,   KIND_STREAM,    true)  \
    X(WALKS,           "walks",           VALUE_LIST,   KIND_WALK,      true)  \
    X(COMBINED,        "combined",        VALUE_LIST,   KIND_COMBINED,  true)  \
    X(AT_AXIS,         "axis",            VALUE_STRING, 0,              false) \
    X(AT_SIZE,         "size",            VALUE_INT,    0,              false) \
    X(AT_NODE,         "node",            VALUE_OBJECT, KIND_NODE,      false) \
    X(AT_GROUP,        "group",           VALUE_OBJECT, KIND_GROUP,     false) \
    X(AT_RANK,         "rank",            VALUE_INT,    0,              false)
/* clang-format on */

enum slot {
#define X(id, name, types, kind, everywhere) SLOT_##id,
    NAME_LIST(X)
#undef X
        SLOT_ITEM, /* the alias of the rule that runs */
    SLOT_FIRST,    /* then axes, options, facts, carry, tables, derived */
};

enum symbol_kind {
    SYMBOL_BUILTIN,
    SYMBOL_AXIS,
    SYMBOL_OPTION,
    SYMBOL_FACT,
    SYMBOL_CARRY,
    SYMBOL_TABLE,
    SYMBOL_DERIVED,
};

enum symbol_state { SYMBOL_READY, SYMBOL_WAITING, SYMBOL_COMPILING };

/* A name that expressions may use, and the slot that holds its value. */
struct symbol {
    const char *name;
    enum symbol_kind kind;
    int index; /* in the array of its kind */
    int slot;
    struct shape shape;
    enum symbol_state state; /* while loading */
    const struct tree *at;   /* NULL: built in */
};

/* An axis, an option or a fact is at rest when it is what it is in a request
 * that says nothing of it: an axis 1, an option its default, a fact absent.
 * Each has a bit in masks of what is at rest.
 *
 * What spares an evaluation, because a rule would find nothing, or because of a
 * computed value it is known what would come out: one of `any` at rest, or all
 * of `together`. Found when the runtime is loaded. */
struct spare {
    uint64_t any, together;
};

static inline bool spare_holds(const struct spare *spare, uint64_t at_rest)
{
    return (spare->any & at_rest) != 0 ||
           (spare->together != 0 && (spare->together & ~at_rest) == 0);
}

#endif
