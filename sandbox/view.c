/* SPDX-License-Identifier: ISC */
/*
 * Builds the view.  All of it happens in the new mount namespace, whose copy
 * of the host's tree is thrown away at the end.  The order is what Linux 6.1
 * accepts: nothing is assembled detached; each clone gets its attributes while
 * it is detached, and is then attached to a tree that is.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "sandbox/agent_socket.h"
#include "sandbox/cover.h"
#include "sandbox/frame.h"
#include "sandbox/masks_tree.h"
#include "sandbox/own_files.h"
#include "sandbox/ruleset.h"
#include "sandbox/view.h"

struct builder {
	const struct ward_view_request *request;
	int frame_dfd;
	int root_dfd;  /* of the view */
	int looks_dfd; /* the masks; -1: the frame's own */
};

/*
 * The path of a place in the view that is being built.  No link is followed:
 * the layout has canonical paths, and what became a link has changed.
 */
static int
open_in_view(const struct builder *b, const char *path, struct err *err)
{
	struct open_how how = {
		.flags = O_PATH | O_CLOEXEC | O_NOFOLLOW,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_SYMLINKS |
		    RESOLVE_NO_MAGICLINKS,
	};
	long fd = syscall(SYS_openat2, b->root_dfd, path, &how, sizeof(how));

	if (fd < 0)
		return ward_err_sys(err, errno, "%s in the view", path);
	return (int)fd;
}

static int
attach_at(int mount_fd, int target_fd, const char *path, struct err *err)
{
	if (move_mount(mount_fd, "", target_fd, "",
		MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH) != 0)
		return ward_err_sys(err, errno, "cannot attach %s", path);
	return 0;
}

static int
attach(const struct builder *b, int mount_fd, const char *path, struct err *err)
{
	_cleanup_fd_ int target_fd = open_in_view(b, path, err);

	return target_fd < 0 ? target_fd
			     : attach_at(mount_fd, target_fd, path, err);
}

/* A detached mount of a place of the host, nosuid and nodev. */
static int
clone_place(int place_fd, const char *path, bool writable, struct err *err)
{
	struct mount_attr attr = {
		.attr_set = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV |
		    (writable ? 0 : MOUNT_ATTR_RDONLY),
		.propagation = MS_PRIVATE,
	};
	_cleanup_fd_ int fd = open_tree(
	    place_fd, "", OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_EMPTY_PATH);

	if (fd < 0)
		return ward_err_sys(err, errno, "cannot clone %s", path);
	if (mount_setattr(fd, "", AT_EMPTY_PATH, &attr, sizeof(attr)) != 0)
		return ward_err_sys(err, errno, "attributes of %s", path);
	return ward_steal_fd(&fd);
}

/*
 * What is covered in the view must be what was resolved on the host: a tree
 * that the account can write may have changed in between.
 */
static int
check_same(int place_fd, int target_fd, const char *path, struct err *err)
{
	struct stat here, there;

	if (fstat(place_fd, &there) != 0 || fstat(target_fd, &here) != 0)
		return ward_err_sys(err, errno, "%s", path);
	if (here.st_dev == there.st_dev && here.st_ino == there.st_ino)
		return 0;
	return ward_err_set(err, ESTALE, "%s: it changed meanwhile", path);
}

/* The host's place.  Where root mounted something, no account made a link. */
static int
open_place(
    const struct builder *b, const struct ward_layout_mount *m, struct err *err)
{
	struct open_how how = {
		.flags = O_PATH | O_CLOEXEC | O_NOFOLLOW,
		.resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
	};

	if (!m->is_mount || m->kind == WARD_LAYOUT_HOME)
		return ward_walk_open(b->request->account, m->path, err);
	long fd = syscall(SYS_openat2, AT_FDCWD, m->path, &how, sizeof(how));
	return fd < 0 ? ward_err_sys(err, errno, "%s", m->path) : (int)fd;
}

/*
 * A protected name, or what leads to it: what is there in the view, on itself,
 * whatever the host made of it meanwhile.  What went is no reason to refuse a
 * session: others work in such a tree, and the keeper looks again.
 */
static int
keep(
    const struct builder *b, const struct ward_layout_mount *m, struct err *err)
{
	struct err why = { 0 };
	int r = ward_cover_keep(b->root_dfd, m->path, m->writable, &why);

	return r == 0 || r == -ENOENT || r == -ELOOP
	    ? 0
	    : ward_err_set(err, -r, "%s %s", m->path, why.text);
}

