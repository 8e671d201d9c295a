/* SPDX-License-Identifier: Apache-2.0 */
/* What every kind of store promises, asked of each. */
#include "tests/store/store_fixture.h"

enum { BACKENDS = 2 }; /* _i: 0 memory, 1 sqlite */

static struct fixture fixture, *f = &fixture;

/* ---- opening ------------------------------------------------------------- */

START_TEST(a_new_store_is_empty_at_epoch_1_revision_0)
{
    fixture_init(f, _i == 0);
    fixture_open(f);
    ck_assert_uint_eq(f->n_known, 0);
    ck_assert_int_eq(f->resets, 1);
    ck_assert_uint_eq(f->current_pos.epoch, 1);
    ck_assert_uint_eq(f->current_pos.rev, 0);
    ck_assert_str_eq(store_trouble(f->store), "");
    fixture_close(f);
}
END_TEST

static const char *const bad_urls[] = {
    "",       "sqlite:",  "memory:x",       "memory", "etcd:https://k",
    "sqlite", ":memory:", "sqlite::memory:"
};

START_TEST(a_url_of_no_known_kind_is_refused)
{
    struct error err = { 0 };

    fixture_init(f, true);
    snprintf(f->url, sizeof(f->url), "%s", bad_urls[_i]);
    ck_assert_int_eq(try_open(f, &err), -1);
    ck_assert_int_eq(err.status, STATUS_INVALID);
    ck_assert_ptr_nonnull(strstr(err.text, "sqlite:PATH or memory:"));
    fixture_close(f);
}
END_TEST

/* ---- records ------------------------------------------------------------- */

START_TEST(a_put_record_is_followed_as_it_was_put)
{
    struct known *known;

    fixture_init(f, _i == 0);
    fixture_open(f);
    ck_assert_int_eq(put(f, "wan", "abc", 0), STORE_OK);
    ck_assert_uint_eq(f->done_pos.rev, 1);
    known = known_find(f, STORE_PLACEMENT, "wan");
    ck_assert_ptr_nonnull(known);
    ck_assert_uint_eq(known->rev, 1);
    ck_assert_uint_eq(known->len, 3);
    ck_assert_int_eq(known->first, 'a');
    ck_assert_str_eq(known->state, "placed");
    ck_assert_int_eq(known->time_ms, 1700000000123);
    ck_assert_uint_eq(known->generation_rev, 0);
    fixture_close(f);
}
END_TEST

START_TEST(a_record_put_at_the_revision_seen_is_replaced)
{
    fixture_init(f, _i == 0);
    fixture_open(f);
    ck_assert_int_eq(put(f, "wan", "abc", 0), STORE_OK);
    ck_assert_int_eq(put(f, "wan", "", 1), STORE_OK);
    ck_assert_uint_eq(rev_of(f, "wan"), 2);
    ck_assert_uint_eq(known_find(f, STORE_PLACEMENT, "wan")->len, 0);
    fixture_close(f);
}
END_TEST

START_TEST(a_record_that_moved_on_is_a_conflict)
{
    fixture_init(f, _i == 0);
    fixture_open(f);
    ck_assert_int_eq(put(f, "wan", "abc", 7), STORE_CONFLICT);
    ck_assert_int_eq(put(f, "wan", "abc", 0), STORE_OK);
    ck_assert_int_eq(put(f, "wan", "new", 0), STORE_CONFLICT);
    ck_assert_int_eq(put(f, "wan", "new", 2), STORE_CONFLICT);
    ck_assert_int_eq(put(f, "wan", "new", UINT64_MAX), STORE_CONFLICT);
    ck_assert_int_eq(take_out(f, "wan", 0), STORE_CONFLICT);
    ck_assert_int_eq(take_out(f, "wan", 2), STORE_CONFLICT);
    ck_assert_int_eq(take_out(f, "other", 0), STORE_CONFLICT);
    ck_assert_int_eq(known_find(f, STORE_PLACEMENT, "wan")->first, 'a');
    ck_assert_uint_eq(f->done_pos.rev, 1);
    fixture_close(f);
}
END_TEST

