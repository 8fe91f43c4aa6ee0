/* SPDX-License-Identifier: ISC */
/* Notified connects, on the root side. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <syslog.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/clock.h"
#include "common/fd.h"
#include "common/places.h"
#include "sandbox/at_once.h"
#include "sandbox/caller.h"
#include "sandbox/connects.h"
#include "sandbox/notify.h"
#include "sandbox/peer.h"
#include "sandbox/unshown.h"

#define WAITING_MAX 64 /* connects at once, of all sessions */
#define LOOK_MS     100
#define RESTART_MS  1000
#define SAY_MS      60000

/* A connect that the connector has been given. */
struct waiting {
	struct ward_watch watch; /* first: the callback casts back */
	struct waiting *next;
	struct ward_connects *connects;
	int listener_fd; /* of its own: the session's may go */
	uint64_t id;
	pid_t tid, pid;
	char program[32];
	char session[32];
	char *unshown; /* what Ward hides, if it means that; or NULL */
};

struct ward_connects {
	struct ward_watch watch; /* first: the connector's end */
	struct ward_connects_setup setup;
	struct ward_at_once at_once;
	pid_t connector; /* -1: there is none */
	int64_t started_ms, said_ms;
	const char *lost; /* its end, to be told: a row's operation */
	const char *lost_what;
	struct ward_watch look; /* a timer */
	bool looking;
	struct waiting *waiting;
	size_t n_waiting;
};

static void
answer(int listener_fd, uint64_t id, int error)
{
	struct seccomp_notif_resp response = { .id = id, .error = -error };

	(void)ward_notify_answer(listener_fd, &response);
}

static void
report(const struct ward_connects *c, const char *session, pid_t pid,
    const char *program, const char *target, int error,
    const struct ward_rule *rule)
{
	struct ward_refused_act act = {
		.kind = "unix",
		.operation = "connect",
		.target = target,
		.pid = pid,
		.program = program,
		.errnum = error,
		.confirmed = true,
		.rule = rule,
	};

	(void)snprintf(act.session, sizeof(act.session), "%s", session);
	ward_recorder_violation(c->setup.recorder, &act);
}

/* --- the connector as a process --- */

static void
end_connector(struct ward_connects *c)
{
	if (c->connector <= 0)
		return;
	ward_loop_remove(c->setup.loop, &c->watch);
	(void)close(c->watch.fd);
	c->watch.fd = -1;
	(void)kill(c->connector, SIGKILL);
	/* or the sandbox's pid namespace could not end */
	while (waitpid(c->connector, NULL, 0) < 0 && errno == EINTR)
		;
	c->connector = -1;
}

/* The account can end it: one line in a while. */
static void
say(struct ward_connects *c, const char *what)
{
	int64_t now = ward_now_ms();

	if (c->said_ms != 0 && now - c->said_ms < SAY_MS)
		return;
	c->said_ms = now;
	syslog(LOG_WARNING, "ward: no connects to Unix sockets: %s", what);
}

static void
set_look(struct ward_connects *c, bool on)
{
	/* set anew by each connect, it would never come */
	if (c->looking == on)
		return;
	const struct timespec every = { .tv_nsec = on ? LOOK_MS * 1000000 : 0 };
	const struct itimerspec timer = { every, every };

	if (timerfd_settime(c->look.fd, 0, &timer, NULL) == 0)
		c->looking = on;
}

static void
tell_lost(struct ward_connects *c)
{
	if (c->lost == NULL)
		return;
	say(c, c->lost_what);
	ward_recorder_internal(c->setup.recorder, c->lost, "connects");
	c->lost = NULL;
}

/*
 * Its sockets close, so what waits for it is refused.  Told at the next look:
 * where it ended with the sandbox there is none.
 */
static void
lose_connector(struct ward_connects *c, const char *operation, const char *what)
{
	end_connector(c);
	tell_lost(c); /* of the one before it */
	c->lost = operation;
	c->lost_what = what;
	set_look(c, true);
}

static void
on_connector(struct ward_watch *watch, uint32_t events)
{
	/* the watch is the first member */
	struct ward_connects *c = (struct ward_connects *)(void *)watch;

	(void)events;
	/* it never says anything here: this is its end */
	lose_connector(c, "connector-ended", "the connector has ended");
}

