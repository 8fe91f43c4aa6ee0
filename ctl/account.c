/* SPDX-License-Identifier: ISC */
/* wardctl account add, lock, unlock. */
#include "config.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/places.h"
#include "common/text.h"
#include "ctl/account_files.h"
#include "ctl/account_ready.h"
#include "ctl/accounts.h"
#include "ctl/apply.h"
#include "ctl/ctl.h"
#include "ctl/fence.h"
#include "ctl/grants.h"
#include "ctl/home.h"
#include "ctl/record.h"
#include "ctl/run.h"
#include "ctl/sandboxes.h"
#include "ctl/services.h"
#include "ctl/sshd.h"
#include "sandbox/walk.h"

#define NAME_MAX_LENGTH 31
#define HOMES           "/home"

enum { OPTION_PROFILE, OPTION_KEY };
enum { LOCK_END };

/* What is made so far, and so has to go when a later step fails. */
struct making {
	const char *name;
	const char *profile; /* NULL: what assignments say */
	char *keys;          /* text; NULL: none */
	char *home, *real_home;
	struct ward_account account;
	bool has_user, has_home, has_keys, has_mask, has_assignment;
};

static int
check_name(const char *name, struct err *err)
{
	char visible[128];
	size_t n = strlen(name);

	(void)ward_text_visible(visible, sizeof(visible), name);
	if (n == 0 || n > NAME_MAX_LENGTH ||
	    strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_-") != n ||
	    strchr("0123456789-", name[0]) != NULL)
		return ward_err_set(err, EINVAL,
		    "%s: a name has at most %d of a-z, 0-9, _ and -, and "
		    "begins with a letter or _",
		    visible, NAME_MAX_LENGTH);
	if (getpwnam(name) != NULL)
		return ward_err_set(err, EEXIST,
		    "the account %s exists: 'wardctl account adopt %s' makes "
		    "it an agent account",
		    name, name);
	if (getgrnam(name) != NULL)
		return ward_err_set(err, EEXIST,
		    "there is a group %s already: choose another name", name);
	return 0;
}

/* All that can be said before anything is made. */
static int
check(struct making *m, struct err *err)
{
	const struct group *group = getgrnam(WARD_GROUP);
	const gid_t groups[] = { group == NULL ? (gid_t)-1 : group->gr_gid };
	int r = check_name(m->name, err);

	if (r != 0)
		return r;
	if (asprintf(&m->home, HOMES "/%s", m->name) < 0) {
		m->home = NULL;
		return ward_err_sys(err, ENOMEM, "%s", m->name);
	}
	m->real_home = ward_walk_real_home(m->home, m->name);
	if (m->real_home == NULL)
		return ward_err_sys(err, ENOMEM, "%s", m->name);
	r = ward_ready_check(m->name, groups, 1, m->profile, err);
	if (r == 0) {
		const struct ward_home home = {
			.home = m->home,
			.real_home = m->real_home,
		};
		r = ward_home_check_free(&home, err);
	}
	return r;
}

/* Locked: its expiry is past, which pam_unix's account phase refuses. */
static int
make_user(struct making *m, struct err *err)
{
	const char *shell = WARD_SHELL;
	const char *const argv[] = { "/usr/sbin/useradd", "--home-dir", m->home,
		"--no-create-home", "--user-group", "--groups", WARD_GROUP,
		"--shell", shell, "--password", "*", "--expiredate",
		"1970-01-02", "--key", "SUB_UID_COUNT=0", "--key",
		"SUB_GID_COUNT=0", m->name, NULL };

	/* of an account of that name that somebody removed by hand */
	int r = ward_record_remove(m->name, err);
	if (r == 0)
		r = ward_run_check(argv, err);
	if (r != 0)
		return r;
	m->has_user = true;
	return ward_account_find(m->name, &m->account, err);
}

static int
make_home(struct making *m, struct err *err)
{
	const struct ward_home home = {
		.home = m->home,
		.real_home = m->real_home,
		.uid = m->account.uid,
		.gid = m->account.gid,
	};

	int r = ward_home_make(&home, err);
	m->has_home = r == 0;
	return r;
}

static int
make_files(struct making *m, struct err *err)
{
	int r = ward_account_keys_write(
	    m->name, m->keys == NULL ? "" : m->keys, err);

	m->has_keys = r == 0;
	if (r == 0) {
		r = ward_account_mask(m->account.uid, err);
		m->has_mask = r == 0;
	}
	if (r == 0 && m->profile != NULL) {
		r = ward_account_assign(m->name, m->profile, err);
		m->has_assignment = r == 0;
		if (r == 0)
			r = ward_site_apply(err);
	}
	return r;
}

