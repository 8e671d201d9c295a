/* SPDX-License-Identifier: Apache-2.0 */
/* A daemon killed while it commits loses nothing that it acknowledged. */
#include <inttypes.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#include "tests/store/store_fixture.h"

enum {
    ROUNDS = 60,
    WRITERS = 8, /* each commits changes of one record, one after the other */
    ANSWERS_KEPT = 500,
    EVENTS_A_ROUND = 100000,
};

static struct fixture fixture, *f = &fixture;

static const char *writer_name(int writer)
{
    static char name[16];

    snprintf(name, sizeof(name), "w%d", writer);
    return name;
}

/* ---- the process that is killed ------------------------------------------ */

/* Told through the pipe when a change was acknowledged. */
struct ack {
    int writer;
    uint64_t rev;
    char answer[32];
};

static struct {
    int number; /* of the change under way */
    bool removing, stale;
    uint64_t seen; /* 0: the record is not there */
    char answer[32];
} writers[WRITERS];

static int ack_pipe;

static void write_next(int writer);

static void on_written(void *arg, enum store_result result,
                       struct store_pos pos)
{
    int w = (int)(intptr_t)arg;
    struct ack ack = { .writer = w, .rev = pos.rev };

    if (writers[w].stale != (result == STORE_CONFLICT) ||
        (result != STORE_OK && result != STORE_CONFLICT))
        _exit(3);
    if (result == STORE_OK) {
        memcpy(ack.answer, writers[w].answer, sizeof(ack.answer));
        if (write(ack_pipe, &ack, sizeof(ack)) != sizeof(ack))
            _exit(4);
        writers[w].seen = writers[w].removing ? 0 : pos.rev;
    }
    write_next(w);
}

/* Every fifth change of a record removes it, every seventh is out of date. */
static void write_next(int w)
{
    int number = ++writers[w].number;
    struct store_record record = placement(writer_name(w), "some body");
    struct store_record answer = { .kind = STORE_ANSWER,
                                   .id = writers[w].answer };
    struct store_event event = { .who = "test", .subject = record.id };
    struct change *change = change_new();
    char detail[64];
    uint64_t seen = writers[w].seen;

    writers[w].stale = number % 7 == 0;
    writers[w].removing = number % 5 == 0 && seen != 0;
    if (writers[w].stale)
        seen = seen == 0 ? 1 : seen - 1;
    snprintf(writers[w].answer, sizeof(writers[w].answer), "%ld-%d-%d",
             (long)getpid(), w, number);
    snprintf(detail, sizeof(detail), "%" PRIu64, seen);
    event.what = writers[w].removing ? "remove" : "put";
    event.detail = detail;
    if (writers[w].removing)
        change_remove(change, STORE_PLACEMENT, record.id, seen);
    else
        change_put(change, &record, seen);
    change_put(change, &answer, 0);
    change_event(change, &event);
    store_commit(f->store, change, on_written, (void *)(intptr_t)w);
}

/* Commits until it is killed. */
static void be_killed(int pipe_end)
{
    ack_pipe = pipe_end;
    uv_loop_init(&f->loop);
    fixture_open(f);
    for (int w = 0; w < WRITERS; w++) {
        writers[w].seen = rev_of(f, writer_name(w));
        write_next(w);
    }
    uv_run(&f->loop, UV_RUN_DEFAULT);
    _exit(5);
}

/* ---- the checker --------------------------------------------------------- */

struct seen_event {
    uint64_t seq, rev, seen;
    int writer;
    bool removes;
};

static struct {
    uint64_t rev[WRITERS]; /* where each record's chain has come to */
    uint64_t last_rev, last_seq;
    size_t acks, events, answers;
    struct seen_event *new; /* of this round, newest first */
    size_t n_new;
    bool asking, reached;
} checker;

static void on_events(void *arg, enum store_result result,
                      const struct store_event *events, size_t n)
{
    (void)arg;
    ck_assert_int_eq(result, STORE_OK);
    checker.asking = false;
    checker.reached = n == 0;
    for (size_t i = 0; i < n && !checker.reached; i++) {
        if (events[i].seq <= checker.last_seq) {
            checker.reached = true;
            break;
        }
        ck_assert_uint_lt(checker.n_new, EVENTS_A_ROUND);
        checker.new[checker.n_new++] = (struct seen_event){
            .seq = events[i].seq,
            .rev = events[i].rev,
            .seen = strtoull(events[i].detail, NULL, 10),
            .writer = atoi(events[i].subject + 1),
            .removes = strcmp(events[i].what, "remove") == 0,
        };
    }
}

