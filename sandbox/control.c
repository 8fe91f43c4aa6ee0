/* SPDX-License-Identifier: ISC */
/*
 * Sessions, on the root side: each is a socket whose other end an opener
 * holds.  Its end is the end of the session, whoever forgot to say so.
 */
#include "config.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <syslog.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/clock.h"
#include "common/fd.h"
#include "sandbox/appeared.h"
#include "sandbox/inside.h"
#include "sandbox/process.h"
#include "sandbox/refused_login.h"
#include "sandbox/sandbox.h"

#define ENTRIES_MAX 4096 /* remembered first processes of a session */

/* A process that the opener forked. */
struct entry {
	pid_t pid;
	uint64_t started;
};

struct ward_session {
	struct ward_watch watch; /* first: the callback casts back */
	struct ward_session *next;
	struct ward_sandbox *sandbox;
	char id[WARD_SESSION_SIZE]; /* "": it has not been opened yet */
	char tty[64];               /* as its service said */
	char service[32];
	enum ward_refusal refusal; /* of one that was let in first */
	struct entry *entries;
	size_t n_entries;
};

static void
session_free(struct ward_session *session)
{
	struct ward_sandbox *s = session->sandbox;
	struct ward_session **at = &s->sessions;

	while (*at != session)
		at = &(*at)->next;
	*at = session->next;
	ward_loop_remove(&s->loop, &session->watch);
	(void)close(session->watch.fd);
	free(session->entries);
	free(session);
	if (ward_sessions_count(s) == 0 && s->empty_since_ms < 0)
		s->empty_since_ms = ward_now_ms();
}

/*
 * The opener is gone and never closed the session.  What it forked still holds
 * its terminal or its connection (sshd's own process of the account), while
 * the sandbox may live on for others, or linger.
 */
static void
end_entries(const struct ward_session *session)
{
	for (size_t i = 0; i < session->n_entries; i++)
		(void)ward_inside_kill(session->sandbox->container.init,
		    session->entries[i].pid, session->entries[i].started);
}

static void
session_end(struct ward_session *session, const char *reason)
{
	struct ward_sandbox *s = session->sandbox;
	bool was_in = session->id[0] != '\0';
	char tty[sizeof(session->tty)];

	memcpy(tty, session->tty, sizeof(tty));
	if (session->refusal != WARD_REFUSED_NONE)
		reason = "refused";
	else if (s->ends_at_ms >= 0)
		reason = s->end_reason;
	if (was_in)
		ward_recorder_session_end(
		    s->recorder, session->id, reason, session->refusal);
	session_free(session);
	ward_unsealed_soon(s);
	/* an end of the sandbox kills all, and tells by itself */
	if (s->ending != NULL)
		return;
	ward_leftover_begin(s, tty);
	if (was_in && ward_sandbox_linger_left(s) != 0)
		ward_appeared_tell(
		    s->plan, &s->walk, s->recorder, &s->appeared);
}

void
ward_session_name(struct ward_sandbox *sandbox, char name[WARD_SESSION_SIZE])
{
	(void)snprintf(name, WARD_SESSION_SIZE, "%s-%u", sandbox->rundir.id,
	    ++sandbox->n_sessions);
}

static void
add_limit(struct ward_wire_opened *m, int resource, uint64_t value)
{
	if (value == WARD_UNLIMITED)
		return;
	m->limits[m->n_limits++] = (struct ward_wire_limit){
		.resource = (uint32_t)resource,
		.value = value,
	};
}

/* Hands the sandbox out. */
static int
answer_opened(struct ward_session *session,
    const struct ward_wire_open *request, pid_t opener, struct err *err)
{
	struct ward_sandbox *s = session->sandbox;
	const struct ward_limits *limits = &s->policy.profile->limits;
	struct ward_wire_opened m = {
		/* connects, if nothing else */
		.listener = true,
		.shared = s->policy.profile->scope == WARD_SCOPE_ACCOUNT,
		.network = ward_sandbox_network(s),
	};
	const int fds[WARD_OPENED_FDS] = {
		[WARD_OPENED_INIT] = s->container.init_pidfd,
		[WARD_OPENED_DEAD] = s->dead_nsfd,
		[WARD_OPENED_RULESET] = s->container.ruleset_fd,
		[WARD_OPENED_SEAL] = s->seal_fd,
	};
	struct ward_wire wire;

	ward_session_name(s, session->id);
	(void)snprintf(m.session, sizeof(m.session), "%s", session->id);
	(void)snprintf(session->tty, sizeof(session->tty), "%s", request->tty);
	(void)snprintf(
	    session->service, sizeof(session->service), "%s", request->service);
	add_limit(&m, RLIMIT_NPROC, limits->processes);
	add_limit(&m, RLIMIT_NOFILE, limits->files);
	add_limit(&m, RLIMIT_FSIZE, limits->file_size);
	s->openers.loop = &s->loop;
	s->openers.uid = s->account.uid;
	s->openers.name = s->account.account;
	int r = ward_wire_put_opened(&wire, &m);
	if (r == 0)
		r = ward_openers_add(&s->openers, session->watch.fd, err);
	if (r == 0)
		r = ward_fd_send(session->watch.fd, wire.data, wire.size, fds,
		    WARD_OPENED_FDS);
	if (r != 0) {
		ward_openers_closed(&s->openers, session->watch.fd);
		session->id[0] = '\0';
		return ward_err_sys(err, -r, "the answer to a login");
	}
	s->empty_since_ms = -1;
	ward_unsealed_opener(s, opener);
	ward_recorder_session_start(s->recorder, session->id, opener, request);
	ward_fence_check(
	    &s->fence, &s->loop, s->account.uid, s->account.account);
	return 0;
}

