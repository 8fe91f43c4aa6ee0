/* SPDX-License-Identifier: ISC */
/* The governed accounts of the machine. */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <shadow.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/group.h"
#include "common/pids.h"
#include "common/places.h"
#include "common/text.h"
#include "ctl/accounts.h"
#include "ctl/processes.h"
#include "ctl/run.h"
#include "sandbox/walk.h"

#define POLICY_WAIT_MS 10000
#define DAY            ((time_t)24 * 60 * 60)
#define LOCKED         "1" /* 1970-01-02; not 0, which some read as never */

static bool
is_governed(const struct passwd *pw)
{
	return pw->pw_uid != 0 && strcmp(pw->pw_shell, WARD_SHELL) == 0;
}

/* As pam_unix judges it (passverify.c of Linux-PAM 1.5). */
static bool
is_expired(const char *name)
{
	const struct spwd *sp = getspnam(name);

	return sp != NULL && sp->sp_expire != -1 &&
	    time(NULL) / DAY >= sp->sp_expire;
}

static int
fill(struct ward_account *account, const struct passwd *pw, struct err *err)
{
	*account = (struct ward_account){
		.name = strdup(pw->pw_name),
		.uid = pw->pw_uid,
		.gid = pw->pw_gid,
		.home = strdup(pw->pw_dir),
		.real_home = ward_walk_real_home(pw->pw_dir, pw->pw_name),
		.governed = is_governed(pw),
	};
	if (account->name == NULL || account->home == NULL ||
	    account->real_home == NULL) {
		ward_account_clear(account);
		return ward_err_sys(err, ENOMEM, "accounts");
	}
	account->locked = is_expired(account->name);
	return 0;
}

int
ward_account_read(
    const char *name, struct ward_account *account, struct err *err)
{
	char visible[128];
	const struct passwd *pw = getpwnam(name);

	*account = (struct ward_account){ 0 };
	if (pw == NULL)
		return ward_err_set(err, ENOENT,
		    "there is no account %s: see 'wardctl account list'",
		    ward_text_visible(visible, sizeof(visible), name));
	return fill(account, pw, err);
}

bool
ward_account_find_twin(const char *name, uid_t uid, char *twin, size_t size)
{
	const struct passwd *pw;
	bool found = false;

	setpwent();
	while (!found && (pw = getpwent()) != NULL)
		if (pw->pw_uid == uid && strcmp(pw->pw_name, name) != 0) {
			(void)snprintf(twin, size, "%s", pw->pw_name);
			found = true;
		}
	endpwent();
	return found;
}

int
ward_account_find(
    const char *name, struct ward_account *account, struct err *err)
{
	char visible[128];

	int r = ward_account_read(name, account, err);
	if (r != 0 || account->governed)
		return r;
	ward_account_clear(account);
	return ward_err_set(err, EPERM,
	    "%s is not an agent account: its shell is not " WARD_SHELL,
	    ward_text_visible(visible, sizeof(visible), name));
}

void
ward_account_clear(struct ward_account *account)
{
	free(account->name);
	free(account->home);
	free(account->real_home);
	*account = (struct ward_account){ 0 };
}

static int
by_uid(const void *a, const void *b)
{
	const struct ward_account *one = a, *two = b;

	return one->uid < two->uid ? -1 : one->uid > two->uid;
}

int
ward_accounts_read(struct ward_accounts *accounts, struct err *err)
{
	const struct passwd *pw;
	int r = 0;

	*accounts = (struct ward_accounts){ 0 };
	setpwent();
	while (r == 0 && (pw = getpwent()) != NULL) {
		if (!is_governed(pw))
			continue;
		struct ward_account *more = reallocarray(
		    accounts->list, accounts->n + 1, sizeof(*more));
		if (more == NULL) {
			r = ward_err_sys(err, ENOMEM, "accounts");
			break;
		}
		accounts->list = more;
		r = fill(&more[accounts->n], pw, err);
		if (r == 0)
			accounts->n++;
	}
	endpwent();
	if (r != 0)
		ward_accounts_clear(accounts);
	else if (accounts->n > 0)
		qsort(accounts->list, accounts->n, sizeof(*accounts->list),
		    by_uid);
	return r;
}

void
ward_accounts_clear(struct ward_accounts *accounts)
{
	for (size_t i = 0; i < accounts->n; i++)
		ward_account_clear(&accounts->list[i]);
	free(accounts->list);
	*accounts = (struct ward_accounts){ 0 };
}

int
ward_accounts_check_none_open(struct err *err)
{
	struct ward_accounts accounts;

	int r = ward_accounts_read(&accounts, err);
	for (size_t i = 0; r == 0 && i < accounts.n; i++) {
		const struct ward_account *a = &accounts.list[i];
		if (!a->locked)
			r = ward_err_set(err, EBUSY,
			    "%s could log in, and would not be confined: "
			    "'wardctl account lock %s' or 'wardctl account "
			    "remove %s' first",
			    a->name, a->name, a->name);
		else if (ward_account_live(a->uid) > 0)
			r = ward_err_set(err, EBUSY,
			    "%s has a live sandbox: 'wardctl end %s' first",
			    a->name, a->name);
	}
	ward_accounts_clear(&accounts);
	return r;
}

