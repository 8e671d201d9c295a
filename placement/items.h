/* SPDX-License-Identifier: Apache-2.0 */
/* The members that expressions see of nodes, groups, signals and the rest. */
#ifndef SERRIED_PLACEMENT_ITEMS_H
#define SERRIED_PLACEMENT_ITEMS_H

#include "placement/runtime.h"

struct environment;

/* Number and shape of a member of objects of a kind, for compiling; -1: none.
 * Things that have sizes (groups, placed nodes, instances) also have every
 * axis, option and derived size of the runtime; nodes and placed nodes also
 * every fact. */
int item_member(const struct runtime *rt, uint16_t kind, const char *name,
                struct shape *ret_shape);

/* Whether the kind itself has this member, not a name of the runtime. */
bool item_has_own(uint16_t kind, const char *name);

/* The nearest member name, or NULL. */
const char *item_nearest(const struct runtime *rt, uint16_t kind,
                         const char *name);

/* The member's value. env->arg is the struct check that runs. */
struct value item_value(const struct environment *env, struct value object,
                        int member);

/* "node", "group": for messages and the manual. */
const char *item_kind_name(uint16_t kind);

/* Writes the table of members as it stands in docs/runtimes.md. */
void items_print(struct text *out);

/* The slot of an item's own scope that a member reads, or -1. */
int item_slot(const struct runtime *rt, uint16_t kind, int member);

#endif
