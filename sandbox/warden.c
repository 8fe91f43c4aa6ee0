/* SPDX-License-Identifier: ISC */
/*
 * warden: the supervisor of one sandbox, on the root side.  Started by the
 * first session of a sandbox, ends with the last; takes only length-checked
 * records (common/wire.h) from outside and from inside.
 *
 * Why it is root: SYS_ADMIN for mounts, namespaces and setns; SYS_PTRACE to
 * read a notified call's path; SETUID, SETGID, DAC for walking and judging as
 * the account.  Together that is root, so none of it is dropped.
 *
 * Descriptor 3 is the socket of the first session, with its request in it; the
 * account's name in argv is for people only.
 */
#include "config.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <syslog.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/clock.h"
#include "common/fd.h"
#include "common/places.h"
#include "sandbox/appeared.h"
#include "sandbox/brief.h"
#include "sandbox/cgroup.h"
#include "sandbox/deadline.h"
#include "sandbox/inherited.h"
#include "sandbox/program.h"
#include "sandbox/refused_login.h"
#include "sandbox/sandbox.h"

#define SOCKET_FD 3
#define FIRST_MS  5000
#define END_MS    3000 /* nothing inside lives for longer than some ms of it */
#define LOCK_MS   6000 /* more than a login may hold it (pam/join.h) */

struct signals {
	struct ward_watch watch; /* first: the callback casts back */
	struct ward_sandbox *sandbox;
};

struct init_watch {
	struct ward_watch watch; /* first: the callback casts back */
	struct ward_sandbox *sandbox;
};

static void
on_signal(struct ward_watch *watch, uint32_t events)
{
	const struct signals *signals = (struct signals *)(void *)watch;
	struct signalfd_siginfo info = { .ssi_signo = 0 };

	(void)events;
	if (read(watch->fd, &info, sizeof(info)) != (ssize_t)sizeof(info))
		return;
	if (info.ssi_signo == SIGCHLD) {
		ward_egress_look(signals->sandbox->egress);
		ward_looks_look(signals->sandbox->looks);
	} else
		signals->sandbox->ending = "terminated";
}

static void
on_init(struct ward_watch *watch, uint32_t events)
{
	const struct init_watch *init = (struct init_watch *)(void *)watch;

	(void)events;
	/* the keeper, too, ends it so */
	if (init->sandbox->ending == NULL)
		init->sandbox->ending = "init ended";
}

/* The first session's request, which was there before the warden. */
static enum ward_refusal
read_first(struct ward_sandbox *s, struct err *err)
{
	struct ward_wire wire;
	uid_t uid;
	ssize_t n = ward_fd_receive(SOCKET_FD, wire.data, sizeof(wire.data),
	    NULL, NULL, NULL, ward_now_ms() + FIRST_MS);

	wire.size = n > 0 ? (size_t)n : 0;
	s->opener = ward_session_peer(SOCKET_FD, &uid);
	if (ward_wire_get_open(&wire, &s->account) == 0)
		return WARD_REFUSED_NONE;
	ward_err_set(err, EPROTO, "no request came");
	return WARD_REFUSED_PROTOCOL;
}

/* What must stand before anybody may join. */
static int
open_for_sessions(struct ward_sandbox *s, struct err *err)
{
	const struct ward_recorder_sandbox rows = {
		.id = s->rundir.id,
		.account = s->account.account,
		.uid = s->account.uid,
		.profile = s->policy.profile->name,
		.revision = s->policy.number,
		.hash = s->policy.hash,
	};
	int r = ward_loop_init(&s->loop, err);

	if (r == 0)
		r = ward_recorder_start(&rows, &s->recorder, err);
	if (r == 0)
		r = ward_control_listen(s, err);
	if (r == 0)
		r = ward_agent_listen(s, err);
	return r;
}

/* Or it would wait for an answer, with the account's lock, which the end needs.
 */
static void
refuse_first(enum ward_refusal code, const struct err *err)
{
	ward_refusal_send(SOCKET_FD, code, err->text);
	(void)close(SOCKET_FD);
}

static const char *
session_of(void *context, pid_t pid)
{
	return ward_session_of_process(context, pid);
}

