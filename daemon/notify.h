/* SPDX-License-Identifier: Apache-2.0 */
/* Tells the service manager how the daemon is: sd_notify(3) without its
 * library. */
#ifndef SERRIED_DAEMON_NOTIFY_H
#define SERRIED_DAEMON_NOTIFY_H

#include <stdint.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "base/error.h"

/* In the caller's memory; end with notify_close(). */
struct notify {
    int fd; /* -1: nobody wants to know */
    struct sockaddr_un address;
    socklen_t address_len;
};

/* path: $NOTIFY_SOCKET, a path or "@NAME" of an abstract socket; NULL or ""
 * when there is no service manager: every notify_send() does nothing then.
 *   STATUS_INVALID      neither a path nor abstract, or too long
 *   STATUS_UNAVAILABLE  no socket can be had */
int notify_open(struct notify *notify, const char *path, struct error *err);
void notify_close(struct notify *notify);

/* Sends one datagram of lines such as "READY=1\nSTATUS=...". Never waits: a
 * manager that does not take it is left alone. */
void notify_send(const struct notify *notify, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* "RELOADING=1" with the time that the manager compares. */
void notify_reloading(const struct notify *notify);

/* How often the manager wants "WATCHDOG=1", in milliseconds: half of what it
 * waits; 0: not at all. usec: $WATCHDOG_USEC, pid: $WATCHDOG_PID, NULL where
 * they are not set; what is no number, or meant for another process, is as if
 * not set. */
uint64_t notify_watchdog_ms(const char *usec, const char *pid);

#endif