START_TEST(a_conflict_undoes_the_whole_change)
{
    const struct store_event event = { .what = "place" };
    struct store_record one = placement("one", "1"),
                        two = placement("two", "2");
    struct change *change;

    fixture_init(f, _i == 0);
    fixture_open(f);
    ck_assert_int_eq(put(f, "two", "x", 0), STORE_OK);
    change = change_of(&one, 0);
    change_event(change, &event);
    change_put(change, &two, 9);
    ck_assert_int_eq(commit(f, change), STORE_CONFLICT);
    ck_assert_uint_eq(rev_of(f, "one"), 0);
    ck_assert_int_eq(f->batch_events, 0);
    ck_assert_int_eq(put(f, "one", "1", 0), STORE_OK);
    ck_assert_uint_eq(rev_of(f, "one"), 2);
    fixture_close(f);
}
END_TEST

static void on_grouped(void *arg, enum store_result result,
                       struct store_pos pos)
{
    (void)pos;
    *(enum store_result *)arg = result;
    f->waiting--;
}

static int count_events(void)
{
    struct copied copy;
    int n = 0;

    copy_out(f, &copy);
    for (size_t i = 0; i + 8 < copy.bytes.len; i++)
        n += memcmp(copy.bytes.data + i, "counted", 7) == 0;
    text_close(&copy.bytes);
    return n;
}

START_TEST(a_conflict_undoes_no_other_change_of_its_turn)
{
    const struct store_event event = { .what = "counted" };
    enum store_result results[3];

    fixture_init(f, _i == 0);
    fixture_open(f);
    for (int i = 0; i < 3; i++) {
        char ids[2][8];
        struct store_record one, two;
        struct change *change;

        snprintf(ids[0], sizeof(ids[0]), "a%d", i);
        snprintf(ids[1], sizeof(ids[1]), "b%d", i);
        one = placement(ids[0], "1");
        two = placement(ids[1], "2");
        change = change_of(&one, 0);
        change_event(change, &event);
        change_put(change, &two, i == 1 ? 9 : 0);
        f->waiting++;
        store_commit(f->store, change, on_grouped, &results[i]);
    }
    fixture_wait(f);
    ck_assert_int_eq(results[0], STORE_OK);
    ck_assert_int_eq(results[1], STORE_CONFLICT);
    ck_assert_int_eq(results[2], STORE_OK);
    ck_assert_uint_eq(rev_of(f, "b2"), 2);
    ck_assert_int_eq(count_events(), 2);
    ck_assert_int_eq(put(f, "a1", "1", 0), STORE_OK); /* it is not there */
    fixture_close(f);
}
END_TEST

START_TEST(a_record_twice_in_a_change_is_a_conflict)
{
    struct store_record record = placement("one", "1");
    struct change *change = change_of(&record, 0);

    fixture_init(f, _i == 0);
    fixture_open(f);
    change_remove(change, STORE_PLACEMENT, "one", 1);
    ck_assert_int_eq(commit(f, change), STORE_CONFLICT);
    ck_assert_uint_eq(rev_of(f, "one"), 0);
    fixture_close(f);
}
END_TEST

START_TEST(kinds_have_names_of_their_own)
{
    struct store_record record = placement("one", "1");

    fixture_init(f, _i == 0);
    fixture_open(f);
    ck_assert_int_eq(commit(f, change_of(&record, 0)), STORE_OK);
    record.kind = STORE_HOST;
    ck_assert_int_eq(commit(f, change_of(&record, 0)), STORE_OK);
    ck_assert_uint_eq(f->n_known, 2);
    fixture_close(f);
}
END_TEST

START_TEST(a_generation_is_its_commit_and_never_used_twice)
{
    struct store_record record = placement("wan", "1");

    fixture_init(f, _i == 0);
    fixture_open(f);
    record.generation_rev = STORE_OWN_GENERATION;
    ck_assert_int_eq(commit(f, change_of(&record, 0)), STORE_OK);
    ck_assert_uint_eq(f->known[0].generation_epoch, 1);
    ck_assert_uint_eq(f->known[0].generation_rev, 1);
    ck_assert_int_eq(take_out(f, "wan", 1), STORE_OK);
    ck_assert_uint_eq(f->n_known, 0);
    ck_assert_int_eq(commit(f, change_of(&record, 0)), STORE_OK);
    ck_assert_uint_eq(f->known[0].generation_rev, 3);
    record.generation_epoch = 1;
    record.generation_rev = 3; /* kept while the record moves on */
    ck_assert_int_eq(commit(f, change_of(&record, 3)), STORE_OK);
    ck_assert_uint_eq(f->known[0].generation_rev, 3);
    ck_assert_uint_eq(f->known[0].rev, 4);
    fixture_close(f);
}
END_TEST

