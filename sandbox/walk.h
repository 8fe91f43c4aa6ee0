/* SPDX-License-Identifier: ISC */
/*
 * Walks paths of the host as the view will show them: the account's home is
 * its real home.  Directories that only root can change are walked as root;
 * from the first one that others can change on, as the account itself, so that
 * nothing is reached for it that it could not reach.  No automount is
 * triggered and nothing is opened for reading.  sandbox/ and wardctl use it.
 */
#ifndef WARD_SANDBOX_WALK_H
#define WARD_SANDBOX_WALK_H

#include <sys/types.h>

#include "common/err.h"
#include "profiles/plan.h"
#include "sandbox/mounts.h"

/* An account, as a walk and a view need it; borrowed. */
struct ward_walk_account {
	uid_t uid;
	gid_t gid;
	const char *home;      /* passwd home, canonical */
	const char *real_home; /* where it really is; NULL: home itself */
	/* the host's: what is on a disk of its own; NULL: nothing is known to
	 * be, and searched */
	const struct ward_mounts *mounts;
};

/*
 * The calling thread's file accesses are this account's from here on; NULL: the
 * process's own again.  0 or -EPERM.
 */
int ward_walk_as(const struct ward_walk_account *whom);

/*
 * A resolver for plans.  context is a struct ward_walk_account.  Needs root,
 * and the account's supplementary groups set for the whole process; changes
 * the fsuid and fsgid of the calling thread for a moment.
 */
struct ward_resolver
ward_walk_resolver(const struct ward_walk_account *account);

/*
 * Opens a canonical path: an O_PATH fd.  A link on the way (the tree changed)
 * is -ELOOP.
 */
int ward_walk_open(
    const struct ward_walk_account *account, const char *path, struct err *err);

/* Where the real home of an account with this passwd home is; malloc'd. */
char *ward_walk_real_home(const char *home, const char *name);

#endif
