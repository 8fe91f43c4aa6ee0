/* SPDX-License-Identifier: ISC */
/* The judge: was a write-intent call refused by Ward? */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/path.h"
#include "sandbox/judge.h"
#include "sandbox/process.h"

#define QUEUE_MAX 1024
#define LINKS_MAX 40 /* as many as the kernel follows */
#define PAUSE_NS  500000

struct ward_judge {
	const struct ward_observer_setup *setup;
	pthread_t thread;
	pthread_mutex_t mutex;
	pthread_cond_t wake;
	struct ward_act *first, **end;
	uint64_t seen;           /* the warden's own thread's */
	_Atomic uint64_t judged; /* the judge's */
	bool stopping;
	int view_nsfd; /* outlives init: a brief session's acts are judged */
	int proc_dfd;  /* the host's, to name places and callers */
};

void
ward_act_free(struct ward_act *act)
{
	if (act == NULL)
		return;
	struct ward_act_path *paths[] = { &act->path, &act->path2 };
	for (size_t i = 0; i < 2; i++) {
		free(paths[i]->text);
		if (paths[i]->base_dfd >= 0)
			(void)close(paths[i]->base_dfd);
	}
	free(act);
}

/* --- one act --- */

/* What came out: an errno that Ward caused, 0 if it caused none. */
struct verdict {
	int errnum;
	char target[PATH_MAX]; /* canonical */
};

static int
open_place(int base_dfd, const char *path, bool follow)
{
	struct open_how how = {
		.flags =
		    O_PATH | O_CLOEXEC | (uint64_t)(follow ? 0 : O_NOFOLLOW),
		.resolve = RESOLVE_NO_MAGICLINKS,
	};
	long fd = syscall(SYS_openat2, base_dfd >= 0 ? base_dfd : AT_FDCWD,
	    path, &how, sizeof(how));

	return fd < 0 ? -errno : (int)fd;
}

/* The canonical path of an fd, as the view shows it; false if it has none. */
static bool
name_place(const struct ward_judge *judge, int fd, char *out)
{
	char link[32];

	(void)snprintf(link, sizeof(link), "self/fd/%d", fd);
	ssize_t n = readlinkat(judge->proc_dfd, link, out, PATH_MAX - 1);
	if (n <= 0)
		return false;
	out[n] = '\0';
	return out[0] == '/';
}

/* A mask whose server has ended, as the sandbox does: before, or meanwhile. */
static bool
is_cut_off(int error)
{
	return error == ENOTCONN || error == ECONNABORTED;
}

static bool
is_read_only(int fd)
{
	struct statfs fs;

	/* of the mount, not of the file system alone: statfs(2) */
	if (fstatfs(fd, &fs) == 0)
		return (fs.f_flags & ST_RDONLY) != 0;
	return is_cut_off(errno);
}

/*
 * Nothing here is refused, and most acts are in such a place: they are done
 * with before it has a name.  The mount of a mask is writable, and refuses.
 */
static bool
is_open(int fd)
{
	struct statfs fs;

	return fstatfs(fd, &fs) == 0 && (fs.f_flags & ST_RDONLY) == 0 &&
	    fs.f_type != FUSE_SUPER_MAGIC;
}

static bool
is_hidden(const struct ward_judge *judge, const char *path)
{
	return ward_plan_decide(judge->setup->plan, path).state == WARD_HIDDEN;
}

/* Splits into the directory and the last name; false for "", "/" and "..". */
static bool
split(const char *path, char *directory, char *name)
{
	size_t n = strlen(path);

	while (n > 1 && path[n - 1] == '/')
		n--;
	size_t start = n;
	while (start > 0 && path[start - 1] != '/')
		start--;
	if (n == start || n - start > NAME_MAX || n >= PATH_MAX)
		return false;
	memcpy(name, path + start, n - start);
	name[n - start] = '\0';
	if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
		return false;
	memcpy(directory, path, start);
	directory[start] = '\0';
	if (start == 0)
		(void)snprintf(directory, PATH_MAX, ".");
	return true;
}

