/* SPDX-License-Identifier: Apache-2.0 */
/* Opening and closing, committing, leading. */
#include "store/engine.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* Changes that share one write to disk. More gain little (32 of 1 KiB take
 * twice the time of one) and make the first of them wait longer. */
enum { GROUP_MAX = 32 };

static const struct backend *const backends[] = { &backend_sqlite,
                                                  &backend_memory };

const char *store_kind_name(enum store_kind kind)
{
    switch (kind) {
#define X(name, number, text)                                                  \
    case STORE_##name:                                                         \
        return text;
        STORE_KIND_LIST(X)
#undef X
    }
    return NULL;
}

int store_result_error(enum store_result result, struct error *err)
{
    static const struct {
        enum status status;
        const char *text;
    } rows[] = {
#define X(name, status, text) [STORE_##name] = { STATUS_##status, text },
        STORE_RESULT_LIST(X)
#undef X
    };

    return error_set(err, rows[result].status, "%s", rows[result].text);
}

/* ---- the writer's thread ------------------------------------------------- */

void engine_pass(struct job *job)
{
    (void)job;
}

static void end_as_broken(struct change *const *changes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        changes[i]->result = STORE_BROKEN;
}

/* Commits the changes at the head of jobs as one; returns what is left. */
static struct job *commit_some(struct store *store, struct job *jobs)
{
    struct change *group[GROUP_MAX];
    size_t n = 0;

    while (jobs != NULL && jobs->run == NULL && n < GROUP_MAX) {
        group[n++] = (struct change *)jobs;
        jobs = jobs->next;
    }
    if (store->writer_broken)
        end_as_broken(group, n);
    else
        store->backend->commit(store->state, group, n);
    for (size_t i = 0; i < n; i++) {
        store->writer_broken |= group[i]->result == STORE_BROKEN;
        mailbox_post(&store->mailbox, &group[i]->job);
    }
    return jobs;
}

static void start_upkeep(struct store *store)
{
    if (store->backend->upkeep_due == NULL ||
        !store->backend->upkeep_due(store->state) ||
        atomic_exchange(&store->upkeep_queued, true))
        return;
    worker_submit(&store->reader, &store->upkeep);
}

static void run_jobs(void *arg, struct job *jobs)
{
    struct store *store = arg;

    while (jobs != NULL) {
        struct job *job = jobs;

        if (job->run == NULL) {
            jobs = commit_some(store, jobs);
            start_upkeep(store);
            continue;
        }
        jobs = job->next;
        job->run(job);
        mailbox_post(&store->mailbox, job);
    }
}

/* ---- opening ------------------------------------------------------------- */

static const struct backend *
find_backend(const char *url, const char **ret_path, struct error *err)
{
    for (size_t i = 0; i < ARRAY_LEN(backends); i++) {
        size_t n = strlen(backends[i]->scheme);

        if (strncmp(url, backends[i]->scheme, n) != 0 || url[n] != ':')
            continue;
        *ret_path = url + n + 1;
        if (backends[i]->needs_path == (**ret_path != '\0') &&
            **ret_path != ':')
            return backends[i];
    }
    /* Only the head of the url is shown: others may hold keys. */
    error_set(err, STATUS_INVALID,
              "store \"%.*s\": no such kind of store; give sqlite:PATH or "
              "memory:",
              (int)strcspn(url, ":"), url);
    return NULL;
}

static struct store_options with_defaults(const struct store_options *given)
{
    struct store_options options = { 0 };

    if (given != NULL)
        options = *given;
    if (options.answers_max == 0)
        options.answers_max = STORE_ANSWERS_MAX;
    if (options.events_max == 0)
        options.events_max = STORE_EVENTS_MAX;
    if (options.busy_ms == 0)
        options.busy_ms = 5000;
    return options;
}

static void run_upkeep(struct job *job)
{
    struct store *store =
        (struct store *)((char *)job - offsetof(struct store, upkeep));

    store->backend->upkeep(store->state);
}

static void finish_upkeep(struct job *job)
{
    struct store *store =
        (struct store *)((char *)job - offsetof(struct store, upkeep));

    atomic_store(&store->upkeep_queued, false);
}

static int open_backend(struct store *store, const char *path,
                        struct error *err)
{
    struct counters counters;

    if (store->backend->open(path, &store->options, &store->state, &counters,
                             &store->openings, err) < 0)
        return -1;
    store->pos = (struct store_pos){ counters.epoch, counters.revision };
    return 0;
}

static int start_workers(struct store *store, struct error *err)
{
    if (worker_start(&store->writer, run_jobs, store, err) < 0)
        return -1;
    if (worker_start(&store->reader, run_jobs, store, err) == 0)
        return 0;
    worker_stop(&store->writer);
    return -1;
}

int store_open(uv_loop_t *loop, const char *url,
               const struct store_options *options, struct store **ret_store,
               struct error *err)
{
    const char *path = NULL;
    const struct backend *backend = find_backend(url, &path, err);
    struct store *store;