/* Nothing of what waits for a stopped one would ever be answered. */
static void
look_at_connector(struct ward_connects *c)
{
	siginfo_t info = { .si_pid = 0 };

	if (c->connector > 0 &&
	    waitid(P_PID, (id_t)c->connector, &info, WSTOPPED | WNOHANG) == 0 &&
	    info.si_pid == c->connector)
		lose_connector(c, "connector-stopped",
		    "the connector was stopped, and is ended");
}

static int
start_connector(struct ward_connects *c, struct err *err)
{
	c->started_ms = ward_now_ms();
	c->connector = ward_connector_start(&c->setup.of, &c->watch.fd, err);
	if (c->connector < 0)
		return (int)c->connector;
	int r = ward_loop_add(c->setup.loop, &c->watch, EPOLLIN, err);
	if (r != 0)
		end_connector(c);
	return r;
}

/* There is one, or a new one may be started. */
static bool
has_connector(struct ward_connects *c)
{
	struct err err = { 0 };

	if (c->connector > 0)
		return true;
	if (ward_now_ms() - c->started_ms < RESTART_MS)
		return false;
	int r = start_connector(c, &err);
	/* init has ended, and so does the sandbox */
	if (r != 0 && r != -ESRCH)
		say(c, err.text);
	return r == 0;
}

/* --- what waits --- */

static void
waiting_free(struct waiting *w)
{
	struct waiting **at = &w->connects->waiting;

	while (*at != w)
		at = &(*at)->next;
	*at = w->next;
	w->connects->n_waiting--;
	ward_loop_remove(w->connects->setup.loop, &w->watch);
	(void)close(w->watch.fd);
	(void)close(w->listener_fd);
	free(w->unshown);
	free(w);
}

/* Callers that have died, or that a signal wants to go on. */
static void
on_look(struct ward_watch *watch, uint32_t events)
{
	struct ward_connects *c = (struct ward_connects *)((char *)watch -
	    offsetof(struct ward_connects, look));
	uint64_t ticks;

	(void)events;
	(void)!read(watch->fd, &ticks, sizeof(ticks));
	tell_lost(c);
	look_at_connector(c);
	for (struct waiting *w = c->waiting, *next; w != NULL; w = next) {
		next = w->next;
		if (ioctl(w->listener_fd, SECCOMP_IOCTL_NOTIF_ID_VALID,
			&w->id) != 0 &&
		    errno == ENOENT)
			waiting_free(w);
		else if (ward_caller_has_signal(w->tid))
			/* the connector gives up, and says how it ended */
			(void)shutdown(w->watch.fd, SHUT_WR);
	}
	if (c->waiting == NULL && c->lost == NULL)
		set_look(c, false);
}

/* An errno for what was found, or 0: connect to it. */
static int
judge(struct waiting *w, int place_fd)
{
	const struct ward_connects *c = w->connects;
	char path[PATH_MAX];
	struct stat st;

	/* in the view, from its root */
	if (!ward_fd_path(place_fd, path) || fstat(place_fd, &st) != 0)
		return EACCES;
	if (!S_ISSOCK(st.st_mode)) {
		/* a mask stands for it, which a link may have led to */
		if (w->unshown == NULL &&
		    ward_plan_decide(c->setup.plan, path).state == WARD_HIDDEN)
			w->unshown = strdup(path);
		return ECONNREFUSED;
	}
	struct ward_socket_verdict verdict =
	    ward_plan_decide_socket(c->setup.plan, path);
	if (verdict.state == WARD_SOCKET_OPEN)
		return 0;
	/* others' sockets in a tree that is shared are not its own */
	if (verdict.state == WARD_SOCKET_OWN && st.st_uid == c->setup.of.uid)
		return 0;
	report(c, w->session, w->pid, w->program, path, EACCES, verdict.rule);
	/* that is its row */
	free(w->unshown);
	w->unshown = NULL;
	return EACCES;
}

