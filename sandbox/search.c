/* SPDX-License-Identifier: ISC */
/* Looks for protected names that exist. */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/cleanup.h"
#include "common/clock.h"
#include "common/fd.h"
#include "common/path.h"
#include "sandbox/search.h"
#include "sandbox/search_git.h"
#include "sandbox/search_look.h"

#define TIME_MAX_MS  500 /* a slow disk */
#define STORE_LEVELS 3   /* of modules/, where names may have slashes */

/* --- protected names --- */

/* A name, or its first part, is there as entry: in what case ever. */
static int
meet(struct ward_search_run *s, struct ward_search_look *l, const char *entry,
    const char *rest, const struct ward_rule *rule)
{
	struct stat st;
	_cleanup_free_ char *path = NULL;
	int r = ward_search_meet(l, entry, &st, &path);

	if (r <= 0)
		return r;
	if (rest[0] == '\0')
		return ward_search_add(
		    s, path, rule, S_ISDIR(st.st_mode), S_ISLNK(st.st_mode));
	if (S_ISDIR(st.st_mode))
		return ward_search_push(s,
		    &(struct ward_search_todo){
			path, WARD_SEARCH_REST, 0, rule, rest });
	if (!S_ISLNK(st.st_mode))
		return 0;
	_cleanup_free_ char *whole = ward_path_join(path, rest);
	return whole == NULL ? -ENOMEM
			     : ward_search_add(s, whole, rule, false, true);
}

/*
 * As it is written first: the file system may know more of letter case than
 * this program, and the listing may not be whole.
 */
