/* SPDX-License-Identifier: ISC */
/* wardctl doctor: the table of checks, and what is said of them. */
#include "config.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/text.h"
#include "ctl/conf.h"
#include "ctl/ctl.h"
#include "ctl/doctor.h"
#include "ctl/edit.h"
#include "ctl/list.h"
#include "ctl/probe.h"
#include "ctl/services.h"

/* In the order of the options in commands.c. */
enum { OPTION_ACCOUNT, OPTION_JSON };

static const struct {
	const char *name;
	ward_doctor_check *look;
	const char *passed; /* what is said where it found nothing */
} checks[] = {
	{ "kernel", ward_doctor_kernel, "every feature that Ward needs works" },
	{ "sysctl", ward_doctor_sysctls, "nothing is set against Ward" },
	{ "terminals", ward_doctor_terminals,
	    "no account can use up the host's" },
	{ "fence", ward_doctor_fence, "the uid fence holds" },
	{ "network", ward_doctor_network, "a filtered network works" },
	{ "installed", ward_doctor_installed,
	    "every part is there and root's alone" },
	{ "places", ward_doctor_places, "directories are as they must be" },
	{ "stores", ward_doctor_stores, "both databases can be read" },
	{ "profiles", ward_doctor_profiles, "what the files say is applied" },
	{ "pam", ward_doctor_stacks,
	    "both lines are in every stack, in order" },
	{ "pam-other", ward_doctor_other_stacks,
	    "every other service has them, too" },
	{ "sudoers", ward_doctor_sudoers, "sudo opens PAM sessions" },
	{ "shells", ward_doctor_shells, "wardsh is not in /etc/shells" },
	{ "sshd", ward_doctor_sshd, "sshd is told what it must be" },
	{ "sshrc", ward_doctor_sshrc, "it reads nothing of the account's" },
	{ "policy", ward_doctor_policy,
	    "every account has a profile that the kernel can hold" },
	{ "password", ward_doctor_passwords, "no account has one" },
	{ "groups", ward_doctor_groups, "none amounts to root" },
	{ "home", ward_doctor_homes, "the host sees nothing of the accounts'" },
	{ "manager", ward_doctor_managers, "no user manager is wanted" },
	{ "jobs", ward_doctor_jobs, "no account has cron or at jobs" },
	{ "crontabs", ward_doctor_crontabs,
	    "none of the system's is for an account" },
	{ "subids", ward_doctor_subids, "no account has uids to give away" },
	{ "adopted", ward_doctor_adoptions,
	    "every adoption and release is done" },
	{ "daemons", ward_doctor_daemons, "no other way in is running" },
	{ "units", ward_doctor_units, "none runs as an account" },
	{ "files", ward_doctor_files, "no daemon is told to be an account" },
	{ "mail", ward_doctor_mail, "no alias starts a program for one" },
	{ "outside", ward_doctor_outside,
	    "every process of the accounts is inside" },
};
#define N_CHECKS (sizeof(checks) / sizeof(checks[0]))

static const char *const words[] = {
	[WARD_HEALTH_PASS] = "pass",
	[WARD_HEALTH_WARN] = "warn",
	[WARD_HEALTH_FAIL] = "fail",
};

static const struct ward_list_column columns[] = {
	{ "check", NULL, false },
	{ "result", NULL, false },
	{ "detail", NULL, false },
	{ "remedy", NULL, false },
};

static void
add(struct ward_doctor *d, enum ward_health health, const char *remedy,
    const char *format, va_list args)
{
	char *detail = NULL;
	char *copy = remedy == NULL ? NULL : strdup(remedy);
	struct ward_finding *more =
	    reallocarray(d->findings, d->n + 1, sizeof(*more));

	if (more != NULL)
		d->findings = more;
	if (vasprintf(&detail, format, args) < 0)
		detail = NULL;
	if (more == NULL || detail == NULL ||
	    (remedy != NULL && copy == NULL)) {
		d->no_memory = true;
		free(detail);
		free(copy);
		return;
	}
	d->findings[d->n++] = (struct ward_finding){
		.check = d->check,
		.health = health,
		.detail = detail,
		.remedy = copy,
	};
}

void
ward_doctor_pass(struct ward_doctor *doctor, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	add(doctor, WARD_HEALTH_PASS, NULL, format, args);
	va_end(args);
}

void
ward_doctor_warn(
    struct ward_doctor *doctor, const char *remedy, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	add(doctor, WARD_HEALTH_WARN, remedy, format, args);
	va_end(args);
}

void
ward_doctor_fail(
    struct ward_doctor *doctor, const char *remedy, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	add(doctor, WARD_HEALTH_FAIL, remedy, format, args);
	va_end(args);
}

const struct ward_account *
ward_doctor_account(const struct ward_doctor *doctor, const char *user)
{
	for (size_t i = 0; i < doctor->accounts.n; i++) {
		const struct ward_account *a = &doctor->accounts.list[i];
		if (ward_conf_is_user(user, a->name, (unsigned)a->uid))
			return a;
	}
	return NULL;
}

