/* SPDX-License-Identifier: ISC */
/* What sshd does with the agent accounts, as sshd itself says. */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/pids.h"
#include "common/places.h"
#include "ctl/conf.h"
#include "ctl/doctor.h"
#include "ctl/edit.h"
#include "ctl/sshd.h"

#define CONFIGS_MAX 8
#define NAME_SIZE   1536
#define DEFAULTS    "/etc/default/ssh"
#define SSHRC       "/etc/ssh/sshrc"

static const struct {
	const char *keyword, *want;
	enum ward_health health;
	const char *why;
} settings[] = {
	{ "usepam", "yes", WARD_HEALTH_FAIL,
	    "sftp and forwards of agent accounts are on the host" },
	{ "authorizedkeysfile", WARD_AUTHORIZED_KEYS "/%u", WARD_HEALTH_FAIL,
	    "keys are not the admin's to give" },
	{ "authorizedkeyscommand", "none", WARD_HEALTH_WARN,
	    "a program gives it keys, too" },
	{ "permituserenvironment", "no", WARD_HEALTH_FAIL,
	    "the account sets variables of its sessions" },
	{ "permitemptypasswords", "no", WARD_HEALTH_FAIL,
	    "who has no password needs none" },
	{ "permituserrc", "no", WARD_HEALTH_WARN,
	    "the account's .ssh/rc is run, inside" },
	{ "x11forwarding", "no", WARD_HEALTH_WARN,
	    "it can reach the client's display" },
	{ "allowagentforwarding", "no", WARD_HEALTH_WARN,
	    "it can use the client's keys" },
	{ "allowstreamlocalforwarding", "no", WARD_HEALTH_WARN,
	    "clients reach sockets inside" },
	{ "permittunnel", "no", WARD_HEALTH_WARN,
	    "it can be given network devices" },
	{ "chrootdirectory", "none", WARD_HEALTH_WARN, "sessions are refused" },
};

/* Variables that a client may name without harm. */
static bool
is_harmless(const char *pattern)
{
	static const char *const names[] = { "COLORTERM", "LANG", "LANGUAGE",
		"NO_COLOR", "TERM", "TZ" };

	if (strncmp(pattern, "LC_", 3) == 0)
		return true;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(pattern, names[i]) == 0)
			return true;
	return false;
}

static void
judge(struct ward_doctor *doctor, const char *config, const char *account,
    const char *output)
{
	char remedy[256], value[256];

	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
		if (!ward_sshd_value(
			output, settings[i].keyword, 0, value, sizeof(value)) ||
		    strcmp(value, settings[i].want) == 0)
			continue;
		(void)snprintf(remedy, sizeof(remedy),
		    "see that nothing before " WARD_SSHD_SNIPPET
		    " sets it, and run 'wardctl enable'; wanted: %s %s",
		    settings[i].keyword, settings[i].want);
		if (settings[i].health == WARD_HEALTH_FAIL)
			ward_doctor_fail(doctor, remedy, "%s, %s: %s is %s: %s",
			    config, account, settings[i].keyword, value,
			    settings[i].why);
		else
			ward_doctor_warn(doctor, remedy, "%s, %s: %s is %s: %s",
			    config, account, settings[i].keyword, value,
			    settings[i].why);
	}
	for (unsigned i = 0;
	     ward_sshd_value(output, "acceptenv", i, value, sizeof(value)); i++)
		if (!is_harmless(value))
			ward_doctor_warn(doctor,
			    "accept LANG and LC_* only: AcceptEnv LANG LC_*",
			    "%s, %s: clients may set variables %s", config,
			    account, value);
}

/* --- which configurations are in use --- */

struct configs {
	struct ward_sshd_options list[CONFIGS_MAX];
	size_t n;
	bool too_many;
};

/* As people write it. */
static void
name_config(const struct ward_sshd_options *options, char *out, size_t size)
{
	size_t n = strlen(options->file);

	(void)snprintf(out, size, "%s", options->file);
	for (size_t i = 0; i < options->n && n < size; i++)
		n += (size_t)snprintf(
		    out + n, size - n, " -o %s", options->settings[i]);
}

