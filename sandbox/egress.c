/* SPDX-License-Identifier: ISC */
/* Egress, as the warden of its sandbox sees it. */
#include "config.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <syslog.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/clock.h"
#include "common/fd.h"
#include "common/places.h"
#include "common/wire.h"
#include "sandbox/egress.h"
#include "sandbox/servant.h"

#define AGAIN_MS     100   /* before the first new start, then twice that … */
#define AGAIN_MAX_MS 5000  /* … and no more than this */
#define SETTLED_MS   60000 /* who lived so long begins with the first again */
#define SAY_MS       60000
#define TAKEN_MS     1000
#define EVENTS_MAX   16   /* in one round of the loop */
#define LAST_MAX     1024 /* of one that has ended */

struct ward_egress {
	/* each watch is cast back by its offset */
	struct ward_watch socket, events, end;
	struct ward_egress_setup setup;
	pid_t pid; /* -1: there is none */
	int rules_fd;
	uint32_t started; /* how many */
	int64_t started_ms, start_at_ms, again_ms, said_ms;

	/* rules that it was sent, and has not taken */
	uint64_t serial;
	ward_egress_done *done;
	void *context;
	int64_t taken_by_ms;
};

static void
drop_watch(struct ward_egress *e, struct ward_watch *watch)
{
	if (watch->fd < 0)
		return;
	ward_loop_remove(e->setup.loop, watch);
	(void)close(watch->fd);
	watch->fd = -1;
}

static void
tell_done(struct ward_egress *e, int error)
{
	ward_egress_done *done = e->done;

	e->done = NULL;
	if (done != NULL)
		done(e->context, error);
}

/* A record, 0 where there is none now, or -EPIPE: it has closed the socket. */
static int
receive(int fd, struct ward_wire *wire)
{
	ssize_t n = ward_fd_receive(
	    fd, wire->data, sizeof(wire->data), NULL, NULL, NULL, -1);

	if (n == -EAGAIN)
		return 0;
	wire->size = n > 0 ? (size_t)n : 0;
	return n > 0 ? 1 : -EPIPE;
}

/* What it has told, so much at a time; 0 or -errno where that is over. */
static int
take_events(struct ward_egress *e, int most)
{
	struct ward_wire_egress_event event;
	struct ward_wire wire;
	int r = 1;

	for (int i = 0; r > 0 && i < most; i++) {
		r = receive(e->events.fd, &wire);
		if (r > 0 && ward_wire_get_egress_event(&wire, &event) != 0)
			r = -EPROTO;
		if (r > 0)
			ward_traffic_take(e->setup.traffic, &event);
	}
	return r < 0 ? r : 0;
}

/* Ends it, whatever it does, with what it had to tell. */
static void
end_process(struct ward_egress *e)
{
	if (e->pid <= 0)
		return;
	(void)kill(e->pid, SIGKILL);
	while (waitpid(e->pid, NULL, 0) < 0 && errno == EINTR)
		;
	e->pid = -1;
	drop_watch(e, &e->socket);
	if (e->events.fd >= 0)
		(void)take_events(e, LAST_MAX);
	drop_watch(e, &e->events);
	drop_watch(e, &e->end);
}

/* One line in a while: something inside may be what ends it. */
static void
say(struct ward_egress *e, const char *what)
{
	int64_t now = ward_now_ms();

	if (e->said_ms != 0 && now - e->said_ms < SAY_MS)
		return;
	e->said_ms = now;
	syslog(LOG_WARNING, "ward: a sandbox has no network: %s", what);
}

/* The next one comes later the more often this happens. */
static void
lose(struct ward_egress *e, const char *operation, const char *what)
{
	int64_t now = ward_now_ms();

	end_process(e);
	if (now - e->started_ms >= SETTLED_MS)
		e->again_ms = AGAIN_MS;
	e->start_at_ms = now + e->again_ms;
	e->again_ms *= 2;
	if (e->again_ms > AGAIN_MAX_MS)
		e->again_ms = AGAIN_MAX_MS;
	say(e, what);
	ward_recorder_internal(e->setup.recorder, operation, "network");
	ward_traffic_lost(e->setup.traffic);
	/* whoever comes next has the new rules */
	tell_done(e, 0);
}

static struct ward_egress *
of_end(struct ward_watch *watch)
{
	return (struct ward_egress *)((char *)watch -
	    offsetof(struct ward_egress, end));
}

static void
on_end(struct ward_watch *watch, uint32_t events)
{
	(void)events;
	lose(of_end(watch), "egress-ended", "egress has ended");
}

static void
on_socket(struct ward_watch *watch, uint32_t events)
{
	/* the watch is the first member */
	struct ward_egress *e = (struct ward_egress *)(void *)watch;
	struct ward_wire_egress_taken taken;
	struct ward_wire wire;

	(void)events;
	int r = receive(watch->fd, &wire);
	if (r > 0 && ward_wire_get_egress_taken(&wire, &taken) != 0)
		r = -EPROTO;
	if (r < 0)
		lose(e, "egress-ended", "egress has let its socket go");
	else if (r > 0 && taken.serial == e->serial)
		tell_done(e, (int)taken.error);
}

static void
on_events(struct ward_watch *watch, uint32_t events)
{
	struct ward_egress *e = (struct ward_egress *)((char *)watch -
	    offsetof(struct ward_egress, events));

	(void)events;
	if (take_events(e, EVENTS_MAX) != 0)
		lose(e, "egress-ended", "egress has let its socket go");
}

