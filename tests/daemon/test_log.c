/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of base/log and base/clock. */
#include "base/log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "tests/tap.h"

/* A log whose lines are read back; as the journal's they have no time. */
struct fixture {
    struct log log;
    int ends[2];
    char got[8192];
};

static void setup(struct fixture *fixture, enum log_level level)
{
    char stream[64];
    struct stat status;

    ck_assert_int_eq(pipe(fixture->ends), 0);
    ck_assert_int_eq(fstat(fixture->ends[1], &status), 0);
    snprintf(stream, sizeof(stream), "%ju:%ju", (uintmax_t)status.st_dev,
             (uintmax_t)status.st_ino);
    log_init(&fixture->log, fixture->ends[1], level, stream);
    ck_assert(fixture->log.journal);
}

/* What was written; the log is of no use after it. */
static const char *finish(struct fixture *fixture)
{
    ssize_t n, len = 0;

    close(fixture->ends[1]);
    while ((n = read(fixture->ends[0], fixture->got + len,
                     sizeof(fixture->got) - 1 - (size_t)len)) > 0)
        len += n;
    fixture->got[len] = '\0';
    close(fixture->ends[0]);
    return fixture->got;
}

START_TEST(a_line_is_the_event_and_its_pairs)
{
    struct fixture fixture;

    setup(&fixture, LOG_LEVEL_INFO);
    log_line(&fixture.log, LOG_LEVEL_INFO,
             "placed name=%s ranks=%u left=%d bytes=%zu us=%llu id=%x of 100%%",
             "wan", 8u, -1, (size_t)7, 1ULL << 40, 255u);
    ck_assert_str_eq(finish(&fixture),
                     "<6>placed name=wan ranks=8 left=-1 bytes=7 "
                     "us=1099511627776 id=ff of 100%\n");
}
END_TEST

/* What a value is written as. */
static const struct {
    const char *value, *written;
} values[] = {
    { "plain", "plain" },
    { "/run/a.sock", "/run/a.sock" },
    { "", "\"\"" },
    { "two words", "\"two words\"" },
    { "a=b", "\"a=b\"" },
    { "say \"no\"", "\"say \\\"no\\\"\"" },
    { "back\\slash", "\"back\\\\slash\"" },
    { "line\nerror fake=1", "\"line\\x0aerror fake=1\"" },
    { "tab\there", "\"tab\\x09here\"" },
    { "esc\033[31m", "\"esc\\x1b[31m\"" },
    { "gr\xc3\xbc\xc3\x9f", "gr\xc3\xbc\xc3\x9f" },
    { "latin\xfc", "\"latin\\xfc\"" },
    { "delete\x7f", "\"delete\\x7f\"" },
};

START_TEST(a_value_is_quoted_only_where_it_must_be)
{
    struct fixture fixture;
    char expected[128];

    setup(&fixture, LOG_LEVEL_INFO);
    log_line(&fixture.log, LOG_LEVEL_WARN, "it k=%s end", values[_i].value);
    snprintf(expected, sizeof(expected), "<4>it k=%s end\n",
             values[_i].written);
    ck_assert_str_eq(finish(&fixture), expected);
}
END_TEST

START_TEST(text_outside_of_values_cannot_begin_a_line_either)
{
    struct fixture fixture;

    setup(&fixture, LOG_LEVEL_INFO);
    log_line(&fixture.log, LOG_LEVEL_INFO, "event %s", "a b\nc");
    ck_assert_str_eq(finish(&fixture), "<6>event a b\\x0ac\n");
}
END_TEST

START_TEST(a_line_beyond_the_level_is_dropped)
{
    struct fixture fixture;

    setup(&fixture, LOG_LEVEL_WARN);
    log_line(&fixture.log, LOG_LEVEL_INFO, "not me");
    log_line(&fixture.log, LOG_LEVEL_DEBUG, "nor me");
    log_line(&fixture.log, LOG_LEVEL_ERROR, "me");
    ck_assert_str_eq(finish(&fixture), "<3>me\n");
}
END_TEST

