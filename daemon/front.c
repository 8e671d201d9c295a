/* SPDX-License-Identifier: Apache-2.0 */
/* All addresses the daemon listens on, and the way from them to the calls. */
#include "daemon/front.h"

#include <errno.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/text.h"
#include "daemon/access.h"
#include "daemon/calls.h"
#include "daemon/settings.h"

/* Descriptors that are not connections: the state, the log, the loop. */
enum { DESCRIPTORS_KEPT = 48 };

struct door {
    struct front *front;
    struct listener *listener; /* NULL: closed */
};

struct front {
    struct front_options options;
    struct door doors[FRONT_ADDRESSES_MAX];
    size_t n, n_open;
    struct text addresses;
    struct log_limit limits[LISTENER_EVENTS];
    void (*done)(void *arg);
    void *done_arg;
};

/* ---- from peers to calls ---------------------------------------------------
 */

static void on_call(void *arg, struct call_handle *handle,
                    const struct peer_identity *from, const void *body,
                    size_t len)
{
    struct front *front = arg;
    const struct origin origin = { .who = from->address,
                                   .local = from->local,
                                   .loopback = from->loopback,
                                   .uid = from->uid,
                                   .gid = from->gid };

    calls_begin(front->options.calls, handle, &origin, body, len);
}

static void on_event(void *arg, enum listener_event event, const char *text)
{
    struct front *front = arg;
    const uint64_t now_ms = uv_now(front->options.loop);

    log_limited(front->options.log, &front->limits[event], (int64_t)now_ms,
                LOG_LEVEL_WARN, "peer refused why=%s detail=%s",
                listener_event_name(event), text);
}

void front_send(struct call_handle *handle, const void *bytes, size_t len)
{
    call_handle_reply(handle, bytes, len);
}

bool front_wanted(const struct call_handle *handle)
{
    return call_handle_wanted(handle);
}

/* ---- opening ---------------------------------------------------------------
 */

/* Reads a group's name or number; "" is no group. */
static int group_read(const char *name, struct listener_options *options,
                      struct error *err)
{
    char buffer[4096];
    struct group group, *found = NULL;
    char *end;
    unsigned long number;

    if (name[0] == '\0')
        return 0;
    options->has_group = true;
    if (getgrnam_r(name, &group, buffer, sizeof(buffer), &found) == 0 &&
        found != NULL) {
        options->socket_group = group.gr_gid;
        return 0;
    }
    errno = 0;
    number = strtoul(name, &end, 10);
    if (name[0] < '0' || name[0] > '9' || *end != '\0' || errno != 0 ||
        number >= (gid_t)-1)
        return error_set(err, STATUS_INVALID,
                         "socket_group is %.64s, must be a group of this "
                         "machine",
                         name);
    options->socket_group = (gid_t)number;
    return 0;
}

/* Every address may take its share of the descriptors. */
static uint32_t connections_max(const struct front_options *options, size_t n)
{
    uint64_t most = (uint64_t)options->settings->connections_max;
    uint64_t free_ones = options->descriptors > 2 * DESCRIPTORS_KEPT
                             ? options->descriptors - DESCRIPTORS_KEPT
                             : options->descriptors / 2;

    if (most > free_ones)
        most = free_ones;
    most /= n;
    return most > 0 ? (uint32_t)most : 1;
}

static int options_make(struct front *front, size_t n,
                        struct listener_options *ret_options, struct error *err)
{
    const struct settings *settings = front->options.settings;

    *ret_options = (struct listener_options){
        .connections_max = connections_max(&front->options, n),
        .calls_per_peer = (uint32_t)settings->peer_calls_max,
        .calls_max = (uint32_t)settings->calls_max,
        .message_bytes_max = (uint32_t)settings->request_bytes,
        .greet_ms = (uint32_t)settings->greet_ms,
        .stall_ms = (uint32_t)settings->stall_ms,
        .idle_ms = (uint32_t)settings->idle_ms,
        .backlog_bytes = (uint32_t)settings->backlog_bytes,
        .buffers_bytes = (size_t)settings->buffers_bytes,
        .remote = settings->remote != 0,
        .socket_mode = (mode_t)settings->socket_mode,
        .on_call = on_call,
        .on_event = on_event,
        .arg = front,
    };
    return group_read(settings->socket_group, ret_options, err);
}

