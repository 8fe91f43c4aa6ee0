/* SPDX-License-Identifier: ISC */
/* Walks paths of the host as the view will show them. */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/path.h"
#include "sandbox/search.h"
#include "sandbox/walk.h"

#define LINKS_MAX 40 /* as the kernel, path_resolution(7) */
/*
 * Each .. begins again at the root, and links are the account's to make: what
 * the kernel walks in a moment would take minutes here.
 */
#define STEPS_MAX 20000
/* A directory may be the account's: it must not decide how much is read. */
#define NAMES_MAX 65536

struct walk {
	const struct ward_walk_account *account;
	int dfd;             /* the directory that was reached */
	char at[PATH_MAX];   /* its canonical path */
	char rest[PATH_MAX]; /* what is still to be walked */
	bool as_account;
	bool untrusted_dir; /* others than root can change dfd */
	unsigned links, steps;
	struct ward_place *place;
};

int
ward_walk_as(const struct ward_walk_account *whom)
{
	uid_t uid = whom != NULL ? whom->uid : geteuid();
	gid_t gid = whom != NULL ? whom->gid : getegid();

	/* the calls tell the previous id only: ask again to be sure */
	(void)setfsgid(gid);
	(void)setfsuid(uid);
	return setfsuid(uid) == (int)uid && setfsgid(gid) == (int)gid ? 0
								      : -EPERM;
}

static int
open_as(struct walk *w, const char *name)
{
	int r = w->as_account ? ward_walk_as(w->account) : 0;
	if (r != 0)
		return r;
	int fd = openat(w->dfd, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	int error = errno;
	if (w->as_account && ward_walk_as(NULL) != 0) {
		if (fd >= 0)
			(void)close(fd);
		return -EPERM;
	}
	return fd < 0 ? -error : fd;
}

/* Makes fd, whose attributes are st, the directory that was reached. */
static void
enter_take(struct walk *w, int fd, const struct stat *st)
{
	if (w->dfd >= 0)
		(void)close(w->dfd);
	w->dfd = fd;
	w->untrusted_dir = st->st_uid != 0 || (st->st_mode & 022) != 0;
	w->as_account = w->as_account || w->untrusted_dir;
}

/* The same by a path of root's. */
static int
enter_path(struct walk *w, const char *path)
{
	struct stat st;
	int fd = open(path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) != 0) {
		int error = errno;
		(void)close(fd);
		return -error;
	}
	enter_take(w, fd, &st);
	return 0;
}

static int
go_to_root(struct walk *w)
{
	w->at[0] = '/';
	w->at[1] = '\0';
	w->as_account = false;
	return enter_path(w, "/");
}

/* The real home stands where the passwd says that the home is. */
static int
enter_home(struct walk *w)
{
	return w->account->real_home == NULL
	    ? 0
	    : enter_path(w, w->account->real_home);
}

/* Puts text before what is still to be walked. */
static int
prepend(struct walk *w, const char *text)
{
	char joined[PATH_MAX];
	int n = snprintf(joined, sizeof(joined), "%s%s%s", text,
	    w->rest[0] == '\0' ? "" : "/", w->rest);

	if (n < 0 || (size_t)n >= sizeof(joined))
		return -ENAMETOOLONG;
	memcpy(w->rest, joined, (size_t)n + 1);
	return 0;
}

static int
go_up(struct walk *w)
{
	char again[PATH_MAX];

	/* the home's real parent is not the one that the view shows */
	(void)snprintf(again, sizeof(again), "%s", w->at);
	ward_path_to_parent(again);
	int r = prepend(w, again + 1);
	return r != 0 ? r : go_to_root(w);
}

/* Cuts the next component off the rest; false at the end. */
static bool
next(struct walk *w, char *name)
{
	char *start = w->rest + strspn(w->rest, "/");
	size_t n = strcspn(start, "/");

	if (n == 0) {
		w->rest[0] = '\0';
		return false;
	}
	/* one that is too long is the kernel's to refuse */
	memcpy(name, start, n);
	name[n] = '\0';
	memmove(w->rest, start + n, strlen(start + n) + 1);
	return true;
}

static int
add_link(struct ward_place *place, const char *directory, const char *name,
    const char *text)
{
	struct ward_link *more =
	    reallocarray(place->links, place->n_links + 1, sizeof(*more));

	if (more == NULL)
		return -ENOMEM;
	place->links = more;
	more[place->n_links] = (struct ward_link){
		.at = ward_path_join(directory, name),
		.text = strdup(text),
	};
	if (more[place->n_links].at == NULL ||
	    more[place->n_links].text == NULL) {
		free(more[place->n_links].at);
		free(more[place->n_links].text);
		return -ENOMEM;
	}
	place->n_links++;
	return 0;
}

