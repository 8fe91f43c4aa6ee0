/* SPDX-License-Identifier: ISC */
/* Runs a program, for so long and no longer. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/clock.h"
#include "sandbox/program.h"

#define KILLED_MS 2000 /* what SIGKILL ends is ended by then */

/* In a copy of a process whose other threads are gone: system calls only. */
static _Noreturn void
run_child(const struct ward_program *program)
{
	sigset_t none;

	(void)sigemptyset(&none);
	/* those that cannot be set have it */
	for (int number = 1; number < NSIG; number++)
		(void)signal(number, SIG_DFL);
	/* inherited where it is one of the three, else closed below */
	int null_fd = open("/dev/null", O_RDWR);
	if (null_fd >= 0 && setsid() >= 0 && dup2(null_fd, 0) == 0 &&
	    dup2(null_fd, 1) == 1 && dup2(null_fd, 2) == 2 &&
	    (program->net_nsfd < 0 ||
		setns(program->net_nsfd, CLONE_NEWNET) == 0) &&
	    close_range(3, ~0U, 0) == 0 &&
	    sigprocmask(SIG_SETMASK, &none, NULL) == 0)
		(void)execve(
		    program->path, program->argv, program->environment);
	_exit(127);
}

pid_t
ward_program_start(const struct ward_program *program)
{
	sigset_t all, before;

	/* a handler of the caller's must not run in the child */
	(void)sigfillset(&all);
	if (pthread_sigmask(SIG_SETMASK, &all, &before) != 0)
		return -EINVAL;
	pid_t pid = fork();
	if (pid == 0)
		run_child(program);
	int error = errno;
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	return pid < 0 ? -error : pid;
}

static bool
has_ended(int pidfd, int limit_ms)
{
	struct pollfd end = { .fd = pidfd, .events = POLLIN };
	int64_t until_ms = ward_now_ms() + limit_ms;
	int r = 0;

	do {
		int64_t left = until_ms - ward_now_ms();
		r = poll(&end, 1, left < 0 ? 0 : (int)left);
	} while (r < 0 && errno == EINTR);
	return r == 1;
}

int
ward_program_run(const struct ward_program *program)
{
	bool killed = false;
	int status = 0;
	pid_t pid = ward_program_start(program);

	if (pid < 0)
		return (int)pid;
	_cleanup_fd_ int pidfd = pidfd_open(pid, 0);
	if (pidfd < 0 || !has_ended(pidfd, program->limit_ms)) {
		killed = true;
		(void)kill(pid, SIGKILL);
	}
	/* in the kernel without an end: a zombie, one day, until this ends */
	if (killed && pidfd >= 0 && !has_ended(pidfd, KILLED_MS))
		return -ETIMEDOUT;
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	if (killed)
		return -ETIMEDOUT;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -EOPNOTSUPP;
}
