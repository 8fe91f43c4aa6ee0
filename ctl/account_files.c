/* SPDX-License-Identifier: ISC */
/* What an account has in /etc besides its passwd line. */
#include "config.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/path.h"
#include "common/places.h"
#include "common/text.h"
#include "ctl/account_files.h"
#include "ctl/assign.h"
#include "ctl/edit.h"
#include "ctl/run.h"

#define UNITS     "/etc/systemd/system"
#define KEYGEN    "/usr/bin/ssh-keygen"
#define SYSTEMCTL "/usr/bin/systemctl"
#define MASKED    "/dev/null"
#define LINGER    "/var/lib/systemd/linger"
#define CRONTABS  "/var/spool/cron/crontabs"
#define AT_JOBS   "/var/spool/cron/atjobs"

/* Standard input, to its end. */
static int
read_input(char **text, struct err *err)
{
	char *buffer = malloc(WARD_EDIT_MAX + 1);
	size_t used = 0;

	if (buffer == NULL)
		return ward_err_sys(err, ENOMEM, "keys");
	while (used <= WARD_EDIT_MAX) {
		ssize_t n =
		    read(STDIN_FILENO, buffer + used, WARD_EDIT_MAX + 1 - used);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			free(buffer);
			return ward_err_sys(err, errno, "standard input");
		}
		if (n == 0)
			break;
		used += (size_t)n;
	}
	if (used > WARD_EDIT_MAX || memchr(buffer, '\0', used) != NULL) {
		free(buffer);
		return ward_err_set(
		    err, EINVAL, "standard input holds no public keys");
	}
	buffer[used] = '\0';
	*text = buffer;
	return 0;
}

/* By their text: whether sshd can use them is ssh-keygen's to say. */
static int
check_text(const char *keys, const char *from, struct err *err)
{
	if (strstr(keys, "PRIVATE KEY") != NULL)
		return ward_err_set(err, EINVAL,
		    "%s is a private key: give the one that ends in .pub",
		    from);
	if (strspn(keys, " \t\r\n") == strlen(keys))
		return ward_err_set(err, EINVAL, "%s holds no key", from);
	return 0;
}

int
ward_account_keys_read(const char *file, char **keys, struct err *err)
{
	char visible[256];
	size_t size;
	bool is_input = strcmp(file, "-") == 0;
	const char *from = is_input
	    ? "standard input"
	    : ward_text_visible(visible, sizeof(visible), file);

	*keys = NULL;
	int r = is_input ? read_input(keys, err)
			 : ward_edit_read(file, keys, &size, err);
	if (r == 0) {
		assert(*keys != NULL);
		r = check_text(*keys, from, err);
	}
	if (r != 0) {
		free(*keys);
		*keys = NULL;
	}
	return r;
}

static char *
keys_path(const char *name)
{
	char *path = NULL;

	return asprintf(&path, WARD_AUTHORIZED_KEYS "/%s", name) < 0 ? NULL
								     : path;
}

static int
check_keys(const char *path, struct err *err)
{
	const char *const argv[] = { KEYGEN, "-l", "-f", path, NULL };
	struct err why = { 0 };

	if (!ward_run_is_there(KEYGEN) || ward_run_check(argv, &why) == 0)
		return 0;
	return ward_err_set(err, EINVAL,
	    "what was given with --key holds no public key that ssh-keygen "
	    "can read");
}

int
ward_account_keys_write(const char *name, const char *keys, struct err *err)
{
	_cleanup_free_ char *path = keys_path(name);
	size_t n = strlen(keys);

	if (path == NULL)
		return ward_err_sys(err, ENOMEM, "%s", name);
	_cleanup_free_ char *text = NULL;
	if (asprintf(&text, "%s%s", keys,
		n == 0 || keys[n - 1] == '\n' ? "" : "\n") < 0) {
		text = NULL;
		return ward_err_sys(err, ENOMEM, "%s", name);
	}
	/* sshd reads it as the account */
	int r = ward_edit_write(path, text, 0644, err);
	if (r == 0 && n > 0)
		r = check_keys(path, err);
	if (r != 0)
		(void)ward_edit_remove(path, NULL);
	return r;
}

