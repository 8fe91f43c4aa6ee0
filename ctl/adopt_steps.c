/* SPDX-License-Identifier: ISC */
/* The steps from an account that is there to an agent account, and back. */
#include "config.h"

#include <assert.h>
#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <shadow.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/places.h"
#include "ctl/account_files.h"
#include "ctl/account_ready.h"
#include "ctl/adopt_steps.h"
#include "ctl/apply.h"
#include "ctl/ctl.h"
#include "ctl/edit.h"
#include "ctl/fence.h"
#include "ctl/home.h"
#include "ctl/old_keys.h"
#include "ctl/processes.h"
#include "ctl/run.h"
#include "ctl/sshd.h"
#include "ctl/subids.h"

#define USERMOD "/usr/sbin/usermod"
#define GPASSWD "/usr/bin/gpasswd"
#define SUBUID  "/etc/subuid"
#define SUBGID  "/etc/subgid"
#define RANGES  64

/* --- closed: nothing new comes meanwhile --- */

static int
close_in(struct ward_adoption *a, struct err *err)
{
	return ward_account_lock(a->account.name, err);
}

/* The day of expiry as shadow's text has it. */
static void
read_expiry(const char *name, char days[WARD_RECORD_DAYS])
{
	const struct spwd *sp = getspnam(name);

	days[0] = '\0';
	if (sp != NULL && sp->sp_expire != -1)
		(void)snprintf(days, WARD_RECORD_DAYS, "%ld", sp->sp_expire);
}

static int
close_out(struct ward_adoption *a, struct err *err)
{
	char days[WARD_RECORD_DAYS];

	read_expiry(a->account.name, days);
	return strcmp(days, a->record.expires) == 0
	    ? 0
	    : ward_account_set_expiry(a->account.name, a->record.expires, err);
}

/* --- quiet: what came before the lock --- */

int
ward_adoption_check_quiet(const struct ward_adoption *a, struct err *err)
{
	struct ward_id_range ranges[RANGES] = {
		{ .first = a->account.uid, .n = 1 },
	};
	size_t n =
	    1 + ward_subids_ranges(a->record.subuids, ranges + 1, RANGES - 1);

	return ward_processes_check_none(a->account.name, ranges, n, err);
}

static int
quiet_in(struct ward_adoption *a, struct err *err)
{
	return ward_adoption_check_quiet(a, err);
}

/* --- keys: before sshd looks for them --- */

static void
say_lines(const char *before, const char *lines)
{
	while (*lines != '\0') {
		size_t n = strcspn(lines, "\n");
		ward_ctl_say("%s%.*s", before, (int)n, lines);
		lines += n;
		lines += *lines == '\n';
	}
}

static int
copy_keys(const struct ward_adoption *a, struct err *err)
{
	char *got = NULL, *got_from = NULL, *got_left = NULL;
	struct err why = { 0 };

	int r =
	    ward_old_keys_read(&a->account, &got, &got_from, &got_left, err);
	_cleanup_free_ char *keys = got;
	_cleanup_free_ char *from = got_from;
	_cleanup_free_ char *left = got_left;
	if (r != 0)
		return r;
	say_lines("its keys are not taken: ", left);
	r = ward_account_keys_write(a->account.name, keys, &why);
	if (r == -EINVAL) {
		ward_ctl_say("its keys are not taken: ssh-keygen cannot read "
			     "any");
		return ward_account_keys_write(a->account.name, "", err);
	}
	if (r != 0)
		return ward_err_set(err, -r, "%s", why.text);
	say_lines("its keys are in " WARD_AUTHORIZED_KEYS
		  " from now on, copied from ",
	    from);
	return 0;
}

/* The file is written whole: one that is there is of an earlier try. */
static int
keys_in(struct ward_adoption *a, struct err *err)
{
	if (a->keys != NULL)
		return ward_account_keys_write(a->account.name, a->keys, err);
	if (ward_account_has_keys(a->account.name))
		return 0;
	if (a->record.keys_given)
		return ward_err_set(err, EINVAL,
		    "its keys were to be those of --key: give it again");
	return copy_keys(a, err);
}

