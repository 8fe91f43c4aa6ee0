/* SPDX-License-Identifier: ISC */
/* Homes of agent accounts. */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/path.h"
#include "ctl/edit.h"
#include "ctl/home.h"
#include "ctl/run.h"

#define SKELETON       "/etc/skel"
#define SKELETON_MOST  10000 /* files */
#define SKELETON_BYTES ((size_t)1 << 30)

/* Directories of the skeleton still to be copied, relative to it. */
struct pending {
	char **paths;
	size_t n;
	size_t n_seen;
};

struct copy {
	int from_dfd, to_dfd; /* the two roots */
	uid_t uid;
	gid_t gid;
	struct pending pending;
};

static int
add_pending(struct pending *pending, const char *path)
{
	char **more =
	    reallocarray(pending->paths, pending->n + 1, sizeof(*more));

	if (more == NULL)
		return -ENOMEM;
	pending->paths = more;
	more[pending->n] = strdup(path);
	if (more[pending->n] == NULL)
		return -ENOMEM;
	pending->n++;
	return 0;
}

static int
copy_bytes(int from_fd, int to_fd)
{
	size_t total = 0;

	while (total <= SKELETON_BYTES) {
		ssize_t n = sendfile(to_fd, from_fd, NULL, 1 << 20);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			return 0;
		total += (size_t)n;
	}
	return -EFBIG;
}