pid_t
ward_session_peer(int socket_fd, uid_t *uid)
{
	struct ucred cred = { .uid = (uid_t)-1 };
	socklen_t n = sizeof(cred);

	if (getsockopt(socket_fd, SOL_SOCKET, SO_PEERCRED, &cred, &n) != 0)
		return -1;
	*uid = cred.uid;
	return cred.pid;
}

/* Init is gone, and the loop has not heard of it yet. */
static bool
has_ended(const struct ward_container *container)
{
	struct pollfd init = { .fd = container->init_pidfd, .events = POLLIN };

	return poll(&init, 1, 0) != 0;
}

/* Whether this sandbox takes the session, and with what answer otherwise. */
static int
answer_open(struct ward_session *session, const struct ward_wire *wire)
{
	struct ward_sandbox *s = session->sandbox;
	struct ward_wire_open request;
	struct ward_wire retry;
	struct err err = { 0 };
	uid_t uid = (uid_t)-1;
	bool stale = false;

	pid_t opener = ward_session_peer(session->watch.fd, &uid);
	if (ward_wire_get_open(wire, &request) != 0 || uid != 0)
		return -EPROTO;
	enum ward_refusal code = ward_sandbox_check_policy(s, &stale, &err);
	if (code == WARD_REFUSED_NONE &&
	    (request.uid != s->account.uid ||
		strcmp(request.account, s->account.account) != 0)) {
		ward_err_set(&err, EPERM, "the sandbox is of another account");
		code = WARD_REFUSED_PROTOCOL;
	}
	if (code == WARD_REFUSED_NONE &&
	    (stale || s->ending != NULL || s->ends_at_ms >= 0 ||
		has_ended(&s->container) ||
		s->policy.profile->scope == WARD_SCOPE_SESSION)) {
		if (ward_wire_put_empty(&retry, WARD_WIRE_RETRY) == 0)
			(void)ward_fd_send(
			    session->watch.fd, retry.data, retry.size, NULL, 0);
		return -ESTALE;
	}
	if (code == WARD_REFUSED_NONE &&
	    !ward_sandbox_opens(s, request.service)) {
		ward_err_set(&err, EPERM, "%s is not in the services of %s",
		    request.service, s->policy.profile->name);
		code = WARD_REFUSED_SERVICE;
	}
	if (code == WARD_REFUSED_NONE)
		return answer_opened(session, &request, opener, &err);
	ward_refusal_send(session->watch.fd, code, err.text);
	ward_refused_login_tell(s, &request, opener, code, err.text);
	return -EACCES;
}

static void
add_entry(struct ward_session *session, pid_t pid)
{
	struct ward_process_stat stat;

	if (pid <= 0 || session->n_entries >= ENTRIES_MAX ||
	    !ward_process_stat(pid, &stat))
		return;
	struct entry *more = reallocarray(
	    session->entries, session->n_entries + 1, sizeof(*more));
	/* without it, its commands have no session */
	if (more == NULL)
		return;
	session->entries = more;
	more[session->n_entries++] =
	    (struct entry){ .pid = pid, .started = stat.started };
}

/* This line is the only trace of why that the log has. */
static void
tell_unsealed(const struct ward_session *session, pid_t pid, const char *detail)
{
	char line[512];

	ward_refusal_line(line, sizeof(line), WARD_REFUSED_SEAL,
	    session->sandbox->account.account, detail);
	syslog(LOG_ERR, "%s [session %s]", line, session->id);
	ward_refused_login_session(session->sandbox->recorder, session->id,
	    session->service, pid, WARD_REFUSED_SEAL, detail);
}