struct member {
	const char *account;
	const gid_t *groups;
	size_t n;
};

static int
in_group(void *context, const char *name)
{
	const struct member *member = context;

	return ward_group_has(name, member->account, member->groups, member->n);
}

int
ward_account_policy(const char *name, const gid_t *groups, size_t n_groups,
    struct ward_policy_found *found, struct err *err)
{
	struct member member = {
		.account = name,
		.groups = groups,
		.n = n_groups,
	};
	struct ward_policy *policy;

	int r = ward_policy_open(
	    WARD_POLICY_DB, WARD_POLICY_READ, POLICY_WAIT_MS, &policy, err);
	if (r != 0)
		return r;
	r = ward_policy_find(policy, name, in_group, &member, found, err);
	ward_policy_close(policy);
	return r;
}

int
ward_account_groups(const struct ward_account *account, gid_t *groups,
    size_t *n, struct err *err)
{
	size_t room = *n;
	int r = ward_group_list(account->name, account->gid, groups, n);

	if (r == -E2BIG)
		return ward_err_set(err, E2BIG, "%s is in more than %zu groups",
		    account->name, room);
	return r == 0
	    ? 0
	    : ward_err_sys(err, -r, "the groups of %s", account->name);
}

int
ward_account_find_policy(const struct ward_account *account,
    struct ward_policy_found *found, struct err *err)
{
	gid_t groups[WARD_ACCOUNT_GROUPS];
	size_t n = WARD_ACCOUNT_GROUPS;

	int r = ward_account_groups(account, groups, &n, err);
	return r == 0
	    ? ward_account_policy(account->name, groups, n, found, err)
	    : r;
}

int
ward_account_set_expiry(const char *name, const char *days, struct err *err)
{
	const char *const argv[] = { "/usr/sbin/usermod", "--expiredate", days,
		name, NULL };

	return ward_run_check(argv, err);
}

int
ward_account_lock(const char *name, struct err *err)
{
	return ward_account_set_expiry(name, LOCKED, err);
}

/* A warden holds the lock of its sandbox's directory (sandbox/rundir.c). */
static bool
is_alive(int account_dfd, const char *id)
{
	char path[64];

	int n = snprintf(path, sizeof(path), "%s/alive", id);
	if (n < 0 || (size_t)n >= sizeof(path))
		return false;
	_cleanup_fd_ int fd =
	    openat(account_dfd, path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	return fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) != 0 &&
	    errno == EWOULDBLOCK;
}

size_t
ward_account_live(uid_t uid)
{
	char path[64];
	size_t n = 0;
	const struct dirent *entry;

	(void)snprintf(path, sizeof(path), WARD_RUN "/%u", (unsigned)uid);
	DIR *directory = opendir(path);
	if (directory == NULL)
		return 0;
	while ((entry = readdir(directory)) != NULL)
		/* two are other names of one of them */
		if (entry->d_name[0] != '.' &&
		    strcmp(entry->d_name, WARD_CURRENT) != 0 &&
		    strcmp(entry->d_name, "new") != 0 &&
		    is_alive(dirfd(directory), entry->d_name))
			n++;
	(void)closedir(directory);
	return n;
}

int
ward_account_check_ended(const struct ward_account *account, struct err *err)
{
	const struct ward_id_range own = { .first = account->uid, .n = 1 };

	if (ward_account_live(account->uid) > 0)
		return ward_err_set(err, EBUSY,
		    "%s has a live sandbox: 'wardctl end %s', then try again",
		    account->name, account->name);
	return ward_processes_check_none(account->name, &own, 1, err);
}

struct ward_home
ward_account_home(const struct ward_account *account)
{
	return (struct ward_home){
		.home = account->home,
		.real_home = account->real_home,
		.uid = account->uid,
		.gid = account->gid,
	};
}

int
ward_account_check_home(const struct ward_account *account, struct err *err)
{
	struct stat st;

	if (lstat(account->real_home, &st) != 0)
		return ward_err_sys(err, errno, "%s", account->real_home);
	if (!S_ISDIR(st.st_mode) || st.st_uid != account->uid)
		return ward_err_set(err, EPERM,
		    "%s is not the account's directory", account->real_home);
	if (lstat(account->home, &st) != 0)
		return ward_err_sys(err, errno, "%s", account->home);
	if (!S_ISDIR(st.st_mode) || st.st_uid != 0 || (st.st_mode & 022) != 0)
		return ward_err_set(err, EPERM,
		    "%s is not a directory of root's alone", account->home);
	return 0;
}
