/* SPDX-License-Identifier: ISC */
/* The run directory of a sandbox. */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/clock.h"
#include "common/fd.h"
#include "common/places.h"
#include "common/wire.h"
#include "sandbox/rundir.h"

#define QUEUE 128

int
ward_rundir_id(char id[WARD_ID_SIZE], struct err *err)
{
	uint64_t number;

	if (getrandom(&number, sizeof(number), 0) != (ssize_t)sizeof(number))
		return ward_err_sys(err, errno, "getrandom");
	(void)snprintf(id, WARD_ID_SIZE, "%016jx", (uintmax_t)number);
	return 0;
}

static void
remove_files(int account_dfd, const char *id)
{
	static const char *const files[] = { "control", "alive", "revision" };
	char path[64];

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		(void)snprintf(path, sizeof(path), "%s/%s", id, files[i]);
		(void)unlinkat(account_dfd, path, 0);
	}
	(void)snprintf(path, sizeof(path), "%s/view", id);
	(void)unlinkat(account_dfd, path, AT_REMOVEDIR);
	(void)unlinkat(account_dfd, id, AT_REMOVEDIR);
}

/* A warden that lives holds this lock. */
static bool
is_alive(int account_dfd, const char *id)
{
	char path[64];

	(void)snprintf(path, sizeof(path), "%s/alive", id);
	_cleanup_fd_ int fd =
	    openat(account_dfd, path, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
	return fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) != 0 &&
	    errno == EWOULDBLOCK;
}

typedef void visit(const struct ward_rundir *rundir, const char *id);