START_TEST(a_long_line_is_cut_and_ended)
{
    struct fixture fixture;
    char filler[5000];
    const char *got;

    setup(&fixture, LOG_LEVEL_INFO);
    memset(filler, 'a', sizeof(filler) - 1);
    filler[sizeof(filler) - 1] = '\0';
    log_line(&fixture.log, LOG_LEVEL_INFO, "long k=%s", filler);
    got = finish(&fixture);
    ck_assert_uint_eq(strlen(got), 2000);
    ck_assert_int_eq(got[1999], '\n');
}
END_TEST

START_TEST(a_repeated_line_is_limited_and_what_was_dropped_is_told)
{
    struct log_limit limit = { 0 };
    struct fixture fixture;

    setup(&fixture, LOG_LEVEL_INFO);
    for (int i = 0; i < 1000; i++)
        log_limited(&fixture.log, &limit, 5, LOG_LEVEL_WARN, "bad n=%d", i);
    log_limited(&fixture.log, &limit, 5 + LOG_LIMIT_WINDOW_MS - 1,
                LOG_LEVEL_WARN, "still");
    log_limited(&fixture.log, &limit, 5 + LOG_LIMIT_WINDOW_MS, LOG_LEVEL_WARN,
                "again");
    log_limited(&fixture.log, &limit, 6 + LOG_LIMIT_WINDOW_MS, LOG_LEVEL_WARN,
                "more");
    ck_assert_str_eq(finish(&fixture),
                     "<4>bad n=0\n<4>bad n=1\n<4>bad n=2\n<4>bad n=3\n"
                     "<4>bad n=4\n<4>again dropped=996\n<4>more\n");
}
END_TEST

START_TEST(elsewhere_than_in_the_journal_a_line_has_time_and_level)
{
    struct fixture fixture;
    const char *got;

    setup(&fixture, LOG_LEVEL_INFO);
    log_init(&fixture.log, fixture.ends[1], LOG_LEVEL_INFO, "1:1");
    ck_assert(!fixture.log.journal);
    log_init(&fixture.log, fixture.ends[1], LOG_LEVEL_INFO, NULL);
    log_line(&fixture.log, LOG_LEVEL_ERROR, "event");
    got = finish(&fixture);
    ck_assert_uint_eq(strlen(got), strlen("2026-01-31T23:59:59.999Z error "
                                          "event\n"));
    ck_assert_int_eq(got[10], 'T');
    ck_assert_str_eq(got + strlen("2026-01-31T23:59:59.999Z"),
                     " error event\n");
}
END_TEST

/* The first and last times that can be written, and what is beyond. */
static const struct {
    int64_t ms;
    const char *text;
} times[] = {
    { 0, "1970-01-01T00:00:00.000Z" },
    { -1, "1970-01-01T00:00:00.000Z" },
    { 1709210096007, "2024-02-29T12:34:56.007Z" },
    { 253402300799999, "9999-12-31T23:59:59.999Z" },
    { INT64_MAX, "9999-12-31T23:59:59.999Z" },
};

START_TEST(a_time_is_written_in_utc)
{
    char text[CLOCK_TEXT_BYTES];

    clock_text(times[_i].ms, text);
    ck_assert_str_eq(text, times[_i].text);
}
END_TEST

START_TEST(the_monotonic_clock_does_not_fall)
{
    const int64_t before = clock_monotonic_us();

    ck_assert_int_ge(clock_monotonic_us(), before);
    ck_assert_int_gt(clock_wall_ms(), 1500000000000);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("log");
    TCase *tcase = tcase_create("log");

    tcase_add_test(tcase, a_line_is_the_event_and_its_pairs);
    tcase_add_loop_test(tcase, a_value_is_quoted_only_where_it_must_be, 0,
                        (int)(sizeof(values) / sizeof(values[0])));
    tcase_add_test(tcase, text_outside_of_values_cannot_begin_a_line_either);
    tcase_add_test(tcase, a_line_beyond_the_level_is_dropped);
    tcase_add_test(tcase, a_long_line_is_cut_and_ended);
    tcase_add_test(tcase,
                   a_repeated_line_is_limited_and_what_was_dropped_is_told);
    tcase_add_test(tcase,
                   elsewhere_than_in_the_journal_a_line_has_time_and_level);
    tcase_add_loop_test(tcase, a_time_is_written_in_utc, 0,
                        (int)(sizeof(times) / sizeof(times[0])));
    tcase_add_test(tcase, the_monotonic_clock_does_not_fall);
    suite_add_tcase(suite, tcase);
    return tap_run(suite);
}