/* What sshd reads from now on may be what the account made of it inside. */
static int
keys_out(struct ward_adoption *a, struct err *err)
{
	const char *name = a->account.name;
	char *got = NULL, *got_from = NULL, *got_left = NULL, *got_ours = NULL;

	if (a->record.state == WARD_RECORD_ADOPTING)
		return ward_account_keys_remove(name, err);
	int r =
	    ward_old_keys_read(&a->account, &got, &got_from, &got_left, err);
	_cleanup_free_ char *keys = got;
	_cleanup_free_ char *from = got_from;
	_cleanup_free_ char *left = got_left;
	if (r == 0)
		r = ward_account_keys_text(name, &got_ours, err);
	_cleanup_free_ char *ours = got_ours;
	if (r != 0)
		return r;
	bool same = strcmp(keys, ours) == 0;
	if (same || ours[0] == '\0')
		r = ward_account_keys_remove(name, err);
	else
		ward_ctl_say("left: " WARD_AUTHORIZED_KEYS
			     "/%s, which sshd does not read any more",
		    name);
	say_lines(same
		? "sshd reads its keys again from "
		: "sshd reads other keys now than those that Ward had; see "
		  "whom they let in: ",
	    from);
	say_lines("sshd may not read its keys: ", left);
	return r;
}

/* --- governed: the shell decides --- */

static int
govern_in(struct ward_adoption *a, struct err *err)
{
	const char *name = a->account.name, *shell = WARD_SHELL;
	bool lock = a->record.had_password;
	const char *const argv[] = { USERMOD, "--shell", shell,
		lock ? "--lock" : name, lock ? name : NULL, NULL };

	int r = ward_run_check(argv, err);
	return r == 0 ? ward_fence_keep(err) : r;
}

static bool
has_password(const char *name)
{
	const struct spwd *sp = getspnam(name);

	return sp != NULL && sp->sp_pwdp[0] != '!' && sp->sp_pwdp[0] != '*';
}

static int
govern_out(struct ward_adoption *a, struct err *err)
{
	const char *name = a->account.name, *shell = a->record.shell;
	bool unlock = a->record.had_password && !has_password(name);
	const char *const argv[] = { USERMOD, "--shell", shell,
		unlock ? "--unlock" : name, unlock ? name : NULL, NULL };
	const struct passwd *pw = getpwnam(name);
	int r = 0;

	if (pw == NULL || strcmp(pw->pw_shell, shell) != 0 || unlock)
		r = ward_run_check(argv, err);
	return r == 0 ? ward_fence_keep(err) : r;
}

/* --- the group: sshd's part goes by it --- */

static bool
is_agent(const char *name)
{
	const struct group *group = getgrnam(WARD_GROUP);

	for (size_t i = 0; group != NULL && group->gr_mem[i] != NULL; i++)
		if (strcmp(group->gr_mem[i], name) == 0)
			return true;
	return false;
}

static int
group_in(struct ward_adoption *a, struct err *err)
{
	const char *const argv[] = { USERMOD, "--append", "--groups",
		WARD_GROUP, a->account.name, NULL };

	return is_agent(a->account.name) ? 0 : ward_run_check(argv, err);
}

static int
group_out(struct ward_adoption *a, struct err *err)
{
	const char *const argv[] = { GPASSWD, "--delete", a->account.name,
		WARD_GROUP, NULL };

	return a->record.was_agent || !is_agent(a->account.name)
	    ? 0
	    : ward_run_check(argv, err);
}

/* --- the home --- */

static int
home_in(struct ward_adoption *a, struct err *err)
{
	const struct ward_home home = ward_account_home(&a->account);

	return ward_home_move_in(&home, err);
}

static int
home_out(struct ward_adoption *a, struct err *err)
{
	const struct ward_home home = ward_account_home(&a->account);

	return ward_home_move_out(&home, err);
}

/* --- the user manager --- */

static int
unit_in(struct ward_adoption *a, struct err *err)
{
	return ward_account_mask(a->account.uid, err);
}

static int
unit_out(struct ward_adoption *a, struct err *err)
{
	return a->record.was_masked || !ward_account_is_masked(a->account.uid)
	    ? 0
	    : ward_account_unmask(a->account.uid, err);
}

/* --- subordinate ids --- */

