/* SPDX-License-Identifier: ISC */
/* The keeper: what the plan hides stays hidden. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <syslog.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/clock.h"
#include "common/fd.h"
#include "common/path.h"
#include "sandbox/cover.h"
#include "sandbox/fate.h"
#include "sandbox/guests.h"
#include "sandbox/keeper.h"
#include "sandbox/lookout.h"
#include "sandbox/mounts.h"
#include "sandbox/own_files.h"

#define BLIND_MS     250 /* between two looks where not all is watched */
#define RENAME_TRIES 50
#define RENAME_US    2000
#define ROUNDS       16  /* of repairs, before they are given up */
#define MORE_MAX     512 /* mounts in the view that the layout does not have */
#define TOLD_MAX     16  /* lines of one minute */

/* Where what the view shows comes from: a mount of the host's. */
struct source {
	uint64_t id;
	char *device; /* NULL: none is known, or it was let go */
};

/* To the main thread: from inside the view, syslog cannot be reached. */
struct message {
	int level;
	const char *operation; /* of its row; NULL: it is none */
	bool ends;             /* the sandbox */
	char path[1024];
	char what[512];
};

struct ward_keeper {
	struct ward_watch watch; /* first: the callback casts back.  A pipe of
				    messages; what does not fit is lost */
	int tell_fd;             /* its other end */
	struct ward_keeper_setup setup;
	pthread_t thread;
	int stop_fd; /* eventfd: the thread is to end */
	int host_dfd, host_mountinfo_fd, fds_dfd;
	int view_dfd, view_mountinfo_fd, masks_dfd;
	struct ward_lookout lookout;
	struct source *sources; /* one for each mount of the layout */
	const char **absent;    /* denied, and not in the layout; the plan's */
	size_t n_absent;
	struct ward_guests guests;
	int64_t told_since_ms;
	unsigned n_told;
};

/* --- what there is to be kept --- */

static const struct ward_layout_mount *
mount_of_layout(const struct ward_layout *layout, const char *path)
{
	for (size_t i = 0; i < layout->n_mounts; i++)
		if (strcmp(layout->mounts[i].path, path) == 0)
			return &layout->mounts[i];
	return NULL;
}

/*
 * In a hidden directory nothing of the host's can appear: what is there is
 * Ward's, such as links to what is opened, and the way to the home.
 */
static bool
is_in_hidden(const struct ward_layout *layout, const char *path)
{
	const struct ward_layout_mount *nearest = NULL;

	for (size_t i = 0; i < layout->n_mounts; i++) {
		const struct ward_layout_mount *mount = &layout->mounts[i];

		if (ward_path_is_below(path, mount->path) &&
		    (nearest == NULL ||
			ward_path_is_below(mount->path, nearest->path)))
			nearest = mount;
	}
	return nearest != NULL && nearest->kind == WARD_LAYOUT_HIDE_DIRECTORY;
}

/* Denied, but nothing was there. */
static int
find_absent(struct ward_keeper *k, struct err *err)
{
	const struct ward_plan *plan = k->setup.plan;
	const char *path;
	size_t n = 0;

	while (ward_plan_spot(plan, n) != NULL)
		n++;
	k->absent = calloc(n + 1, sizeof(*k->absent));
	if (k->absent == NULL)
		return ward_err_sys(err, ENOMEM, "the keeper");
	for (size_t i = 0; (path = ward_plan_spot(plan, i)) != NULL; i++)
		if (strcmp(path, "/") != 0 && !ward_plan_is_private(path) &&
		    ward_plan_decide(plan, path).state == WARD_HIDDEN &&
		    mount_of_layout(k->setup.layout, path) == NULL &&
		    !is_in_hidden(k->setup.layout, path))
			k->absent[k->n_absent++] = path;
	return 0;
}

static int
add_places(struct ward_keeper *k, struct err *err)
{
	const struct ward_layout *layout = k->setup.layout;
	const struct ward_walk_account *account = k->setup.account;
	int r = 0;

	for (size_t i = 0; r == 0 && i < layout->n_mounts; i++)
		r = ward_lookout_add(&k->lookout, layout->mounts[i].path,
		    account->home, account->real_home);
	for (size_t i = 0; r == 0 && i < k->n_absent; i++)
		r = ward_lookout_add(&k->lookout, k->absent[i], account->home,
		    account->real_home);
	for (unsigned i = 0;
	     r == 0 && k->setup.layout->has_own && i < WARD_OWN_FILES; i++)
		r = ward_lookout_add(&k->lookout,
		    ward_own_file_path((enum ward_own_file)i), account->home,
		    account->real_home);
	return r == 0 ? 0 : ward_err_sys(err, -r, "the keeper");
}

