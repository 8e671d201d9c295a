/* SPDX-License-Identifier: Apache-2.0 */
/* The sqlite backend: what slow, failing and full disks do to it. */
#include <errno.h>
#include <stdatomic.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>

#include "tests/store/store_fixture.h"

static struct fixture fixture, *f = &fixture;

/* ---- a disk that can be told to fail or to be slow ----------------------- */

static atomic_int syncs, sync_failures, sync_ms;

/* Stand in front of the C library's, for sqlite too. */
static int sync_file(int fd)
{
    struct timespec pause = { .tv_nsec = atomic_load(&sync_ms) * 1000000L };

    atomic_fetch_add(&syncs, 1);
    if (pause.tv_nsec > 0)
        nanosleep(&pause, NULL);
    if (atomic_load(&sync_failures) > 0) {
        atomic_fetch_sub(&sync_failures, 1);
        errno = EIO;
        return -1;
    }
    return (int)syscall(SYS_fdatasync, fd);
}

int fdatasync(int fd)
{
    return sync_file(fd);
}

int fsync(int fd)
{
    return sync_file(fd);
}

static void set_up(void)
{
    atomic_store(&syncs, 0);
    atomic_store(&sync_failures, 0);
    atomic_store(&sync_ms, 0);
    fixture_init(f, false);
}

static void tear_down(void)
{
    fixture_close(f);
}

START_TEST(each_acknowledged_change_was_synced)
{
    fixture_open(f);
    for (int i = 0; i < 20; i++) {
        int before = atomic_load(&syncs);
        char id[16];

        snprintf(id, sizeof(id), "r%d", i);
        ck_assert_int_eq(put(f, id, "body", 0), STORE_OK);
        ck_assert_int_gt(atomic_load(&syncs), before);
    }
}
END_TEST

static void put_many(int n, const char *prefix)
{
    for (int i = 0; i < n; i++) {
        char id[32];
        struct store_record record;

        snprintf(id, sizeof(id), "%s%d", prefix, i);
        record = placement(id, "body");
        f->waiting++;
        store_commit(f->store, change_of(&record, 0), on_done, f);
    }
}

START_TEST(changes_that_wait_share_a_sync)
{
    int before;

    fixture_open(f);
    atomic_store(&sync_ms, 50);
    put_many(1, "first");
    uv_run(&f->loop, UV_RUN_NOWAIT);
    usleep(10000); /* it is at its sync now */
    before = atomic_load(&syncs);
    put_many(32, "group");
    fixture_wait(f);
    ck_assert_int_le(atomic_load(&syncs) - before, 3);
    ck_assert_uint_eq(f->n_known, 33);
    atomic_store(&sync_ms, 0);
}
END_TEST

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void on_page(void *arg, enum store_result result,
                    const struct store_event *events, size_t n)
{
    (void)events, (void)n;
    ck_assert_int_eq(result, STORE_OK);
    --*(int *)arg;
}

START_TEST(a_slow_disk_stops_neither_reads_nor_the_loop)
{
    double start;
    int asked = 1;

    fixture_open(f);
    atomic_store(&sync_ms, 500);
    put_many(1, "slow");
    uv_run(&f->loop, UV_RUN_NOWAIT);
    usleep(10000); /* it is at its sync now */
    start = now();
    ck_assert_int_eq(
        store_history(f->store, 0, NULL, 10, on_page, &asked, NULL), 0);
    while (asked > 0)
        uv_run(&f->loop, UV_RUN_ONCE);
    f->waiting++;
    store_sync(f->store, on_done, f, NULL);
    while (f->waiting > 1)
        uv_run(&f->loop, UV_RUN_ONCE);
    ck_assert_double_lt(now() - start, 0.3);
    ck_assert_uint_eq(f->n_known, 0);
    fixture_wait(f);
    ck_assert_uint_eq(f->n_known, 1);
    atomic_store(&sync_ms, 0);
}
END_TEST

START_TEST(a_failed_sync_applies_nothing_and_the_store_goes_on)
{
    fixture_open(f);
    ck_assert_int_eq(put(f, "one", "1", 0), STORE_OK);
    atomic_store(&sync_failures, 1);
    ck_assert_int_eq(put(f, "two", "2", 0), STORE_FULL);
    ck_assert_ptr_nonnull(strstr(store_trouble(f->store), "I/O"));
    ck_assert(!f->is_broken);
    ck_assert_uint_eq(rev_of(f, "two"), 0);
    ck_assert_int_eq(put(f, "three", "3", 0), STORE_OK);
    ck_assert_uint_gt(rev_of(f, "three"), 2); /* its number is burnt */
    fixture_shut(f);
    fixture_open(f);
    ck_assert_uint_eq(rev_of(f, "two"), 0);
    ck_assert_uint_ne(rev_of(f, "three"), 0);
}
END_TEST

START_TEST(a_change_that_failed_does_not_come_back_after_a_crash)
{
    char command[400];
    struct fixture other;

    fixture_open(f);
    ck_assert_int_eq(put(f, "one", "1", 0), STORE_OK);
    atomic_store(&sync_failures, 1);
    ck_assert_int_eq(put(f, "two", "2", 0), STORE_FULL);
    fixture_init(&other, false);
    snprintf(command, sizeof(command), "cp %.63s/state.db* %.63s/", f->folder,
             other.folder);
    ck_assert_int_eq(system(command), 0);
    fixture_open(&other);
    ck_assert_uint_eq(rev_of(&other, "one"), 1);
    ck_assert_uint_eq(rev_of(&other, "two"), 0);
    fixture_close(&other);
}
END_TEST