/* ---- bounds -------------------------------------------------------------- */

static enum store_result put_sized(size_t bytes)
{
    static char body[STORE_CHANGE_BYTES + 1];
    struct store_record record = placement("big", "");

    record.state = NULL;
    record.body = body;
    record.len = bytes;
    return commit(f, change_of(&record, rev_of(f, "big")));
}

START_TEST(a_change_of_1_mib_fits_and_a_byte_more_does_not)
{
    fixture_init(f, _i == 0);
    fixture_open(f);
    ck_assert_int_eq(put_sized(STORE_CHANGE_BYTES - 3), STORE_OK);
    ck_assert_uint_eq(f->known[0].len, STORE_CHANGE_BYTES - 3);
    ck_assert_int_eq(put_sized(STORE_CHANGE_BYTES - 2), STORE_TOO_BIG);
    ck_assert_int_eq(put_sized(STORE_CHANGE_BYTES + 1), STORE_TOO_BIG);
    ck_assert_uint_eq(f->done_pos.rev, 1);
    fixture_close(f);
}
END_TEST

static struct change *change_with(int n_records, int n_events)
{
    struct change *change = change_new();
    const struct store_event event = { .what = "x" };

    for (int i = 0; i < n_records; i++) {
        char id[16];
        struct store_record record;

        snprintf(id, sizeof(id), "r%d", i);
        record = placement(id, "b");
        change_put(change, &record, 0);
    }
    for (int i = 0; i < n_events; i++)
        change_event(change, &event);
    return change;
}

START_TEST(a_change_of_100_records_fits_and_one_more_does_not)
{
    fixture_init(f, _i == 0);
    fixture_open(f);
    ck_assert_int_eq(commit(f, change_with(101, 0)), STORE_TOO_BIG);
    ck_assert_int_eq(commit(f, change_with(0, 101)), STORE_TOO_BIG);
    ck_assert_uint_eq(f->n_known, 0);
    ck_assert_int_eq(commit(f, change_with(100, 100)), STORE_OK);
    ck_assert_uint_eq(f->n_known, 100);
    ck_assert_int_eq(f->batch_events, 100);
    fixture_close(f);
}
END_TEST

START_TEST(a_name_of_255_bytes_fits_and_one_more_or_none_does_not)
{
    char name[STORE_NAME_BYTES + 2];

    fixture_init(f, _i == 0);
    fixture_open(f);
    memset(name, 'n', sizeof(name));
    name[STORE_NAME_BYTES + 1] = '\0';
    ck_assert_int_eq(put(f, name, "b", 0), STORE_TOO_BIG);
    ck_assert_int_eq(put(f, "", "b", 0), STORE_TOO_BIG);
    name[STORE_NAME_BYTES] = '\0';
    ck_assert_int_eq(put(f, name, "b", 0), STORE_OK);
    ck_assert_uint_eq(rev_of(f, name), 1);
    fixture_close(f);
}
END_TEST

START_TEST(a_full_store_takes_no_more_until_something_goes)
{
    static char body[16384];
    char id[16];
    int n = 0;

    fixture_init(f, _i == 0);
    f->options.bytes_max = 512 << 10;
    fixture_open(f);
    memset(body, 'b', sizeof(body) - 1);
    do {
        snprintf(id, sizeof(id), "r%d", n++);
    } while (put(f, id, body, 0) == STORE_OK && n < 100);
    ck_assert_int_eq(f->result, STORE_FULL);
    ck_assert_int_gt(n, 10);
    ck_assert_str_ne(store_trouble(f->store), "");
    ck_assert_uint_eq(f->n_known, n - 1);
    ck_assert_int_eq(take_out(f, "r0", 1), STORE_OK);
    ck_assert_int_eq(take_out(f, "r1", 2), STORE_OK);
    ck_assert_int_eq(put(f, id, body, 0), STORE_OK);
    ck_assert(!f->is_broken);
    fixture_close(f);
}
END_TEST

