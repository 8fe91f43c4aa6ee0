/* SPDX-License-Identifier: ISC */
/*
 * The warden's look at the uid fence: at each session, after its answer, and
 * never waiting.  The warden only.
 */
#ifndef WARD_SANDBOX_FENCE_H
#define WARD_SANDBOX_FENCE_H

#include <sys/types.h>

#include "sandbox/job.h"

/* All zero before its first use. */
struct ward_fence {
	struct ward_job job; /* that puts it back */
	int64_t not_before_ms;
};

/* Where it does not hold: says so, and has wardctl put it back. */
void ward_fence_check(struct ward_fence *fence, struct ward_loop *loop,
    uid_t uid, const char *account);

/* For a warden that ends: what runs goes on by itself. */
void ward_fence_forget(struct ward_fence *fence);

#endif
