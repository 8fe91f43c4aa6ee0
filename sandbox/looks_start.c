/* SPDX-License-Identifier: ISC */
/* Starts what a sandbox's masks are made of. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/fd.h"
#include "common/places.h"
#include "sandbox/looks_start.h"
#include "sandbox/masks_tree.h"

/* What the server keeps (sandbox/masks.c). */
enum { MASKS_SOCKET = 3, MASKS_FUSE, MASKS_TREE, MASKS_NEXT };

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

/*
 * In a copy of the warden's memory: system calls only.  Groups, gid, uid; then
 * root must not come back.  A signal at the parent's death is asked for last,
 * since a change of ids forgets it.
 */
static _Noreturn void
run_child(uid_t uid, gid_t gid, const int fds[3], pid_t warden)
{
	static char name[] = "ward-masks";
	char *const argv[] = { name, NULL };
	char *const environment[] = { NULL };
	sigset_t none;

	(void)sigemptyset(&none);
	if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0 &&
	    syscall(SYS_setgroups, 0, NULL) == 0 &&
	    syscall(SYS_setresgid, gid, gid, gid) == 0 &&
	    syscall(SYS_setresuid, uid, uid, uid) == 0 &&
	    syscall(SYS_setresuid, 0, 0, 0) != 0 &&
	    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) == 0 &&
	    getppid() == warden && chdir("/") == 0 &&
	    dup2(fds[0], MASKS_SOCKET) >= 0 && dup2(fds[1], MASKS_FUSE) >= 0 &&
	    dup2(fds[2], MASKS_TREE) >= 0 &&
	    close_range(MASKS_NEXT, ~0U, 0) == 0 &&
	    sigprocmask(SIG_SETMASK, &none, NULL) == 0)
		(void)execve(WARD_MASKS, argv, environment);
	_exit(1);
}

/* The tree as a memfd that nobody changes, above the numbers of the child's. */
static int
make_tree(const struct ward_layout *layout, struct err *err)
{
	void *data = NULL;
	size_t size = 0;
	int fd = ward_masks_pack(layout, &data, &size);

	if (fd == 0)
		fd = ward_fd_sealed("ward-masks", data, size);
	free(data);
	if (fd >= 0)
		fd = ward_fd_raise_take(fd);
	return fd >= 0 ? fd : ward_err_sys(err, -fd, "the masks");
}

static int
raised(int fd, struct err *err)
{
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, WARD_FD_LOWEST);

	return copy >= 0 ? copy : ward_err_sys(err, errno, "the masks");
}

pid_t
ward_looks_serve(const struct ward_layout *layout, uid_t uid, gid_t gid,
    int fuse_fd, int *socket_fd, struct err *err)
{
	int pair[2];

	if (uid == 0)
		return ward_err_set(err, EPERM, "the masks' must not be root");
	_cleanup_fd_ int tree_fd = make_tree(layout, err);
	if (tree_fd < 0)
		return tree_fd;
	_cleanup_fd_ int their_fuse_fd = raised(fuse_fd, err);
	if (their_fuse_fd < 0)
		return their_fuse_fd;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
		return ward_err_sys(err, errno, "the masks' socket");
	_cleanup_fd_ int ours = pair[0];
	_cleanup_fd_ int theirs = ward_fd_raise_take(pair[1]);
	if (theirs < 0)
		return ward_err_sys(err, -theirs, "the masks' socket");
	const int fds[3] = { theirs, their_fuse_fd, tree_fd };
	pid_t warden = getpid();
	pid_t pid = fork();
	if (pid == 0)
		run_child(uid, gid, fds, warden);
	if (pid < 0)
		return ward_err_sys(err, errno, "the masks");
	*socket_fd = ward_steal_fd(&ours);
	return pid;
}
