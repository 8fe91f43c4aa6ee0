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
		WARD_WARDEN, WARD_INIT, WARD_CONNECTOR, WARD_SHELL, WARD_CTL };

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

void
ward_doctor_profiles(struct ward_doctor *doctor)
{
	struct err err = { 0 };

	int r = ward_site_compare(&err);
	if (r == -ESTALE)
		ward_doctor_warn(
		    doctor, "run 'wardctl profile apply'", "%s", err.text);
	else if (r != 0)
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

void
ward_doctor_other_stacks(struct ward_doctor *doctor)
{
	const struct dirent *entry;
	DIR *directory = opendir(WARD_PAM_DIRECTORY);

	if (directory == NULL)
		return;
	while ((entry = readdir(directory)) != NULL) {
		/* as dpkg leaves them; libpam reads them only if asked */
		if (entry->d_name[0] == '.' ||
		    strchr(entry->d_name, '.') != NULL ||
		    strncmp(entry->d_name, "common-", 7) == 0)
			continue;
		if (!ward_service_has_ward(entry->d_name))
			ward_doctor_fail(doctor,
			    "have it include common-session, or remove it",
			    WARD_PAM_DIRECTORY
			    "/%s has none of Ward's lines: a session that it "
			    "opens for an agent account is on the host",
			    entry->d_name);
		if (ward_service_reads_home_early(entry->d_name))
			ward_doctor_warn(doctor,
			    "put pam_env.so behind it, or take user_readenv "
			    "out",
			    WARD_PAM_DIRECTORY
			    "/%s: pam_env.so reads the user's variables "
			    "before pam_systemd.so does its work",
			    entry->d_name);
	}
	(void)closedir(directory);
}

/* --- sudo, shells --- */

static void
look_at_sudoers(struct ward_doctor *doctor, const char *path)
{
	char *text = NULL;
	size_t size;

	if (ward_edit_read(path, &text, &size, NULL) != 0)
		return;
	unsigned number = 1;
	for (char *line = text; *line != '\0'; number++) {
		char *end = line + strcspn(line, "\n");
		char *next = *end == '\0' ? end : end + 1;
		*end = '\0';
		line += strspn(line, " \t");
		if (strncmp(line, "Defaults", 8) == 0 &&
		    strstr(line, "!pam_session") != NULL)
			ward_doctor_fail(doctor, "take !pam_session out",
			    "%s:%u: sudo opens no PAM session: what it runs "
			    "as an agent account is on the host",
			    path, number);
		line = next;
	}
	free(text);
}

void
ward_doctor_sudoers(struct ward_doctor *doctor)
{
	const struct dirent *entry;

	look_at_sudoers(doctor, "/etc/sudoers");
	DIR *directory = opendir("/etc/sudoers.d");
	if (directory == NULL)
		return;
	while ((entry = readdir(directory)) != NULL) {
		size_t n = strlen(entry->d_name);
		/* as sudo skips them (sudoers(5)) */
		if (strchr(entry->d_name, '.') != NULL ||
		    entry->d_name[n - 1] == '~')
			continue;
		_cleanup_free_ char *path =
		    ward_path_join("/etc/sudoers.d", entry->d_name);
		if (path != NULL)
			look_at_sudoers(doctor, path);
	}
	(void)closedir(directory);
}

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
