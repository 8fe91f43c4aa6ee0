/* SPDX-License-Identifier: ISC */
/* Starts the connector of a sandbox. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/fd.h"
#include "common/places.h"
#include "sandbox/connector_start.h"

#define NAMESPACES                                                             \
	(CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS |            \
	    CLONE_NEWPID)

/* What the first child tells: the second's pid, or what failed. */
struct told {
	pid_t pid;
	int error;
	char step[16];
};

/* The descriptors of the connector: its socket, and itself until the exec. */
enum { CONNECTOR_SOCKET = 3, CONNECTOR_EXE = 4, CONNECTOR_NEXT = 5 };

/* In a copy of the warden's memory: system calls only. */
static int
enter(const struct ward_connector_of *of, const char **step)
{
	*step = "setns";
	if (setns(of->init_pidfd, NAMESPACES) != 0 || chdir("/") != 0)
		return -errno;
	*step = "groups";
	if (syscall(SYS_setgroups, of->n_groups, of->groups) != 0 ||
	    syscall(SYS_setresgid, of->gid, of->gid, of->gid) != 0)
		return -errno;
	*step = "prctl";
	return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0 ? 0 : -errno;
}

static _Noreturn void
exec_connector(int exe_fd, int socket_fd, uid_t uid)
{
	static char name[] = WARD_CONNECTOR_NAME;
	char number[16];
	char *const argv[] = { name, number, NULL };
	char *const environment[] = { NULL };
	sigset_t none;

	(void)snprintf(number, sizeof(number), "%u", (unsigned)uid);
	(void)sigemptyset(&none);
	/* both are above these numbers */
	if (dup2(socket_fd, CONNECTOR_SOCKET) >= 0 &&
	    dup3(exe_fd, CONNECTOR_EXE, O_CLOEXEC) >= 0 &&
	    close_range(0, CONNECTOR_SOCKET - 1, 0) == 0 &&
	    close_range(CONNECTOR_NEXT, ~0U, 0) == 0 &&
	    sigprocmask(SIG_SETMASK, &none, NULL) == 0)
		(void)execveat(
		    CONNECTOR_EXE, "", argv, environment, AT_EMPTY_PATH);
	_exit(1);
}

/*
 * A first child enters; a second one is born inside, as the warden's child.
 * Both are copies: in shared memory the account could end the warden with what
 * it can signal.
 */
static _Noreturn void
run_first(
    const struct ward_connector_of *of, int exe_fd, int socket_fd, int tell_fd)
{
	struct told told = { .pid = -1 };
	const char *step = "clone";
	int r = enter(of, &step);

	if (r == 0) {
		step = "clone";
		told.pid = (pid_t)syscall(
		    SYS_clone, CLONE_PARENT | SIGCHLD, NULL, NULL, NULL, 0);
		if (told.pid == 0)
			exec_connector(exe_fd, socket_fd, of->uid);
		r = told.pid < 0 ? -errno : 0;
	}
	told.error = -r;
	(void)snprintf(told.step, sizeof(told.step), "%s", step);
	_exit(write(tell_fd, &told, sizeof(told)) == (ssize_t)sizeof(told) ? 0
									   : 1);
}

static int
run_children(const struct ward_connector_of *of, int exe_fd, int socket_fd,
    struct told *told)
{
	int tell[2];

	if (pipe2(tell, O_CLOEXEC) != 0)
		return -errno;
	pid_t first = fork();
	if (first == 0)
		run_first(of, exe_fd, socket_fd, tell[1]);
	int r = first < 0 ? -errno : 0;
	(void)close(tell[1]);
	if (r == 0 &&
	    read(tell[0], told, sizeof(*told)) != (ssize_t)sizeof(*told))
		r = -ECHILD;
	(void)close(tell[0]);
	while (first > 0 && waitpid(first, NULL, 0) < 0 && errno == EINTR)
		;
	return r;
}

pid_t
ward_connector_start(
    const struct ward_connector_of *of, int *socket_fd, struct err *err)
{
	struct told told = { .pid = -1 };
	int pair[2];

	_cleanup_fd_ int exe_fd = open(WARD_CONNECTOR, O_RDONLY | O_CLOEXEC);
	if (exe_fd < 0)
		return ward_err_sys(err, errno, "%s", WARD_CONNECTOR);
	exe_fd = ward_fd_raise_take(ward_steal_fd(&exe_fd));
	if (exe_fd < 0)
		return ward_err_sys(err, -exe_fd, "the connector");
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
		return ward_err_sys(err, errno, "the connector's socket");
	_cleanup_fd_ int theirs = ward_fd_raise_take(pair[1]);
	_cleanup_fd_ int ours = pair[0];
	if (theirs < 0)
		return ward_err_sys(err, -theirs, "the connector's socket");
	int r = run_children(of, exe_fd, theirs, &told);
	if (r != 0)
		return ward_err_sys(err, -r, "the connector");
	if (told.error != 0)
		return ward_err_sys(
		    err, told.error, "the connector: %s", told.step);
	*socket_fd = ward_steal_fd(&ours);
	return told.pid;
}