static int
find_source(struct ward_keeper *k, size_t i, struct err *err)
{
	const struct ward_layout_mount *m = &k->setup.layout->mounts[i];

	if (m->kind != WARD_LAYOUT_SHOW && m->kind != WARD_LAYOUT_HOME)
		return 0;
	const struct ward_mount *from = ward_mounts_find(k->setup.mounts,
	    m->kind == WARD_LAYOUT_HOME ? k->setup.account->real_home
					: m->path);
	if (from == NULL)
		return 0;
	k->sources[i].id = from->id;
	k->sources[i].device = strdup(from->device);
	return k->sources[i].device != NULL
	    ? 0
	    : ward_err_sys(err, ENOMEM, "the keeper");
}

static int
find_sources(struct ward_keeper *k, struct err *err)
{
	const struct ward_layout *layout = k->setup.layout;
	int r = 0;

	k->sources = calloc(layout->n_mounts, sizeof(*k->sources));
	if (k->sources == NULL)
		return ward_err_sys(err, ENOMEM, "the keeper");
	/* what is in the root is held by the root of the view in any case */
	for (size_t i = 1; r == 0 && i < layout->n_mounts; i++)
		r = find_source(k, i, err);
	return r;
}

/* --- the thread --- */

static void
tell(const struct ward_keeper *k, int level, const char *operation,
    const char *path, const char *what)
{
	struct message message = {
		.level = level,
		.operation = operation,
		.ends = level == LOG_ERR,
	};

	(void)snprintf(message.path, sizeof(message.path), "%s", path);
	(void)snprintf(message.what, sizeof(message.what), "%s", what);
	/* shorter than PIPE_BUF: all of it or nothing (pipe(7)) */
	ssize_t n = write(k->tell_fd, &message, sizeof(message));
	(void)n;
}

/* Ends the sandbox without waiting for the loop, which gets the reason. */
static int
break_off(const struct ward_keeper *k, const char *path, const char *what)
{
	tell(k, LOG_ERR, "mask-lost", path, what);
	(void)syscall(
	    SYS_pidfd_send_signal, k->setup.init_pidfd, SIGKILL, NULL, 0);
	return -EOWNERDEAD;
}

/* In its own places an account can make such lines as fast as it likes. */
static bool
may_tell(struct ward_keeper *k)
{
	int64_t now = ward_now_ms();

	if (k->n_told == 0 || now - k->told_since_ms > 60000) {
		k->told_since_ms = now;
		k->n_told = 0;
	}
	return k->n_told++ < TOLD_MAX;
}

/* 1: hidden again; 0: nothing is there; or -errno, and the sandbox ends. */
static int
hide_again(struct ward_keeper *k, const char *path)
{
	struct err err = { 0 };
	int r = ward_cover(k->view_dfd, k->masks_dfd, path, &err);

	if (r == 0) {
		if (may_tell(k))
			tell(k, LOG_WARNING, "mask-restored", path,
			    "was changed on the host, and is hidden again");
		return 1;
	}
	/* what the account has in its own places leads nobody anywhere */
	if (r == -ENOENT ||
	    (r == -ELOOP && ward_guests_is_in_writable(k->setup.plan, path)))
		return 0;
	return break_off(k, path, err.text);
}

/*
 * A protected name, and before it what leads there: a mount on that covers what
 * is mounted below.
 */
static int
keep_again(struct ward_keeper *k, size_t i, const struct ward_mounts *now)
{
	const struct ward_layout *layout = k->setup.layout;
	const char *path = layout->mounts[i].path;
	struct err err = { 0 };
	int r = 0;

	if (!ward_cover_is_there(k->view_dfd, path))
		return 0;
	for (size_t above = 0; r == 0 && above < i; above++) {
		const struct ward_layout_mount *m = &layout->mounts[above];

		if (m->kept && m->writable &&
		    ward_path_is_below(path, m->path) &&
		    ward_fate_mount_at(now, m->path) == NULL)
			r = ward_cover_keep(k->view_dfd, m->path, true, &err);
	}
	if (r == 0)
		r = ward_cover_keep(k->view_dfd, path, false, &err);
	if (r == 0 && may_tell(k))
		tell(k, LOG_NOTICE, NULL, path,
		    "was changed on the host, and is protected again");
	if (r == 0)
		return 1;
	return r == -ENOENT || r == -ELOOP ? 0 : break_off(k, path, err.text);
}

