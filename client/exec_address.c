/* SPDX-License-Identifier: Apache-2.0 */
/* Where the other workers reach this one. */
#include <netdb.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "client/exec.h"

/* HOST and PORT of "tcp://HOST:PORT" or "tcp://[HOST]:PORT". false: a socket of
 * this machine. */
static bool split_url(const char *url, char host[WORKER_ADDRESS_BYTES],
                      const char **ret_port)
{
    static const char scheme[] = "tcp://";
    const char *port = strrchr(url, ':');
    size_t len;

    if (strncmp(url, scheme, strlen(scheme)) != 0)
        return false;
    url += strlen(scheme);
    len = (size_t)(port - url);
    if (len >= 2 && url[0] == '[') {
        url++;
        len -= 2;
    }
    if (len >= WORKER_ADDRESS_BYTES)
        return false;
    memcpy(host, url, len);
    host[len] = '\0';
    *ret_port = port + 1;
    return true;
}

/* The address from which this machine reaches another: nothing is sent. */
static bool own_address(const struct addrinfo *to,
                        char ret[WORKER_ADDRESS_BYTES])
{
    int fd = socket(to->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    struct sockaddr_storage own;
    socklen_t len = sizeof(own);
    bool found;

    if (fd < 0)
        return false;
    found = connect(fd, to->ai_addr, to->ai_addrlen) == 0 &&
            getsockname(fd, (struct sockaddr *)&own, &len) == 0 &&
            getnameinfo((struct sockaddr *)&own, len, ret, WORKER_ADDRESS_BYTES,
                        NULL, 0, NI_NUMERICHOST) == 0;
    close(fd);
    return found;
}

/* Beside a daemon on a unix socket all workers are on this machine. */
static int find_address(const struct live *live,
                        char room[WORKER_ADDRESS_BYTES], struct error *err)
{
    static const struct addrinfo wanted = { .ai_socktype = SOCK_DGRAM };
    char host[WORKER_ADDRESS_BYTES];
    struct addrinfo *found;
    const char *port;
    bool is_found;

    strcpy(room, "127.0.0.1");
    if (!split_url(serry_address(live->client), host, &port))
        return 0;
    is_found = getaddrinfo(host, port, &wanted, &found) == 0;
    if (is_found) {
        is_found = own_address(found, room);
        freeaddrinfo(found);
    }
    return is_found ? 0
                    : error_set(err, STATUS_UNAVAILABLE,
                                "no address of this machine leads to %s; name "
                                "one with --address-of-me",
                                host);
}

int worker_find_address(struct worker *w, struct error *err)
{
    const struct serry_binding *binding =
        serry_assignment_binding(w->assignment);

    if (w->address != NULL)
        return 0;
    if (binding != NULL && binding->n_addresses > 0) {
        w->address = binding->addresses[0];
        return 0;
    }
    w->address = w->own_address;
    return find_address(w->live, w->own_address, err);
}
