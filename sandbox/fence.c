/* SPDX-License-Identifier: ISC */
/*
 * The warden's look at the uid fence.  A site's own "flush ruleset" takes the
 * fence away; whoever logs in next brings it back.  The session itself does
 * not depend on it.
 */
#include "config.h"

#include <errno.h>
#include <stdint.h>
#include <sys/socket.h>
#include <syslog.h>

#include "common/clock.h"
#include "common/fence.h"
#include "common/places.h"
#include "common/refusal.h"
#include "common/text.h"
#include "sandbox/fence.h"

/* After an attempt that failed: the machine may have no nftables. */
#define AGAIN_MS 60000
#define LIMIT_MS 30000

void
ward_fence_forget(struct ward_fence *fence)
{
	ward_job_forget(&fence->job);
}

static void
on_done(void *context, int result)
{
	struct ward_fence *fence = context;

	if (result == 0) {
		fence->not_before_ms = 0;
		syslog(LOG_NOTICE, "ward: the uid fence is back");
		return;
	}
	fence->not_before_ms = ward_now_ms() + AGAIN_MS;
	syslog(LOG_ERR,
	    "ward: the uid fence could not be put back%s: see '" WARD_CTL
	    " fence apply'",
	    result == -ETIMEDOUT ? " in time" : "");
}

static void
put_back(struct ward_fence *fence, struct ward_loop *loop)
{
	static char program[] = WARD_CTL, group[] = "fence", verb[] = "apply";
	char *argv[] = { program, group, verb, NULL };
	static char path[] = "PATH=/usr/sbin:/usr/bin:/sbin:/bin";
	char *environment[] = { path, NULL };
	const struct ward_program run = {
		.path = program,
		.argv = argv,
		.environment = environment,
		.net_nsfd = -1,
		.limit_ms = LIMIT_MS,
	};
	struct err err = { 0 };

	fence->not_before_ms = ward_now_ms() + AGAIN_MS;
	if (ward_job_start(&fence->job, &run, loop, on_done, fence, &err) != 0)
		syslog(LOG_ERR, "ward: " WARD_CTL ": %s", err.text);
}

void
ward_fence_check(struct ward_fence *fence, struct ward_loop *loop, uid_t uid,
    const char *account)
{
	char name[128];

	if (ward_job_runs(&fence->job) ||
	    ward_now_ms() < fence->not_before_ms ||
	    ward_fence_look(uid, AF_INET) != 0)
		return;
	const struct ward_refusal_text *text =
	    ward_refusal_find(WARD_REFUSED_FENCE);
	syslog(LOG_WARNING, "ward: W%03u: %s: %s; %s",
	    (unsigned)WARD_REFUSED_FENCE,
	    ward_text_visible(name, sizeof(name), account),
	    text == NULL ? "" : text->meaning,
	    text == NULL ? "" : text->remedy);
	put_back(fence, loop);
}
