/* SPDX-License-Identifier: ISC */
/* Looks for protected names that exist. */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/clock.h"
#include "common/fd.h"
#include "common/path.h"
#include "sandbox/search.h"
#include "sandbox/walk.h"

/* Of one place.  A repository of an ordinary size needs a hundredth. */
#define ENTRIES_MAX     16384 /* of directories, read */
#define DIRECTORIES_MAX 1024  /* looked into */
#define FOUND_MAX       512   /* each is a mount in the view */
#define TIME_MAX_MS     500   /* a slow disk */
#define STORE_LEVELS    3     /* of modules/, where names may have slashes */

/* Why a directory is looked into. */
enum role {
	TREE,  /* repositories may be in it */
	ROOT,  /* the same, and it is a place's root, or a repository's */
	GIT,   /* git's own: names below .git/ count in it */
	STORE, /* has such directories in it: modules/ and worktrees/ */
	REST,  /* the first part of one name: the rest counts in it */
};

struct todo {
	char *path; /* canonical */
	enum role role;
	unsigned level; /* below the place's root; of a STORE, below that */
	const struct ward_rule *rule;
	const char *rest; /* of the rule's name */
};

struct search {
	const struct ward_walk_account *account;
	const char *place;
	const struct ward_rule *const *names;
	size_t n_names;
	bool has_mounts; /* something is mounted below the place */
	const struct ward_rule *git_file; /* the one for ".git", or NULL */
	const struct ward_rule *any_git;  /* for what is closed altogether */

	const char *root; /* the place, or a mount in it */
	int root_dfd;
	struct todo *todo; /* all that there ever was to do */
	size_t n_todo;
	size_t n_entries, n_directories;
	size_t n_own; /* of what is to do: the root, and its own repository */
	int64_t until_ms;
	struct ward_protected_list *found;
};

struct entry {
	char *name;
	unsigned char type; /* as readdir(3) knows it */
};

/* A directory that is looked into. */
struct look {
	const struct todo *todo;
	int dfd; /* O_PATH */
	struct stat st;
	struct entry *entries; /* what it lists, . and .. and .git among it */
	size_t n_entries;
	bool closed; /* it could not be looked into */
};

static int
push(struct search *s, const struct todo *one)
{
	/* to git's own there are several ways */
	for (size_t i = 0; one->role == GIT && i < s->n_todo; i++)
		if (s->todo[i].role == GIT &&
		    strcmp(s->todo[i].path, one->path) == 0)
			return 0;
	struct todo *more = reallocarray(s->todo, s->n_todo + 1, sizeof(*more));
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

/* The same for a name in a directory. */
static int
push_below(struct search *s, const struct look *l, const char *name,
    enum role role, unsigned level)
{
	_cleanup_free_ char *path = ward_path_join(l->todo->path, name);

	return path == NULL
	    ? -ENOMEM
	    : push(s, &(struct todo){ path, role, level, NULL, NULL });
}

static int
add(struct search *s, const char *path, const struct ward_rule *rule,
    bool is_directory, bool is_link)
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

/*
 * Below the root, in its file system, without links: 0 with *st filled; the
 * error else.  The account's own rights count.
 */
static int
look_at(const struct look *l, const char *name, struct stat *st)
{
	return fstatat(
		   l->dfd, name, st, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT) == 0
	    ? 0
	    : -errno;
}

static int
open_below(const struct search *s, const char *path, uint64_t flags)
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

/*
 * What went, changed meanwhile or is not to be looked at is no fault; what the
 * disk does not give is left out, and said so; -errno else.
 */
static int
excuse(struct search *s, int r)
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

static bool
is_spent(const struct search *s)
{
	return s->n_entries >= ENTRIES_MAX ||
	    s->n_directories >= DIRECTORIES_MAX || ward_now_ms() > s->until_ms;
}

/* 0, or -ENOMEM; a directory that cannot be listed any more ends early. */
static int
read_names(struct search *s, struct look *l, DIR *dir)
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
			struct entry *more =
			    reallocarray(l->entries, room, sizeof(*more));
			if (more == NULL)
				return -ENOMEM;
			l->entries = more;
		}
		l->entries[l->n_entries] = (struct entry){
			.name = strdup(d->d_name),
			.type = d->d_type,
		};
		if (l->entries[l->n_entries].name == NULL)
			return -ENOMEM;
		l->n_entries++;
	}
	return 0;
}