/* ---- order --------------------------------------------------------------- */

enum { MANY = 500 };

static struct {
    int n, revisions_fell, order_broken;
    uint64_t last;
} tally;

static void on_many(void *arg, enum store_result result, struct store_pos pos)
{
    int number = (int)(intptr_t)arg;

    ck_assert_int_eq(result, number % 7 == 3 ? STORE_CONFLICT : STORE_OK);
    tally.order_broken += number != tally.n;
    tally.revisions_fell += pos.rev < tally.last;
    ck_assert_uint_eq(f->batch_pos.rev, pos.rev); /* the batch came before */
    tally.last = pos.rev;
    tally.n++;
}

START_TEST(each_change_is_answered_once_in_order_after_its_batch)
{
    fixture_init(f, _i == 0);
    fixture_open(f);
    memset(&tally, 0, sizeof(tally));
    for (int i = 0; i < MANY; i++) {
        char id[16];
        struct store_record record;

        snprintf(id, sizeof(id), "r%d", i);
        record = placement(id, "b");
        store_commit(f->store, change_of(&record, i % 7 == 3 ? 99 : 0), on_many,
                     (void *)(intptr_t)i);
    }
    ck_assert_int_eq(tally.n, 0);
    while (tally.n < MANY)
        uv_run(&f->loop, UV_RUN_ONCE);
    ck_assert_int_eq(tally.order_broken, 0);
    ck_assert_int_eq(tally.revisions_fell, 0);
    ck_assert_uint_eq(f->n_known, f->batches);
    ck_assert_uint_eq(tally.last, f->batches);
    fixture_close(f);
    ck_assert_int_eq(tally.n, MANY);
}
END_TEST

START_TEST(closing_answers_what_was_asked_before)
{
    struct error err;

    fixture_init(f, _i == 0);
    fixture_open(f);
    for (int i = 0; i < 100; i++) {
        char id[16];
        struct store_record record;

        snprintf(id, sizeof(id), "r%d", i);
        record = placement(id, "b");
        f->waiting++;
        store_commit(f->store, change_of(&record, 0), on_done, f);
    }
    f->waiting++;
    ck_assert_int_eq(store_sync(f->store, on_done, f, &err), 0);
    fixture_shut(f);
    ck_assert_int_eq(f->waiting, 0);
    ck_assert_uint_eq(f->n_known, 100);
    fixture_close(f);
}
END_TEST

START_TEST(a_follower_that_comes_late_gets_the_state_then_the_changes)
{
    struct error err;

    fixture_init(f, _i == 0);
    ck_assert_int_eq(try_open(f, &err), 0);
    ck_assert_int_eq(store_campaign(f->store, &candidate, f, &err), 0);
    while (!f->elected)
        uv_run(&f->loop, UV_RUN_ONCE);
    for (int i = 0; i < 7; i++) {
        f->waiting++;
        store_commit(f->store, change_with(i == 0 ? 100 : 0, 1), on_done, f);
    }
    ck_assert_int_eq(store_follow(f->store, &follower, f, &err), 0);
    for (int i = 0; i < 3; i++) {
        struct store_record record = placement("late", "x");

        f->waiting++;
        store_commit(f->store, change_of(&record, i == 0 ? 0 : 7 + i), on_done,
                     f);
    }
    fixture_wait(f);
    ck_assert_uint_eq(f->current_pos.rev, 7);
    ck_assert_int_eq(f->batches, 1 + 3);
    ck_assert_uint_eq(f->n_known, 101);
    ck_assert_uint_eq(rev_of(f, "late"), 10);
    fixture_close(f);
}
END_TEST

static void on_sync(void *arg, enum store_result result, struct store_pos pos)
{
    ck_assert_int_eq(result, STORE_OK);
    ck_assert(f->is_current);
    *(struct store_pos *)arg = pos;
}