/* It found nothing, and without Ward it would have. */
static void
report_unshown(const struct waiting *w, int error)
{
	const struct ward_connects *c = w->connects;

	if (w->unshown == NULL || error == 0 || error == EINTR)
		return;
	report(c, w->session, w->pid, w->program, w->unshown, error,
	    ward_plan_decide_socket(c->setup.plan, w->unshown).rule);
}

/* 0 or -errno: then the connector waits for nothing. */
static int
answer_place(struct waiting *w, int place_fd)
{
	struct ward_wire wire;
	const struct ward_wire_result judged = {
		.error = (uint32_t)(place_fd < 0 ? EACCES : judge(w, place_fd)),
	};

	int r = ward_wire_put_judged(&wire, &judged);
	return r == 0 ? ward_fd_send(w->watch.fd, wire.data, wire.size, NULL, 0)
		      : r;
}

static void
on_answer(struct ward_watch *watch, uint32_t events)
{
	/* the watch is the first member */
	struct waiting *w = (struct waiting *)(void *)watch;
	struct ward_wire_result result = { .error = ECONNREFUSED };
	struct ward_wire wire;
	int fd = -1;
	size_t n_fds = 1;

	(void)events;
	ssize_t n = ward_fd_receive(
	    watch->fd, wire.data, sizeof(wire.data), &fd, &n_fds, NULL, -1);
	if (n == -EAGAIN)
		return;
	wire.size = n > 0 ? (size_t)n : 0;
	if (n_fds == 0)
		fd = -1;
	if (ward_wire_type(&wire) != WARD_WIRE_PLACE ||
	    answer_place(w, fd) != 0) {
		if (ward_wire_get_connected(&wire, &result) != 0)
			result.error = ECONNREFUSED;
		report_unshown(w, (int)result.error);
		answer(w->listener_fd, w->id, (int)result.error);
		waiting_free(w);
	}
	if (fd >= 0)
		(void)close(fd);
}

static int
hand_over(const struct ward_connects *c, const struct ward_caller *caller,
    int answer_fd)
{
	const int fds[WARD_CONNECT_FDS] = {
		[WARD_CONNECT_SOCKET] = caller->socket_fd,
		[WARD_CONNECT_ANSWER] = answer_fd,
		[WARD_CONNECT_BASE] = caller->base_dfd,
	};
	struct ward_wire wire;
	int r = ward_wire_put_connect(&wire, &caller->request);

	if (r == 0)
		r = ward_fd_send(c->watch.fd, wire.data, wire.size, fds,
		    caller->base_dfd < 0 ? WARD_CONNECT_BASE
					 : WARD_CONNECT_FDS);
	return -r;
}

/* Who makes it may be gone when egress tells of the connection. */
static void
remember_owner(const struct ward_connects *c, const struct ward_caller *caller,
    const char *session)
{
	struct ward_owner owner = { .pid = caller->pid };

	if ((caller->domain != AF_INET && caller->domain != AF_INET6) ||
	    caller->type != SOCK_STREAM)
		return;
	(void)snprintf(
	    owner.program, sizeof(owner.program), "%s", caller->program);
	(void)snprintf(owner.session, sizeof(owner.session), "%s", session);
	owner.forward = ward_peer_is_sshd(caller->pid);
	ward_owners_mark(c->setup.owners, caller->socket_fd, &owner);
}

