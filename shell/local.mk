bin_PROGRAMS += wardsh
wardsh_SOURCES = shell/wardsh.c \
	shell/block.c shell/block.h \
	shell/environment.c shell/environment.h \
	shell/parent.c shell/parent.h \
	shell/stream.c shell/stream.h \
	$(reports)
wardsh_CFLAGS = $(program_cflags)
wardsh_LDFLAGS = $(program_ldflags)
wardsh_LDADD = libcommon.la
