/* SPDX-License-Identifier: Apache-2.0 */
/* The daemon as its parts see it: one loop, and what hangs on it. */
#ifndef SERRIED_DAEMON_DAEMON_H
#define SERRIED_DAEMON_DAEMON_H

#include <stdbool.h>
#include <stdint.h>

#include <uv.h>

#include "base/error.h"
#include "base/log.h"
#include "daemon/settings.h"

struct daemon;
struct rpc;
struct asides;
struct state;
struct store;

/* What the daemon is started with. All but settings is borrowed. */
struct daemon_options {
    struct settings settings; /* taken over, also when starting fails */
    const struct flags *flags;
    char *const *environment; /* read again by SIGHUP */
    bool root;
    uint64_t descriptors; /* the process' limit, already raised */
    struct log *log;      /* its level follows log_level */
};

/* Starts, serves until SIGTERM or SIGINT, stops. In this order: the state is
 * opened and followed until it is current, addresses are bound, the service
 * manager is told. The thread's loop is this function's alone.
 * 0: it was told to stop and did. -1: it cannot start or go on:
 *   STATUS_INVALID      a setting
 *   STATUS_UNAVAILABLE  the state or an address is taken or cannot be had
 *   STATUS_INTERNAL     the state is damaged */
int daemon_run(const struct daemon_options *options, struct error *err);

/* ---- for the parts --------------------------------------------------------
 */

/* All of these belong to the loop's thread. */

uv_loop_t *daemon_loop(struct daemon *daemon);
const struct settings *daemon_settings(const struct daemon *daemon);
const struct log *daemon_log(const struct daemon *daemon);
struct store *daemon_store(struct daemon *daemon);

/* What other threads do for calls (daemon/aside.h). */
struct asides *daemon_asides(struct daemon *daemon);

/* Whether the store may be asked to commit: not at the very end. */
bool daemon_commits(const struct daemon *daemon);

struct rpc *daemon_rpc(struct daemon *daemon);

/* NULL until state_open() made it; closed by the daemon, after the store. */
struct state *daemon_state(struct daemon *daemon);

/* Milliseconds since 1970. */
int64_t daemon_now_ms(const struct daemon *daemon);

/* Stops the daemon because a part cannot go on: it answers what it can, and
 * daemon_run() fails with err. The first reason stays. */
void daemon_fail(struct daemon *daemon, const struct error *err);

/* What Status tells. */
struct daemon_status {
    int64_t started_ms;  /* since 1970 */
    const char *address; /* all, separated by commas; the daemon's */
    uint32_t connections;
    uint32_t calls_in_flight;
    uint64_t calls, refused_calls; /* that ended; of them not OK */
    uint64_t descriptors;
    bool draining;
};

void daemon_get_status(const struct daemon *daemon,
                       struct daemon_status *ret_status);

#endif
