
EXTRA_DIST += tests/unit/seal.golden
if CMOCKA
check_PROGRAMS += tests/unit/test_seal
tests_unit_test_seal_SOURCES = \
	tests/unit/bpf_sim.c tests/unit/bpf_sim.h \
	tests/unit/seal_cases.c tests/unit/seal_cases.h \
	tests/unit/seal_model.c tests/unit/seal_model.h \
	tests/unit/test_seal.c
tests_unit_test_seal_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SECCOMP_CFLAGS)
tests_unit_test_seal_LDADD = libprofiles.la $(SECCOMP_LIBS) $(CMOCKA_LIBS)
endif
