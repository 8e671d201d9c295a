/* SPDX-License-Identifier: Apache-2.0 */
/* The sqlite backend's state, shared by its files. */
#ifndef SERRIED_STORE_SQLITE_H
#define SERRIED_STORE_SQLITE_H

#include "store/backend.h"
#include "store/statement.h"

struct sqlite {
    struct database writer, reader; /* by side; one connection each */
    struct counters counters;       /* as committed */
    uint64_t n_answers;
    size_t answers_max, events_max;
    int lock;           /* descriptor */
    int log_pages;      /* in the write-ahead log after the last commit */
    int log_pages_seen; /* when upkeep was last due */
};

/* Sizes of the log in pages of 4 KiB: when the reader copies it into the
 * database (4 MiB), and when the writer must help (32 MiB): commits that
 * go on while the reader copies keep the log from ever starting over. */
enum { LOG_PAGES_DUE = 1000, LOG_PAGES_MAX = 8000 };

/* What a transaction carries until it is committed. */
struct attempt {
    struct counters counters;
    uint64_t n_answers;
};

/* ---- sqlite_commit.c ----------------------------------------------------- */

void sqlite_commit(void *state, struct change *const *changes, size_t n);

struct attempt sqlite_attempt(const struct sqlite *sq);

/* Inserts (seen 0) or updates; *ret_rows 0: the record has another revision.
 * Return sqlite's code. */
int sqlite_put(struct database *db, const struct store_record *record,
               uint64_t seen, int *ret_rows);
int sqlite_insert_event(struct database *db, const struct store_event *event);

/* Commits the transaction under way and takes over what attempt says, or undoes
 * it: then -1, with *ret_result and err. */
int sqlite_finish(struct sqlite *sq, const struct attempt *attempt,
                  enum store_result *ret_result, struct error *err);
void sqlite_roll_back(struct sqlite *sq);

/* STORE_FULL for a failure that leaves the file as it was, else STORE_BROKEN;
 * fills err. */
enum store_result sqlite_failed(int rc, struct error *err);

/* ---- sqlite_import.c, sqlite_read.c -------------------------------------- */

enum store_result sqlite_forget(void *state, uint64_t before,
                                struct error *err);
int sqlite_import(void *state, const void *bytes, size_t len,
                  struct counters *ret_counters, struct error *err);

int sqlite_read_counters(struct database *db, struct counters *ret,
                         uint64_t *ret_term);
int sqlite_scan(void *state, enum backend_side side, const struct scan *scan,
                struct error *err);
int sqlite_history(void *state, const struct history_query *query,
                   int (*event)(void *arg, const struct store_event *event),
                   void *arg, struct error *err);

#endif
