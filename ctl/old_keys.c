/* SPDX-License-Identifier: ISC */
/* The public keys that let in an account which is not governed. */
#include "config.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/path.h"
#include "common/text.h"
#include "ctl/edit.h"
#include "ctl/old_keys.h"
#include "ctl/run.h"
#include "ctl/sshd.h"

#define BLANKS " \t"

static bool
is_safe(const struct stat *st, const struct ward_account *account)
{
	return (st->st_uid == 0 || st->st_uid == account->uid) &&
	    (st->st_mode & 022) == 0;
}

/*
 * As sshd's StrictModes: nobody else could have written it.  Up to the home, or
 * to the root for what is not in it.
 */
static int
check_above(
    const char *file, const struct ward_account *account, struct err *err)
{
	struct stat st;
	_cleanup_free_ char *path = strdup(file);

	if (path == NULL)
		return ward_err_sys(err, ENOMEM, "keys");
	do {
		ward_path_to_parent(path);
		if (lstat(path, &st) != 0)
			return ward_err_sys(err, errno, "%s", path);
		if (!is_safe(&st, account))
			return ward_err_set(
			    err, EPERM, "others can write %s", path);
	} while (strcmp(path, account->home) != 0 && strcmp(path, "/") != 0);
	return 0;
}

/*
 * Nothing that the account can make leads elsewhere: no link is followed, and
 * what has a second name may be somebody else's file.
 */
static int
read_file(const char *file, const struct ward_account *account, char **text,
    struct err *err)
{
	struct open_how how = {
		.flags = O_PATH | O_CLOEXEC,
		.resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
	};
	struct stat st;
	char path[64];
	size_t size;

	int r = check_above(file, account, err);
	if (r != 0)
		return r;
	_cleanup_fd_ int fd =
	    (int)syscall(SYS_openat2, AT_FDCWD, file, &how, sizeof(how));
	if (fd < 0 || fstat(fd, &st) != 0)
		return ward_err_sys(err, errno, "it cannot be opened");
	if (!S_ISREG(st.st_mode) || st.st_nlink != 1 || !is_safe(&st, account))
		return ward_err_set(err, EPERM,
		    "it is not a plain file that only the account can write");
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return ward_edit_read(path, text, &size, err);
}

/* Anything but blank lines and comments. */
static bool
has_keys(const char *text)
{
	for (const char *line = text; *line != '\0';) {
		line += strspn(line, BLANKS "\r\n");
		if (*line != '#' && *line != '\0')
			return true;
		line += strcspn(line, "\n");
	}
	return false;
}

static int
append(char **text, const char *more, struct err *err)
{
	char *both = NULL;
	size_t n = strlen(more);

	if (asprintf(&both, "%s%s%s", *text, more,
		n == 0 || more[n - 1] == '\n' ? "" : "\n") < 0)
		return ward_err_sys(err, ENOMEM, "keys");
	free(*text);
	*text = both;
	return 0;
}

/* One file: into keys, or into left. */
static int
take_file(const char *file, const struct ward_account *account, char **keys,
    char **from, char **left, struct err *err)
{
	char visible[512], line[1100];
	struct stat st;
	char *read = NULL;
	struct err why = { 0 };

	if (lstat(file, &st) != 0 && errno == ENOENT)
		return 0;
	(void)ward_text_visible(visible, sizeof(visible), file);
	int r = read_file(file, account, &read, &why);
	_cleanup_free_ char *text = read;
	if (r != 0) {
		(void)snprintf(line, sizeof(line), "%s: %s", visible, why.text);
		return append(left, line, err);
	}
	assert(text != NULL);
	if (!has_keys(text))
		return 0;
	r = append(keys, text, err);
	return r == 0 ? append(from, visible, err) : r;
}

static int
take_all(const char *patterns, const struct ward_account *account, char **keys,
    char **from, char **left, struct err *err)
{
	int r = 0;
	_cleanup_free_ char *copy = strdup(patterns);
	char *rest = copy, *pattern;

	if (copy == NULL)
		return ward_err_sys(err, ENOMEM, "keys");
	while (r == 0 && (pattern = strsep(&rest, BLANKS)) != NULL) {
		if (pattern[0] == '\0' || strcmp(pattern, "none") == 0)
			continue;
		_cleanup_free_ char *file =
		    ward_old_keys_expand(pattern, account, err);
		r = file == NULL
		    ? -EINVAL
		    : take_file(file, account, keys, from, left, err);
	}
	return r;
}

int
ward_old_keys_read(const struct ward_account *account, char **keys, char **from,
    char **left, struct err *err)
{
	char patterns[1024];
	_cleanup_free_ struct ward_run *run = malloc(sizeof(*run));

	*keys = strdup("");
	*from = strdup("");
	*left = strdup("");
	int r = run == NULL || *keys == NULL || *from == NULL || *left == NULL
	    ? ward_err_sys(err, ENOMEM, "keys")
	    : 0;
	if (r == 0 && ward_sshd_is_there()) {
		r = ward_sshd_ask(NULL, account->name, run, err);
		if (r == 0 &&
		    ward_sshd_value(run->output, "authorizedkeysfile", 0,
			patterns, sizeof(patterns)))
			r = take_all(patterns, account, keys, from, left, err);
	}
	if (r == 0)
		return 0;
	free(*keys);
	free(*from);
	free(*left);
	*keys = *from = *left = NULL;
	return r;
}