/* Egress itself is started by the loop, once all else stands. */
static int
make_egress(struct ward_sandbox *s, struct err *err)
{
	const struct ward_traffic_setup traffic = {
		.recorder = s->recorder,
		.owners = s->owners,
		.diag_fd = s->container.listeners.fds[WARD_LISTENER_DIAG],
		.init = s->container.init,
		.session_of = session_of,
		.context = s,
	};
	struct ward_egress_setup egress = {
		.loop = &s->loop,
		.recorder = s->recorder,
		.listeners = &s->container.listeners,
		.redirected = s->steer.how == WARD_STEERED_REDIRECT,
		.uid = s->user,
		.gid = s->group,
	};

	if (!s->policy.profile->network.filtered)
		return 0;
	int r = ward_traffic_new(&traffic, &s->traffic, err);
	int rules_fd = r == 0 ? ward_sandbox_pack_rules(s, err) : r;
	if (rules_fd < 0)
		return rules_fd;
	egress.traffic = s->traffic;
	return ward_egress_new_take(&egress, rules_fd, &s->egress, err);
}

/* Where the routing does not know of TCP, all but loopback is unreachable. */
static int
make_strays(struct ward_sandbox *s, struct err *err)
{
	const struct ward_listeners *listeners = &s->container.listeners;
	const struct ward_strays_setup strays = {
		.loop = &s->loop,
		.recorder = s->recorder,
		.account = s->account.account,
		.log_fd = listeners->fds[WARD_LISTENER_LOG],
		.diag_fd = listeners->fds[WARD_LISTENER_DIAG],
		.net_nsfd = s->container.net_nsfd,
		.ipv6 = listeners->fds[WARD_LISTENER_TCP6] >= 0,
		.init = s->container.init,
		.session_of = session_of,
		.context = s,
	};

	if (!s->policy.profile->network.filtered ||
	    s->container.unrouted.code != 0)
		return 0;
	return ward_strays_start(&strays, &s->strays, err);
}

/* What the first session does not have to wait for. */
static int
settle(struct ward_sandbox *s, struct err *err)
{
	s->owners = ward_owners_new();
	const struct ward_connects_setup connects = {
		.loop = &s->loop,
		.recorder = s->recorder,
		.owners = s->owners,
		.plan = s->plan,
		.of = { .init_pidfd = s->container.init_pidfd,
		    .uid = s->account.uid,
		    .gid = s->account.gid,
		    .groups = s->account.groups,
		    .n_groups = s->account.n_groups },
		.init = s->container.init,
		.ask_agent = ward_agent_connect,
		.context = s,
	};
	struct ward_observer_setup setup = {
		.loop = &s->loop,
		.recorder = s->recorder,
		.plan = s->plan,
		.init = s->container.init,
		.uid = s->account.uid,
		.gid = s->account.gid,
		.groups = s->account.groups,
		.n_groups = s->account.n_groups,
	};
	const struct ward_keeper_setup keeping = {
		.loop = &s->loop,
		.recorder = s->recorder,
		.plan = s->plan,
		.layout = &s->layout,
		.mounts = &s->mounts,
		.account = &s->walk,
		.masks_device = ward_looks_device(s->looks),
		.name = s->account.account,
		.init = s->container.init,
		.init_pidfd = s->container.init_pidfd,
		.ending = &s->ending,
	};
	const struct ward_looks_setup looks = {
		.loop = &s->loop,
		.recorder = s->recorder,
		.plan = s->plan,
		.layout = &s->layout,
		.home = s->account.home,
		.ending = &s->ending,
		.session_of = session_of,
		.context = s,
	};
	int r = s->owners == NULL
	    ? ward_err_sys(err, ENOMEM, "the connections' owners")
	    : ward_connects_start(&connects, &s->connects, err);

	setup.connects = s->connects;
	if (r == 0)
		r = ward_observer_start(&setup, &s->observer, err);
	if (r == 0)
		r = ward_keeper_start(&keeping, &s->keeper, err);
	if (r == 0)
		r = ward_looks_hear(s->looks, &looks, err);
	if (r == 0)
		r = make_egress(s, err);
	if (r == 0)
		r = make_strays(s, err);
	ward_cgroup_move(getpid());
	ward_cgroup_move(s->container.init);
	/* born in that group */
	if (r == 0)
		ward_connects_prepare(s->connects);
	ward_rundir_ask_others(&s->rundir);
	return r;
}

int64_t
ward_sandbox_linger_left(const struct ward_sandbox *sandbox)
{
	/* a profile can say 30 days at most */
	int64_t linger = (int64_t)sandbox->policy.profile->linger;

	if (sandbox->empty_since_ms < 0)
		return -1;
	int64_t left = sandbox->empty_since_ms + linger * 1000 - ward_now_ms();
	return left < 0 ? 0 : left;
}

