/* SPDX-License-Identifier: Apache-2.0 */
/* The sqlite backend: what it refuses to open, and who else may look. */
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <sqlite3.h>

#include "tests/store/store_fixture.h"

static struct fixture fixture, *f = &fixture;

static void set_up(void)
{
    fixture_init(f, false);
}

static void tear_down(void)
{
    fixture_close(f);
}

static void refused(enum status status, const char *part)
{
    struct error err = { 0 };

    ck_assert_int_eq(try_open(f, &err), -1);
    ck_assert_msg(err.status == status, "%s", err.text);
    ck_assert_msg(strstr(err.text, part) != NULL, "%s", err.text);
    f->store = NULL;
}

/* ---- opening ------------------------------------------------------------- */

START_TEST(one_state_is_held_by_one_opening)
{
    struct store *second = NULL;
    struct error err = { 0 };
    char held[64];

    fixture_open(f);
    snprintf(held, sizeof(held), "held by process %ld;", (long)getpid());
    ck_assert_int_eq(store_open(&f->loop, f->url, NULL, &second, &err), -1);
    ck_assert_int_eq(err.status, STATUS_UNAVAILABLE);
    ck_assert_msg(strstr(err.text, held) != NULL, "%s", err.text);
    ck_assert_int_eq(put(f, "one", "1", 0), STORE_OK);
}
END_TEST

START_TEST(one_state_is_held_whatever_it_is_called)
{
    struct store *second = NULL;
    struct error err = { 0 };

    fixture_open(f);
    ck_assert_int_eq(symlink(f->path, fixture_path(f, "link.db")), 0);
    snprintf(f->url, sizeof(f->url), "sqlite:%.63s/link.db", f->folder);
    ck_assert_int_eq(store_open(&f->loop, f->url, NULL, &second, &err), -1);
    ck_assert_int_eq(err.status, STATUS_UNAVAILABLE);
}
END_TEST

/* Another process that has the state open until it is killed. */
static pid_t hold(void)
{
    int ready[2];
    char byte;
    pid_t pid;

    ck_assert_int_eq(pipe(ready), 0);
    pid = fork();
    ck_assert_int_ge(pid, 0);
    if (pid == 0) {
        fixture_open(f);
        if (write(ready[1], "x", 1) == 1)
            pause();
        _exit(1);
    }
    ck_assert_int_eq(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    close(ready[1]);
    return pid;
}

START_TEST(a_killed_process_holds_nothing)
{
    pid_t pid = hold();
    char held[64];

    snprintf(held, sizeof(held), "held by process %ld;", (long)pid);
    refused(STATUS_UNAVAILABLE, held);
    kill(pid, SIGKILL);
    ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
    fixture_open(f);
}
END_TEST

static void write_file(const char *path, const char *bytes, size_t len)
{
    FILE *file = fopen(path, "w");

    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(bytes, 1, len, file), len);
    ck_assert_int_eq(fclose(file), 0);
}

START_TEST(a_file_that_is_no_database_is_refused_and_left_alone)
{
    char text[4096], after[4096];
    FILE *file;

    memset(text, 'p', sizeof(text));
    write_file(f->path, text, sizeof(text));
    refused(STATUS_INVALID, "not a database");
    file = fopen(f->path, "r");
    ck_assert_uint_eq(fread(after, 1, sizeof(after), file), sizeof(after));
    fclose(file);
    ck_assert_int_eq(memcmp(text, after, sizeof(text)), 0);
}
END_TEST

static void run_sql(const char *sql)
{
    sqlite3 *db;
    char *why = NULL;

    ck_assert_int_eq(sqlite3_open(f->path, &db), SQLITE_OK);
    sqlite3_exec(db, sql, NULL, NULL, &why);
    ck_assert_msg(why == NULL, "%s", why);
    sqlite3_close(db);
}

START_TEST(a_database_of_another_program_is_refused)
{
    run_sql("CREATE TABLE mine (x)");
    refused(STATUS_INVALID, "another program's");
    unlink(f->path);
    run_sql("PRAGMA application_id = 7; PRAGMA user_version = 1");
    refused(STATUS_INVALID, "another program's");
}
END_TEST

