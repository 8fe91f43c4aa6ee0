/* SPDX-License-Identifier: ISC */
/* Ward's part of sshd's configuration. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/number.h"
#include "common/path.h"
#include "common/places.h"
#include "ctl/conf.h"
#include "ctl/edit.h"
#include "ctl/run.h"
#include "ctl/sshd.h"

#define SSHD_RUN "/run/sshd"
#define SSHD     "/usr/sbin/sshd"
#define BLANKS   " \t\r"
#define KEYS     WARD_AUTHORIZED_KEYS "/%u"

/*
 * TCP forwards stay: they end inside the sandbox.  A Match block ends with its
 * file where that was included (sshd_config(5)).
 */
static const char snippet[] =
    "# Made by 'wardctl enable'; 'wardctl disable' removes it.\n"
    "# sshd's own part of keeping agent accounts in their sandboxes.  Nothing\n"
    "# of it confines: pam_ward.so does.\n"
    "Match Group " WARD_GROUP "\n"
    "\t# keys are the admin's to give, not the account's\n"
    "\tAuthorizedKeysFile " KEYS "\n"
    "\tAllowAgentForwarding no\n"
    "\tAllowStreamLocalForwarding no\n"
    "\tPermitTunnel no\n"
    "\tPermitUserRC no\n"
    "\tX11Forwarding no\n";

/* The next word of a line of sshd_config; quotes are taken off. */
static bool
next_word(const char **line, char *out, size_t size)
{
	const char *s = *line + strspn(*line, BLANKS "=");

	if (*s == '\0' || *s == '\n' || *s == '#')
		return false;
	bool quoted = *s == '"';
	if (quoted)
		s++;
	size_t n = strcspn(s, quoted ? "\"\n" : BLANKS "=\n");
	size_t kept = n < size ? n : size - 1;
	memcpy(out, s, kept);
	out[kept] = '\0';
	s += n;
	*line = quoted && *s == '"' ? s + 1 : s;
	return true;
}

static bool
matches(const char *pattern, const char *path)
{
	char whole[512];

	if (pattern[0] == '/')
		return fnmatch(pattern, path, FNM_PATHNAME | FNM_PERIOD) == 0;
	int n = snprintf(whole, sizeof(whole), "/etc/ssh/%s", pattern);
	return n > 0 && (size_t)n < sizeof(whole) &&
	    fnmatch(whole, path, FNM_PATHNAME | FNM_PERIOD) == 0;
}

bool
ward_sshd_includes(const char *text, const char *path)
{
	char word[256];

	for (const char *line = text; *line != '\0';) {
		const char *rest = line;
		if (next_word(&rest, word, sizeof(word))) {
			/* from here on it is for some users only */
			if (strcasecmp(word, "Match") == 0)
				return false;
			if (strcasecmp(word, "Include") == 0)
				while (next_word(&rest, word, sizeof(word)))
					if (matches(word, path))
						return true;
		}
		line += strcspn(line, "\n");
		line += *line == '\n';
	}
	return false;
}

static int
check_include(struct err *err)
{
	size_t size;
	char *text;

	int r = ward_edit_read(WARD_SSHD_CONFIG, &text, &size, err);
	if (r != 0)
		return r;
	bool includes = ward_sshd_includes(text, WARD_SSHD_SNIPPET);
	free(text);
	if (includes)
		return 0;
	return ward_err_set(err, EINVAL,
	    WARD_SSHD_CONFIG " does not include " WARD_SSHD_SNIPPET
			     ": put 'Include /etc/ssh/sshd_config.d/*.conf' "
			     "at its beginning, then run 'wardctl enable' "
			     "again");
}

/* The value that sshd -T tells of a keyword (it tells them in lower case). */
static bool
is_set_to(const char *output, const char *keyword, const char *value)
{
	char line[512];

	int n = snprintf(line, sizeof(line), "%s %s\n", keyword, value);
	if (n < 0 || (size_t)n >= sizeof(line))
		return false;
	const char *found = strstr(output, line);
	return found != NULL && (found == output || found[-1] == '\n');
}

