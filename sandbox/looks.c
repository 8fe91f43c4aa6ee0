/* SPDX-License-Identifier: ISC */
/* Looks into hidden places, as the warden of their sandbox sees them. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/clock.h"
#include "common/fd.h"
#include "common/path.h"
#include "common/places.h"
#include "common/wire.h"
#include "sandbox/cgroup.h"
#include "sandbox/look_call.h"
#include "sandbox/looks.h"
#include "sandbox/looks_known.h"
#include "sandbox/looks_start.h"
#include "sandbox/process.h"

#define STAND_MS  3000 /* less than a login waits for its warden */
#define ROUND_MAX 16   /* in one round of the loop */
#define LAST_MAX  1024

struct ward_looks {
	struct ward_watch watch; /* first: the callback casts back */
	struct ward_looks_setup setup;
	struct ward_looks_known *known;
	int mount_fd; /* -1: let go */
	char device[32];
	pid_t server;
	bool heard;   /* the watch is the loop's */
	bool limited; /* the timer is there */
	timer_t timer;
};

/* --- what it tells --- */

static const struct {
	const char *operation;
	int errnum; /* what it was told; 0: an empty list */
} kinds[] = {
	[WARD_LOOK_LOOKUP] = { "lookup", ENOENT },
	[WARD_LOOK_ACCESS] = { "access", EACCES },
	[WARD_LOOK_OPEN] = { "open", EACCES },
	[WARD_LOOK_LIST] = { "list", 0 },
};

/* What keeps the place of a mount that a view does not have has no rule. */
static const struct ward_rule *
rule_of(const struct ward_looks *l, const char *path)
{
	static char text[] = "what the host mounted there";
	static const struct ward_rule absent = { .path = text };
	const struct ward_verdict verdict =
	    ward_plan_decide(l->setup.plan, path);

	return verdict.state == WARD_HIDDEN ? verdict.rule : &absent;
}

static void
report(const struct ward_looks *l, const struct ward_wire_look *look, pid_t pid,
    const char *program, const char *target)
{
	struct ward_refused_act act = {
		.kind = "read",
		.operation = kinds[look->what].operation,
		.target = target,
		.pid = pid,
		.program = program,
		.errnum = kinds[look->what].errnum,
		.confirmed = true,
		.rule = rule_of(l, target),
		/* a list is of a walk, and not aimed */
		.untold = look->what == WARD_LOOK_LIST,
	};
	const char *session =
	    pid <= 0 ? NULL : l->setup.session_of(l->setup.context, pid);

	if (session != NULL)
		(void)snprintf(act.session, sizeof(act.session), "%s", session);
	ward_recorder_violation(l->setup.recorder, &act);
}

/*
 * The judge, with the account's ids; and the connector, which looks for what
 * somebody connects to: that is no read.  Its name alone anybody can have.
 */
static bool
is_own(pid_t pid, const char *program)
{
	return pid == getpid() ||
	    (strcmp(program, WARD_CONNECTOR_NAME) == 0 &&
		ward_process_parent(pid) == getpid());
}

static void
take_look(const struct ward_looks *l, const struct ward_wire_look *look)
{
	const struct ward_layout *layout = l->setup.layout;
	struct ward_look_call call;
	char program[64] = "";
	pid_t pid = 0;

	if (look->missed > 0)
		ward_recorder_dropped(l->setup.recorder, (int64_t)look->missed);
	if (look->mask >= layout->n_mounts)
		return;
	if (look->what == WARD_LOOK_LOOKUP &&
	    ward_looks_known_absent(l->known, look->mask, look->name))
		return;
	if (look->tid > 0)
		ward_process_of_thread(
		    (pid_t)look->tid, &pid, program, sizeof(program));
	if (is_own(pid, program))
		return;
	const char *mask = layout->mounts[look->mask].path;
	_cleanup_free_ char *place = look->name[0] == '\0'
	    ? strdup(mask)
	    : ward_path_join(mask, look->name);
	if (place == NULL) {
		ward_recorder_dropped(l->setup.recorder, 1);
		return;
	}
	if (look->what != WARD_LOOK_LOOKUP) {
		report(l, look, pid, program, place);
		return;
	}
	ward_look_call_read((pid_t)look->tid, place, &call);
	/* who has gone on may be in another call by now */
	if ((uint64_t)ward_now_ms() >= look->waits)
		report(l, look, pid, program, place);
	else if (!call.observed)
		report(l, look, pid, program, call.target);
}

