/* SPDX-License-Identifier: ISC */
/* Git's own places, by what git's files say of them. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/fd.h"
#include "common/path.h"
#include "sandbox/search_git.h"

/* Where a path that somebody wrote leads; "" path where nowhere in the place.
 */
static int
resolve(struct ward_search_run *s, const char *directory, const char *text,
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
follow_file(struct ward_search_run *s, const char *directory, const char *path,
    const char *prefix)
{
	char text[PATH_MAX + 16];
	struct ward_place place = { 0 };
	struct stat st;
	_cleanup_fd_ int fd =
	    ward_search_open_below(s, path, O_RDONLY | O_NOCTTY | O_NONBLOCK);

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
		r = ward_search_push(s,
		    &(struct ward_search_todo){
			place.path, WARD_SEARCH_GIT, 0, NULL, NULL });
	ward_place_clear(&place);
	return r;
}

/* The .git of a directory is a link. */
static int
follow_link(struct ward_search_run *s, const struct ward_search_look *l,
    const char *path)
{
	struct ward_place place = { 0 };
	int r = ward_search_add(s, path, s->git_file, false, true);

	if (r == 0)
		r = resolve(s, "/", path, &place);
	if (r == 0 && place.path != NULL &&
	    ward_path_is_below(place.path, s->root)) {
		if (place.found == WARD_FOUND_DIRECTORY)
			r = ward_search_push(s,
			    &(struct ward_search_todo){
				place.path, WARD_SEARCH_GIT, 0, NULL, NULL });
		else if (place.found == WARD_FOUND_FILE)
			r = follow_file(
			    s, l->todo->path, place.path, "gitdir: ");
	}
	ward_place_clear(&place);
	return r;
}

static int
meet_git(
    struct ward_search_run *s, struct ward_search_look *l, const char *entry)
{
	struct stat st;
	_cleanup_free_ char *path = NULL;
	int r = ward_search_meet(l, entry, &st, &path);

	if (r <= 0)
		return r;
	if (S_ISDIR(st.st_mode))
		return ward_search_push(s,
		    &(struct ward_search_todo){
			path, WARD_SEARCH_GIT, 0, NULL, NULL });
	if (S_ISLNK(st.st_mode))
		return follow_link(s, l, path);
	r = ward_search_add(s, path, s->git_file, false, false);
	return r == 0 ? follow_file(s, l->todo->path, path, "gitdir: ") : r;
}

int
ward_search_for_git(struct ward_search_run *s, struct ward_search_look *l)
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

bool
ward_search_is_bare(const struct ward_search_look *l, const char *name)
{
	static const char *const has[] = { "HEAD", "objects" };
	struct stat st;

	for (size_t i = 0; i < 2; i++) {
		_cleanup_free_ char *path = ward_path_join(name, has[i]);
		if (path == NULL || ward_search_look_at(l, path, &st) != 0)
			return false;
	}
	return true;
}

int
ward_search_in_git(struct ward_search_run *s, const struct ward_search_look *l)
{
	static const char *const stores[] = { "modules", "worktrees" };
	_cleanup_free_ char *common =
	    ward_path_join(l->todo->path, "commondir");
	int r = common == NULL ? -ENOMEM
			       : follow_file(s, l->todo->path, common, "");

	for (size_t i = 0; r == 0 && i < 2; i++)
		r = ward_search_push_below(
		    s, l, stores[i], WARD_SEARCH_STORE, 0);
	return r;
}
