/* SPDX-License-Identifier: ISC */
/* Changes to a view that stands: a mask more, a mount less. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/path.h"
#include "sandbox/cover.h"
#include "sandbox/frame.h"
#include "sandbox/own_files.h"

/* A link is followed, within the view, only where resolve is 0. */
static int
open_as(int view_dfd, const char *path, uint64_t resolve, struct err *err)
{
	struct open_how how = {
		.flags = O_PATH | O_CLOEXEC |
		    (uint64_t)(resolve == 0 ? 0 : O_NOFOLLOW),
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS | resolve,
	};
	long fd = syscall(SYS_openat2, view_dfd, path, &how, sizeof(how));

	if (fd < 0)
		return ward_err_sys(err, errno, "cannot be opened in the view");
	return (int)fd;
}

static int
open_in_view(int view_dfd, const char *path, struct err *err)
{
	return open_as(view_dfd, path, RESOLVE_NO_SYMLINKS, err);
}

int
ward_cover_masks(int view_dfd, struct err *err)
{
	return open_in_view(view_dfd, "/" WARD_FRAME_MASKS, err);
}

static int
put(int target_fd, int masks_dfd, const char *mask, struct err *err)
{
	_cleanup_fd_ int mount_fd = ward_frame_clone(masks_dfd, mask,
	    MOUNT_ATTR_RDONLY | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC, err);

	if (mount_fd < 0)
		return mount_fd;
	if (move_mount(mount_fd, "", target_fd, "",
		MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH) != 0)
		/* it went again meanwhile */
		return errno == ENOENT
		    ? -ENOENT
		    : ward_err_sys(err, errno, "cannot be hidden again");
	return 0;
}

int
ward_cover(int view_dfd, int masks_dfd, const char *path, struct err *err)
{
	struct stat st;
	_cleanup_fd_ int target_fd = open_in_view(view_dfd, path, err);

	if (target_fd == -ENOTDIR)
		return -ENOENT;
	if (target_fd < 0)
		return target_fd;
	if (fstat(target_fd, &st) != 0)
		return ward_err_sys(err, errno, "stat");
	if (S_ISLNK(st.st_mode))
		return ward_err_set(err, ELOOP, "became a link");
	return put(target_fd, masks_dfd,
	    S_ISDIR(st.st_mode) ? WARD_FRAME_EMPTY : WARD_FRAME_FILE, err);
}

int
ward_cover_own(
    int view_dfd, int masks_dfd, enum ward_own_file file, struct err *err)
{
	struct stat st, masks;
	_cleanup_fd_ int target_fd =
	    open_as(view_dfd, ward_own_file_path(file), 0, err);

	if (target_fd < 0)
		return target_fd;
	if (fstat(target_fd, &st) != 0 || fstat(masks_dfd, &masks) != 0)
		return ward_err_sys(err, errno, "stat");
	/* of the masks' file system: it is there, or hidden */
	if (st.st_dev == masks.st_dev || !S_ISREG(st.st_mode))
		return 0;
	int r = put(target_fd, masks_dfd, ward_own_file_name(file), err);
	if (r == -ENOENT)
		return -EAGAIN;
	return r == 0 ? 1 : r;
}

int
ward_cover_keep(int view_dfd, const char *path, bool writable, struct err *err)
{
	struct mount_attr attr = {
		.attr_set = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV |
		    (writable ? 0 : MOUNT_ATTR_RDONLY),
		.propagation = MS_PRIVATE,
	};
	_cleanup_fd_ int fd = open_in_view(view_dfd, path, err);

	if (fd == -ENOTDIR)
		return -ENOENT;
	if (fd < 0)
		return fd;
	_cleanup_fd_ int mount_fd = open_tree(
	    fd, "", OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_EMPTY_PATH);
	if (mount_fd < 0)
		return ward_err_sys(err, errno, "cannot be cloned");
	if (mount_setattr(mount_fd, "", AT_EMPTY_PATH, &attr, sizeof(attr)) !=
	    0)
		return ward_err_sys(err, errno, "cannot be closed");
	/* on the very file, wherever its name is by now */
	if (move_mount(mount_fd, "", fd, "",
		MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH) != 0)
		/* it went meanwhile */
		return errno == ENOENT
		    ? -ENOENT
		    : ward_err_sys(err, errno, "cannot be closed");
	return 0;
}

bool
ward_cover_is_there(int view_dfd, const char *path)
{
	struct err ignored = { 0 };
	_cleanup_fd_ int fd = open_in_view(view_dfd, path, &ignored);

	return fd >= 0;
}

int
ward_uncover(int view_dfd, const char *path, struct err *err)
{
	_cleanup_free_ char *above = strdup(path);

	if (above == NULL)
		return ward_err_sys(err, ENOMEM, "is unmounted");
	ward_path_to_parent(above);
	_cleanup_fd_ int dfd = open_in_view(view_dfd, above, err);
	if (dfd == -ENOENT || dfd == -ENOTDIR || dfd == -ELOOP)
		return 0;
	if (dfd < 0)
		return dfd;
	if (fchdir(dfd) != 0)
		return ward_err_sys(err, errno, "is unmounted");
	/* EINVAL: it is no mount; the last component is no link either */
	if (umount2(ward_path_base(path), MNT_DETACH | UMOUNT_NOFOLLOW) != 0 &&
	    errno != EINVAL && errno != ENOENT)
		return ward_err_sys(err, errno, "cannot be let go");
	return 0;
}