/* 1: one was taken; 0: there is none now; or -errno: it has ended. */
static int
take_one(const struct ward_looks *l)
{
	struct ward_wire_looked looked;
	struct ward_wire_look look;
	struct ward_wire wire;
	ssize_t n = ward_fd_receive(
	    l->watch.fd, wire.data, sizeof(wire.data), NULL, NULL, NULL, -1);

	if (n == -EAGAIN)
		return 0;
	if (n <= 0)
		return -EPIPE;
	wire.size = (size_t)n;
	int r = ward_wire_get_look(&wire, &look);
	if (r != 0)
		return r;
	take_look(l, &look);
	looked.serial = look.serial;
	r = ward_wire_put_looked(&wire, &looked);
	/* one that reads no answers waits for none either */
	if (r == 0)
		(void)ward_fd_send(l->watch.fd, wire.data, wire.size, NULL, 0);
	return r == 0 ? 1 : r;
}

static int
take(const struct ward_looks *l, int most)
{
	int r = 1;

	while (r > 0 && most-- > 0)
		r = take_one(l);
	return r < 0 ? r : 0;
}

/* --- the server's end --- */

static void
end_server(struct ward_looks *l)
{
	if (l->server <= 0)
		return;
	(void)kill(l->server, SIGKILL);
	while (waitpid(l->server, NULL, 0) < 0 && errno == EINTR)
		;
	l->server = -1;
}

/* What waits for it goes on at once, and the sandbox ends. */
static void
lose(struct ward_looks *l, const char *operation, const char *why)
{
	end_server(l);
	ward_loop_remove(l->setup.loop, &l->watch);
	l->heard = false;
	ward_recorder_internal(l->setup.recorder, operation, "masks");
	if (*l->setup.ending == NULL)
		*l->setup.ending = why;
}

static void
on_server(struct ward_watch *watch, uint32_t events)
{
	/* the watch is the first member */
	struct ward_looks *l = (struct ward_looks *)(void *)watch;

	(void)events;
	if (take(l, ROUND_MAX) != 0)
		lose(l, "masks-ended", "its hidden places lost their server");
}

void
ward_looks_look(struct ward_looks *looks)
{
	siginfo_t info = { .si_pid = 0 };

	/* who looks into a place of a stopped one would wait for ever */
	if (looks != NULL && looks->heard && looks->server > 0 &&
	    waitid(P_PID, (id_t)looks->server, &info, WSTOPPED | WNOHANG) ==
		0 &&
	    info.si_pid == looks->server)
		lose(looks, "masks-stopped",
		    "the server of its hidden places was stopped");
}

/* --- its start --- */

int
ward_looks_start(const struct ward_layout *layout, uid_t uid, gid_t gid,
    struct ward_looks **looks, struct err *err)
{
	struct err why = { 0 };
	int mount_fd = -1;

	*looks = NULL;
	_cleanup_fd_ int fuse_fd = ward_looks_open(&mount_fd, &why);
	if (fuse_fd < 0) {
		syslog(LOG_NOTICE,
		    "ward: looks into hidden places are not seen: %s; see "
		    "'" WARD_CTL " doctor'",
		    why.text);
		return 0;
	}
	struct ward_looks *l = calloc(1, sizeof(*l));
	if (l == NULL) {
		(void)close(mount_fd);
		return ward_err_sys(err, ENOMEM, "the masks");
	}
	l->mount_fd = mount_fd;
	l->watch = (struct ward_watch){ -1, on_server };
	l->server =
	    ward_looks_serve(layout, uid, gid, fuse_fd, &l->watch.fd, err);
	if (l->server < 0) {
		int r = (int)l->server;
		ward_looks_stop(l);
		return r;
	}
	*looks = l;
	return 0;
}

