# SPDX-License-Identifier: Apache-2.0
# bench: measurements against a floor; built and run by `make bench` only.
bench_programs = \
	bench/bench_alternatives \
	bench/bench_check \
	bench/bench_cluster \
	bench/bench_daemon \
	bench/bench_expression \
	bench/bench_grid \
	bench/bench_inventory \
	bench/bench_layout \
	bench/bench_listener \
	bench/bench_place \
	bench/bench_store
EXTRA_PROGRAMS += $(bench_programs)
CLEANFILES += $(bench_programs)

EXTRA_DIST += bench/bench_floor.h bench/bench_load.h bench/bench_nanomsg.h \
	bench/bench_rows.h bench/bench_serried.h bench/bench_stat.h

# these start daemon/serried of the build's folder
bench_bench_cluster_LDADD = libproto.la $(UV_LIBS) $(SQLITE_LIBS) $(NANOMSG_LIBS)
bench_bench_daemon_LDADD = libproto.la $(UV_LIBS) $(SQLITE_LIBS) $(NANOMSG_LIBS)
bench_bench_inventory_LDADD = libdaemon.la libproto.la
bench_bench_listener_LDADD = libdaemon.la libproto.la
bench_bench_store_LDADD = libstore.la

.PHONY: bench bench-programs
bench-programs: $(bench_programs)
bench: $(bench_programs) daemon/serried
	@status=0; for program in $(bench_programs); do \
	  echo "== $$program"; srcdir=$(srcdir) $$program || status=1; \
	done; exit $$status