START_TEST(a_newer_schema_is_refused)
{
    fixture_open(f);
    fixture_shut(f);
    run_sql("PRAGMA user_version = 99");
    refused(STATUS_UNAVAILABLE, "schema version 99");
}
END_TEST

START_TEST(a_schema_that_lacks_a_column_is_refused)
{
    fixture_open(f);
    fixture_shut(f);
    run_sql("DROP VIEW history; ALTER TABLE event DROP COLUMN detail");
    refused(STATUS_INTERNAL, "lacks");
}
END_TEST

START_TEST(a_damaged_file_is_refused)
{
    FILE *file;

    fixture_open(f);
    for (int i = 0; i < 50; i++) {
        char id[16];

        snprintf(id, sizeof(id), "r%d", i);
        ck_assert_int_eq(put(f, id, "body", 0), STORE_OK);
    }
    fixture_shut(f);
    file = fopen(f->path, "r+");
    for (long page = 2; page < 6; page++) {
        fseek(file, page * 4096, SEEK_SET);
        fwrite("damage, damage, damage", 1, 22, file);
    }
    fclose(file);
    refused(STATUS_INTERNAL, "damaged");
}
END_TEST

START_TEST(a_missing_folder_or_a_folder_as_file_is_refused)
{
    snprintf(f->url, sizeof(f->url), "sqlite:%.63s", f->folder);
    refused(STATUS_INVALID, "not a file");
    snprintf(f->url, sizeof(f->url), "sqlite:%.63s/no/state.db", f->folder);
    refused(STATUS_UNAVAILABLE, "No such file");
}
END_TEST

/* Root may write anywhere, so it stands aside for a while. */
static void stand_aside(void)
{
    if (geteuid() != 0)
        return;
    ck_assert_int_eq(chown(f->folder, 65534, 65534), 0);
    ck_assert_int_eq(seteuid(65534), 0);
}

static void stand_up(void)
{
    ck_assert_int_eq(chmod(f->folder, 0700), 0);
    ck_assert_int_eq(seteuid(getuid()), 0);
}

START_TEST(a_read_only_folder_is_refused)
{
    ck_assert_int_eq(chmod(f->folder, 0500), 0);
    stand_aside();
    refused(STATUS_UNAVAILABLE, "Permission denied");
    stand_up();
}
END_TEST

START_TEST(a_read_only_file_is_refused)
{
    fixture_open(f);
    fixture_shut(f);
    unlink(fixture_path(f, "state.db.lock"));
    ck_assert_int_eq(chmod(f->path, 0444), 0);
    stand_aside();
    refused(STATUS_UNAVAILABLE, "may not be written");
    stand_up();
}
END_TEST

START_TEST(what_is_made_is_readable_by_its_owner_only)
{
    static const char *const names[] = { "state.db", "state.db-wal",
                                         "state.db-shm", "state.db.lock" };

    fixture_open(f);
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        struct stat st;

        ck_assert_int_eq(stat(fixture_path(f, names[i]), &st), 0);
        ck_assert_int_eq(st.st_mode & 0777, 0600);
    }
}
END_TEST

/* ---- schema -------------------------------------------------------------- */

/* A dump of a database as version 1 saved it. */
static char *read_released(const char *name)
{
    const char *top = getenv("srcdir");
    char path[512];
    struct text text = { 0 };
    FILE *file;
    int c;

    snprintf(path, sizeof(path), "%s/tests/store/%s", top != NULL ? top : ".",
             name);
    file = fopen(path, "r");
    ck_assert_msg(file != NULL, "%s", path);
    while ((c = fgetc(file)) != EOF) {
        char byte = (char)c;

        text_put_bytes(&text, &byte, 1);
    }
    fclose(file);
    return text.data;
}