static int
find_device(struct ward_looks *l, struct err *err)
{
	struct stat st;

	if (fstat(l->mount_fd, &st) != 0)
		return ward_err_sys(err, errno, "the masks");
	(void)snprintf(l->device, sizeof(l->device), "%u:%u", major(st.st_dev),
	    minor(st.st_dev));
	return 0;
}

int
ward_looks_await(struct ward_looks *looks, struct err *err)
{
	struct ward_wire wire;

	if (looks == NULL)
		return 0;
	ssize_t n = ward_fd_receive(looks->watch.fd, wire.data,
	    sizeof(wire.data), NULL, NULL, NULL, ward_now_ms() + STAND_MS);
	if (n == -ETIMEDOUT)
		return ward_err_set(
		    err, ETIMEDOUT, "%s does not begin", WARD_MASKS);
	if (n == 0)
		return ward_err_set(
		    err, ECHILD, "%s ended as it began", WARD_MASKS);
	if (n < 0)
		return ward_err_sys(err, (int)-n, "%s", WARD_MASKS);
	wire.size = (size_t)n;
	if (ward_wire_get_empty(&wire, WARD_WIRE_MASKS) != 0)
		return ward_err_set(
		    err, EPROTO, "%s is another program", WARD_MASKS);
	return find_device(looks, err);
}

void
ward_looks_limit(struct ward_looks *looks, int ms)
{
	const struct itimerspec when = {
		.it_value.tv_sec = ms / 1000,
		.it_value.tv_nsec = ms % 1000 * 1000000L,
	};
	/* who stands still in a clone can be killed, and do nothing else */
	struct sigevent event = {
		.sigev_notify = SIGEV_SIGNAL,
		.sigev_signo = SIGKILL,
	};

	if (looks == NULL)
		return;
	if (looks->limited)
		(void)timer_delete(looks->timer);
	looks->limited = ms > 0 &&
	    timer_create(CLOCK_MONOTONIC, &event, &looks->timer) == 0 &&
	    timer_settime(looks->timer, 0, &when, NULL) == 0;
}

const char *
ward_looks_device(const struct ward_looks *looks)
{
	return looks == NULL ? NULL : looks->device;
}

int
ward_looks_mount(const struct ward_looks *looks)
{
	return looks == NULL ? -1 : looks->mount_fd;
}

int
ward_looks_hear(struct ward_looks *looks, const struct ward_looks_setup *setup,
    struct err *err)
{
	if (looks == NULL)
		return 0;
	(void)close(looks->mount_fd);
	looks->mount_fd = -1;
	looks->setup = *setup;
	looks->known = ward_looks_known_read(setup->layout, setup->home);
	if (looks->known == NULL)
		return ward_err_sys(err, ENOMEM, "the masks");
	int r = ward_loop_add(setup->loop, &looks->watch, EPOLLIN, err);
	if (r != 0)
		return r;
	looks->heard = true;
	ward_cgroup_move(looks->server);
	/* before anybody heard of such things */
	ward_looks_look(looks);
	return 0;
}

void
ward_looks_stop(struct ward_looks *looks)
{
	if (looks == NULL)
		return;
	end_server(looks);
	if (looks->heard) {
		(void)take(looks, LAST_MAX);
		ward_loop_remove(looks->setup.loop, &looks->watch);
	}
	if (looks->watch.fd >= 0)
		(void)close(looks->watch.fd);
	if (looks->mount_fd >= 0)
		(void)close(looks->mount_fd);
	ward_looks_known_free(looks->known);
	free(looks);
}
