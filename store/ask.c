/* SPDX-License-Identifier: Apache-2.0 */
/* Questions that read the disk: history, export; and forgetting, import. */
#include <assert.h>
#include <stdlib.h>

#include "store/copy.h"
#include "store/engine.h"

/* ---- history ------------------------------------------------------------- */

/* Beyond so many bytes a question returns fewer events; one always fits. */
enum { HISTORY_BYTES = 4 * STORE_CHANGE_BYTES };

struct question {
    struct job job;
    struct store *store;
    struct history_query query;
    struct arena *arena;
    struct store_event *events; /* query.limit of them, n filled */
    size_t n;
    bool cut;
    int rc;
    struct error err;
    store_history_fn *done;
    void *arg;
};

static int keep_event(void *arg, const struct store_event *event)
{
    struct question *question = arg;

    if (event_copy(question->arena, event, &question->events[question->n]) <
        0) {
        question->cut = question->n > 0;
        return -1;
    }
    question->n++;
    return 0;
}

static void run_history(struct job *job)
{
    struct question *question = (struct question *)job;
    struct store *store = question->store;

    question->rc = store->backend->history(
        store->state, &question->query, keep_event, question, &question->err);
    if (question->cut)
        question->rc = 0;
}

static void finish_history(struct job *job)
{
    struct question *question = (struct question *)job;

    if (question->rc == 0) {
        question->done(question->arg, STORE_OK, question->events, question->n);
    } else {
        engine_trouble(question->store, STORE_FULL, &question->err);
        question->done(question->arg,
                       question->err.status == STATUS_EXHAUSTED ? STORE_FULL
                                                                : STORE_BROKEN,
                       NULL, 0);
    }
    arena_free(question->arena);
    free(question);
}

/* The question with its arrays in its arena, or NULL. */
static struct question *question_new(uint64_t before, const char *subject,
                                     size_t limit)
{
    struct question *question = calloc(1, sizeof(*question));

    if (question == NULL)
        return NULL;
    if (limit > STORE_HISTORY_MAX)
        limit = STORE_HISTORY_MAX;
    question->query =
        (struct history_query){ .before = before, .limit = limit };
    question->arena = arena_new(HISTORY_BYTES);
    if (question->arena == NULL) {
        free(question);
        return NULL;
    }
    if (subject != NULL)
        question->query.subject = arena_strdup(question->arena, subject);
    question->events =
        arena_array(question->arena, limit, sizeof(*question->events));
    if (question->events == NULL ||
        (subject != NULL && question->query.subject == NULL)) {
        arena_free(question->arena);
        free(question);
        return NULL;
    }
    return question;
}

int store_history(struct store *store, uint64_t before, const char *subject,
                  size_t limit, store_history_fn *done, void *arg,
                  struct error *err)
{
    struct question *question = question_new(before, subject, limit);

    assert(!store->is_closing);
    if (question == NULL)
        return error_exhausted(err);
    question->job.run = run_history;
    question->job.finish = finish_history;
    question->store = store;
    question->done = done;
    question->arg = arg;
    worker_submit(&store->reader, &question->job);
    return 0;
}

/* ---- forgetting ---------------------------------------------------------- */

struct forgetting {
    struct job job;
    struct store *store;
    uint64_t before;
    enum store_result result;
    struct error err;
    store_done_fn *done;
    void *arg;
};

static void run_forgetting(struct job *job)
{
    struct forgetting *f = (struct forgetting *)job;
    struct store *store = f->store;

    f->result = store->writer_broken
                    ? STORE_BROKEN
                    : store->backend->forget(store->state, f->before, &f->err);
}

static void finish_forgetting(struct job *job)
{
    struct forgetting *f = (struct forgetting *)job;

    if (f->done != NULL)
        f->done(f->arg, f->result, f->store->pos);
    engine_trouble(f->store, f->result, &f->err);
    free(f);
}

int store_forget_events(struct store *store, uint64_t before,
                        store_done_fn *done, void *arg, struct error *err)
{
    struct forgetting *f = calloc(1, sizeof(*f));

    assert(!store->is_closing);
    if (f == NULL)
        return error_exhausted(err);
    f->job.run = run_forgetting;
    f->job.finish = finish_forgetting;
    f->store = store;
    f->before = before;
    f->done = done;
    f->arg = arg;
    outbox_put(&store->outbox, &f->job);
    return 0;
}

