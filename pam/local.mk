pam_LTLIBRARIES = pam_ward.la
pam_ward_la_SOURCES = \
	pam/arm.c pam/arm.h \
	pam/caller.c pam/caller.h \
	pam/enter.c pam/enter.h \
	pam/join.c pam/join.h \
	pam/pam_ward.c \
	pam/poison.c pam/poison.h \
	pam/service.c pam/service.h \
	pam/spawn.c pam/spawn.h
# Other people's programs have no sanitizer in them, so neither has the module.
pam_ward_la_CFLAGS = $(WARD_CFLAGS)
EXTRA_pam_ward_la_DEPENDENCIES = pam/pam_ward.map
# nodelete: the fork handlers must outlive pam_end
pam_ward_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -shared \
	-Wl,-z,nodelete -Wl,--version-script=$(srcdir)/pam/pam_ward.map
if SANITIZERS
noinst_LTLIBRARIES += libplain.la
libplain_la_SOURCES = $(libcommon_la_SOURCES)
libplain_la_CFLAGS = $(WARD_CFLAGS)
pam_ward_la_LIBADD = libplain.la -lpam
else
pam_ward_la_LIBADD = libcommon.la -lpam
endif

pamdir = @pamdir@
pamconfigsdir = $(datadir)/pam-configs
nodist_pamconfigs_DATA = pam/ward-close pam/ward-open
CLEANFILES += $(nodist_pamconfigs_DATA)
EXTRA_DIST += pam/pam_ward.map pam/ward-close.in pam/ward-open.in

pam/ward-close: pam/ward-close.in Makefile
	$(AM_V_GEN)$(MKDIR_P) pam && \
	$(SED) 's,@wardsh@,$(bindir)/wardsh,' $(srcdir)/pam/ward-close.in >$@
pam/ward-open: pam/ward-open.in Makefile
	$(AM_V_GEN)$(MKDIR_P) pam && \
	$(SED) 's,@wardsh@,$(bindir)/wardsh,' $(srcdir)/pam/ward-open.in >$@

# libtool's archive file is of no use to libpam
install-data-hook:
	rm -f $(DESTDIR)$(pamdir)/pam_ward.la

# without that archive libtool does not know what to remove
uninstall-hook:
	rm -f $(DESTDIR)$(pamdir)/pam_ward.so
