/* SPDX-License-Identifier: Apache-2.0 */
/* The boot of placements: which of their workers are here, and which wait. */
#ifndef SERRIED_DAEMON_BOOT_H
#define SERRIED_DAEMON_BOOT_H

#include "daemon/call.h"
#include "daemon/state.h"
#include "proto/serried.pb-c.h"

/* In memory only: after a restart workers join again with the incarnation that
 * they have, and nothing is committed for a sign of life. What operators want
 * to know (ready, degraded, timed out) is an event.
 *
 * A worker joins once, then asks again and again by Await, which is parked and
 * is its sign of life too. It is here from Join on, lost when nothing is heard
 * of it for the setting lease_ms, here again when it asks again. */
struct boots;

enum {
    BOOT_WAIT_MS_MAX = 30000, /* one Await is parked so long at most */
    BOOT_MISSING_MAX = 32,    /* missing ranks that one answer names */
    BOOT_ADDRESS_BYTES = 255,
};

enum boot_state {
    BOOT_PLACED,   /* no worker has joined */
    BOOT_BOOTING,  /* some have */
    BOOT_READY,    /* all have */
    BOOT_DEGRADED, /* all had, and some are lost */
};

/* "placed", "booting", "ready", "degraded". */
const char *boot_state_name(enum boot_state state);

/* NULL: STATUS_EXHAUSTED, no memory. */
struct boots *boots_new(struct daemon *daemon, struct state *state,
                        struct error *err);

/* Parked calls have been ended before. Its memory goes when the loop has closed
 * its timer. NULL is allowed. */
void boots_close(struct boots *boots);

/* Forgets the boots of placements that are gone or placed anew, whose waiting
 * calls are refused. Called after each commit. */
void boots_follow(struct boots *boots);

enum boot_state boots_state(const struct boots *boots, const struct live *live);

struct sighting;

/* What workers showed of a host (daemon/sighting.h); NULL: nothing. */
const struct sighting *boots_sighting(const struct boots *boots,
                                      const char *host);

/* Forgets what was seen of a host that was removed: another machine may get its
 * name. */
void boots_forget_host(struct boots *boots, const char *host);

/* The ranks whose workers are lost or have left, ascending: *ret_n of them,
 * made in arena. STATUS_EXHAUSTED: it is full. */
int boots_gone(const struct boots *boots, const struct live *live,
               struct arena *arena, const uint32_t **ret, size_t *ret_n,
               struct error *err);

/* Whether a worker of the placement may run: one has joined and not left, or it
 * is not known because this daemon was not there all the time. */
bool boots_may_hold(const struct boots *boots, const struct live *live);

/* Ports of the placement are others now: who waits is told. */
void boots_tell_ports(struct boots *boots, const struct live *live);

/* Takes a worker in; one with the same incarnation is in already, which is no
 * fault. The newest incarnation of a rank wins: a call of an older one that
 * waits is refused.
 *   only                the placement that the caller is held to; NULL: none
 *   STATUS_INVALID      something is missing or too long
 *   STATUS_UNKNOWN_NAME the placement has no such rank
 *   STATUS_REFUSED      STALE_INCARNATION: a newer worker is there as this
 *                       rank; WRONG_MACHINE: its host is declared to be another
 *                       one
 *   STATUS_EXHAUSTED    no memory */
int boots_join(struct boots *boots, struct live *live,
               const Serried__V1__JoinRequest *request, const char *only,
               Serried__V1__JoinReply *ret_reply, struct error *err);

/* Answers an Await where there is news, or parks it; the call is taken. -1: it
 * is not taken:
 *   STATUS_REFUSED    NOT_JOINED
 *   others as boots_join() */
int boots_await(struct boots *boots, struct call *call, struct live *live,
                const Serried__V1__AwaitRequest *request, struct error *err);

/* A worker ends of its own will; what is left is not degraded by it. Fails as
 * boots_await(). */
int boots_leave(struct boots *boots, struct live *live,
                const Serried__V1__LeaveRequest *request, struct error *err);

#endif
