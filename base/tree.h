/* SPDX-License-Identifier: Apache-2.0 */
/* The neutral form of a document: what was read, and where it stood. */
#ifndef SERRIED_BASE_TREE_H
#define SERRIED_BASE_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/text.h"

enum tree_type {
    TREE_NULL,
    TREE_BOOL,
    TREE_INT,
    TREE_DOUBLE,
    TREE_STRING,
    TREE_LIST,
    TREE_MAP,
};

/* One value of a document. Lives in the arena it was made in, with everything
 * below it; immutable once read. */
struct tree {
    enum tree_type type;
    uint32_t line, column;         /* of the value's first character, 1-based;
                                      0: not known (made by a program, JSON) */
    uint32_t key_line, key_column; /* of its key in a map, likewise */
    const char *key;               /* its key in a map; NULL elsewhere */
    const char *source;            /* file name for messages; may be NULL */
    const char *text;              /* scalars: the characters written, unquoted,
                                      also of a number; NULL elsewhere, and of
                                      an integer that a program made */
    size_t len;                    /* of text, bytes */
    union {
        bool boolean;
        int64_t integer;
        double number;
        struct {
            struct tree *first, *last;
            size_t count;
        } children; /* lists and maps, in the order of the document */
    } u;
    struct tree *next;         /* the next child of the same parent */
    const struct tree *parent; /* NULL at the top */
};

/* ---- reading ------------------------------------------------------------ */

/* The child of a map with this key; NULL: none, or map is NULL or not a map. A
 * child of type TREE_NULL counts as absent. */
const struct tree *tree_get(const struct tree *map, const char *key);

/* The characters of a scalar; "" for NULL and for what is none. */
const char *tree_string(const struct tree *tree);

/* What a child of a map holds, for readers that do without it: the characters
 * of a scalar, "" where there is none; an integer, `otherwise` where there is
 * none; whether it is true. */
const char *tree_text(const struct tree *map, const char *key);
int64_t tree_int(const struct tree *map, const char *key, int64_t otherwise);
bool tree_true(const struct tree *map, const char *key);

/* First child of a list or map, NULL when there is none or tree is NULL. */
const struct tree *tree_first(const struct tree *tree);

/* First child of a map, which has a key; NULL also when tree is no map. */
const struct tree *tree_entries(const struct tree *tree);
size_t tree_count(const struct tree *tree);

/* "a map", "an integer": for messages. */
const char *tree_type_name(enum tree_type type);

/* Writes the path from the top, `node_groups[1].ranks[0]`; nothing at the top.
 */
void tree_path(const struct tree *tree, struct text *out);

/* error_set() with "FILE: line L, column C: PATH: " in front, as far as known.
 * at_key: points at the key, not at the value. */
int tree_error(const struct tree *at, struct error *err, enum status status,
               const char *fmt, ...) __attribute__((format(printf, 4, 5)));
int tree_error_key(const struct tree *at, struct error *err, enum status status,
                   const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* The same for a place within a scalar that the caller worked out. */
int tree_error_at(const struct tree *at, uint32_t line, uint32_t column,
                  struct error *err, enum status status, const char *fmt, ...)
    __attribute__((format(printf, 6, 7)));

/* ---- making ------------------------------------------------------------- */

/* Makers return NULL when the arena is at its cap; text is copied. A NULL
 * parent makes a top; key is NULL except in a map. A child is appended. A NULL
 * anywhere as parent of a made child must be checked by the caller: use
 * struct tree_maker for long answers. */
struct tree *tree_new(struct arena *arena, struct tree *parent, const char *key,
                      enum tree_type type);
struct tree *tree_new_string(struct arena *arena, struct tree *parent,
                             const char *key, const char *text);
struct tree *tree_new_int(struct arena *arena, struct tree *parent,
                          const char *key, int64_t integer);

/* Makes child, which has no parent, the last child of parent. */
void tree_adopt(struct tree *parent, struct tree *child);

/* Builds an answer without a check at every step: once memory ran out, failed
 * is set and every further call gives the same harmless spare node. */
struct tree_maker {
    struct arena *arena;
    bool failed;
    struct tree spare;
};

struct tree *make_map(struct tree_maker *maker, struct tree *parent,
                      const char *key);
struct tree *make_list(struct tree_maker *maker, struct tree *parent,
                       const char *key);
void make_string(struct tree_maker *maker, struct tree *parent, const char *key,
                 const char *text);
void make_int(struct tree_maker *maker, struct tree *parent, const char *key,
              int64_t integer);
void make_bool(struct tree_maker *maker, struct tree *parent, const char *key,
               bool boolean);
void make_double(struct tree_maker *maker, struct tree *parent, const char *key,
                 double number);
/* A deep copy of tree under parent. */
void make_copy(struct tree_maker *maker, struct tree *parent, const char *key,
               const struct tree *tree);

#endif
