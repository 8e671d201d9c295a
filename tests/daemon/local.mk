# SPDX-License-Identifier: Apache-2.0
# tests of daemon: its parts, its listener with real peers, the whole program.
daemon_tool_tests = \
	tests/daemon/serried.sh \
	tests/daemon/service.sh
dist_check_SCRIPTS += $(daemon_tool_tests)
TESTS += $(daemon_tool_tests)
EXTRA_DIST += tests/daemon/listener_fixture.h

# A whole daemon and peers that speak the protocol by hand, in Python.
live_tests = \
	tests/daemon/live_access.py \
	tests/daemon/live_blocks.py \
	tests/daemon/live_boot.py \
	tests/daemon/live_bounds.py \
	tests/daemon/live_cluster.py \
	tests/daemon/live_ports.py \
	tests/daemon/live_cases.py \
	tests/daemon/live_crowd.py \
	tests/daemon/live_digest.py \
	tests/daemon/live_doctor.py \
	tests/daemon/live_evict.py \
	tests/daemon/live_exec.py \
	tests/daemon/live_fields.py \
	tests/daemon/live_identity.py \
	tests/daemon/live_inventory.py \
	tests/daemon/live_kill.py \
	tests/daemon/live_large.py \
	tests/daemon/live_module.py \
	tests/daemon/live_mpi.py \
	tests/daemon/live_pauses.py \
	tests/daemon/live_routing.py \
	tests/daemon/live_sparse.py \
	tests/daemon/live_state.py \
	tests/daemon/live_torch.py \
	tests/daemon/live_users.py
dist_check_SCRIPTS += $(live_tests)
TESTS += $(live_tests)
TEST_EXTENSIONS += .py
PY_LOG_DRIVER = $(tap_driver)
PY_LOG_COMPILER = $(SHELL) $(srcdir)/tests/daemon/with_python
EXTRA_DIST += tests/daemon/with_python \
	tests/daemon/live.py tests/daemon/live_guarded.py \
	tests/daemon/live_hosts.py \
	tests/daemon/live_relay.py tests/daemon/live_wire.py \
	tests/daemon/live_worker.py tests/daemon/mpi_worker.c \
	tests/daemon/torch_worker.py

if HAVE_CHECK
daemon_tests = \
	tests/daemon/test_access \
	tests/daemon/test_call \
	tests/daemon/test_envelope \
	tests/daemon/test_interop_nanomsg \
	tests/daemon/test_listener \
	tests/daemon/test_listener_address \
	tests/daemon/test_listener_hostile \
	tests/daemon/test_log \
	tests/daemon/test_notify \
	tests/daemon/test_proof \
	tests/daemon/test_routing \
	tests/daemon/test_settings \
	tests/daemon/test_sp
check_PROGRAMS += $(daemon_tests)
TESTS += $(daemon_tests)
tests_daemon_test_access_LDADD = libdaemon.la $(NANOMSG_LIBS) $(LDADD)
tests_daemon_test_call_LDADD = libdaemon.la $(NANOMSG_LIBS) $(LDADD)
tests_daemon_test_envelope_LDADD = libdaemon.la $(NANOMSG_LIBS) $(LDADD)
tests_daemon_test_interop_nanomsg_LDADD = libdaemon.la $(NANOMSG_LIBS) $(LDADD)
tests_daemon_test_listener_LDADD = libdaemon.la $(NANOMSG_LIBS) $(LDADD)
tests_daemon_test_listener_address_LDADD = libdaemon.la $(NANOMSG_LIBS) $(LDADD)
tests_daemon_test_listener_hostile_LDADD = libdaemon.la $(NANOMSG_LIBS) $(LDADD)
tests_daemon_test_log_LDADD = libdaemon.la $(NANOMSG_LIBS) $(LDADD)
tests_daemon_test_notify_LDADD = libdaemon.la $(NANOMSG_LIBS) $(LDADD)
tests_daemon_test_proof_LDADD = libdaemon.la $(NANOMSG_LIBS) $(LDADD)
tests_daemon_test_routing_LDADD = libdaemon.la $(NANOMSG_LIBS) $(LDADD)
tests_daemon_test_settings_LDADD = libdaemon.la $(NANOMSG_LIBS) $(LDADD)
tests_daemon_test_sp_LDADD = libdaemon.la $(NANOMSG_LIBS) $(LDADD)
if HAVE_NNG
check_PROGRAMS += tests/daemon/test_interop_nng
TESTS += tests/daemon/test_interop_nng
tests_daemon_test_interop_nng_LDADD = libdaemon.la -lnng $(LDADD)
endif
endif
