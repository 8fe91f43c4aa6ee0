/* SPDX-License-Identifier: ISC */
/*
 * What the caller of a notified connect meant, read out of it once: its
 * socket, the address, the place that a path starts from.  For connects.c.
 */
#ifndef WARD_SANDBOX_CALLER_H
#define WARD_SANDBOX_CALLER_H

#include <linux/seccomp.h>
#include <stdbool.h>
#include <sys/types.h>

#include "common/wire.h"

struct ward_caller {
	pid_t tid;
	pid_t pid;
	char program[32];
	int socket_fd;
	int base_dfd; /* -1: the address is no relative path */
	int domain;
	int type;
	struct ward_wire_connect request;
	/* the path for people, or "" */
	char path[WARD_WIRE_ADDRESS_MAX + 1];
};

/*
 * 0, or the errno that the call has earned.  Holds descriptors in either case,
 * until ward_caller_clear.
 */
int ward_caller_read(
    const struct seccomp_data *data, pid_t tid, struct ward_caller *caller);
void ward_caller_clear(struct ward_caller *caller);

/* The socket was made in the network namespace of that process. */
bool ward_caller_socket_is_of(const struct ward_caller *caller, pid_t init);

/* A signal waits for the thread that its program wants to handle. */
bool ward_caller_has_signal(pid_t tid);

#endif
