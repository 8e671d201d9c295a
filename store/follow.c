/* SPDX-License-Identifier: Apache-2.0 */
/* Following: the whole state in pieces, then what changes. */
#include <assert.h>
#include <stdlib.h>

#include "store/engine.h"

/* A piece of the snapshot: so many records or bytes, whichever is first. The
 * arena leaves room for the largest record beyond that. */
enum {
    PIECE_RECORDS = 256,
    PIECE_BYTES = 1 << 20,
    PIECE_ARENA_BYTES = PIECE_BYTES + 2 * STORE_CHANGE_BYTES,
};

struct piece {
    struct job job;
    struct store *store;
    struct arena *arena;
    struct store_pos pos;
    bool first;
    size_t n;
    struct store_record records[PIECE_RECORDS];
};

/* Reads the state on the writer's thread, where no commit comes between. */
struct snapshot {
    struct job job;
    struct store *store;
    struct piece *piece; /* being filled */
    struct store_pos pos;
    bool failed;
    struct error err;
};

static void finish_piece(struct job *job)
{
    struct piece *piece = (struct piece *)job;
    struct store *store = piece->store;

    if (piece->first) {
        store->following = true;
        store->follower->reset(store->follower_arg);
    }
    if (piece->n > 0)
        store->follower->batch(store->follower_arg, piece->pos, piece->records,
                               piece->n, NULL, 0);
    arena_free(piece->arena);
    free(piece);
}

static int start_piece(struct snapshot *snapshot, bool first)
{
    struct piece *piece = calloc(1, sizeof(*piece));

    if (piece == NULL)
        return -1;
    piece->arena = arena_new(PIECE_ARENA_BYTES);
    if (piece->arena == NULL) {
        free(piece);
        return -1;
    }
    piece->job.finish = finish_piece;
    piece->store = snapshot->store;
    piece->pos = snapshot->pos;
    piece->first = first;
    snapshot->piece = piece;
    return 0;
}

static void send_piece(struct snapshot *snapshot)
{
    mailbox_post(&snapshot->store->mailbox, &snapshot->piece->job);
    snapshot->piece = NULL;
}

static int snapshot_begin(void *arg, const struct counters *counters)
{
    struct snapshot *snapshot = arg;

    snapshot->pos = (struct store_pos){ counters->epoch, counters->revision };
    return start_piece(snapshot, true);
}

static int snapshot_record(void *arg, const struct store_record *record)
{
    struct snapshot *snapshot = arg;
    struct piece *piece = snapshot->piece;

    if (piece->n == PIECE_RECORDS || arena_used(piece->arena) > PIECE_BYTES) {
        send_piece(snapshot);
        if (start_piece(snapshot, false) < 0)
            return -1;
        piece = snapshot->piece;
    }
    if (record_copy(piece->arena, record, &piece->records[piece->n]) < 0)
        return -1;
    piece->n++;
    return 0;
}

static void run_snapshot(struct job *job)
{
    struct snapshot *snapshot = (struct snapshot *)job;
    struct store *store = snapshot->store;
    const struct scan scan = { snapshot_begin, snapshot_record, NULL,
                               snapshot };

    if (store->backend->scan(store->state, SIDE_WRITER, &scan, &snapshot->err) <
        0)
        snapshot->failed = true;
    if (snapshot->piece != NULL)
        send_piece(snapshot);
}

/* A state that is not whole in memory is of no use to anybody. */
static void finish_snapshot(struct job *job)
{
    struct snapshot *snapshot = (struct snapshot *)job;
    struct store *store = snapshot->store;

    if (snapshot->failed) {
        store->following = false;
        engine_trouble(store, STORE_BROKEN, &snapshot->err);
    } else {
        store->pos = snapshot->pos;
        store->current = true;
        store->follower->current(store->follower_arg, snapshot->pos);
    }
    free(snapshot);
}

int engine_snapshot(struct store *store)
{
    struct snapshot *snapshot = calloc(1, sizeof(*snapshot));

    if (snapshot == NULL)
        return -1;
    store->following = false;
    store->current = false;
    snapshot->job.run = run_snapshot;
    snapshot->job.finish = finish_snapshot;
    snapshot->store = store;
    outbox_put(&store->outbox, &snapshot->job);
    return 0;
}

int store_follow(struct store *store, const struct store_follower *follower,
                 void *arg, struct error *err)
{
    assert(!store->is_closing && store->follower == NULL);
    if (engine_snapshot(store) < 0)
        return error_exhausted(err);
    store->follower = follower;
    store->follower_arg = arg;
    return 0;
}

/* ---- sync ---------------------------------------------------------------- */

struct sync {
    struct job job;
    struct store *store;
    store_done_fn *done;
    void *arg;
};

static void finish_sync(struct job *job)
{
    struct sync *sync = (struct sync *)job;
    struct store *store = sync->store;

    sync->done(sync->arg, store->broken ? STORE_BROKEN : STORE_OK, store->pos);
    free(sync);
}

/* This process alone writes here, and a batch is delivered before its change is
 * acknowledged: so a turn of the loop is enough, and the writer's queue only
 * while the snapshot is under way. */
int store_sync(struct store *store, store_done_fn *done, void *arg,
               struct error *err)
{
    struct sync *sync = calloc(1, sizeof(*sync));

    assert(!store->is_closing);
    if (sync == NULL)
        return error_exhausted(err);
    sync->job.run = engine_pass;
    sync->job.finish = finish_sync;
    sync->store = store;
    sync->done = done;
    sync->arg = arg;
    if (store->follower != NULL && !store->current)
        outbox_put(&store->outbox, &sync->job);
    else
        mailbox_post(&store->mailbox, &sync->job);
    return 0;
}
