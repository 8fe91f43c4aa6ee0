/* SPDX-License-Identifier: ISC */
/* File descriptors: passing, keeping out of the way, waiting. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/clock.h"
#include "common/fd.h"

union control {
	struct cmsghdr align;
	char space[CMSG_SPACE(WARD_FD_PASS_MAX * sizeof(int)) +
	    CMSG_SPACE(sizeof(struct ucred))];
};

int
ward_fd_send(
    int socket_fd, const void *data, size_t size, const int *fds, size_t n_fds)
{
	union control control = { 0 };
	struct iovec iov = {
		.iov_base = (void *)(uintptr_t)data,
		.iov_len = size,
	};
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };

	if (n_fds > WARD_FD_PASS_MAX)
		return -EINVAL;
	if (n_fds > 0) {
		msg.msg_control = &control;
		msg.msg_controllen = CMSG_SPACE(n_fds * sizeof(int));
		struct cmsghdr *c = CMSG_FIRSTHDR(&msg);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(n_fds * sizeof(int));
		memcpy(CMSG_DATA(c), fds, n_fds * sizeof(int));
	}
	ssize_t n;
	do
		n = sendmsg(socket_fd, &msg, MSG_NOSIGNAL | MSG_DONTWAIT);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	return (size_t)n == size ? 0 : -EMSGSIZE;
}

static int
wait_readable(int fd, int64_t deadline_ms)
{
	for (;;) {
		struct pollfd p = { .fd = fd, .events = POLLIN };
		int64_t left = deadline_ms - ward_now_ms();

		if (left < 0)
			left = 0;
		int r = poll(&p, 1, left > INT32_MAX ? INT32_MAX : (int)left);
		if (r > 0)
			return 0;
		if (r == 0)
			return -ETIMEDOUT;
		if (errno != EINTR)
			return -errno;
	}
}

/* Sorts what came beside the data; what there is no room for is closed. */
static void
take_control(struct msghdr *msg, int *fds, size_t *n_fds, pid_t *pid)
{
	size_t room = n_fds == NULL ? 0 : *n_fds;
	size_t got = 0;

	for (struct cmsghdr *c = CMSG_FIRSTHDR(msg); c != NULL;
	     c = CMSG_NXTHDR(msg, c)) {
		if (c->cmsg_level != SOL_SOCKET)
			continue;
		if (c->cmsg_type == SCM_CREDENTIALS && pid != NULL) {
			struct ucred cred;
			memcpy(&cred, CMSG_DATA(c), sizeof(cred));
			*pid = cred.pid;
		}
		if (c->cmsg_type != SCM_RIGHTS)
			continue;
		size_t n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		for (size_t i = 0; i < n; i++) {
			int fd;
			memcpy(&fd, CMSG_DATA(c) + i * sizeof(int), sizeof(fd));
			if (got < room)
				fds[got++] = fd;
			else
				(void)close(fd);
		}
	}
	if (n_fds != NULL)
		*n_fds = got;
}

ssize_t
ward_fd_receive(int socket_fd, void *data, size_t size, int *fds, size_t *n_fds,
    pid_t *pid, int64_t deadline_ms)
{
	union control control = { 0 };
	struct iovec iov = { .iov_base = data, .iov_len = size };
	/* descriptors that nobody asked for are not even made */
	bool wanted = n_fds != NULL || pid != NULL;
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = wanted ? &control : NULL,
		.msg_controllen = wanted ? sizeof(control) : 0,
	};

	if (pid != NULL)
		*pid = 0;
	for (;;) {
		ssize_t n =
		    recvmsg(socket_fd, &msg, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
		if (n >= 0) {
			take_control(&msg, fds, n_fds, pid);
			int cut = msg.msg_flags & (MSG_TRUNC | MSG_CTRUNC);
			if (n > 0 && cut == 0)
				return n;
			/* whoever sees the end looks for no descriptors */
			for (size_t i = 0; n_fds != NULL && i < *n_fds; i++)
				(void)close(fds[i]);
			if (n_fds != NULL)
				*n_fds = 0;
			return cut != 0 ? -EMSGSIZE : n;
		}
		if (errno == EINTR)
			continue;
		if (errno != EAGAIN || deadline_ms < 0) {
			int error = errno;
			if (n_fds != NULL)
				*n_fds = 0;
			return -error;
		}
		int r = wait_readable(socket_fd, deadline_ms);
		if (r != 0) {
			if (n_fds != NULL)
				*n_fds = 0;
			return r;
		}
	}
}

int
ward_fd_raise_take(int fd)
{
	int raised = fcntl(fd, F_DUPFD_CLOEXEC, WARD_FD_LOWEST);
	int error = errno;

	(void)close(fd);
	return raised < 0 ? -error : raised;
}

int
ward_fd_sealed(const char *name, const void *data, size_t size)
{
	_cleanup_fd_ int fd =
	    memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd < 0)
		return -errno;
	ssize_t n = write(fd, data, size);
	if (n < 0 || (size_t)n != size)
		return n < 0 ? -errno : -EIO;
	if (fcntl(fd, F_ADD_SEALS,
		F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE) != 0)
		return -errno;
	return ward_steal_fd(&fd);
}

bool
ward_fd_path(int fd, char out[PATH_MAX])
{
	char link[32];

	(void)snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	ssize_t n = readlink(link, out, PATH_MAX - 1);
	if (n <= 0 || out[0] != '/')
		return false;
	out[n] = '\0';
	return true;
}
