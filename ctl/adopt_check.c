/* SPDX-License-Identifier: ISC */
/* Whether an account that is there can become an agent account. */
#include "config.h"

#include <errno.h>
#include <grp.h>
#include <mntent.h>
#include <pwd.h>
#include <shadow.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/path.h"
#include "ctl/account_files.h"
#include "ctl/adopt_check.h"
#include "ctl/edit.h"
#include "ctl/groups.h"
#include "ctl/home.h"
#include "profiles/plan.h"
#include "sandbox/mounts.h"

#define PASSWD     "/etc/passwd"
#define LOGIN_DEFS "/etc/login.defs"
#define FSTAB      "/etc/fstab"
#define NOBODY     65534

/* --- the user --- */

static uid_t
read_uid_min(void)
{
	size_t size;
	char *read = NULL;

	(void)ward_edit_read(LOGIN_DEFS, &read, &size, NULL);
	_cleanup_free_ char *text = read;
	return ward_adopt_uid_min(text == NULL ? "" : text);
}

/* Lines of /etc/passwd, not what a directory service adds. */
struct local {
	size_t n_name; /* with the name */
	uid_t uid;     /* of the last of them */
	size_t n_uid;  /* with the same uid, under whatever name */
	char twin[64];
};

static int
look_for_uid(FILE *passwd, const char *name, struct local *local)
{
	const struct passwd *pw;

	while ((errno = 0, pw = fgetpwent(passwd)) != NULL)
		if (strcmp(pw->pw_name, name) == 0) {
			local->n_name++;
			local->uid = pw->pw_uid;
		}
	if (errno != 0 && errno != ENOENT)
		return -errno;
	rewind(passwd);
	while ((pw = fgetpwent(passwd)) != NULL)
		if (pw->pw_uid == local->uid) {
			local->n_uid++;
			if (strcmp(pw->pw_name, name) != 0)
				(void)snprintf(local->twin, sizeof(local->twin),
				    "%s", pw->pw_name);
		}
	return 0;
}

static int
read_local(const char *name, struct local *local, struct err *err)
{
	FILE *passwd = fopen(PASSWD, "re");

	*local = (struct local){ 0 };
	if (passwd == NULL)
		return ward_err_sys(err, errno, PASSWD);
	int r = look_for_uid(passwd, name, local);
	(void)fclose(passwd);
	return r == 0 ? 0 : ward_err_sys(err, -r, PASSWD);
}

/* What NSS says, in front of the file or behind it. */
static int
check_twin(const char *name, const struct local *local, struct err *err)
{
	char twin[64] = "";
	const struct passwd *pw;

	if (local->n_name > 1 || local->n_uid > 1)
		return ward_err_set(err, EEXIST,
		    "the uid %u of %s is in another line of " PASSWD
		    ", too%s%s: give one of them another (usermod --uid)",
		    (unsigned)local->uid, name,
		    local->twin[0] == '\0' ? "" : ": that of ", local->twin);
	if (ward_account_find_twin(name, local->uid, twin, sizeof(twin)))
		return ward_err_set(err, EEXIST,
		    "the uid %u of %s is that of %s, too: give one of them "
		    "another (usermod --uid)",
		    (unsigned)local->uid, name, twin);
	pw = getpwnam(name);
	if (pw == NULL || pw->pw_uid != local->uid)
		return ward_err_set(err, EINVAL,
		    "getent passwd %s says something else than " PASSWD
		    ": see /etc/nsswitch.conf",
		    name);
	return 0;
}

/* The expiry, and the password, are locked there. */
static int
check_shadow(const char *name, struct err *err)
{
	const struct spwd *sp = getspnam(name);

	if (sp == NULL)
		return ward_err_set(err, ENOENT,
		    "%s has no line in /etc/shadow: 'pwconv' makes one", name);
	if (sp->sp_pwdp[0] == '\0')
		return ward_err_set(err, EPERM,
		    "%s has an empty password: lock it (usermod --lock %s)",
		    name, name);
	return 0;
}

int
ward_adopt_check_user(const char *name, struct err *err)
{
	struct local local;
	uid_t least = read_uid_min();

	int r = read_local(name, &local, err);
	if (r != 0)
		return r;
	if (local.n_name == 0)
		return ward_err_set(err, ENOENT,
		    getpwnam(name) == NULL
			? "there is no account %s: 'wardctl account add' "
			  "makes one"
			: "%s is not in " PASSWD ": a directory service has "
			  "it, whose accounts cannot be changed here; make "
			  "another with 'wardctl account add'",
		    name);
	if (local.uid == 0)
		return ward_err_set(
		    err, EPERM, "%s has uid 0: root is never confined", name);
	if (local.uid < least || local.uid == NOBODY)
		return ward_err_set(err, EPERM,
		    "%s is an account of the system's (its uid, %u, is below "
		    "UID_MIN of " LOGIN_DEFS " or that of nobody): programs "
		    "count on it; make another with 'wardctl account add'",
		    name, (unsigned)local.uid);
	r = check_twin(name, &local, err);
	return r == 0 ? check_shadow(name, err) : r;
}

/* --- groups --- */

int
ward_adopt_check_groups(const struct ward_account *account, struct err *err)
{
	gid_t groups[WARD_ACCOUNT_GROUPS];
	size_t n = WARD_ACCOUNT_GROUPS;

	int r = ward_account_groups(account, groups, &n, err);
	for (size_t i = 0; r == 0 && i < n; i++) {
		const struct group *group = getgrgid(groups[i]);
		const char *name = group == NULL ? "" : group->gr_name;
		enum ward_group_power power = ward_group_power(name, groups[i]);
		if (power == WARD_GROUP_ORDINARY)
			continue;
		r = ward_err_set(err, EPERM,
		    "%s is in the group %s, which %s: take it out (%s)",
		    account->name, name,
		    power == WARD_GROUP_ROOT ? "amounts to root"
					     : "reads more than it need",
		    groups[i] == account->gid
			? "usermod --gid, since it is its primary one"
			: "gpasswd -d");
	}
	return r;
}