int
ward_account_keys_remove(const char *name, struct err *err)
{
	_cleanup_free_ char *path = keys_path(name);

	if (path == NULL)
		return ward_err_sys(err, ENOMEM, "%s", name);
	return ward_edit_remove(path, err);
}

bool
ward_account_has_keys(const char *name)
{
	_cleanup_free_ char *path = keys_path(name);

	return path != NULL && access(path, F_OK) == 0;
}

int
ward_account_keys_text(const char *name, char **keys, struct err *err)
{
	_cleanup_free_ char *path = keys_path(name);

	*keys = NULL;
	return path == NULL ? ward_err_sys(err, ENOMEM, "%s", name)
			    : ward_edit_read_any(path, keys, err);
}

static void
unit_path(uid_t uid, char *path, size_t size)
{
	(void)snprintf(path, size, UNITS "/user@%u.service", (unsigned)uid);
}

/* A manager that runs may know the unit under its old state. */
static int
reload_units(struct err *err)
{
	const char *const argv[] = { SYSTEMCTL, "daemon-reload", NULL };

	if (access("/run/systemd/system", F_OK) != 0 ||
	    !ward_run_is_there(SYSTEMCTL))
		return 0;
	return ward_run_check(argv, err);
}

bool
ward_account_is_masked(uid_t uid)
{
	char path[128], text[32];

	unit_path(uid, path, sizeof(path));
	ssize_t n = readlink(path, text, sizeof(text) - 1);
	text[n < 0 ? 0 : n] = '\0';
	return strcmp(text, MASKED) == 0;
}

bool
ward_account_lingers(const char *name)
{
	_cleanup_free_ char *path = ward_path_join(LINGER, name);

	return path != NULL && access(path, F_OK) == 0;
}

int
ward_account_mask(uid_t uid, struct err *err)
{
	char path[128];

	unit_path(uid, path, sizeof(path));
	if (access(UNITS, F_OK) != 0)
		return 0;
	if (symlink(MASKED, path) != 0) {
		if (errno != EEXIST)
			return ward_err_sys(err, errno, "%s", path);
		if (!ward_account_is_masked(uid))
			return ward_err_set(err, EEXIST,
			    "%s is there already: remove it", path);
	}
	int r = reload_units(err);
	if (r != 0)
		(void)ward_edit_remove(path, NULL);
	return r;
}

int
ward_account_unmask(uid_t uid, struct err *err)
{
	char path[128];

	unit_path(uid, path, sizeof(path));
	int r = ward_edit_remove(path, err);
	return r == 0 ? reload_units(err) : r;
}

int
ward_account_assign(const char *name, const char *profile, struct err *err)
{
	char *read = NULL, *made = NULL;

	int r = ward_edit_read_any(WARD_ASSIGNMENTS, &read, err);
	_cleanup_free_ char *text = read;
	if (r == 0)
		r = ward_assign_edit(text, name, profile, &made, err);
	if (r == 0)
		r = ward_edit_write(WARD_ASSIGNMENTS, made, 0644, err);
	free(made);
	return r;
}

int
ward_account_assigned(const char *name, char **profile, struct err *err)
{
	char *read = NULL;

	*profile = NULL;
	int r = ward_edit_read_any(WARD_ASSIGNMENTS, &read, err);
	_cleanup_free_ char *text = read;
	return r == 0 ? ward_assign_find(text, name, profile, err) : r;
}

bool
ward_account_has_crontab(const char *name)
{
	_cleanup_free_ char *path = ward_path_join(CRONTABS, name);

	return path != NULL && access(path, F_OK) == 0;
}

size_t
ward_account_at_jobs(uid_t uid)
{
	struct stat st;
	const struct dirent *entry;
	size_t n = 0;
	DIR *jobs = opendir(AT_JOBS);

	if (jobs == NULL)
		return 0;
	while ((entry = readdir(jobs)) != NULL)
		if (fstatat(dirfd(jobs), entry->d_name, &st,
			AT_SYMLINK_NOFOLLOW) == 0 &&
		    S_ISREG(st.st_mode) && st.st_uid == uid)
			n++;
	(void)closedir(jobs);
	return n;
}
