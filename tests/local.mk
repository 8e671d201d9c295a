# SPDX-License-Identifier: Apache-2.0
# tests: Check programs that mirror the tree, and lint of the source itself.
# Everything speaks TAP. Tests find the tree in $srcdir and the tool in $SERRY.
AM_TESTS_ENVIRONMENT = \
	SERRY='$(abs_top_builddir)/client/serry'; export SERRY; \
	SERRIED='$(abs_top_builddir)/daemon/serried'; export SERRIED; \
	TABLES='$(abs_top_builddir)/tests/docs/print_tables'; export TABLES; \
	HARDENING_CPPFLAGS='$(HARDENING_CPPFLAGS)'; export HARDENING_CPPFLAGS; \
	SANITIZER_CFLAGS='$(SANITIZER_CFLAGS)'; export SANITIZER_CFLAGS; \
	CK_DEFAULT_TIMEOUT=60; export CK_DEFAULT_TIMEOUT; \
	LC_ALL=C; export LC_ALL;
TEST_EXTENSIONS = .sh .awk
tap_driver = env AM_TAP_AWK='$(AWK)' $(SHELL) \
	$(top_srcdir)/build-aux/tap-driver.sh
LOG_DRIVER = $(tap_driver)
SH_LOG_DRIVER = $(tap_driver)
SH_LOG_COMPILER = $(SHELL)
AWK_LOG_DRIVER = $(tap_driver)
AWK_LOG_COMPILER = $(SHELL) $(srcdir)/tests/lint/over_sources

EXTRA_DIST += tests/lint/over_sources tests/lint/sources
dist_check_SCRIPTS += $(lint_tests)
lint_tests = \
	tests/lint/axes.sh \
	tests/lint/comments.awk \
	tests/lint/format.sh \
	tests/lint/functions.awk \
	tests/lint/layers.awk \
	tests/lint/leaks.sh \
	tests/lint/lengths.awk \
	tests/lint/listed.sh \
	tests/lint/readme.sh \
	tests/lint/secrets.sh

# The tool as a user runs it.
dist_check_SCRIPTS += $(tool_tests)
tool_tests = \
	tests/client/library.sh \
	tests/client/test_batch.sh \
	tests/client/test_check.sh \
	tests/client/test_diff.sh \
	tests/client/test_explain.sh \
	tests/client/test_export.sh \
	tests/client/test_import.sh \
	tests/client/test_import_flags.sh \
	tests/client/test_import_model.sh \
	tests/client/test_host.sh \
	tests/client/test_live.sh \
	tests/client/test_mesh.sh \
	tests/client/test_picture.sh \
	tests/client/test_runtime.sh \
	tests/client/test_suggest.sh \
	tests/client/test_usage.sh \
	tests/docs/shipped.sh \
	tests/docs/snippets.sh \
	tests/malformed/documents.sh \
	tests/real/imports.sh \
	tests/real/run.sh
# Shipped runtimes against what their frameworks compute, rank by rank.
dist_check_SCRIPTS += $(formula_tests)
formula_tests = \
	tests/formulas/diffusers.py \
	tests/formulas/megatron.py \
	tests/formulas/pithtrain.py \
	tests/formulas/torchtitan.py \
	tests/formulas/xdit.py
EXTRA_DIST += tests/formulas/formulas.py
# Samples with their right answers, which are not part of this tree.
dist_check_SCRIPTS += tests/real/samples.py
EXTRA_DIST += \
	tests/real/samples_compare.py \
	tests/real/samples_diffusion.py \
	tests/real/samples_halo.py \
	tests/real/samples_mstar.py \
	tests/real/samples_trainers.py
EXTRA_DIST += tests/client/lib.sh tests/client/protocol.py \
	tests/client/answers.jsonl \
	tests/client/questions.jsonl \
	tests/client/read_picture.py \
	tests/real/compare_imports.py

if HARDENING
hardening_tests = tests/lint/hardening.sh
endif
EXTRA_DIST += tests/lint/hardening.sh

if HAVE_CHECK
test_programs = \
	tests/base/test_arena \
	tests/base/test_error \
	tests/base/test_pause \
	tests/base/test_text \
	tests/base/test_tree \
	tests/cases/rules \
	tests/cases/runner \
	tests/placement/test_alternatives \
	tests/placement/test_binding \
	tests/placement/test_check \
	tests/placement/test_creation \
	tests/placement/test_deployment \
	tests/placement/test_digest \
	tests/placement/test_example \
	tests/placement/test_expression \
	tests/placement/test_expression_explain \
	tests/placement/test_expression_refused \
	tests/placement/test_graph \
	tests/placement/test_host_list \
	tests/placement/test_layers \
	tests/placement/test_layout \
	tests/placement/test_lists \
	tests/placement/test_model \
	tests/placement/test_place \
	tests/placement/test_place_axes \
	tests/placement/test_place_evict \
	tests/placement/test_place_properties \
	tests/placement/test_properties \
	tests/placement/test_reader \
	tests/placement/test_replace \
	tests/placement/test_replica \
	tests/placement/test_rest \
	tests/placement/test_runs \
	tests/placement/test_runtime \
	tests/placement/test_runtime_malformed \
	tests/placement/test_shipped \
	tests/placement/test_signal \
	tests/placement/test_sparse \
	tests/placement/test_split \
	tests/placement/test_split_work \
	tests/placement/test_structure \
	tests/placement/test_suggest \
	tests/placement/test_table \
	tests/placement/test_topology \
	tests/placement/test_topology_entry \
	tests/placement/test_value \
	tests/placement/test_verdict \
	tests/placement/test_view \
	tests/proto/test_answer \
	tests/proto/test_catalog \
	tests/proto/test_codec \
	tests/proto/test_document \
	tests/proto/test_document_malformed \
	tests/proto/test_document_read \
	tests/proto/test_document_toml \
	tests/proto/test_document_write \
	tests/proto/test_expand \
	tests/proto/test_inventory \
	tests/proto/test_seating \
	tests/proto/test_trouble \
	tests/real/topology
