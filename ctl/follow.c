/* SPDX-License-Identifier: ISC */
/* Waiting for what is written to the violation store. */
#include "config.h"

#include <errno.h>
#include <poll.h>
#include <sys/inotify.h>
#include <time.h>
#include <unistd.h>

#include "common/places.h"
#include "ctl/follow.h"

/*
 * A commit is in the log's file before readers can see it, so that they look a
 * moment later; and once in a while without being told, for what that misses.
 */
#define SETTLE_NS 50000000
#define LOOK_MS   5000

int
ward_follow_open(struct err *err)
{
	int fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);

	if (fd < 0)
		return ward_err_sys(err, errno, "inotify");
	/* the directory: the files come and go with who has them open */
	if (inotify_add_watch(
		fd, WARD_STATE, IN_MODIFY | IN_CREATE | IN_MOVED_TO) >= 0)
		return fd;
	int r = ward_err_sys(err, errno, WARD_STATE);
	(void)close(fd);
	return r;
}

bool
ward_follow_wait(int follow_fd)
{
	const struct timespec settle = { .tv_nsec = SETTLE_NS };
	struct pollfd fds[] = {
		{ .fd = follow_fd, .events = POLLIN },
		{ .fd = STDOUT_FILENO },
	};
	char events[4096];

	if (poll(fds, 2, LOOK_MS) > 0 &&
	    (fds[1].revents & (POLLERR | POLLHUP | POLLNVAL)) != 0)
		return false;
	(void)nanosleep(&settle, NULL);
	/* what came with it, or before it is looked, is seen then */
	while (read(follow_fd, events, sizeof(events)) > 0)
		;
	return true;
}