static int
seek(struct ward_search_run *s, struct ward_search_look *l, const char *name,
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
part_of(const struct ward_search_todo *todo, const char *name)
{
	static const char prefix[] = WARD_PROTECT_GIT "/";
	bool is_gits = strncmp(name, prefix, strlen(prefix)) == 0;

	if (todo->role == WARD_SEARCH_ROOT)
		return is_gits || strcmp(name, WARD_PROTECT_GIT) == 0 ? NULL
								      : name;
	if (todo->role == WARD_SEARCH_GIT)
		return is_gits ? name + strlen(prefix) : NULL;
	return NULL;
}

static int
seek_all(struct ward_search_run *s, struct ward_search_look *l)
{
	int r = 0;

	if (l->todo->role == WARD_SEARCH_REST)
		return seek(s, l, l->todo->rest, l->todo->rule);
	for (size_t i = 0; r == 0 && i < s->n_names; i++) {
		const char *name = part_of(l->todo, s->names[i]->path);
		if (name != NULL)
			r = seek(s, l, name, s->names[i]);
	}
	return r;
}

/* --- what is below --- */

/* The path is one of a mount: what is in it is not looked at from here. */
static bool
is_mount(const struct ward_search_run *s, const struct ward_search_look *l,
    const char *name)
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
add_closed(struct ward_search_run *s, const char *path, const struct stat *st,
    const struct ward_rule *rule)
{
	/* somebody else's is opened by somebody else */
	return st->st_uid == s->account->uid
	    ? ward_search_add(s, path, rule, true, false)
	    : 0;
}

/* A directory in a tree: a repository, or with one in it? */
static int
weigh(struct ward_search_run *s, const struct ward_search_look *l,
    const char *name)
{
	unsigned level = l->todo->level + 1;
	struct stat st, git;

	if (ward_search_look_at(l, name, &st) != 0 || !S_ISDIR(st.st_mode) ||
	    is_mount(s, l, name))
		return 0;
	_cleanup_free_ char *inside = ward_path_join(name, WARD_PROTECT_GIT);
	if (inside == NULL)
		return -ENOMEM;
	int r = ward_search_look_at(l, inside, &git);
	if (r == 0)
		return ward_search_push_below(
		    s, l, name, WARD_SEARCH_ROOT, level);
	if (r == -EACCES) {
		_cleanup_free_ char *path = ward_path_join(l->todo->path, name);
		return path == NULL ? -ENOMEM
				    : add_closed(s, path, &st, s->any_git);
	}
	if (ward_search_is_bare(l, name))
		return ward_search_push_below(s, l, name, WARD_SEARCH_GIT, 0);
	/* of two links, one is its own .: nothing in it is a directory */
	return level < WARD_SEARCH_LEVELS && st.st_nlink != 2
	    ? ward_search_push_below(s, l, name, WARD_SEARCH_TREE, level)
	    : 0;
}

static int
weigh_stored(struct ward_search_run *s, const struct ward_search_look *l,
    const char *name)
{
	struct stat st;
	_cleanup_free_ char *head = ward_path_join(name, "HEAD");

	if (head == NULL)
		return -ENOMEM;
	if (ward_search_look_at(l, name, &st) != 0 || !S_ISDIR(st.st_mode))
		return 0;
	if (ward_search_look_at(l, head, &st) == 0)
		return ward_search_push_below(s, l, name, WARD_SEARCH_GIT, 0);
	return l->todo->level + 1 < STORE_LEVELS
	    ? ward_search_push_below(
		  s, l, name, WARD_SEARCH_STORE, l->todo->level + 1)
	    : 0;
}

static bool
is_dots(const char *name)
{
	return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

static int
go_down(struct ward_search_run *s, const struct ward_search_look *l)
{
	const size_t n = strlen(WARD_PROTECT_GIT);
	bool store = l->todo->role == WARD_SEARCH_STORE;
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
look_into(struct ward_search_run *s, struct ward_search_look *l)
{
	enum ward_search_role role = l->todo->role;
	int r = ward_search_list(s, l);

	if (r == 0 &&
	    (role == WARD_SEARCH_ROOT || role == WARD_SEARCH_GIT ||
		role == WARD_SEARCH_REST))
		r = seek_all(s, l);
	if (r == 0 && role == WARD_SEARCH_ROOT)
		r = ward_search_for_git(s, l);
	if (r == 0 && role == WARD_SEARCH_ROOT && l->todo->level == 0 &&
	    ward_search_is_bare(l, "."))
		r = ward_search_push(s,
		    &(struct ward_search_todo){
			l->todo->path, WARD_SEARCH_GIT, 0, NULL, NULL });
	if (r == 0 && role == WARD_SEARCH_GIT)
		r = ward_search_in_git(s, l);
	if (role == WARD_SEARCH_ROOT && strcmp(l->todo->path, s->root) == 0)
		s->n_own = s->n_todo;
	if (r == 0 &&
	    (role == WARD_SEARCH_ROOT || role == WARD_SEARCH_TREE ||
		role == WARD_SEARCH_STORE))
		r = go_down(s, l);
	if (r == 0 && l->closed)
		r = add_closed(s, l->todo->path, &l->st,
		    role == WARD_SEARCH_REST ? l->todo->rule : s->any_git);
	return r;
}

static int
do_one(struct ward_search_run *s, const struct ward_search_todo *todo)
{
	struct ward_search_look l = { .todo = todo };
	_cleanup_fd_ int dfd =
	    ward_search_open_below(s, todo->path, O_PATH | O_DIRECTORY);

	if (dfd < 0)
		return ward_search_excuse(s, dfd);
	if (fstat(dfd, &l.st) != 0)
		return ward_search_excuse(s, -errno);
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
search_root(struct ward_search_run *s, const char *root, unsigned level)
{
	struct err ignored = { 0 };
	_cleanup_fd_ int dfd = ward_walk_open(s->account, root, &ignored);
	int r;

	if (dfd < 0)
		return ward_search_excuse(s, dfd);
	s->root = root;
	s->root_dfd = dfd;
	size_t first = s->n_todo;
	s->n_own = level == 0 ? first + 1 : 0;
	r = ward_search_push(s,
	    &(struct ward_search_todo){
		(char *)(uintptr_t)root, WARD_SEARCH_ROOT, level, NULL, NULL });
	if (r == 0)
		r = ward_walk_as(s->account);
	for (size_t i = first; r == 0 && i < s->n_todo; i++) {
		/* whatever lies beside it, the root's own repository is seen */
		if (i >= s->n_own && ward_search_is_spent(s)) {
			s->found->whole = false;
			break;
		}
		/* the list may move meanwhile */
		const struct ward_search_todo todo = s->todo[i];
		r = do_one(s, &todo);
	}
	int back = ward_walk_as(NULL);
	return r != 0 ? r : back;
}

/* The place, and each disk of this machine that is mounted in it. */
static int
search_place(struct ward_search_run *s)
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
	struct ward_search_run s = {
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
