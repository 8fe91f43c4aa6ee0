/* SPDX-License-Identifier: ISC */
/* Starts a program that serves a sandbox from the host. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/fd.h"
#include "sandbox/servant.h"

#define FIRST_FD 3
#define FDS_MAX  (1 + WARD_SERVANT_FDS_MAX)

/* What it is to have, from 3 on, and nothing above that. */
static bool
place(const int *fds, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (dup2(fds[i], FIRST_FD + (int)i) < 0)
			return false;
	return close_range(FIRST_FD + (unsigned)n, ~0U, 0) == 0;
}

/*
 * In a copy of the warden's memory, whose other threads are gone: system calls
 * only.  Groups, gid, uid; then root must not come back.  A signal at the
 * parent's death is asked for last, since a change of ids forgets it.
 */
static _Noreturn void
run_child(const struct ward_servant *servant, const int *fds, size_t n_fds,
    pid_t warden)
{
	const uid_t uid = servant->uid;
	const gid_t gid = servant->gid;
	char name[32];
	char *const argv[] = { name, NULL };
	char *const environment[] = { NULL };
	sigset_t none;

	(void)snprintf(name, sizeof(name), "%s", servant->name);
	(void)sigemptyset(&none);
	if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0 &&
	    syscall(SYS_setgroups, 0, NULL) == 0 &&
	    syscall(SYS_setresgid, gid, gid, gid) == 0 &&
	    syscall(SYS_setresuid, uid, uid, uid) == 0 &&
	    syscall(SYS_setresuid, 0, 0, 0) != 0 &&
	    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) == 0 &&
	    getppid() == warden && chdir("/") == 0 && place(fds, n_fds) &&
	    sigprocmask(SIG_SETMASK, &none, NULL) == 0)
		(void)execve(servant->program, argv, environment);
	_exit(1);
}

/* Above the numbers that the child gives out; -errno, with n_fds made. */
static int
raise_all(const struct ward_servant *servant, int theirs_fd, int fds[FDS_MAX],
    size_t *n_fds)
{
	for (*n_fds = 0; *n_fds <= servant->n_fds; ++*n_fds) {
		fds[*n_fds] =
		    fcntl(*n_fds == 0 ? theirs_fd : servant->fds[*n_fds - 1],
			F_DUPFD_CLOEXEC, WARD_FD_LOWEST);
		if (fds[*n_fds] < 0)
			return -errno;
	}
	return 0;
}

pid_t
ward_servant_start(
    const struct ward_servant *servant, int *socket_fd, struct err *err)
{
	int pair[2], fds[FDS_MAX];
	size_t n_fds;
	pid_t warden = getpid(), pid = -1;

	if (servant->uid == 0)
		return ward_err_set(
		    err, EPERM, "%s must not be root", servant->name);
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
		return ward_err_sys(
		    err, errno, "the socket of %s", servant->name);
	int r = raise_all(servant, pair[1], fds, &n_fds);
	if (r == 0) {
		pid = fork();
		if (pid == 0)
			run_child(servant, fds, n_fds, warden);
		r = pid < 0 ? -errno : 0;
	}
	for (size_t i = 0; i < n_fds; i++)
		(void)close(fds[i]);
	(void)close(pair[1]);
	if (r != 0) {
		(void)close(pair[0]);
		return ward_err_sys(err, -r, "%s", servant->name);
	}
	*socket_fd = pair[0];
	return pid;
}
