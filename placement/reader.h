/* SPDX-License-Identifier: Apache-2.0 */
/* Reading maps of a document by a table of their keys. */
#ifndef SERRIED_PLACEMENT_READER_H
#define SERRIED_PLACEMENT_READER_H

#include "base/arena.h"
#include "base/error.h"
#include "base/tree.h"

/* Types a key may have: bits by enum tree_type. */
enum {
    READ_BOOL = 1 << TREE_BOOL,
    READ_INT = 1 << TREE_INT,
    READ_NUMBER = 1 << TREE_INT | 1 << TREE_DOUBLE,
    READ_STRING = 1 << TREE_STRING,
    READ_LIST = 1 << TREE_LIST,
    READ_MAP = 1 << TREE_MAP,
    READ_SCALAR = READ_BOOL | READ_NUMBER | READ_STRING,
    READ_ANY = READ_SCALAR | READ_LIST | READ_MAP,
};

/* One key that a map may have. */
struct read_key {
    const char *name;
    unsigned types;
    bool required;
};

/* Checks the type of one value; "expected a map or a list, found an integer".
 * STATUS_INVALID. */
int read_type(const struct tree *tree, unsigned types, struct error *err);

/* Checks that tree is a map whose keys are all in the table, of the right type,
 * and that the required ones are there.
 *   STATUS_INVALID   not a map, an unknown key (with the nearest known one), a
 *                    wrong type, a missing key, an empty required string */
int read_keys(const struct tree *tree, const struct read_key *keys, size_t n,
              struct error *err);

/* The string of a scalar child, or NULL when the key is absent. */
const char *read_string(const struct tree *map, const char *key);

/* A list of strings, or one string as a list of one, copied into arena.
 * *ret_names has *ret_n entries; both untouched on failure.
 *   STATUS_INVALID    an entry is not a string or is empty
 *   STATUS_EXHAUSTED  the arena is full */
int read_names(struct arena *arena, const struct tree *tree,
               const char *const **ret_names, size_t *ret_n, struct error *err);

/* Whether text may be the name of an axis, option, ...: a letter or _, then
 * letters, digits and _, at most 64 bytes. */
bool read_is_identifier(const char *text);

#endif
