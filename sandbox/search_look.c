/* SPDX-License-Identifier: ISC */
/* A search's look into one directory after the other. */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/clock.h"
#include "common/path.h"
#include "sandbox/search_look.h"

/* Of one place.  A repository of an ordinary size needs a hundredth. */
#define ENTRIES_MAX     16384 /* of directories, read */
#define DIRECTORIES_MAX 1024  /* looked into */
#define FOUND_MAX       512   /* each is a mount in the view */

int
ward_search_push(struct ward_search_run *s, const struct ward_search_todo *one)
{
	/* to git's own there are several ways */
	for (size_t i = 0; one->role == WARD_SEARCH_GIT && i < s->n_todo; i++)
		if (s->todo[i].role == WARD_SEARCH_GIT &&
		    strcmp(s->todo[i].path, one->path) == 0)
			return 0;
	struct ward_search_todo *more =
	    reallocarray(s->todo, s->n_todo + 1, sizeof(*more));
	if (more == NULL)
		return -ENOMEM;
	s->todo = more;
	more[s->n_todo] = *one;
	more[s->n_todo].path = strdup(one->path);
	if (more[s->n_todo].path == NULL)
		return -ENOMEM;
	s->n_todo++;
	return 0;
}

int
ward_search_push_below(struct ward_search_run *s,
    const struct ward_search_look *l, const char *name,
    enum ward_search_role role, unsigned level)
{
	_cleanup_free_ char *path = ward_path_join(l->todo->path, name);

	return path == NULL
	    ? -ENOMEM
	    : ward_search_push(s,
		  &(struct ward_search_todo){ path, role, level, NULL, NULL });
}

int
ward_search_add(struct ward_search_run *s, const char *path,
    const struct ward_rule *rule, bool is_directory, bool is_link)
{
	const struct ward_protected one = {
		/* copied there */
		.path = (char *)(uintptr_t)path,
		.rule = rule,
		.is_directory = is_directory,
		.is_link = is_link,
	};

	if (rule == NULL)
		return 0;
	if (s->found->n >= FOUND_MAX) {
		s->found->whole = false;
		return 0;
	}
	return ward_protected_add(s->found, &one);
}

/* --- what is in a directory --- */

int
ward_search_look_at(
    const struct ward_search_look *l, const char *name, struct stat *st)
{
	return fstatat(
		   l->dfd, name, st, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT) == 0
	    ? 0
	    : -errno;
}

int
ward_search_meet(
    struct ward_search_look *l, const char *entry, struct stat *st, char **path)
{
	int r = ward_search_look_at(l, entry, st);

	l->closed = l->closed || r == -EACCES;
	if (r != 0)
		return 0;
	*path = ward_path_join(l->todo->path, entry);
	return *path == NULL ? -ENOMEM : 1;
}

int
ward_search_open_below(
    const struct ward_search_run *s, const char *path, uint64_t flags)
{
	const char *relative = path + strlen(s->root);
	struct open_how how = {
		.flags = flags | O_CLOEXEC | O_NOFOLLOW,
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS |
		    RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV,
	};

	relative += strspn(relative, "/");
	if (relative[0] == '\0')
		relative = ".";
	long fd =
	    syscall(SYS_openat2, s->root_dfd, relative, &how, sizeof(how));
	return fd < 0 ? -errno : (int)fd;
}

int
ward_search_excuse(struct ward_search_run *s, int r)
{
	switch (-r) {
	case ENOENT:
	case ENOTDIR:
	case ELOOP:
	case EXDEV:
	case EACCES:
		return 0;
	case EAGAIN: /* others rename too much: openat2(2) */
	case EIO:
	case ESTALE:
	case ENAMETOOLONG:
		s->found->whole = false;
		return 0;
	default:
		return r;
	}
}

bool
ward_search_is_spent(const struct ward_search_run *s)
{
	return s->n_entries >= ENTRIES_MAX ||
	    s->n_directories >= DIRECTORIES_MAX || ward_now_ms() > s->until_ms;
}

/* 0, or -ENOMEM; a directory that cannot be listed any more ends early. */
static int
read_names(struct ward_search_run *s, struct ward_search_look *l, DIR *dir)
{
	const struct dirent *d;
	size_t room = 0;

	while ((d = readdir(dir)) != NULL) {
		if (s->n_entries >= ENTRIES_MAX) {
			s->found->whole = false;
			return 0;
		}
		s->n_entries++;
		if (l->n_entries == room) {
			room = room == 0 ? 64 : room * 2;
			struct ward_search_entry *more =
			    reallocarray(l->entries, room, sizeof(*more));
			if (more == NULL)
				return -ENOMEM;
			l->entries = more;
		}
		l->entries[l->n_entries] = (struct ward_search_entry){
			.name = strdup(d->d_name),
			.type = d->d_type,
		};
		if (l->entries[l->n_entries].name == NULL)
			return -ENOMEM;
		l->n_entries++;
	}
	return 0;
}

int
ward_search_list(struct ward_search_run *s, struct ward_search_look *l)
{
	int fd = openat(l->dfd, ".",
	    O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK | O_NOATIME);

	/* who is not the owner may not say O_NOATIME */
	if (fd < 0 && errno == EPERM)
		fd = openat(l->dfd, ".",
		    O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0) {
		l->closed = l->closed || errno == EACCES;
		return ward_search_excuse(s, -errno);
	}
	DIR *dir = fdopendir(fd);
	if (dir == NULL) {
		(void)close(fd);
		return -ENOMEM;
	}
	int r = read_names(s, l, dir);
	(void)closedir(dir);
	return r;
}