/* ---- copying ------------------------------------------------------------- */

/* Bytes handed to write at once. */
enum { SLICE_BYTES = 64 << 10 };

struct copying {
    struct job job;
    struct store *store;
    struct copy_writer writer; /* export */
    int (*write)(void *arg, const void *bytes, size_t len);
    const void *bytes; /* import */
    size_t len;
    struct store_pos pos;
    int rc;
    struct error err;
    store_copied_fn *done;
    void *arg;
};

static void run_export(struct job *job)
{
    struct copying *copying = (struct copying *)job;
    struct store *store = copying->store;
    struct scan scan;

    copy_scan(&copying->writer, &scan);
    copying->rc =
        store->backend->scan(store->state, SIDE_READER, &scan, &copying->err);
    copy_end(&copying->writer);
    copying->pos = (struct store_pos){ copying->writer.from.epoch,
                                       copying->writer.from.revision };
    if (copying->rc == 0 && copying->writer.out.failed)
        copying->rc = error_exhausted(&copying->err);
}

static int write_out(struct copying *copying)
{
    const struct text *out = &copying->writer.out;

    for (size_t at = 0; at < out->len; at += SLICE_BYTES) {
        size_t n = out->len - at < SLICE_BYTES ? out->len - at : SLICE_BYTES;

        if (copying->write(copying->arg, out->data + at, n) < 0)
            return error_set(&copying->err, STATUS_EXHAUSTED,
                             "the copy could not be written; make room where "
                             "it goes");
    }
    return 0;
}

static void finish_export(struct job *job)
{
    struct copying *copying = (struct copying *)job;

    if (copying->rc == 0)
        copying->rc = write_out(copying);
    copying->done(copying->arg, copying->rc == 0 ? NULL : &copying->err,
                  copying->pos);
    text_close(&copying->writer.out);
    free(copying);
}

int store_export(struct store *store,
                 int (*write)(void *arg, const void *bytes, size_t len),
                 store_copied_fn *done, void *arg, struct error *err)
{
    struct copying *copying = calloc(1, sizeof(*copying));

    assert(!store->is_closing);
    if (copying == NULL)
        return error_exhausted(err);
    copying->job.run = run_export;
    copying->job.finish = finish_export;
    copying->store = store;
    copying->write = write;
    copying->done = done;
    copying->arg = arg;
    worker_submit(&store->reader, &copying->job);
    return 0;
}

/* The whole export is read once before anything is written. */
static void run_import(struct job *job)
{
    static const struct scan nothing = { 0 };
    struct copying *copying = (struct copying *)job;
    struct store *store = copying->store;
    struct counters counters = { 0 };

    if (store->writer_broken)
        copying->rc = store_result_error(STORE_BROKEN, &copying->err);
    else
        copying->rc =
            copy_read(copying->bytes, copying->len, &nothing, &copying->err);
    if (copying->rc == 0)
        copying->rc =
            store->backend->import(store->state, copying->bytes, copying->len,
                                   &counters, &copying->err);
    copying->pos = (struct store_pos){ counters.epoch, counters.revision };
}

static void finish_import(struct job *job)
{
    struct copying *copying = (struct copying *)job;
    struct store *store = copying->store;

    if (copying->rc == 0) {
        store->pos = copying->pos;
        if (store->follower != NULL && !store->is_closing &&
            engine_snapshot(store) < 0) {
            error_exhausted(&copying->err);
            engine_trouble(store, STORE_BROKEN, &copying->err);
        }
    }
    copying->done(copying->arg, copying->rc == 0 ? NULL : &copying->err,
                  store->pos);
    free(copying);
}

int store_import(struct store *store, const void *bytes, size_t len,
                 store_copied_fn *done, void *arg, struct error *err)
{
    struct copying *copying = calloc(1, sizeof(*copying));

    assert(!store->is_closing);
    if (copying == NULL)
        return error_exhausted(err);
    copying->job.run = run_import;
    copying->job.finish = finish_import;
    copying->store = store;
    copying->bytes = bytes;
    copying->len = len;
    copying->done = done;
    copying->arg = arg;
    outbox_put(&store->outbox, &copying->job);
    return 0;
}