START_TEST(a_sync_waits_for_the_snapshot_and_for_nothing_later)
{
    struct store_pos first = { 0 }, second = { 0 };
    struct error err;

    fixture_init(f, _i == 0);
    fixture_open(f);
    ck_assert_int_eq(put(f, "one", "1", 0), STORE_OK);
    ck_assert_int_eq(store_sync(f->store, on_sync, &second, &err), 0);
    ck_assert_uint_eq(second.rev, 0);
    while (second.rev == 0)
        uv_run(&f->loop, UV_RUN_ONCE);
    ck_assert_uint_eq(second.rev, 1);
    fixture_shut(f);
    if (_i == 0)
        goto out;
    ck_assert_int_eq(try_open(f, &err), 0);
    ck_assert_int_eq(store_follow(f->store, &follower, f, &err), 0);
    ck_assert_int_eq(store_sync(f->store, on_sync, &first, &err), 0);
    while (first.rev == 0)
        uv_run(&f->loop, UV_RUN_ONCE);
    ck_assert_uint_eq(first.rev, 1);
out:
    fixture_close(f);
}
END_TEST

START_TEST(a_snapshot_of_many_records_is_whole)
{
    enum { COUNT = 3000 };

    fixture_init(f, false);
    fixture_open(f);
    for (int i = 0; i < COUNT / 100; i++) {
        struct change *change = change_new();

        for (int j = 0; j < 100; j++) {
            char id[16];
            struct store_record record;

            snprintf(id, sizeof(id), "r%d", i * 100 + j);
            record = placement(id, "body");
            change_put(change, &record, 0);
        }
        ck_assert_int_eq(commit(f, change), STORE_OK);
    }
    fixture_shut(f);
    fixture_open(f);
    ck_assert_int_eq(f->resets, 2);
    ck_assert_uint_eq(f->n_known, COUNT);
    ck_assert_uint_eq(f->current_pos.rev, COUNT / 100);
    fixture_close(f);
}
END_TEST

/* ---- leading ------------------------------------------------------------- */

START_TEST(only_an_elected_daemon_commits)
{
    struct error err;
    uint64_t token;

    fixture_init(f, _i == 0);
    ck_assert_int_eq(try_open(f, &err), 0);
    ck_assert_int_eq(put(f, "one", "1", 0), STORE_DEPOSED);
    ck_assert_int_eq(store_campaign(f->store, &candidate, f, &err), 0);
    ck_assert(!f->elected);
    while (!f->elected)
        uv_run(&f->loop, UV_RUN_ONCE);
    token = f->term.token;
    ck_assert_int_eq(put(f, "one", "1", 0), STORE_OK);
    store_resign(f->store);
    ck_assert_int_eq(put(f, "two", "1", 0), STORE_DEPOSED);
    ck_assert(!f->elected);
    ck_assert_int_eq(store_campaign(f->store, &candidate, f, &err), 0);
    while (!f->elected)
        uv_run(&f->loop, UV_RUN_ONCE);
    ck_assert_uint_gt(f->term.token, token);
    token = f->term.token;
    fixture_shut(f);
    fixture_open(f);
    if (_i != 0)
        ck_assert_uint_gt(f->term.token, token);
    fixture_close(f);
}
END_TEST

/* ---- events -------------------------------------------------------------- */

static struct {
    bool done;
    size_t n;
    uint64_t first, last;
    char what[64];
} seen;

static void on_history(void *arg, enum store_result result,
                       const struct store_event *events, size_t n)
{
    (void)arg;
    ck_assert_int_eq(result, STORE_OK);
    memset(&seen, 0, sizeof(seen));
    seen.done = true;
    seen.n = n;
    for (size_t i = 0; i + 1 < n; i++)
        ck_assert_uint_gt(events[i].seq, events[i + 1].seq);
    if (n == 0)
        return;
    seen.first = events[0].seq;
    seen.last = events[n - 1].seq;
    snprintf(seen.what, sizeof(seen.what), "%s|%s|%s|%s", events[0].who,
             events[0].what, events[0].subject, events[0].detail);
}

static void ask(uint64_t before, const char *subject, size_t limit)
{
    seen.done = false;
    ck_assert_int_eq(
        store_history(f->store, before, subject, limit, on_history, NULL, NULL),
        0);
    while (!seen.done)
        uv_run(&f->loop, UV_RUN_ONCE);
}

