/* SPDX-License-Identifier: Apache-2.0 */
/* Writing to the database beside commits: forgetting events, import. */
#include "store/copy.h"
#include "store/migrate.h"
#include "store/sqlite.h"

enum store_result sqlite_forget(void *state, uint64_t before, struct error *err)
{
    struct sqlite *sq = state;
    int64_t limit = before > INT64_MAX ? INT64_MAX : (int64_t)before;
    int rc = statement_run(&sq->writer, STMT_event_forget, "i", limit);

    return rc == SQLITE_OK ? STORE_OK : sqlite_failed(rc, err);
}

/* An import under way; what its visitors share. */
struct import {
    struct sqlite *sq;
    struct attempt attempt;
};

static int import_begin(void *arg, const struct counters *counters)
{
    struct attempt *attempt = &((struct import *)arg)->attempt;

    attempt->counters = copy_counters(&attempt->counters, counters);
    return 0;
}

static int import_record(void *arg, const struct store_record *record)
{
    struct import *import = arg;
    int rows = 0;

    import->attempt.n_answers += record->kind == STORE_ANSWER;
    return sqlite_put(&import->sq->writer, record, 0, &rows) == SQLITE_OK ? 0
                                                                          : -1;
}

static int import_event(void *arg, const struct store_event *event)
{
    struct import *import = arg;

    return sqlite_insert_event(&import->sq->writer, event) == SQLITE_OK ? 0
                                                                        : -1;
}

static int check_empty(struct sqlite *sq, struct error *err)
{
    sqlite3_stmt *stmt = statement_bind(&sq->writer, STMT_record_any, "");
    int rc = sqlite3_step(stmt);
    int any = rc == SQLITE_ROW ? sqlite3_column_int(stmt, 0) : 0;

    sqlite3_reset(stmt);
    if (rc != SQLITE_ROW)
        return database_error(sq->writer.handle, "the database", err);
    if (any)
        return error_set(err, STATUS_REFUSED,
                         "the store is not empty; import into a new one");
    return 0;
}

int sqlite_import(void *state, const void *bytes, size_t len,
                  struct counters *ret_counters, struct error *err)
{
    struct sqlite *sq = state;
    struct import import = { sq, sqlite_attempt(sq) };
    const struct scan scan = { import_begin, import_record, import_event,
                               &import };
    enum store_result result;

    if (check_empty(sq, err) < 0)
        return -1;
    if (statement_run(&sq->writer, STMT_begin, "") != SQLITE_OK)
        return database_error(sq->writer.handle, "the database", err);
    if (copy_read(bytes, len, &scan, err) < 0) {
        sqlite_roll_back(sq);
        return -1;
    }
    if (sqlite_finish(sq, &import.attempt, &result, err) < 0)
        return -1;
    *ret_counters = sq->counters;
    return 0;
}
