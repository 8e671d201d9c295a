/* SPDX-License-Identifier: Apache-2.0 */
/* What keeps the records: one table of functions for each kind of store. */
#ifndef SERRIED_STORE_BACKEND_H
#define SERRIED_STORE_BACKEND_H

#include "store/change.h"

/* Two threads call a backend, each with one call at a time: the writer, and a
 * reader for what may take long without holding up commits. Either may block.
 */
enum backend_side { SIDE_WRITER, SIDE_READER };

/* Visits a whole state at one position: begin, records by kind and id, events
 * by seq (none when event is NULL). A visitor returns 0, or -1 to stop. */
struct scan {
    int (*begin)(void *arg, const struct counters *counters);
    int (*record)(void *arg, const struct store_record *record);
    int (*event)(void *arg, const struct store_event *event);
    void *arg;
};

/* Events below `before` (0: from the newest), newest first. */
struct history_query {
    uint64_t before;
    const char *subject; /* NULL: all */
    size_t limit;
};

struct backend {
    const char *scheme;
    bool needs_path;

    /* options has no zeros where a default exists. Sets where the state is, and
     * a term higher than all before. Errors as store_open(). */
    int (*open)(const char *path, const struct store_options *options,
                void **ret_state, struct counters *ret_counters,
                uint64_t *ret_term, struct error *err);
    void (*close)(void *state);

    /* ---- the writer's ---- */

    /* Applies each change whole or not at all, in order, and makes all of them
     * durable together. Sets result, pos, displaced records and trouble. After
     * BROKEN it is not called again. */
    void (*commit)(void *state, struct change *const *changes, size_t n);
    enum store_result (*forget)(void *state, uint64_t before,
                                struct error *err);
    /* bytes are an export that copy_read() has read once without a fault. */
    int (*import)(void *state, const void *bytes, size_t len,
                  struct counters *ret_counters, struct error *err);

    /* ---- of the side that is named, else the reader's ---- */

    /* STATUS_EXHAUSTED: a visitor stopped it; STATUS_INTERNAL: unreadable. */
    int (*scan)(void *state, enum backend_side side, const struct scan *scan,
                struct error *err);
    int (*history)(void *state, const struct history_query *query,
                   int (*event)(void *arg, const struct store_event *event),
                   void *arg, struct error *err);

    /* Whether upkeep should run soon; asked by the writer, done by the reader.
     * NULL: there is none. */
    bool (*upkeep_due)(void *state);
    void (*upkeep)(void *state);
};

extern const struct backend backend_sqlite, backend_memory;

#endif