/* Follows a link; 1 where it is one too many. */
static int
follow(struct walk *w, int link_fd, const struct stat *st, const char *name)
{
	char text[PATH_MAX];
	ssize_t n = readlinkat(link_fd, "", text, sizeof(text) - 1);

	if (n < 0)
		return -errno;
	text[n] = '\0';
	if (++w->links > LINKS_MAX)
		return 1;
	if (w->untrusted_dir || st->st_uid != 0)
		w->place->untrusted_link = true;
	int r = add_link(w->place, w->at, name, text);
	if (r == 0)
		r = prepend(w, text);
	if (r == 0 && text[0] == '/')
		r = go_to_root(w);
	return r;
}

/* Behind what is missing, the kernel does not go up either. */
static void
cut_before_parent(char *rest)
{
	for (char *at = strstr(rest, "/.."); at != NULL;
	     at = strstr(at + 1, "/.."))
		if (at[3] == '/' || at[3] == '\0') {
			*at = '\0';
			return;
		}
}

/* The answer: what was reached, and the path to it. */
static int
answer(struct walk *w, enum ward_found found, const char *name)
{
	char *path;

	w->place->found = found;
	if (name == NULL)
		path = strdup(w->at);
	else
		path = ward_path_join(w->at, name);
	cut_before_parent(w->rest);
	if (path != NULL && found == WARD_FOUND_ABSENT && w->rest[0] != '\0') {
		char *whole =
		    ward_path_join(path, w->rest + strspn(w->rest, "/"));
		free(path);
		path = whole;
	}
	if (path == NULL)
		return -ENOMEM;
	ward_path_fold(path);
	w->place->path = path;
	return 1;
}

/* One component: 0 to go on, 1 with the answer given, or -errno. */
static int
step(struct walk *w, const char *name, int *fd_out)
{
	struct stat st;

	if (++w->steps > STEPS_MAX)
		return -ELOOP;
	if (strcmp(name, ".") == 0)
		return 0;
	if (strcmp(name, "..") == 0)
		return go_up(w);
	int fd = open_as(w, name);
	if (fd == -ENOENT || fd == -ENOTDIR || fd == -ENAMETOOLONG)
		return answer(w, WARD_FOUND_ABSENT, name);
	if (fd == -EACCES)
		return answer(w, WARD_FOUND_UNREACHABLE, NULL);
	if (fd < 0)
		return fd;
	if (fstat(fd, &st) != 0) {
		int error = errno;
		(void)close(fd);
		return -error;
	}
	if (S_ISLNK(st.st_mode)) {
		int r = follow(w, fd, &st, name);
		(void)close(fd);
		return r == 1 ? answer(w, WARD_FOUND_LOOP, name) : r;
	}
	if (!S_ISDIR(st.st_mode)) {
		if (strspn(w->rest, "/") != strlen(w->rest)) {
			(void)close(fd);
			return answer(w, WARD_FOUND_ABSENT, name);
		}
		*fd_out = fd;
		return answer(w,
		    S_ISREG(st.st_mode) ? WARD_FOUND_FILE : WARD_FOUND_SPECIAL,
		    name);
	}
	size_t n = strlen(w->at);
	size_t room = sizeof(w->at) - n;
	int added = snprintf(w->at + n, room, "%s%s", n == 1 ? "" : "/", name);
	if (added < 0 || (size_t)added >= room) {
		(void)close(fd);
		return -ENAMETOOLONG;
	}
	enter_take(w, fd, &st);
	return strcmp(w->at, w->account->home) == 0 ? enter_home(w) : 0;
}

/*
 * Walks path; *fd_out is what was found, -1 where nothing was.  The place is
 * cleared on failure.
 */
static int
walk(const struct ward_walk_account *account, const char *path,
    struct ward_place *place, int *fd_out, struct err *err)
{
	struct walk w = { .account = account, .dfd = -1, .place = place };
	char name[PATH_MAX];
	int r = 0;

