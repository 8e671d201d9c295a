/* SPDX-License-Identifier: Apache-2.0 */
/* A thread that does jobs in order, and the way back to the loop. */
#ifndef SERRIED_STORE_WORKER_H
#define SERRIED_STORE_WORKER_H

#include <pthread.h>

#include <uv.h>

#include "base/error.h"

/* Something to be done; embedded in what it is about. */
struct job {
    struct job *next;
    void (*run)(struct job *job);    /* on the worker's thread */
    void (*finish)(struct job *job); /* on the loop; owns the job */
};

struct job_queue {
    struct job *head, **tail;
};

void job_queue_init(struct job_queue *queue);
void job_queue_put(struct job_queue *queue, struct job *job);
struct job *job_queue_take_all(struct job_queue *queue); /* linked, or NULL */

/* Puts all of from at the end of queue; from is empty then. */
void job_queue_move(struct job_queue *queue, struct job_queue *from);

/* Brings jobs to the loop, in the order of posting. */
struct mailbox {
    uv_async_t async;
    pthread_mutex_t lock;
    struct job_queue queue;
    void (*closed)(void *arg);
    void *arg;
};

/* STATUS_EXHAUSTED: no descriptors. */
int mailbox_init(struct mailbox *mailbox, uv_loop_t *loop, struct error *err);

/* Lets the loop call job->finish. From any thread, the loop's too. */
void mailbox_post(struct mailbox *mailbox, struct job *job);

/* Ends it; nothing may be posted any more. Calls closed when the memory is the
 * caller's again. */
void mailbox_close(struct mailbox *mailbox, void (*closed)(void *arg),
                   void *arg);

/* One thread. Jobs that wait are handed to `run` together, linked and in order,
 * which must run and post each of them. */
struct worker {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    struct job_queue queue;
    bool stopping;
    void (*run)(void *arg, struct job *jobs);
    void *arg;
};

/* STATUS_EXHAUSTED: no thread. */
int worker_start(struct worker *worker,
                 void (*run)(void *arg, struct job *jobs), void *arg,
                 struct error *err);

/* From any thread. */
void worker_submit(struct worker *worker, struct job *job);

/* From any thread; jobs is empty then. */
void worker_submit_all(struct worker *worker, struct job_queue *jobs);

/* Ends the thread after its last job. Blocks until then. */
void worker_stop(struct worker *worker);

/* Hands jobs to a worker once in each turn of the loop, so that changes which
 * came in one turn are committed together: handed over singly, the first would
 * go alone and the others wait for it. */
struct outbox {
    uv_idle_t idle; /* active while queue is not empty: no sleeping then */
    struct job_queue queue;
    struct worker *worker;
    void (*closed)(void *arg);
    void *arg;
};

void outbox_init(struct outbox *outbox, uv_loop_t *loop, struct worker *worker);
void outbox_put(struct outbox *outbox, struct job *job); /* on the loop */

/* As mailbox_close(); it must be empty. */
void outbox_close(struct outbox *outbox, void (*closed)(void *arg), void *arg);

#endif
