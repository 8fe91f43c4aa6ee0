/* SPDX-License-Identifier: ISC */
/*
 * The socket in the view where wardsh asks the warden.  Made by the view's
 * builder, in the frame, while that can be written; served by the warden.
 */
#ifndef WARD_SANDBOX_AGENT_SOCKET_H
#define WARD_SANDBOX_AGENT_SOCKET_H

#include <sys/types.h>

#include "common/err.h"

/* A listening socket, the account's, 0600; an fd or -errno. */
int
ward_agent_socket_make(int frame_dfd, uid_t uid, gid_t gid, struct err *err);

#endif
