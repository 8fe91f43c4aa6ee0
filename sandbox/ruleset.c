/* SPDX-License-Identifier: ISC */
/* The Landlock ruleset of a view. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/landlock.h"
#include "sandbox/ruleset.h"

/*
 * REFER as well, and on every writable place: with WRITE_FILE alone the kernel
 * refuses each rename between directories (EXDEV; landlock(7), ABI 2).
 */
#define HANDLED (LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REFER)

/* Linux 6.2; the headers of Debian 12 do not know it. */
#ifndef LANDLOCK_ACCESS_FS_TRUNCATE
#define LANDLOCK_ACCESS_FS_TRUNCATE (1ULL << 14)
#endif
#define ABI_TRUNCATE 3

/*
 * Where the kernel can, truncating too: of a file that the caller handed in,
 * /proc/self/fd leads to the host's own mount, which is not read-only.
 */
static uint64_t
handled(void)
{
	return HANDLED |
	    (ward_landlock_abi() >= ABI_TRUNCATE ? LANDLOCK_ACCESS_FS_TRUNCATE
						 : 0);
}

static int
add(int ruleset_fd, uint64_t access, const char *path, struct err *err)
{
	struct landlock_path_beneath_attr rule = { 0 };
	struct stat st;
	_cleanup_fd_ int fd = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0)
		return ward_err_sys(err, errno, "landlock: %s", path);
	if (fstat(fd, &st) != 0)
		return ward_err_sys(err, errno, "landlock: %s", path);
	rule.parent_fd = fd;
	/* a file has no names to refer to */
	rule.allowed_access = S_ISDIR(st.st_mode)
	    ? access
	    : access & ~(uint64_t)LANDLOCK_ACCESS_FS_REFER;
	if (syscall(SYS_landlock_add_rule, ruleset_fd,
		LANDLOCK_RULE_PATH_BENEATH, &rule, 0) != 0)
		return ward_err_sys(err, errno, "landlock: rule for %s", path);
	return 0;
}

int
ward_ruleset_make(const struct ward_layout *layout, uid_t uid, struct err *err)
{
	static const char *const always[] = { "/dev", "/proc", "/tmp",
		"/var/tmp" };
	const struct landlock_ruleset_attr attr = {
		.handled_access_fs = handled(),
	};
	char user[32];
	_cleanup_fd_ int fd =
	    (int)syscall(SYS_landlock_create_ruleset, &attr, sizeof(attr), 0);

	if (fd < 0)
		return ward_err_sys(err, errno, "landlock_create_ruleset");
	(void)snprintf(user, sizeof(user), "/run/user/%u", (unsigned)uid);
	int r = add(fd, attr.handled_access_fs, user, err);
	for (size_t i = 0; r == 0 && i < sizeof(always) / sizeof(always[0]);
	     i++)
		r = add(fd, attr.handled_access_fs, always[i], err);
	for (size_t i = 0; r == 0 && i < layout->n_mounts; i++)
		/* what is kept is below a place that has a rule */
		if (layout->mounts[i].writable && !layout->mounts[i].kept)
			r = add(fd, attr.handled_access_fs,
			    layout->mounts[i].path, err);
	return r != 0 ? r : ward_steal_fd(&fd);
}
