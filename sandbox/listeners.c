/* SPDX-License-Identifier: ISC */
/* The sockets on which egress serves a sandbox. */
#include "config.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/proxy.h"
#include "sandbox/frame.h"
#include "sandbox/listeners.h"

#define BACKLOG 1024

/*
 * What a new net namespace has otherwise.  An accepted socket has its client's
 * mark, and no send connects, unseen by the warden (sandbox/owners.h).  Ping
 * sockets are closed in a new one, too; that is said, since an open one would
 * wait for its answer for ever.
 */
static const struct {
	const char *name, *value;
} settings[] = {
	{ "sys/net/ipv4/ip_unprivileged_port_start", "0" },
	{ "sys/net/ipv4/tcp_fwmark_accept", "1" },
	{ "sys/net/ipv4/tcp_fastopen", "0" },
	{ "sys/net/ipv4/ping_group_range", "1 0" },
	{ "sys/net/ipv4/icmp_echo_ignore_all", "1" },
	{ "sys/net/ipv6/icmp/echo_ignore_all", "1" },
};

/* An instance of proc of its own: the view's has a read-only sys. */
static int
set_up_namespace(struct err *err)
{
	_cleanup_fd_ int proc_dfd = ward_frame_mount_new("proc", NULL,
	    MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC, err);

	if (proc_dfd < 0)
		return proc_dfd;
	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
		_cleanup_fd_ int fd =
		    openat(proc_dfd, settings[i].name, O_WRONLY | O_CLOEXEC);
		/* a kernel without IPv6 */
		if (fd < 0 && errno == ENOENT &&
		    strncmp(settings[i].name, "sys/net/ipv6/", 13) == 0)
			continue;
		size_t n = strlen(settings[i].value);
		if (fd < 0 || write(fd, settings[i].value, n) != (ssize_t)n)
			return ward_err_sys(
			    err, errno, "/proc/%s", settings[i].name);
	}
	return 0;
}

/* Bound to a loopback address; TCP listens.  The fd, or -errno. */
static int
make_socket(int family, int type, in_port_t port)
{
	const struct sockaddr_in v4 = {
		.sin_family = AF_INET,
		.sin_port = htons(port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	const struct sockaddr_in6 v6 = {
		.sin6_family = AF_INET6,
		.sin6_port = htons(port),
		.sin6_addr = IN6ADDR_LOOPBACK_INIT,
	};
	_cleanup_fd_ int fd =
	    socket(family, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return -errno;
	int r = family == AF_INET
	    ? bind(fd, (const struct sockaddr *)&v4, sizeof(v4))
	    : bind(fd, (const struct sockaddr *)&v6, sizeof(v6));
	if (r == 0 && type == SOCK_STREAM)
		r = listen(fd, BACKLOG);
	return r == 0 ? ward_steal_fd(&fd) : -errno;
}

static const struct {
	int family, type;
	in_port_t port; /* 0: any */
	const char *name;
} sockets[] = {
	[WARD_LISTENER_PROXY] = { AF_INET, SOCK_STREAM, WARD_PROXY_PORT,
	    "the proxy's socket" },
	[WARD_LISTENER_TCP4] = { AF_INET, SOCK_STREAM, 0, "the IPv4 socket" },
	[WARD_LISTENER_TCP6] = { AF_INET6, SOCK_STREAM, 0, "the IPv6 socket" },
	[WARD_LISTENER_DNS_UDP] = { AF_INET, SOCK_DGRAM, WARD_DNS_PORT,
	    "the DNS socket" },
	[WARD_LISTENER_DNS_TCP] = { AF_INET, SOCK_STREAM, WARD_DNS_PORT,
	    "the DNS socket for TCP" },
};

static int
make_all(struct ward_listeners *l, struct err *err)
{
	int r = set_up_namespace(err);

	if (r != 0)
		return r;
	for (size_t i = 0; i < sizeof(sockets) / sizeof(sockets[0]); i++) {
		int fd = make_socket(
		    sockets[i].family, sockets[i].type, sockets[i].port);
		/* without IPv6 nothing of it has to be served */
		if (fd < 0 &&
		    !(sockets[i].family == AF_INET6 &&
			(fd == -EAFNOSUPPORT || fd == -EADDRNOTAVAIL)))
			return ward_err_sys(err, -fd, "%s", sockets[i].name);
		l->fds[i] = fd < 0 ? -1 : fd;
	}
	l->fds[WARD_LISTENER_DIAG] =
	    socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
	if (l->fds[WARD_LISTENER_DIAG] < 0)
		return ward_err_sys(err, errno, "a socket for sock_diag(7)");
	l->fds[WARD_LISTENER_LOG] = socket(AF_NETLINK,
	    SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_NETFILTER);
	return 0;
}

int
ward_listeners_make(struct ward_listeners *listeners, struct err *err)
{
	*listeners = (struct ward_listeners)WARD_LISTENERS_NONE;
	int r = make_all(listeners, err);
	if (r != 0)
		ward_listeners_close(listeners);
	return r;
}

void
ward_listeners_close(struct ward_listeners *listeners)
{
	for (size_t i = 0; i < WARD_LISTENERS; i++) {
		if (listeners->fds[i] >= 0)
			(void)close(listeners->fds[i]);
		listeners->fds[i] = -1;
	}
}
