/* SPDX-License-Identifier: ISC */
/*
 * Waiting for what is written to the violation store, by what the kernel says
 * of its log's file (inotify(7)).  ctl/ only.
 */
#ifndef WARD_CTL_FOLLOW_H
#define WARD_CTL_FOLLOW_H

#include <stdbool.h>

#include "common/err.h"

/* From now on nothing is missed; an fd of the caller's, or -errno. */
int ward_follow_open(struct err *err);

/*
 * Until something may have been written.  false: nobody reads standard output
 * any more.
 */
bool ward_follow_wait(int follow_fd);

#endif
