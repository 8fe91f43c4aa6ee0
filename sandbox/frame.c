/* SPDX-License-Identifier: ISC */
/* The frame: what a sandbox has for itself. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "sandbox/frame.h"
#include "sandbox/own_files.h"
#include "sandbox/readme.h"

/* The devices that programs expect; mem(4), null(4), random(4), tty(4). */
static const struct {
	const char *name;
	unsigned major, minor;
} devices[] = {
	{ "dev/null", 1, 3 },
	{ "dev/zero", 1, 5 },
	{ "dev/full", 1, 7 },
	{ "dev/random", 1, 8 },
	{ "dev/urandom", 1, 9 },
	{ "dev/tty", 5, 0 },
	/* finds the instance beside it, at /dev/pts (devpts of Linux 4.7) */
	{ "dev/ptmx", 5, 2 },
};

static const struct {
	const char *name, *text;
} links[] = {
	{ "dev/fd", "/proc/self/fd" },
	{ "dev/stdin", "/proc/self/fd/0" },
	{ "dev/stdout", "/proc/self/fd/1" },
	{ "dev/stderr", "/proc/self/fd/2" },
	{ "dev/core", "/proc/kcore" },
};

int
ward_frame_mount_new(
    const char *type, const char *size, uint64_t attributes, struct err *err)
{
	_cleanup_fd_ int fs_fd = fsopen(type, FSOPEN_CLOEXEC);

	if (fs_fd < 0)
		return ward_err_sys(err, errno, "fsopen %s", type);
	if (size != NULL &&
	    fsconfig(fs_fd, FSCONFIG_SET_STRING, "size", size, 0) != 0)
		return ward_err_sys(err, errno, "%s of size %s", type, size);
	if (strcmp(type, "tmpfs") == 0 &&
	    fsconfig(fs_fd, FSCONFIG_SET_STRING, "mode", "0755", 0) != 0)
		return ward_err_sys(err, errno, "mode of %s", type);
	/* so that whoever reads the mount table knows whose it is */
	if (fsconfig(fs_fd, FSCONFIG_SET_STRING, "source", "ward", 0) != 0)
		return ward_err_sys(err, errno, "source of %s", type);
	if (fsconfig(fs_fd, FSCONFIG_CMD_CREATE, NULL, NULL, 0) != 0)
		return ward_err_sys(err, errno, "cannot make a %s", type);
	int fd = fsmount(fs_fd, FSMOUNT_CLOEXEC, (unsigned)attributes);
	return fd < 0 ? ward_err_sys(err, errno, "fsmount %s", type) : fd;
}

static int
make_directory(int dfd, const char *name, mode_t mode, struct err *err)
{
	if (mkdirat(dfd, name, mode) != 0)
		return ward_err_sys(err, errno, "frame: mkdir %s", name);
	return 0;
}

/* For the account, or (owner NULL) for everybody. */
static int
make_open_directory(int dfd, const char *name, mode_t mode,
    const struct ward_frame_owner *owner, struct err *err)
{
	int r = make_directory(dfd, name, mode, err);

	if (r == 0 && owner != NULL &&
	    fchownat(dfd, name, owner->uid, owner->gid, AT_SYMLINK_NOFOLLOW) !=
		0)
		r = ward_err_sys(err, errno, "frame: chown %s", name);
	return r;
}

static int
make_file(int dfd, const char *name, struct err *err)
{
	if (mknodat(dfd, name, S_IFREG, 0) != 0)
		return ward_err_sys(err, errno, "frame: %s", name);
	return 0;
}

static int
make_dev(int dfd, struct err *err)
{
	int r = make_directory(dfd, WARD_FRAME_DEV, 0755, err);

	if (r == 0)
		r = make_directory(dfd, "dev/pts", 0755, err);
	if (r == 0)
		r = make_directory(dfd, "dev/shm", 0755, err);
	for (size_t i = 0; r == 0 && i < sizeof(devices) / sizeof(devices[0]);
	     i++) {
		dev_t device = makedev(devices[i].major, devices[i].minor);
		if (mknodat(dfd, devices[i].name, S_IFCHR | 0666, device) != 0)
			r = ward_err_sys(
			    err, errno, "frame: %s", devices[i].name);
	}
	for (size_t i = 0; r == 0 && i < sizeof(links) / sizeof(links[0]); i++)
		if (symlinkat(links[i].text, dfd, links[i].name) != 0)
			r = ward_err_sys(
			    err, errno, "frame: %s", links[i].name);
	return r;
}

