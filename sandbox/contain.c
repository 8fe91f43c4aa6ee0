/* SPDX-License-Identifier: ISC */
/* Makes the container of a sandbox: its init and its namespaces. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/sched.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/fd.h"
#include "common/places.h"
#include "sandbox/contain.h"

#define NAMESPACES                                                             \
	(CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS |            \
	    CLONE_NEWPID)

/* What the child says when the view stands, or why it does not. */
struct report {
	struct err err;
};

/* A new network namespace has a loopback that is down. */
static int
raise_loopback(struct err *err)
{
	struct ifreq request = { .ifr_name = "lo" };
	_cleanup_fd_ int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return ward_err_sys(err, errno, "a socket for lo");
	request.ifr_flags = IFF_UP | IFF_RUNNING;
	if (ioctl(fd, SIOCSIFFLAGS, &request) != 0)
		return ward_err_sys(err, errno, "cannot bring lo up");
	return 0;
}

/* Groups, gid, uid; then root must not come back (setresuid(2)). */
static int
become(uid_t uid, gid_t gid, struct err *err)
{
	if (setgroups(0, NULL) != 0 || setresgid(gid, gid, gid) != 0 ||
	    setresuid(uid, uid, uid) != 0)
		return ward_err_sys(err, errno, "init cannot give up root");
	if (setresuid(0, 0, 0) == 0)
		return ward_err_set(err, EPERM, "init is root again");
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		return ward_err_sys(err, errno, "no_new_privs of init");
	return 0;
}

/* What init keeps is its end of the life socket, as 3. */
static int
exec_init(int init_fd, int life_fd, struct err *err)
{
	static char name[] = "ward-init";
	char *const argv[] = { name, NULL };
	char *const environment[] = { NULL };

	if (life_fd == 3 ? fcntl(3, F_SETFD, 0) != 0 : dup2(life_fd, 3) < 0)
		return ward_err_sys(err, errno, "init's socket");
	(void)execveat(init_fd, "", argv, environment, AT_EMPTY_PATH);
	return ward_err_sys(err, errno, "%s", WARD_INIT);
}

/*
 * The child, as root in new namespaces.  Whatever fails here ends it, and with
 * it the namespaces.
 */
static void __attribute__((noreturn))
run_child(const struct ward_view_request *request, uid_t uid, gid_t gid,
    int init_fd, int life_fd)
{
	struct report report = { 0 };
	struct ward_view view;

	/* the modes in the frame are meant as they are written */
	(void)umask(0);
	int r = ward_view_build(request, &view, &report.err);
	if (r == 0)
		r = raise_loopback(&report.err);
	if (r == 0)
		r = become(uid, gid, &report.err);
	if (r == 0) {
		const int fds[] = { view.ruleset_fd, view.agent_fd };
		r = ward_fd_send(life_fd, &report, sizeof(report), fds, 2);
	}
	if (r == 0)
		(void)exec_init(init_fd, life_fd, &report.err);
	/* the warden sees a report, or the end of the socket */
	(void)ward_fd_send(life_fd, &report, sizeof(report), NULL, 0);
	_exit(1);
}

/* A child like fork's, in new namespaces; the kernel writes *pidfd. */
static pid_t
/* NOLINTNEXTLINE(readability-non-const-parameter): it is written, see above */
clone_child(uint64_t flags, int *pidfd)
{
	struct clone_args args = {
		.flags = flags | CLONE_PIDFD,
		.pidfd = (uint64_t)(uintptr_t)pidfd,
		.exit_signal = SIGCHLD,
	};

	return (pid_t)syscall(SYS_clone3, &args, sizeof(args));
}

static int
receive_report(int life_fd, struct ward_container *container, struct err *err)
{
	struct report report;
	int fds[2];
	size_t n_fds = 2;

	/* the module gives up after 5 s; the view of a sane host takes 5 ms */
	ssize_t n = ward_fd_receive(life_fd, &report, sizeof(report), fds,
	    &n_fds, NULL, ward_now_ms() + 4000);
	if (n < 0)
		return ward_err_sys(err, (int)-n, "no view was built");
	if (n == 0)
		return ward_err_set(
		    err, ECHILD, "init ended while it built the view");
	if ((size_t)n != sizeof(report))
		return ward_err_set(err, EPROTO, "init's report is broken");
	if (report.err.code != 0)
		return ward_err_set(
		    err, report.err.code, "%s", report.err.text);
	if (n_fds != 2)
		return ward_err_set(
		    err, EPROTO, "init sent %zu descriptors", n_fds);
	container->ruleset_fd = fds[0];
	container->agent_fd = fds[1];
	return 0;
}

int
ward_contain(const struct ward_view_request *request, uid_t init_uid,
    gid_t init_gid, struct ward_container *container, struct err *err)
{
	int pair[2], pidfd = -1;

	*container = (struct ward_container){
		.init = -1,
		.init_pidfd = -1,
		.life_fd = -1,
		.agent_fd = -1,
		.ruleset_fd = -1,
	};
	_cleanup_fd_ int init_fd = open(WARD_INIT, O_RDONLY | O_CLOEXEC);
	if (init_fd < 0)
		return ward_err_sys(err, errno, "%s", WARD_INIT);
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
		return ward_err_sys(err, errno, "init's socket");
	pid_t pid = clone_child(NAMESPACES, &pidfd);
	if (pid == 0) {
		(void)close(pair[0]);
		run_child(request, init_uid, init_gid, init_fd, pair[1]);
	}
	int error = errno;
	(void)close(pair[1]);
	if (pid < 0) {
		(void)close(pair[0]);
		return ward_err_sys(err, error, "cannot make namespaces");
	}
	container->init = pid;
	container->init_pidfd = pidfd;
	container->life_fd = pair[0];
	int r = receive_report(pair[0], container, err);
	if (r != 0)
		ward_container_end(container);
	return r;
}

static void
close_if(int *fd)
{
	if (*fd >= 0)
		(void)close(*fd);
	*fd = -1;
}

void
ward_container_end(struct ward_container *container)
{
	if (container->init > 0) {
		(void)kill(container->init, SIGKILL);
		while (waitpid(container->init, NULL, 0) < 0 && errno == EINTR)
			;
		container->init = -1;
	}
	close_if(&container->init_pidfd);
	close_if(&container->life_fd);
	close_if(&container->agent_fd);
	close_if(&container->ruleset_fd);
}

int
ward_dead_namespace_make(struct err *err)
{
	char path[64];
	int pidfd = -1;
	pid_t pid = clone_child(CLONE_NEWPID | CLONE_VFORK, &pidfd);

	if (pid == 0)
		_exit(0);
	if (pid < 0)
		return ward_err_sys(err, errno, "cannot make a pid namespace");
	(void)close(pidfd);
	/* a zombie still has its namespace's name */
	(void)snprintf(path, sizeof(path), "/proc/%d/ns/pid", (int)pid);
	siginfo_t info;
	while (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT) != 0 &&
	    errno == EINTR)
		;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int error = errno;
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	return fd < 0 ? ward_err_sys(err, error, "%s", path) : fd;
}
