/* SPDX-License-Identifier: ISC */
/* Who opens the session, and what it would hand in. */
#include "config.h"

#include <errno.h>
#include <linux/close_range.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "common/pids.h"
#include "common/places.h"
#include "pam/caller.h"
#include "pam/service.h"

bool
ward_caller_is_brief(const char *service)
{
	char program[512];

	if (!ward_service_is_known(service))
		return false;
	/* fail closed where it cannot be told */
	return ward_service_goes_on(service) ||
	    ward_pids_program(0, program, sizeof(program)) != 0 ||
	    ward_service_is_program(service, program);
}

static int
check_threads(struct err *err)
{
	struct stat st;

	/* a directory for each thread, and two more links */
	if (stat("/proc/self/task", &st) != 0)
		return ward_err_sys(err, errno, "/proc/self/task");
	if (st.st_nlink != 3)
		return ward_err_set(err, EPERM, "it has several threads");
	return 0;
}

int
ward_caller_check(
    const char *service, struct ward_caller *caller, struct err *err)
{
	char program[512];

	/* a daemon that runs on after its package was upgraded is the same */
	int r = ward_pids_program(0, program, sizeof(program));
	if (r != 0)
		return ward_err_sys(err, -r, "/proc/self/exe");
	caller->is_wardctl = strcmp(program, WARD_CTL) == 0;
	/* root's own wardctl tries each stack before an account is let in */
	if (!caller->is_wardctl && !ward_service_is_program(service, program))
		return ward_err_set(err, EPERM, "%s", program);
	/* atd's ruid is daemon's, and it is root all the same */
	if (geteuid() != 0)
		return ward_err_set(err, EPERM, "it is not root");
	return check_threads(err);
}

static int
socket_option(int fd, int name)
{
	int value = -1;
	socklen_t n = sizeof(value);

	return getsockopt(fd, SOL_SOCKET, name, &value, &n) == 0 ? value : -1;
}

/*
 * An INET socket can be connected anew on the host's network, and a NETLINK or
 * PACKET one is the host's.  Of Unix sockets, only one that has its peer leads
 * nowhere else: with a datagram socket each message names its receiver, the
 * host's abstract names among them, and one without a peer can be bound there.
 */
static int
check_socket(int fd, struct err *err)
{
	struct sockaddr_un peer;
	socklen_t n = sizeof(peer);

	if (socket_option(fd, SO_DOMAIN) != AF_UNIX)
		return ward_err_set(
		    err, EPERM, "descriptor %d is a network socket", fd);
	if (socket_option(fd, SO_TYPE) == SOCK_DGRAM)
		return ward_err_set(
		    err, EPERM, "descriptor %d is a datagram socket", fd);
	if (getpeername(fd, (struct sockaddr *)&peer, &n) != 0)
		return ward_err_set(err, EPERM,
		    "descriptor %d is a socket that is not connected", fd);
	return 0;
}

/* An open directory is the host's tree. */
static int
check_descriptor(int fd, struct err *err)
{
	struct stat st;

	if (fstat(fd, &st) != 0)
		return errno == EBADF
		    ? 0
		    : ward_err_sys(err, errno, "descriptor %d", fd);
	if (S_ISDIR(st.st_mode))
		return ward_err_set(
		    err, EPERM, "descriptor %d is a directory", fd);
	return S_ISSOCK(st.st_mode) ? check_socket(fd, err) : 0;
}

int
ward_caller_keep_descriptors(struct err *err)
{
	return close_range(3, ~0U, CLOSE_RANGE_CLOEXEC) == 0
	    ? 0
	    : ward_err_sys(err, errno, "close_range");
}

int
ward_caller_check_descriptors(struct err *err)
{
	int r = 0;

	for (int fd = 0; r == 0 && fd <= 2; fd++)
		r = check_descriptor(fd, err);
	return r;
}
