/* SPDX-License-Identifier: Apache-2.0 */
/* One request and its reply over a REQ socket of nanomsg. */
#include "client/libserry/transport.h"

#include <errno.h>
#include <limits.h>
#include <nanomsg/nn.h>
#include <nanomsg/reqrep.h>
#include <nanomsg/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "client/libserry/result.h"

enum {
    /* nanomsg tells nobody that nothing listens; it is asked between waits. */
    LOOK_MS = 20,
    /* A full backlog also looks like nobody, for a moment; nanomsg tries again
     * every 100 ms. */
    ABSENT_MS = 500,
};

void transport_init(struct transport *transport, const struct address *address)
{
    *transport = (struct transport){ .address = *address, .socket = -1 };
}

void transport_close(struct transport *transport)
{
    if (transport->socket >= 0)
        nn_close(transport->socket);
    transport->socket = -1;
}

void transport_free(void *data)
{
    nn_freemsg(data);
}

int64_t transport_now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static int set_option(int socket, int level, int option, int value)
{
    return nn_setsockopt(socket, level, option, &value, sizeof(value));
}

/* IPv6 is allowed for a literal of it only: nanomsg 1.1.5 aborts the process
 * when it is allowed and an IPv4 address refuses the connection. */
static int set_options(int socket, const struct address *address)
{
    if (set_option(socket, NN_SOL_SOCKET, NN_RCVMAXSIZE, TRANSPORT_REPLY_MAX) <
        0)
        return -1;
    if (!address->is_tcp)
        return 0;
    if (set_option(socket, NN_TCP, NN_TCP_NODELAY, 1) < 0)
        return -1;
    if (address->is_ipv6)
        return set_option(socket, NN_SOL_SOCKET, NN_IPV4ONLY, 0);
    return 0;
}

static int connect_socket(struct transport *transport, struct serry_error *err)
{
    struct address address;

    if (address_resolve(&transport->address, &address, err) < 0)
        return -1;
    transport->socket = nn_socket(AF_SP, NN_REQ);
    if (transport->socket < 0)
        return refuse(err, SERRY_EXHAUSTED,
                      "a socket for %s: %s; close clients that are not used, "
                      "or raise the limit of descriptors",
                      address.url, nn_strerror(errno));
    if (set_options(transport->socket, &address) == 0 &&
        nn_connect(transport->socket, address.url) >= 0)
        return 0;
    refuse(err, SERRY_INVALID, "the address %s: %s", address.url,
           nn_strerror(errno));
    transport_close(transport);
    return -1;
}

/* ---- waiting ------------------------------------------------------------- */

static bool is_connected(const struct transport *transport)
{
    return nn_get_statistic(transport->socket,
                            NN_STAT_ESTABLISHED_CONNECTIONS) > 0;
}

static bool has_failed(const struct transport *transport)
{
    return nn_get_statistic(transport->socket, NN_STAT_CONNECT_ERRORS) > 0;
}

/* Waits once. 1: there is a reply; 0: not yet. */
static int wait_once(struct transport *transport, int64_t left_ms,
                     void **ret_data, size_t *ret_len, struct serry_error *err)
{
    int wait_ms = left_ms < INT_MAX ? (int)left_ms : INT_MAX, n;
    void *data = NULL;

    if (!transport->reached && wait_ms > LOOK_MS)
        wait_ms = LOOK_MS;
    set_option(transport->socket, NN_SOL_SOCKET, NN_RCVTIMEO, wait_ms);
    n = nn_recv(transport->socket, &data, NN_MSG, 0);
    if (n >= 0) {
        transport->reached = true;
        *ret_data = data;
        *ret_len = (size_t)n;
        return 1;
    }
    if (errno == ETIMEDOUT || errno == EAGAIN || errno == EINTR)
        return 0;
    return refuse(err, SERRY_INTERNAL, "waiting for %s: %s",
                  transport->address.url, nn_strerror(errno));
}

/* Whether a unix socket is there that this process may not use: nanomsg does
 * not tell it from one that is not there. */
static bool is_denied(const struct transport *transport)
{
    static const char scheme[] = "ipc://";
    struct sockaddr_un to = { .sun_family = AF_UNIX };
    const char *path = transport->address.url + strlen(scheme);
    int fd;
    bool denied;

    if (strncmp(transport->address.url, scheme, strlen(scheme)) != 0 ||
        strlen(path) >= sizeof(to.sun_path))
        return false;
    strcpy(to.sun_path, path);
    fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return false;
    denied = connect(fd, (struct sockaddr *)&to, sizeof(to)) < 0 &&
             (errno == EACCES || errno == EPERM);
    close(fd);
    return denied;
}

static int refuse_absent(const struct transport *transport,
                         struct serry_error *err)
{
    if (is_denied(transport))
        return refuse(err, SERRY_DENIED,
                      "%s: not permitted; the daemon's socket_mode and "
                      "socket_group say who may use it",
                      transport->address.url);
    return refuse(err, SERRY_UNAVAILABLE,
                  "nothing listens at %s: start serried, or name its "
                  "address in SERRY_ADDRESS",
                  transport->address.url);
}

static int await_reply(struct transport *transport, int64_t until_ms,
                       void **ret_data, size_t *ret_len,
                       struct serry_error *err)
{
    int64_t begin_ms = transport_now_ms(), now_ms = begin_ms;
    int rc;

    while (now_ms < until_ms) {
        rc = wait_once(transport, until_ms - now_ms, ret_data, ret_len, err);
        if (rc != 0)
            return rc < 0 ? -1 : 0;
        now_ms = transport_now_ms();
        if (!transport->reached)
            transport->reached = is_connected(transport);
        if (!transport->reached && has_failed(transport) &&
            now_ms - begin_ms >= ABSENT_MS)
            return refuse_absent(transport, err);
    }
    return refuse(err, SERRY_DEADLINE,
                  "%s gave no answer within %lld ms: the daemon is busy or "
                  "away, or this is not its address",
                  transport->address.url, (long long)(now_ms - begin_ms));
}

int transport_exchange(struct transport *transport, const void *request,
                       size_t len, int64_t until_ms, void **ret_data,
                       size_t *ret_len, struct serry_error *err)
{
    if (len > TRANSPORT_REQUEST_MAX)
        return refuse(err, SERRY_EXHAUSTED,
                      "the request has %zu bytes; at most %d can be sent", len,
                      TRANSPORT_REQUEST_MAX);
    if (transport->socket < 0 && connect_socket(transport, err) < 0)
        return -1;
    if (nn_send(transport->socket, request, len, 0) < 0) {
        refuse(err, SERRY_INTERNAL, "sending to %s: %s", transport->address.url,
               nn_strerror(errno));
        goto drop;
    }
    if (await_reply(transport, until_ms, ret_data, ret_len, err) == 0)
        return 0;
drop:
    transport_close(transport);
    return -1;
}
