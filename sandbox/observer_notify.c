/* SPDX-License-Identifier: ISC */
/*
 * The observer by seccomp's user notification.  Each notified call is read and
 * continued at once, and only then judged, elsewhere: no call waits for more
 * than a copy of its path, and nothing that is read here gates anything.  A
 * connect is not observed but decided, and never continued: connects.c.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/limits.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

#include "profiles/seal_table.h"
#include "sandbox/judge.h"
#include "sandbox/notify.h"
#include "sandbox/observer.h"
#include "sandbox/process.h"
#include "sandbox/remote.h"
#include "sandbox/refused_call.h"

/* Linux 6.6; the headers of Debian 12 do not know it. */
#ifndef SECCOMP_IOCTL_NOTIF_SET_FLAGS
#define SECCOMP_IOCTL_NOTIF_SET_FLAGS SECCOMP_IOW(4, __u64)
#endif
#ifndef SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP
#define SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP (1UL << 0)
#endif

/* Calls answered before other watches have their turn. */
#define BURST 32
/* Bursts of one call after which a listener counts as quiet again. */
#define QUIET 16

struct listener {
	struct ward_watch watch; /* first: the callback casts back */
	struct listener *next;
	struct ward_observer *observer;
	char session[32];
	bool sync;      /* the caller is woken on this processor */
	unsigned quiet; /* calls in a row behind which none waited */
};

struct ward_observer {
	struct ward_observer_setup setup;
	struct ward_judge *judge;
	struct listener *listeners;
};

/* NULL if it cannot be read. */
static char *
read_path(pid_t tid, uint64_t address)
{
	char text[PATH_MAX];

	return ward_remote_path(tid, address, text) ? strdup(text) : NULL;
}

/* The path that a socket is bound to; NULL where its address is another. */
static char *
read_address(const struct seccomp_notif *n, int address_arg)
{
	struct sockaddr_un address = { .sun_family = AF_UNSPEC };
	uint64_t size = n->data.args[address_arg + 1] & UINT32_MAX;
	size_t before = offsetof(struct sockaddr_un, sun_path);
	struct iovec here = { .iov_base = &address };
	struct iovec there = {
		.iov_base = (void *)(uintptr_t)n->data.args[address_arg],
	};

	/* a bare family has the kernel choose an abstract name: unix(7) */
	if (size <= before || size > sizeof(address))
		return NULL;
	here.iov_len = there.iov_len = (size_t)size;
	if (process_vm_readv((pid_t)n->pid, &here, 1, &there, 1, 0) !=
		(ssize_t)size ||
	    address.sun_family != AF_UNIX)
		return NULL;
	return strndup(address.sun_path, (size_t)size - before);
}

/* The directory that a relative path starts from. */
static int
open_base(pid_t tid, int dirfd_arg, const struct seccomp_data *data)
{
	char path[WARD_REMOTE_BASE_SIZE];

	ward_remote_base(tid, dirfd_arg, data->args, path);
	return open(path, O_PATH | O_CLOEXEC);
}

/*
 * False where the path cannot be known: then nothing is reported.  The empty
 * path is what AT_EMPTY_PATH, or the lack of it, makes of it: the judge's.
 */
static bool
take_path(const struct seccomp_notif *n, enum ward_seal_kind kind,
    int dirfd_arg, int path_arg, struct ward_act_path *path)
{
	pid_t tid = (pid_t)n->pid;

	path->base_dfd = -1;
	if (path_arg < 0)
		return true;
	path->text = kind == WARD_SEAL_BIND
	    ? read_address(n, path_arg)
	    : read_path(tid, n->data.args[path_arg]);
	if (path->text == NULL)
		return false;
	if (path->text[0] == '/')
		return true;
	path->base_dfd = open_base(tid, dirfd_arg, &n->data);
	return path->base_dfd >= 0;
}

/*
 * By its letters a path leads to where all may be written.  Links and mounts
 * can make it lead elsewhere: it is a guess, and says only whether a look at
 * the caller is worth its wait.
 */
static bool
seems_open(const struct ward_plan *plan, const struct ward_act_path *path)
{
	char place[PATH_MAX];

	return path->text == NULL ||
	    (ward_remote_spelled(path->base_dfd, path->text, place) &&
		ward_plan_decide(plan, place).state == WARD_WRITABLE);
}

/* What a call is about; NULL where it is nothing, or cannot be known. */
static struct ward_act *
read_act(const struct listener *l, const struct ward_seal_notified *call,
    const struct seccomp_notif *n)
{
	pid_t tid = (pid_t)n->pid;

	if (call == NULL || tid <= 0)
		return NULL;
	struct ward_act *act = calloc(1, sizeof(*act));
	if (act == NULL)
		return NULL;
	act->call = call;
	act->path.base_dfd = act->path2.base_dfd = -1;
	act->flags = ward_remote_flags(tid, call, n->data.args);
	memcpy(act->session, l->session, sizeof(act->session));
	/* openat2 is notified whatever its flags are */
	bool about = call->kind != WARD_SEAL_OPEN ||
	    (act->flags & WARD_SEAL_OPEN_WRITES) != 0;
	if (about &&
	    take_path(
		n, call->kind, call->dirfd_arg, call->path_arg, &act->path) &&
	    take_path(n, call->kind2, call->dirfd2_arg, call->path2_arg,
		&act->path2)) {
		const struct ward_plan *plan = l->observer->setup.plan;
		act->tid = tid;
		if (!seems_open(plan, &act->path) ||
		    !seems_open(plan, &act->path2))
			ward_process_of_thread(
			    tid, &act->pid, act->program, sizeof(act->program));
		return act;
	}
	ward_act_free(act);
	return NULL;
}

