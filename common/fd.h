/* SPDX-License-Identifier: ISC */
/*
 * File descriptors: passing them, keeping them out of the way, waiting with a
 * deadline.  Everyone may use it.
 */
#ifndef WARD_COMMON_FD_H
#define WARD_COMMON_FD_H

#include <linux/limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define WARD_FD_PASS_MAX 9

/*
 * One record, with n_fds descriptors that stay the caller's.  Never raises
 * SIGPIPE, never blocks: a full socket is -EAGAIN.  0 or -errno.
 */
int ward_fd_send(
    int socket_fd, const void *data, size_t size, const int *fds, size_t n_fds);

/*
 * One record, waiting until deadline_ms (ward_now_ms() time; -1: do not wait).
 * Returns its size, 0 at the end, -ETIMEDOUT, -EMSGSIZE for a record that does
 * not fit, -errno.  Descriptors that came are the caller's, close-on-exec;
 * *n_fds is how many fds has room for, then how many came; more are closed,
 * and so are those of an empty record, which looks like the end.  Where neither
 * n_fds nor pid is asked for, a record with descriptors is -EMSGSIZE, and none
 * of them is made.  pid (may be NULL) is the sender's where the socket has
 * SO_PASSCRED, else 0.
 */
ssize_t ward_fd_receive(int socket_fd, void *data, size_t size, int *fds,
    size_t *n_fds, pid_t *pid, int64_t deadline_ms);

/*
 * Moves an owned fd to a number of 64 or above, close-on-exec, since callers
 * of PAM close and reuse the low ones.  The old number is closed also on
 * failure.  Returns the new fd or -errno.
 */
int ward_fd_raise_take(int fd);

/*
 * A memfd that holds this and that nobody can change; name is for people.  The
 * fd or -errno.
 */
int ward_fd_sealed(const char *name, const void *data, size_t size);

/*
 * What the kernel calls the place of an fd: its path from the root of the mount
 * namespace that it is in (proc(5)).  No file system is asked.  False where it
 * has none.
 */
bool ward_fd_path(int fd, char out[PATH_MAX]);

#define WARD_FD_LOWEST 64

#endif
