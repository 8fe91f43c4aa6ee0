/* SPDX-License-Identifier: ISC */
/* wardctl account adopt and release. */
#include "config.h"

#include <errno.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/places.h"
#include "common/text.h"
#include "ctl/account_files.h"
#include "ctl/account_ready.h"
#include "ctl/adopt_check.h"
#include "ctl/adopt_steps.h"
#include "ctl/ctl.h"
#include "ctl/grants.h"
#include "ctl/home.h"

#define NAME_MAX_LENGTH 32
#define NAME_CHARACTERS                                                        \
	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-"

enum { OPTION_PROFILE, OPTION_KEY };

/* It becomes the name of files, and a word in assignments.conf. */
static int
check_name(const char *name, struct err *err)
{
	char visible[128];
	size_t n = strlen(name);

	if (n > 0 && n <= NAME_MAX_LENGTH &&
	    strspn(name, NAME_CHARACTERS) == n && strchr("-.", name[0]) == NULL)
		return 0;
	return ward_err_set(err, EINVAL,
	    "%s: the name of an agent account has at most %d of a-z, A-Z, 0-9, "
	    "_, . and -, and does not begin with . or -",
	    ward_text_visible(visible, sizeof(visible), name), NAME_MAX_LENGTH);
}

/*
 * What an earlier wardctl wrote about it.  *found: an adoption or release is
 * half done, or somebody took wardsh away from it by hand.
 */
static int
find_record(struct ward_adoption *a, bool *found, struct err *err)
{
	const struct ward_home home = ward_account_home(&a->account);
	struct err why = { 0 };
	bool is_in = false;

	*found = false;
	int r = ward_record_read(a->account.name, &a->record, &why);
	if (r == -ENOENT)
		return 0;
	if (r != 0)
		return ward_err_set(err, -r, "%s", why.text);
	/* else it is of an account of that name which is no more */
	if (a->record.uid == a->account.uid)
		*found = a->record.state != WARD_RECORD_ADOPTED ||
		    a->account.governed ||
		    (ward_home_is_in(&home, &is_in, &why) == 0 && is_in);
	if (*found && strcmp(a->record.home, a->account.home) != 0)
		return ward_err_set(err, EINVAL,
		    "the home of %s was %s, and passwd says %s now: put it "
		    "back (usermod --home %s)",
		    a->account.name, a->record.home, a->account.home,
		    a->record.home);
	if (!*found)
		ward_record_clear(&a->record);
	return 0;
}

/* --- adopt --- */

/* Groups that it is in, and the one that it will be in. */
static int
check_ready(const struct ward_adoption *a, const char *profile, struct err *err)
{
	const struct group *agents = getgrnam(WARD_GROUP);
	gid_t groups[WARD_ACCOUNT_GROUPS + 1];
	size_t n = WARD_ACCOUNT_GROUPS;

	int r = ward_account_groups(&a->account, groups, &n, err);
	if (r == 0 && agents != NULL)
		groups[n++] = agents->gr_gid;
	return r == 0
	    ? ward_ready_check(a->account.name, groups, n, profile, err)
	    : r;
}

/* All that can be said before anything is changed. */
static int
check(const struct ward_adoption *a, bool resumed, const char *profile,
    struct err *err)
{
	const struct ward_home home = ward_account_home(&a->account);
	bool is_in = false;

	int r = ward_adopt_check_groups(&a->account, err);
	if (r == 0 && resumed)
		r = ward_home_is_in(&home, &is_in, err);
	if (r == 0 && !is_in)
		r = ward_adopt_check_home(&a->account, err);
	if (r == 0 && !resumed && ward_account_has_keys(a->account.name))
		r = ward_err_set(err, EEXIST,
		    WARD_AUTHORIZED_KEYS
		    "/%s is there already: move it away; to use it, give it "
		    "with --key",
		    a->account.name);
	if (r == 0)
		r = ward_adopt_check_linger(&a->account, err);
	if (r == 0)
		r = ward_adoption_check_quiet(a, err);
	return r == 0 ? check_ready(a, profile, err) : r;
}

static int
keep_profile(struct ward_record *record, const char *profile, struct err *err)
{
	if (profile == NULL)
		return 0;
	free(record->profile);
	record->profile = strdup(profile);
	return record->profile == NULL ? ward_err_sys(err, ENOMEM, "a record")
				       : 0;
}

