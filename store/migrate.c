/* SPDX-License-Identifier: Apache-2.0 */
/* Bringing a database to the schema of this program. */
#include "store/migrate.h"

#include <stdio.h>

int database_error(sqlite3 *db, const char *what, struct error *err)
{
    enum status status = STATUS_UNAVAILABLE;

    switch (sqlite3_errcode(db)) {
    case SQLITE_FULL:
    case SQLITE_NOMEM:
        status = STATUS_EXHAUSTED;
        break;
    case SQLITE_NOTADB:
        status = STATUS_INVALID;
        break;
    case SQLITE_CORRUPT:
        status = STATUS_INTERNAL;
        break;
    }
    return error_set(err, status, "%s: %s", what, sqlite3_errmsg(db));
}

static int read_number(sqlite3 *db, const char *sql, int *ret,
                       struct error *err)
{
    sqlite3_stmt *stmt = NULL;
    int rc = -1;

    if (sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) != SQLITE_OK ||
        sqlite3_step(stmt) != SQLITE_ROW) {
        database_error(db, "the schema's version", err);
        goto out;
    }
    *ret = sqlite3_column_int(stmt, 0);
    rc = 0;
out:
    sqlite3_finalize(stmt);
    return rc;
}

int migrate_check(sqlite3 *db, int *ret_version, struct error *err)
{
    int application, version, tables;

    if (read_number(db, "PRAGMA application_id", &application, err) < 0 ||
        read_number(db, "PRAGMA user_version", &version, err) < 0 ||
        read_number(db, "SELECT count(*) FROM sqlite_schema", &tables, err) < 0)
        return -1;
    if (application == 0 && version == 0 && tables == 0) {
        *ret_version = 0;
        return 0;
    }
    if (application != DATABASE_APPLICATION || version < 1)
        return error_set(err, STATUS_INVALID,
                         "the database is another program's; name a new file");
    if (version > migrations_count)
        return error_set(err, STATUS_UNAVAILABLE,
                         "the database has schema version %d, this program "
                         "knows up to %d; use the program that wrote it, or a "
                         "newer one",
                         version, migrations_count);
    *ret_version = version;
    return 0;
}

static int run_step(sqlite3 *db, int version, struct error *err)
{
    char done[64];

    snprintf(done, sizeof(done), "PRAGMA user_version = %d; COMMIT",
             version + 1);
    if (sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL) == SQLITE_OK &&
        sqlite3_exec(db, migrations[version], NULL, NULL, NULL) == SQLITE_OK &&
        sqlite3_exec(db, done, NULL, NULL, NULL) == SQLITE_OK)
        return 0;
    database_error(db, "bringing the database to this program's schema", err);
    if (!sqlite3_get_autocommit(db))
        sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
    return -1;
}

int migrate_run(sqlite3 *db, int version, struct error *err)
{
    while (version < migrations_count)
        if (run_step(db, version++, err) < 0)
            return -1;
    return 0;
}
