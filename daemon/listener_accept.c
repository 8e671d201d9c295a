/* SPDX-License-Identifier: Apache-2.0 */
/* Accepting connections: who came, when it is full, when nothing is left. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "daemon/peer.h"

enum {
    ACCEPT_BATCH = 256, /* 256 of 10 us hold the others up for 2.5 ms */
    SHED_BATCH = 64,    /* refused in one go when out of descriptors */
    PAUSE_MS = 100,
};

static void identify_local(int fd, struct peer_identity *to)
{
    struct ucred cred = { .uid = (uid_t)-1, .gid = (gid_t)-1 };
    socklen_t len = sizeof(cred);

    getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &len);
    to->local = true;
    to->pid = cred.pid;
    to->uid = cred.uid;
    to->gid = cred.gid;
    snprintf(to->address, sizeof(to->address), "uid %lu pid %ld",
             (unsigned long)cred.uid, (long)cred.pid);
}

static void identify_tcp(const struct sockaddr_storage *from,
                         struct peer_identity *to)
{
    const struct sockaddr_in *v4 = (const void *)from;
    const struct sockaddr_in6 *v6 = (const void *)from;
    char host[INET6_ADDRSTRLEN] = "?";

    to->uid = (uid_t)-1;
    to->gid = (gid_t)-1;
    if (from->ss_family == AF_INET6) {
        inet_ntop(AF_INET6, &v6->sin6_addr, host, sizeof(host));
        snprintf(to->address, sizeof(to->address), "[%s]:%u", host,
                 ntohs(v6->sin6_port));
        to->loopback = IN6_IS_ADDR_LOOPBACK(&v6->sin6_addr);
    } else {
        inet_ntop(AF_INET, &v4->sin_addr, host, sizeof(host));
        snprintf(to->address, sizeof(to->address), "%s:%u", host,
                 ntohs(v4->sin_port));
        to->loopback = ntohl(v4->sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
    }
}

static void welcome(struct listener *listener, int fd,
                    const struct sockaddr_storage *from)
{
    struct peer_identity identity = { 0 };

    if (listener->counts.connections >= listener->options.connections_max) {
        close(fd);
        listener->counts.refused++;
        listener_tell(listener, LISTENER_FULL,
                      "%s: %u connections are open, a further one was closed; "
                      "end some or raise the bound",
                      listener->socket.address, listener->counts.connections);
        return;
    }
    if (listener->socket.local)
        identify_local(fd, &identity);
    else
        identify_tcp(from, &identity);
    peer_open(listener, fd, &identity);
}

static int accept_one(const struct listener *listener,
                      struct sockaddr_storage *from)
{
    socklen_t len = sizeof(*from);

    return accept4(listener->socket.fd, (struct sockaddr *)from, &len,
                   SOCK_NONBLOCK | SOCK_CLOEXEC);
}

static int open_reserve(void)
{
    return open("/dev/null", O_RDONLY | O_CLOEXEC);
}

/* The reserve makes room to accept and close, so that clients learn it at once;
 * the pause keeps a ready socket that cannot be accepted from being a spin. */
static void shed(struct listener *listener)
{
    struct sockaddr_storage from;
    int fd, shed = 0;

    if (listener->reserve_fd >= 0) {
        close(listener->reserve_fd);
        while (shed < SHED_BATCH && (fd = accept_one(listener, &from)) >= 0) {
            close(fd);
            shed++;
        }
        listener->reserve_fd = open_reserve();
    }
    listener->counts.refused += (uint64_t)shed;
    listener_tell(listener, LISTENER_DESCRIPTORS,
                  "%s: out of descriptors, connections were closed unheard; "
                  "raise the limit of open files or lower the bound of "
                  "connections",
                  listener->socket.address);
}

static void on_acceptable(uv_poll_t *poll, int status, int events);

static void pause_accepting(struct listener *listener)
{
    uv_poll_stop(&listener->accepting);
    listener->accept_again_ms = uv_now(listener->loop) + PAUSE_MS;
    listener_wake_tick(listener);
    listener_tell(listener, LISTENER_PAUSED, "%s: accepting pauses for %d ms",
                  listener->socket.address, PAUSE_MS);
}

void listener_accept(struct listener *listener)
{
    listener->accept_again_ms = 0;
    if (listener->stage != STAGE_SERVING)
        return;
    if (listener->reserve_fd < 0)
        listener->reserve_fd = open_reserve();
    if (uv_poll_start(&listener->accepting, UV_READABLE, on_acceptable) < 0)
        pause_accepting(listener);
}

static void on_acceptable(uv_poll_t *poll, int status, int events)
{
    struct listener *listener = poll->data;
    struct sockaddr_storage from;

    (void)events;
    if (status < 0) {
        pause_accepting(listener);
        return;
    }
    for (int i = 0; i < ACCEPT_BATCH && listener->stage == STAGE_SERVING; i++) {
        int fd = accept_one(listener, &from);

        if (fd >= 0) {
            welcome(listener, fd, &from);
            continue;
        }
        if (errno == EAGAIN)
            return;
        if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS ||
            errno == ENOMEM) {
            shed(listener);
            pause_accepting(listener);
            return;
        }
        /* What else accept() tells is about that one connection. */
    }
}
