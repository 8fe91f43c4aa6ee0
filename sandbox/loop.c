/* SPDX-License-Identifier: ISC */
/* The warden's event loop. */
#include "config.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>

#include "sandbox/loop.h"

#define ROUND 64

int
ward_loop_init(struct ward_loop *loop, struct err *err)
{
	*loop = (struct ward_loop){ .epoll_fd = epoll_create1(EPOLL_CLOEXEC) };
	return loop->epoll_fd >= 0 ? 0 : ward_err_sys(err, errno, "epoll");
}

int
ward_loop_add(struct ward_loop *loop, struct ward_watch *watch, uint32_t events,
    struct err *err)
{
	struct epoll_event event = { .events = events, .data.ptr = watch };

	if (epoll_ctl(loop->epoll_fd, EPOLL_CTL_ADD, watch->fd, &event) != 0)
		return ward_err_sys(err, errno, "epoll");
	return 0;
}

void
ward_loop_remove(struct ward_loop *loop, struct ward_watch *watch)
{
	(void)epoll_ctl(loop->epoll_fd, EPOLL_CTL_DEL, watch->fd, NULL);
	for (int i = 0; i < loop->n_waiting; i++)
		if (loop->waiting[i] == watch)
			loop->waiting[i] = NULL;
}

int
ward_loop_run_once(struct ward_loop *loop, int timeout_ms, struct err *err)
{
	struct epoll_event events[ROUND];
	int n = epoll_wait(loop->epoll_fd, events, ROUND, timeout_ms);

	if (n < 0)
		return errno == EINTR ? 0 : ward_err_sys(err, errno, "epoll");
	loop->n_waiting = n;
	for (int i = 0; i < n; i++)
		loop->waiting[i] = events[i].data.ptr;
	for (int i = 0; i < n; i++) {
		struct ward_watch *watch = loop->waiting[i];
		loop->waiting[i] = NULL;
		if (watch != NULL)
			watch->callback(watch, events[i].events);
	}
	loop->n_waiting = 0;
	return 0;
}
