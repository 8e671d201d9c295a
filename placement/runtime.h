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
#include "placement/links.h"
#include "placement/port.h"
#include "placement/runtime_layout.h"
#include "placement/runtime_names.h"
#include "placement/runtime_rule.h"
#include "placement/topology.h"

enum {
    RUNTIME_AXES_MAX = 16,
    RUNTIME_NAMES_MAX = 512, /* axes, options, facts, tables, derived, carry */
    RUNTIME_RULES_MAX = 512,
    RUNTIME_PARTS_MAX = 128, /* views, groups, creation steps, axis sets,
                                carried keys, remedies of a rule: of each */
    RUNTIME_LAYERS_MAX = 32,
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

/* What becomes of ranks of node groups that are not 0 to N-1. */
#define SPARSE_LIST(X)                                                         \
    X(KEEP, "keep") X(RENUMBER, "renumber") X(REFUSE, "refuse")

enum sparse {
#define X(id, word) SPARSE_##id,
    SPARSE_LIST(X)
#undef X
        SPARSE_COUNT
};

struct sparse_rule {
    enum sparse usual;
    unsigned allowed; /* mask of what requests may ask for */
};

/* "keep". */
const char *sparse_word(enum sparse way);

/* Reads `sparse` of a runtime; NULL: they are kept, and all is allowed.
 *   STATUS_INVALID  a wrong type or word */
int sparse_rule_read(const struct tree *at, struct sparse_rule *ret,
                     struct error *err);

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
    struct layer *layers;
    size_t n_layers;
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
    /* what each axis wants, and needs, and other groups do */
    enum link_level links[RUNTIME_AXES_MAX];
    struct link_need link_needs[RUNTIME_AXES_MAX];
    struct link_wishes list_links;
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
    struct sparse_rule sparse;
    struct port_wishes ports;          /* of every placement */
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

/* Index of the axis with this name, or with this field; -1: none. */
int runtime_axis(const struct runtime *rt, const char *name);
int runtime_axis_field(const struct runtime *rt, const char *field);

/* Index of the option with this name or field, or -1. */
int runtime_option(const struct runtime *rt, const char *name);

/* The layer with this name, or NULL: STATUS_UNKNOWN_NAME, with the nearest. */
const struct layer *runtime_layer(const struct runtime *rt, const char *name,
                                  struct error *err);

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