static int
prepare(struct ward_adoption *a, const char *profile, struct err *err)
{
	bool resumed;

	int r = find_record(a, &resumed, err);
	if (r != 0)
		return r;
	if (a->account.governed &&
	    (!resumed || a->record.state == WARD_RECORD_ADOPTED))
		return ward_err_set(err, EEXIST,
		    a->account.locked
			? "%s is an agent account already, and locked: "
			  "'wardctl account unlock %s' tries its sessions and "
			  "lets it in"
			: "%s is an agent account already: see 'wardctl "
			  "account list'",
		    a->account.name, a->account.name);
	if (!resumed)
		r = ward_adoption_record(a, err);
	if (r == 0)
		r = keep_profile(&a->record, profile, err);
	if (r == 0 && a->keys != NULL)
		a->record.keys_given = true;
	if (r == 0)
		r = check(a, resumed,
		    a->record.profile[0] == '\0' ? NULL : a->record.profile,
		    err);
	return r;
}

static bool
opens(const struct ward_profile *profile, const char *service)
{
	for (size_t i = 0; i < profile->n_services; i++)
		if (strcmp(profile->services[i], service) == 0)
			return true;
	return false;
}

static void
say_jobs(const struct ward_adoption *a)
{
	struct ward_policy_found found = { 0 };

	if (ward_account_find_policy(&a->account, &found, NULL) != 0)
		return;
	if (ward_account_has_crontab(a->account.name))
		ward_ctl_say("its crontab stays: its jobs %s",
		    opens(found.profile, "cron")
			? "run inside"
			: "are refused, since its profile does not open cron");
	size_t n = ward_account_at_jobs(a->account.uid);
	if (n > 0)
		ward_ctl_say("%zu of its at jobs stay: they %s", n,
		    opens(found.profile, "atd")
			? "run inside"
			: "are refused, since its profile does not open atd");
	ward_policy_found_clear(&found);
}

static void
say_adopted(const struct ward_adoption *a)
{
	ward_ctl_say("adopted %s, locked: uid %u, files in %s", a->account.name,
	    (unsigned)a->account.uid, a->account.real_home);
	if (a->record.had_password)
		ward_ctl_say("its password is locked");
	if (a->record.subuids[0] != '\0' || a->record.subgids[0] != '\0')
		ward_ctl_say("its subordinate ids are taken away");
	say_jobs(a);
}

static int
let_in(const struct ward_adoption *a, struct err *err)
{
	const char *name = a->account.name;

	if (ward_record_is_expired(&a->record)) {
		ward_ctl_say("%s stays locked: it had expired before; 'wardctl "
			     "account unlock %s' lets it in",
		    name, name);
		return 0;
	}
	int r = ward_ready_let_in(&a->account, a->record.expires, err);
	if (r == 0)
		ward_ctl_say("unlocked %s", name);
	else
		(void)ward_ctl_fail(
		    "%s; %s stays locked: see the log, then 'wardctl account "
		    "unlock %s' or 'wardctl account release %s'",
		    err->text, name, name, name);
	return r;
}

int
ward_ctl_account_adopt(const struct ward_ctl_args *args)
{
	struct ward_adoption a = { 0 };
	struct err err = { 0 };
	const char *name = args->operands[0], *key = args->values[OPTION_KEY];

	int r = check_name(name, &err);
	if (r == 0)
		r = ward_adopt_check_user(name, &err);
	if (r == 0 && key != NULL)
		r = ward_account_keys_read(key, &a.keys, &err);
	if (r == 0)
		r = ward_account_read(name, &a.account, &err);
	if (r == 0)
		r = prepare(&a, args->values[OPTION_PROFILE], &err);
	if (r == 0)
		r = ward_adoption_take(&a, &err);
	if (r != 0) {
		ward_adoption_clear(&a);
		return ward_ctl_fail_err(&err);
	}
	say_adopted(&a);
	r = let_in(&a, &err);
	ward_adoption_clear(&a);
	return r == 0 ? ward_ctl_flush() : WARD_EXIT_FAILED;
}

/* --- release --- */