/* The same, for what the layout has. */
static int
tend_mount(struct ward_keeper *k, size_t i, const struct ward_mounts *now)
{
	const struct ward_layout *layout = k->setup.layout;

	switch (ward_fate_of(layout, i, now)) {
	case WARD_FATE_STANDS:
	case WARD_FATE_HARMLESS:
	case WARD_FATE_OWN: /* below */
		return 0;
	case WARD_FATE_BARE:
		return hide_again(k, layout->mounts[i].path);
	case WARD_FATE_LOOSE:
		return keep_again(k, i, now);
	case WARD_FATE_BROKEN:
		break;
	}
	return break_off(
	    k, layout->mounts[i].path, "was moved or replaced on the host");
}

/*
 * The host may have made one anew, or another kind of thing.  They hide
 * nothing: where it is removed, or a link into the host's own /run, programs
 * find none, and ask the sandbox's resolver all the same.
 */
static int
tend_own_files(struct ward_keeper *k)
{
	struct err ignored = { 0 };
	int done = 0;

	for (unsigned i = 0; k->setup.layout->has_own && i < WARD_OWN_FILES;
	     i++) {
		int r = -EAGAIN;
		/*
		 * A rename first detaches, which is told, and then gives the
		 * name away, which at the end of a link is not.
		 */
		for (int n = 0; r == -EAGAIN && n < RENAME_TRIES; n++) {
			if (n > 0)
				(void)usleep(RENAME_US);
			r = ward_cover_own(k->view_dfd, k->masks_dfd,
			    (enum ward_own_file)i, &ignored);
		}
		done |= r > 0;
	}
	return done;
}

/* 1: something was done; 0: all stands; or -errno. */
static int
tend_all(struct ward_keeper *k, const struct ward_mounts *now)
{
	int done = 0, r = 0;
	const char *stray =
	    ward_fate_stray(k->setup.layout, now, k->setup.masks_device);

	/* a mask that was moved, by who can, hides what it hid, and stays */
	if (now->n >
	    k->setup.layout->n_mounts + k->n_absent + k->guests.n + MORE_MAX)
		return break_off(k, "/", "changes without end");
	if (stray != NULL)
		return break_off(k, stray, "was moved there on the host");
	for (size_t i = 0; r >= 0 && i < k->setup.layout->n_mounts; i++) {
		r = tend_mount(k, i, now);
		done |= r > 0;
	}
	for (size_t i = 0; r >= 0 && i < k->n_absent; i++) {
		if (ward_fate_mount_at(now, k->absent[i]) != NULL)
			continue;
		r = hide_again(k, k->absent[i]);
		done |= r > 0;
	}
	return r < 0 ? r : done | tend_own_files(k);
}

/* Lets go inside what the host has unmounted. */
static int
let_go(struct ward_keeper *k, const char *text)
{
	const struct ward_layout *layout = k->setup.layout;
	struct err err = { 0 };

	for (size_t i = 0; i < layout->n_mounts; i++) {
		struct source *source = &k->sources[i];
		const char *path = layout->mounts[i].path;
		if (source->device == NULL ||
		    ward_mounts_lists(text, source->id, source->device))
			continue;
		free(source->device);
		source->device = NULL;
		if (layout->mounts[i].kind == WARD_LAYOUT_HOME)
			return break_off(k, path, "was unmounted on the host");
		if (ward_uncover(k->view_dfd, path, &err) != 0)
			return break_off(k, path, err.text);
		tell(k, LOG_NOTICE, NULL, path, "was unmounted on the host");
	}
	return 0;
}

static void
tell_guest(void *context, const char *place)
{
	tell(context, LOG_NOTICE, NULL, place,
	    "was mounted on the host, and is closed here");
}

