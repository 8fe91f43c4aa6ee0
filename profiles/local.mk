noinst_LTLIBRARIES += libprofiles.la
libprofiles_la_SOURCES = \
	profiles/expand.c profiles/expand.h \
	profiles/match.c profiles/match.h \
	profiles/outline.c profiles/outline.h \
	profiles/placing.c profiles/placing.h \
	profiles/plan.c profiles/plan.h \
	profiles/private.c profiles/private.h \
	profiles/ruleset.c profiles/ruleset.h \
	profiles/profile.c profiles/profile.h \
	profiles/seal.c profiles/seal.h \
	profiles/seal_print.c \
	profiles/seal_table.c profiles/seal_table.h
libprofiles_la_CFLAGS = $(AM_CFLAGS) $(CONFIG_CFLAGS) $(SECCOMP_CFLAGS)
libprofiles_la_LIBADD = libcommon.la
