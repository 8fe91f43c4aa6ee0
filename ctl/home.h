/* SPDX-License-Identifier: ISC */
/*
 * Homes of agent accounts: what passwd names is an empty directory of root's,
 * the account's own is in .ward beside it.  ctl/ only.
 */
#ifndef WARD_CTL_HOME_H
#define WARD_CTL_HOME_H

#include <stdbool.h>
#include <stddef.h>
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

/* In the directory of passwd homes, and all above, only root makes names. */
int ward_home_check_parents(const char *home, struct err *err);
/* .ward, if it is there, is in the file system of the homes. */
int ward_home_check_real_homes(const struct ward_home *home, struct err *err);
/* It is made if it is not there; goes if it is empty. */
int ward_home_make_real_homes(const struct ward_home *home, struct err *err);
void ward_home_remove_real_homes(const struct ward_home *home);

/* --- home_move.c: the home of an account that was there before Ward --- */

/* It is in .ward already; an error if something else is there. */
int ward_home_is_in(const struct ward_home *home, bool *is_in, struct err *err);

/*
 * It is the account's own directory, where only root makes names, and its place
 * in .ward is free and in the same file system.
 */
int ward_home_check_movable(const struct ward_home *home, struct err *err);

/* What stands where it was is empty, so that it can go back. */
int ward_home_check_out(const struct ward_home *home, struct err *err);
/* The first name in a directory; false where it is empty. */
bool ward_home_find_entry(const char *path, char *out, size_t size);

/*
 * One rename each, also where an earlier one got half way: nothing in it is
 * touched.  No process of the account may be left.
 */
int ward_home_move_in(const struct ward_home *home, struct err *err);
int ward_home_move_out(const struct ward_home *home, struct err *err);

#endif
