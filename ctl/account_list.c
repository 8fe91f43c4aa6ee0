/* SPDX-License-Identifier: ISC */
/* wardctl account list and remove. */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/places.h"
#include "ctl/account_files.h"
#include "ctl/accounts.h"
#include "ctl/apply.h"
#include "ctl/ctl.h"
#include "ctl/fence.h"
#include "ctl/grants.h"
#include "ctl/home.h"
#include "ctl/list.h"
#include "ctl/record.h"
#include "ctl/run.h"

#define AT_JOBS "/var/spool/cron/atjobs"

enum { OPTION_JSON };
enum { OPTION_KEEP_HOME };

static const struct ward_list_column columns[] = {
	{ "name", "NAME", false },
	{ "uid", "UID", false },
	{ "profile", "PROFILE", false },
	{ "revision", "REVISION", false },
	{ "locked", "LOCKED", false },
	{ "home", NULL, false },
	{ "real_home", "HOME", false },
	{ "home_ok", NULL, false },
	{ "live", "LIVE", false },
	{ "problem", "PROBLEM", false },
};

static void
add_row(struct ward_list *list, const struct ward_account *account)
{
	struct ward_policy_found policy = { 0 };
	struct err why = { 0 };

	(void)ward_record_check_settled(account->name, &why);
	bool has_policy = ward_account_find_policy(account, &policy, &why) == 0;
	bool home_ok = ward_account_check_home(account, &why) == 0;
	ward_list_text(list, account->name);
	ward_list_number(list, account->uid);
	if (has_policy) {
		ward_list_text(list, policy.profile->name);
		ward_list_number(list, policy.number);
	} else {
		ward_list_nothing(list);
		ward_list_nothing(list);
	}
	ward_list_flag(list, account->locked);
	ward_list_text(list, account->home);
	ward_list_text(list, account->real_home);
	ward_list_flag(list, home_ok);
	ward_list_number(list, (int64_t)ward_account_live(account->uid));
	ward_list_text(list, why.code == 0 ? NULL : why.text);
	ward_policy_found_clear(&policy);
}

/* One that is half done has a row, if it has none as an agent account. */
static void
add_pending(void *context, const char *name, const struct ward_record *record,
    const char *problem)
{
	struct ward_account account;

	if (ward_account_read(name, &account, NULL) == 0 && account.governed) {
		ward_account_clear(&account);
		return;
	}
	bool is_there = account.name != NULL;
	ward_list_text(context, name);
	if (record != NULL)
		ward_list_number(context, record->uid);
	else
		ward_list_nothing(context);
	ward_list_nothing(context);
	ward_list_nothing(context);
	if (is_there)
		ward_list_flag(context, account.locked);
	else
		ward_list_nothing(context);
	ward_list_text(context, account.home);
	ward_list_nothing(context);
	ward_list_nothing(context);
	ward_list_nothing(context);
	ward_list_text(context, problem);
	ward_account_clear(&account);
}

int
ward_ctl_account_list(const struct ward_ctl_args *args)
{
	struct ward_accounts accounts;
	struct err err = { 0 };

	if (ward_accounts_read(&accounts, &err) != 0)
		return ward_ctl_fail_err(&err);
	struct ward_list *list =
	    ward_list_new(columns, sizeof(columns) / sizeof(columns[0]));
	if (list == NULL) {
		ward_accounts_clear(&accounts);
		return ward_ctl_fail("no memory");
	}
	for (size_t i = 0; i < accounts.n; i++)
		add_row(list, &accounts.list[i]);
	ward_accounts_clear(&accounts);
	int r = ward_record_each_pending(add_pending, list, &err);
	int status =
	    ward_list_end(list, args->values[OPTION_JSON] != NULL, false);
	return r == 0 ? status : ward_ctl_fail_err(&err);
}

/* --- remove --- */

/* What other programs keep for it; theirs to remove. */
static void
say_left(const char *directory, const char *name)
{
	char path[512];

	int n = snprintf(path, sizeof(path), "%s/%s", directory, name);
	if (n > 0 && (size_t)n < sizeof(path) && access(path, F_OK) == 0)
		ward_ctl_say("left: %s", path);
}

static void
say_jobs_left(uid_t uid)
{
	struct stat st;
	const struct dirent *entry;
	DIR *directory = opendir(AT_JOBS);

	if (directory == NULL)
		return;
	while ((entry = readdir(directory)) != NULL)
		if (fstatat(dirfd(directory), entry->d_name, &st,
			AT_SYMLINK_NOFOLLOW) == 0 &&
		    S_ISREG(st.st_mode) && st.st_uid == uid)
			ward_ctl_say("left: " AT_JOBS "/%s", entry->d_name);
	(void)closedir(directory);
}

static int
remove_files(
    const struct ward_account *account, bool keep_home, struct err *err)
{
	const struct ward_home home = ward_account_home(account);

	int r = keep_home ? ward_home_remove_empty(&home, err)
			  : ward_home_remove(&home, err);
	if (r == 0)
		r = ward_account_keys_remove(account->name, err);
	if (r == 0)
		r = ward_account_unmask(account->uid, err);
	if (r == 0)
		r = ward_account_assign(account->name, NULL, err);
	return r == 0 ? ward_site_apply(err) : r;
}

/*
 * Locked first, so that nothing new comes while it goes; the user last, so that
 * a step that failed can be tried again.
 */
static int
remove_account(
    const struct ward_account *account, bool keep_home, struct err *err)
{
	const char *const userdel[] = { "/usr/sbin/userdel", account->name,
		NULL };

	int r = ward_record_check_settled(account->name, err);
	if (r == 0)
		r = ward_account_lock(account->name, err);
	if (r == 0)
		r = ward_account_check_ended(account, err);
	if (r == 0)
		r = remove_files(account, keep_home, err);
	if (r == 0)
		r = ward_record_remove(account->name, err);
	/* its name may be another's one day */
	if (r == 0)
		r = ward_grants_end(account->name, err);
	if (r == 0)
		r = ward_run_check(userdel, err);
	return r == 0 ? ward_fence_keep(err) : r;
}

int
ward_ctl_account_remove(const struct ward_ctl_args *args)
{
	bool keep_home = args->values[OPTION_KEEP_HOME] != NULL;
	struct ward_account account;
	struct err err = { 0 };

	int r = ward_account_find(args->operands[0], &account, &err);
	if (r == 0)
		r = remove_account(&account, keep_home, &err);
	if (r == 0) {
		ward_ctl_say("removed %s", account.name);
		if (keep_home)
			ward_ctl_say("left: %s", account.real_home);
		say_left("/var/spool/cron/crontabs", account.name);
		say_left("/var/mail", account.name);
		say_jobs_left(account.uid);
	}
	ward_account_clear(&account);
	return r == 0 ? ward_ctl_flush() : ward_ctl_fail_err(&err);
}