void
ward_egress_hear(struct ward_egress *egress)
{
	if (egress != NULL && egress->events.fd >= 0 &&
	    take_events(egress, EVENTS_MAX) != 0)
		lose(egress, "egress-ended", "egress has let its socket go");
}

void
ward_egress_look(struct ward_egress *egress)
{
	siginfo_t info = { .si_pid = 0 };

	/* nothing that waits for a stopped one would ever be answered */
	if (egress != NULL && egress->pid > 0 &&
	    waitid(P_PID, (id_t)egress->pid, &info, WSTOPPED | WNOHANG) == 0 &&
	    info.si_pid == egress->pid)
		lose(egress, "egress-stopped",
		    "egress was stopped, and is ended");
}

/* Its sockets and its rules, in the order of enum ward_egress_fd. */
static int
send_start(struct ward_egress *e, int events_fd)
{
	struct ward_wire_egress_start m = {
		.redirected = e->setup.redirected,
		.has = 1U << WARD_EGRESS_RULES | 1U << WARD_EGRESS_EVENTS,
		.generation = e->started++,
	};
	int fds[WARD_EGRESS_FDS] = { e->rules_fd, events_fd };
	struct ward_wire wire;
	size_t n = WARD_EGRESS_PROXY;

	for (unsigned i = 0; i < WARD_EGRESS_FDS - WARD_EGRESS_PROXY; i++) {
		if (e->setup.listeners->fds[i] < 0)
			continue;
		m.has |= 1U << (WARD_EGRESS_PROXY + i);
		fds[n++] = e->setup.listeners->fds[i];
	}
	int r = ward_wire_put_egress_start(&wire, &m);
	return r == 0 ? ward_fd_send(e->socket.fd, wire.data, wire.size, fds, n)
		      : r;
}

static int
watch_all(struct ward_egress *e, struct err *err)
{
	int r = ward_loop_add(e->setup.loop, &e->end, EPOLLIN, err);

	if (r == 0)
		r = ward_loop_add(e->setup.loop, &e->socket, EPOLLIN, err);
	return r == 0 ? ward_loop_add(e->setup.loop, &e->events, EPOLLIN, err)
		      : r;
}

static int
start(struct ward_egress *e, struct err *err)
{
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
		return ward_err_sys(err, errno, "egress' events");
	_cleanup_fd_ int theirs = pair[1];
	e->events.fd = pair[0];
	const struct ward_servant egress = {
		.program = WARD_EGRESS,
		.name = "ward-egress",
		.uid = e->setup.uid,
		.gid = e->setup.gid,
	};
	e->pid = ward_servant_start(&egress, &e->socket.fd, err);
	if (e->pid < 0)
		return (int)e->pid;
	e->end.fd = pidfd_open(e->pid, 0);
	if (e->end.fd < 0)
		return ward_err_sys(err, errno, "egress' end");
	int r = send_start(e, theirs);
	if (r != 0)
		return ward_err_sys(err, -r, "egress' sockets");
	return watch_all(e, err);
}

int64_t
ward_egress_tend(struct ward_egress *egress)
{
	struct err err = { 0 };
	int64_t now = ward_now_ms();

	if (egress == NULL)
		return -1;
	if (egress->done != NULL && now >= egress->taken_by_ms)
		tell_done(egress, ETIMEDOUT);
	if (egress->pid < 0 && now >= egress->start_at_ms) {
		egress->started_ms = now;
		if (start(egress, &err) != 0) {
			if (egress->pid < 0)
				drop_watch(egress, &egress->events);
			lose(egress, "egress-ended", err.text);
		}
	}
	if (egress->pid < 0)
		return egress->start_at_ms > now ? egress->start_at_ms - now
						 : 1;
	return egress->done == NULL ? -1 : egress->taken_by_ms - now;
}

void
ward_egress_rules_take(struct ward_egress *egress, int rules_fd,
    ward_egress_done *done, void *context)
{
	const struct ward_wire_egress_policy m = { .serial =
						       egress->serial + 1 };
	struct ward_wire wire;

	(void)close(egress->rules_fd);
	egress->rules_fd = rules_fd;
	egress->serial = m.serial;
	egress->done = done;
	egress->context = context;
	egress->taken_by_ms = ward_now_ms() + TAKEN_MS;
	if (egress->pid < 0) {
		tell_done(egress, 0);
		return;
	}
	int r = ward_wire_put_egress_policy(&wire, &m);
	if (r == 0)
		r = ward_fd_send(
		    egress->socket.fd, wire.data, wire.size, &rules_fd, 1);
	/* it reads nothing: one that does is started */
	if (r != 0)
		lose(egress, "egress-ended", "egress takes no new rules");
}

int
ward_egress_rules_fd(const struct ward_egress *egress)
{
	return egress->rules_fd;
}

int
ward_egress_new_take(const struct ward_egress_setup *setup, int rules_fd,
    struct ward_egress **egress, struct err *err)
{
	struct ward_egress *e = calloc(1, sizeof(*e));

	if (e == NULL) {
		(void)close(rules_fd);
		return ward_err_sys(err, ENOMEM, "egress");
	}
	*e = (struct ward_egress){
		.setup = *setup,
		.socket = { .fd = -1, .callback = on_socket },
		.events = { .fd = -1, .callback = on_events },
		.end = { .fd = -1, .callback = on_end },
		.pid = -1,
		.rules_fd = rules_fd,
		.again_ms = AGAIN_MS,
	};
	*egress = e;
	return 0;
}

void
ward_egress_stop(struct ward_egress *egress)
{
	if (egress == NULL)
		return;
	end_process(egress);
	tell_done(egress, ECANCELED);
	(void)close(egress->rules_fd);
	free(egress);
}