static int
copy_file(const struct copy *c, const char *path, const struct stat *st)
{
	_cleanup_fd_ int from_fd = openat(
	    c->from_dfd, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (from_fd < 0)
		return -errno;
	_cleanup_fd_ int to_fd = openat(c->to_dfd, path,
	    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (to_fd < 0)
		return -errno;
	int r = copy_bytes(from_fd, to_fd);
	/* a mode without set-id bits, whatever the skeleton has */
	if (r == 0 && fchmod(to_fd, st->st_mode & 0777) != 0)
		r = -errno;
	if (r == 0 && fchown(to_fd, c->uid, c->gid) != 0)
		r = -errno;
	return r;
}

static int
copy_link(const struct copy *c, const char *path)
{
	char text[PATH_MAX];
	ssize_t n = readlinkat(c->from_dfd, path, text, sizeof(text) - 1);

	if (n < 0)
		return -errno;
	text[n] = '\0';
	if (symlinkat(text, c->to_dfd, path) != 0 ||
	    fchownat(c->to_dfd, path, c->uid, c->gid, AT_SYMLINK_NOFOLLOW) != 0)
		return -errno;
	return 0;
}

static int
copy_entry(struct copy *c, const char *path)
{
	struct stat st;

	if (++c->pending.n_seen > SKELETON_MOST)
		return -E2BIG;
	if (fstatat(c->from_dfd, path, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return -errno;
	if (S_ISREG(st.st_mode))
		return copy_file(c, path, &st);
	if (S_ISLNK(st.st_mode))
		return copy_link(c, path);
	/* devices, sockets and FIFOs are no skeleton */
	if (!S_ISDIR(st.st_mode))
		return 0;
	if (mkdirat(c->to_dfd, path, (st.st_mode & 0777) | 0700) != 0 ||
	    fchownat(c->to_dfd, path, c->uid, c->gid, AT_SYMLINK_NOFOLLOW) != 0)
		return -errno;
	return add_pending(&c->pending, path);
}

static int
copy_directory(struct copy *c, const char *path)
{
	int r = 0;
	const struct dirent *entry;
	int dfd = openat(
	    c->from_dfd, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *directory = dfd < 0 ? NULL : fdopendir(dfd);

	if (directory == NULL) {
		r = -errno;
		if (dfd >= 0)
			(void)close(dfd);
		return r;
	}
	errno = 0;
	while (r == 0 && (entry = readdir(directory)) != NULL) {
		if (strcmp(entry->d_name, ".") == 0 ||
		    strcmp(entry->d_name, "..") == 0)
			continue;
		char *child = strcmp(path, ".") == 0
		    ? strdup(entry->d_name)
		    : ward_path_join(path, entry->d_name);
		r = child == NULL ? -ENOMEM : copy_entry(c, child);
		free(child);
		errno = 0;
	}
	if (r == 0 && errno != 0)
		r = -errno;
	(void)closedir(directory);
	return r;
}

/* to_dfd is root's alone until all is in it. */
static int
copy_skeleton(int to_dfd, uid_t uid, gid_t gid, struct err *err)
{
	_cleanup_fd_ int from_dfd =
	    open(SKELETON, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct copy c = {
		.from_dfd = from_dfd,
		.to_dfd = to_dfd,
		.uid = uid,
		.gid = gid,
	};

	if (from_dfd < 0)
		return errno == ENOENT ? 0 : ward_err_sys(err, errno, SKELETON);
	int r = add_pending(&c.pending, ".");
	while (r == 0 && c.pending.n > 0) {
		char *path = c.pending.paths[--c.pending.n];
		r = copy_directory(&c, path);
		free(path);
	}
	while (c.pending.n > 0)
		free(c.pending.paths[--c.pending.n]);
	free(c.pending.paths);
	return r == 0 ? 0 : ward_err_sys(err, -r, SKELETON " cannot be copied");
}

/* The directory of passwd homes, and all above: nobody but root makes names. */
int
ward_home_check_parents(const char *home, struct err *err)
{
	struct stat st;
	_cleanup_free_ char *parent = strdup(home);

	if (parent == NULL)
		return ward_err_sys(err, ENOMEM, "%s", home);
	do {
		ward_path_to_parent(parent);
		if (lstat(parent, &st) != 0)
			return ward_err_sys(err, errno, "%s", parent);
		if (!S_ISDIR(st.st_mode) || st.st_uid != 0 ||
		    (st.st_mode & 022) != 0)
			return ward_err_set(err, EPERM,
			    "%s is not a directory that only root can write: "
			    "homes of agent accounts need one",
			    parent);
	} while (strcmp(parent, "/") != 0);
	return 0;
}

static int
check_absent(const char *path, struct err *err)
{
	struct stat st;

	if (lstat(path, &st) == 0)
		return ward_err_set(err, EEXIST,
		    "%s is there already: move or remove it first", path);
	return errno == ENOENT ? 0 : ward_err_sys(err, errno, "%s", path);
}

int
ward_home_check_free(const struct ward_home *home, struct err *err)
{
	int r = ward_home_check_parents(home->home, err);

	if (r == 0)
		r = check_absent(home->home, err);
	if (r == 0)
		r = check_absent(home->real_home, err);
	return r;
}

/* .ward; malloc'd. */
static char *
real_homes(const struct ward_home *home, struct err *err)
{
	char *directory = strdup(home->real_home);

	if (directory == NULL)
		(void)ward_err_sys(err, ENOMEM, "%s", home->home);
	else
		ward_path_to_parent(directory);
	return directory;
}

/* .ward is in the file system of the homes, so that adopting is a rename. */
static int
check_device(const char *directory, struct err *err)
{
	struct stat above, st;
	_cleanup_free_ char *parent = strdup(directory);

	if (parent == NULL)
		return ward_err_sys(err, ENOMEM, "%s", directory);
	ward_path_to_parent(parent);
	if (stat(parent, &above) != 0 || stat(directory, &st) != 0)
		return ward_err_sys(err, errno, "%s", directory);
	if (above.st_dev != st.st_dev)
		return ward_err_set(err, EXDEV,
		    "%s is not in the file system of %s: unmount it there",
		    directory, parent);
	return 0;
}

int
ward_home_make_real_homes(const struct ward_home *home, struct err *err)
{
	_cleanup_free_ char *directory = real_homes(home, err);

	if (directory == NULL)
		return -ENOMEM;
	int r = ward_edit_make_directory(directory, 0711, err);
	return r == 0 ? check_device(directory, err) : r;
}

int
ward_home_check_real_homes(const struct ward_home *home, struct err *err)
{
	_cleanup_free_ char *directory = real_homes(home, err);

	if (directory == NULL)
		return -ENOMEM;
	return access(directory, F_OK) == 0 ? check_device(directory, err) : 0;
}

static int
make_real_home(const struct ward_home *home, struct err *err)
{
	if (mkdir(home->real_home, 0700) != 0)
		return ward_err_sys(err, errno, "%s", home->real_home);
	_cleanup_fd_ int dfd = open(
	    home->real_home, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (dfd < 0)
		return ward_err_sys(err, errno, "%s", home->real_home);
	int r = copy_skeleton(dfd, home->uid, home->gid, err);
	/* the account's only now */
	if (r == 0 && fchown(dfd, home->uid, home->gid) != 0)
		r = ward_err_sys(err, errno, "%s", home->real_home);
	return r;
}

/* .ward itself, behind the last home in it. */
void
ward_home_remove_real_homes(const struct ward_home *home)
{
	_cleanup_free_ char *directory = real_homes(home, NULL);

	/* fails while there is another home in it */
	if (directory != NULL)
		(void)rmdir(directory);
}

int
ward_home_make(const struct ward_home *home, struct err *err)
{
	struct err ignored = { 0 };

	int r = ward_home_make_real_homes(home, err);
	if (r != 0)
		return r;
	if (mkdir(home->home, 0755) != 0) {
		r = ward_err_sys(err, errno, "%s", home->home);
		ward_home_remove_real_homes(home);
		return r;
	}
	r = chmod(home->home, 0755) != 0
	    ? ward_err_sys(err, errno, "%s", home->home)
	    : make_real_home(home, err);
	if (r != 0)
		(void)ward_home_remove(home, &ignored);
	return r;
}

int
ward_home_remove_empty(const struct ward_home *home, struct err *err)
{
	if (rmdir(home->home) != 0 && errno != ENOENT)
		return ward_err_sys(err, errno, "%s", home->home);
	return 0;
}

int
ward_home_remove(const struct ward_home *home, struct err *err)
{
	/* rm descends by descriptors and follows no link */
	const char *const argv[] = { "/usr/bin/rm", "--recursive", "--force",
		"--one-file-system", "--", home->real_home, NULL };

	int r = ward_run_check(argv, err);
	if (r == 0)
		r = ward_home_remove_empty(home, err);
	if (r == 0)
		ward_home_remove_real_homes(home);
	return r;
}