/* Where the view shows them, a mask that is lost can be made anew. */
static int
make_masks(int dfd, struct err *err)
{
	int r = make_directory(dfd, WARD_FRAME_MASKS, 0700, err);

	if (r == 0)
		r = make_directory(
		    dfd, WARD_FRAME_MASKS "/" WARD_FRAME_EMPTY, 0555, err);
	if (r == 0)
		r = make_file(dfd, WARD_FRAME_MASKS "/" WARD_FRAME_FILE, err);
	return r;
}

static int
make_text(int dfd, const char *path, const char *text, struct err *err)
{
	_cleanup_fd_ int fd =
	    openat(dfd, path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0444);

	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		return ward_err_sys(err, errno, "frame: %s", path);
	return 0;
}

/* /run: the agent's socket is put in later, the user's directory mounted. */
static int
make_run(int dfd, const struct ward_frame_owner *owner, struct err *err)
{
	char name[32];
	int r = make_directory(dfd, WARD_FRAME_RUN, 0755, err);

	if (r == 0)
		r = make_directory(dfd, "run/ward", 0755, err);
	if (r == 0)
		r = make_masks(dfd, err);
	if (r == 0)
		r = make_text(dfd, WARD_README, ward_readme, err);
	if (r == 0)
		r = make_directory(dfd, "run/user", 0755, err);
	(void)snprintf(name, sizeof(name), "run/user/%u", (unsigned)owner->uid);
	return r != 0 ? r : make_directory(dfd, name, 0755, err);
}

/* At a path of the view, with the directories that lead there. */
static int
make_below_run(int dfd, const char *path, const char *text, struct err *err)
{
	char part[PATH_MAX];

	for (const char *s = strchr(path + sizeof("/run/") - 1, '/'); s != NULL;
	     s = strchr(s + 1, '/')) {
		(void)snprintf(
		    part, sizeof(part), "%.*s", (int)(s - path - 1), path + 1);
		if (mkdirat(dfd, part, 0755) != 0 && errno != EEXIST)
			return ward_err_sys(err, errno, "frame: %s", part);
	}
	return make_text(dfd, path + 1, text, err);
}

/*
 * For a mount, also for one that comes later; and where a link of the host's
 * leads to /run, there, too.
 */
static int
make_own_files(int dfd, const struct ward_layout *layout, struct err *err)
{
	char text[1024], path[64];
	int r = 0;

	for (unsigned i = 0; layout->has_own && r == 0 && i < WARD_OWN_FILES;
	     i++) {
		ward_own_file_text((enum ward_own_file)i, text, sizeof(text));
		(void)snprintf(path, sizeof(path), WARD_FRAME_MASKS "/%s",
		    ward_own_file_name((enum ward_own_file)i));
		r = make_text(dfd, path, text, err);
		if (r == 0 && layout->own[i] != NULL &&
		    strncmp(layout->own[i], "/run/", 5) == 0)
			r = make_below_run(dfd, layout->own[i], text, err);
	}
	return r;
}

const char *
ward_frame_skeleton(char *out, size_t n)
{
	(void)snprintf(out, 32, "skeleton-%zu", n);
	return out;
}

