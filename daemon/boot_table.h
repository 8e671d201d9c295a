/* SPDX-License-Identifier: Apache-2.0 */
/* The workers of one placement. Private to boot*.c. */
#ifndef SERRIED_DAEMON_BOOT_TABLE_H
#define SERRIED_DAEMON_BOOT_TABLE_H

#include "base/text.h"
#include "daemon/boot.h"
#include "daemon/boot_refused.h"
#include "daemon/daemon.h"
#include "daemon/sighting.h"

/* A call of Await that is parked. */
struct waiting {
    struct waiting *next, **link; /* of its boot */
    struct boot *boot;
    struct member *member;
    struct call *call;
    enum boot_state known; /* to the worker: it waits for another one */
    uint64_t until_ms;     /* the loop's clock */
};

enum member_state { MEMBER_ABSENT, MEMBER_HERE, MEMBER_LOST, MEMBER_LEFT };

struct member {
    uint64_t incarnation;
    uint64_t seen_ms; /* the loop's clock */
    struct waiting *waiting;
    enum member_state state;
    uint32_t host_boot; /* of its host, as sighting_take(); 0: not known */
};

/* The boot of one generation of a placement. */
struct boot {
    const char *name; /* first, for the index; a copy */
    struct boot *next, **link;
    struct boots *boots;
    struct store_pos generation;
    enum boot_state state;
    uint32_t *ranks;        /* ascending, `world` of them */
    struct member *members; /* of the same */
    uint32_t world, n_here, n_left, n_lost;
    uint64_t since_ms; /* it waits for all; 0: its time is over */
    uint64_t scan_ms;  /* when leases are looked at next */
    struct waiting *waiting;
    char *address; /* of the lowest rank; "" */
};

struct boots {
    struct daemon *daemon;
    struct state *of;
    uv_timer_t timer;
    struct index index; /* struct boot */
    struct boot *first;
    struct refused_logs refused;
    struct sightings sightings;
    size_t n_waiting;
    uint64_t random;
};

uint64_t boots_now(const struct boots *boots);

/* ---- the table (boot_table.c) -------------------------------------------- */

/* The boot of a placement's generation; NULL: none. */
struct boot *boot_find(const struct boots *boots, const struct live *live);

/* A new one; NULL: no memory. */
struct boot *boot_new(struct boots *boots, const struct live *live);

/* Its waiting calls have been ended. */
void boot_free(struct boot *boot);

/* The member of a rank; NULL: the placement has no such rank. */
struct member *boot_member(const struct boot *boot, uint32_t rank);
uint32_t boot_rank(const struct boot *boot, const struct member *member);

/* A member's new state, with the counts and the boot's state. */
void boot_set(struct boot *boot, struct member *member,
              enum member_state state);

/* The first ranks that are not here and did not leave: at most
 * BOOT_MISSING_MAX. Returns how many there are in all. */
uint32_t boot_missing(const struct boot *boot, uint32_t *ret, size_t *ret_n);

/* "ranks 3, 5 and 12 more". */
void boot_missing_print(const struct boot *boot, struct text *out);

/* ---- waiting (boot_wait.c) ----------------------------------------------- */

int boot_park(struct boot *boot, struct member *member, struct call *call,
              enum boot_state known, uint32_t wait_ms, struct error *err);

/* Answers a call of a member with how the boot stands. */
void boot_answer(struct boot *boot, const struct member *member,
                 struct call *call);

/* Answers all who wait, news or not. */
void boot_answer_all(struct boot *boot);

/* Answers those who wait for another state. */
void boot_tell(struct boot *boot);

/* Refuses a parked call, or all of a boot. */
void waiting_refuse(struct waiting *waiting, const struct error *err);
void boot_refuse_all(struct boot *boot, const struct error *err);

/* Whether a worker that knows one state is to hear of another. */
bool boot_is_news(enum boot_state known, enum boot_state now);

void boots_tick(uv_timer_t *timer);

#endif
