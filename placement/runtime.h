/* SPDX-License-Identifier: Apache-2.0 */
/* A runtime: one framework's parallelism, loaded from its declaration. */
#ifndef SERRIED_PLACEMENT_RUNTIME_H
#define SERRIED_PLACEMENT_RUNTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/tree.h"
#include "placement/expression.h"
#include "placement/topology.h"
#include "placement/view.h"

enum {
    RUNTIME_AXES_MAX = 16,
    RUNTIME_NAMES_MAX = 512, /* axes, options, facts, tables, derived, carry */
    RUNTIME_RULES_MAX = 512,
    RUNTIME_PARTS_MAX = 128, /* views, groups, creation steps, axis sets,
                                carried keys, remedies of a rule: of each */
    RUNTIME_RESTS_MAX = 64,  /* bits of a mask */
    RUNTIME_LISTS_MAX = 128, /* lists("v.a") that expressions mention */
};

/* What an axis cuts into pieces; one bit each. */
/* clang-format off */
#define SPLIT_LIST(X)                                                     \
    X(ROWS, "rows") X(TOKENS, "tokens") X(HEADS, "heads")                 \
    X(WEIGHTS, "weights") X(EXPERTS, "experts") X(LAYERS, "layers")       \
    X(REPLICAS, "replicas")
/* clang-format on */

enum split_index {
#define X(id, name) SPLIT_##id##_INDEX,
    SPLIT_LIST(X)
#undef X
        SPLIT_COUNT
};

enum splits {
#define X(id, name) SPLIT_##id = 1 << SPLIT_##id##_INDEX,
    SPLIT_LIST(X)
#undef X
};

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

struct axis {
    const char *name;
    const char *field;                /* the name the framework's users type */
    unsigned splits;                  /* mask of enum splits */
    bool declared;                    /* a node must allow sizes above 1 */
    const struct expression *initial; /* when absent; NULL: 1 */
    const struct expression *fill;    /* when absent or fill_on; NULL: none */
    const struct expression *when;    /* false: the axis is not there */
    bool has_fill_on;
    int64_t fill_on;
    int slot;
    int rest; /* its bit; -1: none */
};

struct option {
    const char *name;
    const char *field;                /* the name the framework's users type */
    bool checked_apart;               /* by a check of its own, not by sizes */
    unsigned types;                   /* mask of enum value_type */
    const struct tree *literal;       /* default; NULL: none */
    const struct expression *initial; /* default computed; NULL: none */
    const struct tree *one_of;        /* list of allowed values; NULL: any */
    int slot;
    int rest;            /* its bit; -1: none */
    struct spare spare;  /* of a computed default, */
    struct value spared; /* which then is this */
};

/* A fact of a model that rules may use. */
struct fact {
    const char *name;
    int slot;
    int rest; /* its bit; -1: none */
};

/* A key of the request that is handed through to the workers. */
struct carry {
    const char *name;
    bool in_group; /* stands in a node group, not at the top */
    bool required;
    unsigned types;       /* mask of enum read types */
    const char *warn;     /* accepted with this warning; NULL: none */
    const char *code;     /* of the warning */
    bool merge_shard_dim; /* holds a map shard_dim that adds to the model's */
    int slot;             /* -1: in_group */
};

/* One value under a condition; the first whose condition holds is taken. */
struct alternative {
    const struct expression *when; /* NULL: always */
    const struct expression *value;
};

struct derived {
    const char *name;
    const struct alternative *alternatives;
    size_t n_alternatives;
    int slot;
    struct spare spare;
    struct value rest; /* its value when it is spared */
};

/* Axes, derived values and options whose default is computed, in an order in
 * which each needs only earlier ones. */
struct computed {
    enum symbol_kind kind; /* SYMBOL_AXIS, SYMBOL_OPTION or SYMBOL_DERIVED */
    int index;
};

struct view_part {
    const char *name;
    const struct expression *size; /* local to the view; NULL: a shared axis */
    int axis;                      /* the shared axis; -1: local */
    int size_of; /* the axis whose coordinate this is: `axis`, or that which
                    alone is the local size ({tp: etp}); -1: none */
    int after;   /* stands behind this part in an order; -1: by its own name */
};

struct view_form {
    const struct expression *when; /* NULL: always */
    const struct view_part *parts; /* outermost first */
    size_t n_parts;
    const struct expression *order; /* of the parts; NULL: as declared */
    bool outermost_last;            /* how an order in a string reads */
    /* the part of a world that it covers; NULL: all, from 0 */
    const struct expression *span, *first;
};

