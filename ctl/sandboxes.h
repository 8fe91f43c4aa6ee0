/* SPDX-License-Identifier: ISC */
/* Live sandboxes, found by their directories and asked.  ctl/ only. */
#ifndef WARD_CTL_SANDBOXES_H
#define WARD_CTL_SANDBOXES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/err.h"
#include "common/wire.h"

struct ward_live {
	uid_t uid;
	char id[32];
	pid_t warden;  /* 0: it could not be reached at all */
	bool answered; /* status is what it said */
	struct ward_wire_status_is status;
};

typedef int
ward_live_visit(void *context, const struct ward_live *live, struct err *err);

/*
 * Calls for each live sandbox of an account, or of all (uid_t)-1; id NULL or
 * the only one.  Stops where the call says other than 0, and returns that.
 */
int ward_live_each(uid_t uid, const char *id, ward_live_visit *visit,
    void *context, struct err *err);

/*
 * Tells each warden that the policy was changed, and says whose sandboxes are
 * of an older one now, or do not answer.  The change holds in any case: a
 * warden that misses this looks for itself at the next login.
 */
void ward_live_tell_policy(void);

struct ward_ending {
	struct ward_wire_end order;
	unsigned ended; /* how many were */
};

/*
 * A visit with a struct ward_ending: ends the sandbox and waits for it.  A
 * warden that does not answer is killed, and all ends with it.
 */
int ward_live_end(void *context, const struct ward_live *live, struct err *err);

#endif
