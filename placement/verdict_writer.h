/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of the verdict writer share. Private to verdict*.c. */
#ifndef SERRIED_PLACEMENT_VERDICT_WRITER_H
#define SERRIED_PLACEMENT_VERDICT_WRITER_H

#include "placement/verdict.h"

struct writer {
    struct check *check;
    struct tree_maker *maker;
    struct tree *map;
    struct text text; /* of one field */
    struct error *err;
};

/* Moves writer->text into a field of map and empties it. */
void verdict_field(struct writer *w, struct tree *map, const char *key);

/* The axes of a view as the first node group that has them lays it out; NULL:
 * none has. */
const struct view *verdict_view(struct check *check, int view);

/* Writes the group lists that were asked for. */
int verdict_lists(struct writer *w, const struct verdict_wants *wants);

/* Writes what was asked for of a world's size. */
int verdict_wanted(struct writer *w, const struct verdict_wants *wants);

/* Whether the ranks of a scope have places: not those that run alone, but the
 * one rank of a world has. */
bool verdict_has_places(const struct check *check, const struct scope *scope);

#endif
