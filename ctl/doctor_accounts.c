/* SPDX-License-Identifier: ISC */
/* What the agent accounts are, to the rest of the machine. */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <shadow.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/landlock.h"
#include "common/places.h"
#include "ctl/account_files.h"
#include "ctl/conf.h"
#include "ctl/doctor.h"
#include "ctl/groups.h"
#include "ctl/home.h"
#include "ctl/record.h"

static void
judge_floor(struct ward_doctor *doctor, const struct ward_account *a,
    const struct ward_profile *profile)
{
	int abi = ward_landlock_abi();

	if (abi < 0 || (uint64_t)abi < profile->landlock)
		ward_doctor_fail(doctor,
		    "boot a newer kernel, or lower seal.landlock; its sessions "
		    "are refused until then",
		    "%s: %s asks for Landlock ABI %ju, and the kernel has %d",
		    a->name, profile->name, (uintmax_t)profile->landlock,
		    abi < 0 ? 0 : abi);
}

void
ward_doctor_policy(struct ward_doctor *doctor)
{
	for (size_t k = 0; k < doctor->accounts.n; k++) {
		const struct ward_account *a = &doctor->accounts.list[k];
		struct ward_policy_found found = { 0 };
		struct err err = { 0 };
		if (ward_account_find_policy(a, &found, &err) != 0)
			ward_doctor_fail(doctor,
			    "name it in " WARD_ASSIGNMENTS
			    ", then 'wardctl profile apply'",
			    "%s: %s", a->name, err.text);
		else
			judge_floor(doctor, a, found.profile);
		ward_policy_found_clear(&found);
	}
}

void
ward_doctor_passwords(struct ward_doctor *doctor)
{
	char twin[128];

	for (size_t k = 0; k < doctor->accounts.n; k++) {
		const struct ward_account *a = &doctor->accounts.list[k];
		const struct spwd *sp = getspnam(a->name);
		if (sp != NULL && sp->sp_pwdp[0] != '!' &&
		    sp->sp_pwdp[0] != '*')
			ward_doctor_fail(doctor,
			    "take it away: usermod --password '*' NAME",
			    "%s has a password: others may become it, and it "
			    "may log in where PAM is not asked",
			    a->name);
		if (ward_account_find_twin(a->name, a->uid, twin, sizeof(twin)))
			ward_doctor_fail(doctor, "give one of them another uid",
			    "%s has the uid of %s, who may not be in a sandbox",
			    twin, a->name);
	}
}

static void
judge_group(struct ward_doctor *doctor, const struct ward_account *a,
    const struct group *group)
{
	switch (ward_group_power(group->gr_name, group->gr_gid)) {
	case WARD_GROUP_ORDINARY:
		return;
	case WARD_GROUP_READS:
		ward_doctor_warn(doctor, "take it out: gpasswd -d NAME GROUP",
		    "%s is in the group %s, which reads more than it need",
		    a->name, group->gr_name);
		return;
	case WARD_GROUP_ROOT:
		ward_doctor_fail(doctor, "take it out: gpasswd -d NAME GROUP",
		    "%s is in the group %s, which amounts to root", a->name,
		    group->gr_name);
		return;
	}
}

void
ward_doctor_groups(struct ward_doctor *doctor)
{
	for (size_t k = 0; k < doctor->accounts.n; k++) {
		const struct ward_account *a = &doctor->accounts.list[k];
		gid_t groups[WARD_ACCOUNT_GROUPS];
		size_t n = WARD_ACCOUNT_GROUPS;
		bool is_agent = false;
		if (ward_account_groups(a, groups, &n, NULL) != 0)
			continue;
		for (size_t i = 0; i < n; i++) {
			const struct group *gr = getgrgid(groups[i]);
			if (gr == NULL)
				continue;
			is_agent =
			    is_agent || strcmp(gr->gr_name, WARD_GROUP) == 0;
			judge_group(doctor, a, gr);
		}
		if (!is_agent)
			ward_doctor_fail(doctor,
			    "put it in: usermod -aG " WARD_GROUP " NAME",
			    "%s is not in the group " WARD_GROUP
			    ", which sshd's part goes by",
			    a->name);
	}
}

void
ward_doctor_homes(struct ward_doctor *doctor)
{
	char name[256];
	bool has_mailer = access("/usr/sbin/sendmail", X_OK) == 0;

	for (size_t k = 0; k < doctor->accounts.n; k++) {
		const struct ward_account *a = &doctor->accounts.list[k];
		struct err err = { 0 };
		if (ward_account_check_home(a, &err) != 0)
			ward_doctor_fail(doctor,
			    "chown root:root it, and chmod go-w it", "%s%s",
			    err.text,
			    has_mailer ? "; a mailer runs what its .forward "
					 "names, on the host"
				       : "");
		else if (ward_home_find_entry(a->home, name, sizeof(name)))
			ward_doctor_warn(doctor,
			    "move it into the account's own home, which "
			    "'wardctl account list' tells",
			    "%s/%s is read by the host's daemons, not by the "
			    "account",
			    a->home, name);
	}
}

