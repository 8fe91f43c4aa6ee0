/* SPDX-License-Identifier: ISC */
/* Standing between a command and who started it. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "shell/parent.h"

/* The caller's, for the child and for the end. */
static sigset_t caller_mask;
static struct sigaction caller_chld;

/* What the parent waits for, in place of being hit by it. */
static void
fill(sigset_t *set)
{
	/* a fault of its own, and what cannot be held, are not among them */
	static const int out[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP,
		SIGSYS, SIGABRT, SIGKILL, SIGSTOP };

	(void)sigfillset(set);
	for (size_t i = 0; i < sizeof(out) / sizeof(out[0]); i++)
		(void)sigdelset(set, out[i]);
}

bool
ward_parent_can(void)
{
	return getsid(0) == getpid();
}

/*
 * The terminal is nobody's then, for the child to take.  The kernel tells the
 * foreground, which is this process, of a hang-up that is none.
 */
static int
leave_terminal(int tty_fd)
{
	static const int told[] = { SIGHUP, SIGCONT };
	const struct timespec now = { 0 };
	sigset_t set;

	if (tty_fd < 0)
		return 0;
	if (ioctl(tty_fd, TIOCNOTTY) != 0)
		return -errno;
	for (size_t i = 0; i < sizeof(told) / sizeof(told[0]); i++) {
		(void)sigemptyset(&set);
		(void)sigaddset(&set, told[i]);
		(void)sigtimedwait(&set, NULL, &now);
	}
	return 0;
}

static void
take_terminal(int tty_fd)
{
	/* it can be gone by now, and whoever leads its session hears that */
	if (tty_fd >= 0 && ioctl(tty_fd, TIOCSCTTY, 0) != 0)
		(void)kill(getpid(), SIGHUP);
}

/* A writer into the command, and a reader of it, hear of its end at once. */
static void
let_go(void)
{
	int fd = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (fd < 0)
		return;
	(void)dup2(fd, STDIN_FILENO);
	(void)dup2(fd, STDOUT_FILENO);
	(void)close(fd);
}

static void
restore_signals(void)
{
	(void)sigaction(SIGCHLD, &caller_chld, NULL);
	(void)sigprocmask(SIG_SETMASK, &caller_mask, NULL);
}

pid_t
ward_parent_fork(void)
{
	const struct sigaction usual = { .sa_handler = SIG_DFL };
	const pid_t parent = getpid();
	_cleanup_fd_ int tty_fd = open("/dev/tty", O_RDWR | O_CLOEXEC);
	sigset_t set;

	fill(&set);
	/* who ignores it hears of no end */
	if (sigaction(SIGCHLD, &usual, &caller_chld) != 0 ||
	    sigprocmask(SIG_BLOCK, &set, &caller_mask) != 0)
		return -errno;
	int r = leave_terminal(tty_fd);
	pid_t child = r == 0 ? fork() : -1;
	if (child > 0) {
		let_go();
		return child;
	}
	if (child < 0) {
		r = r == 0 ? -errno : r;
		take_terminal(tty_fd);
		restore_signals();
		return r;
	}
	/* what kills the one that is known kills the command, as without it */
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent ||
	    setsid() < 0)
		_exit(128 + SIGKILL);
	take_terminal(tty_fd);
	restore_signals();
	return 0;
}

/*
 * sshd, whose process for the account is inside, signals the group; su and an
 * admin signal the process that they know, and are outside: pid 0 here.
 */
static pid_t
whom(pid_t child, const siginfo_t *info)
{
	const pid_t parent = getppid();

	return info->si_code == SI_USER && parent != 0 && info->si_pid == parent
	    ? -child
	    : child;
}

int
ward_parent_wait(pid_t child)
{
	sigset_t set;
	siginfo_t info;
	int status = 0;

	fill(&set);
	for (;;) {
		pid_t pid = waitpid(child, &status, WNOHANG);
		if (pid == child || (pid < 0 && errno != EINTR))
			return status;
		if (sigwaitinfo(&set, &info) > 0 && info.si_signo != SIGCHLD)
			(void)kill(whom(child, &info), info.si_signo);
	}
}

void
ward_parent_end(int status)
{
	struct sigaction action = { .sa_handler = SIG_DFL };
	sigset_t set;

	if (!WIFSIGNALED(status))
		_exit(WEXITSTATUS(status));
	(void)sigaction(WTERMSIG(status), &action, NULL);
	(void)kill(getpid(), WTERMSIG(status));
	(void)sigemptyset(&set);
	(void)sigaddset(&set, WTERMSIG(status));
	(void)sigprocmask(SIG_UNBLOCK, &set, NULL);
	_exit(128 + WTERMSIG(status));
}
