/* SPDX-License-Identifier: ISC */
/*
 * inside: the session's command for tests/seam/seam.  Says what becomes of acts
 * that the sandbox refuses, each by another part of it: a FIFO that its mode
 * lets everybody write to (Landlock), and a new directory in one that is
 * everybody's (the view).  Then of one that it permits where all is well: to
 * connect to a socket of its own.  Where there is a proxy, it asks it for a
 * host that is allowed, for a while if need be, and for one that is not; both
 * are tests/system/net.sh's.  Waits for the end of its input.  That it is
 * sealed its tracer sees.
 */
#include "config.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/proxy.h"
#include "tests/seam/inside.h"

#define ANSWER_S 2
#define ALLOW_MS 4000 /* an egress that ended is there again */

static const char *
name(int r)
{
	return r >= 0 ? "ok" : strerrorname_np(errno);
}

static int
connect_to_self(void)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fds[2];

	(void)snprintf(address.sun_path, sizeof(address.sun_path),
	    "/tmp/seam.%d", (int)getpid());
	for (int i = 0; i < 2; i++) {
		fds[i] = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
		if (fds[i] < 0)
			return -1;
	}
	if (bind(fds[0], (const struct sockaddr *)&address, sizeof(address)) !=
		0 ||
	    listen(fds[0], 1) != 0)
		return -1;
	return connect(
	    fds[1], (const struct sockaddr *)&address, sizeof(address));
}

/* Whether the proxy hands on what the host's server says. */
static bool
answers(const char *host)
{
	const struct timeval limit = { .tv_sec = ANSWER_S };
	const struct sockaddr_in proxy = {
		.sin_family = AF_INET,
		.sin_port = htons(WARD_PROXY_PORT),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	char text[4096];
	ssize_t got = 1;
	int n = snprintf(text, sizeof(text),
	    "GET http://%s/ HTTP/1.1\r\nHost: %s\r\nConnection: "
	    "close\r\n\r\n",
	    host, host);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	size_t used = 0;

	if (fd < 0)
		return false;
	if (setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)) !=
		0 ||
	    connect(fd, (const struct sockaddr *)&proxy, sizeof(proxy)) != 0 ||
	    send(fd, text, (size_t)n, MSG_NOSIGNAL) != n)
		got = 0;
	while (got > 0 && used < sizeof(text) - 1) {
		got = recv(fd, text + used, sizeof(text) - 1 - used, 0);
		used += got > 0 ? (size_t)got : 0;
	}
	text[used] = '\0';
	(void)close(fd);
	return strstr(text, "WORLD") != NULL;
}

static const char *
look_at_network(void)
{
	const struct timespec pause = { .tv_nsec = 50000000 };
	int64_t until_ms = ward_now_ms() + ALLOW_MS;

	if (getenv("http_proxy") == NULL)
		return "no network";
	while (!answers("allowed.test")) {
		if (ward_now_ms() >= until_ms)
			return SEAM_LOST;
		(void)nanosleep(&pause, NULL);
	}
	return answers("other.test") ? SEAM_LEAKS : "network";
}

int
main(void)
{
	char line[192], directory[64], byte;

	(void)snprintf(
	    directory, sizeof(directory), "/srv/open/%d", (int)getpid());
	const char *fifo =
	    name(open("/srv/fifo", O_WRONLY | O_NONBLOCK | O_CLOEXEC));
	const char *file = name(mkdir(directory, 0700));
	(void)rmdir(directory);
	const char *own = name(connect_to_self());
	const char *network = look_at_network();
	int n = snprintf(line, sizeof(line), SEAM_SAYS "%s %s %s, %s\n", fifo,
	    file, own, network);

	if (write(1, line, (size_t)n) != n)
		return 1;
	while (read(0, &byte, 1) > 0)
		;
	return 0;
}