static bool
begins(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* Makes a name that must not be there yet. */
static bool
makes_name(const struct ward_act *act)
{
	const char *call = act->call->name;

	return act->call->kind == WARD_SEAL_BIND || begins(call, "mk") ||
	    begins(call, "symlink") || begins(call, "link");
}

/*
 * A hard link's other path: the kernel looks for it first, and without it the
 * call fails as it would anywhere.  What a process names by its own /proc is
 * there, but not for the judge.
 */
static bool
has_source(const struct ward_act *act)
{
	bool follow = (act->flags & AT_SYMLINK_FOLLOW) != 0;

	if (act->call->kind2 != WARD_SEAL_SOURCE || act->path2.text == NULL ||
	    begins(act->path2.text, "/proc/"))
		return true;
	/* by AT_EMPTY_PATH: whether it may is known to the kernel alone */
	if (act->path2.text[0] == '\0')
		return false;
	_cleanup_fd_ int fd =
	    open_place(act->path2.base_dfd, act->path2.text, follow);
	return fd >= 0;
}

static bool
is_mount(int dfd, const char *name)
{
	struct statx sx;

	return statx(dfd, name, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT, 0,
		   &sx) == 0 &&
	    (sx.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
}

static bool
join(char *out, const char *directory, const char *name)
{
	int n = snprintf(out, PATH_MAX, "%s%s%s", directory,
	    strcmp(directory, "/") == 0 ? "" : "/", name);

	return n > 0 && n < PATH_MAX;
}

/*
 * An act on a directory entry.  The mount that counts is the directory's; of a
 * name that is a mount itself, removing and renaming is EBUSY.
 */
static void
judge_entry(const struct ward_judge *judge, const struct ward_act *act,
    const struct ward_act_path *path, struct verdict *verdict)
{
	char directory[PATH_MAX], name[NAME_MAX + 1];
	struct stat st;

	if (!split(path->text, directory, name))
		return;
	_cleanup_fd_ int dfd = open_place(path->base_dfd, directory, true);
	bool makes = makes_name(act);
	int errnum = 0;
	/* the account's own permissions, or nothing there: not Ward's */
	if (dfd < 0)
		return;
	if (is_read_only(dfd)) {
		/* mkdir of what exists is EEXIST before it is EROFS */
		if (makes && fstatat(dfd, name, &st, AT_SYMLINK_NOFOLLOW) == 0)
			return;
		errnum = EROFS;
	} else if (!makes && act->call->kind == WARD_SEAL_ENTRY &&
	    is_mount(dfd, name)) {
		errnum = EBUSY;
	}
	if (errnum != 0 && name_place(judge, dfd, directory) &&
	    join(verdict->target, directory, name))
		verdict->errnum = errnum;
}

/* Does opening with these flags ask for writing, if the file exists? */
static bool
asks_to_write(uint64_t flags)
{
	return (flags & O_ACCMODE) != O_RDONLY || (flags & O_TRUNC) != 0;
}

/*
 * Opening what is there.  The kernel looks at the file's own permissions
 * before it looks at the mount, and so does faccessat2; but to truncate it
 * looks at the mount first.
 */
static void
judge_existing(const struct ward_judge *judge, const struct ward_act *act,
    int fd, struct verdict *verdict)
{
	struct stat st;

	if (is_open(fd) || !name_place(judge, fd, verdict->target) ||
	    fstat(fd, &st) != 0)
		return;
	if (S_ISDIR(st.st_mode)) {
		if ((act->flags & O_TMPFILE) == O_TMPFILE && is_read_only(fd))
			verdict->errnum = EROFS;
		return;
	}
	if (!asks_to_write(act->flags) ||
	    (act->flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL))
		return;
	if ((act->flags & O_TRUNC) != 0 && S_ISREG(st.st_mode) &&
	    is_read_only(fd)) {
		verdict->errnum = EROFS;
		return;
	}
	int r = syscall(SYS_faccessat2, fd, "", W_OK,
		    AT_EMPTY_PATH | AT_EACCESS) == 0
	    ? 0
	    : errno;
	if (r == EROFS)
		verdict->errnum = EROFS;
	else if ((r == EACCES || is_cut_off(r)) &&
	    is_hidden(judge, verdict->target))
		verdict->errnum = EACCES;
	else if (r == 0 && S_ISFIFO(st.st_mode) &&
	    ward_plan_decide(judge->setup->plan, verdict->target).state !=
		WARD_WRITABLE)
		/* Landlock: FIFOs ignore read-only mounts */
		verdict->errnum = EACCES;
}

/*
 * Follows a link that is the end of a path; false where it is none.  The
 * path's base and text are owned by the caller, in dfd and text.
 */
static bool
follow_last(struct ward_act_path *path, int *dfd, char *text)
{
	char directory[PATH_MAX], name[NAME_MAX + 1];

	if (!split(path->text, directory, name))
		return false;
	int fd = open_place(path->base_dfd, directory, true);
	ssize_t n = fd < 0 ? -1 : readlinkat(fd, name, text, PATH_MAX - 1);
	if (n > 0) {
		text[n] = '\0';
		path->base_dfd = fd;
		path->text = text;
		int last = *dfd;
		*dfd = fd;
		fd = last;
	}
	if (fd >= 0)
		(void)close(fd);
	return n > 0;
}

/* Making a file: where a dangling link leads, if it is followed. */
static void
judge_made(const struct ward_judge *judge, const struct ward_act *act,
    bool follow, struct verdict *verdict)
{
	struct ward_act_path path = act->path;
	char text[PATH_MAX];
	_cleanup_fd_ int dfd = -1;

	for (int n = 0; follow && n < LINKS_MAX; n++)
		follow = follow_last(&path, &dfd, text);
	judge_entry(judge, act, &path, verdict);
}

static void
judge_open(const struct ward_judge *judge, const struct ward_act *act,
    struct verdict *verdict)
{
	bool follow = ward_seal_notified_follows(act->call, act->flags);
	_cleanup_fd_ int fd =
	    open_place(act->path.base_dfd, act->path.text, follow);

	if (fd >= 0) {
		judge_existing(judge, act, fd, verdict);
	} else if ((fd == -ENOENT || is_cut_off(-fd)) &&
	    (act->flags & O_CREAT) != 0) {
		judge_made(judge, act, follow, verdict);
	}
}

static void
judge_inode(const struct ward_judge *judge, const struct ward_act *act,
    const struct ward_act_path *path, struct verdict *verdict)
{
	bool follow = ward_seal_notified_follows(act->call, act->flags);
	bool itself = path->text[0] == '\0';

	/* these calls agree in it: fchmodat2, fchownat, utimensat, *xattrat */
	if (itself && (act->flags & AT_EMPTY_PATH) == 0)
		return;
	_cleanup_fd_ int fd = itself
	    ? fcntl(path->base_dfd, F_DUPFD_CLOEXEC, 0)
	    : open_place(path->base_dfd, path->text, follow);

	/* a hidden file's server refuses as its mount would */
	if (fd >= 0 && !is_open(fd) && name_place(judge, fd, verdict->target) &&
	    (is_read_only(fd) || is_hidden(judge, verdict->target)))
		verdict->errnum = EROFS;
}

static void
report(const struct ward_judge *judge, struct ward_act *act,
    const struct verdict *verdict)
{
	if (act->pid == 0)
		ward_process_of_thread_at(judge->proc_dfd, act->tid, &act->pid,
		    act->program, sizeof(act->program));
	struct ward_refused_act refused = {
		.kind = "write",
		.operation = act->call->name,
		.target = verdict->target,
		.pid = act->pid,
		.program = act->program,
		.errnum = verdict->errnum,
		/* the call was seen, and what it must have met; not its end */
		.confirmed = false,
		.rule = ward_plan_refuses_write(
		    judge->setup->plan, verdict->target),
	};

	memcpy(refused.session, act->session, sizeof(refused.session));
	ward_recorder_violation(judge->setup->recorder, &refused);
}

static void
judge_path(const struct ward_judge *judge, const struct ward_act *act,
    enum ward_seal_kind kind, const struct ward_act_path *path,
    struct verdict *verdict)
{
	if (path->text == NULL)
		return;
	switch (kind) {
	case WARD_SEAL_OPEN:
		judge_open(judge, act, verdict);
		break;
	case WARD_SEAL_ENTRY:
	case WARD_SEAL_BIND:
		judge_entry(judge, act, path, verdict);
		break;
	case WARD_SEAL_INODE:
		judge_inode(judge, act, path, verdict);
		break;
	case WARD_SEAL_CONNECT:
	case WARD_SEAL_SOURCE:
	case WARD_SEAL_NOTHING:
		break;
	}
}

/* One row for an act: the first of its paths that was refused. */
static void
judge_act(const struct ward_judge *judge, struct ward_act *act)
{
	struct verdict verdict = { 0 };

	if (!has_source(act))
		return;
	judge_path(judge, act, act->call->kind, &act->path, &verdict);
	if (verdict.errnum == 0)
		judge_path(judge, act, act->call->kind2, &act->path2, &verdict);
	if (verdict.errnum != 0)
		report(judge, act, &verdict);
}

/* --- the thread --- */

/*
 * Into the view with the account's ids, and without a capability: all of it
 * for this thread alone, by the kernel's calls (glibc's change every thread).
 */
static int
enter_view(const struct ward_judge *judge, struct err *err)
{
	const struct ward_observer_setup *setup = judge->setup;
	struct __user_cap_header_struct header = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct none[2] = { 0 };

	if (unshare(CLONE_FS) != 0)
		return ward_err_sys(err, errno, "unshare");
	if (setns(judge->view_nsfd, CLONE_NEWNS) != 0)
		return ward_err_sys(err, errno, "setns into the view");
	if (syscall(SYS_setgroups, setup->n_groups, setup->groups) != 0)
		return ward_err_sys(err, errno, "setgroups");
	(void)setfsgid(setup->gid);
	(void)setfsuid(setup->uid);
	if (setfsgid(setup->gid) != (int)setup->gid ||
	    setfsuid(setup->uid) != (int)setup->uid)
		return ward_err_set(err, EPERM, "setfsuid");
	if (syscall(SYS_capset, &header, none) != 0)
		return ward_err_sys(err, errno, "capset");
	return 0;
}

/* All that waits, in its order; NULL at the end. */
static struct ward_act *
next_acts(struct ward_judge *judge)
{
	(void)pthread_mutex_lock(&judge->mutex);
	while (judge->first == NULL && !judge->stopping)
		(void)pthread_cond_wait(&judge->wake, &judge->mutex);
	struct ward_act *acts = judge->first;
	judge->first = NULL;
	judge->end = &judge->first;
	(void)pthread_mutex_unlock(&judge->mutex);
	return acts;
}

static void *
run(void *context)
{
	struct ward_judge *judge = context;
	struct err err = { 0 };
	struct ward_act *act, *next;
	const struct timespec pause = { .tv_nsec = PAUSE_NS };
	bool inside = enter_view(judge, &err) == 0;

	if (!inside)
		syslog(
		    LOG_ERR, "ward: refused writes are not seen: %s", err.text);
	while ((next = next_acts(judge)) != NULL) {
		while ((act = next) != NULL) {
			next = act->next;
			if (inside)
				judge_act(judge, act);
			else
				ward_recorder_dropped(
				    judge->setup->recorder, 1);
			ward_act_free(act);
			judge->judged++;
		}
		/* to be woken for each of many is what costs most */
		(void)nanosleep(&pause, NULL);
	}
	return NULL;
}

/* 0 or an errno. */
static int
open_places(struct ward_judge *judge)
{
	char path[64];

	(void)snprintf(
	    path, sizeof(path), "/proc/%d/ns/mnt", (int)judge->setup->init);
	judge->view_nsfd = open(path, O_RDONLY | O_CLOEXEC);
	if (judge->view_nsfd < 0)
		return errno;
	judge->proc_dfd = open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC);
	return judge->proc_dfd < 0 ? errno : 0;
}

static void
close_places(const struct ward_judge *judge)
{
	if (judge->view_nsfd >= 0)
		(void)close(judge->view_nsfd);
	if (judge->proc_dfd >= 0)
		(void)close(judge->proc_dfd);
}

int
ward_judge_start(const struct ward_observer_setup *setup,
    struct ward_judge **judge, struct err *err)
{
	struct ward_judge *j = calloc(1, sizeof(*j));

	if (j == NULL)
		return ward_err_sys(err, ENOMEM, "the judge");
	j->setup = setup;
	j->end = &j->first;
	j->proc_dfd = j->view_nsfd = -1;
	int r = open_places(j);
	if (r == 0)
		r = pthread_mutex_init(&j->mutex, NULL);
	if (r == 0)
		r = pthread_cond_init(&j->wake, NULL);
	if (r == 0)
		r = pthread_create(&j->thread, NULL, run, j);
	if (r != 0) {
		close_places(j);
		free(j);
		return ward_err_sys(err, r, "the judge");
	}
	*judge = j;
	return 0;
}

void
ward_judge_stop(struct ward_judge *judge)
{
	(void)pthread_mutex_lock(&judge->mutex);
	judge->stopping = true;
	(void)pthread_cond_broadcast(&judge->wake);
	(void)pthread_mutex_unlock(&judge->mutex);
	(void)pthread_join(judge->thread, NULL);
	close_places(judge);
	free(judge);
}

void
ward_judge_progress(struct ward_judge *judge, uint64_t *seen, uint64_t *judged)
{
	*seen = judge->seen;
	*judged = judge->judged;
}

void
ward_judge_take(struct ward_judge *judge, struct ward_act *act)
{
	if (judge->seen - judge->judged >= QUEUE_MAX) {
		ward_act_free(act);
		ward_recorder_dropped(judge->setup->recorder, 1);
		return;
	}
	act->next = NULL;
	judge->seen++;
	(void)pthread_mutex_lock(&judge->mutex);
	*judge->end = act;
	judge->end = &act->next;
	(void)pthread_mutex_unlock(&judge->mutex);
}

void
ward_judge_wake(struct ward_judge *judge)
{
	(void)pthread_mutex_lock(&judge->mutex);
	bool waits = judge->first != NULL;
	(void)pthread_mutex_unlock(&judge->mutex);
	if (waits)
		(void)pthread_cond_signal(&judge->wake);
}
