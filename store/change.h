/* SPDX-License-Identifier: Apache-2.0 */
/* A change as the backends see it. */
#ifndef SERRIED_STORE_CHANGE_H
#define SERRIED_STORE_CHANGE_H

#include "base/arena.h"
#include "store/store.h"
#include "store/worker.h"

/* Numbers that rise for ever. */
struct counters {
    uint64_t epoch, revision, event_seq;
};

struct change_item {
    uint64_t seen;
    bool own_generation;
};

/* Collected by the caller, applied by a backend on the writer's thread, shown
 * to the follower. Only one of them has it at a time. */
struct change {
    struct job job;
    struct store *store;
    struct arena *arena;
    struct store_record *records; /* n_own put or removed, then displaced */
    struct change_item *items;    /* n_own */
    size_t n_own, n_records, cap_records;
    struct store_event *events;
    size_t n_events, cap_events;
    size_t bytes;
    enum store_result result; /* before: what latched, else OK */
    struct store_pos pos;
    struct error trouble; /* of the disk, when FULL or BROKEN */
    store_done_fn *done;
    void *arg;
};

/* Gives records and events the position that they are committed at, and moves
 * counters there. May be called again for another position. */
void change_stamp(struct change *change, struct counters *counters);

/* Answers one change displaces at most: many are over after the bound was
 * lowered, and go with the next changes. */
enum { CHANGE_DISPLACED_MAX = 256 };

/* Appends an answer that this change displaces. Returns -1: no memory. */
int change_displace(struct change *change, const char *id, uint64_t rev);

static inline bool change_may_displace(const struct change *change)
{
    return change->n_records - change->n_own < CHANGE_DISPLACED_MAX;
}

/* Forgets what was displaced, to try again. */
void change_rewind(struct change *change);

/* Copies; strings that are NULL become "". Return -1: no memory, or arena at
 * its cap. */
int record_copy(struct arena *arena, const struct store_record *from,
                struct store_record *ret);
int event_copy(struct arena *arena, const struct store_event *from,
               struct store_event *ret);

/* items with room for one more of size bytes, or NULL: no memory. */
void *grow(void *items, size_t n, size_t *cap, size_t size);

#endif
