# What tests/system/48-*.sh trace logins with; tests/box makes it for them.
EXTRA_PROGRAMS += tests/seam/seam tests/seam/inside
tests_seam_seam_SOURCES = tests/seam/around.c tests/seam/around.h \
	tests/seam/inside.h tests/seam/login.c tests/seam/login.h \
	tests/seam/marks.c tests/seam/marks.h tests/seam/seam.c \
	tests/seam/trace.c tests/seam/trace.h \
	tests/seam/where.c tests/seam/where.h
tests_seam_seam_CFLAGS = $(program_cflags) $(SECCOMP_CFLAGS)
tests_seam_seam_LDFLAGS = $(program_ldflags)
tests_seam_seam_LDADD = libcommon.la $(SECCOMP_LIBS)
tests_seam_inside_SOURCES = tests/seam/inside.c tests/seam/inside.h \
	common/clock.c common/clock.h common/proxy.h
tests_seam_inside_CFLAGS = $(static_cflags)
tests_seam_inside_LDFLAGS = $(static_ldflags)
EXTRA_PROGRAMS += tests/seam/without
tests_seam_without_SOURCES = tests/seam/without.c
tests_seam_without_CFLAGS = $(program_cflags) $(SECCOMP_CFLAGS)
tests_seam_without_LDFLAGS = $(program_ldflags)
tests_seam_without_LDADD = $(SECCOMP_LIBS)
