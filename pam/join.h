/* SPDX-License-Identifier: ISC */
/*
 * Gets a session of the account's sandbox: by joining the live one, or by
 * starting a warden.  Runs in the opener, as root, with a time limit on every
 * wait.  Only pam_ward.so uses this.
 */
#ifndef WARD_PAM_JOIN_H
#define WARD_PAM_JOIN_H

#include <linux/filter.h>

#include "common/err.h"
#include "common/refusal.h"
#include "common/wire.h"

/* Longest time that a login waits for the warden. */
#define WARD_JOIN_MS 5000

/* What an opener holds of its session; all fds are owned and 64 or above. */
struct ward_joined {
	int socket_fd;  /* its end tells the warden that the session is over */
	int init_pidfd; /* the sandbox, for setns */
	int dead_nsfd;  /* a pid namespace that makes no process */
	int ruleset_fd; /* Landlock */
	struct sock_filter *seal; /* malloc'd */
	unsigned short n_seal;
	struct ward_wire_opened opened;
};

/*
 * WARD_REFUSED_NONE with *joined filled, or why not, with details in err (the
 * text only).  On refusal nothing is held.
 */
enum ward_refusal ward_join(const struct ward_wire_open *request,
    struct ward_joined *joined, struct err *err);

/*
 * The session that it holds must not be after all: the warden is told, for its
 * rows, and everything is closed.
 */
void ward_joined_refuse(
    struct ward_joined *joined, enum ward_refusal code, const char *detail);

/* Closes and frees everything; an empty one is fine. */
void ward_joined_clear(struct ward_joined *joined);

#endif
