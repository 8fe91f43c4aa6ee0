/* SPDX-License-Identifier: ISC */
/*
 * Homes of agent accounts: what passwd names is an empty directory of root's,
 * the account's own is in .ward beside it.  ctl/ only.
 */
#ifndef WARD_CTL_HOME_H
#define WARD_CTL_HOME_H

#include <sys/types.h>

#include "common/err.h"

struct ward_home {
	const char *home;      /* passwd's */
	const char *real_home; /* PARENT/.ward/NAME */
	uid_t uid;
	gid_t gid;
};

/* Nothing of it is there, and its parent is fit for it. */
int ward_home_check_free(const struct ward_home *home, struct err *err);

/*
 * Makes both, the real one filled from /etc/skel.  On failure nothing is
 * left.
 */
int ward_home_make(const struct ward_home *home, struct err *err);

/*
 * Removes both, the real one with all that is in it; that one of them is gone
 * already is fine.  No process of the account may be left.
 */
int ward_home_remove(const struct ward_home *home, struct err *err);
/* The passwd home only. */
int ward_home_remove_empty(const struct ward_home *home, struct err *err);

#endif