/* What the host has mounted and unmounted. */
static int
tend_host(struct ward_keeper *k)
{
	struct ward_mounts host = { 0 }, view = { 0 };
	struct err err = { 0 };
	_cleanup_free_ char *text =
	    ward_mounts_text(k->host_mountinfo_fd, &err);
	_cleanup_free_ char *inside =
	    ward_mounts_text(k->view_mountinfo_fd, &err);

	if (text == NULL || inside == NULL)
		return break_off(k, "/", err.text);
	int r = let_go(k, text);
	if (r != 0)
		return r;
	if (ward_mounts_parse(text, &host, &err) != 0)
		return break_off(k, "/", err.text);
	if (ward_mounts_parse(inside, &view, &err) != 0) {
		ward_mounts_clear(&host);
		return break_off(k, "/", err.text);
	}
	/* the last mount goes with init */
	if (view.n > 0 &&
	    ward_guests_tend(&k->guests, &host, &view, tell_guest, k, &err) !=
		0)
		r = break_off(k, "/", err.text);
	ward_mounts_clear(&host);
	ward_mounts_clear(&view);
	return r;
}

/* Watches first, so that nothing happens between the look and the watch. */
static int
tend(struct ward_keeper *k)
{
	struct err err = { 0 };
	int r = tend_host(k);

	for (int round = 0; r == 0 && round < ROUNDS; round++) {
		struct ward_mounts now = { 0 };
		ward_lookout_arm(&k->lookout, k->host_dfd, k->fds_dfd);
		_cleanup_free_ char *text =
		    ward_mounts_text(k->view_mountinfo_fd, &err);
		if (text == NULL || ward_mounts_parse(text, &now, &err) != 0)
			return break_off(k, "/", err.text);
		/* the last mount goes with init: no sandbox, nothing to keep */
		if (now.n == 0)
			return -ESRCH;
		r = tend_all(k, &now);
		ward_mounts_clear(&now);
		if (r <= 0)
			return r;
		r = 0;
	}
	return r != 0 ? r : break_off(k, "/", "changes without end");
}

static int
enter_view(struct ward_keeper *k, struct err *err)
{
	if (unshare(CLONE_FS) != 0)
		return ward_err_sys(err, errno, "unshare");
	if (setns(k->setup.init_pidfd, CLONE_NEWNS) != 0)
		return ward_err_sys(err, errno, "setns into the view");
	k->view_dfd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (k->view_dfd < 0)
		return ward_err_sys(err, errno, "the view's root");
	k->masks_dfd = ward_cover_masks(k->view_dfd, err);
	k->guests = (struct ward_guests){
		.plan = k->setup.plan,
		.account = k->setup.account,
		.view_dfd = k->view_dfd,
		.masks_dfd = k->masks_dfd,
	};
	return k->masks_dfd < 0 ? k->masks_dfd : 0;
}

/* Something has appeared: is it, or does it lead to, what is to be hidden? */
static bool
is_wanted(void *context, const char *path)
{
	const struct ward_keeper *k = context;
	const struct ward_layout *layout = k->setup.layout;

	for (size_t i = 0; i < layout->n_mounts; i++)
		if (ward_path_is_below(layout->mounts[i].path, path))
			return true;
	for (size_t i = 0; i < k->n_absent; i++)
		if (ward_path_is_below(k->absent[i], path))
			return true;
	for (unsigned i = 0; k->setup.layout->has_own && i < WARD_OWN_FILES;
	     i++)
		if (ward_path_is_below(
			ward_own_file_path((enum ward_own_file)i), path))
			return true;
	return false;
}

/* Until there is something to look at; false: the end. */
static bool
wait_for_change(struct ward_keeper *k)
{
	for (;;) {
		struct pollfd fds[] = {
			{ .fd = k->stop_fd, .events = POLLIN },
			{ .fd = k->view_mountinfo_fd, .events = POLLPRI },
			{ .fd = k->host_mountinfo_fd, .events = POLLPRI },
			{ .fd = k->lookout.fd, .events = POLLIN },
		};
		int n = poll(fds, 4, k->lookout.blind ? BLIND_MS : -1);
		if (n < 0 && errno != EINTR)
			return false;
		if (fds[0].revents != 0)
			return false;
		bool wanted = n == 0;
		if (n > 0)
			wanted = fds[1].revents != 0 || fds[2].revents != 0;
		if (n > 0 && fds[3].revents != 0 &&
		    ward_lookout_read(&k->lookout, is_wanted, k))
			wanted = true;
		if (wanted)
			return true;
	}
}

