/* SPDX-License-Identifier: Apache-2.0 */
/* A store from inside: a backend, two threads and the way back to the loop. */
#ifndef SERRIED_STORE_ENGINE_H
#define SERRIED_STORE_ENGINE_H

#include <stdatomic.h>

#include "store/backend.h"

/* A term of leadership, from store_campaign() to store_resign(). */
struct campaign {
    struct job elect, depose;
    struct store *store;
    const struct store_candidate *candidate;
    void *arg;
    struct store_term term;
    bool elected, resigned;
};

struct store {
    const struct backend *backend;
    void *state;
    struct store_options options;
    struct mailbox mailbox; /* from both workers */
    struct outbox outbox;   /* to the writer */
    struct worker writer, reader;
    struct job upkeep, closing;
    atomic_bool upkeep_queued;
    bool writer_broken; /* the writer's own */

    /* the loop's own */
    struct store_pos pos;
    uint64_t openings, campaigns;
    size_t pending_bytes;
    const struct store_follower *follower; /* NULL: nobody follows */
    void *follower_arg;
    bool following; /* reset was called, batches are delivered */
    bool current;
    struct campaign *campaign;
    bool broken, is_closing;
    struct error trouble;
    void (*closed)(void *arg);
    void *closed_arg;
};

/* A job's run that does nothing: it only waits for its turn. */
void engine_pass(struct job *job);

/* Remembers why the disk failed; broken says it to the daemon once. */
void engine_trouble(struct store *store, enum store_result result,
                    const struct error *trouble);

/* follow.c: sends the follower the whole state. Returns -1: no memory. */
int engine_snapshot(struct store *store);

#endif
