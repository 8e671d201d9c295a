/* SPDX-License-Identifier: Apache-2.0 */
/* Bringing a database to the schema of this program. */
#ifndef SERRIED_STORE_MIGRATE_H
#define SERRIED_STORE_MIGRATE_H

#include <sqlite3.h>

#include "base/error.h"

/* The files of store/migrations in order, embedded: number 0 makes version 1 of
 * an empty file, number n brings version n to n + 1. Each runs in one
 * transaction. What was released is never edited. */
extern const char *const migrations[];
extern const int migrations_count;

/* "SRRD": says in the file's header whose it is. */
enum { DATABASE_APPLICATION = 0x53525244 };

/* Reads the version, 0 for an empty file; changes nothing.
 *   STATUS_INVALID      not a database, or another program's
 *   STATUS_UNAVAILABLE  a newer version than this program knows; locked
 *   STATUS_INTERNAL     damaged */
int migrate_check(sqlite3 *db, int *ret_version, struct error *err);

/* Runs what is missing after version. Errors as for writing. */
int migrate_run(sqlite3 *db, int version, struct error *err);

/* Fills err from the connection's last failure: STATUS_EXHAUSTED (no space),
 * STATUS_INVALID (not a database), STATUS_INTERNAL (damaged) or else
 * STATUS_UNAVAILABLE; returns -1. */
int database_error(sqlite3 *db, const char *what, struct error *err);

#endif
