/* SPDX-License-Identifier: ISC */
/* Files of the system that wardctl edits. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/path.h"
#include "ctl/edit.h"

int
ward_edit_read(const char *path, char **text, size_t *size, struct err *err)
{
	struct stat st;
	/* a FIFO is no file to wait for */
	_cleanup_fd_ int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	*text = NULL;
	if (fd < 0 || fstat(fd, &st) != 0)
		return ward_err_sys(err, errno, "%s", path);
	if (!S_ISREG(st.st_mode))
		return ward_err_set(err, EINVAL, "%s: not a file", path);
	_cleanup_free_ char *buffer = malloc(WARD_EDIT_MAX + 1);
	if (buffer == NULL)
		return ward_err_sys(err, ENOMEM, "%s", path);
	size_t used = 0;
	while (used <= WARD_EDIT_MAX) {
		ssize_t n = read(fd, buffer + used, WARD_EDIT_MAX + 1 - used);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return ward_err_sys(err, errno, "%s", path);
		if (n == 0)
			break;
		used += (size_t)n;
	}
	if (used > WARD_EDIT_MAX)
		return ward_err_set(err, EFBIG, "%s: too large", path);
	buffer[used] = '\0';
	if (strlen(buffer) != used)
		return ward_err_set(err, EINVAL, "%s: holds a NUL", path);
	*text = ward_steal_pointer(&buffer);
	*size = used;
	return 0;
}

int
ward_edit_read_any(const char *path, char **text, struct err *err)
{
	size_t size;
	struct err why = { 0 };

	int r = ward_edit_read(path, text, &size, &why);
	if (r != 0 && r != -ENOENT)
		return ward_err_set(err, -r, "%s", why.text);
	if (r == -ENOENT)
		*text = strdup("");
	return *text == NULL ? ward_err_sys(err, ENOMEM, "%s", path) : 0;
}

static int
write_all(int fd, const char *text)
{
	size_t left = strlen(text);

	while (left > 0) {
		ssize_t n = write(fd, text, left);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		text += n;
		left -= (size_t)n;
	}
	return 0;
}

/* The new file has everything before it gets the name. */
static int
fill(int fd, const char *text, const struct stat *st)
{
	int r = write_all(fd, text);

	if (r == 0 && fchown(fd, st->st_uid, st->st_gid) != 0)
		r = -errno;
	if (r == 0 && fchmod(fd, st->st_mode & 07777) != 0)
		r = -errno;
	if (r == 0 && fsync(fd) != 0)
		r = -errno;
	return r;
}

int
ward_edit_sync_directory(const char *directory, struct err *err)
{
	_cleanup_fd_ int dfd =
	    open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return dfd < 0 || fsync(dfd) != 0
	    ? ward_err_sys(err, errno, "%s", directory)
	    : 0;
}

int
ward_edit_write(
    const char *path, const char *text, mode_t mode, struct err *err)
{
	struct stat st = { .st_mode = mode };
	char real[PATH_MAX];
	char *temporary = NULL;

	if (realpath(path, real) != NULL)
		path = real;
	else if (errno != ENOENT)
		return ward_err_sys(err, errno, "%s", path);
	if (stat(path, &st) != 0 && errno != ENOENT)
		return ward_err_sys(err, errno, "%s", path);
	_cleanup_free_ char *directory = strdup(path);
	if (directory == NULL)
		return ward_err_sys(err, ENOMEM, "%s", path);
	ward_path_to_parent(directory);
	/* nothing that reads such directories reads names with a dot first */
	if (asprintf(&temporary, "%s/.ward-%s.XXXXXX", directory,
		ward_path_base(path)) < 0)
		return ward_err_sys(err, ENOMEM, "%s", path);
	_cleanup_free_ char *name = temporary;
	_cleanup_fd_ int fd = mkostemp(name, O_CLOEXEC);
	if (fd < 0)
		return ward_err_sys(err, errno, "%s", name);
	int r = fill(fd, text, &st);
	if (r == 0 && rename(name, path) != 0)
		r = -errno;
	if (r != 0) {
		(void)unlink(name);
		return ward_err_sys(err, -r, "%s cannot be written", path);
	}
	return ward_edit_sync_directory(directory, err);
}

int
ward_edit_remove(const char *path, struct err *err)
{
	if (unlink(path) != 0 && errno != ENOENT)
		return ward_err_sys(err, errno, "%s", path);
	return 0;
}

int
ward_edit_make_directory(const char *path, mode_t mode, struct err *err)
{
	struct stat st;

	if (mkdir(path, mode) == 0) {
		/* whatever the umask is */
		if (chmod(path, mode) != 0)
			return ward_err_sys(err, errno, "%s", path);
		return 0;
	}
	if (errno != EEXIST)
		return ward_err_sys(err, errno, "%s", path);
	if (lstat(path, &st) != 0)
		return ward_err_sys(err, errno, "%s", path);
	if (!S_ISDIR(st.st_mode) || st.st_uid != 0 || (st.st_mode & 022) != 0)
		return ward_err_set(err, EPERM,
		    "%s is not a directory that only root can write: see what "
		    "it is, and remove it or chown root and chmod go-w it",
		    path);
	if ((st.st_mode & 07777) != mode && chmod(path, mode) != 0)
		return ward_err_sys(err, errno, "%s", path);
	return 0;
}