static int
show(
    const struct builder *b, const struct ward_layout_mount *m, struct err *err)
{
	_cleanup_fd_ int target_fd = open_in_view(b, m->path, err);
	if (target_fd < 0)
		return target_fd;
	/* a pin is of the view's own, also where the account may not look */
	_cleanup_fd_ int place_fd =
	    m->is_pin ? open_in_view(b, m->path, err) : open_place(b, m, err);
	if (place_fd < 0)
		return place_fd;
	if (m->kind == WARD_LAYOUT_SHOW && !m->is_mount && !m->in_skeleton) {
		int r = check_same(place_fd, target_fd, m->path, err);
		if (r != 0)
			return r;
	}
	_cleanup_fd_ int mount_fd =
	    clone_place(place_fd, m->path, m->writable, err);
	if (mount_fd < 0)
		return mount_fd;
	return attach_at(mount_fd, target_fd, m->path, err);
}

/*
 * The same as below, of the file system that is served.  A hidden file is not
 * read-only: its server refuses, and with EACCES as modes would; the kernel
 * looks at no modes there.
 */
static int
clone_served(const struct builder *b, const struct ward_layout_mount *m,
    bool is_directory, struct err *err)
{
	char name[32];
	size_t i = (size_t)(m - b->request->layout->mounts);

	if (is_directory)
		return ward_frame_clone(b->looks_dfd,
		    ward_masks_directory(name, i),
		    MOUNT_ATTR_RDONLY | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC,
		    err);
	return ward_frame_clone(b->looks_dfd, ward_masks_file(name, i),
	    MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC, err);
}

/*
 * A detached mount of an empty directory or file, or of a skeleton.  Of what
 * stands where the host has mounted something nobody has said which it is.
 */
static int
clone_mask(const struct builder *b, const struct ward_layout_mount *m,
    bool is_directory, struct err *err)
{
	char name[32];
	const char *mask = WARD_FRAME_FILE;

	if (b->looks_dfd >= 0)
		return clone_served(b, m, is_directory, err);
	if (is_directory)
		mask = m->skeleton == WARD_LAYOUT_EMPTY
		    ? WARD_FRAME_EMPTY
		    : ward_frame_skeleton(name, m->skeleton);
	return ward_frame_clone(b->frame_dfd, mask,
	    MOUNT_ATTR_RDONLY | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC, err);
}

static int
hide(
    const struct builder *b, const struct ward_layout_mount *m, struct err *err)
{
	struct stat st;
	struct err none = { 0 };
	_cleanup_fd_ int target_fd =
	    open_in_view(b, m->path, m->is_absent ? &none : err);

	/* unmounted and removed meanwhile: there is nothing to keep */
	if (target_fd == -ENOENT && m->is_absent)
		return 0;
	if (target_fd < 0)
		return ward_err_set(err, -target_fd, "%s", none.text);
	if (fstat(target_fd, &st) != 0)
		return ward_err_sys(err, errno, "%s", m->path);
	_cleanup_fd_ int mount_fd = clone_mask(b, m, S_ISDIR(st.st_mode), err);
	return mount_fd < 0 ? mount_fd
			    : attach_at(mount_fd, target_fd, m->path, err);
}

/* A file that went meanwhile needs none. */
static int
attach_own(
    const struct builder *b, const struct ward_layout_mount *m, struct err *err)
{
	struct err none = { 0 };
	char name[64];
	_cleanup_fd_ int target_fd = open_in_view(b, m->path, &none);

	if (target_fd == -ENOENT)
		return 0;
	if (target_fd < 0)
		return ward_err_set(err, -target_fd, "%s", none.text);
	(void)snprintf(name, sizeof(name), WARD_FRAME_MASKS "/%s",
	    ward_own_file_name(m->own));
	_cleanup_fd_ int mount_fd = ward_frame_clone(b->frame_dfd, name,
	    MOUNT_ATTR_RDONLY | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC, err);
	return mount_fd < 0 ? mount_fd
			    : attach_at(mount_fd, target_fd, m->path, err);
}

static int
attach_frame(const struct builder *b, const char *name, uint64_t attributes,
    const char *path, struct err *err)
{
	_cleanup_fd_ int fd =
	    ward_frame_clone(b->frame_dfd, name, attributes, err);

	return fd < 0 ? fd : attach(b, fd, path, err);
}