START_TEST(a_disk_that_stays_broken_is_said_once_and_ends_all)
{
    fixture_open(f);
    ck_assert_int_eq(put(f, "one", "1", 0), STORE_OK);
    atomic_store(&sync_failures, 1000);
    put_many(40, "lost");
    fixture_wait(f);
    ck_assert_int_eq(f->result, STORE_BROKEN);
    ck_assert(f->is_broken);
    atomic_store(&sync_failures, 0);
    ck_assert_int_eq(put(f, "two", "2", 0), STORE_BROKEN);
    ck_assert_uint_eq(f->n_known, 1);
    fixture_shut(f);
    f->is_broken = false;
    fixture_open(f);
    ck_assert_uint_eq(rev_of(f, "one"), 1);
    ck_assert_int_eq(put(f, "two", "2", 0), STORE_OK);
}
END_TEST

START_TEST(a_full_disk_applies_nothing_and_is_over_when_room_is_made)
{
    static char body[65536];
    FILE *filler;
    int n = 0;

    /* Where mounting is not possible the quota's test must do. */
    if (mount("none", f->folder, "tmpfs", 0, "size=2m") != 0)
        return;
    filler = fopen(fixture_path(f, "filler"), "w");
    ck_assert_ptr_nonnull(filler);
    ck_assert_uint_eq(fwrite(body, 1, sizeof(body), filler), sizeof(body));
    fclose(filler);
    fixture_open(f);
    memset(body, 'b', sizeof(body) - 1);
    do {
        char id[16];

        snprintf(id, sizeof(id), "r%d", n++);
        put(f, id, body, 0);
    } while (f->result == STORE_OK && n < 100);
    ck_assert_int_eq(f->result, STORE_FULL);
    ck_assert_uint_eq(f->n_known, n - 1);
    ck_assert(!f->is_broken);
    unlink(fixture_path(f, "filler"));
    ck_assert_int_eq(put(f, "small", "1", 0), STORE_OK);
    fixture_shut(f);
    fixture_open(f);
    ck_assert_uint_eq(f->n_known, n);
    fixture_shut(f);
    ck_assert_int_eq(umount(f->folder), 0);
}
END_TEST

START_TEST(a_change_that_does_not_fit_keeps_no_other_out)
{
    static char body[512 << 10];
    struct store_record answer = placement("k0", "a");
    struct store_record large = placement("large", "");

    f->options.bytes_max = 256 << 10;
    f->options.answers_max = 1;
    fixture_open(f);
    answer.kind = STORE_ANSWER;
    ck_assert_int_eq(commit(f, change_of(&answer, 0)), STORE_OK);
    answer.id = "k1";
    large.body = body;
    large.len = sizeof(body);
    f->waiting = 3;
    store_commit(f->store, change_of(&answer, 0), on_done, f);
    store_commit(f->store, change_of(&large, 0), on_done, f);
    large.len = 1;
    store_commit(f->store, change_of(&large, 0), on_done, f);
    fixture_wait(f);
    ck_assert_int_eq(f->result, STORE_OK);
    ck_assert_ptr_nonnull(known_find(f, STORE_ANSWER, "k1"));
    ck_assert_ptr_null(known_find(f, STORE_ANSWER, "k0")); /* told once */
    ck_assert_uint_eq(rev_of(f, "large"), 3);
}
END_TEST

static long log_bytes(void)
{
    struct stat st;

    return stat(fixture_path(f, "state.db-wal"), &st) == 0 ? (long)st.st_size
                                                           : 0;
}

START_TEST(the_log_starts_over_while_changes_go_on)
{
    enum { ROUNDS = 60, BODY = 128 << 10 };
    static char body[BODY];
    long largest = 0;

    fixture_open(f);
    memset(body, 'b', sizeof(body) - 1);
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < 8; i++) {
            struct store_record record = placement("same", body);

            f->waiting++;
            store_commit(f->store, change_of(&record, round * 8 + (uint64_t)i),
                         on_done, f);
        }
        fixture_wait(f);
        ck_assert_int_eq(f->result, STORE_OK);
        largest = log_bytes() > largest ? log_bytes() : largest;
    }
    ck_assert_int_lt(largest, 40L << 20); /* of 60 MiB written */
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("store/disk");
    TCase *tcase = tcase_create("disk");

    tcase_set_timeout(tcase, 60);
    tcase_add_checked_fixture(tcase, set_up, tear_down);
    suite_add_tcase(suite, tcase);
#define TEST(test) tcase_add_test(tcase, test)
    TEST(each_acknowledged_change_was_synced);
    TEST(changes_that_wait_share_a_sync);
    TEST(a_slow_disk_stops_neither_reads_nor_the_loop);
    TEST(a_failed_sync_applies_nothing_and_the_store_goes_on);
    TEST(a_change_that_failed_does_not_come_back_after_a_crash);
    TEST(a_disk_that_stays_broken_is_said_once_and_ends_all);
    TEST(a_full_disk_applies_nothing_and_is_over_when_room_is_made);
    TEST(a_change_that_does_not_fit_keeps_no_other_out);
    TEST(the_log_starts_over_while_changes_go_on);
#undef TEST
    return tap_run(suite);
}
