# SPDX-License-Identifier: Apache-2.0
# tests of store: one contract for all that keeps state, kills, bad disks.
if HAVE_CHECK
store_tests = \
	tests/store/test_contract \
	tests/store/test_copy \
	tests/store/test_history \
	tests/store/test_kill \
	tests/store/test_sqlite \
	tests/store/test_sqlite_disk
check_PROGRAMS += $(store_tests)
TESTS += $(store_tests)
tests_store_test_contract_LDADD = libstore.la $(LDADD)
tests_store_test_copy_LDADD = libstore.la $(LDADD)
tests_store_test_history_LDADD = libstore.la $(LDADD)
tests_store_test_kill_LDADD = libstore.la $(LDADD)
tests_store_test_sqlite_LDADD = libstore.la $(LDADD)
tests_store_test_sqlite_disk_LDADD = libstore.la $(LDADD)
endif
EXTRA_DIST += tests/store/store_fixture.h tests/store/released_0001.sql
