/* SPDX-License-Identifier: Apache-2.0 */
/* What the daemon knows, in memory, kept in step with the store. */
#ifndef SERRIED_DAEMON_STATE_H
#define SERRIED_DAEMON_STATE_H

#include "daemon/event_ring.h"
#include "daemon/live.h"

struct boots;
struct call;
struct daemon;
struct inventory;
struct state;
struct watches;
struct writes;

/* Follows the store until the state is whole, then calls ready (err is NULL)
 * and goes on following. share: folder of declarations in front of the shipped
 * ones, NULL: none.
 *   STATUS_INVALID    the folder cannot be read
 *   STATUS_EXHAUSTED  no memory */
int state_open(struct daemon *daemon, const char *share,
               void (*ready)(void *arg, const struct error *err), void *arg,
               struct state **ret_state, struct error *err);
void state_close(struct state *state); /* NULL is allowed */

/* Writes under way, and calls of Watch that wait. */
struct writes *state_writes(struct state *state);
struct watches *state_watches(struct state *state);
struct boots *state_boots(struct state *state);

/* What must hold and does not, as the audit found last; "": all does. */
const char *state_faults(const struct state *state);

/* The hosts (daemon/inventory.h). */
struct inventory *state_inventory(struct state *state);

/* Memory for one piece of work within the loop, which ends in arena_rest().
 * cap_bytes: of whoever asks first. NULL: there is none. */
struct arena *state_scratch(struct state *state, size_t cap_bytes);

/* The store's position that the state has reached. */
struct store_pos state_position(const struct state *state);

/* The declarations in force, for questions about documents. */
struct catalog *state_catalog(struct state *state);
struct declared_set *state_declared(struct state *state);

/* ---- declarations -------------------------------------------------------- */

/* A declaration in force; rev 0: shipped. */
struct force {
    const char *name; /* "model wan22"; first, for the index */
    struct declared *declared;
    uint64_t rev;
};

/* The declaration of a kind in force under a name; loads a shipped one when it
 * is first asked for.
 *   STATUS_UNKNOWN_NAME  none; names the nearest
 *   others as declared_hold() */
const struct force *state_force(struct state *state, enum document_kind kind,
                                const char *name, struct error *err);

/* How many there are, shipped ones too. */
size_t state_force_count(struct state *state, enum document_kind kind);

/* ---- placements ---------------------------------------------------------- */

/* The placement with this name.
 *   STATUS_UNKNOWN_NAME  none; names the nearest */
struct live *state_live(struct state *state, const char *name,
                        struct error *err);
size_t state_live_count(const struct state *state);

/* Calls visit() with each placement (a struct live) in the order of names. */
void state_live_walk(struct state *state, void (*visit)(void *live, void *arg),
                     void *arg);

/* The same with those whose commit is under way. */
void state_prepared_walk(struct state *state,
                         void (*visit)(void *live, void *arg), void *arg);

/* A placement that was released while ports of it rest; NULL: none. And all of
 * them (struct port_ended). */
const struct port_ended *state_ended(const struct state *state,
                                     const char *name);
void state_ended_walk(struct state *state,
                      void (*visit)(void *ended, void *arg), void *arg);

/* Hands over a placement that was decided already and whose record is about to
 * be committed, so that the commit need not decide it again. body: the record's
 * (malloc), by which the commit knows it again; taken. Returns a ticket, with
 * which state_unprepare() takes the placement back when the commit fails, or 0:
 * no memory; live stays the caller's. */
uint64_t state_prepare(struct state *state, struct live *live, uint8_t *body,
                       size_t len);
void state_unprepare(struct state *state, uint64_t ticket);

/* ---- answers to writes --------------------------------------------------- */

struct kept_answer {
    const char *name; /* the key; first, for the index */
    uint64_t rev;     /* of the commit it came with */
    uint8_t *body;    /* packed AnswerRecord */
    size_t len;
};

/* NULL: no write with this key was answered, or it is forgotten. */
const struct kept_answer *state_answer(const struct state *state,
                                       const char *key);

/* ---- events -------------------------------------------------------------- */

/* Events after a position, oldest first: entries [*ret_first, *ret_first + n)
 * of a ring read by state_event(). *ret_lost: some after it are not in memory
 * any more. */
size_t state_events_after(const struct state *state, struct store_pos after,
                          size_t *ret_first, bool *ret_lost);
const struct kept_event *state_event(const struct state *state, size_t i);

/* Calls changed() after each commit. One listener. */
void state_on_change(struct state *state, void (*changed)(void *arg),
                     void *arg);

#endif