/* --- the home --- */

/* Also by another name of the same directory. */
static bool
is_same(const char *path, const char *home)
{
	struct stat one, other;

	return strcmp(path, home) == 0 ||
	    (stat(path, &one) == 0 && stat(home, &other) == 0 &&
		one.st_dev == other.st_dev && one.st_ino == other.st_ino);
}

/* What another account's home has to do with this one. */
static int
check_other(const struct ward_account *account, const struct passwd *pw,
    struct err *err)
{
	_cleanup_free_ char *real = realpath(pw->pw_dir, NULL);
	const char *other = real == NULL ? pw->pw_dir : real;

	/* daemons' */
	if (strcmp(other, "/") == 0 || other[0] != '/')
		return 0;
	if (is_same(other, account->home))
		return ward_err_set(err, EEXIST,
		    "%s is the home of %s, too: give one of them another "
		    "(usermod --home)",
		    account->home, pw->pw_name);
	if (ward_path_is_below(account->home, other))
		return ward_err_set(err, EPERM,
		    "%s is in %s, the home of %s: give it another (usermod "
		    "--home --move-home)",
		    account->home, other, pw->pw_name);
	if (ward_path_is_below(other, account->home))
		return ward_err_set(err, EPERM,
		    "%s, the home of %s, is in %s: give that one another "
		    "(usermod --home --move-home)",
		    other, pw->pw_name, account->home);
	return 0;
}

static int
check_others(const struct ward_account *account, struct err *err)
{
	const struct passwd *pw;
	int r = 0;

	setpwent();
	while (r == 0 && (pw = getpwent()) != NULL)
		if (strcmp(pw->pw_name, account->name) != 0)
			r = check_other(account, pw, err);
	endpwent();
	return r;
}

static bool
is_in(const char *what, const char *directory)
{
	return what[0] == '/' && ward_path_is_below(what, directory);
}

/* What is mounted there at boot, and what of it is elsewhere. */
static int
check_fstab(const char *path, struct err *err)
{
	const struct mntent *entry;
	int r = 0;
	FILE *fstab = setmntent(FSTAB, "re");

	if (fstab == NULL)
		return errno == ENOENT ? 0 : ward_err_sys(err, errno, FSTAB);
	while (r == 0 && (entry = getmntent(fstab)) != NULL) {
		const char *in = is_in(entry->mnt_dir, path) ? entry->mnt_dir
		    : is_in(entry->mnt_fsname, path)         ? entry->mnt_fsname
							     : NULL;
		if (in != NULL)
			r = ward_err_set(err, EBUSY,
			    FSTAB " names %s, which would not be there any "
				  "more: keep it elsewhere",
			    in);
	}
	(void)endmntent(fstab);
	return r;
}

int
ward_adopt_check_mounts(const char *path, struct err *err)
{
	struct ward_mounts mounts;

	int r = ward_mounts_read(&mounts, err);
	if (r != 0)
		return r;
	for (size_t i = 0; r == 0 && i < mounts.n; i++)
		if (ward_path_is_below(mounts.list[i].path, path))
			r = ward_err_set(err, EBUSY,
			    "%s is a mount: what is mounted cannot be moved; "
			    "unmount it, or mount it elsewhere",
			    mounts.list[i].path);
	ward_mounts_clear(&mounts);
	return r == 0 ? check_fstab(path, err) : r;
}

/* A directory of its path is called as that of the real homes is. */
static bool
is_in_real_homes(const char *path)
{
	static const char name[] = "/" WARD_REAL_HOMES;

	for (const char *s = path; (s = strstr(s, name)) != NULL; s++)
		if (s[strlen(name)] == '/' || s[strlen(name)] == '\0')
			return true;
	return false;
}

int
ward_adopt_check_home(const struct ward_account *account, struct err *err)
{
	const struct ward_home home = ward_account_home(account);
	struct stat st;

	if (strcmp(account->home, "/") == 0 || account->home[0] != '/' ||
	    is_in_real_homes(account->home))
		return ward_err_set(err, EINVAL,
		    "passwd says that its home is '%s': give it another "
		    "(usermod --home)",
		    account->home);
	/* a home that is a link is told as one */
	_cleanup_free_ char *canonical = realpath(account->home, NULL);
	if (canonical != NULL && strcmp(canonical, account->home) != 0 &&
	    (lstat(account->home, &st) != 0 || !S_ISLNK(st.st_mode)))
		return ward_err_set(err, ELOOP,
		    "passwd says that its home is %s, which is %s: write it "
		    "so (usermod --home %s)",
		    account->home, canonical, canonical);
	int r = check_others(account, err);
	if (r == 0)
		r = ward_home_check_movable(&home, err);
	return r == 0 ? ward_adopt_check_mounts(account->home, err) : r;
}

/* --- the manager --- */

int
ward_adopt_check_linger(const struct ward_account *account, struct err *err)
{
	if (!ward_account_lingers(account->name))
		return 0;
	return ward_err_set(err, EBUSY,
	    "%s lingers: systemd runs what it has in the background, at boot "
	    "too; 'loginctl disable-linger %s' first",
	    account->name, account->name);
}
