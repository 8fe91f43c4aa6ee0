/* SPDX-License-Identifier: ISC */
/*
 * The sockets on which egress serves a sandbox, made in the sandbox's own net
 * namespace: a socket stays in the namespace that it was made in, so that
 * nothing bridges them.  Used by the child that becomes init, as root in its
 * new namespaces; the warden keeps them, so that they outlive any egress.
 */
#ifndef WARD_SANDBOX_LISTENERS_H
#define WARD_SANDBOX_LISTENERS_H

#include "common/err.h"

#define WARD_DNS_PORT 53

/* In the order of enum ward_egress_fd. */
enum ward_listener {
	WARD_LISTENER_PROXY,
	WARD_LISTENER_TCP4, /* what is steered ends here: sandbox/steer.h */
	WARD_LISTENER_TCP6,
	WARD_LISTENER_DNS_UDP,
	WARD_LISTENER_DNS_TCP,
	/* no listener, but of the same namespace: who a client is */
	WARD_LISTENER_DIAG,
	/* the same: what the kernel tells of strays (sandbox/strays.h) */
	WARD_LISTENER_LOG,
	WARD_LISTENERS,
};

struct ward_listeners {
	int fds[WARD_LISTENERS]; /* -1: there is none */
};

#define WARD_LISTENERS_NONE                                                    \
	{                                                                      \
		{                                                              \
			-1, -1, -1, -1, -1, -1, -1                             \
		}                                                              \
	}

/*
 * Makes all of them, non-blocking, and lets the account bind low ports.  TCP6
 * is missing where the kernel has no IPv6, LOG where it has no nftables.  0, or
 * -errno and none is left.
 */
int ward_listeners_make(struct ward_listeners *listeners, struct err *err);
void ward_listeners_close(struct ward_listeners *listeners);

#endif
