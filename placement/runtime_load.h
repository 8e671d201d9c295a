/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of the runtime loader share. Private to runtime*.c. */
#ifndef SERRIED_PLACEMENT_RUNTIME_LOAD_H
#define SERRIED_PLACEMENT_RUNTIME_LOAD_H

#include "placement/runtime.h"

enum {
    /* Names computed from names in one chain. Compiling one takes up to 30 kB
     * of stack: 2 MB. */
    NAME_DEPTH_MAX = 64,
    SYMBOL_INDEX_SIZE = 2 * RUNTIME_NAMES_MAX,
};

struct loader {
    struct arena *arena;
    struct runtime *rt;
    struct error *err;
    /* what the rule being compiled adds to the names */
    const char *alias; /* NULL: none */
    struct shape alias_shape;
    bool in_check;         /* names of structure checks are seen */
    bool in_layout;        /* a view or group is compiled */
    int depth;             /* names being compiled */
    const struct tree *at; /* scalar being compiled, for messages */
    /* set by name look-ups since it was last cleared */
    bool read_scope; /* an axis, a derived size, given or world was read */
};

/* ---- names (runtime_names.c) -------------------------------------------- */

/* Adds a name. Returns its slot, or -1: not an identifier, taken, too many. */
int name_add(struct loader *load, const char *name, enum symbol_kind kind,
             int index, struct shape shape, const struct tree *at);

/* Whether every runtime has this name. */
bool name_is_builtin(const char *name);

/* Compiles with the names known now; NULL on failure, err set. */
const struct expression *compile(struct loader *load, const struct tree *at,
                                 unsigned want);

/* Compiles the child of a map, if it is there. -1 on failure. */
int compile_child(struct loader *load, const struct tree *map, const char *key,
                  unsigned want, const struct expression **ret);

/* ---- what names stand for (runtime_compute.c) --------------------------- */

/* Compiles what a name stands for, and first the names it needs. -1: it cannot
 * be compiled, is computed from itself, or needs too long a chain of names. */
int compile_symbol(struct loader *load, struct symbol *symbol);

/* The same for every name, in an order in which each needs only earlier ones.
 */
int compile_computed(struct loader *load);

/* ---- parts -------------------------------------------------------------- */

int load_options(struct loader *load);     /* runtime_values.c */
int load_facts(struct loader *load);       /* runtime_values.c */
int load_carries(struct loader *load);     /* runtime_values.c */
int load_tables(struct loader *load);      /* runtime_values.c */
int load_derived(struct loader *load);     /* runtime_values.c */
int load_views(struct loader *load);       /* runtime_layout.c */
int load_groups(struct loader *load);      /* runtime_groups.c */
int load_coordinates(struct loader *load); /* runtime_groups.c */
int load_create(struct loader *load);      /* runtime_layout.c */
int load_axis_sets(struct loader *load);   /* runtime_rules.c */
int load_layers(struct loader *load);      /* runtime_layers.c */
int load_rules(struct loader *load);       /* runtime_layers.c */
int load_host_list(struct loader *load);   /* runtime_hosts.c, after them */
int load_active(struct loader *load);      /* runtime_active.c */
int load_initial(struct loader *load);     /* runtime_values.c */
int load_rests(struct loader *load);       /* runtime_rest.c */

/* What the rules of a group share; nothing for those outside of groups. */
struct rule_group {
    struct layer *layer;           /* NULL: none */
    const struct expression *when; /* NULL: always */
};

/* runtime_rules.c */
int load_rule(struct loader *load, const struct tree *t,
              const struct rule_group *group, struct rule *rule);

/* Puts the condition of its group in front of a rule's own, or where it has
 * none in front of what it refuses, as if it were written there.
 * runtime_layers.c */
int load_condition(struct loader *load, const struct tree *t,
                   const struct rule_group *group, struct rule *rule);

/* An array for the entries of a list or map, NULL counting as empty; NULL on
 * failure: STATUS_INVALID, more than RUNTIME_PARTS_MAX. */
void *load_parts(struct loader *load, const struct tree *list, size_t size);

/* n entries of size bytes; NULL with err set when the arena is full. */
void *load_array(struct loader *load, size_t n, size_t size);

/* Reads the name of a list, which stands at a place in the document; family: it
 * may be a whole family. -1: STATUS_INVALID. */
int load_list_name(struct loader *load, const struct tree *at, const char *text,
                   bool family, struct list_name *ret);

/* The view of this name, the only one where text is empty; -1: none. */
int view_named(const struct runtime *rt, const char *text, size_t len);

/* Whether any form of the view has this axis. */
bool view_has(const struct view_rule *view, const char *axis);

/* Adds axis names of a list to a mask. */
int load_axis_mask(struct loader *load, const struct tree *list,
                   uint32_t *ret_mask);

int load_import(struct loader *load); /* import.c */

#endif
