/* SPDX-License-Identifier: ISC */
/* Starts egress. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/fd.h"
#include "common/places.h"
#include "sandbox/egress_start.h"

enum { EGRESS_SOCKET = 3, EGRESS_NEXT = 4 };

/*
 * In a copy of the warden's memory, whose other threads are gone: system calls
 * only.  Groups, gid, uid; then root must not come back.  A signal at the
 * parent's death is asked for last, since a change of ids forgets it.
 */
static _Noreturn void
run_child(uid_t uid, gid_t gid, int socket_fd, pid_t warden)
{
	static char name[] = "ward-egress";
	char *const argv[] = { name, NULL };
	char *const environment[] = { NULL };
	sigset_t none;

	(void)sigemptyset(&none);
	if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0 &&
	    syscall(SYS_setgroups, 0, NULL) == 0 &&
	    syscall(SYS_setresgid, gid, gid, gid) == 0 &&
	    syscall(SYS_setresuid, uid, uid, uid) == 0 &&
	    syscall(SYS_setresuid, 0, 0, 0) != 0 &&
	    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) == 0 &&
	    getppid() == warden && chdir("/") == 0 &&
	    dup2(socket_fd, EGRESS_SOCKET) >= 0 &&
	    close_range(EGRESS_NEXT, ~0U, 0) == 0 &&
	    sigprocmask(SIG_SETMASK, &none, NULL) == 0)
		(void)execve(WARD_EGRESS, argv, environment);
	_exit(1);
}

pid_t
ward_egress_start(uid_t uid, gid_t gid, int *socket_fd, struct err *err)
{
	int pair[2];

	if (uid == 0)
		return ward_err_set(err, EPERM, "egress must not be root");
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
		return ward_err_sys(err, errno, "egress' socket");
	_cleanup_fd_ int ours = pair[0];
	_cleanup_fd_ int theirs = ward_fd_raise_take(pair[1]);
	if (theirs < 0)
		return ward_err_sys(err, -theirs, "egress' socket");
	pid_t warden = getpid();
	pid_t pid = fork();
	if (pid == 0)
		run_child(uid, gid, theirs, warden);
	if (pid < 0)
		return ward_err_sys(err, errno, "egress");
	*socket_fd = ward_steal_fd(&ours);
	return pid;
}
