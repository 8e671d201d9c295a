/* SPDX-License-Identifier: Apache-2.0 */
/* The heartbeat of a worker: a thread that waits on the daemon all the time. */
#ifndef SERRIED_CLIENT_EXEC_BEAT_H
#define SERRIED_CLIENT_EXEC_BEAT_H

#include <pthread.h>
#include <stdatomic.h>

#include "client/exec.h"

struct beat {
    struct worker *worker; /* its client belongs to the thread */
    pthread_t thread;
    int wake; /* eventfd: the thread is to end */
    int over; /* eventfd, can be read when the thread has ended */
    atomic_bool ending;
    /* Of the thread; for others when it has ended. */
    bool must_end;          /* the daemon said so: err */
    bool refused;           /* the last call was */
    struct serry_error err; /* of the last call */
    enum serry_boot_state known;
};

/* Starts it, with the signals blocked that are blocked now.
 *   STATUS_EXHAUSTED  no descriptors or threads */
int beat_start(struct beat *beat, struct worker *worker, struct error *err);

/* Ends it. leave: tells the daemon that the worker ends of its own will. false:
 * the thread is in a call that the daemon does not answer, so nothing of the
 * worker may be freed. */
bool beat_stop(struct beat *beat, bool leave);

#endif
