/* SPDX-License-Identifier: Apache-2.0 */
/* Writing to the database: group commit. */
#include "store/sqlite.h"

/* What a step comes to beside sqlite's codes, which are positive. */
enum { NO_MEMORY = -1 };

struct attempt sqlite_attempt(const struct sqlite *sq)
{
    return (struct attempt){ sq->counters, sq->n_answers };
}

/* ---- one change ---------------------------------------------------------- */

/* Changed rows: 0 means that the record has another revision. */
int sqlite_put(struct database *db, const struct store_record *record,
               uint64_t seen, int *ret_rows)
{
    enum statement which = seen == 0 ? STMT_record_insert : STMT_record_update;
    int rc = statement_run(
        db, which, seen == 0 ? "issiiiib" : "issiiiibi", (int64_t)record->kind,
        record->id, record->state, (int64_t)record->generation_epoch,
        (int64_t)record->generation_rev, record->time_ms, (int64_t)record->rev,
        record->body, record->len, (int64_t)seen);

    *ret_rows = sqlite3_changes(db->handle);
    return rc;
}

static int take_out(struct database *db, const struct store_record *record,
                    uint64_t seen, int *ret_rows)
{
    int rc = statement_run(db, STMT_record_delete, "isi", (int64_t)record->kind,
                           record->id, (int64_t)seen);

    *ret_rows = sqlite3_changes(db->handle);
    return rc;
}

static int put_records(struct sqlite *sq, struct change *change,
                       struct attempt *attempt)
{
    for (size_t i = 0; i < change->n_own; i++) {
        const struct store_record *record = &change->records[i];
        uint64_t seen = change->items[i].seen;
        int rows = 0;
        int rc = record->gone ? take_out(&sq->writer, record, seen, &rows)
                              : sqlite_put(&sq->writer, record, seen, &rows);

        if (rc != SQLITE_OK)
            return rc;
        if (rows == 0) {
            change->result = STORE_CONFLICT;
            return SQLITE_OK;
        }
        if (record->kind == STORE_ANSWER && record->gone)
            attempt->n_answers--;
        else if (record->kind == STORE_ANSWER && seen == 0)
            attempt->n_answers++;
    }
    return SQLITE_OK;
}

/* Removes the oldest answer and tells so in change. */
static int displace_one(struct sqlite *sq, struct change *change)
{
    sqlite3_stmt *stmt = statement_bind(&sq->writer, STMT_answer_oldest, "");
    struct store_record oldest = { .kind = STORE_ANSWER };
    int rc = sqlite3_step(stmt), rows = 0;

    if (rc == SQLITE_ROW &&
        change_displace(change, (const char *)sqlite3_column_text(stmt, 0),
                        change->pos.rev) < 0)
        rc = NO_MEMORY;
    oldest.rev = (uint64_t)sqlite3_column_int64(stmt, 1);
    sqlite3_reset(stmt);
    if (rc != SQLITE_ROW)
        return rc == SQLITE_DONE ? SQLITE_CORRUPT : rc;
    oldest.id = change->records[change->n_records - 1].id;
    return take_out(&sq->writer, &oldest, oldest.rev, &rows);
}

static int displace_answers(struct sqlite *sq, struct change *change,
                            struct attempt *attempt)
{
    int rc = SQLITE_OK;

    while (rc == SQLITE_OK && attempt->n_answers > sq->answers_max &&
           change_may_displace(change)) {
        rc = displace_one(sq, change);
        attempt->n_answers--;
    }
    return rc;
}

int sqlite_insert_event(struct database *db, const struct store_event *event)
{
    return statement_run(db, STMT_event_insert, "iiissss", (int64_t)event->seq,
                         (int64_t)event->rev, event->time_ms, event->who,
                         event->what, event->subject, event->detail);
}

static int put_events(struct sqlite *sq, const struct change *change,
                      const struct attempt *attempt)
{
    uint64_t seq = attempt->counters.event_seq;
    int rc = SQLITE_OK;

    for (size_t i = 0; rc == SQLITE_OK && i < change->n_events; i++)
        rc = sqlite_insert_event(&sq->writer, &change->events[i]);
    if (rc == SQLITE_OK && change->n_events > 0 && seq > sq->events_max)
        rc = statement_run(&sq->writer, STMT_event_forget, "i",
                           (int64_t)(seq - sq->events_max + 1));
    return rc;
}

/* Applies change; change->result says whether it is kept. attempt is moved on
 * only then. */
static int apply(struct sqlite *sq, struct change *change,
                 struct attempt *attempt)
{
    struct attempt next = *attempt;
    int rc;

    change_rewind(change);
    change->result = STORE_OK;
    change_stamp(change, &next.counters);
    rc = put_records(sq, change, &next);
    if (rc == SQLITE_OK && change->result == STORE_OK)
        rc = put_events(sq, change, &next);
    if (rc == SQLITE_OK && change->result == STORE_OK)
        rc = displace_answers(sq, change, &next);
    if (rc == SQLITE_OK && change->result == STORE_OK)
        *attempt = next;
    return rc;
}

/* A conflict in a group undoes its own change only. */
static int apply_apart(struct sqlite *sq, struct change *change,
                       struct attempt *attempt)
{
    int rc = statement_run(&sq->writer, STMT_change_start, "");

    if (rc == SQLITE_OK)
        rc = apply(sq, change, attempt);
    if (rc == SQLITE_OK && change->result != STORE_OK)
        rc = statement_run(&sq->writer, STMT_change_undo, "");
    if (rc == SQLITE_OK)
        rc = statement_run(&sq->writer, STMT_change_keep, "");
    return rc;
}

/* ---- a transaction ------------------------------------------------------- */

