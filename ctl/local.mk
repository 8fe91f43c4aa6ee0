# What of wardctl is pure, for it and for its tests.
noinst_LTLIBRARIES += libctl.la
libctl_la_SOURCES = \
	ctl/adopt_text.c ctl/adopt_check.h ctl/old_keys.h \
	ctl/assign.c ctl/assign.h \
	ctl/conf.c ctl/conf.h \
	ctl/edit.c ctl/edit.h \
	ctl/fence_text.c ctl/fence.h \
	ctl/groups.c ctl/groups.h \
	ctl/pam_lines.c ctl/pam_lines.h \
	ctl/record_text.c ctl/record.h \
	ctl/run.c ctl/run.h \
	ctl/sshd.c ctl/sshd.h \
	ctl/stack.c ctl/stack.h ctl/stack_check.c \
	ctl/sudoers.c ctl/sudoers.h \
	ctl/subids.c ctl/subids.h \
	ctl/when.c ctl/when.h
libctl_la_LIBADD = libprofiles.la

sbin_PROGRAMS += wardctl
wardctl_SOURCES = \
	ctl/account.c \
	ctl/account_files.c ctl/account_files.h \
	ctl/account_list.c \
	ctl/account_ready.c ctl/account_ready.h \
	ctl/accounts.c ctl/accounts.h \
	ctl/adopt.c \
	ctl/adopt_check.c ctl/adopt_check.h \
	ctl/adopt_steps.c ctl/adopt_steps.h \
	ctl/apply.c ctl/apply.h \
	ctl/asked.c ctl/asked.h \
	ctl/args.c ctl/args.h \
	ctl/commands.c ctl/ctl.h \
	ctl/doctor.c ctl/doctor.h \
	ctl/doctor_accounts.c \
	ctl/doctor_doors.c \
	ctl/doctor_files.c \
	ctl/doctor_kernel.c \
	ctl/doctor_machine.c \
	ctl/doctor_network.c \
	ctl/doctor_sshd.c \
	ctl/doctor_sudoers.c \
	ctl/doctor_units.c \
	ctl/enable.c \
	ctl/explain.c \
	ctl/export.c \
	ctl/explain_host.c ctl/explain_host.h \
	ctl/fence.c \
	ctl/follow.c ctl/follow.h \
	ctl/grants.c ctl/grants.h \
	ctl/home.c ctl/home.h \
	ctl/home_move.c \
	ctl/list.c ctl/list.h \
	ctl/live.c \
	ctl/old_keys.c ctl/old_keys.h \
	ctl/outside.c ctl/outside.h \
	ctl/probe.c ctl/probe.h \
	ctl/processes.c ctl/processes.h \
	ctl/profile.c \
	ctl/profile_show.c \
	ctl/prune.c \
	ctl/record.c \
	ctl/requests.c \
	ctl/rules.c ctl/rules.h \
	ctl/sandboxes.c ctl/sandboxes.h \
	ctl/say.c \
	ctl/services.c ctl/services.h \
	ctl/show.c ctl/show.h \
	ctl/show_connections.c \
	ctl/show_session.c \
	ctl/show_sums.c \
	ctl/stores.c ctl/stores.h \
	ctl/verify.c \
	ctl/wardctl.c \
	egress/route.c egress/rules.c $(reports)
wardctl_CFLAGS = $(program_cflags) $(SQLITE_CFLAGS) $(CONFIG_CFLAGS) \
	$(SECCOMP_CFLAGS) $(JANSSON_CFLAGS) $(NFTABLES_CFLAGS) $(MNL_CFLAGS)
wardctl_LDFLAGS = $(program_ldflags)
wardctl_LDADD = libctl.la libsandbox.la libdb.la libprofiles.la libcommon.la \
	$(SQLITE_LIBS) $(CONFIG_LIBS) $(SECCOMP_LIBS) $(JANSSON_LIBS) $(NFTABLES_LIBS) $(MNL_LIBS) -lpam

# Inside, for the account.
bin_PROGRAMS += ward
ward_SOURCES = \
	ctl/args.c ctl/args.h ctl/ctl.h \
	ctl/asked.c ctl/asked.h \
	ctl/list.c ctl/list.h \
	ctl/rules.c ctl/rules.h \
	ctl/say.c \
	ctl/ward.c \
	ctl/ward_explain.c \
	ctl/ward_request.c \
	ctl/ward_status.c \
	ctl/ward_why.c
ward_CFLAGS = $(program_cflags) $(JANSSON_CFLAGS)
ward_LDFLAGS = $(program_ldflags)
ward_LDADD = libprofiles.la libcommon.la $(JANSSON_LIBS)

systemunitdir = @systemunitdir@
nodist_systemunit_DATA = ctl/ward-fence.service
nftablesunitdir = $(systemunitdir)/nftables.service.d
nodist_nftablesunit_DATA = ctl/nftables-ward.conf
modulesloaddir = @modulesloaddir@
dist_modulesload_DATA = ctl/ward-fuse.conf
EXTRA_DIST += ctl/ward-fence.service.in ctl/nftables-ward.conf.in
CLEANFILES += ctl/ward-fence.service ctl/nftables-ward.conf
set_sbindir = $(AM_V_GEN)$(MKDIR_P) ctl && sed 's,@sbindir\@,$(sbindir),g'
ctl/ward-fence.service: $(srcdir)/ctl/ward-fence.service.in Makefile
	$(set_sbindir) $(srcdir)/ctl/ward-fence.service.in >$@
ctl/nftables-ward.conf: $(srcdir)/ctl/nftables-ward.conf.in Makefile
	$(set_sbindir) $(srcdir)/ctl/nftables-ward.conf.in >$@