/* Splits addresses in place; returns how many, -1: too many or an empty one. */
static int addresses_split(char *addresses, char **ret_list, struct error *err)
{
    char *rest = addresses, *next;
    int n = 0;

    while ((next = strsep(&rest, ",")) != NULL) {
        size_t len;

        next += strspn(next, " \t");
        len = strlen(next);
        while (len > 0 && (next[len - 1] == ' ' || next[len - 1] == '\t'))
            next[--len] = '\0';
        if (len == 0)
            return error_set(err, STATUS_INVALID,
                             "address has an empty part, must be addresses "
                             "separated by commas");
        if (n == FRONT_ADDRESSES_MAX)
            return error_set(err, STATUS_INVALID,
                             "address names more than %d addresses",
                             FRONT_ADDRESSES_MAX);
        ret_list[n++] = next;
    }
    return n;
}

static void front_free(struct front *front)
{
    text_close(&front->addresses);
    free(front);
}

static void on_closed(void *arg)
{
    struct door *door = arg;
    struct front *front = door->front;
    void (*done)(void *arg) = front->done;
    void *done_arg = front->done_arg;

    door->listener = NULL;
    if (--front->n_open > 0)
        return;
    front_free(front);
    if (done != NULL)
        done(done_arg);
}

static int open_all(struct front *front, char **list, size_t n,
                    struct error *err)
{
    struct listener_options options;

    if (options_make(front, n, &options, err) < 0)
        return -1;
    for (size_t i = 0; i < n; i++) {
        struct door *door = &front->doors[i];

        options.address = list[i];
        if (listener_open(front->options.loop, &options, &door->listener, err) <
            0)
            return -1;
        door->front = front;
        front->n++;
        front->n_open++;
        text_printf(&front->addresses, "%s%s", i > 0 ? "," : "",
                    listener_address(door->listener));
    }
    return 0;
}

/* Closes what is open; the last one to close frees front. */
static void front_close(struct front *front)
{
    for (size_t i = 0; i < front->n; i++)
        if (front->doors[i].listener != NULL)
            listener_close(front->doors[i].listener, on_closed,
                           &front->doors[i]);
}

int front_open(const struct front_options *options, struct front **ret_front,
               struct error *err)
{
    struct front *front = calloc(1, sizeof(*front));
    char *copy = strdup(options->settings->address);
    char *list[FRONT_ADDRESSES_MAX];
    int n, rc = -1;

    if (front == NULL || copy == NULL) {
        free(front);
        free(copy);
        return error_set(err, STATUS_EXHAUSTED, "no memory for listening");
    }
    front->options = *options;
    n = addresses_split(copy, list, err);
    if (n > 0)
        rc = open_all(front, list, (size_t)n, err);
    free(copy);
    if (rc == 0)
        *ret_front = front;
    else if (front->n == 0)
        front_free(front);
    else
        front_close(front);
    return rc;
}

/* ---- while open ------------------------------------------------------------
 */

const char *front_addresses(const struct front *front)
{
    return text_string(&front->addresses);
}

void front_count(const struct front *front, struct listener_counts *ret_counts)
{
    struct listener_counts sum = { 0 };

    for (size_t i = 0; i < front->n; i++) {
        struct listener_counts one;

        if (front->doors[i].listener == NULL)
            continue;
        listener_count(front->doors[i].listener, &one);
        sum.connections += one.connections;
        sum.in_flight += one.in_flight;
        sum.buffered_bytes += one.buffered_bytes;
        sum.accepted += one.accepted;
        sum.calls += one.calls;
        sum.replies += one.replies;
        sum.refused += one.refused;
        sum.garbage += one.garbage;
        sum.dropped += one.dropped;
        sum.closed += one.closed;
    }
    *ret_counts = sum;
}

void front_drain(struct front *front, void (*done)(void *arg), void *arg)
{
    front->done = done;
    front->done_arg = arg;
    for (size_t i = 0; i < front->n; i++)
        listener_drain(front->doors[i].listener, on_closed, &front->doors[i]);
}

void front_cut(struct front *front)
{
    front_close(front);
}
