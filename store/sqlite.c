/* SPDX-License-Identifier: Apache-2.0 */
/* The sqlite backend: opening, reading, upkeep. */
#include "store/sqlite.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "store/lock.h"
#include "store/migrate.h"

/* ---- opening ------------------------------------------------------------- */

/* Makes the file when it is missing, readable by its owner only; sqlite gives
 * the log the same mode. One that exists is not opened here: closing it would
 * drop the locks that this process may have on it. */
static int make_file(const char *path, struct error *err)
{
    struct stat st;
    int fd;

    if (stat(path, &st) == 0) {
        if (S_ISREG(st.st_mode))
            return 0;
        return error_set(err, STATUS_INVALID, "%s: not a file; name a file",
                         path);
    }
    fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0 && errno != EEXIST)
        return error_set(err, STATUS_UNAVAILABLE,
                         "%s: %s; name a file in a folder that this user may "
                         "write",
                         path, strerror(errno));
    if (fd >= 0)
        close(fd);
    return 0;
}

/* The lock's name follows from the file itself, not from what it was called. */
static int lock_file(const char *path, char **ret_real, int *ret_lock,
                     struct error *err)
{
    char *real = realpath(path, NULL);
    struct text name = { 0 };
    int rc = -1;

    if (real == NULL)
        return error_set(err, STATUS_UNAVAILABLE, "%s: %s", path,
                         strerror(errno));
    text_printf(&name, "%s.lock", real);
    if (name.failed)
        error_exhausted(err);
    else
        rc = lock_take(text_string(&name), ret_lock, err);
    text_close(&name);
    if (rc == 0)
        *ret_real = real;
    else
        free(real);
    return rc;
}

static int connect_to(struct database *db, const char *path, unsigned busy_ms,
                      struct error *err)
{
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX;

    if (sqlite3_open_v2(path, &db->handle, flags, NULL) != SQLITE_OK)
        return error_set(err, STATUS_UNAVAILABLE, "%s",
                         db->handle != NULL ? sqlite3_errmsg(db->handle)
                                            : "no memory");
    sqlite3_busy_timeout(db->handle, (int)busy_ms);
    if (sqlite3_db_readonly(db->handle, "main") == 1)
        return error_set(err, STATUS_UNAVAILABLE,
                         "may not be written by this user");
    return 0;
}

/* Runs a statement of one row with one column and copies that as text. */
static int ask(sqlite3 *db, const char *sql, char *ret, size_t size,
               struct error *err)
{
    sqlite3_stmt *stmt = NULL;
    int rc = -1;

    if (sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) == SQLITE_OK &&
        sqlite3_step(stmt) == SQLITE_ROW) {
        const char *text = (const char *)sqlite3_column_text(stmt, 0);

        snprintf(ret, size, "%s", text != NULL ? text : "");
        rc = 0;
    } else {
        database_error(db, sql, err);
    }
    sqlite3_finalize(stmt);
    return rc;
}

/* Compares the structure of every page, not indexes with tables: the time of
 * reading the file once. */
static int check_whole(sqlite3 *db, struct error *err)
{
    char answer[256];

    if (ask(db, "PRAGMA quick_check(1)", answer, sizeof(answer), err) < 0)
        return -1;
    if (strcmp(answer, "ok") == 0)
        return 0;
    return error_set(err, STATUS_INTERNAL,
                     "damaged (%s); put back a copy of it", answer);
}

/* NORMAL would lose acknowledged commits when the power fails. The log is
 * copied into the database by upkeep alone. */
static int set_up(sqlite3 *db, const struct store_options *options,
                  struct error *err)
{
    long long pages = (long long)(options->bytes_max / 4096);
    char sql[64], answer[64];

    if (ask(db, "PRAGMA journal_mode = WAL", answer, sizeof(answer), err) < 0)
        return -1;
    if (strcmp(answer, "wal") != 0)
        return error_set(err, STATUS_UNAVAILABLE,
                         "no write-ahead log is possible here (%s); use a "
                         "local file system",
                         answer);
    if (sqlite3_exec(db,
                     "PRAGMA synchronous = FULL; PRAGMA trusted_schema = OFF;"
                     "PRAGMA cell_size_check = ON; PRAGMA temp_store = MEMORY",
                     NULL, NULL, NULL) != SQLITE_OK)
        return database_error(db, "settings", err);
    if (pages == 0)
        return 0;
    snprintf(sql, sizeof(sql), "PRAGMA max_page_count = %lld", pages);
    return ask(db, sql, answer, sizeof(answer), err);
}

static int count_pages(void *arg, sqlite3 *db, const char *name, int pages)
{
    struct sqlite *sq = arg;

    (void)db, (void)name;
    sq->log_pages = pages;
    return SQLITE_OK;
}

