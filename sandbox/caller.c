/* SPDX-License-Identifier: ISC */
/* What the caller of a notified connect meant. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "sandbox/brief.h"
#include "sandbox/caller.h"
#include "sandbox/process.h"

/* Linux 6.9: a pidfd of a thread. */
#define PIDFD_OF_THREAD O_EXCL

static int
pidfd_of(pid_t pid, unsigned flags)
{
	return (int)syscall(SYS_pidfd_open, pid, flags);
}

/* The thread's descriptor is the one that was got. */
static bool
is_threads(pid_t tid, int number, int fd)
{
	char path[64];
	struct stat of_thread, of_fd;

	(void)snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)tid, number);
	return stat(path, &of_thread) == 0 && fstat(fd, &of_fd) == 0 &&
	    of_thread.st_dev == of_fd.st_dev &&
	    of_thread.st_ino == of_fd.st_ino;
}

/*
 * The socket.  Before Linux 6.9 a pidfd is the leader's, whose table is another
 * one where the thread has unshared its own: then there is no such socket.
 */
static int
take_socket(struct ward_caller *caller, int number)
{
	bool leaders = false;
	_cleanup_fd_ int pidfd = pidfd_of(caller->tid, 0);

	if (pidfd < 0)
		pidfd = pidfd_of(caller->tid, PIDFD_OF_THREAD);
	if (pidfd < 0) {
		pidfd = pidfd_of(caller->pid, 0);
		leaders = true;
	}
	if (pidfd < 0)
		return EACCES;
	int fd = (int)syscall(SYS_pidfd_getfd, pidfd, number, 0);
	if (fd < 0)
		return errno == EBADF ? EBADF : EACCES;
	caller->socket_fd = fd;
	return leaders && !is_threads(caller->tid, number, fd) ? EBADF : 0;
}

static int
take_kind(struct ward_caller *caller)
{
	socklen_t n = sizeof(int);

	if (getsockopt(caller->socket_fd, SOL_SOCKET, SO_DOMAIN,
		&caller->domain, &n) != 0)
		return errno;
	n = sizeof(int);
	if (getsockopt(
		caller->socket_fd, SOL_SOCKET, SO_TYPE, &caller->type, &n) != 0)
		return errno;
	return 0;
}

static int
take_address(struct ward_caller *caller, uint64_t at, int size)
{
	struct ward_wire_connect *request = &caller->request;

	if (size < 0 || size > WARD_WIRE_ADDRESS_MAX)
		return EINVAL;
	request->how = WARD_CONNECT_PLAIN;
	request->size = (uint32_t)size;
	if (size == 0)
		return 0;
	struct iovec here = {
		.iov_base = request->address,
		.iov_len = (size_t)size,
	};
	struct iovec there = {
		.iov_base = (void *)(uintptr_t)at,
		.iov_len = (size_t)size,
	};
	return process_vm_readv(caller->tid, &here, 1, &there, 1, 0) == size
	    ? 0
	    : EFAULT;
}

/* By thread: with CLONE_FS unshared each has its own. */
static int
take_base(struct ward_caller *caller)
{
	char path[64];

	(void)snprintf(path, sizeof(path), "/proc/%d/cwd", (int)caller->tid);
	caller->base_dfd = open(path, O_PATH | O_CLOEXEC);
	return caller->base_dfd < 0 ? EACCES : 0;
}

/* An address of unix(7); an abstract name stays as it is. */
static int
take_path(struct ward_caller *caller)
{
	const size_t head = offsetof(struct sockaddr_un, sun_path);
	struct ward_wire_connect *request = &caller->request;
	sa_family_t family = AF_UNSPEC;

	if (request->size >= sizeof(family))
		memcpy(&family, request->address, sizeof(family));
	if (family != AF_UNIX || request->size <= head ||
	    request->size > sizeof(struct sockaddr_un))
		return EINVAL;
	if (request->address[head] == '\0')
		return 0;
	size_t n = strnlen(
	    (const char *)request->address + head, request->size - head);
	memcpy(caller->path, request->address + head, n);
	caller->path[n] = '\0';
	request->how = caller->path[0] == '/' ? WARD_CONNECT_ABSOLUTE
					      : WARD_CONNECT_RELATIVE;
	return request->how == WARD_CONNECT_RELATIVE ? take_base(caller) : 0;
}

int
ward_caller_read(
    const struct seccomp_data *data, pid_t tid, struct ward_caller *caller)
{
	*caller = (struct ward_caller){
		.tid = tid,
		.socket_fd = -1,
		.base_dfd = -1,
	};
	if (tid <= 0)
		return EACCES;
	ward_process_of_thread(
	    tid, &caller->pid, caller->program, sizeof(caller->program));
	int r = take_socket(caller, (int)data->args[0]);
	if (r == 0)
		r = take_kind(caller);
	if (r == 0)
		r = take_address(caller, data->args[1], (int)data->args[2]);
	if (r == 0 && caller->domain == AF_UNIX)
		r = take_path(caller);
	return r;
}

void
ward_caller_clear(struct ward_caller *caller)
{
	/* the account may have closed its own meanwhile */
	ward_brief_begin();
	if (caller->socket_fd >= 0)
		(void)close(caller->socket_fd);
	ward_brief_end();
	if (caller->base_dfd >= 0)
		(void)close(caller->base_dfd);
	caller->socket_fd = caller->base_dfd = -1;
}

bool
ward_caller_socket_is_of(const struct ward_caller *caller, pid_t init)
{
	char path[64];
	struct stat of_socket, of_init;

	/* netdevice(7): needs CAP_NET_ADMIN over that namespace */
	_cleanup_fd_ int nsfd = ioctl(caller->socket_fd, SIOCGSKNS);
	(void)snprintf(path, sizeof(path), "/proc/%d/ns/net", (int)init);
	return nsfd >= 0 && fstat(nsfd, &of_socket) == 0 &&
	    stat(path, &of_init) == 0 && of_socket.st_dev == of_init.st_dev &&
	    of_socket.st_ino == of_init.st_ino;
}

static uint64_t
signals_of(const char *status, const char *key)
{
	const char *at = strstr(status, key);

	return at == NULL ? 0 : strtoull(at + strlen(key), NULL, 16);
}

bool
ward_caller_has_signal(pid_t tid)
{
	char path[64], status[4096];

	(void)snprintf(path, sizeof(path), "/proc/%d/status", (int)tid);
	_cleanup_fd_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	ssize_t n = read(fd, status, sizeof(status) - 1);
	if (n <= 0)
		return false;
	status[n] = '\0';
	uint64_t waiting = signals_of(status, "\nSigPnd:\t") |
	    signals_of(status, "\nShdPnd:\t");
	return (waiting & ~signals_of(status, "\nSigBlk:\t") &
		   signals_of(status, "\nSigCgt:\t")) != 0;
}
