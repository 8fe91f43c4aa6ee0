/* SPDX-License-Identifier: ISC */
/* Watches those who have opened a session, and stayed outside. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <syslog.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/clock.h"
#include "common/fd.h"
#include "common/number.h"
#include "common/refusal.h"
#include "sandbox/opener.h"
#include "sandbox/process.h"

#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77 /* Linux 6.5 */
#endif

#define YOUNG_MS 3000
#define OFTEN_NS 100000000
#define LEFT_MS  60000 /* watched for so long after its socket has ended */
#define FOREVER  INT64_MAX

#define BELOW_MAX 1024 /* processes on the host that descend from openers */

struct ward_opener {
	struct ward_opener *next;
	int socket_fd; /* borrowed; -1: the session is over */
	int pidfd;
	int proc_dfd; /* /proc/PID, which is this process's for good */
	pid_t pid;
	int64_t young_until_ms, until_ms;
};

/*
 * All four of its ids: a helper of root's that takes the account's place for a
 * moment (sudoedit) keeps root's as the saved one, and goes back.
 */
static bool
has_become(const struct ward_opener *opener, uid_t uid)
{
	char status[1024], ids[64];
	_cleanup_fd_ int fd =
	    openat(opener->proc_dfd, "status", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return false;
	ssize_t n = read(fd, status, sizeof(status) - 1);
	if (n <= 0)
		return false;
	status[n] = '\0';
	/* proc(5): real, effective, saved, file system */
	(void)snprintf(
	    ids, sizeof(ids), "\nUid:\t%u\t%u\t%u\t%u\n", uid, uid, uid, uid);
	return strstr(status, ids) != NULL;
}

static bool
has_ended(const struct ward_opener *opener)
{
	struct pollfd end = { .fd = opener->pidfd, .events = POLLIN };

	return poll(&end, 1, 0) > 0;
}

static void
opener_free(struct ward_opener *opener)
{
	if (opener->pidfd >= 0)
		(void)close(opener->pidfd);
	if (opener->proc_dfd >= 0)
		(void)close(opener->proc_dfd);
	free(opener);
}

/* True where it has to be looked at again. */
static bool
look(const struct ward_openers *openers, const struct ward_opener *opener)
{
	char line[512], detail[128];

	if (has_ended(opener))
		return false;
	if (!has_become(opener, openers->uid))
		return true;
	(void)syscall(SYS_pidfd_send_signal, opener->pidfd, SIGKILL, NULL, 0);
	(void)snprintf(detail, sizeof(detail),
	    "process %d became the account itself, and was killed",
	    (int)opener->pid);
	ward_refusal_line(
	    line, sizeof(line), WARD_REFUSED_CALLER, openers->name, detail);
	syslog(LOG_ERR, "%s", line);
	return false;
}

/* The next look: often while one of them is young. */
static void
set_timer(const struct ward_openers *openers)
{
	struct itimerspec next = { 0 };
	int64_t now = ward_now_ms();

	if (openers->list != NULL)
		next.it_value.tv_sec = 1;
	for (const struct ward_opener *i = openers->list; i != NULL;
	     i = i->next)
		if (now < i->young_until_ms)
			next.it_value =
			    (struct timespec){ .tv_nsec = OFTEN_NS };
	if (openers->watch.fd >= 0)
		(void)timerfd_settime(openers->watch.fd, 0, &next, NULL);
}

static void
look_at_all(struct ward_openers *openers)
{
	int64_t now = ward_now_ms();

	for (struct ward_opener **at = &openers->list; *at != NULL;) {
		struct ward_opener *opener = *at;
		if (look(openers, opener) && now < opener->until_ms) {
			at = &opener->next;
			continue;
		}
		*at = opener->next;
		opener_free(opener);
	}
	set_timer(openers);
}

static void
on_timer(struct ward_watch *watch, uint32_t events)
{
	uint64_t times;

	(void)events;
	ssize_t n = read(watch->fd, &times, sizeof(times));
	(void)n;
	look_at_all((struct ward_openers *)(void *)watch);
}

static int
start_timer(struct ward_openers *openers, struct err *err)
{
	if (openers->watch.fd >= 0)
		return 0;
	openers->watch = (struct ward_watch){
		.callback = on_timer,
		.fd =
		    timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK),
	};
	if (openers->watch.fd < 0)
		return ward_err_sys(err, errno, "timerfd");
	return ward_loop_add(openers->loop, &openers->watch, EPOLLIN, err);
}

/* Its number may be another's by now only where the kernel has no pidfd of it.
 */
