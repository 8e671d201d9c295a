/* SPDX-License-Identifier: Apache-2.0 */
/* Requests and models out of what other programs read: a framework's own file
 * and flags, and a model's config.json. */
#ifndef SERRIED_PROTO_IMPORT_H
#define SERRIED_PROTO_IMPORT_H

#include "placement/import.h"
#include "proto/catalog.h"

enum {
    IMPORT_VALUES_MAX = 65536, /* keys of a file, flags: of each */
    IMPORT_NEAREST_MAX = 64, /* unknown keys for which the nearest is sought */
    IMPORT_INSIDE_MAX = 8,   /* text configs inside one another */
};

/* What there is to read. */
struct import_source {
    const struct tree *file;  /* NULL: none */
    const char *const *words; /* flags, as on a command line */
    size_t n_words;
    const char *name;  /* of the request */
    const char *model; /* whose facts count; NULL: as the file says */
    int64_t world;     /* number of ranks; 0: as the file or the flags say */
};

/* All in the maker's arena. */
struct import_result {
    struct tree *deployment; /* NULL: a model was asked for */
    struct tree *model;      /* to be declared with it; NULL: none */
    struct tree *read;       /* list of {key, as}: what was read from where */
    struct tree *not_read;   /* list of {key, kind, reason, nearest}: what was
                                not; kind is a word of import_kinds */
};

/* Kinds of what was not read, in the order they are reported. */
/* clang-format off */
#define IMPORT_KIND_LIST(X)                                                   \
    X(VALUE,   "value",   "values that could not be read")                    \
    X(MEANING, "meaning", "known, but of no meaning here")                    \
    X(MODEL,   "model",   "about the model")                                  \
    X(UNKNOWN, "unknown", "not known here")                                   \
    X(WORD,    "word",    "words behind no flag")
/* clang-format on */

enum import_unread {
#define X(id, word, about) IMPORT_UNREAD_##id,
    IMPORT_KIND_LIST(X)
#undef X
        IMPORT_UNREAD_COUNT
};

extern const char *const import_kinds[IMPORT_UNREAD_COUNT];
extern const char *const import_kind_about[IMPORT_UNREAD_COUNT];

/* Makes the request that a framework's file and flags are, by the `import` of
 * its runtime. Flags count before the file, a later flag before an earlier one.
 * Where the framework says facts, they become a model of the request's name,
 * over those of the model it names.
 * A runtime with node groups reads its own files: they are the request.
 *   STATUS_INVALID       the runtime has no `import`; a size cannot be read;
 *                        the number of ranks is missing; no key of the file
 *                        says anything, and some are not known
 *   STATUS_UNKNOWN_NAME  source->model is not declared
 *   STATUS_EXHAUSTED     the arena is full */
int import_request(struct catalog *catalog, const struct runtime *rt,
                   const struct import_source *source, struct tree_maker *maker,
                   struct import_result *ret, struct error *err);

/* Makes a model's declaration of the config.json that model hubs keep beside
 * weights.
 *   name  of the model; NULL: as the file says, else STATUS_INVALID
 *   STATUS_INVALID    not a map, or none of its keys is known
 *   STATUS_EXHAUSTED  the arena is full */
int import_model(const struct tree *config, const char *name,
                 struct tree_maker *maker, struct import_result *ret,
                 struct error *err);

#endif