/* A process of the session has entered and is sealed. */
static int
answer_entered(struct ward_session *session, const struct ward_wire *wire,
    pid_t pid, int *listener_fd)
{
	struct err err = { 0 };

	if (ward_wire_get_empty(wire, WARD_WIRE_ENTERED) != 0 ||
	    session->id[0] == '\0')
		return -EPROTO;
	add_entry(session, pid);
	ward_unsealed_soon(session->sandbox);
	if (*listener_fd < 0)
		return 0;
	struct ward_observer *observer = session->sandbox->observer;
	/* not observed: closing it would refuse the process every write */
	if (observer == NULL)
		return -EPROTO;
	int r = ward_observer_add_take(
	    observer, ward_steal_fd(listener_fd), session->id, &err);
	if (r != 0)
		tell_unsealed(session, pid, err.text);
	return r;
}

/* The child has ended itself. */
static int
answer_unsealed(
    struct ward_session *session, const struct ward_wire *wire, pid_t pid)
{
	struct ward_wire_unsealed m;
	char detail[128];

	if (ward_wire_get_unsealed(wire, &m) != 0)
		return -EPROTO;
	(void)snprintf(detail, sizeof(detail), "%s: %s", m.step,
	    strerrordesc_np((int)m.error) == NULL
		? "unknown error"
		: strerrordesc_np((int)m.error));
	tell_unsealed(session, pid, detail);
	return 0;
}

/* The module found afterwards that it must not be, and has said so. */
static int
answer_refused(
    struct ward_session *session, const struct ward_wire *wire, pid_t pid)
{
	struct ward_wire_refused m;

	if (ward_wire_get_refused(wire, &m) != 0 || session->id[0] == '\0' ||
	    ward_refusal_find(m.code) == NULL)
		return -EPROTO;
	session->refusal = (enum ward_refusal)m.code;
	ward_refused_login_session(session->sandbox->recorder, session->id,
	    session->service, pid, session->refusal, m.detail);
	return -ECONNRESET;
}

/* A question of an admin's, on a socket that is no session's. */
static int
answer_admin(struct ward_session *session, const struct ward_wire *wire)
{
	struct ward_sandbox *s = session->sandbox;
	uid_t uid = (uid_t)-1;

	(void)ward_session_peer(session->watch.fd, &uid);
	if (uid != 0 || session->id[0] != '\0')
		return -EPROTO;
	if (ward_wire_get_empty(wire, WARD_WIRE_STATUS) == 0)
		return ward_admin_answer_status(s, session->watch.fd);
	if (ward_wire_get_empty(wire, WARD_WIRE_RELOAD) == 0)
		return ward_admin_answer_reload(s, session->watch.fd);
	return ward_admin_answer_end(s, session->watch.fd, wire);
}

static int
answer(struct ward_session *session, const struct ward_wire *wire, pid_t pid,
    int *fd)
{
	switch (ward_wire_type(wire)) {
	case WARD_WIRE_OPEN:
		return session->id[0] == '\0' ? answer_open(session, wire)
					      : -EPROTO;
	case WARD_WIRE_ENTERED:
		return answer_entered(session, wire, pid, fd);
	case WARD_WIRE_UNSEALED:
		return answer_unsealed(session, wire, pid);
	case WARD_WIRE_REFUSED:
		return answer_refused(session, wire, pid);
	case WARD_WIRE_STATUS:
	case WARD_WIRE_END:
	case WARD_WIRE_RELOAD:
		return answer_admin(session, wire);
	case WARD_WIRE_CLOSE:
		return -ECONNRESET;
	default:
		return -EPROTO;
	}
}

static void
on_session(struct ward_watch *watch, uint32_t events)
{
	/* the watch is the first member */
	struct ward_session *session = (struct ward_session *)(void *)watch;
	struct ward_wire wire;
	int fd = -1;
	size_t n_fds = 1;
	pid_t pid = 0;

	(void)events;
	ssize_t n = ward_fd_receive(
	    watch->fd, wire.data, sizeof(wire.data), &fd, &n_fds, &pid, -1);
	if (n == -EAGAIN)
		return;
	if (n <= 0) {
		ward_openers_left(&session->sandbox->openers, watch->fd);
		end_entries(session);
		session_end(session, "closed");
		return;
	}
	wire.size = (size_t)n;
	int r = answer(session, &wire, pid, &fd);
	if (fd >= 0)
		(void)close(fd);
	if (r == 0)
		return;
	if (r == -ECONNRESET) {
		ward_openers_closed(&session->sandbox->openers, watch->fd);
	} else {
		ward_openers_left(&session->sandbox->openers, watch->fd);
		end_entries(session);
	}
	session_end(session, r == -ECONNRESET ? "closed" : "failed");
}

