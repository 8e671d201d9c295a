/* SPDX-License-Identifier: Apache-2.0 */
/* Reading the database: the whole state, and pages of events. */
#include "store/sqlite.h"

int sqlite_read_counters(struct database *db, struct counters *ret,
                         uint64_t *ret_term)
{
    sqlite3_stmt *stmt = statement_bind(db, STMT_meta_read, "");
    int rc = sqlite3_step(stmt) == SQLITE_ROW ? 0 : -1;

    ret->epoch = (uint64_t)sqlite3_column_int64(stmt, 0);
    ret->revision = (uint64_t)sqlite3_column_int64(stmt, 1);
    ret->event_seq = (uint64_t)sqlite3_column_int64(stmt, 2);
    *ret_term = (uint64_t)sqlite3_column_int64(stmt, 3);
    sqlite3_reset(stmt);
    return rc;
}

static const char *column_string(sqlite3_stmt *stmt, int column)
{
    const char *text = (const char *)sqlite3_column_text(stmt, column);

    return text != NULL ? text : "";
}

static uint64_t column_count(sqlite3_stmt *stmt, int column)
{
    return (uint64_t)sqlite3_column_int64(stmt, column);
}

/* Of RECORD_COLUMNS. */
static struct store_record row_record(sqlite3_stmt *stmt)
{
    return (struct store_record){
        .kind = (enum store_kind)sqlite3_column_int(stmt, 0),
        .id = column_string(stmt, 1),
        .state = column_string(stmt, 2),
        .generation_epoch = column_count(stmt, 3),
        .generation_rev = column_count(stmt, 4),
        .time_ms = sqlite3_column_int64(stmt, 5),
        .rev = column_count(stmt, 6),
        .body = sqlite3_column_blob(stmt, 7),
        .len = (size_t)sqlite3_column_bytes(stmt, 7),
    };
}

/* Of EVENT_COLUMNS. */
static struct store_event row_event(sqlite3_stmt *stmt)
{
    return (struct store_event){
        .seq = column_count(stmt, 0),
        .rev = column_count(stmt, 1),
        .time_ms = sqlite3_column_int64(stmt, 2),
        .who = column_string(stmt, 3),
        .what = column_string(stmt, 4),
        .subject = column_string(stmt, 5),
        .detail = column_string(stmt, 6),
    };
}

static int unreadable(struct database *db, struct error *err)
{
    return error_set(err, STATUS_INTERNAL, "reading the database: %s",
                     sqlite3_errmsg(db->handle));
}

static int scan_records(struct database *db, const struct scan *scan,
                        struct error *err)
{
    sqlite3_stmt *stmt = statement_bind(db, STMT_record_all, "");
    int step, rc = 0;

    while (rc == 0 && (step = sqlite3_step(stmt)) != SQLITE_DONE) {
        struct store_record record;

        if (step != SQLITE_ROW) {
            rc = unreadable(db, err);
            break;
        }
        record = row_record(stmt);
        if (scan->record(scan->arg, &record) < 0)
            rc = error_exhausted(err);
    }
    sqlite3_reset(stmt);
    return rc;
}

/* Shows the rows of a statement on events, which is reset. */
static int show_events(struct database *db, sqlite3_stmt *stmt,
                       int (*event)(void *arg, const struct store_event *),
                       void *arg, struct error *err)
{
    int step, rc = 0;

    while (rc == 0 && (step = sqlite3_step(stmt)) != SQLITE_DONE) {
        struct store_event row;

        if (step != SQLITE_ROW) {
            rc = unreadable(db, err);
            break;
        }
        row = row_event(stmt);
        if (event(arg, &row) < 0)
            rc = error_exhausted(err);
    }
    sqlite3_reset(stmt);
    return rc;
}

static int scan_snapshot(struct database *db, const struct scan *scan,
                         struct error *err)
{
    struct counters counters;
    uint64_t term;

    if (sqlite_read_counters(db, &counters, &term) < 0)
        return unreadable(db, err);
    if (scan->begin(scan->arg, &counters) < 0)
        return error_exhausted(err);
    if (scan_records(db, scan, err) < 0)
        return -1;
    if (scan->event == NULL)
        return 0;
    return show_events(db, statement_bind(db, STMT_event_all, ""), scan->event,
                       scan->arg, err);
}

/* Within one transaction, so that all of it is of one position. */
int sqlite_scan(void *state, enum backend_side side, const struct scan *scan,
                struct error *err)
{
    struct sqlite *sq = state;
    struct database *db = side == SIDE_WRITER ? &sq->writer : &sq->reader;
    int rc;

    if (statement_run(db, STMT_begin_read, "") != SQLITE_OK)
        return unreadable(db, err);
    rc = scan_snapshot(db, scan, err);
    statement_run(db, STMT_rollback, "");
    return rc;
}

int sqlite_history(void *state, const struct history_query *query,
                   int (*event)(void *arg, const struct store_event *),
                   void *arg, struct error *err)
{
    struct sqlite *sq = state;
    uint64_t before = query->before;
    int64_t limit =
        before == 0 || before > INT64_MAX ? INT64_MAX : (int64_t)before;
    sqlite3_stmt *stmt =
        statement_bind(&sq->reader, STMT_event_before, "isi", limit,
                       query->subject, (int64_t)query->limit);

    return show_events(&sq->reader, stmt, event, arg, err);
}
