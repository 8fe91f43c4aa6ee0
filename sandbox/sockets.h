/* SPDX-License-Identifier: ISC */
/*
 * Sockets that the seal refuses and the warden is told of, since they would be
 * a way out of the network: raw ones, ping's, other protocols, packets.  The
 * warden only.
 */
#ifndef WARD_SANDBOX_SOCKETS_H
#define WARD_SANDBOX_SOCKETS_H

#include <linux/seccomp.h>

#include "sandbox/recorder.h"

/* Refuses one, and makes a row of it.  Never waits. */
void ward_socket_refuse(struct ward_recorder *recorder, int listener_fd,
    const char *session, const struct seccomp_notif *request);

#endif