static void add_event(const char *subject, const char *detail)
{
    const struct store_event event = { .time_ms = 5,
                                       .who = "uid 0",
                                       .what = "place",
                                       .subject = subject,
                                       .detail = detail };
    struct change *change = change_new();

    change_event(change, &event);
    ck_assert_int_eq(commit(f, change), STORE_OK);
}

START_TEST(events_come_newest_first_and_in_pages)
{
    fixture_init(f, _i == 0);
    fixture_open(f);
    for (int i = 0; i < 10; i++)
        add_event(i % 2 ? "odd" : "even", "detail");
    ask(0, NULL, 3);
    ck_assert_uint_eq(seen.n, 3);
    ck_assert_uint_eq(seen.first, 10);
    ck_assert_str_eq(seen.what, "uid 0|place|odd|detail");
    ask(seen.last, NULL, 100);
    ck_assert_uint_eq(seen.n, 7);
    ck_assert_uint_eq(seen.first, 7);
    ask(0, "even", 100);
    ck_assert_uint_eq(seen.n, 5);
    ck_assert_uint_eq(seen.first, 9);
    ask(0, "none", 100);
    ck_assert_uint_eq(seen.n, 0);
    ask(1, NULL, 100);
    ck_assert_uint_eq(seen.n, 0);
    ask(0, NULL, 0);
    ck_assert_uint_eq(seen.n, 0);
    fixture_close(f);
}
END_TEST

START_TEST(events_beyond_the_bound_are_forgotten_and_numbers_go_on)
{
    fixture_init(f, _i == 0);
    f->options.events_max = 5;
    fixture_open(f);
    for (int i = 0; i < 12; i++)
        add_event("s", NULL);
    ask(0, NULL, 100);
    ck_assert_uint_eq(seen.n, 5);
    ck_assert_uint_eq(seen.first, 12);
    f->waiting++;
    store_forget_events(f->store, UINT64_MAX, on_done, f, NULL);
    fixture_wait(f);
    ck_assert_int_eq(f->result, STORE_OK);
    ask(0, NULL, 100);
    ck_assert_uint_eq(seen.n, 0);
    add_event("s", NULL);
    ask(0, NULL, 100);
    ck_assert_uint_eq(seen.first, 13);
    fixture_close(f);
}
END_TEST

START_TEST(a_page_of_large_events_is_cut_and_never_empty)
{
    static char detail[STORE_CHANGE_BYTES - 64];

    fixture_init(f, _i == 0);
    fixture_open(f);
    memset(detail, 'd', sizeof(detail) - 1);
    for (int i = 0; i < 6; i++)
        add_event("s", detail);
    ask(0, NULL, 1000);
    ck_assert_uint_ge(seen.n, 1);
    ck_assert_uint_lt(seen.n, 6);
    ck_assert_uint_eq(seen.first, 6);
    fixture_close(f);
}
END_TEST

/* ---- answers ------------------------------------------------------------- */

static enum store_result put_answer(const char *key)
{
    struct store_record record = placement(key, "answer");

    record.kind = STORE_ANSWER;
    return commit(f, change_of(&record, 0));
}

START_TEST(the_newest_answers_are_kept_and_older_ones_leave_with_the_change)
{
    char key[16];

    fixture_init(f, _i == 0);
    f->options.answers_max = 3;
    fixture_open(f);
    ck_assert_int_eq(put(f, "wan", "b", 0), STORE_OK);
    for (int i = 0; i < 5; i++) {
        snprintf(key, sizeof(key), "k%d", 9 - i);
        ck_assert_int_eq(put_answer(key), STORE_OK);
    }
    ck_assert_uint_eq(f->n_known, 1 + 3);
    ck_assert_ptr_null(known_find(f, STORE_ANSWER, "k9"));
    ck_assert_ptr_null(known_find(f, STORE_ANSWER, "k8"));
    ck_assert_ptr_nonnull(known_find(f, STORE_ANSWER, "k5"));
    ck_assert_int_eq(put_answer("k5"), STORE_CONFLICT); /* a repeated key */
    ck_assert_int_eq(put_answer("k9"), STORE_OK);       /* a forgotten one */
    ck_assert_uint_eq(f->n_known, 1 + 3);
    if (_i == 1) {
        fixture_shut(f);
        f->options.answers_max = 1; /* lowered: the next change clears */
        fixture_open(f);
        ck_assert_int_eq(put_answer("k1"), STORE_OK);
        ck_assert_uint_eq(f->n_known, 1 + 1);
    }
    fixture_close(f);
}
END_TEST

