/* SPDX-License-Identifier: Apache-2.0 */
/* Events that change no record. */
#ifndef SERRIED_DAEMON_JOURNAL_H
#define SERRIED_DAEMON_JOURNAL_H

#include "daemon/daemon.h"

/* Commits an event with no change beside it, by the daemon itself where who is
 * NULL. It is lost only where the store cannot take it, which is logged. */
void journal(struct daemon *daemon, const char *who, const char *what,
             const char *subject, const char *detail);

#endif
