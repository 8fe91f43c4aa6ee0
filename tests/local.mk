
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
check_PROGRAMS += tests/unit/test_seal_live
tests_unit_test_seal_live_SOURCES = tests/unit/test_seal_live.c
tests_unit_test_seal_live_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) \
	$(SECCOMP_CFLAGS)
tests_unit_test_seal_live_LDADD = libprofiles.la $(SECCOMP_LIBS) \
	$(CMOCKA_LIBS) -lpthread
endif

if CMOCKA
check_PROGRAMS += tests/unit/test_match tests/unit/test_plan
tests_unit_test_match_SOURCES = tests/unit/test_match.c
tests_unit_test_match_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_match_LDADD = libprofiles.la $(CMOCKA_LIBS)
tests_unit_test_plan_SOURCES = \
	tests/unit/fake_fs.c tests/unit/fake_fs.h \
	tests/unit/plan_cases.c tests/unit/plan_cases.h \
	tests/unit/plan_setting.c tests/unit/plan_setting.h \
	tests/unit/test_plan.c
tests_unit_test_plan_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_plan_LDADD = libprofiles.la $(CMOCKA_LIBS)
endif

if CMOCKA
check_PROGRAMS += tests/unit/test_sha256 tests/unit/test_sqlite \
	tests/unit/test_policy tests/unit/test_violations
tests_unit_test_sha256_SOURCES = tests/unit/test_sha256.c
tests_unit_test_sha256_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_sha256_LDADD = libcommon.la $(CMOCKA_LIBS)
tests_unit_test_sqlite_SOURCES = tests/unit/test_sqlite.c tests/unit/scratch.h
tests_unit_test_sqlite_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SQLITE_CFLAGS)
tests_unit_test_sqlite_LDADD = libdb.la $(SQLITE_LIBS) $(CMOCKA_LIBS)
tests_unit_test_policy_SOURCES = tests/unit/test_policy.c tests/unit/scratch.h
tests_unit_test_policy_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(SQLITE_CFLAGS)
tests_unit_test_policy_LDADD = libdb.la $(SQLITE_LIBS) $(CMOCKA_LIBS)
tests_unit_test_violations_SOURCES = tests/unit/test_violations.c \
	tests/unit/scratch.h
tests_unit_test_violations_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) \
	$(SQLITE_CFLAGS)
tests_unit_test_violations_LDADD = libdb.la $(SQLITE_LIBS) $(CMOCKA_LIBS)
endif

if CMOCKA
check_PROGRAMS += tests/unit/test_profile tests/unit/test_extends \
	tests/unit/test_assignments tests/unit/test_load
tests_unit_test_profile_SOURCES = \
	tests/unit/profile_cases.c tests/unit/profile_cases.h \
	tests/unit/profile_set.h tests/unit/test_profile.c
tests_unit_test_profile_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_profile_LDADD = libprofiles.la $(CMOCKA_LIBS)
tests_unit_test_extends_SOURCES = \
	tests/unit/profile_set.h tests/unit/test_extends.c
tests_unit_test_extends_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_extends_LDADD = libprofiles.la $(CMOCKA_LIBS)
tests_unit_test_assignments_SOURCES = tests/unit/test_assignments.c
tests_unit_test_assignments_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_assignments_LDADD = libprofiles.la $(CMOCKA_LIBS)
tests_unit_test_load_SOURCES = tests/unit/scratch.h tests/unit/test_load.c
tests_unit_test_load_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_load_LDADD = libprofiles.la $(CMOCKA_LIBS)
endif
