/* SPDX-License-Identifier: ISC */
/*
 * Arms the opener.  A pid namespace whose init has ended becomes its namespace
 * for children: the kernel then refuses every child, however it is made
 * (ENOMEM; alloc_pid of Linux 6.1 and later).  Only fork() runs the handlers
 * below, which switch to the sandbox's namespace around it.
 *
 * The handlers make system calls only: fork() may be called with any lock
 * held, and in the child nothing else of the process exists.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/fd.h"
#include "pam/arm.h"
#include "pam/enter.h"

static struct {
	struct ward_joined joined;
	int host_nsfd;
	pid_t opener; /* 0: not armed */
	bool handlers;

	/* from prepare to parent or child */
	sigset_t mask;
	uid_t euid;
	bool switched;
} armed = { .host_nsfd = -1 };

/*
 * glibc's setresuid would change every thread; the kernel's changes this one,
 * which is the one that forks.
 */
static int
set_euid(uid_t euid)
{
	if (syscall(SYS_setresuid, -1, euid, -1) != 0)
		return -errno;
	return 0;
}

static void
before_fork(void)
{
	sigset_t all;

	armed.switched = false;
	if (!ward_arm_is_armed())
		return;
	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_BLOCK, &all, &armed.mask);
	/* atd forks with the euid of daemon, but is root */
	armed.euid = geteuid();
	if (armed.euid != 0)
		(void)set_euid(0);
	/* where this fails, the dead namespace stays and fork() fails */
	if (setns(armed.joined.init_pidfd, CLONE_NEWPID) != 0)
		ward_enter_tell(&armed.joined, "before fork", errno);
	armed.switched = true;
}

static void
after_fork_in_parent(void)
{
	if (!armed.switched)
		return;
	armed.switched = false;
	/*
	 * Fail closed: an opener that could not be armed again would make
	 * unsealed children by vfork.
	 */
	if (setns(armed.joined.dead_nsfd, CLONE_NEWPID) != 0) {
		ward_enter_tell(&armed.joined, "after fork", errno);
		_exit(255);
	}
	if (armed.euid != 0 && set_euid(armed.euid) != 0)
		_exit(255);
	(void)pthread_sigmask(SIG_SETMASK, &armed.mask, NULL);
}

static void
after_fork_in_child(void)
{
	if (!armed.switched)
		return;
	/* this process only: the opener stays armed */
	armed.switched = false;
	armed.opener = 0;
	ward_enter(&armed.joined, armed.host_nsfd);
	if (armed.euid != 0 && set_euid(armed.euid) != 0)
		_exit(255);
	(void)pthread_sigmask(SIG_SETMASK, &armed.mask, NULL);
}

bool
ward_arm_is_armed(void)
{
	return armed.opener != 0 && armed.opener == getpid();
}

int
ward_arm_take(struct ward_joined *joined, struct err *err)
{
	if (!armed.handlers) {
		int r = pthread_atfork(
		    before_fork, after_fork_in_parent, after_fork_in_child);
		if (r != 0)
			return ward_err_sys(err, r, "pthread_atfork");
		armed.handlers = true;
	}
	int host_nsfd =
	    open("/proc/self/ns/pid_for_children", O_RDONLY | O_CLOEXEC);
	if (host_nsfd < 0)
		return ward_err_sys(
		    err, errno, "/proc/self/ns/pid_for_children");
	host_nsfd = ward_fd_raise_take(host_nsfd);
	if (host_nsfd < 0)
		return ward_err_sys(err, -host_nsfd, "no descriptor left");
	if (setns(joined->dead_nsfd, CLONE_NEWPID) != 0) {
		int error = errno;
		(void)close(host_nsfd);
		return ward_err_sys(err, error, "the dead pid namespace");
	}
	armed.joined = *joined;
	armed.host_nsfd = host_nsfd;
	armed.opener = getpid();
	*joined = (struct ward_joined){
		.socket_fd = -1,
		.init_pidfd = -1,
		.dead_nsfd = -1,
		.ruleset_fd = -1,
	};
	return 0;
}

int
ward_disarm(struct err *err)
{
	struct ward_wire wire;
	uid_t euid = geteuid();

	if (euid != 0 && set_euid(0) != 0)
		return ward_err_sys(err, errno, "cannot be root again");
	int r = setns(armed.host_nsfd, CLONE_NEWPID) == 0 ? 0 : -errno;
	if (euid != 0 && set_euid(euid) != 0)
		return ward_err_sys(err, errno, "cannot give up root again");
	if (r != 0)
		return ward_err_sys(err, -r, "the host's pid namespace");
	armed.opener = 0;
	if (ward_wire_put_empty(&wire, WARD_WIRE_CLOSE) == 0)
		/* the end of the socket says the same */
		(void)ward_fd_send(
		    armed.joined.socket_fd, wire.data, wire.size, NULL, 0);
	(void)close(armed.host_nsfd);
	armed.host_nsfd = -1;
	ward_joined_clear(&armed.joined);
	return 0;
}