static void read_events(void)
{
    checker.n_new = 0;
    checker.reached = false;
    while (!checker.reached) {
        uint64_t before =
            checker.n_new == 0 ? 0 : checker.new[checker.n_new - 1].seq;

        checker.asking = true;
        ck_assert_int_eq(
            store_history(f->store, before, NULL, 1000, on_events, NULL, NULL),
            0);
        while (checker.asking)
            uv_run(&f->loop, UV_RUN_ONCE);
    }
}

/* Each event was decided on what the one before it left. */
static void follow_chains(void)
{
    for (size_t i = checker.n_new; i-- > 0;) {
        const struct seen_event *event = &checker.new[i];

        ck_assert_uint_eq(event->seq, checker.last_seq + 1);
        ck_assert_uint_gt(event->rev, checker.last_rev);
        ck_assert_uint_eq(event->seen, checker.rev[event->writer]);
        checker.rev[event->writer] = event->removes ? 0 : event->rev;
        checker.last_seq = event->seq;
        checker.last_rev = event->rev;
        checker.events++;
    }
    ck_assert_uint_eq(f->current_pos.epoch, 1);
    ck_assert_uint_eq(f->current_pos.rev, checker.last_rev);
    for (int w = 0; w < WRITERS; w++)
        ck_assert_uint_eq(rev_of(f, writer_name(w)), checker.rev[w]);
}

/* What was acknowledged is there: its event, and its answer while it is kept.
 */
static void find_ack(const struct ack *ack)
{
    size_t low = 0, high = checker.n_new;

    while (low < high) { /* newest first */
        size_t middle = low + (high - low) / 2;

        if (checker.new[middle].rev > ack->rev)
            low = middle + 1;
        else
            high = middle;
    }
    ck_assert_uint_lt(low, checker.n_new);
    ck_assert_uint_eq(checker.new[low].rev, ack->rev);
    ck_assert_int_eq(checker.new[low].writer, ack->writer);
    checker.acks++;
    if (ack->rev + ANSWERS_KEPT <= checker.last_rev)
        return;
    ck_assert_ptr_nonnull(known_find(f, STORE_ANSWER, ack->answer));
    checker.answers++;
}

/* ---- rounds -------------------------------------------------------------- */

/* 1 to 40 ms, another in each round and the same in each run. */
static void pause_a_little(int round)
{
    long ms = 1 + round * 17 % 40;
    struct timespec pause = { .tv_nsec = ms * 1000000L };

    nanosleep(&pause, NULL);
}

/* Starts a writer, kills it, returns what it acknowledged. */
static size_t run_and_kill(int round, struct ack *acks, size_t max)
{
    int ends[2], status;
    size_t bytes = 0;
    ssize_t n;
    pid_t pid;

    ck_assert_int_eq(pipe(ends), 0);
    pid = fork();
    ck_assert_int_ge(pid, 0);
    if (pid == 0)
        be_killed(ends[1]);
    close(ends[1]);
    n = read(ends[0], acks, sizeof(*acks)); /* it commits now */
    ck_assert_int_eq(n, sizeof(*acks));
    bytes = (size_t)n;
    pause_a_little(round);
    kill(pid, SIGKILL);
    while (bytes < max * sizeof(*acks) &&
           (n = read(ends[0], (char *)acks + bytes,
                     max * sizeof(*acks) - bytes)) > 0)
        bytes += (size_t)n;
    close(ends[0]);
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    return bytes / sizeof(*acks);
}

START_TEST(what_was_acknowledged_is_there_after_each_of_60_kills)
{
    static struct ack acks[EVENTS_A_ROUND];

    checker.new = calloc(EVENTS_A_ROUND, sizeof(*checker.new));
    fixture_init(f, false);
    f->options.answers_max = ANSWERS_KEPT;
    for (int round = 0; round < ROUNDS; round++) {
        size_t n = run_and_kill(round, acks, EVENTS_A_ROUND);

        fixture_open(f);
        read_events();
        follow_chains();
        for (size_t i = 0; i < n; i++)
            find_ack(&acks[i]);
        fixture_shut(f);
    }
    printf("# %d kills: %zu acknowledged, all found; %zu events in chains, %zu "
           "answers found\n",
           ROUNDS, checker.acks, checker.events, checker.answers);
    ck_assert_uint_ge(checker.events, checker.acks);
    ck_assert_uint_gt(checker.acks, ROUNDS);
    free(checker.new);
    fixture_close(f);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("store/kill");
    TCase *tcase = tcase_create("kill");

    tcase_set_timeout(tcase, 120);
    suite_add_tcase(suite, tcase);
    tcase_add_test(tcase,
                   what_was_acknowledged_is_there_after_each_of_60_kills);
    return tap_run(suite);
}