/* ---- keeping ------------------------------------------------------------- */

START_TEST(everything_is_there_after_a_restart_and_revisions_go_on)
{
    fixture_init(f, false);
    fixture_open(f);
    ck_assert_int_eq(put(f, "one", "1", 0), STORE_OK);
    ck_assert_int_eq(put(f, "two", "2", 0), STORE_OK);
    ck_assert_int_eq(take_out(f, "two", 2), STORE_OK);
    add_event("s", "d");
    fixture_shut(f);
    fixture_open(f);
    ck_assert_uint_eq(f->current_pos.rev, 4);
    ck_assert_uint_eq(f->n_known, 1);
    ck_assert_uint_eq(rev_of(f, "one"), 1);
    ck_assert_int_eq(put(f, "two", "2", 0), STORE_OK);
    ck_assert_uint_eq(rev_of(f, "two"), 5);
    ask(0, NULL, 10);
    ck_assert_uint_eq(seen.n, 1);
    fixture_close(f);
}
END_TEST

/* ---- copying ------------------------------------------------------------- */

static void fill(void)
{
    ck_assert_int_eq(put(f, "one", "1", 0), STORE_OK);
    ck_assert_int_eq(put(f, "Zwei", "", 0), STORE_OK);
    ck_assert_int_eq(put(f, "\xc3\xa9", "3", 0), STORE_OK);
    ck_assert_int_eq(put_answer("key"), STORE_OK);
    ck_assert_int_eq(put(f, "one", "new", 1), STORE_OK);
    ck_assert_int_eq(take_out(f, "Zwei", 2), STORE_OK);
    add_event("one", "detail");
    add_event("", "");
}

START_TEST(equal_states_give_equal_bytes_whatever_keeps_them)
{
    struct copied copies[BACKENDS];

    for (int i = 0; i < BACKENDS; i++) {
        fixture_init(f, i == 0);
        fixture_open(f);
        fill();
        copy_out(f, &copies[i]);
        ck_assert_uint_eq(copies[i].pos.rev, 8);
        fixture_close(f);
    }
    ck_assert_uint_eq(copies[0].bytes.len, copies[1].bytes.len);
    ck_assert_int_eq(
        memcmp(copies[0].bytes.data, copies[1].bytes.data, copies[0].bytes.len),
        0);
    text_close(&copies[0].bytes);
    text_close(&copies[1].bytes);
}
END_TEST

START_TEST(an_import_restores_the_state_under_a_new_epoch)
{
    struct copied copy, imported;

    fixture_init(f, _i == 0);
    fixture_open(f);
    fill();
    copy_out(f, &copy);
    fixture_close(f);
    fixture_init(f, _i != 0); /* into the other kind */
    fixture_open(f);
    copy_in(f, copy.bytes.data, copy.bytes.len, &imported);
    ck_assert_msg(!imported.failed, "%s", imported.err.text);
    ck_assert_uint_eq(imported.pos.epoch, 2);
    ck_assert_uint_eq(imported.pos.rev, 8);
    while (f->resets < 2 || !f->is_current)
        uv_run(&f->loop, UV_RUN_ONCE);
    ck_assert_uint_eq(f->n_known, 3);
    ck_assert_uint_eq(rev_of(f, "one"), 5);
    ck_assert_int_eq(put(f, "one", "x", 5), STORE_OK);
    ck_assert_uint_eq(f->done_pos.epoch, 2);
    ck_assert_uint_eq(f->done_pos.rev, 9);
    ask(0, NULL, 10);
    ck_assert_uint_eq(seen.n, 2);
    ck_assert_uint_eq(seen.first, 2);
    text_close(&copy.bytes);
    fixture_close(f);
}
END_TEST