void
ward_doctor_managers(struct ward_doctor *doctor)
{
	for (size_t k = 0; k < doctor->accounts.n; k++) {
		const struct ward_account *a = &doctor->accounts.list[k];
		if (ward_account_lingers(a->name))
			ward_doctor_warn(doctor, "loginctl disable-linger NAME",
			    "%s is to have a user manager at boot; PAM "
			    "refuses it",
			    a->name);
		if (access("/etc/systemd/system", F_OK) == 0 &&
		    !ward_account_is_masked(a->uid))
			ward_doctor_warn(doctor,
			    "systemctl mask the unit user@UID.service",
			    "%s's user manager is not masked: each login "
			    "leaves a unit that failed, since PAM refuses it",
			    a->name);
	}
}

/* One of these names is in the file, each on a line; false: there is none. */
static bool
is_listed(struct ward_doctor *doctor, const char *path, const char *name)
{
	static const struct ward_conf_style style = { .comments = "#" };
	struct ward_conf conf;
	bool found = false;
	char *line, *text = ward_doctor_read(doctor, path);

	if (text == NULL)
		return false;
	ward_conf_begin(&conf, text, &style);
	while (!found && (line = ward_conf_line(&conf)) != NULL)
		found = strcmp(line, name) == 0;
	free(text);
	return found;
}

/*
 * Who may use crontab(1) and at(1), as Debian's read their files: the first
 * that is there decides; without any, cron takes everybody's and at root's.
 */
static void
tell_allowed(struct ward_doctor *doctor, const struct ward_account *a,
    const char *program, const char *allow, const char *deny, bool else_allowed)
{
	bool may = access(allow, F_OK) == 0 ? is_listed(doctor, allow, a->name)
	    : access(deny, F_OK) == 0       ? !is_listed(doctor, deny, a->name)
					    : else_allowed;

	if (access(program, F_OK) == 0)
		ward_doctor_pass(doctor,
		    "%s %s give itself jobs by %s (%s, %s); inside, it "
		    "cannot in any case",
		    a->name, may ? "may" : "may not", program, allow, deny);
}

void
ward_doctor_jobs(struct ward_doctor *doctor)
{
	for (size_t k = 0; k < doctor->accounts.n; k++) {
		const struct ward_account *a = &doctor->accounts.list[k];
		if (ward_account_has_crontab(a->name))
			ward_doctor_pass(doctor,
			    "%s has a crontab: its jobs run inside, if the "
			    "profile opens cron",
			    a->name);
		tell_allowed(doctor, a, "/usr/bin/crontab", "/etc/cron.allow",
		    "/etc/cron.deny", true);
		tell_allowed(doctor, a, "/usr/bin/at", "/etc/at.allow",
		    "/etc/at.deny", false);
		size_t n = ward_account_at_jobs(a->uid);
		if (n > 0)
			ward_doctor_pass(doctor,
			    "%s has %zu jobs of at: they run inside, if the "
			    "profile opens atd",
			    a->name, n);
	}
}

/* Of this account in such a file: "NAME:FIRST:COUNT". */
static void
look_at_subids(struct ward_doctor *doctor, const char *path, const char *option)
{
	static const struct ward_conf_style style = { .comments = "#" };
	struct ward_conf conf;
	char *line, *text = ward_doctor_read(doctor, path), remedy[256];

	if (text == NULL)
		return;
	ward_conf_begin(&conf, text, &style);
	while ((line = ward_conf_line(&conf)) != NULL) {
		const struct ward_account *a =
		    ward_doctor_account(doctor, line);
		if (a == NULL)
			continue;
		(void)snprintf(remedy, sizeof(remedy),
		    "usermod %s FIRST-LAST %s, which needs no others", option,
		    a->name);
		ward_doctor_warn(doctor, remedy,
		    "%s:%u gives %s other ids: outside of a sandbox it may be "
		    "any of them",
		    path, conf.line, a->name);
	}
	free(text);
}

void
ward_doctor_subids(struct ward_doctor *doctor)
{
	look_at_subids(doctor, "/etc/subuid", "--del-subuids");
	look_at_subids(doctor, "/etc/subgid", "--del-subgids");
}

static void
on_pending(void *context, const char *name, const struct ward_record *record,
    const char *problem)
{
	(void)name;
	ward_doctor_fail(context,
	    record == NULL ? "put it back from a backup, or remove it"
			   : "one of the two",
	    "%s", problem);
}

void
ward_doctor_adoptions(struct ward_doctor *doctor)
{
	struct err err = { 0 };

	if (ward_record_each_pending(on_pending, doctor, &err) != 0)
		ward_doctor_fail(doctor, "see what it is", "%s", err.text);
}
