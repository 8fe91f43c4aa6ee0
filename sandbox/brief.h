/* SPDX-License-Identifier: ISC */
/*
 * Keeps a system call brief that the account could make last: closing a
 * socket of its own, which it has sent to the warden, takes as long as its
 * SO_LINGER says (socket(7)), and whoever lets go last waits.  The warden's
 * main thread only.
 */
#ifndef WARD_SANDBOX_BRIEF_H
#define WARD_SANDBOX_BRIEF_H

#include "common/err.h"

/* Before any thread is made, so that none of them takes the signal. */
int ward_brief_init(struct err *err);

/* Between these two, what waits for longer than a moment is EINTR. */
void ward_brief_begin(void);
void ward_brief_end(void);

#endif
