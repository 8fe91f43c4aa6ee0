/* SPDX-License-Identifier: ISC */
/* Makes the container of a sandbox: its init and its namespaces. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <syslog.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/clock.h"
#include "common/fd.h"
#include "common/places.h"
#include "sandbox/contain.h"
#include "sandbox/routes.h"

#define NAMESPACES                                                             \
	(CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS |            \
	    CLONE_NEWPID)

/*
 * Children here are made as vfork(2) makes them: in the warden's memory, while
 * it stands still.  No page is copied, and what went wrong is simply there.
 */
#define STACK_SIZE ((size_t)512 * 1024)
#define END_MS     2000
#define STAND_MS   3000 /* less than a login waits for its warden */

struct child {
	const struct ward_contain_request *request;
	int libexec_dfd; /* where init's program is */
	int life_fd;     /* its end of the socket */
	struct err err;
	struct err unrouted;
};

/* What the view's descriptors are on the life socket; listeners follow. */
enum { SENT_RULESET, SENT_AGENT, SENT_LISTENERS };
#define SENT_MAX (SENT_LISTENERS + WARD_LISTENERS)
_Static_assert(SENT_MAX <= WARD_FD_PASS_MAX, "one message takes them");

/* Groups, gid, uid; then root must not come back (setresuid(2)). */
static int
become(uid_t uid, gid_t gid, struct err *err)
{
	if (setgroups(0, NULL) != 0 || setresgid(gid, gid, gid) != 0 ||
	    setresuid(uid, uid, uid) != 0)
		return ward_err_sys(err, errno, "init cannot give up root");
	if (setresuid(0, 0, 0) == 0)
		return ward_err_set(err, EPERM, "init is root again");
	/* until the exec this is the warden's memory, whatever suid_dumpable */
	if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0 ||
	    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		return ward_err_sys(err, errno, "prctl of init");
	return 0;
}

/*
 * What init keeps is its end of the life socket, as 3.  By a directory and a
 * name, since the name is what ps(1) shows of it, from the first moment on.
 */
static int
exec_init(int libexec_dfd, int life_fd, struct err *err)
{
	static char name[] = WARD_INIT_NAME;
	char *const argv[] = { name, NULL };
	char *const environment[] = { NULL };

	if (prctl(PR_SET_NAME, name, 0, 0, 0) != 0 ||
	    (life_fd == 3 ? fcntl(3, F_SETFD, 0) != 0 : dup2(life_fd, 3) < 0))
		return ward_err_sys(err, errno, "init's socket");
	(void)execveat(libexec_dfd, name, argv, environment, 0);
	return ward_err_sys(err, errno, "%s", WARD_INIT);
}

/* One byte says which listeners there are. */
static int
send_all(int life_fd, const struct ward_view *view,
    const struct ward_listeners *listeners, struct err *err)
{
	int fds[SENT_MAX] = {
		[SENT_RULESET] = view->ruleset_fd,
		[SENT_AGENT] = view->agent_fd,
	};
	size_t n_fds = SENT_LISTENERS;
	unsigned char has = 0;

	for (unsigned i = 0; i < WARD_LISTENERS; i++) {
		if (listeners->fds[i] < 0)
			continue;
		has |= (unsigned char)(1U << i);
		fds[n_fds++] = listeners->fds[i];
	}
	int r = ward_fd_send(life_fd, &has, sizeof(has), fds, n_fds);
	return r == 0 ? 0 : ward_err_sys(err, -r, "init's descriptors");
}

/* A network that egress serves; without routes by its proxy alone. */
static int
make_network(struct child *child, struct ward_listeners *listeners)
{
	if (!child->request->filtered)
		return 0;
	int r = ward_listeners_make(listeners, &child->err);
	if (r == 0)
		(void)ward_routes_set(
		    listeners->fds[WARD_LISTENER_TCP6] >= 0, &child->unrouted);
	return r;
}

/*
 * The child, as root in new namespaces.  Whatever fails here ends it, and with
 * it the namespaces.
 */
static int
run_child(void *context)
{
	struct child *child = context;
	const struct ward_contain_request *request = child->request;
	struct ward_listeners listeners = WARD_LISTENERS_NONE;
	struct ward_view view;

	/* the modes in the frame are meant as they are written */
	(void)umask(0);
	int r = ward_view_build(request->view, &view, &child->err);
	if (r == 0)
		r = ward_loopback_raise(&child->err);
	if (r == 0)
		r = make_network(child, &listeners);
	if (r == 0)
		r = become(request->init_uid, request->init_gid, &child->err);
	if (r == 0)
		r = send_all(child->life_fd, &view, &listeners, &child->err);
	if (r == 0)
		(void)exec_init(
		    child->libexec_dfd, child->life_fd, &child->err);
	_exit(1);
}

/* Returns when the child has exec'd or ended; its pid, or -errno. */
static pid_t
make_child(int (*run)(void *), void *context, int namespaces, int *pidfd)
{
	char *stack = malloc(STACK_SIZE);

	if (stack == NULL)
		return -ENOMEM;
	pid_t pid = clone(run, stack + STACK_SIZE,
	    CLONE_VM | CLONE_VFORK | CLONE_PIDFD | SIGCHLD | namespaces,
	    context, pidfd);
	int error = errno;
	free(stack);
	return pid < 0 ? -error : pid;
}

