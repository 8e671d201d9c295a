/* SPDX-License-Identifier: Apache-2.0 */
/* An export is anybody's bytes: what does not hold together is refused. */
#include "store/copy.h"

#include <string.h>

#include "tests/tap.h"

static struct copy_writer writer;
static struct scan out;

static const struct counters counters = { 1, 10, 10 };

static char long_name[STORE_NAME_BYTES + 2];
static char large[STORE_CHANGE_BYTES + 1];

static void set_up(void)
{
    writer = (struct copy_writer){ 0 };
    copy_scan(&writer, &out);
    memset(long_name, 'n', STORE_NAME_BYTES + 1);
}

static void tear_down(void)
{
    text_close(&writer.out);
}

static void record(int kind, const char *id, uint64_t rev)
{
    const struct store_record r = { .kind = (enum store_kind)kind,
                                    .id = id,
                                    .state = "",
                                    .body = "b",
                                    .len = 1,
                                    .rev = rev };

    out.record(out.arg, &r);
}

static void event(uint64_t seq)
{
    const struct store_event e = {
        .who = "w", .what = "w", .subject = "s", .detail = "d", .seq = seq
    };

    out.event(out.arg, &e);
}

static int count_record(void *arg, const struct store_record *r)
{
    ck_assert_str_ne(r->id, "");
    ++*(int *)arg;
    return 0;
}

static int stop(void *arg, const struct store_record *r)
{
    (void)arg, (void)r;
    return -1;
}

static void read_refused(const char *part)
{
    const struct scan nothing = { 0 };
    struct error err = { 0 };

    ck_assert_int_eq(copy_read(writer.out.data, writer.out.len, &nothing, &err),
                     -1);
    ck_assert_int_eq(err.status, STATUS_INVALID);
    ck_assert_msg(strstr(err.text, part) != NULL, "%s", err.text);
}

START_TEST(what_was_written_is_read)
{
    int n = 0;
    const struct scan scan = { .record = count_record, .arg = &n };
    struct error err = { 0 };

    out.begin(out.arg, &counters);
    record(1, "a", 1);
    record(1, "b", 2);
    record(4, "a", 3);
    event(3);
    event(10);
    copy_end(&writer);
    ck_assert_msg(copy_read(writer.out.data, writer.out.len, &scan, &err) == 0,
                  "%s", err.text);
    ck_assert_int_eq(n, 3);
}
END_TEST

START_TEST(a_visitor_that_stops_is_heard)
{
    const struct scan scan = { .record = stop };
    struct error err = { 0 };

    out.begin(out.arg, &counters);
    record(1, "a", 1);
    copy_end(&writer);
    ck_assert_int_eq(copy_read(writer.out.data, writer.out.len, &scan, &err),
                     -1);
    ck_assert_int_eq(err.status, STATUS_EXHAUSTED);
}
END_TEST

START_TEST(bytes_without_the_magic_or_of_another_format_are_refused)
{
    read_refused("not an export");
    text_put(&writer.out, "serried expo");
    read_refused("not an export");
    text_put(&writer.out, "rt\n2");
    read_refused("another format");
}
END_TEST

static void empty_header(void)
{
    const struct counters none = { 0 };

    out.begin(out.arg, &none);
}

/* Frames whose checksums are right and whose contents are not. */
static void no_end(void)
{
    record(1, "a", 1);
}

static void two_ends(void)
{
    copy_end(&writer);
    copy_end(&writer);
}

static void record_after_end(void)
{
    copy_end(&writer);
    record(1, "a", 1);
}

static void equal_records(void)
{
    record(1, "a", 1);
    record(1, "a", 2);
    copy_end(&writer);
}

static void unsorted_names(void)
{
    record(1, "b", 1);
    record(1, "a", 2);
    copy_end(&writer);
}

static void unsorted_kinds(void)
{
    record(2, "a", 1);
    record(1, "a", 2);
    copy_end(&writer);
}

static void unknown_kind(void)
{
    record(7, "a", 1);
    copy_end(&writer);
}

static void kind_0(void)
{
    record(0, "a", 1);
    copy_end(&writer);
}

static void no_name(void)
{
    record(1, "", 1);
    copy_end(&writer);
}

static void name_too_long(void)
{
    record(1, long_name, 1);
    copy_end(&writer);
}

static void revision_0(void)
{
    record(1, "a", 0);
    copy_end(&writer);
}

static void revision_beyond(void)
{
    record(1, "a", 11);
    copy_end(&writer);
}

static void number_over_63_bits(void)
{
    const struct store_record r = { .kind = STORE_MODEL,
                                    .id = "a",
                                    .state = "",
                                    .body = "",
                                    .rev = 1,
                                    .generation_rev = UINT64_MAX };

    out.record(out.arg, &r);
    copy_end(&writer);
}

static void body_too_large(void)
{
    const struct store_record r = { .kind = STORE_MODEL,
                                    .id = "a",
                                    .state = "",
                                    .body = large,
                                    .len = sizeof(large),
                                    .rev = 1 };

    out.record(out.arg, &r);
    copy_end(&writer);
}

static void event_0(void)
{
    event(0);
    copy_end(&writer);
}

static void event_beyond(void)
{
    event(11);
    copy_end(&writer);
}

static void equal_events(void)
{
    event(1);
    event(1);
    copy_end(&writer);
}

static void record_after_event(void)
{
    event(1);
    record(1, "a", 1);
    copy_end(&writer);
}

static void wrong_count(void)
{
    record(1, "a", 1);
    writer.n_records++;
    copy_end(&writer);
}

static void (*const wrong[])(void) = {
    no_end,           two_ends,
    record_after_end, equal_records,
    unsorted_names,   unsorted_kinds,
    unknown_kind,     kind_0,
    no_name,          name_too_long,
    revision_0,       revision_beyond,
    body_too_large,   number_over_63_bits,
    event_0,          event_beyond,
    equal_events,     record_after_event,
    wrong_count,
};

START_TEST(frames_that_do_not_hold_together_are_refused)
{
    out.begin(out.arg, &counters);
    wrong[_i]();
    read_refused("cut or changed");
}
END_TEST

START_TEST(an_export_without_a_header_or_of_epoch_0_is_refused)
{
    text_put_bytes(&writer.out, copy_magic, COPY_MAGIC_BYTES);
    record(1, "a", 1);
    copy_end(&writer);
    read_refused("cut or changed");
    tear_down();
    set_up();
    empty_header();
    copy_end(&writer);
    read_refused("cut or changed");
}
END_TEST

START_TEST(an_import_takes_the_higher_numbers_and_a_new_epoch)
{
    const struct counters own = { 3, 5, 20 };
    const struct counters both = copy_counters(&own, &counters);

    ck_assert_uint_eq(both.epoch, 4);
    ck_assert_uint_eq(both.revision, 10);
    ck_assert_uint_eq(both.event_seq, 20);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("store/copy");
    TCase *tcase = tcase_create("copy");

    tcase_add_checked_fixture(tcase, set_up, tear_down);
    suite_add_tcase(suite, tcase);
    tcase_add_test(tcase, what_was_written_is_read);
    tcase_add_test(tcase, a_visitor_that_stops_is_heard);
    tcase_add_test(tcase,
                   bytes_without_the_magic_or_of_another_format_are_refused);
    tcase_add_loop_test(tcase, frames_that_do_not_hold_together_are_refused, 0,
                        ARRAY_LEN(wrong));
    tcase_add_test(tcase, an_export_without_a_header_or_of_epoch_0_is_refused);
    tcase_add_test(tcase, an_import_takes_the_higher_numbers_and_a_new_epoch);
    return tap_run(suite);
}
