/* SPDX-License-Identifier: Apache-2.0 */
/* The durable state, whatever keeps it: records, events, one position. */
#ifndef SERRIED_STORE_STORE_H
#define SERRIED_STORE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <uv.h>

#include "base/error.h"

/* One active daemon decides. It keeps the whole state in memory and answers
 * every question from there, so a store does four things: it delivers the state
 * and its changes in order, commits a change, says who leads, and copies itself
 * out and in. It knows kinds and names of records but not what their bodies
 * mean.
 *
 * Every function is called on the thread of the loop given to store_open(), and
 * every callback runs there, never inside the call that asked for it. What a
 * callback is shown is valid until it returns. A function that returns -1 has
 * not kept its callback. */
struct store;
struct change;

enum {
    STORE_CHANGE_RECORDS = 100, /* and one ANSWER more */
    STORE_CHANGE_EVENTS = 100,
    STORE_CHANGE_BYTES = 1 << 20,   /* of names, states, bodies, event texts */
    STORE_NAME_BYTES = 255,         /* of an id, a state, who, what, subject */
    STORE_PENDING_BYTES = 64 << 20, /* of changes that wait, each 8 KiB more */
    STORE_HISTORY_MAX = 1000,       /* events one question returns */
};

/* Defaults of the options. */
enum { STORE_ANSWERS_MAX = 10000, STORE_EVENTS_MAX = 100000 };

/* clang-format off */
/* Kinds of record: number on disk (never reused), name. An ANSWER is what an
 * idempotent write was answered with; its id is the caller's key. */
#define STORE_KIND_LIST(X)         \
    X(MODEL,     1, "model")       \
    X(RUNTIME,   2, "runtime")     \
    X(HOST,      3, "host")        \
    X(PLACEMENT, 4, "placement")   \
    X(TOKEN,     5, "token")       \
    X(ANSWER,    6, "answer")

/* How a change ended: the status a caller gets, the sentence it is told. In
 * all but OK and BROKEN nothing of the change is applied, now or later; after
 * BROKEN only the next start can tell. */
#define STORE_RESULT_LIST(X)                                                 \
    X(OK,       OK,          "done")                                         \
    X(CONFLICT, LOST,        "a record has changed since it was read; read " \
                             "it again and decide anew")                     \
    X(DEPOSED,  UNAVAILABLE, "this daemon does not lead; ask the one that "  \
                             "does")                                         \
    X(FULL,     EXHAUSTED,   "the store has no space or its disk did not "   \
                             "take the change; nothing was changed")         \
    X(TOO_BIG,  EXHAUSTED,   "the change is over 100 records, 100 events, "  \
                             "1 MiB or 255 bytes in a name; make it smaller")\
    X(BROKEN,   INTERNAL,    "the store is damaged; the daemon must be "     \
                             "started again")
/* clang-format on */

enum store_kind {
#define X(name, number, text) STORE_##name = number,
    STORE_KIND_LIST(X)
#undef X
};

enum store_result {
#define X(name, status, text) STORE_##name,
    STORE_RESULT_LIST(X)
#undef X
};

/* The kind's name, or NULL when there is no such kind. */
const char *store_kind_name(enum store_kind kind);

/* Fills err from a result other than OK; returns -1. */
int store_result_error(enum store_result result, struct error *err);

/* A point in the state's history. rev rises by 1 with each committed change
 * and never falls; numbers may be skipped, none is used twice. An import
 * starts a new, higher epoch. Compare epoch first. */
struct store_pos {
    uint64_t epoch, rev;
};

/* Put in generation_rev: "the position of the commit that writes this". */
#define STORE_OWN_GENERATION UINT64_MAX

/* A record: what operators read as columns, and a body that only the daemon
 * understands. */
struct store_record {
    enum store_kind kind;
    const char *id;    /* 1 to STORE_NAME_BYTES bytes of UTF-8 */
    const char *state; /* a word, or NULL for "" */
    const void *body;
    size_t len;
    uint64_t generation_epoch, generation_rev; /* 0, 0: has none */
    int64_t time_ms;                           /* since 1970, the caller's */
    uint64_t rev; /* of the commit that wrote it; set by the store */
    bool gone;    /* removed by the commit rev; only kind and id are set */
};

/* What happened, for operators. */
struct store_event {
    int64_t time_ms;
    const char *who, *what, *subject, *detail; /* NULL for "" */
    uint64_t seq; /* rises by 1 with each event, never reused; by the store */
    uint64_t rev; /* of the commit it came with; set by the store */
};

/* ---- opening ------------------------------------------------------------- */

struct store_options {
    size_t answers_max; /* answers kept, the newest; 0: STORE_ANSWERS_MAX */
    size_t events_max;  /* events kept, the newest; 0: STORE_EVENTS_MAX */
    uint64_t bytes_max; /* quota of the state; 0: none */
    unsigned busy_ms;   /* wait for another program's lock; 0: 5000 */
    /* The store broke: nothing more will be committed and the daemon must
     * stop. At most once; NULL: not told. */
    void (*broken)(void *arg, const char *why);
    void *arg;
};

/* Opens what url names: "sqlite:PATH" or "memory:". Blocks, for it locks,
 * checks and migrates the whole state before it returns. options may be NULL.
 *   STATUS_INVALID      the url is of no known kind, or the file is no store
 *   STATUS_UNAVAILABLE  another process holds it (its number is named), the
 *                       folder cannot be written, the schema is a newer one
 *   STATUS_INTERNAL     the file is damaged
 *   STATUS_EXHAUSTED    no memory or no disk space */
