/* SPDX-License-Identifier: ISC */
/*
 * Changes to a view that stands: a mask more, a mount less.  Done by a thread
 * that is in the view as root; no link is followed, so that what the account
 * can change leads nowhere else.  For the keeper.
 */
#ifndef WARD_SANDBOX_COVER_H
#define WARD_SANDBOX_COVER_H

#include <stdbool.h>

#include "common/err.h"
#include "sandbox/layout.h"

/* The masks that the view keeps for this: an O_PATH fd, or -errno. */
int ward_cover_masks(int view_dfd, struct err *err);

/*
 * Hides what is at this path.  0; -ENOENT where nothing is; -ELOOP where a
 * link is, or on the way; or another -errno.
 */
int ward_cover(int view_dfd, int masks_dfd, const char *path, struct err *err);

/*
 * Puts a file of the sandbox's own where programs find that one: also at the
 * end of a link.  1; 0 where it is there already, or what is there is hidden,
 * or no file; or -errno, -ENOENT where nothing is, -EAGAIN where it went
 * meanwhile.
 */
int ward_cover_own(
    int view_dfd, int masks_dfd, enum ward_own_file file, struct err *err);

/*
 * Mounts what is at this path on itself, a link as such: it cannot be renamed
 * or removed then, and unless it is to be writable, not be changed.  Of what is
 * below, nothing else that is mounted shows any more.  As ward_cover; -ELOOP
 * only where a link is on the way.
 */
int
ward_cover_keep(int view_dfd, const char *path, bool writable, struct err *err);

/* Something is there, and no link is on the way. */
bool ward_cover_is_there(int view_dfd, const char *path);

/*
 * Lets a mount of the view go, with all that is below it.  Changes the calling
 * thread's working directory.  Nothing there to be let go is fine.
 */
int ward_uncover(int view_dfd, const char *path, struct err *err);

#endif
