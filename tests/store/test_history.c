/* SPDX-License-Identifier: Apache-2.0 */
/* What every kind of store promises of events, answers and copies. */
#include "tests/store/store_fixture.h"

enum { BACKENDS = 2 }; /* _i: 0 memory, 1 sqlite */

static struct fixture fixture, *f = &fixture;

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
    Suite *suite = suite_create("store/history");
    TCase *each = tcase_create("each"), *once = tcase_create("once");

    tcase_set_timeout(each, 60);
    tcase_set_timeout(once, 60);
    suite_add_tcase(suite, each);
    suite_add_tcase(suite, once);
#define EACH(test) tcase_add_loop_test(each, test, 0, BACKENDS)
    EACH(events_come_newest_first_and_in_pages);
    EACH(events_beyond_the_bound_are_forgotten_and_numbers_go_on);
    EACH(a_page_of_large_events_is_cut_and_never_empty);
    EACH(the_newest_answers_are_kept_and_older_ones_leave_with_the_change);
    EACH(an_import_restores_the_state_under_a_new_epoch);
    EACH(an_import_into_a_store_that_is_not_empty_is_refused);
    EACH(a_copy_with_any_byte_changed_or_cut_is_refused_whole);
#undef EACH
    tcase_add_test(once,
                   everything_is_there_after_a_restart_and_revisions_go_on);
    tcase_add_test(once, equal_states_give_equal_bytes_whatever_keeps_them);
    return tap_run(suite);
}
