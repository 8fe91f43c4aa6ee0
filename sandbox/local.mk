noinst_LTLIBRARIES += libsandbox.la
libsandbox_la_SOURCES = \
	sandbox/alias.c sandbox/alias.h \
	sandbox/budget.c sandbox/budget.h \
	sandbox/inside.c sandbox/inside.h \
	sandbox/fate.c sandbox/fate.h \
	sandbox/frame.c sandbox/frame.h \
	sandbox/journal_text.c sandbox/journal.h \
	sandbox/layout.c sandbox/layout.h \
	sandbox/listeners.c sandbox/listeners.h \
	sandbox/lookout.c sandbox/lookout.h \
	sandbox/looks_start.c sandbox/looks_start.h \
	sandbox/masks_fuse.c sandbox/masks_fuse.h \
	sandbox/masks_tree.c sandbox/masks_tree.h \
	sandbox/mounts.c sandbox/mounts.h \
	sandbox/own_files.c sandbox/own_files.h \
	sandbox/process.c sandbox/process.h \
	sandbox/program.c sandbox/program.h \
	sandbox/readme.c sandbox/readme.h \
	sandbox/refuse.c sandbox/refuse.h \
	sandbox/routes.c sandbox/routes.h \
	sandbox/servant.c sandbox/servant.h \
	sandbox/search.c sandbox/search.h \
	sandbox/search_git.c sandbox/search_git.h \
	sandbox/search_look.c sandbox/search_look.h \
	sandbox/steer.c sandbox/steer.h \
	sandbox/steer_lookup.c sandbox/steer_redirect.c \
	sandbox/stray.c sandbox/stray.h \
	sandbox/walk.c sandbox/walk.h
nodist_libsandbox_la_SOURCES = sandbox/steer.skel.h
libsandbox_la_CFLAGS = $(AM_CFLAGS) $(MNL_CFLAGS)
libsandbox_la_LIBADD = libprofiles.la $(MNL_LIBS)

wardlibexecdir = @wardlibexecdir@
wardlibexec_PROGRAMS += warden ward-init connector masks redirect

# Needs nothing of the view that it holds.
ward_init_SOURCES = sandbox/init.c
ward_init_CFLAGS = $(static_cflags)
ward_init_LDFLAGS = $(static_ldflags)

# Nothing of the view is loaded into it.
connector_SOURCES = \
	common/clock.c common/clock.h \
	common/fd.c common/fd.h \
	common/number.c common/number.h \
	common/wire.c common/wire.h \
	sandbox/connector.c
connector_CFLAGS = $(static_cflags) -pthread
connector_LDFLAGS = $(static_ldflags) -pthread

# What the account asks of it comes by the kernel alone.
masks_SOURCES = \
	common/clock.c common/clock.h \
	common/fd.c common/fd.h \
	common/path.c common/path.h \
	common/wire.c common/wire.h \
	sandbox/masks.c \
	sandbox/masks_fuse.c sandbox/masks_fuse.h \
	sandbox/masks_tree.c sandbox/masks_tree.h
masks_CFLAGS = $(static_cflags)
masks_LDFLAGS = $(static_ldflags)

# The one program of a sandbox that loads nftables' library.
redirect_SOURCES = \
	sandbox/redirect.c \
	sandbox/refuse.h sandbox/program.h \
	sandbox/routes.c sandbox/routes.h $(reports)
redirect_CFLAGS = $(program_cflags) $(NFTABLES_CFLAGS) $(MNL_CFLAGS)
redirect_LDFLAGS = $(program_ldflags)
redirect_LDADD = libcommon.la $(NFTABLES_LIBS) $(MNL_LIBS)

# The BPF program of a sandbox, as C that loads it.  Its debug information is
# of use to the verifier only; the paths in it are the same in every build.
EXTRA_DIST += sandbox/steer.bpf.c
BUILT_SOURCES += sandbox/steer.skel.h
CLEANFILES += sandbox/steer.bpf.o
sandbox/steer.bpf.o: sandbox/steer.bpf.c sandbox/routes.h
	$(AM_V_GEN)$(MKDIR_P) sandbox && $(BPF_CLANG) -O2 -g -Wall -Werror \
	    -target bpf -I$(abs_top_srcdir) \
	    -isystem /usr/include/$(multiarch) \
	    -ffile-prefix-map=$(abs_top_srcdir)/= \
	    -fdebug-compilation-dir=. \
	    -c $(abs_top_srcdir)/sandbox/steer.bpf.c -o $@
sandbox/steer.skel.h: sandbox/steer.bpf.o
	$(AM_V_GEN)$(BPFTOOL) gen skeleton -L sandbox/steer.bpf.o name steer \
	    >$@.new && mv $@.new $@

warden_SOURCES = \
	sandbox/admin.c \
	sandbox/agent.c \
	sandbox/appeared.c sandbox/appeared.h \
	sandbox/at_once.c sandbox/at_once.h \
	sandbox/agent_socket.c sandbox/agent_socket.h \
	sandbox/brief.c sandbox/brief.h \
	sandbox/caller.c sandbox/caller.h \
	sandbox/cgroup.c sandbox/cgroup.h \
	sandbox/connector_start.c sandbox/connector_start.h \
	sandbox/connects.c sandbox/connects.h \
	sandbox/contain.c sandbox/contain.h \
	sandbox/control.c \
	sandbox/deadline.c sandbox/deadline.h \
	sandbox/egress.c sandbox/egress.h \
	sandbox/explain.c sandbox/explain.h \
	sandbox/fence.c sandbox/fence.h \
	sandbox/cover.c sandbox/cover.h \
	sandbox/guests.c sandbox/guests.h \
	sandbox/inherited.c sandbox/inherited.h \
	sandbox/job.c sandbox/job.h \
	sandbox/judge.c sandbox/judge.h \
	sandbox/journal.c sandbox/journal.h \
	sandbox/leftover.c \
	sandbox/keeper.c sandbox/keeper.h \
	sandbox/look_call.c sandbox/look_call.h \
	sandbox/looks.c sandbox/looks.h \
	sandbox/looks_known.c sandbox/looks_known.h \
	sandbox/loop.c sandbox/loop.h \
	sandbox/notify.c sandbox/notify.h \
	sandbox/observer.h sandbox/observer_notify.c \
	sandbox/opener.c sandbox/opener.h \
	sandbox/owners.c sandbox/owners.h \
	sandbox/peer.c sandbox/peer.h \
	sandbox/policy.c \
	sandbox/recent.c sandbox/recent.h \
	sandbox/recorder.c sandbox/recorder.h \
	sandbox/refused_call.c sandbox/refused_call.h \
	sandbox/refused_login.c sandbox/refused_login.h \
	sandbox/remote.c sandbox/remote.h \
	sandbox/rows.c sandbox/rows.h \
	sandbox/ruleset.c sandbox/ruleset.h \
	sandbox/rundir.c sandbox/rundir.h \
	sandbox/sandbox.h \
	sandbox/setup.c \
	sandbox/strays.c sandbox/strays.h \
	sandbox/traffic.c sandbox/traffic.h \
	sandbox/unsealed.c \
	sandbox/unshown.c sandbox/unshown.h \
	sandbox/view.c sandbox/view.h \
	sandbox/warden.c \
	egress/route.c egress/rules.c $(reports)
warden_CFLAGS = $(program_cflags) $(SQLITE_CFLAGS) $(MNL_CFLAGS) -pthread
warden_LDFLAGS = $(program_ldflags) -pthread
warden_LDADD = libsandbox.la libdb.la libprofiles.la libcommon.la $(SQLITE_LIBS) \
	$(MNL_LIBS)
