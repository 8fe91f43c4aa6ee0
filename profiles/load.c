/* SPDX-License-Identifier: ISC */
/* Policy files from disk. */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/cleanup.h"
#include "common/path.h"
#include "profiles/extends.h"
#include "profiles/load.h"
#include "profiles/text.h"

/* Who can write a policy file decides what the policy is. */
static int
check_owner(
    const struct stat *st, const char *path, uid_t owner, struct err *err)
{
	if (st->st_uid != owner)
		return ward_err_set(err, EPERM,
		    "%s belongs to uid %u: chown it to uid %u", path,
		    (unsigned)st->st_uid, (unsigned)owner);
	if ((st->st_mode & (S_IWGRP | S_IWOTH)) != 0)
		return ward_err_set(err, EPERM,
		    "%s can be written by others than its owner: chmod go-w "
		    "it",
		    path);
	return 0;
}

static int
wrong_open(const char *path, int errnum, struct err *err)
{
	if (errnum == ELOOP)
		return ward_err_set(err, errnum,
		    "%s is a symbolic link: put the file itself there", path);
	return ward_err_sys(err, errnum, "%s", path);
}

/* To the end of the file, or one byte above the limit. */
static int
read_all(int fd, const char *path, char **text, size_t *size, struct err *err)
{
	char *buffer = malloc(WARD_TEXT_MAX + 2);
	size_t used = 0;

	if (buffer == NULL)
		return ward_err_sys(err, ENOMEM, "%s", path);
	for (;;) {
		ssize_t n = read(fd, buffer + used, WARD_TEXT_MAX + 1 - used);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			int errnum = errno;

			free(buffer);
			return ward_err_sys(err, errnum, "%s", path);
		}
		if (n == 0)
			break;
		used += (size_t)n;
		if (used > WARD_TEXT_MAX) {
			free(buffer);
			return ward_err_set(err, EFBIG,
			    "%s is larger than %zu bytes: no policy is", path,
			    WARD_TEXT_MAX);
		}
	}
	buffer[used] = '\0';
	*text = buffer;
	*size = used;
	return 0;
}

static int
read_at(int dirfd, const char *name, const char *path, uid_t owner, char **text,
    size_t *size, struct err *err)
{
	/* a FIFO is no file to wait for */
	_cleanup_fd_ int fd = openat(dirfd, name,
	    O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	struct stat st;
	int r;

	if (fd < 0)
		return wrong_open(path, errno, err);
	if (fstat(fd, &st) != 0)
		return ward_err_sys(err, errno, "%s", path);
	if (!S_ISREG(st.st_mode))
		return ward_err_set(err, EINVAL,
		    "%s is not a regular file: remove or rename it", path);
	r = check_owner(&st, path, owner, err);
	if (r != 0)
		return r;
	return read_all(fd, path, text, size, err);
}

int
ward_policy_read(
    const char *path, uid_t owner, char **text, size_t *size, struct err *err)
{
	return read_at(AT_FDCWD, path, path, owner, text, size, err);
}

static bool
is_profile_name(const char *name)
{
	size_t n = strlen(name);

	return name[0] != '.' && n > strlen(".conf") &&
	    strcmp(name + n - strlen(".conf"), ".conf") == 0;
}

static bool
has_name(const struct ward_loaded *loaded, const char *name)
{
	for (size_t i = 0; i < loaded->n; i++)
		if (strcmp(ward_path_base(loaded->sources[i].file), name) == 0)
			return true;
	return false;
}

static int
load_file(int dirfd, const char *directory, const char *name, uid_t owner,
    struct ward_loaded *out, struct err *err)
{
	_cleanup_free_ char *path = ward_path_join(directory, name);
	struct ward_profile_source *sources;
	size_t size;
	char *text;
	int r;

	if (path == NULL)
		return ward_err_sys(err, ENOMEM, "%s", directory);
	if (out->n == WARD_PROFILES_MAX)
		return ward_err_set(err, E2BIG, "%s: more than %d profiles",
		    directory, WARD_PROFILES_MAX);
	sources = reallocarray(out->sources, out->n + 1, sizeof(*sources));
	if (sources == NULL)
		return ward_err_sys(err, ENOMEM, "%s", path);
	out->sources = sources;
	r = read_at(dirfd, name, path, owner, &text, &size, err);
	if (r != 0)
		return r;
	sources[out->n++] = (struct ward_profile_source){
		.file = ward_steal_pointer(&path),
		.text = text,
		.size = size,
	};
	return 0;
}

static int
load_entries(DIR *directory, const char *path, uid_t owner,
    struct ward_loaded *out, struct err *err)
{
	for (;;) {
		const struct dirent *entry;
		int r;

		errno = 0;
		entry = readdir(directory);
		if (entry == NULL && errno != 0)
			return ward_err_sys(err, errno, "%s", path);
		if (entry == NULL)
			return 0;
		if (!is_profile_name(entry->d_name) ||
		    has_name(out, entry->d_name))
			continue;
		r = load_file(
		    dirfd(directory), path, entry->d_name, owner, out, err);
		if (r != 0)
			return r;
	}
}

static int
load_directory(const char *path, uid_t owner, bool may_be_absent,
    struct ward_loaded *out, struct err *err)
{
	_cleanup_fd_ int fd = open(
	    path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;
	DIR *directory;
	int r;

	if (fd < 0 && errno == ENOENT && may_be_absent)
		return 0;
	if (fd < 0)
		return wrong_open(path, errno, err);
	if (fstat(fd, &st) != 0)
		return ward_err_sys(err, errno, "%s", path);
	r = check_owner(&st, path, owner, err);
	if (r != 0)
		return r;
	directory = fdopendir(fd);
	if (directory == NULL)
		return ward_err_sys(err, errno, "%s", path);
	(void)ward_steal_fd(&fd);
	r = load_entries(directory, path, owner, out, err);
	(void)closedir(directory);
	return r;
}

static int
by_file_name(const void *a, const void *b)
{
	const struct ward_profile_source *one = a, *other = b;

	return strcmp(ward_path_base(one->file), ward_path_base(other->file));
}

int
ward_profiles_load(const char *shipped, const char *local, uid_t owner,
    struct ward_loaded *out, struct err *err)
{
	int r;

	*out = (struct ward_loaded){ 0 };
	/* local first: a shipped file of the same name is then not read */
	r = load_directory(local, owner, true, out, err);
	if (r == 0)
		r = load_directory(shipped, owner, false, out, err);
	if (r != 0) {
		ward_loaded_clear(out);
		return r;
	}
	if (out->n > 0)
		qsort(
		    out->sources, out->n, sizeof(*out->sources), by_file_name);
	return 0;
}

void
ward_loaded_clear(struct ward_loaded *loaded)
{
	for (size_t i = 0; i < loaded->n; i++) {
		/* the sources borrow for everyone else, and are owned here */
		free((void *)(uintptr_t)loaded->sources[i].file);
		free((void *)(uintptr_t)loaded->sources[i].text);
	}
	free(loaded->sources);
	*loaded = (struct ward_loaded){ 0 };
}