	*place = (struct ward_place){ 0 };
	*fd_out = -1;
	if (path[0] != '/' || strlen(path) >= sizeof(w.rest))
		return ward_err_set(err, EINVAL, "%s: no usable path", path);
	(void)snprintf(w.rest, sizeof(w.rest), "%s", path);
	r = go_to_root(&w);
	while (r == 0 && next(&w, name))
		r = step(&w, name, fd_out);
	if (r == 0) {
		*fd_out = w.dfd;
		w.dfd = -1;
		r = answer(&w, WARD_FOUND_DIRECTORY, NULL);
	}
	if (w.dfd >= 0)
		(void)close(w.dfd);
	if (r > 0)
		return 0;
	if (*fd_out >= 0)
		(void)close(*fd_out);
	*fd_out = -1;
	ward_place_clear(place);
	return ward_err_sys(err, -r, "%s", path);
}

static int
resolve(
    void *context, const char *path, struct ward_place *place, struct err *err)
{
	int fd = -1;
	int r = walk(context, path, place, &fd, err);

	if (fd >= 0)
		(void)close(fd);
	return r;
}

static void
names_free(char **names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(names[i]);
	free(names);
}

static int
read_names(DIR *directory, char ***names, size_t *n_names)
{
	char **list = NULL;
	size_t n = 0;
	const struct dirent *d;

	errno = 0;
	while ((d = readdir(directory)) != NULL) {
		if (strcmp(d->d_name, ".") == 0 || strcmp(d->d_name, "..") == 0)
			continue;
		if (n == NAMES_MAX) {
			errno = E2BIG;
			break;
		}
		char **more = reallocarray(list, n + 1, sizeof(*more));
		if (more == NULL)
			break;
		list = more;
		list[n] = strdup(d->d_name);
		if (list[n] == NULL)
			break;
		n++;
		errno = 0;
	}
	if (errno != 0) {
		int error = errno;
		names_free(list, n);
		return -error;
	}
	*names = list;
	*n_names = n;
	return 0;
}

static int
list(void *context, const char *directory, char ***names, size_t *n_names,
    struct err *err)
{
	const struct ward_walk_account *account = context;
	struct ward_place place;
	struct stat st;
	int path_fd = -1;

	*names = NULL;
	*n_names = 0;
	int r = walk(account, directory, &place, &path_fd, err);
	if (r != 0)
		return r;
	enum ward_found found = place.found;
	ward_place_clear(&place);
	_cleanup_fd_ int fd = path_fd;
	if (found == WARD_FOUND_UNREACHABLE)
		return -EACCES;
	if (found != WARD_FOUND_DIRECTORY)
		return 0;
	if (fstat(fd, &st) != 0)
		return ward_err_sys(err, errno, "%s", directory);
	/* as the account where anyone but root can change it */
	bool account_opens = st.st_uid != 0 || (st.st_mode & 022) != 0;
	if (account_opens && ward_walk_as(account) != 0)
		return ward_err_sys(err, EPERM, "%s", directory);
	int open_fd = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int error = errno;
	if (account_opens && ward_walk_as(NULL) != 0)
		r = -EPERM;
	else if (open_fd < 0)
		r = -error;
	DIR *dir = r == 0 ? fdopendir(open_fd) : NULL;
	if (dir == NULL) {
		if (open_fd >= 0)
			(void)close(open_fd);
		return r == -EACCES
		    ? r
		    : ward_err_sys(err, r == 0 ? ENOMEM : -r, "%s", directory);
	}
	r = read_names(dir, names, n_names);
	(void)closedir(dir);
	return r == 0 ? 0 : ward_err_sys(err, -r, "%s", directory);
}

struct ward_resolver
ward_walk_resolver(const struct ward_walk_account *account)
{
	return (struct ward_resolver){
		.resolve = resolve,
		.list = list,
		.protect = ward_search,
		/* the functions above only read it */
		.context = (void *)(uintptr_t)account,
	};
}

int
ward_walk_open(
    const struct ward_walk_account *account, const char *path, struct err *err)
{
	struct ward_place place;
	int fd = -1;
	int r = walk(account, path, &place, &fd, err);

	if (r != 0)
		return r;
	bool linked = place.n_links > 0;
	ward_place_clear(&place);
	if (fd < 0)
		return ward_err_set(err, ENOENT, "%s: it is gone", path);
	if (linked) {
		(void)close(fd);
		return ward_err_set(err, ELOOP, "%s: it became a link", path);
	}
	return fd;
}

char *
ward_walk_real_home(const char *home, const char *name)
{
	char *path = NULL;
	_cleanup_free_ char *parent = strdup(home);

	if (parent == NULL)
		return NULL;
	ward_path_to_parent(parent);
	if (asprintf(&path, "%s/%s/%s", strcmp(parent, "/") == 0 ? "" : parent,
		WARD_REAL_HOMES, name) < 0)
		return NULL;
	return path;
}