START_TEST(an_import_into_a_store_that_is_not_empty_is_refused)
{
    struct copied copy, imported;

    fixture_init(f, _i == 0);
    fixture_open(f);
    fill();
    copy_out(f, &copy);
    copy_in(f, copy.bytes.data, copy.bytes.len, &imported);
    ck_assert(imported.failed);
    ck_assert_int_eq(imported.err.status, STATUS_REFUSED);
    ck_assert_uint_eq(f->n_known, 3);
    text_close(&copy.bytes);
    fixture_close(f);
}
END_TEST

START_TEST(a_copy_with_any_byte_changed_or_cut_is_refused_whole)
{
    struct copied copy, imported;

    fixture_init(f, _i == 0);
    fixture_open(f);
    fill();
    copy_out(f, &copy);
    fixture_close(f);
    fixture_init(f, _i == 0);
    fixture_open(f);
    for (size_t i = 0; i < copy.bytes.len; i++) {
        copy_in(f, copy.bytes.data, i, &imported);
        ck_assert_int_eq(imported.err.status, STATUS_INVALID);
        copy.bytes.data[i] ^= 0x20;
        copy_in(f, copy.bytes.data, copy.bytes.len, &imported);
        copy.bytes.data[i] ^= 0x20;
        ck_assert_int_eq(imported.err.status, STATUS_INVALID);
        ck_assert_ptr_nonnull(strstr(imported.err.text, "export"));
    }
    copy_in(f, copy.bytes.data, copy.bytes.len, &imported);
    ck_assert(!imported.failed);
    text_close(&copy.bytes);
    fixture_close(f);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("store/contract");
    TCase *each = tcase_create("each"), *once = tcase_create("once");

    tcase_set_timeout(each, 60);
    tcase_set_timeout(once, 60);
    suite_add_tcase(suite, each);
    suite_add_tcase(suite, once);
#define EACH(test) tcase_add_loop_test(each, test, 0, BACKENDS)
    EACH(a_new_store_is_empty_at_epoch_1_revision_0);
    EACH(a_put_record_is_followed_as_it_was_put);
    EACH(a_record_put_at_the_revision_seen_is_replaced);
    EACH(a_record_that_moved_on_is_a_conflict);
    EACH(a_conflict_undoes_the_whole_change);
    EACH(a_conflict_undoes_no_other_change_of_its_turn);
    EACH(a_record_twice_in_a_change_is_a_conflict);
    EACH(kinds_have_names_of_their_own);
    EACH(a_generation_is_its_commit_and_never_used_twice);
    EACH(a_change_of_1_mib_fits_and_a_byte_more_does_not);
    EACH(a_change_of_100_records_fits_and_one_more_does_not);
    EACH(a_name_of_255_bytes_fits_and_one_more_or_none_does_not);
    EACH(a_full_store_takes_no_more_until_something_goes);
    EACH(each_change_is_answered_once_in_order_after_its_batch);
    EACH(closing_answers_what_was_asked_before);
    EACH(a_follower_that_comes_late_gets_the_state_then_the_changes);
    EACH(a_sync_waits_for_the_snapshot_and_for_nothing_later);
    EACH(only_an_elected_daemon_commits);
    EACH(events_come_newest_first_and_in_pages);
    EACH(events_beyond_the_bound_are_forgotten_and_numbers_go_on);
    EACH(a_page_of_large_events_is_cut_and_never_empty);
    EACH(the_newest_answers_are_kept_and_older_ones_leave_with_the_change);
    EACH(an_import_restores_the_state_under_a_new_epoch);
    EACH(an_import_into_a_store_that_is_not_empty_is_refused);
    EACH(a_copy_with_any_byte_changed_or_cut_is_refused_whole);
#undef EACH
    tcase_add_loop_test(once, a_url_of_no_known_kind_is_refused, 0,
                        ARRAY_LEN(bad_urls));
    tcase_add_test(once, a_snapshot_of_many_records_is_whole);
    tcase_add_test(once,
                   everything_is_there_after_a_restart_and_revisions_go_on);
    tcase_add_test(once, equal_states_give_equal_bytes_whatever_keeps_them);
    return tap_run(suite);
}
