/* SPDX-License-Identifier: ISC */
/* Homes of accounts that were there before Ward: moved in, and out again. */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/path.h"
#include "common/text.h"
#include "ctl/edit.h"
#include "ctl/home.h"

/* path is a directory of this user's, or (false) not there. */
static int
find_directory(const char *path, uid_t uid, bool *found, struct err *err)
{
	struct stat st;

	*found = lstat(path, &st) == 0;
	if (!*found)
		return errno == ENOENT ? 0
				       : ward_err_sys(err, errno, "%s", path);
	if (S_ISDIR(st.st_mode) && st.st_uid == uid)
		return 0;
	return ward_err_set(err, EPERM,
	    "%s is %s, and should be a directory of uid %u: see what it is, "
	    "and move it away or chown it",
	    path,
	    S_ISLNK(st.st_mode)       ? "a link"
		: S_ISDIR(st.st_mode) ? "another user's"
				      : "no directory",
	    (unsigned)uid);
}

static int
sync_both(const struct ward_home *home, struct err *err)
{
	_cleanup_free_ char *directory = strdup(home->real_home);

	if (directory == NULL)
		return ward_err_sys(err, ENOMEM, "%s", home->home);
	ward_path_to_parent(directory);
	int r = access(directory, F_OK) == 0
	    ? ward_edit_sync_directory(directory, err)
	    : 0;
	ward_path_to_parent(directory);
	return r == 0 ? ward_edit_sync_directory(directory, err) : r;
}

static int
move(const char *from, const char *to, struct err *err)
{
	if (rename(from, to) == 0)
		return 0;
	return ward_err_sys(
	    err, errno, "%s cannot be moved to %s by a rename", from, to);
}

int
ward_home_is_in(const struct ward_home *home, bool *is_in, struct err *err)
{
	return find_directory(home->real_home, home->uid, is_in, err);
}

int
ward_home_check_movable(const struct ward_home *home, struct err *err)
{
	bool found;
	int r = ward_home_check_parents(home->home, err);

	if (r == 0)
		r = find_directory(home->home, home->uid, &found, err);
	if (r == 0 && !found)
		r = ward_err_set(err, ENOENT,
		    "there is no %s: make it, or give the account another "
		    "home (usermod --home)",
		    home->home);
	if (r == 0)
		r = ward_home_is_in(home, &found, err);
	if (r == 0 && found)
		r = ward_err_set(err, EEXIST,
		    "%s is there already: move or remove it first",
		    home->real_home);
	return r == 0 ? ward_home_check_real_homes(home, err) : r;
}

bool
ward_home_find_entry(const char *path, char *out, size_t size)
{
	const struct dirent *entry;
	bool found = false;
	DIR *directory = opendir(path);

	if (directory == NULL)
		return false;
	while (!found && (entry = readdir(directory)) != NULL)
		if (strcmp(entry->d_name, ".") != 0 &&
		    strcmp(entry->d_name, "..") != 0) {
			(void)snprintf(out, size, "%s", entry->d_name);
			found = true;
		}
	(void)closedir(directory);
	return found;
}

int
ward_home_check_out(const struct ward_home *home, struct err *err)
{
	bool is_in, found;
	char name[256], visible[512];
	int r = ward_home_is_in(home, &is_in, err);

	if (r == 0)
		r = find_directory(
		    home->home, is_in ? 0 : home->uid, &found, err);
	if (r != 0 || !is_in ||
	    !ward_home_find_entry(home->home, name, sizeof(name)))
		return r;
	return ward_err_set(err, ENOTEMPTY,
	    "%s/%s is in the way: move it into %s", home->home,
	    ward_text_visible(visible, sizeof(visible), name), home->real_home);
}

int
ward_home_move_in(const struct ward_home *home, struct err *err)
{
	bool is_in, found;
	int r = ward_home_is_in(home, &is_in, err);

	if (r == 0 && !is_in) {
		r = ward_home_check_movable(home, err);
		if (r == 0)
			r = ward_home_make_real_homes(home, err);
		if (r == 0)
			r = move(home->home, home->real_home, err);
	}
	if (r == 0)
		r = find_directory(home->home, 0, &found, err);
	if (r == 0)
		r = ward_edit_make_directory(home->home, 0755, err);
	return r == 0 ? sync_both(home, err) : r;
}

int
ward_home_move_out(const struct ward_home *home, struct err *err)
{
	bool is_in, found;
	int r = ward_home_is_in(home, &is_in, err);

	if (r != 0)
		return r;
	/* root's directory, or none; what is renamed over one replaces it */
	r = find_directory(home->home, is_in ? 0 : home->uid, &found, err);
	if (r == 0 && is_in)
		r = move(home->real_home, home->home, err);
	else if (r == 0 && !found)
		r = ward_err_set(err, ENOENT, "neither %s nor %s is there",
		    home->home, home->real_home);
	if (r == 0)
		ward_home_remove_real_homes(home);
	return r == 0 ? sync_both(home, err) : r;
}
