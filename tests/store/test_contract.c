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
        char ids[2][16];
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

/* The same with the answer to a write. */
static struct change *answered(struct change *change)
{
    const struct store_record answer = {
        .kind = STORE_ANSWER, .id = "key", .body = "b", .len = 1
    };

    change_put(change, &answer, 0);
    return change;
}

START_TEST(a_change_of_100_records_fits_and_one_more_does_not)
{
    fixture_init(f, _i == 0);
    fixture_open(f);
    ck_assert_int_eq(commit(f, change_with(101, 0)), STORE_TOO_BIG);
    ck_assert_int_eq(commit(f, change_with(0, 101)), STORE_TOO_BIG);
    ck_assert_uint_eq(f->n_known, 0);
    ck_assert_int_eq(commit(f, answered(change_with(101, 0))), STORE_TOO_BIG);
    ck_assert_int_eq(commit(f, answered(change_with(100, 100))), STORE_OK);
    ck_assert_uint_eq(f->n_known, 101);
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

static int n_kept, n_refused;

static void on_flood(void *arg, enum store_result result, struct store_pos pos)
{
    (void)arg, (void)pos;
    ck_assert(result == STORE_OK || result == STORE_FULL);
    n_kept += result == STORE_OK;
    n_refused += result == STORE_FULL;
}

START_TEST(changes_that_wait_are_bounded_and_each_is_answered)
{
    enum { FLOOD = STORE_PENDING_BYTES / 8192 + 10 };

    fixture_init(f, true);
    fixture_open(f);
    n_kept = n_refused = 0;
    for (int i = 0; i < FLOOD; i++)
        store_commit(f->store, change_new(), on_flood, NULL);
    while (n_kept + n_refused < FLOOD)
        uv_run(&f->loop, UV_RUN_ONCE);
    ck_assert_int_eq(n_refused, 10);
    ck_assert_int_eq(put(f, "one", "1", 0), STORE_OK);
    fixture_close(f);
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
#undef EACH
    tcase_add_loop_test(once, a_url_of_no_known_kind_is_refused, 0,
                        ARRAY_LEN(bad_urls));
    tcase_add_test(once, changes_that_wait_are_bounded_and_each_is_answered);
    tcase_add_test(once, a_snapshot_of_many_records_is_whole);
    return tap_run(suite);
}