/* Each sandbox of the account but this one, whether its warden lives or not. */
static int
each_other(const struct ward_rundir *rundir, visit *call, struct err *err)
{
	int fd = openat(
	    rundir->account_dfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *d;

	if (dir == NULL) {
		if (fd >= 0)
			(void)close(fd);
		return ward_err_sys(err, errno, "the run directory");
	}
	while ((d = readdir(dir)) != NULL)
		if (strlen(d->d_name) == WARD_ID_SIZE - 1 &&
		    strcmp(d->d_name, rundir->id) != 0)
			call(rundir, d->d_name);
	(void)closedir(dir);
	return 0;
}

/* What a dead warden left goes. */
static void
remove_dead(const struct ward_rundir *rundir, const char *id)
{
	if (!is_alive(rundir->account_dfd, id))
		remove_files(rundir->account_dfd, id);
}

static int
make_alive(struct ward_rundir *rundir, struct err *err)
{
	char path[64];

	(void)snprintf(path, sizeof(path), "%s/alive", rundir->id);
	rundir->alive_fd = openat(rundir->account_dfd, path,
	    O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (rundir->alive_fd < 0 || flock(rundir->alive_fd, LOCK_EX) != 0)
		return ward_err_sys(err, errno, "%s/alive", rundir->path);
	return 0;
}

static int
make_control(struct ward_rundir *rundir, struct err *err)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	rundir->control_fd =
	    socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (rundir->control_fd < 0)
		return ward_err_sys(err, errno, "the control socket");
	(void)snprintf(address.sun_path, sizeof(address.sun_path), "%s/control",
	    rundir->path);
	if (bind(rundir->control_fd, (const struct sockaddr *)&address,
		sizeof(address)) != 0 ||
	    listen(rundir->control_fd, QUEUE) != 0)
		return ward_err_sys(err, errno, "%s", address.sun_path);
	return 0;
}

static int
make_revision(const struct ward_rundir *rundir, struct err *err)
{
	char path[64];

	(void)snprintf(path, sizeof(path), "%s/revision", rundir->id);
	return symlinkat(rundir->revision, rundir->account_dfd, path) == 0
	    ? 0
	    : ward_err_sys(err, errno, "%s/revision", rundir->path);
}

static int
make(struct ward_rundir *rundir, uid_t uid, struct err *err)
{
	char account[32];

	(void)snprintf(account, sizeof(account), WARD_RUN "/%u", (unsigned)uid);
	rundir->account_dfd =
	    open(account, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (rundir->account_dfd < 0)
		return ward_err_sys(err, errno, "%s", account);
	int r = ward_rundir_id(rundir->id, err);
	if (r != 0)
		return r;
	(void)snprintf(
	    rundir->path, sizeof(rundir->path), "%s/%s", account, rundir->id);
	(void)snprintf(
	    rundir->staging, sizeof(rundir->staging), "%s/view", rundir->path);
	if (mkdirat(rundir->account_dfd, rundir->id, 0700) != 0)
		return ward_err_sys(err, errno, "%s", rundir->path);
	if (mkdir(rundir->staging, 0700) != 0)
		return ward_err_sys(err, errno, "%s", rundir->staging);
	r = make_alive(rundir, err);
	if (r == 0)
		r = each_other(rundir, remove_dead, err);
	if (r == 0)
		r = make_revision(rundir, err);
	return r == 0 ? make_control(rundir, err) : r;
}

bool
ward_rundir_lives(uid_t uid, const char *id)
{
	char path[64];

	(void)snprintf(path, sizeof(path), WARD_RUN "/%u", (unsigned)uid);
	_cleanup_fd_ int dfd =
	    open(path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return dfd >= 0 && is_alive(dfd, id);
}

int
ward_rundir_make(
    uid_t uid, int64_t revision, struct ward_rundir *rundir, struct err *err)
{
	*rundir = (struct ward_rundir){
		.account_dfd = -1,
		.alive_fd = -1,
		.control_fd = -1,
	};
	(void)snprintf(rundir->revision, sizeof(rundir->revision), "%jd",
	    (intmax_t)revision);
	int r = make(rundir, uid, err);
	if (r != 0)
		ward_rundir_remove(rundir);
	return r;
}

static bool
is_alike(const struct ward_rundir *rundir, const char *id)
{
	char path[64], revision[sizeof(rundir->revision)];

	(void)snprintf(path, sizeof(path), "%s/revision", id);
	ssize_t n =
	    readlinkat(rundir->account_dfd, path, revision, sizeof(revision));
	return n == (ssize_t)strlen(rundir->revision) &&
	    memcmp(revision, rundir->revision, (size_t)n) == 0;
}

static void
ask(const struct ward_rundir *rundir, const char *id)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	struct ward_wire wire;
	_cleanup_fd_ int fd =
	    socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	/* beside the own one */
	(void)snprintf(address.sun_path, sizeof(address.sun_path),
	    "%.*s/%.*s/control", (int)(strlen(rundir->path) - WARD_ID_SIZE),
	    rundir->path, WARD_ID_SIZE - 1, id);
	if (fd >= 0 && !is_alike(rundir, id) &&
	    connect(fd, (const struct sockaddr *)&address, sizeof(address)) ==
		0 &&
	    ward_wire_put_empty(&wire, WARD_WIRE_STATUS) == 0)
		/* it stays in the queue of one that is stopped */
		(void)ward_fd_send(fd, wire.data, wire.size, NULL, 0);
}

void
ward_rundir_ask_others(const struct ward_rundir *rundir)
{
	(void)each_other(rundir, ask, NULL);
}

void
ward_rundir_close(struct ward_rundir *rundir)
{
	if (rundir->control_fd >= 0)
		(void)close(rundir->control_fd);
	rundir->control_fd = -1;
}

static bool
lock(int fd, int wait_ms)
{
	const struct timespec pause = { .tv_nsec = 5000000 };
	int64_t deadline_ms = ward_now_ms() + wait_ms;

	while (flock(fd, LOCK_EX | LOCK_NB) != 0) {
		if (ward_now_ms() >= deadline_ms)
			return false;
		(void)nanosleep(&pause, NULL);
	}
	return true;
}

bool
ward_rundir_unname(struct ward_rundir *rundir, int wait_ms)
{
	char target[WARD_ID_SIZE + 1];

	if (rundir->account_dfd < 0)
		return true;
	/* a login may be putting another name there just now */
	_cleanup_fd_ int lock_fd = openat(rundir->account_dfd, "lock",
	    O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (lock_fd < 0 || !lock(lock_fd, wait_ms))
		return false;
	ssize_t n = readlinkat(
	    rundir->account_dfd, WARD_CURRENT, target, sizeof(target));
	if (n == WARD_ID_SIZE - 1 && memcmp(target, rundir->id, (size_t)n) == 0)
		(void)unlinkat(rundir->account_dfd, WARD_CURRENT, 0);
	return true;
}

void
ward_rundir_remove(struct ward_rundir *rundir)
{
	if (rundir->control_fd >= 0)
		(void)close(rundir->control_fd);
	if (rundir->account_dfd >= 0 && rundir->id[0] != '\0')
		remove_files(rundir->account_dfd, rundir->id);
	if (rundir->alive_fd >= 0)
		(void)close(rundir->alive_fd);
	if (rundir->account_dfd >= 0)
		(void)close(rundir->account_dfd);
	*rundir = (struct ward_rundir){
		.account_dfd = -1,
		.alive_fd = -1,
		.control_fd = -1,
	};
}