/* NULL, with the socket closed, where it cannot be watched. */
static struct ward_session *
session_add_take(struct ward_sandbox *s, int socket_fd, struct err *err)
{
	struct ward_session *session = calloc(1, sizeof(*session));
	const int on = 1;
	int r = 0;

	if (session == NULL) {
		(void)close(socket_fd);
		(void)ward_err_sys(err, ENOMEM, "a session");
		return NULL;
	}
	session->watch.fd = socket_fd;
	session->watch.callback = on_session;
	session->sandbox = s;
	/* so that a sealed child's message says which process it is */
	if (setsockopt(socket_fd, SOL_SOCKET, SO_PASSCRED, &on, sizeof(on)) !=
	    0)
		r = ward_err_sys(err, errno, "SO_PASSCRED");
	if (r == 0)
		r = ward_loop_add(
		    &s->loop, &session->watch, EPOLLIN | EPOLLRDHUP, err);
	if (r != 0) {
		(void)close(socket_fd);
		free(session);
		return NULL;
	}
	session->next = s->sessions;
	s->sessions = session;
	return session;
}

int
ward_session_add_first_take(
    struct ward_sandbox *sandbox, int socket_fd, struct err *err)
{
	struct ward_session *session =
	    session_add_take(sandbox, socket_fd, err);

	if (session == NULL)
		return -EIO;
	int r = answer_opened(session, &sandbox->account, sandbox->opener, err);
	if (r != 0)
		ward_refusal_send(socket_fd, WARD_REFUSED_PROTOCOL, err->text);
	return r;
}

static void
on_control(struct ward_watch *watch, uint32_t events)
{
	struct ward_sandbox *s = (struct ward_sandbox *)((char *)watch -
	    offsetof(struct ward_sandbox, control_watch));
	struct err err = { 0 };

	(void)events;
	int fd = accept4(watch->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (fd < 0)
		return;
	if (session_add_take(s, fd, &err) == NULL)
		syslog(LOG_ERR, "ward: %s", err.text);
}

int
ward_control_listen(struct ward_sandbox *sandbox, struct err *err)
{
	sandbox->control_watch = (struct ward_watch){
		.fd = sandbox->rundir.control_fd,
		.callback = on_control,
	};
	return ward_loop_add(
	    &sandbox->loop, &sandbox->control_watch, EPOLLIN, err);
}

void
ward_sessions_turn_away(struct ward_sandbox *sandbox)
{
	struct ward_session *session = sandbox->sessions;

	while (session != NULL) {
		struct ward_session *next = session->next;
		if (session->id[0] == '\0')
			session_free(session);
		session = next;
	}
}

size_t
ward_sessions_count(const struct ward_sandbox *sandbox)
{
	size_t n = 0;

	for (const struct ward_session *i = sandbox->sessions; i != NULL;
	     i = i->next)
		n += i->id[0] != '\0';
	return n;
}

bool
ward_sessions_have_terminal(const struct ward_sandbox *sandbox, unsigned number)
{
	char name[32];

	(void)snprintf(name, sizeof(name), "pts/%u", number);
	for (const struct ward_session *i = sandbox->sessions; i != NULL;
	     i = i->next)
		if (strcmp(i->tty, name) == 0 ||
		    (strncmp(i->tty, "/dev/", 5) == 0 &&
			strcmp(i->tty + 5, name) == 0))
			return true;
	return false;
}

void
ward_sessions_end(struct ward_sandbox *sandbox, const char *reason)
{
	while (sandbox->sessions != NULL)
		session_end(sandbox->sessions, reason);
}

static const char *
session_that_entered(const struct ward_sandbox *s, pid_t pid)
{
	for (const struct ward_session *i = s->sessions; i != NULL; i = i->next)
		for (size_t k = 0; k < i->n_entries; k++)
			if (i->entries[k].pid == pid)
				return i->id;
	return NULL;
}

/* All first, and then the kill: who has lost its parent is nobody's. */
static void
add_descendant(void *context, pid_t pid)
{
	struct ward_session *session = context;
	const char *id = ward_session_of_process(session->sandbox, pid);

	if (id == session->id)
		add_entry(session, pid);
}

void
ward_session_expel(struct ward_sandbox *sandbox, const char *id)
{
	struct ward_session *session = sandbox->sessions;

	while (session != NULL && strcmp(session->id, id) != 0)
		session = session->next;
	if (session == NULL)
		return;
	ward_inside_each(sandbox->container.init, add_descendant, session);
	end_entries(session);
	ward_openers_left(&sandbox->openers, session->watch.fd);
	session_end(session, "unsealed");
}

const char *
ward_session_of_socket(const struct ward_sandbox *sandbox, int socket_fd)
{
	for (const struct ward_session *i = sandbox->sessions; i != NULL;
	     i = i->next)
		if (i->watch.fd == socket_fd)
			return i->id;
	return NULL;
}

const char *
ward_session_of_process(const struct ward_sandbox *sandbox, pid_t pid)
{
	for (int depth = 0; pid > 1 && depth < 64; depth++) {
		const char *id = session_that_entered(sandbox, pid);
		if (id != NULL)
			return id;
		pid = ward_process_parent(pid);
	}
	return NULL;
}