static int
split_subids(const struct ward_adoption *a, const char *file, char **its,
    char **others, struct err *err)
{
	char *read = NULL;

	*its = NULL;
	*others = NULL;
	int r = ward_edit_read_any(file, &read, err);
	_cleanup_free_ char *text = read;
	if (r == 0)
		r = ward_subids_split(
		    text, a->account.name, a->account.uid, its, others);
	return r == 0 ? 0 : ward_err_sys(err, -r, "%s", file);
}

static int
take_subids(const struct ward_adoption *a, const char *file, struct err *err)
{
	char *got_its, *got_others;

	int r = split_subids(a, file, &got_its, &got_others, err);
	_cleanup_free_ char *its = got_its;
	_cleanup_free_ char *others = got_others;
	if (r != 0)
		return r;
	assert(its != NULL);
	return its[0] == '\0' ? 0 : ward_edit_write(file, others, 0644, err);
}

static int
give_subids(const char *file, const char *lines, struct err *err)
{
	char *read = NULL, *got_made = NULL;
	struct err why = { 0 };

	if (lines[0] == '\0')
		return 0;
	int r = ward_edit_read_any(file, &read, err);
	_cleanup_free_ char *text = read;
	if (r != 0)
		return r;
	r = ward_subids_join(text, lines, &got_made, &why);
	_cleanup_free_ char *made = got_made;
	if (r == -EEXIST) {
		ward_ctl_say("not given back: %s", why.text);
		return 0;
	}
	if (r != 0)
		return ward_err_set(err, -r, "%s", why.text);
	return strcmp(text, made) == 0 ? 0
				       : ward_edit_write(file, made, 0644, err);
}

/* The lock that useradd and its like take. */
static int
lock_accounts(struct err *err)
{
	return lckpwdf() == 0
	    ? 0
	    : ward_err_sys(err, errno, "/etc/.pwd.lock is held by another");
}

static int
subids_in(struct ward_adoption *a, struct err *err)
{
	int r = lock_accounts(err);

	if (r != 0)
		return r;
	r = take_subids(a, SUBUID, err);
	if (r == 0)
		r = take_subids(a, SUBGID, err);
	(void)ulckpwdf();
	return r;
}

static int
subids_out(struct ward_adoption *a, struct err *err)
{
	int r = lock_accounts(err);

	if (r != 0)
		return r;
	r = give_subids(SUBUID, a->record.subuids, err);
	if (r == 0)
		r = give_subids(SUBGID, a->record.subgids, err);
	(void)ulckpwdf();
	return r;
}

/* --- the assignment --- */

static int
assign_in(struct ward_adoption *a, struct err *err)
{
	if (a->record.profile[0] == '\0')
		return 0;
	int r = ward_account_assign(a->account.name, a->record.profile, err);
	return r == 0 ? ward_site_apply(err) : r;
}

/*
 * Only where Ward wrote it.  A line too many in the store is of no account that
 * is governed: no reason to stop half way.
 */
static int
assign_out(struct ward_adoption *a, struct err *err)
{
	const char *before = a->record.assigned;
	char *got_now = NULL;
	struct err why = { 0 };

	if (a->record.profile[0] == '\0' && !a->record.made)
		return 0;
	int r = ward_account_assigned(a->account.name, &got_now, err);
	_cleanup_free_ char *now = got_now;
	if (r != 0 || strcmp(now, before) == 0)
		return r;
	if (before[0] != '\0' && ward_ready_check_profile(before, NULL) != 0) {
		ward_ctl_say("its earlier profile, %s, is no more: it has none "
			     "of its own now",
		    before);
		before = "";
	}
	r = ward_account_assign(
	    a->account.name, before[0] == '\0' ? NULL : before, err);
	if (r == 0 && ward_site_apply(&why) != 0)
		(void)ward_ctl_fail("warning: %s: mend that, then 'wardctl "
				    "profile apply'",
		    why.text);
	return r;
}

/* --- sshd --- */

static int
sshd_in(struct ward_adoption *a, struct err *err)
{
	return ward_sshd_verify_account(a->account.name, err);
}

/* --- all of them --- */

static const struct {
	int (*in)(struct ward_adoption *a, struct err *err);
	int (*out)(struct ward_adoption *a, struct err *err); /* may be NULL */
} steps[] = {
	{ close_in, close_out },
	{ quiet_in, NULL },
	{ keys_in, keys_out },
	{ govern_in, govern_out },
	{ group_in, group_out },
	{ home_in, home_out },
	{ unit_in, unit_out },
	{ subids_in, subids_out },
	{ assign_in, assign_out },
	{ sshd_in, NULL },
};
#define N_STEPS (sizeof(steps) / sizeof(steps[0]))

