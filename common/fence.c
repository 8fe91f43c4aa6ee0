/* SPDX-License-Identifier: ISC */
/*
 * Whether the uid fence holds.  A datagram answers for the table, its chain,
 * the set and the account at once, in four system calls; reading the table
 * would cost more, and would only say what it looks like.
 */
#include "config.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <sys/fsuid.h>
#include <sys/socket.h>

#include "common/cleanup.h"
#include "common/fence.h"

/* The fence asks for the ids that a socket was made with. */
static int
socket_as(uid_t uid, int family)
{
	int r = -EINVAL;

	(void)setfsuid(uid);
	/* it says nothing of failure: a second call tells what holds */
	if (setfsuid(uid) == (int)uid) {
		r = socket(
		    family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
		if (r < 0)
			r = -errno;
	}
	(void)setfsuid(0);
	return r;
}

int
ward_fence_look(uid_t uid, int family)
{
	const struct sockaddr_in to4 = {
		.sin_family = AF_INET,
		.sin_port = htons(WARD_FENCE_PORT),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	const struct sockaddr_in6 to6 = {
		.sin6_family = AF_INET6,
		.sin6_port = htons(WARD_FENCE_PORT),
		.sin6_addr = IN6ADDR_LOOPBACK_INIT,
	};
	_cleanup_fd_ int fd = socket_as(uid, family);

	if (fd < 0)
		return fd;
	ssize_t n = family == AF_INET6
	    ? sendto(fd, "", 0, MSG_DONTWAIT | MSG_NOSIGNAL,
		  (const struct sockaddr *)&to6, sizeof(to6))
	    : sendto(fd, "", 0, MSG_DONTWAIT | MSG_NOSIGNAL,
		  (const struct sockaddr *)&to4, sizeof(to4));
	if (n == 0)
		return 0;
	return errno == EPERM ? 1 : -errno;
}