static int
make(struct making *m, struct err *err)
{
	int r = make_user(m, err);

	/* of an account that had the name, and went without wardctl */
	if (r == 0)
		r = ward_grants_end(m->name, err);
	if (r == 0)
		r = ward_fence_keep(err);
	if (r == 0)
		r = make_home(m, err);
	if (r == 0)
		r = make_files(m, err);
	if (r == 0)
		r = ward_sshd_verify_account(m->name, err);
	return r;
}

/* In the order opposite to make; goes on whatever fails, and says so. */
static void
undo(const struct making *m)
{
	const char *const userdel[] = { "/usr/sbin/userdel", m->name, NULL };
	const struct ward_home home = {
		.home = m->home,
		.real_home = m->real_home,
	};
	struct err errs[6] = { 0 };

	if (m->has_assignment &&
	    ward_account_assign(m->name, NULL, &errs[0]) == 0)
		(void)ward_site_apply(&errs[0]);
	if (m->has_mask)
		(void)ward_account_unmask(m->account.uid, &errs[1]);
	if (m->has_keys)
		(void)ward_account_keys_remove(m->name, &errs[2]);
	if (m->has_home)
		(void)ward_home_remove(&home, &errs[3]);
	if (m->has_user)
		(void)ward_run_check(userdel, &errs[4]);
	(void)ward_fence_keep(&errs[5]);
	for (size_t i = 0; i < sizeof(errs) / sizeof(errs[0]); i++)
		if (errs[i].code != 0)
			(void)ward_ctl_fail("left behind: %s", errs[i].text);
}

static void
making_clear(struct making *m)
{
	ward_account_clear(&m->account);
	free(m->keys);
	free(m->home);
	free(m->real_home);
}

int
ward_ctl_account_add(const struct ward_ctl_args *args)
{
	struct making m = {
		.name = args->operands[0],
		.profile = args->values[OPTION_PROFILE],
	};
	struct err err = { 0 };
	const char *key = args->values[OPTION_KEY];

	int r = check(&m, &err);
	if (r == 0 && key != NULL)
		r = ward_account_keys_read(key, &m.keys, &err);
	if (r == 0) {
		r = make(&m, &err);
		if (r != 0)
			undo(&m);
	}
	if (r != 0) {
		making_clear(&m);
		return ward_ctl_fail_err(&err);
	}
	ward_ctl_say("made %s, locked: uid %u, files in %s", m.name,
	    (unsigned)m.account.uid, m.real_home);
	r = ward_ready_let_in(&m.account, WARD_NEVER_EXPIRES, &err);
	if (r == 0)
		ward_ctl_say("unlocked %s", m.name);
	else
		(void)ward_ctl_fail("%s; %s stays locked: see the log, then "
				    "'wardctl account unlock %s' or 'wardctl "
				    "account remove %s'",
		    err.text, m.name, m.name, m.name);
	making_clear(&m);
	return r == 0 ? ward_ctl_flush() : WARD_EXIT_FAILED;
}

int
ward_ctl_account_lock(const struct ward_ctl_args *args)
{
	struct ward_account account;
	struct ward_ending ending = {
		.order = { .reason = "the account is locked",
		    .grace = WARD_WIRE_GRACE },
	};
	struct err err = { 0 };

	int r = ward_account_find(args->operands[0], &account, &err);
	if (r == 0)
		r = ward_account_lock(account.name, &err);
	if (r != 0) {
		ward_account_clear(&account);
		return ward_ctl_fail_err(&err);
	}
	ward_ctl_say("locked %s", account.name);
	if (args->values[LOCK_END] != NULL)
		r = ward_live_each(
		    account.uid, NULL, ward_live_end, &ending, &err);
	else if (ward_account_live(account.uid) > 0)
		ward_ctl_say("its open sessions go on; to end them: "
			     "wardctl end %s",
		    account.name);
	ward_account_clear(&account);
	return r == 0 ? ward_ctl_flush() : ward_ctl_fail_err(&err);
}

int
ward_ctl_account_unlock(const struct ward_ctl_args *args)
{
	struct ward_account account;
	struct err err = { 0 };
	char days[WARD_RECORD_DAYS];

	int r = ward_account_find(args->operands[0], &account, &err);
	if (r == 0)
		r = ward_record_check_settled(account.name, &err);
	if (r == 0)
		r = ward_record_expiry(account.name, days, &err);
	if (r == 0)
		r = ward_services_verify(&err);
	if (r == 0)
		r = ward_sshd_verify_account(account.name, &err);
	if (r == 0)
		r = ward_account_check_home(&account, &err);
	if (r == 0)
		r = ward_fence_keep(&err);
	if (r == 0)
		r = ward_ready_let_in(&account, days, &err);
	if (r == 0)
		ward_ctl_say("unlocked %s", account.name);
	ward_account_clear(&account);
	return r == 0 ? ward_ctl_flush() : ward_ctl_fail_err(&err);
}
