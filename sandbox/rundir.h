/* SPDX-License-Identifier: ISC */
/*
 * The run directory of a sandbox: /run/ward/UID/ID, with its control socket, a
 * lock that says that its warden lives, a link that says which revision it is
 * of, and an empty directory on which the view is staged.
 * /run/ward/UID/current names the sandbox to be joined.  Used by the warden;
 * the account's own directory and that name are made by pam_ward.so, under the
 * account's lock.
 */
#ifndef WARD_SANDBOX_RUNDIR_H
#define WARD_SANDBOX_RUNDIR_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/err.h"

#define WARD_ID_SIZE 17 /* 16 hexadecimal digits */

struct ward_rundir {
	char id[WARD_ID_SIZE];
	char path[64];    /* of the sandbox */
	char staging[80]; /* a directory below it */
	char revision[24];
	int account_dfd;
	int alive_fd;   /* its lock ends with the warden */
	int control_fd; /* listening */
};

/* A new id, of nothing yet. */
int ward_rundir_id(char id[WARD_ID_SIZE], struct err *err);

/*
 * Makes one with a new id for a sandbox of that revision, and removes those of
 * wardens that are dead.
 */
int ward_rundir_make(
    uid_t uid, int64_t revision, struct ward_rundir *rundir, struct err *err);

/* A sandbox's warden lives. */
bool ward_rundir_lives(uid_t uid, const char *id);

/*
 * Asks each sandbox of the account that is of another revision how it is,
 * without waiting for an answer: it looks at the policy then.
 */
void ward_rundir_ask_others(const struct ward_rundir *rundir);

/* No new session comes after this: the socket is closed. */
void ward_rundir_close(struct ward_rundir *rundir);

/*
 * Takes the account's "current" away where it is this sandbox, once nobody is
 * let in any more.  Waits for a login that holds the account's lock, for that
 * long at the most; false: it still does.  A name that stays is no worse than
 * none, since nobody listens there.
 */
bool ward_rundir_unname(struct ward_rundir *rundir, int wait_ms);

/* Removes all of it.  An empty one is fine. */
void ward_rundir_remove(struct ward_rundir *rundir);

#endif
