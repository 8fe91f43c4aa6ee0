/* SPDX-License-Identifier: ISC */
/* The processes inside of a sandbox, as the host sees them. */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/pids.h"
#include "sandbox/inside.h"
#include "sandbox/process.h"

#define PTS_MAJOR     136 /* Documentation/admin-guide/devices.txt */
#define TERMINALS_MAX 256

/* Descriptors that are looked at for one terminal: some two seconds. */
#define LOOKED_MAX 1000000

void
ward_inside_each(pid_t init, ward_inside_visit *call, void *context)
{
	pid_t pid;
	DIR *proc = init > 0 ? opendir("/proc") : NULL;

	if (proc == NULL)
		return;
	pid_t warden = ward_process_parent(init);
	while ((pid = ward_pids_next(proc)) != 0)
		if (pid != init && ward_process_same_namespace(pid, init) &&
		    ward_process_parent(pid) != warden)
			call(context, pid);
	(void)closedir(proc);
}

static void
count(void *context, pid_t pid)
{
	size_t *n = context;

	(void)pid;
	(*n)++;
}

size_t
ward_inside_count(pid_t init)
{
	size_t n = 0;

	ward_inside_each(init, count, &n);
	return n;
}

static void
hang_up(void *context, pid_t pid)
{
	static const int signals[] = { SIGHUP, SIGTERM, SIGCONT };
	const pid_t *init = context;
	_cleanup_fd_ int pidfd = pidfd_open(pid, 0);

	/* looked at again: the number may be another process's by now */
	if (pidfd < 0 || !ward_process_same_namespace(pid, *init))
		return;
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		(void)pidfd_send_signal(pidfd, signals[i], NULL, 0);
}

bool
ward_inside_kill(pid_t init, pid_t pid, uint64_t started)
{
	struct ward_process_stat stat;
	_cleanup_fd_ int pidfd = pidfd_open(pid, 0);

	return pidfd >= 0 && ward_process_same_namespace(pid, init) &&
	    ward_process_stat(pid, &stat) && stat.started == started &&
	    pidfd_send_signal(pidfd, SIGKILL, NULL, 0) == 0;
}

void
ward_inside_hang_up(pid_t init)
{
	ward_inside_each(init, hang_up, &init);
}

struct leave {
	pid_t init;
	dev_t terminal;
	const char *path;
	int signal;
	ward_inside_is_left *is_left;
	void *context;
	size_t looked, found;
};

/*
 * By its name, which the account cannot change, and which can be had without a
 * word to what it is of.  /dev/tty is the terminal that its opener had.  Who
 * hides it among more descriptors than one can look at has it, too.
 */
static bool
has_open(struct leave *leave, pid_t pid, bool controls_none)
{
	char path[80];
	const struct dirent *entry;
	bool has = false;

	(void)snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
	DIR *directory = opendir(path);
	while (
	    !has && directory != NULL && (entry = readdir(directory)) != NULL) {
		ssize_t n = readlinkat(
		    dirfd(directory), entry->d_name, path, sizeof(path) - 1);
		path[n < 0 ? 0 : n] = '\0';
		has = strcmp(path, leave->path) == 0 ||
		    (controls_none && strcmp(path, "/dev/tty") == 0) ||
		    ++leave->looked > LOOKED_MAX;
	}
	if (directory != NULL)
		(void)closedir(directory);
	return has;
}

static void
leave_terminal(void *context, pid_t pid)
{
	struct leave *leave = context;
	struct ward_process_stat stat;
	_cleanup_fd_ int pidfd = pidfd_open(pid, 0);

	if (pidfd < 0 || !ward_process_stat(pid, &stat) ||
	    !ward_process_same_namespace(pid, leave->init) ||
	    ((dev_t)stat.terminal != leave->terminal &&
		!has_open(leave, pid, stat.terminal == 0)) ||
	    !leave->is_left(leave->context, pid))
		return;
	leave->found += pidfd_send_signal(pidfd, leave->signal, NULL, 0) == 0;
	/* a stopped one would not hear */
	(void)pidfd_send_signal(pidfd, SIGCONT, NULL, 0);
}

size_t
ward_inside_leave_terminal(pid_t init, dev_t terminal, const char *path,
    int signal, ward_inside_is_left *is_left, void *context)
{
	struct leave leave = {
		.init = init,
		.terminal = terminal,
		.path = path,
		.signal = signal,
		.is_left = is_left,
		.context = context,
	};

	ward_inside_each(init, leave_terminal, &leave);
	return leave.found;
}

struct terminals {
	unsigned numbers[TERMINALS_MAX];
	size_t n;
};

/* The controlling terminal; false where it is no pts. */
static bool
terminal_of(pid_t pid, unsigned *number)
{
	struct ward_process_stat stat;

	if (!ward_process_stat(pid, &stat) ||
	    major((dev_t)stat.terminal) != PTS_MAJOR)
		return false;
	*number = minor((dev_t)stat.terminal);
	return true;
}

static void
add_terminal(void *context, pid_t pid)
{
	struct terminals *found = context;
	unsigned number;

	if (!terminal_of(pid, &number) || found->n == TERMINALS_MAX)
		return;
	for (size_t i = 0; i < found->n; i++)
		if (found->numbers[i] == number)
			return;
	found->numbers[found->n++] = number;
}

static void
tell(unsigned number, const char *text, ward_inside_owns *owns, void *context)
{
	char path[32];
	struct stat st;

	(void)snprintf(path, sizeof(path), "/dev/pts/%u", number);
	_cleanup_fd_ int fd = open(
	    path, O_WRONLY | O_NOCTTY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) != 0 || !S_ISCHR(st.st_mode) ||
	    st.st_rdev != makedev(PTS_MAJOR, number) ||
	    !owns(context, number, st.st_uid))
		return;
	/* a terminal that takes nothing now misses it */
	if (write(fd, text, strlen(text)) < 0)
		return;
}

void
ward_inside_tell(
    pid_t init, const char *text, ward_inside_owns *owns, void *context)
{
	struct terminals found = { .n = 0 };

	ward_inside_each(init, add_terminal, &found);
	for (size_t i = 0; i < found.n; i++)
		tell(found.numbers[i], text, owns, context);
}
