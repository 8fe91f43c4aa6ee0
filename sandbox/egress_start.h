/* SPDX-License-Identifier: ISC */
/*
 * Starts egress: on the host, as a user that owns nothing, with an empty
 * environment and its socket as descriptor 3.  Used by sandbox/egress.c.
 */
#ifndef WARD_SANDBOX_EGRESS_START_H
#define WARD_SANDBOX_EGRESS_START_H

#include <sys/types.h>

#include "common/err.h"

/*
 * The pid of a child of the warden's, and its socket.  It dies with the thread
 * that calls.  Whether it could become what it should shows only when the
 * socket does not end.  Or -errno.
 */
pid_t ward_egress_start(uid_t uid, gid_t gid, int *socket_fd, struct err *err);

#endif
