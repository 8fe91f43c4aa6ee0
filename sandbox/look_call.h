/* SPDX-License-Identifier: ISC */
/*
 * What a thread is about that looks into a hidden place and waits: its system
 * call, and the path in that.  A FUSE request has only the first name that is
 * not there.  Evidence, never a gate: the caller can change its memory.
 * Used by sandbox/looks.c.
 */
#ifndef WARD_SANDBOX_LOOK_CALL_H
#define WARD_SANDBOX_LOOK_CALL_H

#include <linux/limits.h>
#include <stdbool.h>
#include <sys/types.h>

struct ward_look_call {
	char target[PATH_MAX]; /* the place, or a path below it that is named */
	bool observed;         /* as a write: the observer has a row of it */
};

/* place is absolute and folded. */
void
ward_look_call_read(pid_t tid, const char *place, struct ward_look_call *call);

#endif
