/* SPDX-License-Identifier: Apache-2.0 */
/* Every statement that is run on the database, prepared when it opens. */
#include "store/statement.h"

#include <stdarg.h>

#include "store/store.h"

/* The index that they use can hold no argument. */
_Static_assert(STORE_ANSWER == 6,
               "statements and the index of answers name their number");

static const char *const texts[STMT_COUNT] = {
#define X(name, sql) [STMT_##name] = sql,
    STATEMENT_LIST(X)
#undef X
};

int database_prepare(struct database *db, struct error *err)
{
    for (int i = 0; i < STMT_COUNT; i++)
        if (sqlite3_prepare_v3(db->handle, texts[i], -1,
                               SQLITE_PREPARE_PERSISTENT, &db->statements[i],
                               NULL) != SQLITE_OK)
            return error_set(err, STATUS_INTERNAL,
                             "the database lacks what \"%s\" needs: %s",
                             texts[i], sqlite3_errmsg(db->handle));
    return 0;
}

void database_close(struct database *db)
{
    for (int i = 0; i < STMT_COUNT; i++)
        sqlite3_finalize(db->statements[i]);
    sqlite3_close(db->handle);
    *db = (struct database){ 0 };
}

static void bind_all(sqlite3_stmt *stmt, const char *types, va_list args)
{
    for (int i = 1; *types != '\0'; i++, types++) {
        const void *bytes;

        switch (*types) {
        case 'i':
            sqlite3_bind_int64(stmt, i, va_arg(args, int64_t));
            break;
        case 's':
            sqlite3_bind_text(stmt, i, va_arg(args, const char *), -1,
                              SQLITE_STATIC);
            break;
        case 'b':
            bytes = va_arg(args, const void *);
            sqlite3_bind_blob64(stmt, i, bytes, va_arg(args, size_t),
                                SQLITE_STATIC);
            break;
        }
    }
}

sqlite3_stmt *statement_bind(struct database *db, enum statement which,
                             const char *types, ...)
{
    sqlite3_stmt *stmt = db->statements[which];
    va_list args;

    va_start(args, types);
    bind_all(stmt, types, args);
    va_end(args);
    return stmt;
}

int statement_run(struct database *db, enum statement which, const char *types,
                  ...)
{
    sqlite3_stmt *stmt = db->statements[which];
    va_list args;
    int rc;

    va_start(args, types);
    bind_all(stmt, types, args);
    va_end(args);
    do {
        rc = sqlite3_step(stmt);
    } while (rc == SQLITE_ROW);
    rc = rc == SQLITE_DONE ? SQLITE_OK : sqlite3_extended_errcode(db->handle);
    sqlite3_reset(stmt);
    return rc;
}
