/* SPDX-License-Identifier: Apache-2.0 */
/* The floor of a durable write: sqlite alone, commits of the rows that the
 * daemon committed, taken from its database. */
#ifndef SERRIED_BENCH_ROWS_H
#define SERRIED_BENCH_ROWS_H

#include <sqlite3.h>

#include "bench/bench_stat.h"

/* Rows of a table in memory, and the statement that inserts one. */
struct rows {
    sqlite3_value **values;
    size_t n, n_columns, max, done;
    sqlite3_stmt *insert;
};

static inline void check_sql(sqlite3 *db, int rc)
{
    errno = 0;
    if (rc != SQLITE_OK)
        die(sqlite3_errmsg(db));
}

/* insert: as many parameters as select has columns. */
static inline void rows_read(struct rows *rows, sqlite3 *from,
                             const char *select, sqlite3 *to,
                             const char *insert)
{
    sqlite3_stmt *stmt;

    *rows = (struct rows){ 0 };
    check_sql(from, sqlite3_prepare_v2(from, select, -1, &stmt, NULL));
    check_sql(to, sqlite3_prepare_v2(to, insert, -1, &rows->insert, NULL));
    rows->n_columns = (size_t)sqlite3_column_count(stmt);
    while (sqlite3_step(stmt) == SQLITE_ROW) {
        if (rows->n == rows->max) {
            rows->max = 2 * rows->max + 64;
            rows->values = realloc(rows->values, rows->max * rows->n_columns *
                                                     sizeof(*rows->values));
            if (rows->values == NULL)
                die("memory");
        }
        for (size_t c = 0; c < rows->n_columns; c++)
            rows->values[rows->n * rows->n_columns + c] =
                sqlite3_value_dup(sqlite3_column_value(stmt, (int)c));
        rows->n++;
    }
    sqlite3_finalize(stmt);
}

static inline void rows_free(struct rows *rows)
{
    for (size_t i = 0; i < rows->n * rows->n_columns; i++)
        sqlite3_value_free(rows->values[i]);
    free(rows->values);
    sqlite3_finalize(rows->insert);
}

static inline void rows_put(struct rows *rows, sqlite3 *db)
{
    sqlite3_value **row = rows->values + rows->done++ * rows->n_columns;

    for (size_t c = 0; c < rows->n_columns; c++)
        sqlite3_bind_value(rows->insert, (int)c + 1, row[c]);
    if (sqlite3_step(rows->insert) != SQLITE_DONE)
        die(sqlite3_errmsg(db));
    sqlite3_reset(rows->insert);
}

/* The schema of `from`, and what every commit changes. */
static inline void copy_schema(sqlite3 *from, sqlite3 *to)
{
    sqlite3_stmt *stmt;

    check_sql(from, sqlite3_prepare_v2(from,
                                       "SELECT sql FROM sqlite_schema"
                                       " WHERE sql IS NOT NULL"
                                       " ORDER BY type = 'index'",
                                       -1, &stmt, NULL));
    check_sql(to, sqlite3_exec(to,
                               "PRAGMA journal_mode = WAL;"
                               "PRAGMA synchronous = FULL",
                               NULL, NULL, NULL));
    while (sqlite3_step(stmt) == SQLITE_ROW)
        check_sql(to,
                  sqlite3_exec(to, (const char *)sqlite3_column_text(stmt, 0),
                               NULL, NULL, NULL));
    sqlite3_finalize(stmt);
    check_sql(to, sqlite3_exec(to, "INSERT INTO meta VALUES (1, 1, 0, 0, 0)",
                               NULL, NULL, NULL));
}

static inline void step(sqlite3 *db, sqlite3_stmt *stmt)
{
    if (sqlite3_step(stmt) != SQLITE_DONE)
        die(sqlite3_errmsg(db));
    sqlite3_reset(stmt);
}

/* Seconds that each of the last n changes of `from` takes, one a commit: its
 * placement, its answer, its event, and the position. */
static inline double rows_commit(sqlite3 *from, sqlite3 *to)
{
    static const char *const around[] = {
        "BEGIN IMMEDIATE",
        "UPDATE meta SET revision = revision + 1, event_seq = event_seq + 1",
        "COMMIT",
    };
    sqlite3_stmt *statements[3];
    struct rows records, answers, events;
    double start;

    rows_read(&records, from, "SELECT * FROM record WHERE kind = 4", to,
              "INSERT INTO record VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
    rows_read(&answers, from, "SELECT * FROM record WHERE kind = 6", to,
              "INSERT INTO record VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
    rows_read(&events, from, "SELECT * FROM event", to,
              "INSERT INTO event VALUES (?, ?, ?, ?, ?, ?, ?)");
    errno = 0;
    if (records.n == 0 || records.n != answers.n || records.n != events.n)
        die("the daemon's rows are not one placement, answer and event each");
    for (int i = 0; i < 3; i++)
        check_sql(to,
                  sqlite3_prepare_v2(to, around[i], -1, &statements[i], NULL));
    start = now_s(CLOCK_MONOTONIC);
    for (size_t i = 0; i < records.n; i++) {
        step(to, statements[0]);
        rows_put(&records, to);
        rows_put(&answers, to);
        rows_put(&events, to);
        step(to, statements[1]);
        step(to, statements[2]);
    }
    start = (now_s(CLOCK_MONOTONIC) - start) / (double)records.n;
    for (int i = 0; i < 3; i++)
        sqlite3_finalize(statements[i]);
    rows_free(&records);
    rows_free(&answers);
    rows_free(&events);
    return start;
}

/* As above; the database at copy_path is made anew. */
static inline double measure_rows(const char *state_path, const char *copy_path)
{
    sqlite3 *from = NULL, *to = NULL;
    double s;

    if (sqlite3_open(state_path, &from) != SQLITE_OK ||
        sqlite3_open(copy_path, &to) != SQLITE_OK)
        die("a database cannot be opened");
    copy_schema(from, to);
    s = rows_commit(from, to);
    sqlite3_close(from);
    sqlite3_close(to);
    return s;
}

#endif