/*
 * The last first, whatever is in by now: also more than this wardctl took,
 * where an earlier one was interrupted.  Then there is nothing to remember.
 */
static int
take_back(struct ward_adoption *a, struct err *err)
{
	int r = 0;

	for (size_t i = N_STEPS; r == 0 && i > 0; i--)
		if (steps[i - 1].out != NULL)
			r = steps[i - 1].out(a, err);
	return r == 0 ? ward_record_remove(a->account.name, err) : r;
}

/*
 * Under way.  One that was never whole is undone by a release as by its own
 * failure; one that was, as by a release, also where that is by hand.
 */
static int
set_out(struct ward_adoption *a, struct err *err)
{
	if (a->record.state == WARD_RECORD_ADOPTED)
		a->record.state = WARD_RECORD_RELEASING;
	return ward_record_write(a->account.name, &a->record, err);
}

static int
set_adopted(struct ward_adoption *a, struct err *err)
{
	enum ward_record_state before = a->record.state;

	a->record.state = WARD_RECORD_ADOPTED;
	int r = ward_record_write(a->account.name, &a->record, err);
	if (r != 0)
		a->record.state = before;
	return r;
}

int
ward_adoption_take(struct ward_adoption *a, struct err *err)
{
	struct err why = { 0 };

	int r = set_out(a, err);
	if (r != 0)
		return r;
	for (size_t i = 0; r == 0 && i < N_STEPS; i++)
		r = steps[i].in(a, err);
	if (r == 0)
		r = set_adopted(a, err);
	if (r == 0)
		return 0;
	if (take_back(a, &why) == 0)
		ward_ctl_say("%s is as it was", a->account.name);
	else
		(void)ward_ctl_fail("%s cannot be put back: %s; see 'wardctl "
				    "account list'",
		    a->account.name, why.text);
	return r;
}

int
ward_adoption_take_back(struct ward_adoption *a, struct err *err)
{
	int r = set_out(a, err);
	return r == 0 ? take_back(a, err) : r;
}

/* --- what was before --- */

static int
keep_text(char **field, const char *text, struct err *err)
{
	char *copy = strdup(text);

	if (copy == NULL)
		return ward_err_sys(err, ENOMEM, "a record");
	free(*field);
	*field = copy;
	return 0;
}

static int
keep_subids(
    struct ward_adoption *a, const char *file, char **field, struct err *err)
{
	char *its, *got_others;

	int r = split_subids(a, file, &its, &got_others, err);
	_cleanup_free_ char *others = got_others;
	if (r != 0)
		return r;
	free(*field);
	*field = its;
	return 0;
}

int
ward_adoption_record(struct ward_adoption *a, struct err *err)
{
	const char *name = a->account.name;
	const struct passwd *pw = getpwnam(name);
	struct ward_record *record = &a->record;
	char days[WARD_RECORD_DAYS];

	if (pw == NULL)
		return ward_err_set(err, ENOENT, "%s is gone", name);
	int r = ward_record_init(record, err);
	if (r != 0)
		return r;
	read_expiry(name, days);
	record->uid = a->account.uid;
	record->had_password = has_password(name);
	record->was_agent = is_agent(name);
	record->was_masked = ward_account_is_masked(a->account.uid);
	record->keys_given = a->keys != NULL;
	r = keep_text(&record->home, a->account.home, err);
	if (r == 0)
		r = keep_text(&record->shell, pw->pw_shell, err);
	if (r == 0)
		r = keep_text(&record->expires, days, err);
	free(record->assigned);
	record->assigned = NULL;
	if (r == 0)
		r = ward_account_assigned(name, &record->assigned, err);
	if (r == 0)
		r = keep_subids(a, SUBUID, &record->subuids, err);
	if (r == 0)
		r = keep_subids(a, SUBGID, &record->subgids, err);
	return r;
}

void
ward_adoption_clear(struct ward_adoption *a)
{
	ward_account_clear(&a->account);
	ward_record_clear(&a->record);
	free(a->keys);
	*a = (struct ward_adoption){ 0 };
}