/* Gives the connect away; an errno, or 0: it is answered later. */
static int
wait_for(struct ward_connects *c, const struct ward_caller *caller,
    int listener_fd, const char *session, uint64_t id)
{
	int pair[2];

	if (!has_connector(c))
		return ECONNREFUSED;
	if (c->n_waiting >= WAITING_MAX)
		return EAGAIN;
	_cleanup_free_ struct waiting *w = calloc(1, sizeof(*w));
	if (w == NULL)
		return ENOMEM;
	_cleanup_fd_ int own_fd = fcntl(listener_fd, F_DUPFD_CLOEXEC, 0);
	if (own_fd < 0 ||
	    socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
		return EAGAIN;
	_cleanup_fd_ int ours = pair[0];
	_cleanup_fd_ int theirs = pair[1];
	*w = (struct waiting){
		.watch = { .fd = ours, .callback = on_answer },
		.connects = c,
		.listener_fd = own_fd,
		.id = id,
		.tid = caller->tid,
		.pid = caller->pid,
	};
	(void)snprintf(w->program, sizeof(w->program), "%s", caller->program);
	(void)snprintf(w->session, sizeof(w->session), "%s", session);
	if (ward_loop_add(c->setup.loop, &w->watch, EPOLLIN, NULL) != 0)
		return EAGAIN;
	int r = hand_over(c, caller, theirs);
	if (r != 0) {
		ward_loop_remove(c->setup.loop, &w->watch);
		return r;
	}
	w->unshown = ward_unshown_place(c->setup.plan, &c->setup.of, caller);
	(void)ward_steal_fd(&own_fd);
	(void)ward_steal_fd(&ours);
	if (c->waiting == NULL)
		set_look(c, true);
	w->next = c->waiting;
	c->waiting = ward_steal_pointer(&w);
	c->n_waiting++;
	return 0;
}

/* --- one connect --- */

/* What no connector needs to see; an errno, 0 if it must, -1: it is done. */
static int
decide_here(const struct ward_connects *c, struct ward_caller *caller,
    const char *session)
{
	const char *target =
	    caller->path[0] == '\0' ? "a socket's address" : caller->path;
	const struct ward_rule *closed =
	    ward_plan_decide_socket(c->setup.plan, "/").rule;
	int error = 0;

	if (!ward_caller_socket_is_of(caller, c->setup.init))
		/* somebody outside made it, and handed it in */
		error = EACCES;
	else if (caller->domain == AF_UNIX && caller->type == SOCK_DGRAM)
		error = EPERM;
	if (error != 0) {
		report(c, session, caller->pid, caller->program, target, error,
		    closed);
		return error;
	}
	if (strcmp(caller->path, WARD_AGENT_SOCKET) != 0)
		return ward_unshown_open(c->setup.plan, &c->setup.of, caller);
	error = c->setup.ask_agent(
	    c->setup.context, caller->socket_fd, session, caller->pid);
	return error == 0 ? -1 : error;
}

void
ward_connects_take(struct ward_connects *connects, int listener_fd,
    const char *session, const struct seccomp_notif *request)
{
	struct ward_caller caller;
	uint64_t id = request->id;
	int r = ward_caller_read(&request->data, (pid_t)request->pid, &caller);

	/* what was read belongs to this call only if it still waits */
	if (ioctl(listener_fd, SECCOMP_IOCTL_NOTIF_ID_VALID, &id) != 0)
		r = errno;
	if (r == 0)
		r = decide_here(connects, &caller, session);
	if (r == 0) {
		remember_owner(connects, &caller, session);
		r = ward_at_once_connect(&connects->at_once, &caller);
	}
	if (r == 0)
		r = wait_for(connects, &caller, listener_fd, session, id);
	/* before the caller goes on: it may close its own, and mean it */
	ward_caller_clear(&caller);
	if (r != 0)
		answer(listener_fd, id, r < 0 ? 0 : r);
}

int
ward_connects_start(const struct ward_connects_setup *setup,
    struct ward_connects **connects, struct err *err)
{
	struct ward_connects *c = calloc(1, sizeof(*c));

	if (c == NULL)
		return ward_err_sys(err, ENOMEM, "the connects");
	c->setup = *setup;
	c->started_ms = -RESTART_MS;
	c->connector = -1;
	c->watch.fd = -1;
	c->watch.callback = on_connector;
	c->look.callback = on_look;
	c->look.fd =
	    timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	int r = c->look.fd < 0 ? ward_err_sys(err, errno, "timerfd") : 0;
	if (r == 0)
		r = ward_loop_add(setup->loop, &c->look, EPOLLIN, err);
	if (r != 0) {
		ward_connects_stop(c);
		return r;
	}
	*connects = c;
	return 0;
}

void
ward_connects_prepare(struct ward_connects *connects)
{
	(void)has_connector(connects);
}

void
ward_connects_stop(struct ward_connects *connects)
{
	if (connects == NULL)
		return;
	while (connects->waiting != NULL)
		waiting_free(connects->waiting);
	end_connector(connects);
	if (connects->look.fd >= 0) {
		ward_loop_remove(connects->setup.loop, &connects->look);
		(void)close(connects->look.fd);
	}
	free(connects);
}
