/* SPDX-License-Identifier: Apache-2.0 */
/* Every statement that is run on the database, prepared when it opens. */
#ifndef SERRIED_STORE_STATEMENT_H
#define SERRIED_STORE_STATEMENT_H

#include <stddef.h>
#include <stdint.h>

#include <sqlite3.h>

#include "base/error.h"

/* clang-format off */
#define RECORD_COLUMNS                                                       \
    "kind, id, state, generation_epoch, generation_rev, time_ms, rev, body"
#define EVENT_COLUMNS "seq, rev, time_ms, who, what, subject, detail"

/* Name and text; arguments are numbered in the order they are bound. */
#define STATEMENT_LIST(X)                                                    \
    X(begin,           "BEGIN IMMEDIATE")                                    \
    X(begin_read,      "BEGIN")                                              \
    X(commit,          "COMMIT")                                             \
    X(rollback,        "ROLLBACK")                                           \
    X(change_start,    "SAVEPOINT change")                                   \
    X(change_keep,     "RELEASE change")                                     \
    X(change_undo,     "ROLLBACK TO change")                                 \
    X(meta_read,       "SELECT epoch, revision, event_seq, term FROM meta")  \
    X(meta_write,      "UPDATE meta SET epoch = ?1, revision = ?2,"          \
                       " event_seq = ?3")                                    \
    X(term_raise,      "UPDATE meta SET term = term + 1")                    \
    X(record_all,      "SELECT " RECORD_COLUMNS " FROM record"               \
                       " ORDER BY kind, id")                                 \
    X(record_any,      "SELECT EXISTS (SELECT 1 FROM record)"                \
                       " OR EXISTS (SELECT 1 FROM event)")                   \
    X(record_insert,   "INSERT INTO record (" RECORD_COLUMNS ")"             \
                       " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)"            \
                       " ON CONFLICT DO NOTHING")                            \
    X(record_update,   "UPDATE record SET state = ?3, generation_epoch = ?4,"\
                       " generation_rev = ?5, time_ms = ?6, rev = ?7,"       \
                       " body = ?8 WHERE kind = ?1 AND id = ?2 AND rev = ?9")\
    X(record_delete,   "DELETE FROM record"                                  \
                       " WHERE kind = ?1 AND id = ?2 AND rev = ?3")          \
    X(answer_count,    "SELECT count(*) FROM record WHERE kind = 6")         \
    X(answer_oldest,   "SELECT id, rev FROM record WHERE kind = 6"           \
                       " ORDER BY rev, id LIMIT 1")                          \
    X(event_all,       "SELECT " EVENT_COLUMNS " FROM event ORDER BY seq")   \
    X(event_before,    "SELECT " EVENT_COLUMNS " FROM event WHERE seq < ?1"  \
                       " AND (?2 IS NULL OR subject = ?2)"                   \
                       " ORDER BY seq DESC LIMIT ?3")                        \
    X(event_insert,    "INSERT INTO event (" EVENT_COLUMNS ")"               \
                       " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")               \
    X(event_forget,    "DELETE FROM event WHERE seq < ?1")
/* clang-format on */

enum statement {
#define X(name, sql) STMT_##name,
    STATEMENT_LIST(X)
#undef X
        STMT_COUNT
};

/* One connection with its statements; used by one thread at a time. */
struct database {
    sqlite3 *handle;
    sqlite3_stmt *statements[STMT_COUNT];
};

/* Prepares all. STATUS_INTERNAL: one does not fit the schema. */
int database_prepare(struct database *db, struct error *err);

/* Finalizes them and closes the connection; handle may be NULL. */
void database_close(struct database *db);

/* The statement with its arguments bound from the first on, ready to step.
 * types: 'i' int64_t, 's' const char * (NULL: NULL), 'b' const void * and
 * size_t. Text and bytes are borrowed until it is reset. */
sqlite3_stmt *statement_bind(struct database *db, enum statement which,
                             const char *types, ...);

/* Binds as above, steps to the end and resets. Returns SQLITE_OK or the
 * extended code of the failure. */
int statement_run(struct database *db, enum statement which, const char *types,
                  ...);

#endif
