/* SPDX-License-Identifier: ISC */
/* Ward's own parts on the machine, and the stacks that lead to them. */
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
#include "common/places.h"
#include "ctl/apply.h"
#include "ctl/doctor.h"
#include "ctl/edit.h"
#include "ctl/services.h"
#include "db/policy.h"
#include "db/violations.h"

#define STORE_WAIT_MS 2000

/* root's, and with no other mode bits than these. */
static void
check_place(struct ward_doctor *doctor, const char *path, mode_t most,
    bool must_be, const char *remedy)
{
	struct stat st;

	if (stat(path, &st) != 0) {
		if (must_be || errno != ENOENT)
			ward_doctor_fail(
			    doctor, remedy, "%s: %s", path, strerror(errno));
		return;
	}
	if (st.st_uid != 0)
		ward_doctor_fail(
		    doctor, "chown it to root", "%s is not root's", path);
	if ((st.st_mode & 07777 & ~most) != 0)
		ward_doctor_fail(doctor, "chmod it as it was installed",
		    "%s has mode %04o, which is more than %04o", path,
		    (unsigned)(st.st_mode & 07777), (unsigned)most);
}

void
ward_doctor_installed(struct ward_doctor *doctor)
{
	static const char *const files[] = { WARD_PAMDIR "/pam_ward.so",
		WARD_WARDEN, WARD_INIT, WARD_CONNECTOR, WARD_EGRESS, WARD_MASKS,
		WARD_REDIRECT, WARD_SHELL, WARD_CTL };

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		check_place(doctor, files[i], 0755, true, "install Ward again");
	ward_doctor_pass(doctor, "wardctl is of version " PACKAGE_VERSION);
}

void
ward_doctor_places(struct ward_doctor *doctor)
{
	static const struct {
		const char *path;
		mode_t most;
		bool must_be;
	} places[] = {
		{ WARD_ETC, 0755, true },
		{ WARD_ETC_PROFILES, 0700, true },
		{ WARD_AUTHORIZED_KEYS, 0755, true },
		{ WARD_ADOPTED, 0700, false },
		{ WARD_ASSIGNMENTS, 0644, true },
		{ WARD_STATE, 0700, true },
		{ WARD_POLICY_DB, 0600, true },
		{ WARD_VIOLATIONS_DB, 0600, false },
		{ WARD_RUN, 0700, false },
	};

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		check_place(doctor, places[i].path, places[i].most,
		    places[i].must_be, "run 'wardctl enable'");
}

static int
ignore_revision(void *context, const struct ward_policy_revision *revision)
{
	(void)context;
	(void)revision;
	return 0;
}

void
ward_doctor_stores(struct ward_doctor *doctor)
{
	struct ward_policy *policy = NULL;
	struct ward_violations *violations = NULL;
	struct err err = { 0 }, other = { 0 };

	int r = ward_policy_open(
	    WARD_POLICY_DB, WARD_POLICY_READ, STORE_WAIT_MS, &policy, &err);
	if (r == 0)
		r = ward_policy_each_profile(
		    policy, true, ignore_revision, NULL, &err);
	if (r != 0)
		ward_doctor_fail(doctor,
		    "move it away and run 'wardctl profile apply'; no "
		    "session is opened until then",
		    "%s", err.text);
	ward_policy_close(policy);
	r = ward_violations_open(WARD_VIOLATIONS_DB, WARD_VIOLATIONS_READ,
	    STORE_WAIT_MS, &violations, &other);
	if (r != 0 && r != -ENOENT)
		ward_doctor_fail(doctor,
		    "move it away: the next session makes it anew", "%s",
		    other.text);
	ward_violations_close(violations);
}

static void
on_stale(void *context, const char *what)
{
	ward_doctor_warn(context,
	    "run 'wardctl profile apply'; live sandboxes keep what they began "
	    "with",
	    "%s", what);
}

void
ward_doctor_profiles(struct ward_doctor *doctor)
{
	struct err err = { 0 };

	if (ward_site_compare(on_stale, doctor, &err) != 0)
		ward_doctor_fail(
		    doctor, "run 'wardctl profile check'", "%s", err.text);
}

/* --- PAM --- */

void
ward_doctor_stacks(struct ward_doctor *doctor)
{
	struct ward_diagnostics findings = { 0 };
	struct err err = { 0 };
	size_t n, n_wrong;

	if (ward_services_check(&findings, &n, &n_wrong, &err) != 0)
		ward_doctor_fail(doctor, "install PAM", "%s", err.text);
	for (size_t i = 0; i < findings.n; i++) {
		const struct ward_diagnostic *found = &findings.items[i];
		if (found->severity == WARD_ERROR)
			ward_doctor_fail(doctor, "run 'wardctl enable'",
			    "%s:%u: %s", found->file, found->line, found->text);
		else
			ward_doctor_warn(doctor, "run 'wardctl enable'",
			    "%s:%u: %s", found->file, found->line, found->text);
	}
	ward_diagnostics_clear(&findings);
}

static void
look_at_service(
    struct ward_doctor *doctor, const char *directory, const char *service)
{
	/* as dpkg leaves them; libpam reads them only if asked */
	if (strchr(service, '.') != NULL || strncmp(service, "common-", 7) == 0)
		return;
	if (!ward_service_has_ward(service))
		ward_doctor_fail(doctor,
		    "have it include common-session, or remove it",
		    "%s/%s has none of Ward's lines: a session that it opens "
		    "for an agent account is on the host",
		    directory, service);
	if (ward_service_reads_home_early(service))
		ward_doctor_warn(doctor,
		    "put pam_env.so behind it, or take user_readenv out",
		    "%s/%s: pam_env.so reads the user's variables before "
		    "pam_systemd.so does its work",
		    directory, service);
}

void
ward_doctor_other_stacks(struct ward_doctor *doctor)
{
	const struct dirent *entry;
	size_t n;
	const char *const *directories = ward_service_directories(&n);

	for (size_t i = 0; i < n; i++) {
		DIR *directory = opendir(directories[i]);
		if (directory == NULL)
			continue;
		while ((entry = readdir(directory)) != NULL)
			/* /etc/pam.d goes before the others */
			if (i == 0 || !ward_service_is_there(entry->d_name))
				look_at_service(
				    doctor, directories[i], entry->d_name);
		(void)closedir(directory);
	}
}

/* --- shells --- */

void
ward_doctor_shells(struct ward_doctor *doctor)
{
	const char *shell;

	setusershell();
	while ((shell = getusershell()) != NULL)
		if (strcmp(shell, WARD_SHELL) == 0)
			ward_doctor_fail(doctor, "take the line out",
			    WARD_SHELL
			    " is in /etc/shells: chsh and another user's "
			    "'su -s' go around it");
	endusershell();
}
