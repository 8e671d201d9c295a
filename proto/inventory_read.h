/* SPDX-License-Identifier: Apache-2.0 */
/* What the readers of inventories share. Private to inventory*.c. */
#ifndef SERRIED_PROTO_INVENTORY_READ_H
#define SERRIED_PROTO_INVENTORY_READ_H

#include <stdbool.h>
#include <stdint.h>

#include "proto/document_source.h"
#include "proto/inventory.h"

enum {
    INVENTORY_GPUS_MAX = 256, /* of one host */
    INVENTORY_COLUMNS_MAX = 1024,
};

/* One text while it is read. */
struct importing {
    const struct inventory_source *from;
    struct source source;
    struct arena *arena;
    struct tree_maker *maker;
    struct inventory *ret;
    struct tree *hosts; /* list of the document that is made */
    char *at, *end;     /* what is left of a copy of the text, cut in place */
    uint32_t line;      /* of what next_line() gave last */
    struct error *err;
};

/* Begins: copies and checks the text, without the escape sequences of a
 * terminal, and makes the parts of ret. */
int import_begin(struct importing *im, const struct inventory_source *from,
                 struct tree_maker *maker, struct inventory *ret,
                 struct error *err);

/* Ends: gives the document to ret; -1 where memory ran out. */
int import_end(struct importing *im);

/* The next line, ended by a NUL, without its line end; NULL: no more. */
char *next_line(struct importing *im);

/* STATUS_INVALID with the file and the line that was read last. Returns -1. */
int line_error(struct importing *im, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* The same without a line. */
int text_error(struct importing *im, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Adds a warning; those beyond INVENTORY_WARNINGS_MAX are dropped. */
void import_warn(struct importing *im, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Cuts blanks off both ends. */
char *trimmed(char *text);

/* Cuts the first word off *text, which it moves behind it; NULL: none. */
char *next_word(char **text);

/* Whether all of text is a number of at most 9 digits. */
bool read_count(const char *text, uint32_t *ret);

/* "GPU7" -> 7 where prefix is "GPU". */
bool read_numbered(const char *text, const char *prefix, uint32_t *ret);

void put_null(struct tree_maker *maker, struct tree *parent, const char *key);

/* A string, or null for NULL. */
void put_text(struct tree_maker *maker, struct tree *parent, const char *key,
              const char *text);

/* Whose devices these are; said: by the text, or NULL. */
const char *import_host(const struct importing *im, const char *said);

/* A new host of the document. */
struct tree *add_host(struct importing *im, const char *name);

/* ---- devices that are linked (inventory_islands.c) ---------------------- */

/* Which devices of a host are linked directly: n * n entries, symmetric. */
struct islands {
    uint32_t n;
    const bool *linked;
    uint32_t *of; /* island of each device, counted by first members */
    uint32_t n_islands;
};

int islands_find(struct importing *im, struct islands *islands);

/* Lists of their members under key; under all_to_all whether every two members
 * are linked (NULL: not said). */
void islands_put(struct importing *im, const struct islands *islands,
                 const char *key, const char *all_to_all);

/* The domain of a device as the document names it; NULL: alone, in none. */
const char *islands_domain(struct importing *im, const struct islands *islands,
                           const char *host, uint32_t device);

#endif
