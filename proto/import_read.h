/* SPDX-License-Identifier: Apache-2.0 */
/* What the readers of other programs' files share. Private to import*.c. */
#ifndef SERRIED_PROTO_IMPORT_READ_H
#define SERRIED_PROTO_IMPORT_READ_H

#include "proto/import.h"

/* A value that stands for a target. */
struct taken {
    const struct import_target *target;
    const char *key;          /* as it was written */
    const struct tree *value; /* of a type that the target takes */
};

/* A framework's file and flags being read. */
struct importing {
    const struct runtime *rt;
    const struct import_rules *rules;
    struct tree_maker *maker;
    struct taken *taken;
    size_t n_taken;
    struct tree *not_read;
    size_t n_values, n_nearest;
    struct error *err;
};

/* Adds to a list of what was not read. nearest may be NULL. */
void import_not_read(struct tree_maker *maker, struct tree *list,
                     const char *key, enum import_unread kind,
                     const char *reason, const char *nearest);

/* A key that the rules do not have: ignored, or not read. */
void import_unknown(struct importing *im, const char *written,
                    const char *name);

/* Takes a value for all targets of a key. written: the key as it stands there.
 *   STATUS_INVALID  it cannot be read, and the sizes would be other ones */
int import_take(struct importing *im, const struct import_key *key,
                const char *written, const struct tree *value);

/* Refuses a file that says nothing here and much that is not known: what came
 * of it would be all defaults. name: of the request. STATUS_INVALID. */
int import_check_known(const struct importing *im, const char *name);

/* Counts a value. STATUS_INVALID: there are too many. */
int import_count(struct importing *im);

/* Reads the words of a command line. */
int import_flags(struct importing *im, const char *const *words, size_t n);

#endif
