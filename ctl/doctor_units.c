/* SPDX-License-Identifier: ISC */
/* Units of systemd that start something as an agent account. */
#include "config.h"

#include <dirent.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/path.h"
#include "ctl/conf.h"
#include "ctl/doctor.h"
#include "ctl/run.h"

#define SYSTEMCTL "/usr/bin/systemctl"

static const char *const directories[] = { "/etc/systemd/system.control",
	"/run/systemd/system.control", "/run/systemd/transient",
	"/etc/systemd/system", "/run/systemd/system", "/run/systemd/generator",
	"/run/systemd/generator.late", "/usr/local/lib/systemd/system",
	"/usr/lib/systemd/system" };
#define N_DIRECTORIES (sizeof(directories) / sizeof(directories[0]))

static void
tell(struct ward_doctor *doctor, const char *unit,
    const struct ward_account *account)
{
	ward_doctor_fail(doctor,
	    "start it through PAM instead: from cron, or by 'runuser -u' in a "
	    "unit of root's",
	    "%s runs as %s on the host", unit, account->name);
}

/* A template that runs as whom its instance names: for which of them? */
static void
look_for_instances(struct ward_doctor *doctor, const char *path)
{
	char unit[512], pattern[1024];
	const char *name = ward_path_base(path), *at = strrchr(name, '@');

	if (at == NULL || strcmp(at, "@.service") != 0)
		return;
	for (size_t i = 0; i < doctor->accounts.n * N_DIRECTORIES; i++) {
		const struct ward_account *a =
		    &doctor->accounts.list[i / N_DIRECTORIES];
		glob_t found;
		(void)snprintf(unit, sizeof(unit), "%.*s@%s.service",
		    (int)(at - name), name, a->name);
		/* wanted by something, or with settings of its own */
		(void)snprintf(pattern, sizeof(pattern),
		    "%s/{*.wants,*.requires,*.upholds}/%s",
		    directories[i % N_DIRECTORIES], unit);
		if (glob(pattern, GLOB_BRACE, NULL, &found) != 0)
			continue;
		tell(doctor, found.gl_pathv[0], a);
		globfree(&found);
	}
}

static void
look_at_unit(struct ward_doctor *doctor, const char *path)
{
	static const struct ward_conf_style style = { .comments = "#;" };
	const struct ward_account *account = NULL;
	bool by_instance = false;
	struct ward_conf conf;
	char *line, *text = ward_doctor_read(doctor, path);

	if (text == NULL)
		return;
	ward_conf_begin(&conf, text, &style);
	while ((line = ward_conf_line(&conf)) != NULL) {
		const char *user = strcmp(conf.section, "Service") == 0
		    ? ward_conf_value(line, "User")
		    : NULL;
		if (user == NULL)
			continue;
		/* the last one counts */
		account = ward_doctor_account(doctor, user);
		by_instance =
		    strcasecmp(user, "%i") == 0 || strcasecmp(user, "%j") == 0;
	}
	free(text);
	if (account != NULL)
		tell(doctor, path, account);
	if (by_instance)
		look_for_instances(doctor, path);
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

/* In a path, or by itself; not the end of another unit's name. */
static bool
names(const char *detail, const char *unit)
{
	const char *found = detail;

	while ((found = strstr(found, unit)) != NULL) {
		if (found == detail || found[-1] == '/')
			return true;
		found++;
	}
	return false;
}

/* A finding of this check has named it. */
static bool
is_told(const struct ward_doctor *doctor, const char *unit)
{
	for (size_t i = 0; i < doctor->n; i++)
		if (strcmp(doctor->findings[i].check, doctor->check) == 0 &&
		    names(doctor->findings[i].detail, unit))
			return true;
	return false;
}

/*
 * A running systemd says what it made of templates, drop-ins and generators:
 * "User=..." and "Id=..." of each service, in some order, with an empty line
 * between.
 */
static void
ask_manager(struct ward_doctor *doctor)
{
	const char *const argv[] = { SYSTEMCTL, "show", "--property=Id,User",
		"*.service", NULL };
	const struct ward_account *account = NULL;
	const char *unit = NULL;
	_cleanup_free_ struct ward_run *run = malloc(sizeof(*run));
	struct err err = { 0 };

	if (access("/run/systemd/system", F_OK) != 0 || run == NULL)
		return;
	if (ward_run(argv, run, &err) != 0 || run->status != 0) {
		ward_doctor_warn(doctor, "see 'systemctl status'",
		    "systemd does not say what its services run as");
		return;
	}
	if (run->n_output == WARD_RUN_OUTPUT - 1)
		ward_doctor_warn(doctor, "see 'systemctl show -p Id,User'",
		    "there are too many services to look at all that systemd "
		    "says");
	for (char *line = run->output, *end; *line != '\0'; line = end) {
		end = line + strcspn(line, "\n");
		if (*end != '\0')
			*end++ = '\0';
		if (strncmp(line, "Id=", 3) == 0)
			unit = line + 3;
		else if (strncmp(line, "User=", 5) == 0)
			account = ward_doctor_account(doctor, line + 5);
		if (line[0] != '\0' && *end != '\0')
			continue;
		if (account != NULL && unit != NULL && !is_told(doctor, unit))
			tell(doctor, unit, account);
		account = NULL;
		unit = NULL;
	}
}

void
ward_doctor_units(struct ward_doctor *doctor)
{
	if (doctor->accounts.n == 0)
		return;
	for (size_t i = 0; i < N_DIRECTORIES; i++)
		look_at_units(doctor, directories[i]);
	ask_manager(doctor);
}