/* A new instance, with one directory of it read-only ("": all of it). */
static int
attach_new(const struct builder *b, const char *type, const char *path,
    const char *read_only, struct err *err)
{
	struct mount_attr attr = { .attr_set = MOUNT_ATTR_RDONLY };
	_cleanup_fd_ int fd = ward_frame_mount_new(type, NULL,
	    MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC, err);

	if (fd < 0)
		return fd;
	int r = attach(b, fd, path, err);
	if (r != 0)
		return r;
	if (read_only[0] == '\0') {
		if (mount_setattr(fd, "", AT_EMPTY_PATH, &attr, sizeof(attr)) !=
		    0)
			return ward_err_sys(
			    err, errno, "attributes of %s", path);
		return 0;
	}
	_cleanup_fd_ int part_fd =
	    open_tree(fd, read_only, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
	if (part_fd < 0)
		return ward_err_sys(
		    err, errno, "cannot clone %s/%s", path, read_only);
	if (mount_setattr(part_fd, "", AT_EMPTY_PATH, &attr, sizeof(attr)) != 0)
		return ward_err_sys(
		    err, errno, "attributes of %s/%s", path, read_only);
	if (move_mount(part_fd, "", fd, read_only, MOVE_MOUNT_F_EMPTY_PATH) !=
	    0)
		return ward_err_sys(
		    err, errno, "cannot attach %s/%s", path, read_only);
	return 0;
}

/*
 * The host's own terminals, since those that sshd, su and sudo hand in are of
 * that instance: a session's tty must have a name inside.
 */
static int
attach_pts(const struct builder *b, struct err *err)
{
	struct mount_attr attr = {
		.attr_set = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC,
		.propagation = MS_PRIVATE,
	};
	_cleanup_fd_ int fd = open_tree(
	    AT_FDCWD, "/dev/pts", OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);

	if (fd < 0)
		return ward_err_sys(err, errno, "cannot clone /dev/pts");
	if (mount_setattr(fd, "", AT_EMPTY_PATH, &attr, sizeof(attr)) != 0)
		return ward_err_sys(err, errno, "attributes of /dev/pts");
	return attach(b, fd, "/dev/pts", err);
}

static int
attach_dev(const struct builder *b, struct err *err)
{
	int r = attach_frame(b, WARD_FRAME_DEV,
	    MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOEXEC, "/dev", err);

	if (r == 0)
		r = attach_pts(b, err);
	if (r == 0)
		r = attach_frame(
		    b, WARD_FRAME_SHM, MOUNT_ATTR_NODEV, "/dev/shm", err);
	return r;
}

static int
attach_run(const struct builder *b, struct err *err)
{
	char user[32];
	int r = attach_frame(b, WARD_FRAME_RUN,
	    MOUNT_ATTR_RDONLY | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC, "/run",
	    err);

	(void)snprintf(user, sizeof(user), "/run/user/%u",
	    (unsigned)b->request->account->uid);
	return r != 0
	    ? r
	    : attach_frame(b, WARD_FRAME_USER, MOUNT_ATTR_NODEV, user, err);
}

static int
attach_private(const struct builder *b, const char *path, struct err *err)
{
	if (strcmp(path, "/dev") == 0)
		return attach_dev(b, err);
	if (strcmp(path, "/run") == 0)
		return attach_run(b, err);
	if (strcmp(path, "/proc") == 0)
		return attach_new(b, "proc", path, "sys", err);
	if (strcmp(path, "/sys") == 0)
		return attach_new(b, "sysfs", path, "", err);
	if (strcmp(path, "/tmp") == 0)
		return attach_frame(
		    b, WARD_FRAME_TMP, MOUNT_ATTR_NODEV, path, err);
	if (strcmp(path, "/var/tmp") == 0)
		return attach_frame(
		    b, WARD_FRAME_VAR_TMP, MOUNT_ATTR_NODEV, path, err);
	return ward_err_set(err, EINVAL, "%s: no private place", path);
}

static int
attach_one(
    const struct builder *b, const struct ward_layout_mount *m, struct err *err)
{
	if (m->kept)
		return keep(b, m, err);
	switch (m->kind) {
	case WARD_LAYOUT_SHOW:
	case WARD_LAYOUT_HOME:
		return show(b, m, err);
	case WARD_LAYOUT_HIDE_DIRECTORY:
	case WARD_LAYOUT_HIDE_FILE:
		return hide(b, m, err);
	case WARD_LAYOUT_PRIVATE:
		return attach_private(b, m->path, err);
	case WARD_LAYOUT_OWN_FILE:
		return attach_own(b, m, err);
	}
	return ward_err_set(err, EINVAL, "%s: no kind of mount", m->path);
}

/* The view's root, on its place in the frame; sets root_dfd. */
static int
attach_root(
    struct builder *b, const struct ward_layout_mount *m, struct err *err)
{
	int mount_fd = -1;

	if (m->kind == WARD_LAYOUT_SHOW) {
		_cleanup_fd_ int place_fd =
		    open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (place_fd < 0)
			return ward_err_sys(err, errno, "/");
		mount_fd = clone_place(place_fd, "/", false, err);
	} else {
		mount_fd = clone_mask(b, m, true, err);
	}
	if (mount_fd < 0)
		return mount_fd;
	int r = move_mount(mount_fd, "", b->frame_dfd, WARD_FRAME_ROOT,
		    MOVE_MOUNT_F_EMPTY_PATH) == 0
	    ? 0
	    : ward_err_sys(err, errno, "cannot attach the view's root");
	(void)close(mount_fd);
	if (r != 0)
		return r;
	b->root_dfd = openat(b->frame_dfd, WARD_FRAME_ROOT,
	    O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return b->root_dfd >= 0 ? 0
				: ward_err_sys(err, errno, "the view's root");
}

/* In the frame: 6.1 clones nothing of a mount that is attached nowhere. */
static int
attach_looks(struct builder *b, struct err *err)
{
	if (b->request->looks_fd < 0)
		return 0;
	if (move_mount(b->request->looks_fd, "", b->frame_dfd, WARD_FRAME_LOOKS,
		MOVE_MOUNT_F_EMPTY_PATH) != 0)
		return ward_err_sys(err, errno, "cannot attach the masks");
	b->looks_dfd = openat(b->frame_dfd, WARD_FRAME_LOOKS,
	    O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return b->looks_dfd >= 0 ? 0 : ward_err_sys(err, errno, "the masks");
}

/* pivot_root(2), "pivot_root(".", ".")": the old root goes entirely. */
static int
enter_root(const struct builder *b, struct err *err)
{
	if (fchdir(b->root_dfd) != 0)
		return ward_err_sys(err, errno, "the view's root");
	if (syscall(SYS_pivot_root, ".", ".") != 0)
		return ward_err_sys(err, errno, "pivot_root");
	if (umount2(".", MNT_DETACH) != 0)
		return ward_err_sys(
		    err, errno, "cannot let the host's tree go");
	if (chdir("/") != 0)
		return ward_err_sys(err, errno, "/");
	return 0;
}

static int
build(struct builder *b, struct ward_view *view, struct err *err)
{
	const struct ward_view_request *request = b->request;
	const struct ward_layout *layout = request->layout;
	const struct ward_frame_owner owner = {
		.uid = request->account->uid,
		.gid = request->account->gid,
	};
	struct mount_attr private = { .propagation = MS_PRIVATE };

	/* 1. nothing that is mounted here shows on the host */
	if (mount_setattr(
		AT_FDCWD, "/", AT_RECURSIVE, &private, sizeof(private)) != 0)
		return ward_err_sys(err, errno, "cannot make mounts private");

	/* 2. what the sandbox has for itself, over a directory of Ward's */
	b->frame_dfd = ward_frame_make(
	    request->staging, layout, &owner, request->tmp_bytes, err);
	if (b->frame_dfd < 0)
		return b->frame_dfd;

	/* 3. the root, and all the rest on it, what is above first */
	int r = attach_looks(b, err);
	if (r == 0)
		r = attach_root(b, &layout->mounts[0], err);
	for (size_t i = 1; r == 0 && i < layout->n_mounts; i++)
		r = attach_one(b, &layout->mounts[i], err);
	if (r != 0)
		return r;

	/* 4. while the frame can still be written: where wardsh asks */
	view->agent_fd =
	    ward_agent_socket_make(b->frame_dfd, owner.uid, owner.gid, err);
	if (view->agent_fd < 0)
		return view->agent_fd;

	/* 5. the host's tree goes; then what may be written, by inode */
	r = enter_root(b, err);
	if (r == 0)
		view->ruleset_fd = ward_ruleset_make(layout, owner.uid, err);
	return r == 0 && view->ruleset_fd < 0 ? view->ruleset_fd : r;
}

int
ward_view_build(const struct ward_view_request *request, struct ward_view *view,
    struct err *err)
{
	struct builder b = {
		.request = request,
		.frame_dfd = -1,
		.root_dfd = -1,
		.looks_dfd = -1,
	};

	*view = (struct ward_view){ .ruleset_fd = -1, .agent_fd = -1 };
	int r = build(&b, view, err);
	if (b.frame_dfd >= 0)
		(void)close(b.frame_dfd);
	if (b.root_dfd >= 0)
		(void)close(b.root_dfd);
	if (b.looks_dfd >= 0)
		(void)close(b.looks_dfd);
	if (r == 0)
		return 0;
	if (view->agent_fd >= 0)
		(void)close(view->agent_fd);
	if (view->ruleset_fd >= 0)
		(void)close(view->ruleset_fd);
	return r;
}
