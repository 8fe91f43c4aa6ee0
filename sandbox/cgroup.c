/* SPDX-License-Identifier: ISC */
/* Takes a process of Ward's out of the control group that it was born in. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "sandbox/cgroup.h"

#define GROUP      "ward"
#define OOM_ADJUST "-900"

/* The unified hierarchy, alone or beside version 1; and systemd's own. */
static const char *const roots[] = { "/sys/fs/cgroup", "/sys/fs/cgroup/unified",
	"/sys/fs/cgroup/systemd" };

static int
write_text(int dfd, const char *path, const char *text)
{
	_cleanup_fd_ int fd = openat(dfd, path, O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	return write(fd, text, strlen(text)) < 0 ? -errno : 0;
}

static void
move_below(const char *root, const char *number)
{
	_cleanup_fd_ int dfd = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (dfd < 0 || faccessat(dfd, "cgroup.procs", F_OK, 0) != 0)
		return;
	if (mkdirat(dfd, GROUP, 0755) != 0 && errno != EEXIST)
		return;
	(void)write_text(dfd, GROUP "/cgroup.procs", number);
}

void
ward_cgroup_move(pid_t pid)
{
	char number[16], path[64];

	(void)snprintf(number, sizeof(number), "%d", (int)pid);
	for (size_t i = 0; i < sizeof(roots) / sizeof(roots[0]); i++)
		move_below(roots[i], number);
	(void)snprintf(path, sizeof(path), "/proc/%d/oom_score_adj", (int)pid);
	(void)write_text(AT_FDCWD, path, OOM_ADJUST);
}