char *
ward_doctor_read(struct ward_doctor *doctor, const char *path)
{
	struct err err = { 0 };
	struct stat st;
	char *text = NULL;
	size_t size;

	/* /dev/null is a file that is masked, as units are */
	if (stat(path, &st) == 0 && S_ISCHR(st.st_mode))
		return NULL;
	if (ward_edit_read(path, &text, &size, &err) != 0 && err.code != ENOENT)
		ward_doctor_warn(doctor, "look into it", "%s", err.text);
	return text;
}

static void
doctor_clear(struct ward_doctor *d)
{
	for (size_t i = 0; i < d->n; i++) {
		free(d->findings[i].detail);
		free(d->findings[i].remedy);
	}
	free(d->findings);
	ward_accounts_clear(&d->accounts);
}

static void
look(struct ward_doctor *d)
{
	for (size_t i = 0; i < N_CHECKS; i++) {
		size_t before = d->n;
		d->check = checks[i].name;
		checks[i].look(d);
		if (d->n == before)
			ward_doctor_pass(d, "%s", checks[i].passed);
	}
}

/* --- a session --- */

static void
try_service(struct ward_doctor *d, const struct ward_account *account,
    const char *service)
{
	struct ward_probe_times times = { 0 };
	struct err err = { 0 };

	if (ward_probe_timed(account, service, &times, &err) != 0) {
		ward_doctor_fail(d, "see the log, and ward(7) for the code",
		    "%s: %s", service, err.text);
		return;
	}
	ward_doctor_pass(d,
	    "%s: inside: opened in %lld.%02lld ms, a process in it after "
	    "%lld.%02lld ms, looked at in %lld.%02lld ms, closed in "
	    "%lld.%02lld ms",
	    service, (long long)times.open / 1000,
	    (long long)times.open % 1000 / 10, (long long)times.fork / 1000,
	    (long long)times.fork % 1000 / 10, (long long)times.look / 1000,
	    (long long)times.look % 1000 / 10, (long long)times.close / 1000,
	    (long long)times.close % 1000 / 10);
}

static int
try_account(struct ward_doctor *d, const char *name, struct err *err)
{
	struct ward_account account;
	struct ward_policy_found found = { 0 };

	int r = ward_account_find(name, &account, err);
	if (r == 0)
		r = ward_account_find_policy(&account, &found, err);
	d->check = "session";
	for (size_t i = 0; r == 0 && i < found.profile->n_services; i++)
		if (ward_service_is_there(found.profile->services[i]))
			try_service(d, &account, found.profile->services[i]);
	if (r == 0 && d->n == 0)
		ward_doctor_fail(d, "name one in its profile",
		    "%s: its profile opens no service that there is", name);
	ward_policy_found_clear(&found);
	ward_account_clear(&account);
	return r;
}

/* --- what is said --- */

static int
print_json(const struct ward_doctor *d)
{
	struct ward_list *list =
	    ward_list_new(columns, sizeof(columns) / sizeof(columns[0]));

	if (list == NULL)
		return ward_ctl_fail("no memory");
	for (size_t i = 0; i < d->n; i++) {
		ward_list_text(list, d->findings[i].check);
		ward_list_text(list, words[d->findings[i].health]);
		ward_list_text(list, d->findings[i].detail);
		ward_list_text(list, d->findings[i].remedy);
	}
	return ward_list_end(list, true, false);
}

static int
print_text(const struct ward_doctor *d)
{
	char visible[2048];

	for (size_t i = 0; i < d->n; i++) {
		const struct ward_finding *f = &d->findings[i];
		(void)printf("%s  %s: %s\n", words[f->health], f->check,
		    ward_text_visible(visible, sizeof(visible), f->detail));
		if (f->remedy != NULL)
			(void)printf("      to do: %s\n",
			    ward_text_visible(
				visible, sizeof(visible), f->remedy));
	}
	return ward_ctl_flush();
}

int
ward_ctl_doctor(const struct ward_ctl_args *args)
{
	struct ward_doctor d = { 0 };
	struct err err = { 0 };
	const char *account = args->values[OPTION_ACCOUNT];

	int r = account != NULL ? try_account(&d, account, &err)
				: ward_accounts_read(&d.accounts, &err);
	if (r != 0) {
		doctor_clear(&d);
		return ward_ctl_fail_err(&err);
	}
	if (account == NULL)
		look(&d);
	int status = d.no_memory                ? ward_ctl_fail("no memory")
	    : args->values[OPTION_JSON] != NULL ? print_json(&d)
						: print_text(&d);
	for (size_t i = 0; i < d.n; i++)
		if (d.findings[i].health == WARD_HEALTH_FAIL)
			status = WARD_EXIT_FAILED;
	doctor_clear(&d);
	return status;
}
