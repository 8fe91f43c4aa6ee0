/* SPDX-License-Identifier: ISC */
/*
 * The warden's look at the uid fence.  A site's own "flush ruleset" takes the
 * fence away; whoever logs in next brings it back.  The session itself does
 * not depend on it.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <syslog.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/fd.h"
#include "common/fence.h"
#include "common/places.h"
#include "common/refusal.h"
#include "common/text.h"
#include "sandbox/fence.h"

/* After an attempt that failed: the machine may have no nftables. */
#define AGAIN_MS 60000

void
ward_fence_forget(struct ward_fence *fence)
{
	if (fence->loop == NULL)
		return;
	ward_loop_remove(fence->loop, &fence->watch);
	(void)close(fence->watch.fd);
	fence->loop = NULL;
}

static void
on_ended(struct ward_watch *watch, uint32_t events)
{
	/* the watch is the first member */
	struct ward_fence *fence = (struct ward_fence *)(void *)watch;
	siginfo_t info = { 0 };

	(void)events;
	int r = waitid(P_PIDFD, (id_t)watch->fd, &info, WEXITED | WNOHANG);
	if (r == 0 && info.si_pid == 0)
		return;
	ward_fence_forget(fence);
	if (r == 0 && info.si_code == CLD_EXITED && info.si_status == 0) {
		syslog(LOG_NOTICE, "ward: the uid fence is back");
		return;
	}
	fence->not_before_ms = ward_now_ms() + AGAIN_MS;
	syslog(LOG_ERR,
	    "ward: the uid fence could not be put back: see '" WARD_CTL
	    " fence apply'");
}

/* 0 or an errno value, as posix_spawn(3). */
static int
set_up(posix_spawn_file_actions_t *actions, posix_spawnattr_t *attributes)
{
	sigset_t none, all;

	(void)sigemptyset(&none);
	(void)sigfillset(&all);
	int r = 0;
	for (int fd = 0; r == 0 && fd <= 2; fd++)
		r = posix_spawn_file_actions_addopen(
		    actions, fd, "/dev/null", O_RDWR, 0);
	if (r == 0)
		r = posix_spawn_file_actions_addclosefrom_np(actions, 3);
	if (r == 0)
		r = posix_spawnattr_setsigmask(attributes, &none);
	if (r == 0)
		r = posix_spawnattr_setsigdefault(attributes, &all);
	if (r == 0)
		r = posix_spawnattr_setflags(attributes,
		    POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
			POSIX_SPAWN_SETSID);
	return r;
}

static int
spawn(pid_t *pid)
{
	static char program[] = WARD_CTL, group[] = "fence", verb[] = "apply";
	char *argv[] = { program, group, verb, NULL };
	static char path[] = "PATH=/usr/sbin:/usr/bin:/sbin:/bin";
	char *environment[] = { path, NULL };
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;

	int r = posix_spawn_file_actions_init(&actions);
	if (r != 0)
		return r;
	r = posix_spawnattr_init(&attributes);
	if (r == 0) {
		r = set_up(&actions, &attributes);
		if (r == 0)
			r = posix_spawn(pid, program, &actions, &attributes,
			    argv, environment);
		(void)posix_spawnattr_destroy(&attributes);
	}
	(void)posix_spawn_file_actions_destroy(&actions);
	return r;
}

static void
put_back(struct ward_fence *fence, struct ward_loop *loop)
{
	struct err err = { 0 };
	pid_t pid = -1;

	fence->not_before_ms = ward_now_ms() + AGAIN_MS;
	int r = spawn(&pid);
	if (r != 0) {
		syslog(LOG_ERR, "ward: " WARD_CTL ": %s", strerror(r));
		return;
	}
	fence->watch = (struct ward_watch){
		.fd = pidfd_open(pid, 0),
		.callback = on_ended,
	};
	if (fence->watch.fd >= 0 &&
	    ward_loop_add(loop, &fence->watch, EPOLLIN, &err) == 0) {
		fence->loop = loop;
		fence->not_before_ms = 0;
		return;
	}
	/* it stays a zombie until the warden ends: one a minute at most */
	if (fence->watch.fd >= 0)
		(void)close(fence->watch.fd);
}

void
ward_fence_check(struct ward_fence *fence, struct ward_loop *loop, uid_t uid,
    const char *account)
{
	char name[128];

	if (fence->loop != NULL || ward_now_ms() < fence->not_before_ms ||
	    ward_fence_look(uid, AF_INET) != 0)
		return;
	const struct ward_refusal_text *text =
	    ward_refusal_find(WARD_REFUSED_FENCE);
	syslog(LOG_WARNING, "ward: W%03u: %s: %s; %s",
	    (unsigned)WARD_REFUSED_FENCE,
	    ward_text_visible(name, sizeof(name), account),
	    text == NULL ? "" : text->meaning,
	    text == NULL ? "" : text->remedy);
	put_back(fence, loop);
}
