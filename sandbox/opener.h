/* SPDX-License-Identifier: ISC */
/*
 * The openers of a sandbox's sessions.  Each is root's and stays on the host,
 * unsealed, because it only forks.  A caller that becomes the account itself
 * would run the account's program there: it is killed when that is seen, which
 * is when it lets go of the session's socket (as exec does), or at the next of
 * the looks that are taken ten times a second while a session is young and once
 * a second later.  The warden's main thread only.
 */
#ifndef WARD_SANDBOX_OPENER_H
#define WARD_SANDBOX_OPENER_H

#include <sys/types.h>

#include "common/err.h"
#include "sandbox/loop.h"

struct ward_opener;

struct ward_openers {
	struct ward_watch watch; /* first: the callback casts back.  A timer */
	struct ward_loop *loop;
	uid_t uid;
	const char *name; /* the account's; borrowed */
	struct ward_opener *list;
};

/* The peer of this socket, which is a session's.  0 or -errno. */
int
ward_openers_add(struct ward_openers *openers, int socket_fd, struct err *err);
/* The session is closed by its opener, which may now do what it likes. */
void ward_openers_closed(struct ward_openers *openers, int socket_fd);
/* The socket has ended without a word: the opener has, or it has exec'd. */
void ward_openers_left(struct ward_openers *openers, int socket_fd);
/*
 * Calls for each process that descends from one of them and is not in init's
 * pid namespace.  There are some only where a part of the stack has made them
 * before Ward's.
 */
typedef void ward_openers_visit(void *context, pid_t pid);
void ward_openers_each_below(const struct ward_openers *openers, pid_t init,
    ward_openers_visit *call, void *context);
/* The socket of the session whose opener a process descends from, or -1. */
int ward_openers_socket_above(const struct ward_openers *openers, pid_t pid);
void ward_openers_clear(struct ward_openers *openers);

#endif