START_TEST(a_database_of_each_released_version_opens)
{
    char *sql = read_released("released_0001.sql");
    struct known *known;

    run_sql(sql);
    free(sql);
    fixture_open(f);
    ck_assert_uint_eq(f->current_pos.epoch, 1);
    ck_assert_uint_eq(f->current_pos.rev, 3);
    known = known_find(f, STORE_PLACEMENT, "wan-prod");
    ck_assert_ptr_nonnull(known);
    ck_assert_uint_eq(known->rev, 2);
    ck_assert_uint_eq(known->generation_rev, 2);
    ck_assert_str_eq(known->state, "placed");
    ck_assert_int_eq(put(f, "wan-prod", "new", 2), STORE_OK);
    ck_assert_uint_eq(f->done_pos.rev, 4);
}
END_TEST

static int compare_row(void *arg, int n, char **values, char **names)
{
    (void)names;
    ck_assert_int_eq(n, 5);
    ck_assert_str_eq(values[0], "wan-prod");
    ck_assert_str_eq(values[1], "placed");
    ck_assert_str_eq(values[2], "1.1");
    ck_assert_str_eq(values[3], "2023-11-14T22:13:20Z");
    ck_assert_str_eq(values[4], "4");
    ++*(int *)arg;
    return 0;
}

START_TEST(an_operator_reads_names_states_generations_and_times)
{
    struct store_record record = placement("wan-prod", "body");
    sqlite3 *db;
    int rows = 0;

    fixture_open(f);
    record.generation_rev = STORE_OWN_GENERATION;
    ck_assert_int_eq(commit(f, change_of(&record, 0)), STORE_OK);
    ck_assert_int_eq(sqlite3_open(f->path, &db), SQLITE_OK);
    ck_assert_int_eq(sqlite3_exec(db,
                                  "SELECT name, state, generation, time,"
                                  " body_bytes FROM placement",
                                  compare_row, &rows, NULL),
                     SQLITE_OK);
    ck_assert_int_eq(rows, 1);
    sqlite3_close(db);
}
END_TEST

/* ---- other programs on the file ------------------------------------------ */

START_TEST(a_lock_of_another_program_delays_and_then_refuses_a_change)
{
    sqlite3 *db;

    f->options.busy_ms = 50;
    fixture_open(f);
    ck_assert_int_eq(sqlite3_open(f->path, &db), SQLITE_OK);
    sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL);
    ck_assert_int_eq(put(f, "one", "1", 0), STORE_FULL);
    ck_assert_ptr_nonnull(strstr(store_trouble(f->store), "locked"));
    sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
    ck_assert_int_eq(put(f, "one", "1", 0), STORE_OK);
    sqlite3_close(db);
}
END_TEST

START_TEST(a_reader_of_another_program_stops_nothing)
{
    sqlite3 *db;

    fixture_open(f);
    ck_assert_int_eq(sqlite3_open(f->path, &db), SQLITE_OK);
    sqlite3_exec(db, "BEGIN; SELECT * FROM record", NULL, NULL, NULL);
    ck_assert_int_eq(put(f, "one", "1", 0), STORE_OK);
    ck_assert_int_eq(put(f, "one", "2", 1), STORE_OK);
    sqlite3_close(db);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("store/sqlite");
    TCase *tcase = tcase_create("sqlite");

    tcase_set_timeout(tcase, 60);
    tcase_add_checked_fixture(tcase, set_up, tear_down);
    suite_add_tcase(suite, tcase);
#define TEST(test) tcase_add_test(tcase, test)
    TEST(one_state_is_held_by_one_opening);
    TEST(one_state_is_held_whatever_it_is_called);
    TEST(a_killed_process_holds_nothing);
    TEST(a_file_that_is_no_database_is_refused_and_left_alone);
    TEST(a_database_of_another_program_is_refused);
    TEST(a_newer_schema_is_refused);
    TEST(a_schema_that_lacks_a_column_is_refused);
    TEST(a_damaged_file_is_refused);
    TEST(a_missing_folder_or_a_folder_as_file_is_refused);
    TEST(a_read_only_folder_is_refused);
    TEST(a_read_only_file_is_refused);
    TEST(what_is_made_is_readable_by_its_owner_only);
    TEST(a_database_of_each_released_version_opens);
    TEST(an_operator_reads_names_states_generations_and_times);
    TEST(a_lock_of_another_program_delays_and_then_refuses_a_change);
    TEST(a_reader_of_another_program_stops_nothing);
#undef TEST
    return tap_run(suite);
}
