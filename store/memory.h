/* SPDX-License-Identifier: Apache-2.0 */
/* The memory backend's state, shared by its files. */
#ifndef SERRIED_STORE_MEMORY_H
#define SERRIED_STORE_MEMORY_H

#include <pthread.h>

#include "store/backend.h"

/* Each kept record and event owns its strings through the arena beside it. */
struct kept_record {
    struct arena *arena;
    struct store_record record;
};

struct kept_event {
    struct arena *arena;
    struct store_event event;
};

struct memory {
    pthread_mutex_t lock; /* the reader looks on while the writer changes */
    struct counters counters;
    struct kept_record *records; /* sorted by kind, then id */
    size_t n_records, cap_records;
    struct kept_event *events; /* by seq */
    size_t n_events, cap_events;
    size_t n_answers;
    uint64_t bytes, bytes_max;
    size_t answers_max, events_max;
};

/* ---- memory.c ------------------------------------------------------------ */

/* Room for so many more. Returns -1: no memory. */
int memory_reserve(struct memory *memory, size_t n_records, size_t n_events);

/* Copies with an arena of their own. Return -1: no memory. */
int memory_keep_record(const struct store_record *record,
                       struct kept_record *ret);
int memory_keep_event(const struct store_event *event, struct kept_event *ret);

/* Puts a record where it belongs, in place of one that is there; room must be
 * reserved. */
void memory_put_at(struct memory *memory, size_t at, bool there,
                   const struct kept_record *new);
void memory_remove_at(struct memory *memory, size_t at);
void memory_forget_below(struct memory *memory, uint64_t seq);

/* What an event counts against the quota, in bytes. */
uint64_t memory_event_weight(const struct store_event *event);

/* ---- memory_read.c ------------------------------------------------------- */

int memory_scan(void *state, enum backend_side side, const struct scan *scan,
                struct error *err);
int memory_history(void *state, const struct history_query *query,
                   int (*event)(void *arg, const struct store_event *event),
                   void *arg, struct error *err);
int memory_import(void *state, const void *bytes, size_t len,
                  struct counters *ret_counters, struct error *err);

#endif