    if (backend == NULL)
        return -1;
    store = calloc(1, sizeof(*store));
    if (store == NULL)
        return error_exhausted(err);
    store->backend = backend;
    store->options = with_defaults(options);
    store->upkeep.run = run_upkeep;
    store->upkeep.finish = finish_upkeep;
    if (open_backend(store, path, err) < 0)
        goto no_backend;
    if (start_workers(store, err) < 0)
        goto no_workers;
    if (mailbox_init(&store->mailbox, loop, err) < 0)
        goto no_mailbox;
    outbox_init(&store->outbox, loop, &store->writer);
    *ret_store = store;
    return 0;

no_mailbox:
    worker_stop(&store->reader);
    worker_stop(&store->writer);
no_workers:
    backend->close(store->state);
no_backend:
    free(store);
    return -1;
}

/* ---- closing ------------------------------------------------------------- */

static struct store *of_closing(struct job *job)
{
    return (struct store *)((char *)job - offsetof(struct store, closing));
}

static void on_closed(void *arg)
{
    struct store *store = arg;
    void (*closed)(void *arg) = store->closed;
    void *closed_arg = store->closed_arg;

    free(store->campaign);
    free(store);
    if (closed != NULL)
        closed(closed_arg);
}

/* Closing copies the log into the database, which may take a slow disk long:
 * on a thread too. */
static void close_backend(struct job *job)
{
    struct store *store = of_closing(job);

    store->backend->close(store->state);
}

static void close_mailbox(void *arg)
{
    struct store *store = arg;

    mailbox_close(&store->mailbox, on_closed, store);
}

static void reader_is_idle(struct job *job)
{
    struct store *store = of_closing(job);

    worker_stop(&store->reader);
    outbox_close(&store->outbox, close_mailbox, store);
}

static void writer_is_idle(struct job *job)
{
    struct store *store = of_closing(job);

    worker_stop(&store->writer);
    job->run = close_backend;
    job->finish = reader_is_idle;
    worker_submit(&store->reader, job);
}

void store_close(struct store *store, void (*closed)(void *arg), void *arg)
{
    assert(!store->is_closing);
    store->is_closing = true;
    store->closed = closed;
    store->closed_arg = arg;
    store->closing.run = engine_pass;
    store->closing.finish = writer_is_idle;
    outbox_put(&store->outbox, &store->closing);
}

struct store_pos store_position(const struct store *store)
{
    return store->pos;
}

const char *store_trouble(const struct store *store)
{
    return store->trouble.text;
}

/* ---- committing ---------------------------------------------------------- */

void engine_trouble(struct store *store, enum store_result result,
                    const struct error *trouble)
{
    if (trouble->text[0] != '\0')
        store->trouble = *trouble;
    if (result != STORE_BROKEN || store->broken)
        return;
    store->broken = true;
    if (store->options.broken != NULL)
        store->options.broken(store->options.arg, store->trouble.text);
}

static void deliver(const struct store *store, const struct change *change)
{
    if (store->following)
        store->follower->batch(store->follower_arg, change->pos,
                               change->records, change->n_records,
                               change->events, change->n_events);
}

static void finish_commit(struct job *job)
{
    struct change *change = (struct change *)job;
    struct store *store = change->store;

    if (change->result == STORE_OK) {
        store->pos = change->pos;
        deliver(store, change);
    } else {
        change->pos = store->pos;
    }
    change->done(change->arg, change->result, change->pos);
    engine_trouble(store, change->result, &change->trouble);
    change_free(change);
}

/* What a waiting change takes: its bytes, and structures and arena around them
 * (some 6 KiB, so that about 8,000 small ones may wait). */
static size_t pending_cost(const struct change *change)
{
    return change->bytes + 8192;
}

static void finish_written(struct job *job)
{
    struct change *change = (struct change *)job;

    change->store->pending_bytes -= pending_cost(change);
    finish_commit(job);
}

/* What keeps a change from being tried at all. */
static enum store_result refusal(const struct store *store,
                                 const struct change *change)
{
    if (store->broken)
        return STORE_BROKEN;
    if (store->campaign == NULL || !store->campaign->elected)
        return STORE_DEPOSED;
    if (change->result == STORE_OK &&
        pending_cost(change) > STORE_PENDING_BYTES - store->pending_bytes)
        return STORE_FULL;
    return change->result;
}

void store_commit(struct store *store, struct change *change,
                  store_done_fn *done, void *arg)
{
    assert(!store->is_closing);
    change->store = store;
    change->done = done;
    change->arg = arg;
    change->result = refusal(store, change);
    if (change->result != STORE_OK) {
        change->job.finish = finish_commit;
        mailbox_post(&store->mailbox, &change->job);
        return;
    }
    store->pending_bytes += pending_cost(change);
    change->job.finish = finish_written;
    outbox_put(&store->outbox, &change->job);
}
