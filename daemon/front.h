/* SPDX-License-Identifier: Apache-2.0 */
/* All addresses the daemon listens on, and the way from them to the calls. */
#ifndef SERRIED_DAEMON_FRONT_H
#define SERRIED_DAEMON_FRONT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <uv.h>

#include "base/error.h"
#include "daemon/listener.h"

struct calls;
struct log;
struct settings;

enum { FRONT_ADDRESSES_MAX = 8 };

/* Everything is borrowed and outlives the front. */
struct front_options {
    uv_loop_t *loop;
    const struct settings *settings; /* address, and the limits of peers */
    uint64_t descriptors;            /* the process' limit */
    const struct log *log;
    struct calls *calls;
};

struct front;

/* Listens on all addresses or on none.
 *   STATUS_INVALID      an address, or the group of sockets
 *   STATUS_UNAVAILABLE  an address is in use or cannot be had */
int front_open(const struct front_options *options, struct front **ret_front,
               struct error *err);

/* The addresses with their real ports, separated by commas. */
const char *front_addresses(const struct front *front);

/* The sums over all addresses. */
void front_count(const struct front *front, struct listener_counts *ret_counts);

/* Takes no new peers and requests, sends what is answered, then closes. done is
 * called from the loop; front is gone then. */
void front_drain(struct front *front, void (*done)(void *arg), void *arg);

/* Closes what front_drain() still waits for; its done is called. */
void front_cut(struct front *front);

/* For calls: the transport's ends of a call. */
void front_send(struct call_handle *handle, const void *bytes, size_t len);
bool front_wanted(const struct call_handle *handle);

#endif