static int open_writer(struct sqlite *sq, const char *path,
                       const struct store_options *options, struct error *err)
{
    int version;

    if (connect_to(&sq->writer, path, options->busy_ms, err) < 0 ||
        migrate_check(sq->writer.handle, &version, err) < 0)
        return -1;
    if (version > 0 && check_whole(sq->writer.handle, err) < 0)
        return -1;
    if (set_up(sq->writer.handle, options, err) < 0 ||
        migrate_run(sq->writer.handle, version, err) < 0 ||
        database_prepare(&sq->writer, err) < 0)
        return -1;
    sqlite3_wal_hook(sq->writer.handle, count_pages, sq);
    return 0;
}

static int open_reader(struct sqlite *sq, const char *path,
                       const struct store_options *options, struct error *err)
{
    if (connect_to(&sq->reader, path, options->busy_ms, err) < 0)
        return -1;
    if (sqlite3_exec(sq->reader.handle,
                     "PRAGMA synchronous = FULL; PRAGMA trusted_schema = OFF;"
                     "PRAGMA query_only = ON",
                     NULL, NULL, NULL) != SQLITE_OK)
        return database_error(sq->reader.handle, "settings", err);
    sqlite3_wal_autocheckpoint(sq->reader.handle, 0);
    return database_prepare(&sq->reader, err);
}

/* Raising the term also shows at once whether the file can be written. */
static int load(struct sqlite *sq, uint64_t *ret_term, struct error *err)
{
    sqlite3_stmt *count = statement_bind(&sq->writer, STMT_answer_count, "");
    int rc;

    if (statement_run(&sq->writer, STMT_term_raise, "") != SQLITE_OK)
        return database_error(sq->writer.handle, "writing", err);
    rc = sqlite_read_counters(&sq->writer, &sq->counters, ret_term);
    if (rc == 0)
        rc = sqlite3_step(count) == SQLITE_ROW ? 0 : -1;
    sq->n_answers = (uint64_t)sqlite3_column_int64(count, 0);
    sqlite3_reset(count);
    if (rc < 0 || sq->counters.epoch == 0)
        return error_set(err, STATUS_INTERNAL,
                         "damaged (no row in meta); put back a copy of it");
    return 0;
}

static void sqlite_close(void *state)
{
    struct sqlite *sq = state;

    database_close(&sq->reader);
    database_close(&sq->writer);
    close(sq->lock);
    free(sq);
}

static int open_all(struct sqlite *sq, const char *path,
                    const struct store_options *options, uint64_t *ret_term,
                    struct error *err)
{
    if (open_writer(sq, path, options, err) == 0 &&
        open_reader(sq, path, options, err) == 0 &&
        load(sq, ret_term, err) == 0)
        return 0;
    return error_wrap(err, "%s", path);
}

static int sqlite_open(const char *path, const struct store_options *options,
                       void **ret_state, struct counters *ret_counters,
                       uint64_t *ret_term, struct error *err)
{
    struct sqlite *sq;
    char *real = NULL;
    int lock = -1;

    if (make_file(path, err) < 0 || lock_file(path, &real, &lock, err) < 0)
        return -1;
    sq = calloc(1, sizeof(*sq));
    if (sq == NULL) {
        close(lock);
        free(real);
        return error_exhausted(err);
    }
    sq->lock = lock;
    sq->answers_max = options->answers_max;
    sq->events_max = options->events_max;
    if (open_all(sq, real, options, ret_term, err) < 0) {
        sqlite_close(sq);
        free(real);
        return -1;
    }
    free(real);
    *ret_state = sq;
    *ret_counters = sq->counters;
    return 0;
}

/* ---- upkeep -------------------------------------------------------------- */

static bool sqlite_upkeep_due(void *state)
{
    struct sqlite *sq = state;

    if (sq->log_pages < sq->log_pages_seen)
        sq->log_pages_seen = 0; /* the log has started over */
    if (sq->log_pages - sq->log_pages_seen < LOG_PAGES_DUE)
        return false;
    sq->log_pages_seen = sq->log_pages;
    return true;
}

/* Copies the log into the database while commits go on. What fails here is
 * tried again with the next. */
static void sqlite_upkeep(void *state)
{
    struct sqlite *sq = state;

    sqlite3_wal_checkpoint_v2(sq->reader.handle, NULL,
                              SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
}

const struct backend backend_sqlite = {
    .scheme = "sqlite",
    .needs_path = true,
    .open = sqlite_open,
    .close = sqlite_close,
    .commit = sqlite_commit,
    .forget = sqlite_forget,
    .import = sqlite_import,
    .scan = sqlite_scan,
    .history = sqlite_history,
    .upkeep_due = sqlite_upkeep_due,
    .upkeep = sqlite_upkeep,
};