/* The descriptors that the child made. */
static int
receive_all(int life_fd, struct ward_container *container, struct err *err)
{
	unsigned char has = 0;
	int fds[SENT_MAX];
	size_t n_fds = SENT_MAX, at = SENT_LISTENERS;
	ssize_t n =
	    ward_fd_receive(life_fd, &has, sizeof(has), fds, &n_fds, NULL, -1);

	if (n != sizeof(has) ||
	    n_fds != SENT_LISTENERS + (size_t)__builtin_popcount(has)) {
		for (size_t i = 0; i < n_fds; i++)
			(void)close(fds[i]);
		return ward_err_set(
		    err, ECHILD, "init ended while it built the view");
	}
	container->ruleset_fd = fds[SENT_RULESET];
	container->agent_fd = fds[SENT_AGENT];
	for (unsigned i = 0; i < WARD_LISTENERS; i++)
		if ((has & 1U << i) != 0)
			container->listeners.fds[i] = fds[at++];
	return 0;
}

static int
ended_early(struct err *err)
{
	return ward_err_set(err, ECHILD, "%s ended as it began", WARD_INIT);
}

static int
open_network(struct ward_container *container, struct err *err)
{
	char path[64];

	(void)snprintf(
	    path, sizeof(path), "/proc/%d/ns/net", (int)container->init);
	container->net_nsfd = open(path, O_RDONLY | O_CLOEXEC);
	if (container->net_nsfd >= 0)
		return 0;
	/* what has ended is in none, until it is waited for */
	return errno == ENOENT ? ended_early(err)
			       : ward_err_sys(err, errno, "%s", path);
}

int
ward_contain(const struct ward_contain_request *request,
    struct ward_container *container, struct err *err)
{
	int pair[2], pidfd = -1;

	*container = (struct ward_container)WARD_CONTAINER_NONE;
	_cleanup_fd_ int libexec_dfd =
	    open(WARD_LIBEXECDIR, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (libexec_dfd < 0)
		return ward_err_sys(err, errno, "%s", WARD_LIBEXECDIR);
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
		return ward_err_sys(err, errno, "init's socket");
	struct child child = {
		.request = request,
		.libexec_dfd = libexec_dfd,
		.life_fd = pair[1],
	};
	pid_t pid = make_child(run_child, &child, NAMESPACES, &pidfd);
	(void)close(pair[1]);
	if (pid < 0) {
		(void)close(pair[0]);
		return ward_err_sys(err, -pid, "cannot make namespaces");
	}
	container->init = pid;
	container->init_pidfd = pidfd;
	container->life_fd = pair[0];
	container->unrouted = child.unrouted;
	int r = child.err.code != 0
	    ? ward_err_set(err, child.err.code, "%s", child.err.text)
	    : receive_all(pair[0], container, err);
	if (r == 0 && request->filtered)
		r = open_network(container, err);
	if (r != 0)
		ward_container_end(container);
	return r;
}

/*
 * An exec is no more than an exec: what stands in init's place may end, hang,
 * or be the program of something else.
 */
int
ward_container_await(const struct ward_container *container, struct err *err)
{
	unsigned char said = 0;
	ssize_t n = ward_fd_receive(container->life_fd, &said, sizeof(said),
	    NULL, NULL, NULL, ward_now_ms() + STAND_MS);

	if (n == 0)
		return ended_early(err);
	if (n == -ETIMEDOUT)
		return ward_err_set(
		    err, ETIMEDOUT, "%s does not begin", WARD_INIT);
	if (n < 0)
		return ward_err_sys(err, (int)-n, "%s", WARD_INIT);
	return said == WARD_INIT_STANDS
	    ? 0
	    : ward_err_set(err, EPROTO, "%s is another program", WARD_INIT);
}

static void
close_if(int *fd)
{
	if (*fd >= 0)
		(void)close(*fd);
	*fd = -1;
}

/*
 * The end of init waits for everything inside.  What hangs in a file system
 * holds up its own end, not the warden's: it never comes out.
 */
static bool
has_ended(int init_pidfd)
{
	struct pollfd init = { .fd = init_pidfd, .events = POLLIN };
	int64_t deadline_ms = ward_now_ms() + END_MS;
	int r = 0;

	do {
		int64_t left = deadline_ms - ward_now_ms();
		r = poll(&init, 1, left < 0 ? 0 : (int)left);
	} while (r < 0 && errno == EINTR && ward_now_ms() < deadline_ms);
	return r == 1;
}

void
ward_container_end(struct ward_container *container)
{
	if (container->init > 0) {
		(void)kill(container->init, SIGKILL);
		if (!has_ended(container->init_pidfd))
			syslog(LOG_ERR,
			    "ward: a process of the sandbox does not end");
		(void)waitpid(container->init, NULL, WNOHANG);
		container->init = -1;
	}
	close_if(&container->init_pidfd);
	close_if(&container->life_fd);
	close_if(&container->agent_fd);
	close_if(&container->ruleset_fd);
	close_if(&container->net_nsfd);
	ward_listeners_close(&container->listeners);
}

static int
end_at_once(void *context)
{
	(void)context;
	_exit(0);
}

int
ward_dead_namespace_make(struct err *err)
{
	char path[64];
	int pidfd = -1;
	pid_t pid = make_child(end_at_once, NULL, CLONE_NEWPID, &pidfd);

	if (pid < 0)
		return ward_err_sys(err, -pid, "cannot make a pid namespace");
	(void)close(pidfd);
	/* a zombie still has its namespace's name */
	(void)snprintf(path, sizeof(path), "/proc/%d/ns/pid", (int)pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int error = errno;
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	return fd < 0 ? ward_err_sys(err, error, "%s", path) : fd;
}
