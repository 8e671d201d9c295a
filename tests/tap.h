/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a Check suite and reports in TAP on standard output. */
#ifndef SERRIED_TESTS_TAP_H
#define SERRIED_TESTS_TAP_H

#include <check.h>

/* Runs every test of suite and frees it; main() returns what this returns. */
static inline int tap_run(Suite *suite)
{
    SRunner *runner = srunner_create(suite);
    int failed;

    srunner_set_tap(runner, "-");
    srunner_run_all(runner, CK_SILENT);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? 0 : 1;
}

#endif
