/* SPDX-License-Identifier: ISC */
/*
 * Starts a warden that is nobody's child.  Two processes are made, one by the
 * other, both in the caller's memory and each while its maker stands still, as
 * vfork(2) does: the first only makes the second and ends, so that the warden
 * is the system's to reap.  Neither does more than system calls; whatever they
 * change (signals, descriptors, directory, umask) is their own copy.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/places.h"
#include "pam/spawn.h"

#define SOCKET_FD  3
#define STACK_SIZE ((size_t)64 * 1024)

struct spawn {
	int socket_fd;
	char account[64];
	char *stack; /* of the second process; the first has its own */
	int error;   /* why there is no warden */
};

/* What the caller ignored or blocked is no business of the warden's. */
static int
reset_signals(void)
{
	const struct sigaction normal = { .sa_handler = SIG_DFL };
	sigset_t none;

	for (int number = 1; number < NSIG; number++)
		/* fails for those that have no disposition */
		(void)sigaction(number, &normal, NULL);
	(void)sigemptyset(&none);
	return sigprocmask(SIG_SETMASK, &none, NULL);
}

/* /dev/null as 0, 1 and 2, the socket as 3, and nothing else. */
static int
settle_descriptors(int socket_fd)
{
	/* not in the way of those four, however few the caller has open */
	int kept_fd = fcntl(socket_fd, F_DUPFD_CLOEXEC, SOCKET_FD + 1);
	int null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (kept_fd < 0 || null_fd < 0)
		return -1;
	for (int fd = 0; fd < SOCKET_FD; fd++)
		if (fd == null_fd ? fcntl(fd, F_SETFD, 0) != 0
				  : dup2(null_fd, fd) != fd)
			return -1;
	if (dup2(kept_fd, SOCKET_FD) != SOCKET_FD)
		return -1;
	return close_range(SOCKET_FD + 1, ~0U, 0);
}

static int
become_warden(void *context)
{
	struct spawn *spawn = context;
	static char name[] = "ward-warden";
	char *const argv[] = { name, spawn->account, NULL };
	/* nothing of the caller's environment */
	static char path[] = "PATH=/usr/sbin:/usr/bin:/sbin:/bin";
	char *const environment[] = { path, NULL };

	(void)umask(077);
	if (setsid() >= 0 && chdir("/") == 0 &&
	    settle_descriptors(spawn->socket_fd) == 0 && reset_signals() == 0)
		(void)execve(WARD_WARDEN, argv, environment);
	spawn->error = errno;
	_exit(1);
}

static int
make_warden(void *context)
{
	struct spawn *spawn = context;

	if (clone(become_warden, spawn->stack + STACK_SIZE,
		CLONE_VM | CLONE_VFORK | SIGCHLD, spawn) < 0)
		spawn->error = errno;
	_exit(0);
}

int
ward_spawn_warden(int socket_fd, const char *account, struct err *err)
{
	sigset_t all, saved;
	pid_t r;

	/* two stacks, which grow down */
	char *stacks = malloc(2 * STACK_SIZE);
	if (stacks == NULL)
		return ward_err_sys(err, ENOMEM, "cannot start the warden");
	struct spawn spawn = { .socket_fd = socket_fd, .stack = stacks };
	(void)snprintf(spawn.account, sizeof(spawn.account), "%s", account);
	/* a handler of the caller's must not run in the shared memory */
	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_BLOCK, &all, &saved);
	/* no exit signal: the caller never learns of it */
	pid_t pid = clone(make_warden, stacks + 2 * STACK_SIZE,
	    CLONE_VM | CLONE_VFORK, &spawn);
	int error = errno;
	(void)pthread_sigmask(SIG_SETMASK, &saved, NULL);
	if (pid >= 0)
		do
			r = waitpid(pid, NULL, __WALL);
		while (r < 0 && errno == EINTR);
	free(stacks);
	if (pid < 0)
		return ward_err_sys(err, error, "cannot start the warden");
	if (spawn.error != 0)
		return ward_err_sys(err, spawn.error, "%s", WARD_WARDEN);
	return 0;
}
