/* SPDX-License-Identifier: Apache-2.0 */
/* The insides of the daemon, shared by daemon.c and daemon_stop.c. */
#ifndef SERRIED_DAEMON_DAEMON_LIFE_H
#define SERRIED_DAEMON_DAEMON_LIFE_H

#include "daemon/access.h"
#include "daemon/aside.h"
#include "daemon/calls.h"
#include "daemon/daemon.h"
#include "daemon/denied.h"
#include "daemon/front.h"
#include "daemon/notify.h"
#include "daemon/rpc.h"
#include "daemon/state.h"
#include "store/store.h"

enum phase {
    PHASE_STARTING,
    PHASE_SERVING,
    PHASE_DRAINING, /* calls in flight are answered, new ones refused */
    PHASE_CLOSING,  /* peers get what was answered */
    PHASE_CLOSED,   /* nobody is served; the store and the loop end */
};

enum { DAEMON_SIGNALS = 3 };

struct daemon {
    uv_loop_t loop;
    const struct daemon_options *options;
    struct settings settings;
    struct notify notify;
    struct rpc *rpc;
    struct calls *calls;
    struct access *access;
    struct denied *denied;
    struct store *store;
    struct state *state;
    struct front *front;
    struct asides asides;
    uv_signal_t signals[DAEMON_SIGNALS];
    uv_timer_t watchdog, drain;
    enum phase phase;
    uint64_t drain_until; /* in the loop's milliseconds */
    bool cut;
    int64_t started_ms;
    bool failed;
    struct error failure;
};

/* Stops serving, once: drains, closes the store, lets the loop run empty. */
void daemon_stop(struct daemon *daemon);

/* SIGTERM, SIGINT: daemon_stop(), the second time _exit(). SIGHUP: reload. */
void daemon_on_signal(uv_signal_t *handle, int signal);

#endif