static int
make_skeletons(int dfd, const struct ward_layout *layout, struct err *err)
{
	char name[32], path[PATH_MAX];
	int r = 0;

	for (size_t i = 0; r == 0 && i < layout->n_skeletons; i++)
		r = make_directory(
		    dfd, ward_frame_skeleton(name, i), 0755, err);
	for (size_t i = 0; r == 0 && i < layout->n_nodes; i++) {
		const struct ward_layout_node *node = &layout->nodes[i];
		int n = snprintf(path, sizeof(path), "%s%s",
		    ward_frame_skeleton(name, node->skeleton), node->path);
		if (n < 0 || (size_t)n >= sizeof(path))
			return ward_err_sys(
			    err, ENAMETOOLONG, "frame: %s", node->path);
		switch (node->kind) {
		case WARD_NODE_DIRECTORY:
			r = make_directory(dfd, path, 0755, err);
			break;
		case WARD_NODE_FILE:
			r = make_file(dfd, path, err);
			break;
		case WARD_NODE_LINK:
			if (symlinkat(node->text, dfd, path) != 0)
				r = ward_err_sys(
				    err, errno, "frame: link %s", path);
			break;
		}
	}
	return r;
}

static int
make_scratch(int dfd, const struct ward_frame_owner *owner, uint64_t tmp_bytes,
    struct err *err)
{
	char size[32];

	(void)snprintf(size, sizeof(size), "%ju", (uintmax_t)tmp_bytes);
	_cleanup_fd_ int fd = ward_frame_mount_new("tmpfs",
	    tmp_bytes == WARD_UNLIMITED ? NULL : size,
	    MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV, err);
	if (fd < 0)
		return fd;
	int r = make_directory(dfd, "scratch", 0755, err);
	if (r != 0)
		return r;
	if (move_mount(fd, "", dfd, "scratch", MOVE_MOUNT_F_EMPTY_PATH) != 0)
		return ward_err_sys(err, errno, "cannot attach the scratch");
	r = make_open_directory(dfd, WARD_FRAME_TMP, 01777, NULL, err);
	if (r == 0)
		r = make_open_directory(
		    dfd, WARD_FRAME_VAR_TMP, 01777, NULL, err);
	if (r == 0)
		r = make_open_directory(dfd, WARD_FRAME_SHM, 01777, NULL, err);
	if (r == 0)
		r = make_open_directory(dfd, WARD_FRAME_USER, 0700, owner, err);
	return r;
}

int
ward_frame_make(const char *staging, const struct ward_layout *layout,
    const struct ward_frame_owner *owner, uint64_t tmp_bytes, struct err *err)
{
	_cleanup_fd_ int fd = ward_frame_mount_new(
	    "tmpfs", NULL, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC, err);

	if (fd < 0)
		return fd;
	/* 6.1 clones nothing of a mount that is attached nowhere */
	if (move_mount(fd, "", AT_FDCWD, staging, MOVE_MOUNT_F_EMPTY_PATH) != 0)
		return ward_err_sys(err, errno, "cannot attach the frame");
	_cleanup_fd_ int dfd =
	    open(staging, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (dfd < 0)
		return ward_err_sys(err, errno, "%s", staging);
	int r = make_directory(dfd, WARD_FRAME_ROOT, 0755, err);
	if (r == 0)
		r = make_directory(dfd, WARD_FRAME_EMPTY, 0555, err);
	if (r == 0)
		r = make_file(dfd, WARD_FRAME_FILE, err);
	if (r == 0)
		r = make_directory(dfd, WARD_FRAME_LOOKS, 0700, err);
	if (r == 0)
		r = make_dev(dfd, err);
	if (r == 0)
		r = make_run(dfd, owner, err);
	if (r == 0)
		r = make_own_files(dfd, layout, err);
	if (r == 0)
		r = make_skeletons(dfd, layout, err);
	if (r == 0)
		r = make_scratch(dfd, owner, tmp_bytes, err);
	return r != 0 ? r : ward_steal_fd(&dfd);
}

int
ward_frame_clone(
    int frame_dfd, const char *name, uint64_t attributes, struct err *err)
{
	struct mount_attr attr = {
		.attr_set = MOUNT_ATTR_NOSUID | attributes,
		.propagation = MS_PRIVATE,
	};
	_cleanup_fd_ int fd = open_tree(frame_dfd, name,
	    OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_SYMLINK_NOFOLLOW);

	if (fd < 0)
		return ward_err_sys(err, errno, "cannot clone %s", name);
	if (mount_setattr(fd, "", AT_EMPTY_PATH, &attr, sizeof(attr)) != 0)
		return ward_err_sys(err, errno, "attributes of %s", name);
	return ward_steal_fd(&fd);
}
