/* SPDX-License-Identifier: ISC */
/* Live sandboxes, found by their directories and asked. */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/clock.h"
#include "common/fd.h"
#include "common/number.h"
#include "common/pids.h"
#include "common/places.h"
#include "ctl/ctl.h"
#include "ctl/sandboxes.h"
#include "sandbox/rundir.h"

#define ANSWER_MS 2000
#define END_MS    5000 /* what it may take beyond its grace */

static void
path_of(uid_t uid, const char *id, const char *file, char *path, size_t size)
{
	(void)snprintf(path, size, WARD_RUN "/%u/%.*s/%s", (unsigned)uid,
	    WARD_ID_SIZE - 1, id, file);
}

/* Its warden holds this lock (sandbox/rundir.c). */
static bool
is_alive(uid_t uid, const char *id)
{
	char path[96];

	path_of(uid, id, "alive", path, sizeof(path));
	_cleanup_fd_ int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	return fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) != 0 &&
	    errno == EWOULDBLOCK;
}

/* A connected socket, or -1; the warden that listens there. */
static int
reach(uid_t uid, const char *id, pid_t *warden)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	struct ucred cred = { .pid = 0 };
	socklen_t n = sizeof(cred);

	path_of(uid, id, "control", address.sun_path, sizeof(address.sun_path));
	_cleanup_fd_ int fd =
	    socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0 ||
	    connect(fd, (const struct sockaddr *)&address, sizeof(address)) !=
		0 ||
	    getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &n) != 0)
		return -1;
	*warden = cred.pid;
	return ward_steal_fd(&fd);
}

/* Sends a question and waits for the answer. */
static bool
ask(int fd, const struct ward_wire *question, struct ward_wire *answer)
{
	if (ward_fd_send(fd, question->data, question->size, NULL, 0) != 0)
		return false;
	ssize_t n = ward_fd_receive(fd, answer->data, sizeof(answer->data),
	    NULL, NULL, NULL, ward_now_ms() + ANSWER_MS);
	answer->size = n > 0 ? (size_t)n : 0;
	return n > 0;
}

static void
look(uid_t uid, const char *id, struct ward_live *live)
{
	struct ward_wire question, answer;

	*live = (struct ward_live){ .uid = uid };
	(void)snprintf(live->id, sizeof(live->id), "%s", id);
	_cleanup_fd_ int fd = reach(uid, id, &live->warden);
	live->answered = fd >= 0 &&
	    ward_wire_put_empty(&question, WARD_WIRE_STATUS) == 0 &&
	    ask(fd, &question, &answer) &&
	    ward_wire_get_status_is(&answer, &live->status) == 0;
}

static bool
is_id(const char *name)
{
	return strlen(name) == WARD_ID_SIZE - 1 &&
	    strspn(name, "0123456789abcdef") == WARD_ID_SIZE - 1;
}

static int
each_of_account(uid_t uid, const char *id, ward_live_visit *visit,
    void *context, struct err *err)
{
	char path[64];
	const struct dirent *entry;
	struct ward_live live;
	int r = 0;

	(void)snprintf(path, sizeof(path), WARD_RUN "/%u", (unsigned)uid);
	DIR *directory = opendir(path);
	if (directory == NULL)
		return errno == ENOENT ? 0
				       : ward_err_sys(err, errno, "%s", path);
	while (r == 0 && (entry = readdir(directory)) != NULL) {
		const char *name = entry->d_name;
		if (!is_id(name) || (id != NULL && strcmp(id, name) != 0) ||
		    !is_alive(uid, name))
			continue;
		look(uid, name, &live);
		r = visit(context, &live, err);
	}
	(void)closedir(directory);
	return r;
}

int
ward_live_each(uid_t uid, const char *id, ward_live_visit *visit, void *context,
    struct err *err)
{
	const struct dirent *entry;
	uint64_t number;
	int r = 0;

	if (uid != (uid_t)-1)
		return each_of_account(uid, id, visit, context, err);
	DIR *directory = opendir(WARD_RUN);
	if (directory == NULL)
		return errno == ENOENT ? 0 : ward_err_sys(err, errno, WARD_RUN);
	while (r == 0 && (entry = readdir(directory)) != NULL)
		if (ward_number_parse(entry->d_name, UINT32_MAX - 1, &number) ==
		    0)
			r = each_of_account(
			    (uid_t)number, id, visit, context, err);
	(void)closedir(directory);
	return r;
}

/* 0, an errno of the warden's, or ETIMEDOUT. */
static uint32_t
tell_reload(const struct ward_live *live)
{
	struct ward_wire question, answer;
	struct ward_wire_result result;
	pid_t warden;
	_cleanup_fd_ int fd = reach(live->uid, live->id, &warden);

	if (fd < 0 || ward_wire_put_empty(&question, WARD_WIRE_RELOAD) != 0 ||
	    !ask(fd, &question, &answer) ||
	    ward_wire_get_reloaded(&answer, &result) != 0)
		return ETIMEDOUT;
	return result.error;
}