static void *
run(void *context)
{
	struct ward_keeper *k = context;
	struct err err = { 0 };

	if (enter_view(k, &err) != 0) {
		(void)break_off(k, "/", err.text);
		return NULL;
	}
	while (tend(k) == 0 && wait_for_change(k))
		;
	return NULL;
}

/* --- its start and its end, in the warden's main thread --- */

static void
on_message(struct ward_watch *watch, uint32_t events)
{
	const struct ward_keeper *k = (struct ward_keeper *)(void *)watch;
	struct message message;

	(void)events;
	if (read(watch->fd, &message, sizeof(message)) !=
	    (ssize_t)sizeof(message))
		return;
	syslog(message.level, "ward: sandbox of %s: %s %s%s", k->setup.name,
	    message.path, message.what, message.ends ? ": it is ended" : "");
	if (message.operation != NULL)
		ward_recorder_internal(
		    k->setup.recorder, message.operation, message.path);
	if (message.ends)
		*k->setup.ending = "hidden places changed";
}

static int
open_all(struct ward_keeper *k, struct err *err)
{
	char path[64];
	int ends[2];

	(void)snprintf(
	    path, sizeof(path), "/proc/%d/mountinfo", (int)k->setup.init);
	if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
		return ward_err_sys(err, errno, "pipe");
	k->watch.fd = ends[0];
	k->tell_fd = ends[1];
	k->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (k->stop_fd < 0)
		return ward_err_sys(err, errno, "eventfd");
	k->host_dfd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	k->fds_dfd = open("/proc/self/fd", O_PATH | O_DIRECTORY | O_CLOEXEC);
	k->host_mountinfo_fd =
	    open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);
	k->view_mountinfo_fd = open(path, O_RDONLY | O_CLOEXEC);
	if (k->host_dfd < 0 || k->fds_dfd < 0 || k->host_mountinfo_fd < 0 ||
	    k->view_mountinfo_fd < 0)
		return ward_err_sys(err, errno, "%s", path);
	return ward_lookout_init(&k->lookout, err);
}

static void
keeper_free(struct ward_keeper *k)
{
	const int fds[] = { k->watch.fd, k->tell_fd, k->stop_fd, k->host_dfd,
		k->fds_dfd, k->host_mountinfo_fd, k->view_mountinfo_fd,
		k->view_dfd, k->masks_dfd };

	for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++)
		if (fds[i] >= 0)
			(void)close(fds[i]);
	ward_lookout_clear(&k->lookout);
	for (size_t i = 0; k->sources != NULL && i < k->setup.layout->n_mounts;
	     i++)
		free(k->sources[i].device);
	free(k->sources);
	free(k->absent);
	ward_guests_clear(&k->guests);
	free(k);
}

int
ward_keeper_start(const struct ward_keeper_setup *setup,
    struct ward_keeper **keeper, struct err *err)
{
	struct ward_keeper *k = calloc(1, sizeof(*k));

	if (k == NULL)
		return ward_err_sys(err, ENOMEM, "the keeper");
	k->setup = *setup;
	k->watch = (struct ward_watch){ .fd = -1, .callback = on_message };
	k->tell_fd = k->stop_fd = k->host_dfd = k->host_mountinfo_fd =
	    k->fds_dfd = -1;
	k->view_dfd = k->view_mountinfo_fd = k->masks_dfd = -1;
	k->lookout.fd = -1;
	int r = open_all(k, err);
	if (r == 0)
		r = find_sources(k, err);
	if (r == 0)
		r = find_absent(k, err);
	if (r == 0)
		r = add_places(k, err);
	if (r == 0)
		r = ward_loop_add(setup->loop, &k->watch, EPOLLIN, err);
	if (r == 0) {
		int error = pthread_create(&k->thread, NULL, run, k);
		if (error != 0) {
			ward_loop_remove(setup->loop, &k->watch);
			r = ward_err_sys(err, error, "the keeper");
		}
	}
	if (r != 0) {
		keeper_free(k);
		return r;
	}
	*keeper = k;
	return 0;
}

void
ward_keeper_stop(struct ward_keeper *keeper)
{
	if (keeper == NULL)
		return;
	(void)eventfd_write(keeper->stop_fd, 1);
	(void)pthread_join(keeper->thread, NULL);
	ward_loop_remove(keeper->setup.loop, &keeper->watch);
	keeper_free(keeper);
}
