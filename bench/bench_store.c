/* SPDX-License-Identifier: Apache-2.0 */
/* Measures durable changes against sqlite's own commits of the same rows. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <sqlite3.h>

#include "base/text.h"
#include "store/store.h"

/* A change is a placement, the answer to its caller, and an event. Floor and
 * store are alternated, each pair on files of its own. */
enum { PAIRS = 7, BODY_BYTES = 1024, CHANGES = 640, CLIENTS = 32 };

#define SINGLE_BAR 1.4 /* of the time of a raw commit, at most */
#define GROUP_BAR 3.0  /* times as many changes a second, at least */

static char body[BODY_BYTES];

static double now_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Of all threads, in the kernel too. */
static double cpu_s(void)
{
    struct rusage use;

    getrusage(RUSAGE_SELF, &use);
    return (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
           (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec) / 1e6;
}

/* us for a change: by the clock, and of processors. */
struct cost {
    double wall, cpu;
};

static struct cost cost_start(void)
{
    return (struct cost){ now_s(), cpu_s() };
}

static struct cost cost_end(struct cost start, int changes)
{
    return (struct cost){ (now_s() - start.wall) * 1e6 / changes,
                          (cpu_s() - start.cpu) * 1e6 / changes };
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median(double *values, size_t n)
{
    qsort(values, n, sizeof(*values), compare);
    return values[n / 2];
}

static void die(const char *what)
{
    fprintf(stderr, "bench_store: %s\n", what);
    exit(1);
}

/* ---- the store ----------------------------------------------------------- */

struct bench {
    uv_loop_t loop;
    struct store *store;
    bool elected;
    int clients, started, done;
};

static void start_change(struct bench *bench);

static void on_done(void *arg, enum store_result result, struct store_pos pos)
{
    struct bench *bench = arg;

    (void)pos;
    if (result != STORE_OK)
        die("a change was refused");
    bench->done++;
    if (bench->started < CHANGES)
        start_change(bench);
}

static void start_change(struct bench *bench)
{
    int number = bench->started++;
    char id[32], key[32];
    const struct store_record record = {
        .kind = STORE_PLACEMENT,
        .id = id,
        .state = "placed",
        .body = body,
        .len = sizeof(body),
        .generation_rev = STORE_OWN_GENERATION,
        .time_ms = 1700000000000,
    };
    const struct store_record answer = {
        .kind = STORE_ANSWER, .id = key, .body = body, .len = 64
    };
    const struct store_event event = {
        .time_ms = 1700000000000, .who = "uid 0", .what = "place", .subject = id
    };
    struct change *change = change_new();

    if (change == NULL)
        die("no memory");
    snprintf(id, sizeof(id), "placement-%d", number);
    snprintf(key, sizeof(key), "key-%08x", (unsigned)number * 2654435761u);
    change_put(change, &record, 0);
    change_put(change, &answer, 0);
    change_event(change, &event);
    store_commit(bench->store, change, on_done, bench);
}

static void on_elected(void *arg, struct store_term term)
{
    struct bench *bench = arg;

    (void)term;
    bench->elected = true;
}

static void on_deposed(void *arg)
{
    (void)arg;
}

static const struct store_candidate candidate = { "bench", on_elected,
                                                  on_deposed, NULL };

static void open_store(struct bench *bench, const char *path)
{
    struct error err = { 0 };
    char url[128];

    *bench = (struct bench){ 0 };
    snprintf(url, sizeof(url), "sqlite:%s", path);
    uv_loop_init(&bench->loop);
    if (store_open(&bench->loop, url, NULL, &bench->store, &err) < 0 ||
        store_campaign(bench->store, &candidate, bench, &err) < 0)
        die(err.text);
    while (!bench->elected)
        uv_run(&bench->loop, UV_RUN_ONCE);
}

static void close_store(struct bench *bench)
{
    store_close(bench->store, NULL, NULL);
    uv_run(&bench->loop, UV_RUN_DEFAULT);
    uv_loop_close(&bench->loop);
}

static struct cost run_store(const char *path, int clients)
{
    struct bench bench;
    struct cost cost;

    open_store(&bench, path);
    cost = cost_start();
    for (int i = 0; i < clients; i++)
        start_change(&bench);
    while (bench.done < CHANGES)
        uv_run(&bench.loop, UV_RUN_ONCE);
    cost = cost_end(cost, CHANGES);
    close_store(&bench);
    return cost;
}

/* ---- the floor ----------------------------------------------------------- */

/* Rows, meta, and the statements around them, as bare sqlite. */
static const char *const floor_sql[] = {
    "BEGIN IMMEDIATE",
    "INSERT INTO record (kind, id, state, generation_epoch, generation_rev,"
    " time_ms, rev, body) VALUES (4, ?1, 'placed', 1, ?2, 1700000000000, ?2,"
    " ?4)",
    "INSERT INTO record (kind, id, state, generation_epoch, generation_rev,"
    " time_ms, rev, body) VALUES (6, ?3, '', 0, 0, 0, ?2, substr(?4, 1, 64))",
    "INSERT INTO event (seq, rev, time_ms, who, what, subject, detail)"
    " VALUES (?2, ?2, 1700000000000, 'uid 0', 'place', ?1, '')",
    "UPDATE meta SET revision = ?2, event_seq = ?2",
    "COMMIT",
};

enum { FLOOR_BEGIN, FLOOR_ROWS, FLOOR_META = 4, FLOOR_COMMIT, FLOOR_COUNT };

struct floor {
    sqlite3 *db;
    sqlite3_stmt *statements[FLOOR_COUNT];
};

static void open_floor(struct floor *floor, const char *path)
{
    struct bench bench;

    open_store(&bench, path); /* makes the schema */
    close_store(&bench);
    if (sqlite3_open(path, &floor->db) != SQLITE_OK ||
        sqlite3_exec(floor->db,
                     "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL",
                     NULL, NULL, NULL) != SQLITE_OK)
        die("the floor's database");
    for (int i = 0; i < FLOOR_COUNT; i++)
        if (sqlite3_prepare_v2(floor->db, floor_sql[i], -1,
                               &floor->statements[i], NULL) != SQLITE_OK)
            die(sqlite3_errmsg(floor->db));
}

static void step(struct floor *floor, int which, int number)
{
    sqlite3_stmt *stmt = floor->statements[which];
    char id[32], key[32];

    snprintf(id, sizeof(id), "placement-%d", number);
    snprintf(key, sizeof(key), "key-%08x", (unsigned)number * 2654435761u);
    sqlite3_bind_text(stmt, 1, id, -1, SQLITE_STATIC);
    sqlite3_bind_int(stmt, 2, number + 1);
    sqlite3_bind_text(stmt, 3, key, -1, SQLITE_STATIC);
    sqlite3_bind_blob(stmt, 4, body, sizeof(body), SQLITE_STATIC);
    if (sqlite3_step(stmt) != SQLITE_DONE)
        die(sqlite3_errmsg(floor->db));
    sqlite3_reset(stmt);
}

static struct cost run_floor(const char *path, int group)
{
    struct floor floor;
    struct cost cost;

    open_floor(&floor, path);
    cost = cost_start();
    for (int n = 0; n < CHANGES;) {
        step(&floor, FLOOR_BEGIN, n);
        for (int i = 0; i < group; i++, n++)
            for (int row = FLOOR_ROWS; row < FLOOR_META; row++)
                step(&floor, row, n);
        step(&floor, FLOOR_META, n - 1);
        step(&floor, FLOOR_COMMIT, n);
    }
    cost = cost_end(cost, CHANGES);
    for (int i = 0; i < FLOOR_COUNT; i++)
        sqlite3_finalize(floor.statements[i]);
    sqlite3_close(floor.db);
    return cost;
}

/* ---- pairs --------------------------------------------------------------- */

static void remove_all(const char *folder)
{
    DIR *dir = opendir(folder);
    struct dirent *entry;

    while (dir != NULL && (entry = readdir(dir)) != NULL) {
        char path[512];

        snprintf(path, sizeof(path), "%.63s/%s", folder, entry->d_name);
        unlink(path);
    }
    if (dir != NULL)
        closedir(dir);
}

enum row { FLOOR_1, STORE_1, FLOOR_32, STORE_32, ROWS };

static struct cost measure(enum row row, const char *folder)
{
    char path[96];
    struct cost cost;

    snprintf(path, sizeof(path), "%.63s/state.db", folder);
    if (row == FLOOR_1 || row == FLOOR_32)
        cost = run_floor(path, row == FLOOR_1 ? 1 : CLIENTS);
    else
        cost = run_store(path, row == STORE_1 ? 1 : CLIENTS);
    remove_all(folder);
    return cost;
}

int main(void)
{
    static const char *const names[ROWS] = {
        "sqlite alone, 1 change a commit", "store, 1 client",
        "sqlite alone, 32 changes a commit", "store, 32 clients"
    };
    double us[ROWS][PAIRS], cpu[ROWS][PAIRS], ratios[3][PAIRS], single, group;
    char folder[] = "bench_store.XXXXXX";

    memset(body, 0xa5, sizeof(body));
    if (mkdtemp(folder) == NULL)
        die("no folder can be made here");
    for (int pair = 0; pair < PAIRS; pair++) {
        for (int row = 0; row < ROWS; row++) {
            struct cost cost = measure((enum row)row, folder);

            us[row][pair] = cost.wall;
            cpu[row][pair] = cost.cpu;
        }
        ratios[0][pair] = us[STORE_1][pair] / us[FLOOR_1][pair];
        ratios[1][pair] = us[STORE_1][pair] / us[STORE_32][pair];
        ratios[2][pair] = us[STORE_32][pair] / us[FLOOR_32][pair];
    }
    rmdir(folder);
    for (int row = 0; row < ROWS; row++)
        printf("%-34s %8.1f us a change, %6.1f us of processors\n", names[row],
               median(us[row], PAIRS), median(cpu[row], PAIRS));
    single = median(ratios[0], PAIRS);
    group = median(ratios[1], PAIRS);
    printf("1 client / sqlite alone            %8.2f (bar <= %.1f): %s\n",
           single, SINGLE_BAR, single <= SINGLE_BAR ? "held" : "missed");
    printf("32 clients / 1 client, changes a s %8.2f (bar >= %.1f): %s\n",
           group, GROUP_BAR, group >= GROUP_BAR ? "held" : "missed");
    printf("32 clients / sqlite alone          %8.2f\n",
           median(ratios[2], PAIRS));
    return single <= SINGLE_BAR && group >= GROUP_BAR ? 0 : 1;
}
