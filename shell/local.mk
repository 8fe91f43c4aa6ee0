bin_PROGRAMS += wardsh
wardsh_SOURCES = shell/wardsh.c shell/environment.c shell/environment.h \
	$(reports)
wardsh_CFLAGS = $(program_cflags)
wardsh_LDFLAGS = $(program_ldflags)
wardsh_LDADD = libcommon.la
