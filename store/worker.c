/* SPDX-License-Identifier: Apache-2.0 */
/* A thread that does jobs in order, and the way back to the loop. */
#include "store/worker.h"

#include <signal.h>

/* Jobs finished in one turn of the loop: a snapshot of 256 records each takes
 * some 100 us, so that other handles wait 6 ms at most. */
enum { FINISHED_AT_ONCE = 64 };

void job_queue_init(struct job_queue *queue)
{
    queue->head = NULL;
    queue->tail = &queue->head;
}

void job_queue_put(struct job_queue *queue, struct job *job)
{
    job->next = NULL;
    *queue->tail = job;
    queue->tail = &job->next;
}

struct job *job_queue_take_all(struct job_queue *queue)
{
    struct job *jobs = queue->head;

    job_queue_init(queue);
    return jobs;
}

void job_queue_move(struct job_queue *queue, struct job_queue *from)
{
    if (from->head == NULL)
        return;
    *queue->tail = from->head;
    queue->tail = from->tail;
    job_queue_init(from);
}

static struct job *take_one(struct mailbox *mailbox)
{
    struct job *job;

    pthread_mutex_lock(&mailbox->lock);
    job = mailbox->queue.head;
    if (job != NULL) {
        mailbox->queue.head = job->next;
        if (job->next == NULL)
            mailbox->queue.tail = &mailbox->queue.head;
    }
    pthread_mutex_unlock(&mailbox->lock);
    return job;
}

/* A finish may close the mailbox; what it posted before has been taken then,
 * for closing is the last job. */
static void on_async(uv_async_t *async)
{
    struct mailbox *mailbox = async->data;

    for (int i = 0; i < FINISHED_AT_ONCE; i++) {
        struct job *job = take_one(mailbox);

        if (job == NULL)
            return;
        job->finish(job);
        if (uv_is_closing((uv_handle_t *)async))
            return;
    }
    uv_async_send(async);
}

int mailbox_init(struct mailbox *mailbox, uv_loop_t *loop, struct error *err)
{
    int rc = uv_async_init(loop, &mailbox->async, on_async);

    if (rc != 0)
        return error_set(err, STATUS_EXHAUSTED, "the store's wake-up: %s",
                         uv_strerror(rc));
    mailbox->async.data = mailbox;
    pthread_mutex_init(&mailbox->lock, NULL);
    job_queue_init(&mailbox->queue);
    return 0;
}

void mailbox_post(struct mailbox *mailbox, struct job *job)
{
    pthread_mutex_lock(&mailbox->lock);
    job_queue_put(&mailbox->queue, job);
    pthread_mutex_unlock(&mailbox->lock);
    uv_async_send(&mailbox->async);
}

static void on_close(uv_handle_t *handle)
{
    struct mailbox *mailbox = handle->data;

    pthread_mutex_destroy(&mailbox->lock);
    mailbox->closed(mailbox->arg);
}

void mailbox_close(struct mailbox *mailbox, void (*closed)(void *arg),
                   void *arg)
{
    mailbox->closed = closed;
    mailbox->arg = arg;
    uv_close((uv_handle_t *)&mailbox->async, on_close);
}

static void *thread_main(void *arg)
{
    struct worker *worker = arg;

    for (;;) {
        struct job *jobs;

        pthread_mutex_lock(&worker->lock);
        while (worker->queue.head == NULL && !worker->stopping)
            pthread_cond_wait(&worker->wake, &worker->lock);
        jobs = job_queue_take_all(&worker->queue);
        pthread_mutex_unlock(&worker->lock);
        if (jobs == NULL)
            return NULL;
        worker->run(worker->arg, jobs);
    }
}

/* Signals are the loop thread's: none may interrupt a write to disk. */
static int start_without_signals(struct worker *worker)
{
    sigset_t all, before;
    int rc;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    rc = pthread_create(&worker->thread, NULL, thread_main, worker);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return rc;
}

int worker_start(struct worker *worker,
                 void (*run)(void *arg, struct job *jobs), void *arg,
                 struct error *err)
{
    pthread_mutex_init(&worker->lock, NULL);
    pthread_cond_init(&worker->wake, NULL);
    job_queue_init(&worker->queue);
    worker->stopping = false;
    worker->run = run;
    worker->arg = arg;
    if (start_without_signals(worker) == 0)
        return 0;
    pthread_cond_destroy(&worker->wake);
    pthread_mutex_destroy(&worker->lock);
    return error_set(err, STATUS_EXHAUSTED, "the store's thread: not started");
}

void worker_submit(struct worker *worker, struct job *job)
{
    pthread_mutex_lock(&worker->lock);
    job_queue_put(&worker->queue, job);
    pthread_cond_signal(&worker->wake);
    pthread_mutex_unlock(&worker->lock);
}

void worker_submit_all(struct worker *worker, struct job_queue *jobs)
{
    pthread_mutex_lock(&worker->lock);
    job_queue_move(&worker->queue, jobs);
    pthread_cond_signal(&worker->wake);
    pthread_mutex_unlock(&worker->lock);
}

void worker_stop(struct worker *worker)
{
    pthread_mutex_lock(&worker->lock);
    worker->stopping = true;
    pthread_cond_signal(&worker->wake);
    pthread_mutex_unlock(&worker->lock);
    pthread_join(worker->thread, NULL);
    pthread_cond_destroy(&worker->wake);
    pthread_mutex_destroy(&worker->lock);
}

static void on_idle(uv_idle_t *idle)
{
    struct outbox *outbox = idle->data;

    uv_idle_stop(idle);
    worker_submit_all(outbox->worker, &outbox->queue);
}

void outbox_init(struct outbox *outbox, uv_loop_t *loop, struct worker *worker)
{
    uv_idle_init(loop, &outbox->idle);
    outbox->idle.data = outbox;
    outbox->worker = worker;
    job_queue_init(&outbox->queue);
}

void outbox_put(struct outbox *outbox, struct job *job)
{
    job_queue_put(&outbox->queue, job);
    uv_idle_start(&outbox->idle, on_idle);
}

static void on_outbox_closed(uv_handle_t *handle)
{
    struct outbox *outbox = handle->data;

    outbox->closed(outbox->arg);
}

void outbox_close(struct outbox *outbox, void (*closed)(void *arg), void *arg)
{
    outbox->closed = closed;
    outbox->arg = arg;
    uv_close((uv_handle_t *)&outbox->idle, on_outbox_closed);
}
