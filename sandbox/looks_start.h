/* SPDX-License-Identifier: ISC */
/*
 * Starts what a sandbox's masks are made of: a file system (FUSE), and the
 * process that serves it.  Used by sandbox/looks.c; wardctl tries the first.
 */
#ifndef WARD_SANDBOX_LOOKS_START_H
#define WARD_SANDBOX_LOOKS_START_H

#include <sys/types.h>

#include "common/err.h"
#include "sandbox/layout.h"

/*
 * A new file system, attached nowhere, in *mount_fd, and the fd that its
 * requests come from; both are the caller's.  Its superblock is made here, so
 * that pids in requests are the host's.  -errno where there is no such thing.
 */
int ward_looks_open(int *mount_fd, struct err *err);

/*
 * The pid of a child that serves those requests with the masks of the layout,
 * and its socket.  Once the caller closes fuse_fd it has the only one.  Or
 * -errno.
 */
pid_t ward_looks_serve(const struct ward_layout *layout, uid_t uid, gid_t gid,
    int fuse_fd, int *socket_fd, struct err *err);

#endif
