/* SPDX-License-Identifier: ISC */
/*
 * inside: the session's command for tests/seam/seam.  Says what becomes of acts
 * that the sandbox refuses, each by another part of it: a FIFO that its mode
 * lets everybody write to (Landlock), and a new directory in one that is
 * everybody's (the view).  Then of one that it permits where all is well: to
 * connect to a socket of its own.  Waits for the end of its input.  That it is
 * sealed its tracer sees.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "tests/seam/inside.h"

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

int
main(void)
{
	char line[128], directory[64], byte;

	(void)snprintf(
	    directory, sizeof(directory), "/srv/open/%d", (int)getpid());
	const char *fifo =
	    name(open("/srv/fifo", O_WRONLY | O_NONBLOCK | O_CLOEXEC));
	const char *file = name(mkdir(directory, 0700));
	(void)rmdir(directory);
	const char *own = name(connect_to_self());
	int n = snprintf(
	    line, sizeof(line), SEAM_SAYS "%s %s %s\n", fifo, file, own);

	if (write(1, line, (size_t)n) != n)
		return 1;
	while (read(0, &byte, 1) > 0)
		;
	return 0;
}
