/* SPDX-License-Identifier: Apache-2.0 */
/* What a runtime refuses, and what it offers instead: rules, sets of axes,
 * remedies. Part of a runtime; all of it borrows its document's strings. */
#ifndef SERRIED_PLACEMENT_RUNTIME_RULE_H
#define SERRIED_PLACEMENT_RUNTIME_RULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/tree.h"
#include "placement/expression.h"
#include "placement/runtime_names.h"

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

/* A part of the framework that judges requests, after those listed before it.
 * Its rules may stand in several groups. */
struct layer {
    const char *name, *about;
    size_t begin, end; /* of its rules: the first, and one behind the last; a
                          request up to it is judged by those before end */
    const struct tree *at;
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
    const struct layer *layer; /* NULL: none */
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

#endif