bool
ward_sshd_value(const char *output, const char *keyword, unsigned n,
    char *value, size_t size)
{
	size_t length = strlen(keyword);

	for (const char *line = output; *line != '\0';) {
		size_t end = strcspn(line, "\n");
		if (end > length && strncmp(line, keyword, length) == 0 &&
		    line[length] == ' ' && n-- == 0) {
			size_t kept = end - length - 1;
			if (kept >= size)
				kept = size - 1;
			memcpy(value, line + length + 1, kept);
			value[kept] = '\0';
			return true;
		}
		line += end;
		line += *line == '\n';
	}
	return false;
}

bool
ward_sshd_is_there(void)
{
	return ward_run_is_there(SSHD);
}

bool
ward_sshd_is_foreign(const char *path)
{
	static const char *const own[] = { SSHD,
		"/usr/lib/openssh/sshd-session", "/usr/lib/openssh/sshd-auth" };
	const char *name = ward_path_base(path);

	if (strcmp(name, "sshd") != 0 && strcmp(name, "sshd-session") != 0)
		return false;
	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		if (strcmp(path, own[i]) == 0)
			return false;
	return true;
}

/* false if it does not fit. */
static bool
copy(char *out, size_t size, const char *text)
{
	int n = snprintf(out, size, "%s", text);

	return n >= 0 && (size_t)n < size;
}

/* The argument of -o; a title shows "-o 'UsePAM no'" without its quotes. */
static void
take_setting(struct ward_sshd_options *options, const char *text, char **rest)
{
	char *next = *rest + strspn(*rest, BLANKS);

	if (options->n == WARD_SSHD_SETTINGS ||
	    !copy(options->settings[options->n], sizeof(options->settings[0]),
		text)) {
		options->too_many = true;
		return;
	}
	char *setting = options->settings[options->n++];
	size_t n = strlen(setting);
	if (strpbrk(setting, "= ") != NULL || strchr("-[", *next) != NULL)
		return;
	const char *value = ward_conf_word(rest, "");
	setting[n++] = '=';
	if (!copy(setting + n, sizeof(options->settings[0]) - n, value))
		options->too_many = true;
}

void
ward_sshd_read_options(char *line, struct ward_sshd_options *options)
{
	/* as its getopt(3) has them, those that take an argument */
	static const char with[] = "bcCEfghkopu";
	char *word, *rest = line;

	*options = (struct ward_sshd_options){ .file = WARD_SSHD_CONFIG };
	while ((word = ward_conf_word(&rest, "")) != NULL) {
		if (word[0] != '-' || word[1] == '-')
			continue;
		size_t n = strcspn(word, with);
		if (word[n] == '\0')
			continue;
		char *argument = word[n + 1] != '\0'
		    ? word + n + 1
		    : ward_conf_word(&rest, "");
		if (argument == NULL)
			return;
		if (word[n] == 'f' &&
		    !copy(options->file, sizeof(options->file), argument))
			options->too_many = true;
		if (word[n] == 'o')
			take_setting(options, argument, &rest);
	}
}

/* sshd's own -o wins over its file, in their order. */
static void
make_argv(const char **argv, const struct ward_sshd_options *options,
    const char *connection)
{
	size_t n = 0;

	argv[n++] = SSHD;
	argv[n++] = "-T";
	argv[n++] = "-f";
	argv[n++] = options == NULL ? WARD_SSHD_CONFIG : options->file;
	for (size_t i = 0; options != NULL && i < options->n; i++) {
		argv[n++] = "-o";
		argv[n++] = options->settings[i];
	}
	if (connection != NULL) {
		argv[n++] = "-C";
		argv[n++] = connection;
	}
	argv[n] = NULL;
}

int
ward_sshd_ask(const struct ward_sshd_options *options, const char *user,
    struct ward_run *run, struct err *err)
{
	char connection[256];
	const char *argv[8 + 2 * WARD_SSHD_SETTINGS];

