/* SPDX-License-Identifier: Apache-2.0 */
/* What a runtime says about its framework's own files and flags: which key
 * means what. */
#ifndef SERRIED_PLACEMENT_IMPORT_H
#define SERRIED_PLACEMENT_IMPORT_H

#include "placement/runtime.h"

enum {
    IMPORT_KEYS_MAX = 1024,    /* keys, and patterns of ignored ones: of each */
    IMPORT_TARGETS_MAX = 8,    /* of one key */
    IMPORT_KEY_BYTES_MAX = 256 /* of one key */
};

/* What a key of the framework stands for. */
enum import_kind {
    IMPORT_NOTHING, /* known, and never read: because says why */
    IMPORT_AXIS,
    IMPORT_OPTION,
    IMPORT_FACT,
    IMPORT_CARRY,
    IMPORT_WORLD,      /* the number of ranks */
    IMPORT_WORLD_PART, /* a factor of it */
    IMPORT_MODEL,      /* the model's name */
};

struct import_target {
    enum import_kind kind;
    int index;                 /* of the axis, option, fact or carried key */
    const char *name;          /* as the declaration has it; NULL: nothing */
    unsigned types;            /* mask of enum value_type that it takes */
    const struct tree *values; /* map: what is written -> what is meant (null:
                                  as if absent); NULL: as written */
    const char *because;       /* IMPORT_NOTHING */
};

struct import_key {
    const char *name; /* parts joined by dots, without leading dashes */
    const struct import_target *targets;
    size_t n_targets;
};

/* A fact that, when the framework does not say it, is another one. */
struct import_same {
    const char *fact, *as;
};

struct import_rules {
    const char *const *inside; /* maps of a file that hold the keys */
    size_t n_inside;
    const struct import_key *keys;
    size_t n_keys;
    const char *const *ignore; /* names, or beginnings that end in * */
    size_t n_ignore;
    const struct import_same *same;
    size_t n_same;
};

/* The key of this name, where - and _ are the same; NULL: none. */
const struct import_key *import_find(const struct import_rules *rules,
                                     const char *name);

/* Whether the name, or a map it stands in, says nothing about placement. */
bool import_is_ignored(const struct import_rules *rules, const char *name);

/* The key nearest to a name that is none; NULL: none is near. */
const char *import_nearest(const struct import_rules *rules, const char *name,
                           struct arena *arena);

/* Whether a target takes values of the type of this one. */
bool import_takes(const struct import_target *target, const struct tree *value);

#endif
