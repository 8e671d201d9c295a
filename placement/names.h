/* SPDX-License-Identifier: Apache-2.0 */
/* Names of hosts: order, lists in brackets, numbers for equal ones. */
#ifndef SERRIED_PLACEMENT_NAMES_H
#define SERRIED_PLACEMENT_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"

enum {
    HOST_NAME_BYTES_MAX = 253, /* as in the DNS */
    NODELIST_NAMES_MAX = 65536,
    NODELIST_BYTES_MAX = 1 << 20, /* of one expression */
};

/* Orders names as people expect, node7 before node66: runs of digits by their
 * number, all else by bytes. Different names are never equal. */
int name_compare(const char *a, const char *b);

/* Whether text may be the name of a host: 1 to HOST_NAME_BYTES_MAX letters,
 * digits and . _ - : only, or bytes beyond ASCII. */
bool name_is_host(const char *text);

/* Expands "node[01-04,07],login": names parted by commas, each with any number
 * of lists of numbers in brackets, the last turning fastest. Order and repeated
 * names are kept; a number has as many digits as the first of its range.
 *   STATUS_INVALID    a bracket without its other, an empty list or name, a
 *                     range that falls, what may not be in a host's name
 *   STATUS_EXHAUSTED  too many names, the text too long, the arena full */
int nodelist_expand(struct arena *arena, const char *text,
                    const char *const **ret_names, size_t *ret_n,
                    struct error *err);

/* Expands "0-2,7": numbers up to most, in the order written.
 *   STATUS_INVALID    an empty list, a range that falls, a number above most
 *   STATUS_EXHAUSTED  more than NODELIST_NAMES_MAX numbers, the arena full */
int idset_expand(struct arena *arena, const char *text, uint32_t most,
                 const uint32_t **ret_ids, size_t *ret_n, struct error *err);

/* ---- numbers for names -------------------------------------------------- */

/* One use of a name. */
struct name_use {
    const char *name; /* NULL: none, its id is NAME_NONE */
    uint32_t id;      /* the same for equal names; counted by first uses */
    uint32_t first;   /* index of the first use of this name */
};

#define NAME_NONE UINT32_MAX

/* Fills id and first of n uses. *ret_names: the name of each id. O(n log n).
 *   STATUS_EXHAUSTED  the arena is full */
int names_number(struct arena *arena, struct name_use *uses, size_t n,
                 const char *const **ret_names, size_t *ret_n,
                 struct error *err);

#endif
