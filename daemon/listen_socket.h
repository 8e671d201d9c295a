/* SPDX-License-Identifier: Apache-2.0 */
/* Turns an address into a listening socket, and takes it away again. */
#ifndef SERRIED_DAEMON_LISTEN_SOCKET_H
#define SERRIED_DAEMON_LISTEN_SOCKET_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

enum { LISTEN_PATH_MAX = 107, LISTEN_ADDRESS_MAX = 6 + LISTEN_PATH_MAX + 1 };

/* A socket that listens, non-blocking, close-on-exec. Connections inherit
 * TCP_NODELAY and keepalive from it. */
struct listen_socket {
    int fd;
    bool local;                       /* unix */
    uint16_t port;                    /* tcp: the real one */
    char address[LISTEN_ADDRESS_MAX]; /* as given, with the real port */
    dev_t dev;                        /* of the socket file, to know it again */
    ino_t ino;
};

/* Who may connect: to a unix socket, and over tcp. */
struct listen_access {
    bool remote; /* other machines too */
    mode_t mode;
    bool has_group;
    gid_t group;
};

/* Opens address (see listener.h); errors as listener_open(). */
int listen_socket_open(const char *address, const struct listen_access *access,
                       struct listen_socket *ret_socket, struct error *err);

/* Removes the socket's file if it is still the one made here; closes fd. */
void listen_socket_close(struct listen_socket *socket);

#endif
