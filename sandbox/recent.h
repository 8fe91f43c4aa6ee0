/* SPDX-License-Identifier: ISC */
/*
 * The last refusals of a sandbox, in memory, for its account to ask for: as
 * their rows in violations.db, but known at once, and nobody else's.  The
 * recorder fills it, from any thread; agent.c reads it.
 */
#ifndef WARD_SANDBOX_RECENT_H
#define WARD_SANDBOX_RECENT_H

#include <stdint.h>

#include "common/wire.h"
#include "sandbox/recorder.h"

/* How many; a new one takes the place of the oldest. */
#define WARD_RECENT_MAX 64

/* profile is borrowed for good.  NULL without memory. */
struct ward_recent *ward_recent_new(const char *profile, int64_t revision);
/* NULL is fine. */
void ward_recent_free(struct ward_recent *recent);

/* One act, or a repeat of one; when as its row says. */
void ward_recent_add(struct ward_recent *recent,
    const struct ward_refused_act *act, int64_t when);

/*
 * The first that the question asks for, or a serial of 0; seen and judged are
 * left as they are.  session is that of who asks; NULL: not known.
 */
void ward_recent_next(struct ward_recent *recent,
    const struct ward_wire_why *question, const char *session,
    struct ward_wire_why_is *answer);

#endif