/* Of two times that are left, where -1 is for ever. */
static int64_t
sooner(int64_t a, int64_t b)
{
	return a < 0 || (b >= 0 && b < a) ? b : a;
}

/* How long the loop may sleep, -1 for ever; 0: it is time to end. */
static int
time_left(struct ward_sandbox *s)
{
	int64_t left = sooner(ward_leftover_tend(s),
	    sooner(ward_unsealed_tend(s), ward_egress_tend(s->egress)));
	int64_t stale = s->ends_at_ms < 0 ? ward_sandbox_stale_tend(s) : -1;

	if (stale == 0)
		ward_admin_end(
		    s, WARD_WIRE_GRACE, "", "its profile was changed");
	if (s->ends_at_ms >= 0)
		return ward_admin_end_left(s);
	left = sooner(left, sooner(stale, ward_sandbox_linger_left(s)));
	return left > INT32_MAX ? INT32_MAX : (int)left;
}

static int
watch_ends(struct ward_sandbox *s, struct signals *signals,
    struct init_watch *init, struct err *err)
{
	sigset_t set;

	(void)sigemptyset(&set);
	(void)sigaddset(&set, SIGTERM);
	(void)sigaddset(&set, SIGINT);
	(void)sigaddset(&set, SIGHUP);
	/* one that was stopped; of their ends others hear */
	(void)sigaddset(&set, SIGCHLD);
	/* before any thread is made, so that none takes them */
	if (sigprocmask(SIG_BLOCK, &set, NULL) != 0)
		return ward_err_sys(err, errno, "sigprocmask");
	*signals = (struct signals){
		.watch = { .callback = on_signal,
		    .fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK) },
		.sandbox = s,
	};
	*init = (struct init_watch){
		.watch = { .callback = on_init, .fd = s->container.init_pidfd },
		.sandbox = s,
	};
	if (signals->watch.fd < 0)
		return ward_err_sys(err, errno, "signalfd");
	return 0;
}

static void
run(struct ward_sandbox *s)
{
	struct err err = { 0 };

	while (s->ending == NULL) {
		int left = time_left(s);
		if (left == 0 && s->ending == NULL)
			s->ending =
			    s->ends_at_ms < 0 ? "closed" : s->end_reason;
		if (s->ending != NULL)
			break;
		if (ward_loop_run_once(&s->loop, left, &err) != 0) {
			syslog(LOG_ERR, "ward: %s", err.text);
			s->ending = "failed";
		}
	}
}

/* It goes on by itself, and says in the log what does not go. */
static void
start_prune(void)
{
	static char program[] = WARD_CTL, verb[] = "prune";
	char *argv[] = { program, verb, NULL };
	char *environment[] = { NULL };
	const struct ward_program run = {
		.path = program,
		.argv = argv,
		.environment = environment,
		.net_nsfd = -1,
	};

	if (ward_program_start(&run) < 0)
		syslog(LOG_ERR, "ward: " WARD_CTL " prune: cannot be run");
}

/*
 * One of a single session never has the name, and leaves the lock.  What is
 * done once stays so: only who holds the lock could name it, with an answer of
 * before the end.
 */
static bool
unname(struct ward_sandbox *s, int wait_ms)
{
	bool is_shared = s->policy.profile == NULL ||
	    s->policy.profile->scope != WARD_SCOPE_SESSION;

	return !is_shared || ward_rundir_unname(&s->rundir, wait_ms);
}

/*
 * The end, in this order: nobody joins; nothing inside lives; what was seen
 * is recorded; the rows are closed; the name and the directory go.  The name
 * goes before the rows where no login holds the lock: a slow disk can keep the
 * recorder up to where the deadline ends all of it.
 */
static void
end(struct ward_sandbox *s)
{
	ward_deadline_set(s->account.account, END_MS);
	ward_rundir_close(&s->rundir);
	ward_sessions_turn_away(s);
	ward_connects_stop(s->connects);
	ward_egress_stop(s->egress);
	ward_admin_stop(s);
	ward_traffic_free(s->traffic);
	ward_strays_stop(s->strays);
	ward_owners_free(s->owners);
	ward_looks_stop(s->looks);
	/* wardsh's socket, too, with what nobody accepted */
	ward_brief_begin();
	ward_container_end(&s->container);
	ward_brief_end();
	bool unnamed = unname(s, 0);
	if (s->observer != NULL)
		ward_observer_stop(s->observer);
	ward_keeper_stop(s->keeper);
	if (s->recorder != NULL)
		ward_appeared_tell(
		    s->plan, &s->walk, s->recorder, &s->appeared);
	ward_agent_stop(s);
	ward_sessions_end(s, s->ending);
	ward_openers_clear(&s->openers);
	ward_fence_forget(&s->fence);
	bool prune_due =
	    s->recorder != NULL && ward_recorder_stop(s->recorder, s->ending);
	if (!unnamed)
		(void)unname(s, LOCK_MS);
	if (prune_due)
		start_prune();
	ward_sandbox_clear(s);
}

