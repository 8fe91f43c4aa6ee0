/* SPDX-License-Identifier: ISC */
/*
 * Starts a warden that is nobody's child, from inside somebody else's program.
 * Only pam/join.c uses this.
 */
#ifndef WARD_PAM_SPAWN_H
#define WARD_PAM_SPAWN_H

#include "common/err.h"

/*
 * socket_fd (borrowed) becomes the warden's descriptor 3; account is there for
 * who reads ps(1), and nothing else.  The caller never
 * has a child that it does not know: it gets no SIGCHLD, and waitpid(-1) does
 * not find one.  0 once the warden's program runs, or -errno.
 */
int ward_spawn_warden(int socket_fd, const char *account, struct err *err);

#endif
