noinst_LTLIBRARIES += libcommon.la
libcommon_la_SOURCES = \
	common/ask.c common/ask.h \
	common/cleanup.h \
	common/clock.c common/clock.h \
	common/proxy.c common/proxy.h \
	common/err.c common/err.h \
	common/fd.c common/fd.h \
	common/fence.c common/fence.h \
	common/group.c common/group.h \
	common/landlock.c common/landlock.h \
	common/number.c common/number.h \
	common/path.c common/path.h \
	common/pids.c common/pids.h \
	common/places.h \
	common/refusal.c common/refusal.h \
	common/sha256.c common/sha256.h \
	common/text.c common/text.h \
	common/told.c common/told.h \
	common/wire.c common/wire.h
