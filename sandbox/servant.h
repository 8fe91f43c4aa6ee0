/* SPDX-License-Identifier: ISC */
/*
 * Starts a program that serves a sandbox from the host: as a user that owns
 * nothing, with an empty environment, and of descriptors its socket as 3 and
 * what it is given behind that.  Used by sandbox/egress.c and looks_start.c.
 */
#ifndef WARD_SANDBOX_SERVANT_H
#define WARD_SANDBOX_SERVANT_H

#include <stddef.h>
#include <sys/types.h>

#include "common/err.h"

#define WARD_SERVANT_FDS_MAX 2

struct ward_servant {
	const char *program; /* its path */
	const char *name;    /* what ps(1) shows, and errors */
	uid_t uid;           /* not root's */
	gid_t gid;
	int fds[WARD_SERVANT_FDS_MAX]; /* borrowed; they become 4 and 5 */
	size_t n_fds;
};

/*
 * The pid of a child of the warden's, and its socket.  It dies with the thread
 * that calls.  Whether it could become what it should shows only when the
 * socket does not end.  Or -errno.
 */
pid_t ward_servant_start(
    const struct ward_servant *servant, int *socket_fd, struct err *err);

#endif
