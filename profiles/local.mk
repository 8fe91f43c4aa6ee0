noinst_LTLIBRARIES += libprofiles.la
libprofiles_la_SOURCES = \
	profiles/address.c profiles/address.h \
	profiles/assignments.c profiles/assignments.h \
	profiles/build.c profiles/build.h \
	profiles/build_network.c profiles/builder.h \
	profiles/compile.c profiles/compile.h \
	profiles/decision.c profiles/decision.h \
	profiles/decision_text.c profiles/decision_text.h \
	profiles/diagnostics.c profiles/diagnostics.h \
	profiles/expand.c profiles/expand.h \
	profiles/extends.c profiles/extends.h \
	profiles/guarding.c profiles/guarding.h \
	profiles/host.c profiles/host.h \
	profiles/load.c profiles/load.h \
	profiles/match.c profiles/match.h \
	profiles/nearest.c profiles/nearest.h \
	profiles/network.c profiles/network.h profiles/endpoint.c \
	profiles/network_check.c profiles/network_check.h \
	profiles/network_pack.c profiles/network_pack.h \
	profiles/origin.h \
	profiles/outline.c profiles/outline.h \
	profiles/parse.c profiles/parse.h \
	profiles/values.c profiles/values_network.c \
	profiles/placing.c profiles/placing.h \
	profiles/plan.c profiles/plan.h \
	profiles/private.c profiles/private.h \
	profiles/profile.c profiles/profile.h \
	profiles/protect.c profiles/protect.h \
	profiles/retention.c profiles/retention.h \
	profiles/rulepath.c profiles/rulepath.h \
	profiles/ruleset.c profiles/ruleset.h \
	profiles/scan.c profiles/scan.h \
	profiles/schema.c profiles/schema.h \
	profiles/seal.c profiles/seal.h \
	profiles/seal_print.c \
	profiles/seal_table.c profiles/seal_table.h \
	profiles/text.c profiles/text.h
libprofiles_la_CFLAGS = $(AM_CFLAGS) $(CONFIG_CFLAGS) $(SECCOMP_CFLAGS) \
	$(IDN2_CFLAGS)
libprofiles_la_LIBADD = libcommon.la $(CONFIG_LIBS) $(IDN2_LIBS)

dist_profiles_DATA = profiles/base.conf profiles/strict.conf
