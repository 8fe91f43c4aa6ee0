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
#include "common/number.h"
#include "common/places.h"
#include "ctl/doctor.h"
#include "ctl/edit.h"
#include "ctl/sshd.h"

#define CONFIGS_MAX 8
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
	char paths[CONFIGS_MAX][256];
	size_t n;
};

static void
add_config(struct configs *configs, const char *path)
{
	for (size_t i = 0; i < configs->n; i++)
		if (strcmp(configs->paths[i], path) == 0)
			return;
	if (configs->n < CONFIGS_MAX && strlen(path) < 256)
		(void)snprintf(configs->paths[configs->n++], 256, "%s", path);
}

/* "sshd: /usr/sbin/sshd -f FILE [listener] ...", or as it was called. */
static void
add_from(struct configs *configs, pid_t pid)
{
	char path[64], target[256], line[2048];

	(void)snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	ssize_t n = readlink(path, target, sizeof(target) - 1);
	if (n < 0)
		return;
	target[n] = '\0';
	if (strncmp(target, "/usr/sbin/sshd", strlen("/usr/sbin/sshd")) != 0)
		return;
	(void)snprintf(path, sizeof(path), "/proc/%d/cmdline", (int)pid);
	_cleanup_fd_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, line, sizeof(line) - 1);
	if (n <= 0)
		return;
	for (ssize_t i = 0; i < n; i++)
		if (line[i] == '\0')
			line[i] = ' ';
	line[n] = '\0';
	char *option = strstr(line, " -f");
	if (option == NULL)
		return;
	option += strlen(" -f");
	option += strspn(option, " ");
	option[strcspn(option, " ")] = '\0';
	if (option[0] == '/')
		add_config(configs, option);
}

static void
find_configs(struct configs *configs)
{
	const struct dirent *entry;
	uint64_t pid;
	DIR *proc = opendir("/proc");

	if (access(WARD_SSHD_CONFIG, F_OK) == 0)
		add_config(configs, WARD_SSHD_CONFIG);
	if (proc == NULL)
		return;
	while ((entry = readdir(proc)) != NULL)
		if (ward_number_parse(entry->d_name, INT32_MAX, &pid) == 0)
			add_from(configs, (pid_t)pid);
	(void)closedir(proc);
}

void
ward_doctor_sshd(struct ward_doctor *doctor)
{
	struct configs configs = { .n = 0 };
	_cleanup_free_ struct ward_run *run = malloc(sizeof(*run));

	if (!ward_sshd_is_there()) {
		ward_doctor_pass(doctor, "there is no sshd");
		return;
	}
	find_configs(&configs);
	for (size_t c = 0; run != NULL && c < configs.n; c++)
		for (size_t i = 0; i < doctor->accounts.n; i++) {
			const char *name = doctor->accounts.list[i].name;
			struct err err = { 0 };
			if (ward_sshd_ask(configs.paths[c], name, run, &err) !=
			    0)
				ward_doctor_fail(doctor, "see 'sshd -t'",
				    "%s: %s", configs.paths[c], err.text);
			else
				judge(doctor, configs.paths[c], name,
				    run->output);
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