	(void)snprintf(connection, sizeof(connection),
	    "user=%s,host=localhost,addr=127.0.0.1", user == NULL ? "" : user);
	make_argv(argv, options, user == NULL ? NULL : connection);
	/* it wants this even to be asked; its unit makes it at each start */
	bool made = mkdir(SSHD_RUN, 0755) == 0;
	int r = ward_run(argv, run, err);
	if (made)
		(void)rmdir(SSHD_RUN);
	if (r != 0)
		return r;
	if (run->status != 0) {
		run->output[strcspn(run->output, "\n")] = '\0';
		return ward_err_set(err, EINVAL,
		    SSHD " does not accept its configuration: %.300s",
		    run->output);
	}
	return 0;
}

/* The same, where it must use PAM. */
static int
ask_sshd(const char *user, struct ward_run *run, struct err *err)
{
	int r = ward_sshd_ask(NULL, user, run, err);

	if (r != 0)
		return r;
	/* without PAM, sftp and forwards would be outside */
	if (!is_set_to(run->output, "usepam", "yes"))
		return ward_err_set(err, EINVAL,
		    "sshd does not use PAM, so nothing would place its "
		    "sessions in a sandbox: put 'UsePAM yes' "
		    "into " WARD_SSHD_CONFIG);
	return 0;
}

static int
write_snippet(bool *changed, struct err *err)
{
	size_t size;
	char *old = NULL;
	struct err ignored = { 0 };

	*changed = true;
	if (ward_edit_read(WARD_SSHD_SNIPPET, &old, &size, &ignored) == 0)
		*changed = strcmp(old, snippet) != 0;
	free(old);
	return *changed ? ward_edit_write(WARD_SSHD_SNIPPET, snippet, 0644, err)
			: 0;
}

int
ward_sshd_enable(bool *there, bool *changed, struct err *err)
{
	*changed = false;
	*there = ward_run_is_there(SSHD);
	if (!*there)
		return 0;
	_cleanup_free_ struct ward_run *run = malloc(sizeof(*run));
	if (run == NULL)
		return ward_err_sys(err, ENOMEM, SSHD);
	int r = ward_edit_make_directory("/etc/ssh/sshd_config.d", 0755, err);
	if (r == 0)
		r = check_include(err);
	if (r == 0)
		r = write_snippet(changed, err);
	return r == 0 ? ask_sshd(NULL, run, err) : r;
}

int
ward_sshd_disable(bool *changed, struct err *err)
{
	*changed = access(WARD_SSHD_SNIPPET, F_OK) == 0;
	return ward_edit_remove(WARD_SSHD_SNIPPET, err);
}

int
ward_sshd_verify_account(const char *name, struct err *err)
{
	if (!ward_run_is_there(SSHD))
		return 0;
	_cleanup_free_ struct ward_run *run = malloc(sizeof(*run));
	if (run == NULL)
		return ward_err_sys(err, ENOMEM, SSHD);
	int r = ask_sshd(name, run, err);
	if (r != 0)
		return r;
	if (is_set_to(run->output, "authorizedkeysfile", KEYS))
		return 0;
	return ward_err_set(err, EINVAL,
	    "sshd would not read %s's keys from " WARD_AUTHORIZED_KEYS
	    ": something before " WARD_SSHD_SNIPPET
	    " sets AuthorizedKeysFile; see '" SSHD
	    " -T -C user=%s,host=localhost,addr=127.0.0.1'",
	    name, name);
}

bool
ward_sshd_is_running(void)
{
	char text[32] = "";
	uint64_t pid;
	_cleanup_fd_ int fd = open("/run/sshd.pid", O_RDONLY | O_CLOEXEC);

	if (fd < 0 || read(fd, text, sizeof(text) - 1) <= 0)
		return false;
	text[strcspn(text, "\n")] = '\0';
	return ward_number_parse(text, INT32_MAX, &pid) == 0 && pid > 0 &&
	    kill((pid_t)pid, 0) == 0;
}
