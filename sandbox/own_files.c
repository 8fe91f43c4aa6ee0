/* SPDX-License-Identifier: ISC */
/* The files of /etc that a filtered sandbox has of its own. */
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/path.h"
#include "sandbox/own_files.h"

static const struct {
	const char *path, *name;
} files[WARD_OWN_FILES] = {
	[WARD_OWN_RESOLV_CONF] = { "/etc/resolv.conf", "resolv.conf" },
	[WARD_OWN_HOSTS] = { "/etc/hosts", "hosts" },
};

const char *
ward_own_file_path(enum ward_own_file file)
{
	return files[file].path;
}

const char *
ward_own_file_name(enum ward_own_file file)
{
	return files[file].name;
}

void
ward_own_file_text(enum ward_own_file file, char *text, size_t size)
{
	struct utsname host = { .nodename = "" };

	switch (file) {
	case WARD_OWN_RESOLV_CONF:
		(void)snprintf(text, size,
		    "# Ward's: the sandbox's own resolver, which asks nobody.\n"
		    "nameserver 127.0.0.1\n"
		    "options attempts:2 timeout:5\n");
		break;
	case WARD_OWN_HOSTS:
		/* by both of its names, as Debian has it */
		(void)uname(&host);
		(void)snprintf(text, size,
		    "# Ward's: the host's own names are looked up on the "
		    "host.\n"
		    "127.0.0.1 localhost\n"
		    "::1 localhost ip6-localhost ip6-loopback\n"
		    "127.0.1.1 %s %.*s\n",
		    host.nodename, (int)strcspn(host.nodename, "."),
		    host.nodename);
		break;
	case WARD_OWN_FILES:
		text[0] = '\0';
		break;
	}
}

/*
 * One link, to a file that is not there now: in /run, where its maker may not
 * be up.  The path, or NULL.
 */
static char *
read_dangling(const char *link)
{
	char text[PATH_MAX];
	ssize_t n = readlink(link, text, sizeof(text) - 1);

	if (n <= 0)
		return NULL;
	text[n] = '\0';
	/* relative to /etc */
	const char *path = strncmp(text, "../run/", 7) == 0 ? text + 2 : text;
	if (strncmp(path, "/run/", 5) != 0 || strstr(path, "/../") != NULL)
		return NULL;
	char *copy = strdup(path);
	if (copy != NULL)
		ward_path_fold(copy);
	return copy;
}

int
ward_own_files_place(struct ward_layout *layout, struct err *err)
{
	int r = 0;

	layout->has_own = true;
	for (unsigned i = 0; r == 0 && i < WARD_OWN_FILES; i++) {
		_cleanup_free_ char *path = realpath(files[i].path, NULL);
		if (path == NULL)
			path = read_dangling(files[i].path);
		if (path != NULL)
			r = ward_layout_add_own(
			    layout, (enum ward_own_file)i, path, err);
	}
	return r;
}
