/* SPDX-License-Identifier: ISC */
/* Starts what a sandbox's masks are made of. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/fd.h"
#include "common/places.h"
#include "sandbox/looks_start.h"
#include "sandbox/masks_tree.h"
#include "sandbox/servant.h"

/* --- the file system --- */

/*
 * For all uids, since the account's are not the server's.  The kernel checks no
 * modes: it would refuse a hidden file unseen.
 */
static int
configure(int fs_fd, int fuse_fd, struct err *err)
{
	char number[16];

	(void)snprintf(number, sizeof(number), "%d", fuse_fd);
	const struct {
		const char *key, *value;
	} settings[] = {
		{ "fd", number },
		{ "rootmode", "40555" },
		{ "user_id", "0" },
		{ "group_id", "0" },
		{ "source", "ward" },
	};
	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++)
		if (fsconfig(fs_fd, FSCONFIG_SET_STRING, settings[i].key,
			settings[i].value, 0) != 0)
			return ward_err_sys(
			    err, errno, "fuse: %s", settings[i].key);
	if (fsconfig(fs_fd, FSCONFIG_SET_FLAG, "allow_other", NULL, 0) != 0)
		return ward_err_sys(err, errno, "fuse: allow_other");
	if (fsconfig(fs_fd, FSCONFIG_CMD_CREATE, NULL, NULL, 0) != 0)
		return ward_err_sys(err, errno, "cannot make a fuse");
	return 0;
}

int
ward_looks_open(int *mount_fd, struct err *err)
{
	_cleanup_fd_ int fuse_fd =
	    open("/dev/fuse", O_RDWR | O_NONBLOCK | O_CLOEXEC);

	if (fuse_fd < 0)
		return ward_err_sys(err, errno, "/dev/fuse");
	_cleanup_fd_ int fs_fd = fsopen("fuse", FSOPEN_CLOEXEC);
	if (fs_fd < 0)
		return ward_err_sys(err, errno, "fsopen fuse");
	int r = configure(fs_fd, fuse_fd, err);
	if (r != 0)
		return r;
	*mount_fd = fsmount(fs_fd, FSMOUNT_CLOEXEC,
	    MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC);
	return *mount_fd < 0 ? ward_err_sys(err, errno, "fsmount fuse")
			     : ward_steal_fd(&fuse_fd);
}

/* --- its server --- */

/* The tree as a memfd that nobody changes. */
static int
make_tree(const struct ward_layout *layout, struct err *err)
{
	void *data = NULL;
	size_t size = 0;
	int fd = ward_masks_pack(layout, &data, &size);

	if (fd == 0)
		fd = ward_fd_sealed("ward-masks", data, size);
	free(data);
	return fd >= 0 ? fd : ward_err_sys(err, -fd, "the masks");
}

pid_t
ward_looks_serve(const struct ward_layout *layout, uid_t uid, gid_t gid,
    int fuse_fd, int *socket_fd, struct err *err)
{
	_cleanup_fd_ int tree_fd = make_tree(layout, err);
	if (tree_fd < 0)
		return tree_fd;
	const struct ward_servant masks = {
		.program = WARD_MASKS,
		.name = "ward-masks",
		.uid = uid,
		.gid = gid,
		/* in the order of sandbox/masks.c */
		.fds = { fuse_fd, tree_fd },
		.n_fds = 2,
	};
	return ward_servant_start(&masks, socket_fd, err);
}
