# SPDX-License-Identifier: Apache-2.0
# bench: measurements against a floor; built and run by `make bench` only.
bench_programs = \
	bench/bench_check \
	bench/bench_expression \
	bench/bench_layout \
	bench/bench_listener \
	bench/bench_store
EXTRA_PROGRAMS += $(bench_programs)
CLEANFILES += $(bench_programs)

bench_bench_listener_LDADD = libdaemon.la libproto.la
bench_bench_store_LDADD = libstore.la

.PHONY: bench
bench: $(bench_programs)
	@status=0; for program in $(bench_programs); do \
	  echo "== $$program"; $$program || status=1; \
	done; exit $$status