/* A view: the first form whose condition holds. */
struct view_rule {
    const char *name; /* "" for the view of a runtime that declares none */
    const struct view_form *forms;
    size_t n_forms;
};

/* A set of axes of a view, "attn.dp+cp", or a declared group by its name. */
struct list_name {
    const char *text; /* as asked for */
    int view;         /* index; -1: a declared group */
    const char *const *axes;
    size_t n_axes;
    int group;      /* index of the declared group; -1 */
    int64_t member; /* of a family: which; -1: all of it, or no family */
};

/* What a derived group makes of the lists it is derived from: identifier, key,
 * types of its value. */
/* clang-format off */
#define GROUP_OP_LIST(X)                                                      \
    X(CUT,    "cut",    VALUE_INT)  /* so many equal parts of each list */    \
    X(RUNS,   "runs",   VALUE_INT)  /* parts of so many members */            \
    X(STRIDE, "stride", VALUE_INT)  /* so many interleaved parts */           \
    X(JOIN,   "join",   VALUE_INT)  /* so many lists in one */                \
    X(LEVELS, "levels", VALUE_LIST) /* mixed radix: a family by level */
/* clang-format on */

enum group_op {
#define X(id, key, types) GROUP_##id,
    GROUP_OP_LIST(X)
#undef X
        GROUP_TAKE, /* of each list the first or last member, or both */
    GROUP_WHOLE,    /* the lists as they are */
};

enum { FAMILY_MAX = 32 }; /* lists of one family */

struct group_form {
    const struct expression *when;
    struct list_name of;
    enum group_op op;
    const struct expression *operand; /* NULL: GROUP_TAKE, GROUP_WHOLE */
    uint32_t take;                    /* mask of enum take */
    bool ordered;                     /* joined members keep their order */
    const struct expression *each;    /* numbers of a family; NULL: none */
};

/* A derived group list, or a family of them: the first form whose condition
 * holds. The lists of a family are called by its name and a number. */
struct group_rule {
    const char *name;
    const struct group_form *forms;
    size_t n_forms;
    bool family;
};

struct coordinate_form {
    const struct expression *when; /* NULL: always */
    int view;
    const char *const *axes; /* of the view, most significant digit first */
    size_t n_axes;
};

/* A number that every position has: its coordinates on some axes in mixed
 * radix. The first form whose condition holds. */
struct coordinate_rule {
    const char *name;
    const struct coordinate_form *forms;
    size_t n_forms;
};

/* A change to the request that a remedy makes: an axis, an option, world
 * (SLOT_WORLD) or the number of ranks of the group (SLOT_AT_RANK). */
struct setting {
    const char *name;
    enum symbol_kind kind; /* AXIS, OPTION, BUILTIN (world) */
    int index;
    const struct expression *value;
};

struct remedy {
    const struct expression *when; /* NULL: always */
    const struct setting *settings;
    size_t n_settings;
    const char *say;
};

struct code_override {
    const char *key, *code;
};

struct rule {
    const char *code;    /* NULL: the check's own codes */
    const char *because; /* NULL: none */
    const char *about;   /* what a finding is about; NULL: its item */
    bool warns;          /* a warning, not a refusal */
    /* rules proper */
    const struct expression *refuse; /* NULL: a structure check */
    const struct expression *when;   /* NULL: always */
    const struct expression *items;  /* `for`; NULL: once */
    const char *alias;
    const struct expression *allowed; /* what would do; NULL: not said */
    bool in_scope;  /* reads sizes: without `for` it runs for each group */
    bool allocates; /* when it is judged, in the arena */
    struct spare spare;
    /* structure checks */
    int structure; /* enum structure of structure.h; -1: a rule proper */
    const struct code_override *codes;
    size_t n_codes;
    uint32_t except; /* mask of axes left out */
    const int *views;
    size_t n_views;
    int axis;   /* same_groups: the shared axis; -1: all */
    int option; /* options: the one it is about */
    /* both */
    const struct remedy *remedies;
    size_t n_remedies;
    const struct tree *at;
};

struct axis_set {
    uint32_t axes; /* mask */
    bool refused;
    bool exact; /* refused: words only this very set */
    const char *code, *because;
    const struct remedy *remedies;
    size_t n_remedies;
    const struct tree *at;
};

