/* SPDX-License-Identifier: Apache-2.0 */
/* Turns an address into a listening socket, and takes it away again. */
#include "daemon/listen_socket.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

/* A storm of clients fits in the backlog: libuv takes 9,000 a second, so 4,096
 * wait half a second, less than a lost SYN's repeat. */
enum { BACKLOG = 4096, LOCK_TRIES = 100, LOCK_PAUSE_MS = 20 };

/* A peer whose machine vanished is noticed after 60 + 6 x 10 s. */
enum { KEEPALIVE_IDLE_S = 60, KEEPALIVE_STEP_S = 10, KEEPALIVE_STEPS = 6 };

union socket_address {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
    struct sockaddr_un local;
};

/* ---- tcp ---------------------------------------------------------------- */

static int address_error(const char *address, struct error *err)
{
    return error_set(err, STATUS_INVALID,
                     "address '%.200s' is not understood; give "
                     "tcp://127.0.0.1:PORT, tcp://[::1]:PORT or ipc:///PATH",
                     address);
}

static bool read_port(const char *text, uint16_t *ret_port)
{
    size_t len = strspn(text, "0123456789");
    long port;

    if (len == 0 || len > 5 || text[len] != '\0')
        return false;
    port = strtol(text, NULL, 10);
    if (port > UINT16_MAX)
        return false;
    *ret_port = (uint16_t)port;
    return true;
}

/* Fills to from "127.0.0.1" or "::1"; no names: they are looked up elsewhere
 * and may change. */
static bool read_host(const char *host, bool v6, uint16_t port,
                      union socket_address *to, bool *ret_loopback)
{
    if (v6) {
        to->v6.sin6_family = AF_INET6;
        to->v6.sin6_port = htons(port);
        if (inet_pton(AF_INET6, host, &to->v6.sin6_addr) != 1)
            return false;
        *ret_loopback = IN6_IS_ADDR_LOOPBACK(&to->v6.sin6_addr);
        return true;
    }
    to->v4.sin_family = AF_INET;
    to->v4.sin_port = htons(port);
    if (inet_pton(AF_INET, host, &to->v4.sin_addr) != 1)
        return false;
    *ret_loopback = ntohl(to->v4.sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
    return true;
}

static int read_tcp(const char *address, const char *rest, bool remote,
                    union socket_address *to, struct error *err)
{
    const char *colon = strrchr(rest, ':');
    char host[INET6_ADDRSTRLEN + 2];
    bool v6 = rest[0] == '[', loopback = false;
    size_t len = colon != NULL ? (size_t)(colon - rest) : 0;
    uint16_t port;

