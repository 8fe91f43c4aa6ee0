/* SPDX-License-Identifier: ISC */
/* Sockets that a view does not have. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/limits.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/path.h"
#include "sandbox/remote.h"
#include "sandbox/unshown.h"
#include "sandbox/walk.h"

/* The C library's: each look-up of a user or host tries them. */
static const char *const by_the_way[] = { "/run/nscd", "/run/systemd",
	"/run/avahi-daemon" };

/*
 * On the host, with the account's ids: without a capability over files, and
 * through no link (its groups are the process' since the plan was made).
 */
static int
open_as(const struct ward_connector_of *of, int dfd, const char *path,
    uint64_t resolve)
{
	struct open_how how = {
		.flags = O_PATH | O_NOFOLLOW | O_CLOEXEC,
		.resolve =
		    RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS | resolve,
	};
	const struct ward_walk_account account = {
		.uid = of->uid,
		.gid = of->gid,
	};
	int fd = -EACCES;

	if (ward_walk_as(&account) == 0) {
		fd = (int)syscall(SYS_openat2, dfd, path, &how, sizeof(how));
		if (fd < 0)
			fd = -errno;
	}
	/* back, whatever of it was done */
	if (ward_walk_as(NULL) == 0)
		return fd;
	if (fd >= 0)
		(void)close(fd);
	return -EACCES;
}

static bool
is_socket(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISSOCK(st.st_mode);
}

/* Debian's /var/run is a link to it. */
static const char *
in_run(const char *path)
{
	return strncmp(path, "/var/run/", 9) == 0 ? path + 4 : path;
}

int
ward_unshown_open(const struct ward_plan *plan,
    const struct ward_connector_of *of, struct ward_caller *caller)
{
	_cleanup_free_ char *folded = strdup(in_run(caller->path));

	if (folded == NULL)
		return ENOMEM;
	ward_path_fold(folded);
	if (caller->request.how != WARD_CONNECT_ABSOLUTE ||
	    !ward_plan_is_host_run(folded) || strstr(folded, "/..") != NULL ||
	    ward_plan_decide_socket(plan, folded).state != WARD_SOCKET_OPEN)
		return 0;
	int fd = open_as(of, AT_FDCWD, folded, 0);
	if (fd < 0)
		return -fd;
	caller->base_dfd = fd;
	caller->request.how = WARD_CONNECT_HERE;
	return is_socket(fd) ? 0 : ECONNREFUSED;
}

static bool
is_by_the_way(const char *path)
{
	for (size_t i = 0; i < sizeof(by_the_way) / sizeof(by_the_way[0]); i++)
		if (ward_path_is_below(path, by_the_way[i]))
			return true;
	return false;
}

/*
 * Without Ward this socket would be there.  Not in what is mounted below: its
 * server might hold up everybody.
 */
static bool
is_in_host_run(const struct ward_connector_of *of, const char *place)
{
	_cleanup_fd_ int run_dfd =
	    open("/run", O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (run_dfd < 0)
		return false;
	_cleanup_fd_ int fd =
	    open_as(of, run_dfd, place + strlen("/run/"), RESOLVE_NO_XDEV);
	return fd >= 0 && is_socket(fd);
}

char *
ward_unshown_place(const struct ward_plan *plan,
    const struct ward_connector_of *of, const struct ward_caller *caller)
{
	char spelled[PATH_MAX];

	if ((caller->request.how != WARD_CONNECT_ABSOLUTE &&
		caller->request.how != WARD_CONNECT_RELATIVE) ||
	    !ward_remote_spelled(caller->base_dfd, caller->path, spelled))
		return NULL;
	const char *place = in_run(spelled);
	if (ward_plan_decide_socket(plan, place).state != WARD_SOCKET_CLOSED)
		return NULL;
	if (!ward_plan_is_host_run(place))
		return ward_plan_decide(plan, place).state == WARD_HIDDEN
		    ? strdup(place)
		    : NULL;
	return !is_by_the_way(place) && is_in_host_run(of, place)
	    ? strdup(place)
	    : NULL;
}
