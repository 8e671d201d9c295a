/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of base/error. */
#include "base/error.h"

#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"

START_TEST(a_set_error_has_its_status_and_text)
{
    struct error err = { 0 };

    ck_assert_int_eq(error_set(&err, STATUS_INVALID, "%d is odd", 3), -1);
    ck_assert_int_eq(err.status, STATUS_INVALID);
    ck_assert_str_eq(err.text, "3 is odd");
}
END_TEST

START_TEST(nobody_has_to_want_the_error)
{
    ck_assert_int_eq(error_set(NULL, STATUS_LOST, "x"), -1);
    ck_assert_int_eq(error_wrap(NULL, "x"), -1);
    ck_assert_int_eq(error_exhausted(NULL), -1);
}
END_TEST

START_TEST(wrapping_puts_the_outer_thing_first_and_keeps_the_status)
{
    struct error err = { 0 };

    error_set(&err, STATUS_REFUSED, "no such node");
    ck_assert_int_eq(error_wrap(&err, "group %d", 2), -1);
    ck_assert_int_eq(error_wrap(&err, "file"), -1);
    ck_assert_str_eq(err.text, "file: group 2: no such node");
    ck_assert_int_eq(err.status, STATUS_REFUSED);
}
END_TEST

START_TEST(text_that_does_not_fit_is_cut)
{
    char filler[2 * sizeof(((struct error *)0)->text)];
    struct error err = { 0 };

    memset(filler, 'a', sizeof(filler) - 1);
    filler[sizeof(filler) - 1] = '\0';
    error_set(&err, STATUS_INVALID, "%s", filler);
    ck_assert_uint_eq(strlen(err.text), sizeof(err.text) - 1);
    error_wrap(&err, "front");
    ck_assert_uint_eq(strlen(err.text), sizeof(err.text) - 1);
    ck_assert_int_eq(strncmp(err.text, "front: aaa", 10), 0);
    error_wrap(&err, "%s", filler);
    ck_assert_uint_eq(strlen(err.text), sizeof(err.text) - 1);
    ck_assert_ptr_nonnull(strstr(err.text, "a: front: a"));
}
END_TEST

START_TEST(a_letter_that_is_cut_within_the_text_is_no_junk)
{
    struct error err = { 0 };

    error_set(&err, STATUS_INVALID, "\"%.4s\" is no state",
              "ab\xc3\xa9\xc3\xa9");
    ck_assert_str_eq(err.text, "\"ab\xc3\xa9\" is no state");
    error_set(&err, STATUS_INVALID, "\"%.3s\" is no state",
              "ab\xc3\xa9\xc3\xa9");
    ck_assert_str_eq(err.text, "\"ab?\" is no state");
    error_wrap(&err, "%.1s", "\xc3\xa9");
    ck_assert_str_eq(err.text, "?: \"ab?\" is no state");
}
END_TEST

START_TEST(an_exhausted_error_says_what_ran_out)
{
    struct error err = { 0 };

    ck_assert_int_eq(error_exhausted(&err), -1);
    ck_assert_int_eq(err.status, STATUS_EXHAUSTED);
    ck_assert_ptr_nonnull(strstr(err.text, "memory"));
}
END_TEST

/* The numbers are API: gRPC's for the wire, the manual's for scripts. */
static const struct {
    enum status status;
    int wire;
    const char *name;
    int exit_code;
} statuses[] = {
    { STATUS_OK, 0, "OK", 0 },
    { STATUS_INVALID, 3, "INVALID_ARGUMENT", 65 },
    { STATUS_UNKNOWN_NAME, 5, "NOT_FOUND", 66 },
    { STATUS_EXHAUSTED, 8, "RESOURCE_EXHAUSTED", 3 },
    { STATUS_REFUSED, 9, "FAILED_PRECONDITION", 2 },
    { STATUS_LOST, 10, "ABORTED", 4 },
    { STATUS_INTERNAL, 13, "INTERNAL", 70 },
    { STATUS_UNAVAILABLE, 14, "UNAVAILABLE", 5 },
};

START_TEST(a_status_has_grpcs_number_and_name_and_our_exit_code)
{
    ck_assert_int_eq(statuses[_i].status, statuses[_i].wire);
    ck_assert_str_eq(status_name(statuses[_i].status), statuses[_i].name);
    ck_assert_int_eq(status_exit_code(statuses[_i].status),
                     statuses[_i].exit_code);
}
END_TEST

START_TEST(a_number_that_is_no_status_reads_as_internal)
{
    ck_assert_str_eq(status_name((enum status)99), "INTERNAL");
    ck_assert_int_eq(status_exit_code((enum status)99), 70);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("error");
    TCase *tc = tcase_create("error");

    tcase_add_test(tc, a_set_error_has_its_status_and_text);
    tcase_add_test(tc, nobody_has_to_want_the_error);
    tcase_add_test(tc,
                   wrapping_puts_the_outer_thing_first_and_keeps_the_status);
    tcase_add_test(tc, text_that_does_not_fit_is_cut);
    tcase_add_test(tc, a_letter_that_is_cut_within_the_text_is_no_junk);
    tcase_add_test(tc, an_exhausted_error_says_what_ran_out);
    tcase_add_loop_test(tc,
                        a_status_has_grpcs_number_and_name_and_our_exit_code, 0,
                        sizeof(statuses) / sizeof(statuses[0]));
    tcase_add_test(tc, a_number_that_is_no_status_reads_as_internal);
    suite_add_tcase(suite, tc);
    return tap_run(suite);
}