static void
say_network(const struct ward_live *live)
{
	const char *id = live->id, *account = live->status.account;
	uint32_t error = tell_reload(live);

	switch (error) {
	case 0:
		ward_ctl_say(
		    "sandbox %s of %s took the new network rules", id, account);
		break;
	case EOPNOTSUPP:
		/* it has no network, and gets none */
		break;
	case ETIMEDOUT:
		ward_ctl_say("sandbox %s of %s did not answer about the new "
			     "network rules: 'wardctl end %s' ends it",
		    id, account, id);
		break;
	default:
		ward_ctl_say("sandbox %s of %s keeps its network rules: %s", id,
		    account, strerror((int)error));
		break;
	}
}

/* It has looked at the policy to be able to answer. */
static int
say_policy(void *context, const struct ward_live *live, struct err *err)
{
	const struct ward_wire_status_is *s = &live->status;
	int64_t left = (int64_t)(s->ends / 1000000) - (int64_t)time(NULL);

	(void)context;
	(void)err;
	if (live->answered && s->state != WARD_SANDBOX_ENDING)
		say_network(live);
	if (!live->answered)
		ward_ctl_say(
		    "sandbox %s of uid %u: its warden does not answer, "
		    "and goes by the new policy once it does",
		    live->id, (unsigned)live->uid);
	else if (s->state == WARD_SANDBOX_STALE && s->ends == 0)
		ward_ctl_say("sandbox %s of %s is of an older policy, and goes "
			     "on until its sessions end",
		    live->id, s->account);
	else if (s->state == WARD_SANDBOX_STALE)
		ward_ctl_say("sandbox %s of %s is of an older policy, and ends "
			     "in %jd s",
		    live->id, s->account, (intmax_t)(left < 0 ? 0 : left));
	return 0;
}

void
ward_live_tell_policy(void)
{
	struct err err = { 0 };

	if (ward_live_each((uid_t)-1, NULL, say_policy, NULL, &err) != 0)
		(void)ward_ctl_fail_err(&err);
}

/* A warden that does not answer: only if it is one. */
static int
kill_warden(const struct ward_live *live, struct err *err)
{
	char program[512];
	_cleanup_fd_ int pidfd = pidfd_open(live->warden, 0);

	if (pidfd < 0 ||
	    ward_pids_program(live->warden, program, sizeof(program)) != 0 ||
	    strcmp(program, WARD_WARDEN) != 0)
		return ward_err_set(err, EBUSY,
		    "the warden of %s does not answer, and its process was "
		    "not found",
		    live->id);
	if (pidfd_send_signal(pidfd, SIGKILL, NULL, 0) != 0)
		return ward_err_sys(
		    err, errno, "the warden of %s does not answer", live->id);
	ward_ctl_say("killed the warden of %s, which did not answer", live->id);
	return 0;
}

static bool
tell_end(const struct ward_live *live, const struct ward_wire_end *order)
{
	struct ward_wire question, answer;
	pid_t warden;
	_cleanup_fd_ int fd = reach(live->uid, live->id, &warden);

	return fd >= 0 && ward_wire_put_end(&question, order) == 0 &&
	    ask(fd, &question, &answer) &&
	    ward_wire_get_empty(&answer, WARD_WIRE_ENDING) == 0;
}

static bool
wait_gone(const struct ward_live *live, int64_t deadline_ms)
{
	const struct timespec pause = { .tv_nsec = 20000000 };

	while (is_alive(live->uid, live->id)) {
		if (ward_now_ms() >= deadline_ms)
			return false;
		(void)nanosleep(&pause, NULL);
	}
	return true;
}

int
ward_live_end(void *context, const struct ward_live *live, struct err *err)
{
	struct ward_ending *ending = context;
	int64_t deadline_ms =
	    ward_now_ms() + (int64_t)ending->order.grace * 1000 + END_MS;

	/*
	 * It may have ended by itself meanwhile; and where nobody listens any
	 * more, it is about to.
	 */
	if (!live->answered || !tell_end(live, &ending->order)) {
		int r = live->warden > 0 && is_alive(live->uid, live->id)
		    ? kill_warden(live, err)
		    : 0;
		if (r != 0)
			return r;
	}
	if (!wait_gone(live, deadline_ms))
		return ward_err_set(
		    err, ETIMEDOUT, "sandbox %s does not end", live->id);
	ending->ended++;
	ward_ctl_say("ended %s", live->id);
	return 0;
}