static int write_counters(struct sqlite *sq, const struct counters *counters)
{
    return statement_run(&sq->writer, STMT_meta_write, "iii",
                         (int64_t)counters->epoch, (int64_t)counters->revision,
                         (int64_t)counters->event_seq);
}

/* Many failures end the transaction by themselves, some do not. */
void sqlite_roll_back(struct sqlite *sq)
{
    if (!sqlite3_get_autocommit(sq->writer.handle))
        statement_run(&sq->writer, STMT_rollback, "");
}

/* After COMMIT failed, what it wrote may still lie in the log and come back at
 * the next start. A commit that succeeds writes over it. It burns the numbers
 * that the lost transaction used, so that none of them means two things. */
static int write_over(struct sqlite *sq, const struct attempt *lost)
{
    int rc = statement_run(&sq->writer, STMT_begin, "");

    if (rc == SQLITE_OK)
        rc = write_counters(sq, &lost->counters);
    if (rc == SQLITE_OK)
        rc = statement_run(&sq->writer, STMT_commit, "");
    if (rc == SQLITE_OK)
        sq->counters = lost->counters;
    else
        sqlite_roll_back(sq);
    return rc;
}

/* Whether a failure leaves the file as it was, so that one may go on. */
static bool is_passing(int rc)
{
    switch (rc & 0xff) {
    case SQLITE_FULL:
    case SQLITE_IOERR:
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_NOMEM:
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
    case SQLITE_PROTOCOL:
        return true;
    }
    return rc == NO_MEMORY;
}

/* Whether a COMMIT that failed so has not written its last page. */
static bool leaves_no_trace(int rc)
{
    return rc == SQLITE_OK || (rc & 0xff) == SQLITE_FULL ||
           (rc & 0xff) == SQLITE_BUSY;
}

enum store_result sqlite_failed(int rc, struct error *err)
{
    bool passing = is_passing(rc);

    error_set(err, passing ? STATUS_EXHAUSTED : STATUS_INTERNAL,
              "the database: %s",
              rc == NO_MEMORY ? "no memory" : sqlite3_errstr(rc));
    return passing ? STORE_FULL : STORE_BROKEN;
}

/* Commits what attempt says, or undoes it. On failure *ret_result is how all
 * of it ended. */
int sqlite_finish(struct sqlite *sq, const struct attempt *attempt,
                  enum store_result *ret_result, struct error *err)
{
    int rc = write_counters(sq, &attempt->counters);
    bool in_doubt = false;

    if (rc == SQLITE_OK) {
        rc = statement_run(&sq->writer, STMT_commit, "");
        in_doubt = !leaves_no_trace(rc);
    }
    if (rc == SQLITE_OK) {
        sq->counters = attempt->counters;
        sq->n_answers = attempt->n_answers;
        return 0;
    }
    sqlite_roll_back(sq);
    *ret_result = sqlite_failed(rc, err);
    if (in_doubt && write_over(sq, attempt) != SQLITE_OK)
        *ret_result = STORE_BROKEN;
    return -1;
}

/* Whether any change of the group is to be kept. */
static bool any_kept(struct change *const *changes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (changes[i]->result == STORE_OK)
            return true;
    return false;
}

static void end_all(struct change *const *changes, size_t n,
                    enum store_result result, const struct error *trouble)
{
    for (size_t i = 0; i < n; i++) {
        changes[i]->result = result;
        changes[i]->trouble = *trouble;
    }
}

/* Starts a transaction. One that does not start would not for a single change
 * either, so that the results are final then. */
static int begin_group(struct sqlite *sq, struct change *const *changes,
                       size_t n)
{
    struct error trouble = { 0 };
    int rc = statement_run(&sq->writer, STMT_begin, "");

    if (rc == SQLITE_OK)
        return 0;
    end_all(changes, n, sqlite_failed(rc, &trouble), &trouble);
    return -1;
}

/* One transaction, which has begun. -1: nothing of the group was applied, and
 * no result is final but BROKEN. */
static int commit_group(struct sqlite *sq, struct change *const *changes,
                        size_t n)
{
    struct attempt attempt = sqlite_attempt(sq);
    enum store_result result = STORE_OK;
    struct error trouble = { 0 };
    int rc = SQLITE_OK;

    for (size_t i = 0; rc == SQLITE_OK && i < n; i++)
        rc = n == 1 ? apply(sq, changes[i], &attempt)
                    : apply_apart(sq, changes[i], &attempt);
    if (rc != SQLITE_OK)
        result = sqlite_failed(rc, &trouble);
    if (rc != SQLITE_OK || !any_kept(changes, n))
        sqlite_roll_back(sq);
    else if (sqlite_finish(sq, &attempt, &result, &trouble) < 0)
        rc = -1;
    if (rc == SQLITE_OK)
        return 0;
    end_all(changes, n, result, &trouble);
    return -1;
}

/* What did not get through as a group is tried one by one: one change that
 * does not fit must not keep out others. */
static void commit_apart(struct sqlite *sq, struct change *const *changes,
                         size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (begin_group(sq, &changes[i], 1) == 0)
            commit_group(sq, &changes[i], 1);
        if (changes[i]->result != STORE_BROKEN)
            continue;
        end_all(changes + i, n - i, STORE_BROKEN, &changes[i]->trouble);
        return;
    }
}

void sqlite_commit(void *state, struct change *const *changes, size_t n)
{
    struct sqlite *sq = state;

    if (begin_group(sq, changes, n) < 0)
        return;
    if (commit_group(sq, changes, n) < 0 && n > 1 &&
        changes[0]->result != STORE_BROKEN)
        commit_apart(sq, changes, n);
    if (sq->log_pages > LOG_PAGES_MAX)
        sqlite3_wal_checkpoint_v2(sq->writer.handle, NULL,
                                  SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
}
