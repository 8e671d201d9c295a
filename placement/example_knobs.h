/* SPDX-License-Identifier: Apache-2.0 */
/* What can be set in a request, and to which values. Private to example*.c. */
#ifndef SERRIED_PLACEMENT_EXAMPLE_KNOBS_H
#define SERRIED_PLACEMENT_EXAMPLE_KNOBS_H

#include "placement/example.h"

enum {
    KNOBS_MAX = 256,
    KNOB_VALUES_MAX = 96, /* with absence */
    KNOB_RANKS_MAX = 4096,
};

enum knob_kind {
    KNOB_SIZE,
    KNOB_OPTION,
    KNOB_CARRY,
    KNOB_FACT,
    KNOB_RANKS, /* how the ranks of a node group are numbered */
    KNOB_WORLD,
};

/* Something that a request or its model may say. Value 0 is absence. */
struct knob {
    enum knob_kind kind;
    int index; /* axis, option, carry, fact */
    int slot;
    const char *name;
    const struct tree *values[KNOB_VALUES_MAX + 2]; /* 0: NULL; two spare ones
                                                       behind the n */
    size_t n;
};

struct knobs {
    const struct runtime *rt;
    struct arena *arena;
    struct knob items[KNOBS_MAX + 1]; /* the last one is spare */
    size_t n;
    size_t ranks;              /* the knob of the ranks; n: there is none */
    const int64_t *numberings; /* example_ranks.c */
    const struct example_base *bases;
    size_t n_bases;
};

/* Values of all knobs, by index. */
struct point {
    const struct example_base *base;
    uint8_t values[KNOBS_MAX];
};

/* example_answer.c: what is sought, where a check found it; NULL: nowhere. */
const struct finding *example_finding(const struct check *check,
                                      const struct example_sought *sought);

/* Fills an example from an accepted and a refused point. As example_find(). */
int example_answer(const struct knobs *knobs, const struct point *good,
                   const struct point *bad, const struct example_sought *sought,
                   struct arena *arena, struct example *ret, struct error *err);

/* Adds a knob, which may be absent only. Never NULL: there is a spare one. */
struct knob *knobs_add(struct knobs *knobs, enum knob_kind kind, int index,
                       int slot, const char *name);

/* example_ranks.c: adds the knob of the ranks. STATUS_EXHAUSTED. */
int knobs_add_ranks(struct knobs *knobs, struct error *err);

/* So many ranks as a point numbers them, n KNOB_RANKS_MAX at most. */
const int64_t *point_ranks(const struct knobs *knobs, const struct point *point,
                           size_t n);

/* example_values.c: adds a value that is not among them yet (NULL: none); those
 * of some types (mask of enum value_type); some that are not among those that
 * are allowed; maps with members that expressions read; cuts of the models'
 * signals; lists of hosts. What has no room is left out. */
void knob_add(struct knob *knob, const struct tree *value);
void knob_add_whole(struct knobs *knobs, struct knob *knob, int64_t value);
void knob_add_typed(struct knobs *knobs, struct knob *knob, unsigned types);
void knob_add_outside(struct knobs *knobs, struct knob *knob,
                      const struct tree *one_of);
void knob_add_members(struct knobs *knobs, struct knob *knob);
void knob_add_cuts(struct knobs *knobs, struct knob *knob);
void knob_add_hosts(struct knobs *knobs, struct knob *knob);

/* example_records.c: lists of maps, with members that expressions read of items
 * that are not the runtime's own. */
void knob_add_records(struct knobs *knobs, struct knob *knob);

/* A copy of a list of maps without the entry of this index, or, past the
 * entries, without the member that comes that far behind. NULL: there is no
 * such thing, or no memory. */
const struct tree *knob_without(struct knobs *knobs, const struct tree *list,
                                size_t index);

/* Makes the knobs of a runtime: sizes (by axis), options, carried keys, facts,
 * ranks, the world last. STATUS_EXHAUSTED. */
int knobs_init(struct knobs *knobs, const struct runtime *rt,
               const struct example_base *bases, size_t n_bases,
               struct arena *arena, struct error *err);

/* The request of a point, in arena; false: no memory. */
bool point_question(const struct knobs *knobs, const struct point *point,
                    struct arena *arena, struct question *ret);

#endif