check_PROGRAMS += $(test_programs) tests/docs/print_tables
test_of_libserry = \
	tests/client/test_assignment \
	tests/client/test_libserry \
	tests/client/test_strange
check_PROGRAMS += $(test_of_libserry)
TESTS += $(test_of_libserry)
tests_client_test_libserry_LDADD = client/libserry/libserry.la libproto.la \
	$(NANOMSG_LIBS) $(CHECK_LIBS)
tests_client_test_libserry_LDFLAGS = $(AM_LDFLAGS) -static
tests_client_test_assignment_LDADD = $(tests_client_test_libserry_LDADD)
tests_client_test_assignment_LDFLAGS = $(AM_LDFLAGS) -static
tests_client_test_strange_LDADD = $(tests_client_test_libserry_LDADD)
tests_client_test_strange_LDFLAGS = $(AM_LDFLAGS) -static
else
check-local:
	@echo "make check: the tests need libcheck (Debian: check);" \
	  "install it and configure again" >&2; exit 1
endif
TESTS += $(test_programs) $(tool_tests) $(formula_tests) \
	tests/real/samples.py $(lint_tests) $(hardening_tests)

# A program is made of the one file of its name and linked with all layers. Only
# tests include <check.h>; its flags stand here so that a test is one line.
AM_CPPFLAGS += $(CHECK_CFLAGS)
LDADD = libproto.la $(CHECK_LIBS)
EXTRA_DIST += $(test_headers)
test_headers = \
	tests/client/fake_daemon.h \
	tests/placement/check_fixture.h \
	tests/placement/view_fixture.h \
	tests/placement/expression_fixture.h \
	tests/placement/place_fixture.h \
	tests/placement/random_request.h \
	tests/proto/inventory_fixture.h \
	tests/tap.h

# All cases: a program of several files, and what it reads.
about_cases = \
	tests/cases/compare.c tests/cases/compare.h \
	tests/cases/defaults.h
tests_cases_runner_SOURCES = $(about_cases) \
	tests/cases/runner.c tests/cases/runner.h \
	tests/cases/runner_answer.c \
	tests/cases/runner_bind.c \
	tests/cases/runner_check.c \
	tests/cases/runner_hosts.c \
	tests/cases/runner_layout.c \
	tests/cases/runner_place.c \
	tests/cases/runner_route.c \
	tests/cases/runner_split.c tests/cases/runner_suggest.c \
	tests/cases/runner_work.c
# Whether they know every rule of the shipped runtimes.
tests_cases_rules_SOURCES = $(about_cases) \
	tests/cases/rules.c tests/cases/rules.h \
	tests/cases/rules_advice.c \
	tests/cases/rules_applies.c tests/cases/rules_applies.h \
	tests/cases/rules_applies_model.c \
	tests/cases/rules_hosts.c \
	tests/cases/rules_implied.c \
	tests/cases/rules_lists.c \
	tests/cases/rules_maker.c tests/cases/rules_maker.h \
	tests/cases/rules_mutants.c \
	tests/cases/rules_parts.c \
	tests/cases/rules_remedies.c \
	tests/cases/rules_samples.c \
	tests/cases/rules_values.c
EXTRA_DIST += $(test_cases)
test_cases = \
	tests/cases/README.md \
	tests/cases/bind.jsonl \
	tests/cases/diffusers.jsonl \
	tests/cases/halo.jsonl \
	tests/cases/halo_grid.jsonl \
	tests/cases/hosts.jsonl \
	tests/cases/large.jsonl \
	tests/cases/megatron.jsonl \
	tests/cases/models.jsonl \
	tests/cases/mstar.jsonl \
	tests/cases/pithtrain.jsonl \
	tests/cases/refusals.jsonl \
	tests/cases/remedies.jsonl \
	tests/cases/structure.jsonl \
	tests/cases/torchtitan.jsonl \
	tests/cases/xdit.jsonl

.PHONY: check-lint check-valgrind
check-lint:
	$(MAKE) $(AM_MAKEFLAGS) check TESTS='$(lint_tests)'

# Forked tests would each be a leak report of their own.
check-valgrind:
	CK_FORK=no $(MAKE) $(AM_MAKEFLAGS) check TESTS='$(test_programs)' \
	  LOG_COMPILER='valgrind -q --leak-check=full --error-exitcode=99'