static int
open_opener(struct ward_opener *opener, int socket_fd, struct err *err)
{
	struct ucred cred;
	socklen_t n = sizeof(cred);
	char path[32];

	if (getsockopt(socket_fd, SOL_SOCKET, SO_PEERCRED, &cred, &n) != 0)
		return ward_err_sys(err, errno, "SO_PEERCRED");
	opener->pid = cred.pid;
	n = sizeof(opener->pidfd);
	if (getsockopt(
		socket_fd, SOL_SOCKET, SO_PEERPIDFD, &opener->pidfd, &n) != 0)
		opener->pidfd = (int)syscall(SYS_pidfd_open, cred.pid, 0);
	if (opener->pidfd < 0)
		return ward_err_sys(err, errno, "the opener");
	(void)fcntl(opener->pidfd, F_SETFD, FD_CLOEXEC);
	(void)snprintf(path, sizeof(path), "/proc/%d", (int)cred.pid);
	opener->proc_dfd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (opener->proc_dfd < 0)
		return ward_err_sys(err, errno, "%s", path);
	return has_ended(opener)
	    ? ward_err_set(err, ESRCH, "the opener has ended")
	    : 0;
}

int
ward_openers_add(struct ward_openers *openers, int socket_fd, struct err *err)
{
	int64_t now = ward_now_ms();
	struct ward_opener *opener = calloc(1, sizeof(*opener));

	if (opener == NULL)
		return ward_err_sys(err, ENOMEM, "the opener");
	*opener = (struct ward_opener){
		.socket_fd = socket_fd,
		.pidfd = -1,
		.proc_dfd = -1,
		.young_until_ms = now + YOUNG_MS,
		.until_ms = FOREVER,
	};
	int r = start_timer(openers, err);
	if (r == 0)
		r = open_opener(opener, socket_fd, err);
	if (r != 0) {
		opener_free(opener);
		return r;
	}
	opener->next = openers->list;
	openers->list = opener;
	set_timer(openers);
	return 0;
}

void
ward_openers_closed(struct ward_openers *openers, int socket_fd)
{
	for (struct ward_opener **at = &openers->list; *at != NULL;
	     at = &(*at)->next) {
		struct ward_opener *opener = *at;
		if (opener->socket_fd != socket_fd)
			continue;
		*at = opener->next;
		opener_free(opener);
		break;
	}
	set_timer(openers);
}

void
ward_openers_left(struct ward_openers *openers, int socket_fd)
{
	int64_t now = ward_now_ms();

	for (struct ward_opener *i = openers->list; i != NULL; i = i->next)
		if (i->socket_fd == socket_fd) {
			i->socket_fd = -1;
			i->young_until_ms = now + YOUNG_MS;
			i->until_ms = now + LEFT_MS;
		}
	look_at_all(openers);
}

/* Adds the children of its main thread, which is the one that forks. */
static size_t
add_children(pid_t parent, pid_t init, pid_t *list, size_t n, size_t room)
{
	char path[64], text[4096], *rest = NULL;
	uint64_t pid;

	(void)snprintf(path, sizeof(path), "/proc/%d/task/%d/children",
	    (int)parent, (int)parent);
	_cleanup_fd_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t size = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	text[size < 0 ? 0 : size] = '\0';
	for (const char *word = strtok_r(text, " ", &rest);
	     word != NULL && n < room; word = strtok_r(NULL, " ", &rest))
		if (ward_number_parse(word, INT32_MAX, &pid) == 0 &&
		    !ward_process_same_namespace((pid_t)pid, init))
			list[n++] = (pid_t)pid;
	return n;
}

void
ward_openers_each_below(const struct ward_openers *openers, pid_t init,
    ward_openers_visit *call, void *context)
{
	pid_t list[BELOW_MAX];
	size_t n = 0, n_openers;

	for (const struct ward_opener *i = openers->list;
	     i != NULL && n < BELOW_MAX / 2; i = i->next)
		list[n++] = i->pid;
	n_openers = n;
	for (size_t i = 0; i < n; i++)
		n = add_children(list[i], init, list, n, BELOW_MAX);
	/* only now: the call may end a session */
	for (size_t i = n_openers; i < n; i++)
		call(context, list[i]);
}

int
ward_openers_socket_above(const struct ward_openers *openers, pid_t pid)
{
	for (int depth = 0; pid > 1 && depth < 64; depth++) {
		for (const struct ward_opener *i = openers->list; i != NULL;
		     i = i->next)
			if (i->pid == pid)
				return i->socket_fd;
		pid = ward_process_parent(pid);
	}
	return -1;
}

void
ward_openers_clear(struct ward_openers *openers)
{
	while (openers->list != NULL) {
		struct ward_opener *opener = openers->list;
		(void)look(openers, opener);
		openers->list = opener->next;
		opener_free(opener);
	}
	if (openers->watch.fd < 0)
		return;
	ward_loop_remove(openers->loop, &openers->watch);
	(void)close(openers->watch.fd);
	openers->watch.fd = -1;
}
