/* SPDX-License-Identifier: ISC */
/* Other ways in: daemons, units, and what came in by one. */
#include "config.h"

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/number.h"
#include "common/path.h"
#include "ctl/doctor.h"
#include "ctl/edit.h"
#include "ctl/outside.h"

/* --- daemons --- */

#define NO_PAM   "asks no PAM: what it starts as an account is on the host"
#define OWN_WAYS "has ways of its own to start programs as an account"

static const struct {
	const char *name;
	enum ward_health health;
	const char *why;
} daemons[] = {
	{ "cockpit-ws", WARD_HEALTH_WARN, OWN_WAYS },
	{ "code-server", WARD_HEALTH_WARN, OWN_WAYS },
	{ "dropbear", WARD_HEALTH_FAIL, NO_PAM },
	{ "etserver", WARD_HEALTH_FAIL, NO_PAM },
	{ "gotty", WARD_HEALTH_WARN, OWN_WAYS },
	{ "in.rlogind", WARD_HEALTH_FAIL, NO_PAM },
	{ "in.rshd", WARD_HEALTH_FAIL, NO_PAM },
	{ "in.telnetd", WARD_HEALTH_WARN, OWN_WAYS },
	{ "incrond", WARD_HEALTH_FAIL, NO_PAM },
	{ "inetd", WARD_HEALTH_WARN, OWN_WAYS },
	{ "mosh-server", WARD_HEALTH_WARN, OWN_WAYS },
	{ "shellinaboxd", WARD_HEALTH_WARN, OWN_WAYS },
	{ "smbd", WARD_HEALTH_WARN, OWN_WAYS },
	{ "tailscaled", WARD_HEALTH_WARN, OWN_WAYS },
	{ "telnetd", WARD_HEALTH_WARN, OWN_WAYS },
	{ "teleport", WARD_HEALTH_WARN, OWN_WAYS },
	{ "tinysshd", WARD_HEALTH_FAIL, NO_PAM },
	{ "ttyd", WARD_HEALTH_WARN, OWN_WAYS },
	{ "vsftpd", WARD_HEALTH_WARN, OWN_WAYS },
	{ "proftpd", WARD_HEALTH_WARN, OWN_WAYS },
	{ "xinetd", WARD_HEALTH_WARN, OWN_WAYS },
};

/* The program of a process, without its directory. */
static bool
program_of(pid_t pid, char out[256])
{
	char path[64], target[512];

	(void)snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	ssize_t n = readlink(path, target, sizeof(target) - 1);
	if (n < 0)
		return false;
	target[n] = '\0';
	/* one that was replaced since it started */
	char *deleted = strstr(target, " (deleted)");
	if (deleted != NULL)
		*deleted = '\0';
	(void)snprintf(out, 256, "%.255s", ward_path_base(target));
	return true;
}

void
ward_doctor_daemons(struct ward_doctor *doctor)
{
	const struct dirent *entry;
	char program[256];
	uint64_t pid;
	DIR *proc = opendir("/proc");

	if (proc == NULL)
		return;
	while ((entry = readdir(proc)) != NULL) {
		if (ward_number_parse(entry->d_name, INT32_MAX, &pid) != 0 ||
		    !program_of((pid_t)pid, program))
			continue;
		for (size_t i = 0; i < sizeof(daemons) / sizeof(daemons[0]);
		     i++) {
			if (strcmp(program, daemons[i].name) != 0)
				continue;
			if (daemons[i].health == WARD_HEALTH_FAIL)
				ward_doctor_fail(doctor,
				    "end it, or see that it takes no agent "
				    "account",
				    "%s (pid %d) %s", program, (int)pid,
				    daemons[i].why);
			else
				ward_doctor_warn(doctor,
				    "see that it takes no agent account",
				    "%s (pid %d) %s", program, (int)pid,
				    daemons[i].why);
		}
	}
	(void)closedir(proc);
}