static int
list(struct search *s, struct look *l)
{
	int fd = openat(l->dfd, ".",
	    O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK | O_NOATIME);

	/* who is not the owner may not say O_NOATIME */
	if (fd < 0 && errno == EPERM)
		fd = openat(l->dfd, ".",
		    O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0) {
		l->closed = l->closed || errno == EACCES;
		return excuse(s, -errno);
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

/* --- protected names --- */

/* A name, or its first part, is there as entry: in what case ever. */
static int
meet(struct search *s, struct look *l, const char *entry, const char *rest,
    const struct ward_rule *rule)
{
	struct stat st;
	int r = look_at(l, entry, &st);

	l->closed = l->closed || r == -EACCES;
	if (r != 0)
		return 0;
	_cleanup_free_ char *path = ward_path_join(l->todo->path, entry);
	if (path == NULL)
		return -ENOMEM;
	if (rest[0] == '\0')
		return add(
		    s, path, rule, S_ISDIR(st.st_mode), S_ISLNK(st.st_mode));
	if (S_ISDIR(st.st_mode))
		return push(s, &(struct todo){ path, REST, 0, rule, rest });
	if (!S_ISLNK(st.st_mode))
		return 0;
	_cleanup_free_ char *whole = ward_path_join(path, rest);
	return whole == NULL ? -ENOMEM : add(s, whole, rule, false, true);
}

/*
 * As it is written first: the file system may know more of letter case than
 * this program, and the listing may not be whole.
 */
static int
seek(struct search *s, struct look *l, const char *name,
    const struct ward_rule *rule)
{
	char first[WARD_PROTECT_NAME_MAX + 1];
	size_t n = strcspn(name, "/");
	const char *rest = name + n + (name[n] == '/');

	if (n >= sizeof(first))
		return 0;
	memcpy(first, name, n);
	first[n] = '\0';
	int r = meet(s, l, first, rest, rule);
	for (size_t i = 0; r == 0 && i < l->n_entries; i++)
		if (ward_protect_is_entry(name, n, l->entries[i].name) &&
		    strcmp(l->entries[i].name, first) != 0)
			r = meet(s, l, l->entries[i].name, rest, rule);
	return r;
}

/* What of a rule's name counts in a directory; NULL: nothing. */
static const char *
part_of(const struct todo *todo, const char *name)
{
	static const char prefix[] = WARD_PROTECT_GIT "/";
	bool is_gits = strncmp(name, prefix, strlen(prefix)) == 0;

	if (todo->role == ROOT)
		return is_gits || strcmp(name, WARD_PROTECT_GIT) == 0 ? NULL
								      : name;
	if (todo->role == GIT)
		return is_gits ? name + strlen(prefix) : NULL;
	return NULL;
}

static int
seek_all(struct search *s, struct look *l)
{
	int r = 0;

	if (l->todo->role == REST)
		return seek(s, l, l->todo->rest, l->todo->rule);
	for (size_t i = 0; r == 0 && i < s->n_names; i++) {
		const char *name = part_of(l->todo, s->names[i]->path);
		if (name != NULL)
			r = seek(s, l, name, s->names[i]);
	}
	return r;
}

/* --- git's own places --- */

/* Where a path that somebody wrote leads; "" path where nowhere in the place.
 */
static int
resolve(struct search *s, const char *directory, const char *text,
    struct ward_place *place)
{
	const struct ward_resolver resolver = ward_walk_resolver(s->account);
	struct err ignored = { 0 };
	_cleanup_free_ char *path =
	    text[0] == '/' ? strdup(text) : ward_path_join(directory, text);

	if (path == NULL)
		return -ENOMEM;
	/* too long, too many steps: it leads nowhere */
	if (resolver.resolve(resolver.context, path, place, &ignored) != 0)
		*place = (struct ward_place){ .found = WARD_FOUND_LOOP };
	/* the walk ended as the process itself */
	return ward_walk_as(s->account);
}

/* A file of git's that says where another directory of git's is. */
static int
follow_file(struct search *s, const char *directory, const char *path,
    const char *prefix)
{
	char text[PATH_MAX + 16];
	struct ward_place place = { 0 };
	struct stat st;
	_cleanup_fd_ int fd =
	    open_below(s, path, O_RDONLY | O_NOCTTY | O_NONBLOCK);

	if (fd < 0 || fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
		return 0;
	ssize_t n = read(fd, text, sizeof(text));
	_cleanup_free_ char *where =
	    n <= 0 ? NULL : ward_protect_gitfile(text, (size_t)n, prefix);
	if (where == NULL)
		return 0;
	int r = resolve(s, directory, where, &place);
	if (r == 0 && place.found == WARD_FOUND_DIRECTORY &&
	    ward_path_is_below(place.path, s->root))
		r = push(s, &(struct todo){ place.path, GIT, 0, NULL, NULL });
	ward_place_clear(&place);
	return r;
}

/* The .git of a directory is a link. */
static int
follow_link(struct search *s, const struct look *l, const char *path)
{
	struct ward_place place = { 0 };
	int r = add(s, path, s->git_file, false, true);

	if (r == 0)
		r = resolve(s, "/", path, &place);
	if (r == 0 && place.path != NULL &&
	    ward_path_is_below(place.path, s->root)) {
		if (place.found == WARD_FOUND_DIRECTORY)
			r = push(s,
			    &(struct todo){ place.path, GIT, 0, NULL, NULL });
		else if (place.found == WARD_FOUND_FILE)
			r = follow_file(
			    s, l->todo->path, place.path, "gitdir: ");
	}
	ward_place_clear(&place);
	return r;
}

static int
meet_git(struct search *s, struct look *l, const char *entry)
{
	struct stat st;
	int r = look_at(l, entry, &st);

	l->closed = l->closed || r == -EACCES;
	if (r != 0)
		return 0;
	_cleanup_free_ char *path = ward_path_join(l->todo->path, entry);
	if (path == NULL)
		return -ENOMEM;
	if (S_ISDIR(st.st_mode))
		return push(s, &(struct todo){ path, GIT, 0, NULL, NULL });
	if (S_ISLNK(st.st_mode))
		return follow_link(s, l, path);
	r = add(s, path, s->git_file, false, false);
	return r == 0 ? follow_file(s, l->todo->path, path, "gitdir: ") : r;
}

static int
look_for_git(struct search *s, struct look *l)
{
	static const char git[] = WARD_PROTECT_GIT;
	int r = meet_git(s, l, git);

	for (size_t i = 0; r == 0 && i < l->n_entries; i++)
		if (ward_protect_is_entry(
			git, strlen(git), l->entries[i].name) &&
		    strcmp(l->entries[i].name, git) != 0)
			r = meet_git(s, l, l->entries[i].name);
	return r;
}

/* HEAD and objects, as git knows one. */
static bool
is_bare(const struct look *l, const char *name)
{
	static const char *const has[] = { "HEAD", "objects" };
	struct stat st;

	for (size_t i = 0; i < 2; i++) {
		_cleanup_free_ char *path = ward_path_join(name, has[i]);
		if (path == NULL || look_at(l, path, &st) != 0)
			return false;
	}
	return true;
}

static int
go_on_in_git(struct search *s, const struct look *l)
{
	static const char *const stores[] = { "modules", "worktrees" };
	_cleanup_free_ char *common =
	    ward_path_join(l->todo->path, "commondir");
	int r = common == NULL ? -ENOMEM
			       : follow_file(s, l->todo->path, common, "");

	for (size_t i = 0; r == 0 && i < 2; i++)
		r = push_below(s, l, stores[i], STORE, 0);
	return r;
}

/* --- what is below --- */

/* The path is one of a mount: what is in it is not looked at from here. */
static bool
is_mount(const struct search *s, const struct look *l, const char *name)
{
	const struct ward_mounts *mounts = s->account->mounts;

	if (!s->has_mounts)
		return false;
	_cleanup_free_ char *path = ward_path_join(l->todo->path, name);
	for (size_t i = 0; path != NULL && i < mounts->n; i++)
		if (strcmp(mounts->list[i].path, path) == 0)
			return true;
	return path == NULL;
}

static int
add_closed(struct search *s, const char *path, const struct stat *st,
    const struct ward_rule *rule)
{
	/* somebody else's is opened by somebody else */
	return st->st_uid == s->account->uid ? add(s, path, rule, true, false)
					     : 0;
}

/* A directory in a tree: a repository, or with one in it? */
static int
weigh(struct search *s, const struct look *l, const char *name)
{
	unsigned level = l->todo->level + 1;
	struct stat st, git;

	if (look_at(l, name, &st) != 0 || !S_ISDIR(st.st_mode) ||
	    is_mount(s, l, name))
		return 0;
	_cleanup_free_ char *inside = ward_path_join(name, WARD_PROTECT_GIT);
	if (inside == NULL)
		return -ENOMEM;
	int r = look_at(l, inside, &git);
	if (r == 0)
		return push_below(s, l, name, ROOT, level);
	if (r == -EACCES) {
		_cleanup_free_ char *path = ward_path_join(l->todo->path, name);
		return path == NULL ? -ENOMEM
				    : add_closed(s, path, &st, s->any_git);
	}
	if (is_bare(l, name))
		return push_below(s, l, name, GIT, 0);
	/* of two links, one is its own .: nothing in it is a directory */
	return level < WARD_SEARCH_LEVELS && st.st_nlink != 2
	    ? push_below(s, l, name, TREE, level)
	    : 0;
}

static int
weigh_stored(struct search *s, const struct look *l, const char *name)
{
	struct stat st;
	_cleanup_free_ char *head = ward_path_join(name, "HEAD");

	if (head == NULL)
		return -ENOMEM;
	if (look_at(l, name, &st) != 0 || !S_ISDIR(st.st_mode))
		return 0;
	if (look_at(l, head, &st) == 0)
		return push_below(s, l, name, GIT, 0);
	return l->todo->level + 1 < STORE_LEVELS
	    ? push_below(s, l, name, STORE, l->todo->level + 1)
	    : 0;
}

static bool
is_dots(const char *name)
{
	return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

static int
go_down(struct search *s, const struct look *l)
{
	const size_t n = strlen(WARD_PROTECT_GIT);
	bool store = l->todo->role == STORE;
	int r = 0;

	if (!store && l->todo->level >= WARD_SEARCH_LEVELS)
		return 0;
	for (size_t i = 0; r == 0 && i < l->n_entries; i++) {
		const char *name = l->entries[i].name;

		/* nor is a link followed here */
		if ((l->entries[i].type != DT_DIR &&
			l->entries[i].type != DT_UNKNOWN) ||
		    is_dots(name) ||
		    ward_protect_is_entry(WARD_PROTECT_GIT, n, name))
			continue;
		r = store ? weigh_stored(s, l, name) : weigh(s, l, name);
	}
	return r;
}

/* --- one directory after the other --- */

static int
look_into(struct search *s, struct look *l)
{
	enum role role = l->todo->role;
	int r = list(s, l);

	if (r == 0 && (role == ROOT || role == GIT || role == REST))
		r = seek_all(s, l);
	if (r == 0 && role == ROOT)
		r = look_for_git(s, l);
	if (r == 0 && role == ROOT && l->todo->level == 0 && is_bare(l, "."))
		r = push(
		    s, &(struct todo){ l->todo->path, GIT, 0, NULL, NULL });
	if (r == 0 && role == GIT)
		r = go_on_in_git(s, l);
	if (role == ROOT && strcmp(l->todo->path, s->root) == 0)
		s->n_own = s->n_todo;
	if (r == 0 && (role == ROOT || role == TREE || role == STORE))
		r = go_down(s, l);
	if (r == 0 && l->closed)
		r = add_closed(s, l->todo->path, &l->st,
		    role == REST ? l->todo->rule : s->any_git);
	return r;
}

static int
do_one(struct search *s, const struct todo *todo)
{
	struct look l = { .todo = todo };
	_cleanup_fd_ int dfd = open_below(s, todo->path, O_PATH | O_DIRECTORY);

	if (dfd < 0)
		return excuse(s, dfd);
	if (fstat(dfd, &l.st) != 0)
		return excuse(s, -errno);
	s->n_directories++;
	l.dfd = dfd;
	int r = look_into(s, &l);
	for (size_t i = 0; i < l.n_entries; i++)
		free(l.entries[i].name);
	free(l.entries);
	return r;
}

/* A file system, from its root or the place's on, as the account. */
static int
search_root(struct search *s, const char *root, unsigned level)
{
	struct err ignored = { 0 };
	_cleanup_fd_ int dfd = ward_walk_open(s->account, root, &ignored);
	int r;

	if (dfd < 0)
		return excuse(s, dfd);
	s->root = root;
	s->root_dfd = dfd;
	size_t first = s->n_todo;
	s->n_own = level == 0 ? first + 1 : 0;
	r = push(s,
	    &(struct todo){ (char *)(uintptr_t)root, ROOT, level, NULL, NULL });
	if (r == 0)
		r = ward_walk_as(s->account);
	for (size_t i = first; r == 0 && i < s->n_todo; i++) {
		/* whatever lies beside it, the root's own repository is seen */
		if (i >= s->n_own && is_spent(s)) {
			s->found->whole = false;
			break;
		}
		/* the list may move meanwhile */
		const struct todo todo = s->todo[i];
		r = do_one(s, &todo);
	}
	int back = ward_walk_as(NULL);
	return r != 0 ? r : back;
}

/* The place, and each disk of this machine that is mounted in it. */
static int
search_place(struct search *s)
{
	const struct ward_mounts *mounts = s->account->mounts;
	const struct ward_mount *of = ward_mounts_find(mounts, s->place);
	size_t depth = ward_path_depth(s->place);
	int r = 0;

	for (size_t i = 0; i < mounts->n; i++)
		if (&mounts->list[i] != of &&
		    ward_path_is_below(mounts->list[i].path, s->place))
			s->has_mounts = true;
	if (of != NULL && ward_mount_is_local(of))
		r = search_root(s, s->place, 0);
	for (size_t i = 0; r == 0 && i < mounts->n; i++) {
		const struct ward_mount *mount = &mounts->list[i];
		size_t level = ward_path_depth(mount->path) - depth;

		if (ward_path_is_below(mount->path, s->place) &&
		    strcmp(mount->path, s->place) != 0 &&
		    level <= WARD_SEARCH_LEVELS && ward_mount_is_local(mount))
			r = search_root(s, mount->path, (unsigned)level);
	}
	return r;
}

int
ward_search(void *context, const char *place,
    const struct ward_rule *const *names, size_t n_names,
    struct ward_protected_list *found, struct err *err)
{
	struct search s = {
		.account = context,
		.place = place,
		.names = names,
		.n_names = n_names,
		.root_dfd = -1,
		.until_ms = ward_now_ms() + TIME_MAX_MS,
		.found = found,
	};
	int r = 0;

	for (size_t i = 0; i < n_names; i++) {
		if (strcmp(names[i]->path, WARD_PROTECT_GIT) == 0)
			s.git_file = names[i];
		if (s.any_git == NULL ||
		    strcmp(names[i]->path, WARD_PROTECT_GIT "/hooks") == 0)
			s.any_git = names[i];
	}
	if (s.account->mounts != NULL && n_names > 0)
		r = search_place(&s);
	for (size_t i = 0; i < s.n_todo; i++)
		free(s.todo[i].path);
	free(s.todo);
	return r == 0 ? 0 : ward_err_sys(err, -r, "%s", place);
}
