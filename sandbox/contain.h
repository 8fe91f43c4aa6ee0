/* SPDX-License-Identifier: ISC */
/*
 * Makes the container of a sandbox: its init, in namespaces of its own, with
 * the view as its root.  Used by the warden while it is single-threaded.
 */
#ifndef WARD_SANDBOX_CONTAIN_H
#define WARD_SANDBOX_CONTAIN_H

#include <stdbool.h>
#include <sys/types.h>

#include "common/err.h"
#include "sandbox/listeners.h"
#include "sandbox/view.h"

struct ward_container {
	pid_t init; /* a child of the warden; ends with it */
	int init_pidfd;
	int life_fd; /* init ends when this is closed */
	int agent_fd;
	int ruleset_fd;
	int net_nsfd;                    /* of a filtered network, else -1 */
	struct ward_listeners listeners; /* of one, else none */
	struct err unrouted; /* why nothing can be steered in it, code 0: it can
			      */
};

#define WARD_CONTAINER_NONE                                                    \
	{                                                                      \
		.init = -1, .init_pidfd = -1, .life_fd = -1, .agent_fd = -1,   \
		.ruleset_fd = -1, .net_nsfd = -1,                              \
		.listeners = WARD_LISTENERS_NONE,                              \
	}

struct ward_contain_request {
	const struct ward_view_request *view;
	uid_t init_uid; /* what init becomes */
	gid_t init_gid;
	bool filtered; /* there is a network, by egress */
};

/* What init says, in one byte on its socket, once it stands. */
#define WARD_INIT_STANDS 'i'

/*
 * 0 or -errno; on failure nothing is left.  Init may not stand yet, so that
 * others can work meanwhile; nobody is let in before it does.
 */
int ward_contain(const struct ward_contain_request *request,
    struct ward_container *container, struct err *err);

/* Waits for it, three seconds at most.  0 or -errno. */
int
ward_container_await(const struct ward_container *container, struct err *err);

/* Kills init, and so everything inside, and waits for its end. */
void ward_container_end(struct ward_container *container);

/*
 * An fd of a pid namespace whose init has ended: the kernel makes no process
 * in it any more.  Or -errno.
 */
int ward_dead_namespace_make(struct err *err);

#endif