/* --- units --- */

/* Its User= names one of the accounts. */
static const struct ward_account *
user_of(const struct ward_doctor *doctor, const char *text)
{
	char value[128], number[16];

	for (const char *line = text; line != NULL && *line != '\0';) {
		line += strspn(line, " \t\n");
		if (strncmp(line, "User=", 5) == 0) {
			size_t n = strcspn(line + 5, " \t\r\n");
			(void)snprintf(value, sizeof(value), "%.*s",
			    (int)(n < sizeof(value) ? n : sizeof(value) - 1),
			    line + 5);
			for (size_t i = 0; i < doctor->accounts.n; i++) {
				const struct ward_account *a =
				    &doctor->accounts.list[i];
				(void)snprintf(number, sizeof(number), "%u",
				    (unsigned)a->uid);
				if (strcmp(value, a->name) == 0 ||
				    strcmp(value, number) == 0)
					return a;
			}
		}
		line = strchr(line, '\n');
	}
	return NULL;
}

static void
look_at_unit(struct ward_doctor *doctor, const char *path)
{
	char *text = NULL;
	size_t size;

	if (ward_edit_read(path, &text, &size, NULL) != 0)
		return;
	const struct ward_account *account = user_of(doctor, text);
	free(text);
	if (account != NULL)
		ward_doctor_fail(doctor,
		    "start it through PAM instead: from cron, or by 'runuser "
		    "-u' in a unit of root's",
		    "%s runs as %s on the host", path, account->name);
}

/* Files of a directory with names that end so. */
static void
look_at_files(
    struct ward_doctor *doctor, const char *directory, const char *suffix)
{
	const struct dirent *entry;
	DIR *files = opendir(directory);

	if (files == NULL)
		return;
	while ((entry = readdir(files)) != NULL) {
		const char *dot = strrchr(entry->d_name, '.');
		if (dot == NULL || strcmp(dot, suffix) != 0)
			continue;
		_cleanup_free_ char *path =
		    ward_path_join(directory, entry->d_name);
		if (path != NULL)
			look_at_unit(doctor, path);
	}
	(void)closedir(files);
}

/* A directory of units, and their drop-ins. */
static void
look_at_units(struct ward_doctor *doctor, const char *directory)
{
	const struct dirent *entry;
	DIR *units = opendir(directory);

	if (units == NULL)
		return;
	while ((entry = readdir(units)) != NULL) {
		const char *dot = strrchr(entry->d_name, '.');
		if (dot == NULL || strcmp(dot, ".d") != 0)
			continue;
		_cleanup_free_ char *path =
		    ward_path_join(directory, entry->d_name);
		if (path != NULL)
			look_at_files(doctor, path, ".conf");
	}
	(void)closedir(units);
	look_at_files(doctor, directory, ".service");
}

void
ward_doctor_units(struct ward_doctor *doctor)
{
	static const char *const directories[] = { "/etc/systemd/system",
		"/run/systemd/system", "/run/systemd/transient",
		"/usr/local/lib/systemd/system", "/usr/lib/systemd/system" };

	if (doctor->accounts.n == 0)
		return;
	for (size_t i = 0; i < sizeof(directories) / sizeof(directories[0]);
	     i++)
		look_at_units(doctor, directories[i]);
}

/* --- what is there now --- */

static void
on_outside(void *context, pid_t pid, const char *name,
    const struct ward_account *account)
{
	ward_doctor_fail(context,
	    "find out who started it, and end it: kill it by its number",
	    "%s (pid %d) of %s is in no sandbox", name, (int)pid,
	    account->name);
}

void
ward_doctor_outside(struct ward_doctor *doctor)
{
	struct err err = { 0 };

	if (ward_outside_each(&doctor->accounts, on_outside, doctor, &err) != 0)
		ward_doctor_fail(
		    doctor, "see that /proc is mounted", "%s", err.text);
}