    if (len == 0 || len >= sizeof(host) || !read_port(colon + 1, &port))
        return address_error(address, err);
    if (v6 && rest[len - 1] != ']')
        return address_error(address, err);
    memcpy(host, rest + v6, len - 2 * v6);
    host[len - 2 * v6] = '\0';
    if (strcmp(host, "*") == 0)
        strcpy(host, "0.0.0.0");
    if (!read_host(host, v6, port, to, &loopback))
        return address_error(address, err);
    if (!loopback && !remote)
        return error_set(err, STATUS_INVALID,
                         "address '%.200s' can be reached from other machines; "
                         "set tokens, and remote to on, or give "
                         "tcp://127.0.0.1:%u or a unix socket",
                         address, port);
    return 0;
}

static void set_option(int fd, int level, int name, int value)
{
    setsockopt(fd, level, name, &value, sizeof(value));
}

/* Accepted sockets inherit these, which saves four calls for each. */
static void set_tcp_options(int fd, bool v6)
{
    set_option(fd, SOL_SOCKET, SO_REUSEADDR, 1);
    if (v6)
        set_option(fd, IPPROTO_IPV6, IPV6_V6ONLY, 1);
    set_option(fd, IPPROTO_TCP, TCP_NODELAY, 1);
    set_option(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
    set_option(fd, IPPROTO_TCP, TCP_KEEPIDLE, KEEPALIVE_IDLE_S);
    set_option(fd, IPPROTO_TCP, TCP_KEEPINTVL, KEEPALIVE_STEP_S);
    set_option(fd, IPPROTO_TCP, TCP_KEEPCNT, KEEPALIVE_STEPS);
}

static int bind_error(const char *address, int error, struct error *err)
{
    if (error == EADDRINUSE)
        return error_set(err, STATUS_UNAVAILABLE,
                         "another program listens on %s; stop it or choose "
                         "another address",
                         address);
    return error_set(err, STATUS_UNAVAILABLE, "cannot listen on %s: %s",
                     address, strerror(error));
}

static int listen_tcp(union socket_address *to, struct listen_socket *made,
                      struct error *err)
{
    bool v6 = to->any.sa_family == AF_INET6;
    socklen_t len = v6 ? sizeof(to->v6) : sizeof(to->v4);

    set_tcp_options(made->fd, v6);
    if (bind(made->fd, &to->any, len) < 0 || listen(made->fd, BACKLOG) < 0 ||
        getsockname(made->fd, &to->any, &len) < 0)
        return bind_error(made->address, errno, err);
    made->port = ntohs(v6 ? to->v6.sin6_port : to->v4.sin_port);
    *strrchr(made->address, ':') = '\0';
    len = (socklen_t)strlen(made->address);
    snprintf(made->address + len, sizeof(made->address) - len, ":%u",
             made->port);
    return 0;
}

/* ---- unix --------------------------------------------------------------- */

static int read_local(const char *path, union socket_address *to,
                      struct error *err)
{
    if (strlen(path) > LISTEN_PATH_MAX)
        return error_set(err, STATUS_INVALID,
                         "socket path '%.200s' has %zu bytes; the system "
                         "takes up to %d",
                         path, strlen(path), LISTEN_PATH_MAX);
    to->local.sun_family = AF_UNIX;
    memcpy(to->local.sun_path, path, strlen(path) + 1);
    return 0;
}

/* Looking, removing and binding are three steps; of two programs that start
 * together only one may do them. The folder itself is the lock, so that no file
 * is left. Bounded, as anyone who can read a folder can lock it. */
static int lock_folder(const char *path, int *ret_fd, struct error *err)
{
    const struct timespec pause = { .tv_nsec = LOCK_PAUSE_MS * 1000000L };
    char folder[LISTEN_PATH_MAX + 1];
    char *slash;
    int fd;

    snprintf(folder, sizeof(folder), "%s", path);
    slash = strrchr(folder, '/');
    slash[slash == folder] = '\0';
    fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return error_set(err, STATUS_UNAVAILABLE, "socket folder %s: %s",
                         folder, strerror(errno));
    for (int i = 0; flock(fd, LOCK_EX | LOCK_NB) < 0; i++) {
        if (i == LOCK_TRIES) {
            close(fd);
            return error_set(err, STATUS_UNAVAILABLE,
                             "socket folder %s is locked by another program; "
                             "use a folder that only this one writes to",
                             folder);
        }
        nanosleep(&pause, NULL);
    }
    *ret_fd = fd;
    return 0;
}

/* 0: somebody accepts there; else why not. */
static int try_connect(const union socket_address *to)
{
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    int error = 0;

    if (fd < 0)
        return errno;
    if (connect(fd, &to->any, sizeof(to->local)) < 0)
        error = errno;
    close(fd);
    return error;
}

/* Makes the path free: nothing there, or a socket that nobody listens on. */
static int clear_path(const union socket_address *to, struct error *err)
{
    const char *path = to->local.sun_path;
    struct stat st;
    int error;

    if (lstat(path, &st) < 0)
        return errno == ENOENT
                   ? 0
                   : error_set(err, STATUS_UNAVAILABLE, "socket %s: %s", path,
                               strerror(errno));
    if (!S_ISSOCK(st.st_mode))
        return error_set(err, STATUS_UNAVAILABLE,
                         "%s exists and is not a socket; it is left alone, "
                         "choose another path",
                         path);
    error = try_connect(to);
    if (error == 0 || error == EAGAIN)
        return bind_error(path, EADDRINUSE, err);
    if (error != ECONNREFUSED)
        return error_set(err, STATUS_UNAVAILABLE,
                         "cannot tell whether anyone listens on %s: %s; remove "
                         "it if not",
                         path, strerror(error));
    if (unlink(path) < 0)
        return error_set(err, STATUS_UNAVAILABLE,
                         "cannot remove the old socket %s: %s", path,
                         strerror(errno));
    return 0;
}

/* The file is born closed to all, then given to whom it is for. */
static int bind_local(const union socket_address *to,
                      const struct listen_access *access,
                      struct listen_socket *made, struct error *err)
{
    const char *path = to->local.sun_path;
    struct stat st;

    if (fchmod(made->fd, 0) < 0 ||
        bind(made->fd, &to->any, sizeof(to->local)) < 0)
        return bind_error(path, errno, err);
    if (lstat(path, &st) < 0)
        return bind_error(path, errno, err);
    made->dev = st.st_dev;
    made->ino = st.st_ino;
    if (access->has_group && lchown(path, (uid_t)-1, access->group) < 0)
        return error_set(err, STATUS_UNAVAILABLE,
                         "cannot give socket %s to group %lu: %s", path,
                         (unsigned long)access->group, strerror(errno));
    if (listen(made->fd, BACKLOG) < 0 || chmod(path, access->mode) < 0)
        return bind_error(path, errno, err);
    return 0;
}

static int listen_local(const union socket_address *to,
                        const struct listen_access *access,
                        struct listen_socket *made, struct error *err)
{
    int lock = -1, rc = -1;

    if (lock_folder(to->local.sun_path, &lock, err) < 0)
        return -1;
    if (clear_path(to, err) == 0)
        rc = bind_local(to, access, made, err);
    close(lock);
    return rc;
}

/* ---- both --------------------------------------------------------------- */

static int read_address(const char *address, bool remote,
                        union socket_address *to, struct error *err)
{
    memset(to, 0, sizeof(*to));
    if (strncmp(address, "tcp://", 6) == 0)
        return read_tcp(address, address + 6, remote, to, err);
    if (strncmp(address, "ipc:///", 7) == 0)
        return read_local(address + 6, to, err);
    if (address[0] == '/')
        return read_local(address, to, err);
    return address_error(address, err);
}

int listen_socket_open(const char *address, const struct listen_access *access,
                       struct listen_socket *ret_socket, struct error *err)
{
    struct listen_socket made = { .fd = -1 };
    union socket_address to;
    int rc;

    if (read_address(address, access->remote, &to, err) < 0)
        return -1;
    made.local = to.any.sa_family == AF_UNIX;
    snprintf(made.address, sizeof(made.address), "%s%s",
             address[0] == '/' ? "ipc://" : "", address);
    made.fd =
        socket(to.any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (made.fd < 0)
        return bind_error(made.address, errno, err);
    rc = made.local ? listen_local(&to, access, &made, err)
                    : listen_tcp(&to, &made, err);
    if (rc < 0)
        listen_socket_close(&made);
    else
        *ret_socket = made;
    return rc;
}

void listen_socket_close(struct listen_socket *socket)
{
    const char *path = socket->address + strlen("ipc://");
    struct stat st;

    if (socket->fd < 0)
        return;
    /* ino 0: never bound. The file goes first, so that whoever finds a socket
     * nobody listens on finds a dead program's. */
    if (socket->local && socket->ino != 0 && lstat(path, &st) == 0 &&
        st.st_dev == socket->dev && st.st_ino == socket->ino)
        unlink(path);
    close(socket->fd);
    socket->fd = -1;
}
