# What scripts/bench measures with; made by it alone.
EXTRA_PROGRAMS += tests/bench/interleave
tests_bench_interleave_SOURCES = tests/bench/interleave.c
tests_bench_interleave_CFLAGS = $(program_cflags)
tests_bench_interleave_LDFLAGS = $(program_ldflags)
tests_bench_interleave_LDADD = libcommon.la
EXTRA_DIST += tests/bench/egress tests/bench/monitor tests/bench/monitor.bash
EXTRA_DIST += tests/bench/monitor-vm tests/bench/session

EXTRA_PROGRAMS += tests/bench/load
tests_bench_load_SOURCES = tests/bench/load.c
tests_bench_load_CFLAGS = $(program_cflags) -pthread
tests_bench_load_LDFLAGS = $(program_ldflags) -pthread
tests_bench_load_LDADD = libcommon.la
