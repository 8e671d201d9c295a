/* SPDX-License-Identifier: Apache-2.0 */
/* Tells the service manager how the daemon is: sd_notify(3) without its
 * library. */
#include "daemon/notify.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"

/* More than any message of ours; a longer one is cut. */
enum { MESSAGE_BYTES = 1024 };

int notify_open(struct notify *notify, const char *path, struct error *err)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    int fd;

    notify->fd = -1;
    if (path == NULL || path[0] == '\0')
        return 0;
    if ((path[0] != '/' && path[0] != '@') || path[1] == '\0')
        return error_set(err, STATUS_INVALID,
                         "NOTIFY_SOCKET is %.64s, must be a path or @NAME",
                         path);
    if (strlen(path) >= sizeof(address.sun_path))
        return error_set(err, STATUS_INVALID,
                         "NOTIFY_SOCKET has %zu bytes, must have at most %zu",
                         strlen(path), sizeof(address.sun_path) - 1);
    fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return error_set(err, STATUS_UNAVAILABLE, "no socket for notifying: %s",
                         strerror(errno));
    memcpy(address.sun_path, path, strlen(path));
    if (path[0] == '@')
        address.sun_path[0] = '\0';
    notify->fd = fd;
    notify->address = address;
    /* The length says where an abstract name ends. */
    notify->address_len =
        (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(path));
    return 0;
}

void notify_close(struct notify *notify)
{
    if (notify->fd >= 0)
        close(notify->fd);
    notify->fd = -1;
}

void notify_send(const struct notify *notify, const char *fmt, ...)
{
    char message[MESSAGE_BYTES];
    va_list args;
    int len;

    if (notify->fd < 0)
        return;
    va_start(args, fmt);
    len = vsnprintf(message, sizeof(message), fmt, args);
    va_end(args);
    if (len < 0)
        return;
    if ((size_t)len >= sizeof(message))
        len = sizeof(message) - 1;
    sendto(notify->fd, message, (size_t)len, MSG_NOSIGNAL,
           (const struct sockaddr *)&notify->address, notify->address_len);
}

void notify_reloading(const struct notify *notify)
{
    notify_send(notify, "RELOADING=1\nMONOTONIC_USEC=%" PRId64,
                clock_monotonic_us());
}

/* A whole number of digits only; 0: it is none. */
static uint64_t number_read(const char *text)
{
    char *end;
    uint64_t number;

    if (text == NULL || text[0] < '0' || text[0] > '9')
        return 0;
    errno = 0;
    number = strtoull(text, &end, 10);
    return *end == '\0' && errno == 0 ? number : 0;
}

uint64_t notify_watchdog_ms(const char *usec, const char *pid)
{
    const uint64_t wait_us = number_read(usec);

    if (wait_us == 0 || wait_us == UINT64_MAX)
        return 0;
    if (pid != NULL && number_read(pid) != (uint64_t)getpid())
        return 0;
    return wait_us < 2000 ? 1 : wait_us / 2000;
}