struct create_step {
    const struct list_name *lists;
    size_t n_lists;
    bool instance; /* the list of whole instances */
    bool sorted;   /* a union, lexicographically */
    const char *backend;
    const struct expression *when;
};

/* A size that has a communicator of its own while it is above 1, or in place
 * of that under a condition. */
struct active_name {
    const char *name;
    int slot;
    const struct expression *when; /* NULL: above 1 */
};

struct active_list {
    const char *name;
    const struct active_name *names;
    size_t n_names;
};

/* How a runtime splits a quantity, where not as it is usual. */
struct split_choice {
    const char *rule; /* a name of split_rules(); NULL: the usual one */
    /* n ranks share 2n parts, and rank r holds parts r and 2n - 1 - r */
    bool both_ends;
};

/* A loaded runtime. Immutable; lives in the arena it was loaded in and borrows
 * the document's strings. */
struct runtime {
    const char *name, *version, *about;
    const struct tree *document;
    struct axis axes[RUNTIME_AXES_MAX];
    size_t n_axes;
    struct option *options;
    size_t n_options;
    struct fact *facts;
    size_t n_facts;
    struct carry *carries;
    size_t n_carries;
    const struct tree *const *tables;
    size_t n_tables;
    struct derived *derived;
    size_t n_derived;
    struct computed *computed;
    size_t n_computed;
    struct view_rule *views;
    size_t n_views;
    struct group_rule *groups;
    size_t n_groups;
    struct coordinate_rule *coordinates;
    size_t n_coordinates;
    struct axis_set *axis_sets;
    size_t n_axis_sets;
    struct rule *rules;
    size_t n_rules;
    struct create_step *create;
    size_t n_create;
    struct active_list *active;
    size_t n_active;
    struct list_name *lists; /* that expressions mention */
    size_t n_lists;
    struct symbol *symbols;
    size_t n_symbols;
    uint16_t *symbol_index; /* hash table of names: index + 1; 0: free */
    const struct host_list_rules *host_list; /* NULL: none */
    enum link_level links[RUNTIME_AXES_MAX]; /* what each axis wants */
    int n_slots;
    /* by slot, of a request that is empty: tables, defaults, empty maps; what
     * is computed is pending, the rest unknown */
    const struct value *initial;
    struct value *rests; /* by bit */
    size_t n_rests;
    uint64_t rest_absent;            /* bits of options and facts */
    int keep_slot;                   /* -1: none */
    const struct expression *offset; /* added to every rank; NULL: 0 */
    /* blocks of experts inside the ranks that split weights; NULL: none */
    const struct expression *expert_blocks;
    const char *shard_order[SPLIT_COUNT][RUNTIME_AXES_MAX]; /* major first */
    size_t n_shard_order[SPLIT_COUNT]; /* 0: the order of the axes */
    struct split_choice split_choices[SPLIT_COUNT];
    uint32_t reads; /* mask of built-in lists that any expression reads */
    bool spans;     /* requests have a world, not node groups */
    const struct import_rules *import; /* of import.h; NULL: none */
};

/* Loads a runtime. Returns NULL:
 *   STATUS_INVALID    unknown key, wrong type, a name twice, an expression
 *                     with a mistake, a cycle of derived sizes; with line and
 *                     column
 *   STATUS_EXHAUSTED  the arena is full */
const struct runtime *runtime_load(struct arena *arena,
                                   const struct tree *document,
                                   struct error *err);

/* Index of the axis, or -1. by_field: the name users type is meant. */
int runtime_axis(const struct runtime *rt, const char *name);
int runtime_axis_field(const struct runtime *rt, const char *field);

/* Index of the option with this name or field, or -1. */
int runtime_option(const struct runtime *rt, const char *name);

/* The symbol with this name, or NULL. */
const struct symbol *runtime_symbol(const struct runtime *rt, const char *name);
const struct symbol *runtime_symbol_at(const struct runtime *rt, int slot);

/* Reads "attn.dp+cp", "dp+cp" (the only view), "special.embedding", or one list
 * of a family, "special.size4". axes in ret lives in arena.
 *   STATUS_UNKNOWN_NAME  no such view, axis or group, with the nearest; or the
 *                        name of a family without a number */
int runtime_list_name(const struct runtime *rt, struct arena *arena,
                      const char *text, struct list_name *ret,
                      struct error *err);

const char *split_name(enum split_index index);

#endif