/* For one that account add made: it becomes what useradd would make. */
static int
invent(struct ward_adoption *a, struct err *err)
{
	struct ward_policy_found found = { 0 };
	const char *shell = "/bin/sh";

	int r = ward_adoption_record(a, err);
	if (r != 0)
		return r;
	if (ward_account_find_policy(&a->account, &found, NULL) == 0 &&
	    access(found.profile->shell, X_OK) == 0)
		shell = found.profile->shell;
	free(a->record.shell);
	a->record.shell = strdup(shell);
	ward_policy_found_clear(&found);
	free(a->record.expires);
	a->record.expires = strdup(WARD_NEVER_EXPIRES);
	free(a->record.assigned);
	a->record.assigned = strdup("");
	if (a->record.shell == NULL || a->record.expires == NULL ||
	    a->record.assigned == NULL)
		return ward_err_sys(err, ENOMEM, "a record");
	a->record.made = true;
	a->record.had_password = false;
	a->record.was_agent = false;
	a->record.was_masked = false;
	a->record.state = WARD_RECORD_ADOPTED;
	return 0;
}

/*
 * Nothing of it lives.  What was open before goes on being so where that is not
 * the case.
 */
static int
close_account(const struct ward_adoption *a, struct err *err)
{
	char days[WARD_RECORD_DAYS];
	bool was_open = a->account.governed && !a->account.locked;

	int r = ward_account_check_ended(&a->account, err);
	if (r == 0)
		r = ward_record_expiry(a->account.name, days, err);
	if (r == 0)
		r = ward_account_lock(a->account.name, err);
	if (r != 0)
		return r;
	/* one that came in meanwhile */
	r = ward_account_check_ended(&a->account, err);
	if (r != 0 && was_open)
		(void)ward_account_set_expiry(a->account.name, days, NULL);
	return r;
}

static int
prepare_release(struct ward_adoption *a, struct err *err)
{
	const struct ward_home home = ward_account_home(&a->account);
	char *assigned = NULL;
	bool found;

	int r = find_record(a, &found, err);
	if (r != 0)
		return r;
	if (!found && !a->account.governed)
		return ward_err_set(err, EPERM,
		    "%s is not an agent account: its shell is not " WARD_SHELL,
		    a->account.name);
	if (!found)
		r = invent(a, err);
	if (r == 0)
		r = ward_home_check_out(&home, err);
	if (r == 0)
		r = ward_adopt_check_mounts(a->account.real_home, err);
	/* that file is to be edited */
	if (r == 0)
		r = ward_account_assigned(a->account.name, &assigned, err);
	free(assigned);
	return r == 0 ? close_account(a, err) : r;
}

static void
say_released(const struct ward_adoption *a)
{
	ward_ctl_say("released %s: an ordinary account, with the shell %s and "
		     "its files in %s",
	    a->account.name,
	    a->record.shell[0] == '\0' ? "/bin/sh" : a->record.shell,
	    a->account.home);
	if (a->record.had_password)
		ward_ctl_say("its password is valid again");
	if (ward_record_is_expired(&a->record))
		ward_ctl_say("it has expired, as it had before");
	if (ward_account_has_crontab(a->account.name) ||
	    ward_account_at_jobs(a->account.uid) > 0)
		ward_ctl_say("its cron and at jobs run on the host from now "
			     "on");
}

int
ward_ctl_account_release(const struct ward_ctl_args *args)
{
	struct ward_adoption a = { 0 };
	struct err err = { 0 };

	int r = check_name(args->operands[0], &err);
	if (r == 0)
		r = ward_account_read(args->operands[0], &a.account, &err);
	if (r == 0)
		r = prepare_release(&a, &err);
	if (r == 0)
		r = ward_grants_end(a.account.name, &err);
	if (r != 0) {
		ward_adoption_clear(&a);
		return ward_ctl_fail_err(&err);
	}
	r = ward_adoption_take_back(&a, &err);
	if (r == 0)
		say_released(&a);
	else
		(void)ward_ctl_fail("%s; %s stays locked: mend that, then "
				    "'wardctl account release %s'",
		    err.text, a.account.name, a.account.name);
	ward_adoption_clear(&a);
	return r == 0 ? ward_ctl_flush() : WARD_EXIT_FAILED;
}