static void
add_config(struct configs *configs, char *line)
{
	struct ward_sshd_options options;
	char name[NAME_SIZE], other[NAME_SIZE];

	ward_sshd_read_options(line, &options);
	configs->too_many |= options.too_many;
	if (options.file[0] != '/' && strcmp(options.file, "none") != 0) {
		/* relative to where it was started, which it has left */
		configs->too_many = true;
		return;
	}
	name_config(&options, name, sizeof(name));
	for (size_t i = 0; i < configs->n; i++) {
		name_config(&configs->list[i], other, sizeof(other));
		if (strcmp(other, name) == 0)
			return;
	}
	if (configs->n < CONFIGS_MAX)
		configs->list[configs->n++] = options;
	else
		configs->too_many = true;
}

/* "sshd: /usr/sbin/sshd -f FILE [listener] ...", or as it was called. */
static void
add_from(struct configs *configs, pid_t pid)
{
	char path[512], line[2048];

	if (ward_pids_program(pid, path, sizeof(path)) != 0 ||
	    strcmp(path, "/usr/sbin/sshd") != 0)
		return;
	(void)snprintf(path, sizeof(path), "/proc/%d/cmdline", (int)pid);
	_cleanup_fd_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, line, sizeof(line) - 1);
	if (n <= 0)
		return;
	for (ssize_t i = 0; i < n; i++)
		if (line[i] == '\0')
			line[i] = ' ';
	line[n] = '\0';
	/* that of a session names whom it is for, who may be anybody */
	if (strstr(line, "[listener]") != NULL ||
	    strncmp(line, "sshd:", 5) != 0)
		add_config(configs, line);
}

/* What its unit starts it with, also one for each connection. */
static void
add_defaults(struct ward_doctor *doctor, struct configs *configs)
{
	static const struct ward_conf_style style = { .comments = "#" };
	struct ward_conf conf;
	char *line, *options, *text = ward_doctor_read(doctor, DEFAULTS);

	if (text == NULL)
		return;
	ward_conf_begin(&conf, text, &style);
	while ((line = ward_conf_line(&conf)) != NULL)
		if ((options = ward_conf_value(line, "SSHD_OPTS")) != NULL)
			add_config(configs, options);
	free(text);
}

static void
find_configs(struct ward_doctor *doctor, struct configs *configs)
{
	char none[] = "";
	pid_t pid;
	DIR *proc = opendir("/proc");

	if (access(WARD_SSHD_CONFIG, F_OK) == 0)
		add_config(configs, none);
	add_defaults(doctor, configs);
	while (proc != NULL && (pid = ward_pids_next(proc)) != 0)
		add_from(configs, pid);
	if (proc == NULL || configs->too_many)
		ward_doctor_warn(doctor,
		    "see with 'sshd -T' what holds for the others",
		    "not every sshd's options can be told");
	if (proc != NULL)
		(void)closedir(proc);
}

void
ward_doctor_sshd(struct ward_doctor *doctor)
{
	char name[NAME_SIZE];
	struct configs configs = { .n = 0 };
	_cleanup_free_ struct ward_run *run = malloc(sizeof(*run));

	if (!ward_sshd_is_there()) {
		ward_doctor_pass(doctor, "there is no sshd");
		return;
	}
	find_configs(doctor, &configs);
	doctor->no_memory |= run == NULL;
	for (size_t c = 0; run != NULL && c < configs.n; c++)
		for (size_t i = 0; i < doctor->accounts.n; i++) {
			const char *account = doctor->accounts.list[i].name;
			struct err err = { 0 };
			name_config(&configs.list[c], name, sizeof(name));
			if (ward_sshd_ask(
				&configs.list[c], account, run, &err) != 0)
				ward_doctor_fail(doctor, "see 'sshd -t'",
				    "%s: %s", name, err.text);
			else
				judge(doctor, name, account, run->output);
		}
}

void
ward_doctor_sshrc(struct ward_doctor *doctor)
{
	static const char *const marks[] = { "~/", "$HOME", "${HOME" };
	char *text = NULL;
	size_t size;

	if (ward_edit_read(SSHRC, &text, &size, NULL) != 0)
		return;
	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
		if (strstr(text, marks[i]) != NULL) {
			ward_doctor_warn(doctor,
			    "have it read nothing below the home",
			    SSHRC " reads files of whoever logs in, by no "
				  "login shell (%s); for agent accounts, "
				  "inside",
			    marks[i]);
			break;
		}
	free(text);
}
