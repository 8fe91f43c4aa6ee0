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

typedef void visit(void *context, pid_t pid);

/*
 * Calls for each process of init's pid namespace but Ward's own: init, and the
 * connector, whose parent is the warden, too.
 */
static void
each(pid_t init, visit *call, void *context)
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

	each(init, count, &n);
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
	each(init, hang_up, &init);
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

	each(init, add_terminal, &found);
	for (size_t i = 0; i < found.n; i++)
		tell(found.numbers[i], text, owns, context);
}