/*
 * It did not end by itself or by order: whoever is in hears nothing of it but
 * the end, so that this line is the trace of why.
 */
static void
tell_end(const struct ward_sandbox *s, const struct err *err)
{
	const char *why = err->text[0] != '\0' ? err->text : s->ending;
	char line[1024];

	assert(s->ending != NULL);
	if (s->ends_at_ms >= 0 || strcmp(s->ending, "closed") == 0 ||
	    strcmp(s->ending, "terminated") == 0)
		return;
	if (s->n_sessions == 0) {
		/* the module, which gets no answer, has the code */
		syslog(LOG_ERR, "ward: sandbox of %s: %s", s->account.account,
		    why);
		return;
	}
	ward_refusal_line(
	    line, sizeof(line), WARD_REFUSED_ENDED, s->account.account, why);
	syslog(LOG_ERR, "%s", line);
}

static int
serve(struct ward_sandbox *s, struct err *err)
{
	struct signals signals = { .watch.fd = -1 };
	struct init_watch init;
	enum ward_refusal code = WARD_REFUSED_PROTOCOL;
	int r = watch_ends(s, &signals, &init, err);

	s->since = ward_wall_now();

	if (r == 0)
		r = ward_brief_init(err);
	if (r == 0)
		r = open_for_sessions(s, err);
	if (r == 0) {
		code = WARD_REFUSED_VIEW;
		r = ward_container_await(&s->container, err);
	}
	if (r == 0) {
		/* what it answers where it fails */
		code = WARD_REFUSED_PROTOCOL;
		r = ward_session_add_first_take(s, SOCKET_FD, err);
	} else {
		refuse_first(code, err);
	}
	bool refused = r != 0 && s->recorder != NULL;
	if (r == 0)
		r = ward_loop_add(&s->loop, &signals.watch, EPOLLIN, err);
	if (r == 0)
		r = ward_loop_add(&s->loop, &init.watch, EPOLLIN, err);
	if (r == 0)
		r = settle(s, err);
	if (r == 0)
		run(s);
	else
		s->ending = "failed";
	tell_end(s, err);
	if (refused)
		ward_refused_login_tell(
		    s, &s->account, s->opener, code, err->text);
	end(s);
	if (signals.watch.fd >= 0)
		(void)close(signals.watch.fd);
	return r;
}

int
main(void)
{
	static struct ward_sandbox sandbox = {
		.seal_fd = -1,
		.dead_nsfd = -1,
		.empty_since_ms = -1,
		.least_filters = UINT_MAX,
		.look_at_ms = INT64_MAX,
		.stale_since_ms = -1,
		.stale_tell_ms = -1,
		.openers.watch.fd = -1,
		.ends_at_ms = -1,
		.hang_up_at_ms = -1,
		.rundir = { .account_dfd = -1,
		    .alive_fd = -1,
		    .control_fd = -1 },
		.container = WARD_CONTAINER_NONE,
		.steer.link_fd = -1,
	};
	struct err err = { 0 };

	openlog("ward", LOG_PID, LOG_AUTHPRIV);
	(void)signal(SIGPIPE, SIG_IGN);
	if (fcntl(SOCKET_FD, F_SETFD, FD_CLOEXEC) != 0)
		return 1;
	enum ward_refusal code = ward_inherited_drop(&err) == 0
	    ? read_first(&sandbox, &err)
	    : WARD_REFUSED_NO_WARDEN;
	if (code == WARD_REFUSED_NONE)
		code = ward_sandbox_setup(&sandbox, &err);
	if (code != WARD_REFUSED_NONE) {
		/* the module logs it, and tells the user */
		ward_refusal_send(SOCKET_FD, code, err.text);
		ward_deadline_set(sandbox.account.account, END_MS);
		ward_looks_stop(sandbox.looks);
		ward_container_end(&sandbox.container);
		ward_refused_login_first(&sandbox, code, err.text);
		ward_sandbox_clear(&sandbox);
		return 1;
	}
	return serve(&sandbox, &err) == 0 ? 0 : 1;
}