/* Where more callers run than processors, waking on this one costs. */
static void
set_sync(struct listener *l, bool sync)
{
	if (l->sync == sync)
		return;
	l->sync = sync;
	/* before Linux 6.6 there is no such choice: EINVAL or ENOTTY */
	(void)ioctl(l->watch.fd, SECCOMP_IOCTL_NOTIF_SET_FLAGS,
	    sync ? SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP : 0UL);
}

/* One call; false where none was there any more. */
static bool
answer_one(struct listener *l)
{
	/* the kernel wants the request zeroed: seccomp_unotify(2) */
	struct seccomp_notif request = { 0 };
	struct seccomp_notif_resp response = {
		.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE,
	};

	if (ioctl(l->watch.fd, SECCOMP_IOCTL_NOTIF_RECV, &request) != 0)
		return false;
	const struct ward_seal_notified *call =
	    ward_seal_notified_find(request.data.arch, request.data.nr);
	/* no call is of both tables, and writes are what there is most of */
	const struct ward_seal_rule *rule = call != NULL
	    ? NULL
	    : ward_seal_told_find(request.data.arch, request.data.nr);
	if (rule != NULL) {
		ward_refused_call(l->observer->setup.recorder, l->watch.fd,
		    l->session, &request, rule);
		return true;
	}
	if (call != NULL && call->kind == WARD_SEAL_CONNECT) {
		ward_connects_take(l->observer->setup.connects, l->watch.fd,
		    l->session, &request);
		return true;
	}
	struct ward_act *act = read_act(l, call, &request);
	response.id = request.id;
	/* what was read belongs to this call only if it still waited */
	if (ward_notify_answer(l->watch.fd, &response) && act != NULL)
		ward_judge_take(l->observer->judge, act);
	else
		ward_act_free(act);
	return true;
}

static void
listener_free(struct listener *l)
{
	struct listener **at = &l->observer->listeners;

	while (*at != l)
		at = &(*at)->next;
	*at = l->next;
	ward_loop_remove(l->observer->setup.loop, &l->watch);
	(void)close(l->watch.fd);
	free(l);
}

static void
on_listener(struct ward_watch *watch, uint32_t events)
{
	/* the watch is the first member */
	struct listener *l = (struct listener *)(void *)watch;
	struct pollfd more = { .fd = watch->fd, .events = POLLIN };
	unsigned n = 0;

	if ((events & EPOLLIN) != 0) {
		do
			if (!answer_one(l))
				break;
		while (++n < BURST && poll(&more, 1, 0) > 0 &&
		    (more.revents & POLLIN) != 0);
		ward_judge_wake(l->observer->judge);
		if (n > 1) {
			l->quiet = 0;
			set_sync(l, false);
		} else if (++l->quiet >= QUIET) {
			set_sync(l, true);
		}
	} else if ((events & (EPOLLHUP | EPOLLERR)) != 0) {
		listener_free(l);
	}
}

int
ward_observer_start(const struct ward_observer_setup *setup,
    struct ward_observer **observer, struct err *err)
{
	struct ward_observer *o = calloc(1, sizeof(*o));

	if (o == NULL)
		return ward_err_sys(err, ENOMEM, "the observer");
	o->setup = *setup;
	int r = ward_judge_start(&o->setup, &o->judge, err);
	if (r != 0) {
		free(o);
		return r;
	}
	*observer = o;
	return 0;
}

void
ward_observer_stop(struct ward_observer *observer)
{
	while (observer->listeners != NULL)
		listener_free(observer->listeners);
	ward_judge_stop(observer->judge);
	free(observer);
}

void
ward_observer_progress(
    struct ward_observer *observer, uint64_t *seen, uint64_t *judged)
{
	ward_judge_progress(observer->judge, seen, judged);
}

int
ward_observer_add_take(struct ward_observer *observer, int listener_fd,
    const char *session, struct err *err)
{
	struct listener *l = calloc(1, sizeof(*l));

	if (l == NULL) {
		(void)close(listener_fd);
		return ward_err_sys(err, ENOMEM, "a listener");
	}
	l->watch.fd = listener_fd;
	l->watch.callback = on_listener;
	l->observer = observer;
	(void)snprintf(l->session, sizeof(l->session), "%s", session);
	int r = ward_loop_add(observer->setup.loop, &l->watch, EPOLLIN, err);
	if (r != 0) {
		(void)close(listener_fd);
		free(l);
		return r;
	}
	l->next = observer->listeners;
	observer->listeners = l;
	set_sync(l, true);
	return 0;
}
