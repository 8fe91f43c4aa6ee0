/* SPDX-License-Identifier: ISC */
/*
 * Whose a TCP connection is, remembered from its connect: who made it may have
 * ended before anybody asks, and its port may be another's by then.  So the
 * socket is marked (SO_MARK, which the account cannot set) before it is
 * connected, and the accepted one has the same mark (listeners.c).  Filled by
 * connects.c, which sees each connect; asked by traffic.c; the warden's loop
 * only.
 */
#ifndef WARD_SANDBOX_OWNERS_H
#define WARD_SANDBOX_OWNERS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct ward_owner {
	pid_t pid; /* 0: not known */
	char program[32];
	char session[32]; /* "": not known */
	bool forward;     /* of sshd's, for somebody outside */
};

struct ward_owners;

/* NULL without memory. */
struct ward_owners *ward_owners_new(void);
/* NULL is fine. */
void ward_owners_free(struct ward_owners *owners);

/* This socket is about to be connected; where it takes no mark, nothing is. */
void ward_owners_mark(
    struct ward_owners *owners, int socket_fd, const struct ward_owner *owner);
/* False where the mark is none, or was forgotten. */
bool ward_owners_find(
    const struct ward_owners *owners, uint32_t mark, struct ward_owner *owner);

#endif
