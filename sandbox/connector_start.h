/* SPDX-License-Identifier: ISC */
/*
 * Starts the connector of a sandbox: inside its namespaces, with the account's
 * groups, still as root (sandbox/connector.c drops that itself, so that the
 * account never owns a process that can be traced).  Used by connects.c.
 */
#ifndef WARD_SANDBOX_CONNECTOR_START_H
#define WARD_SANDBOX_CONNECTOR_START_H

#include <sys/types.h>

#include "common/err.h"

/* Whose it is; borrowed. */
struct ward_connector_of {
	int init_pidfd;
	uid_t uid;
	gid_t gid;
	const gid_t *groups;
	size_t n_groups;
};

/*
 * The pid of a child of the warden's, and its socket.  Whether it could become
 * what it should shows only when the socket does not end.  Or -errno.
 */
pid_t ward_connector_start(
    const struct ward_connector_of *of, int *socket_fd, struct err *err);

#endif