int store_open(uv_loop_t *loop, const char *url,
               const struct store_options *options, struct store **ret_store,
               struct error *err);

/* Ends it after everything asked before is done and called back; then calls
 * closed (may be NULL), after which store is gone. Nothing may be asked of it
 * after this call. */
void store_close(struct store *store, void (*closed)(void *arg), void *arg);

/* Where the follower is, or the last committed position called back. */
struct store_pos store_position(const struct store *store);

/* The last failure of the disk in one sentence; "" when there was none. */
const char *store_trouble(const struct store *store);

/* ---- following ----------------------------------------------------------- */

struct store_follower {
    /* Forget everything: the whole state comes, in one batch or many. */
    void (*reset)(void *arg);
    /* Records as they are from pos on, in the order of the commits, to the
     * committer too and before its `done`. After current() one call is one
     * whole commit: its records, answers that it displaced (gone), events. */
    void (*batch)(void *arg, struct store_pos pos,
                  const struct store_record *records, size_t n_records,
                  const struct store_event *events, size_t n_events);
    /* The whole state has come; from here on come changes. */
    void (*current)(void *arg, struct store_pos pos);
};

/* Follows from now on; once for each store. follower is borrowed. After an
 * import it is reset again.
 *   STATUS_EXHAUSTED  no memory */
int store_follow(struct store *store, const struct store_follower *follower,
                 void *arg, struct error *err);

typedef void store_done_fn(void *arg, enum store_result result,
                           struct store_pos pos);

/* Calls done when the follower has everything that was acknowledged before
 * this call: an answer from its memory is then linearizable. Waits for no disk
 * unless the follower is not current yet.
 *   STATUS_EXHAUSTED  no memory */
int store_sync(struct store *store, store_done_fn *done, void *arg,
               struct error *err);

/* ---- changing ------------------------------------------------------------ */

/* A change is applied whole or not at all. For each record `seen` is the rev
 * that it was decided on, 0 for one that must not exist yet: when the record
 * has another one the change ends as CONFLICT, as when it names a record
 * twice. What is handed in is copied. What is over a bound, or does not fit in
 * memory, is remembered and ends the commit as TOO_BIG or FULL. */
struct change *change_new(void); /* NULL: no memory */
void change_put(struct change *change, const struct store_record *record,
                uint64_t seen);
void change_remove(struct change *change, enum store_kind kind, const char *id,
                   uint64_t seen);
void change_event(struct change *change, const struct store_event *event);
void change_free(struct change *change); /* NULL is allowed */

/* Commits change and frees it. Changes commit in the order of the calls; those
 * of one turn of the loop, and those that wait, share a write to disk. done
 * runs exactly once, when the change is durable or refused; pos is that of the
 * commit, or of the store. Only while elected (else DEPOSED). Changes beyond
 * STORE_PENDING_BYTES end as FULL. */
void store_commit(struct store *store, struct change *change,
                  store_done_fn *done, void *arg);

/* ---- leading ------------------------------------------------------------- */

/* A term of leadership. token is higher than that of every term before. */
struct store_term {
    uint64_t epoch, token;
};

struct store_candidate {
    const char *name; /* address that clients of others are sent to */
    void (*elected)(void *arg, struct store_term term);
    void (*deposed)(void *arg);
    /* Who leads now; NULL: nobody. May be NULL. */
    void (*leader)(void *arg, const char *name);
};

/* Runs for leader until resigned. A store of one machine is held by one process
 * from its opening on, so that it elects at once. candidate is borrowed.
 *   STATUS_EXHAUSTED  no memory */
int store_campaign(struct store *store, const struct store_candidate *candidate,
                   void *arg, struct error *err);

/* Gives leadership back; changes committed before still end as they would.
 * deposed is called. */
void store_resign(struct store *store);

/* ---- history ------------------------------------------------------------- */

/* Events newest first. n is 0 unless result is OK. */
typedef void store_history_fn(void *arg, enum store_result result,
                              const struct store_event *events, size_t n);

/* Asks for at most limit (and STORE_HISTORY_MAX) events with a seq below
 * before, 0 for the newest, of one subject or (NULL) of all; fewer, but not
 * none, when they hold over 4 MiB.
 *   STATUS_EXHAUSTED  no memory */
int store_history(struct store *store, uint64_t before, const char *subject,
                  size_t limit, store_history_fn *done, void *arg,
                  struct error *err);

/* Forgets events with a seq below before. done may be NULL.
 *   STATUS_EXHAUSTED  no memory */
int store_forget_events(struct store *store, uint64_t before,
                        store_done_fn *done, void *arg, struct error *err);

/* ---- copying ------------------------------------------------------------- */

/* err is NULL when the copy is whole. */
typedef void store_copied_fn(void *arg, const struct error *err,
                             struct store_pos pos);

/* Copies out the state at one position, in the format of store/copy.h: equal
 * states give equal bytes, whatever keeps them. write returns 0, or -1 to stop.
 *   STATUS_EXHAUSTED  no memory */
int store_export(struct store *store,
                 int (*write)(void *arg, const void *bytes, size_t len),
                 store_copied_fn *done, void *arg, struct error *err);

/* Copies in what was exported; wants a store without records and events, and
 * starts a new epoch. Whole or not at all: STATUS_INVALID (not an export, cut
 * or changed), STATUS_REFUSED (not empty), STATUS_EXHAUSTED come through done.
 *   bytes             borrowed until done
 *   STATUS_EXHAUSTED  no memory */
int store_import(struct store *store, const void *bytes, size_t len,
                 store_copied_fn *done, void *arg, struct error *err);

#endif
